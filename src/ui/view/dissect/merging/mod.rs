//! Gates that are one product in several parts: a group's kernels, their singular values, the gate
//! that takes their place. [`kernels`] works the pictures out.

mod kernels;

use super::answer::Answer;
use super::export;
use crate::analysis::dissection::Settings;
use crate::analysis::merge::Group;
use crate::analysis::stage::StageKind;
use crate::analysis::words;
use crate::model::network::Gating;
use crate::ui::Action;
use crate::ui::kit::readout::{Readout, cell_at, cell_rect};
use crate::ui::kit::theme::{Palette, plain, role_name, strong};
use crate::ui::kit::{card, format, svg};
use eframe::egui;
use egui::{
    Align2, Button, Popup, PopupCloseBehavior, Rect, RichText, ScrollArea, Sense, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};
use kernels::Kernels;

/// Between frames.
#[derive(Default)]
pub struct State {
    chosen: usize,
    kernels: Kernels,
    /// Rows are neurons; columns are those of one kernel after another.
    readout: Readout,
}

/// "9 + 10 + 30".
pub fn names(gates: &[usize]) -> String {
    gates.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ")
}

/// The question with a gate picked, or let go.
pub fn toggled(answer: &Answer<'_>, gate: usize) -> Action {
    let mut picked = answer.settings.picked.clone();
    match picked.iter().position(|other| *other == gate) {
        Some(place) => drop(picked.remove(place)),
        None => picked.push(gate),
    }
    Action::Inspect(Settings { picked, ..answer.settings.clone() })
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    output: &mut usize,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let dissection = answer.dissection;
    let sorted = dissection.stages.iter().find(|stage| stage.kind == StageKind::Sorted);
    let side = sorted.is_some_and(|stage| matches!(stage.network.gating, Gating::Side(_)));
    let outputs = sorted.map_or(0, |stage| stage.network.outputs());
    let mut saved = false;
    let title = if svg::is_for_file(ui) {
        format!("Merging gates, output {}", *output + 1)
    } else {
        "Merging gates".into()
    };
    let inner = card::show(ui, rect, &title, "", |ui| {
        if !svg::is_for_file(ui) {
            saved = export::button(ui, "Merging gates");
            if !side {
                super::answer::output_chooser(ui, "Merging gates", output, outputs);
                pick_button(ui, answer, actions);
            }
        }
    });
    if saved {
        let (mut chosen, group) = (*output, state.chosen);
        let mut draw = |ui: &mut Ui, rect: Rect| {
            show(
                ui,
                rect,
                &mut State { chosen: group, ..State::default() },
                &mut chosen,
                answer,
                &mut vec![],
            )
        };
        actions.push(export::svg(ui, "dissect-merging.svg", rect.size(), &mut draw));
    }
    if side {
        return super::quiet(
            ui,
            inner,
            "Side gating has no output gates to merge: each neuron is multiplied by one reading of the current token.",
        );
    }
    if dissection.groups.is_empty() {
        return super::quiet(
            ui,
            inner,
            "No two gates are parts of one product. Pick some by hand to try them as one.",
        );
    }
    if inner.width() < 110.0 || inner.height() < 120.0 {
        return;
    }
    // A group picked by hand comes to the front when it is new.
    state.chosen = state.chosen.min(dissection.groups.len() - 1);
    *output = (*output).min(outputs.max(1) - 1);
    let top = groups(ui, inner, state, answer);
    state.kernels.update(ui, answer.stamp, dissection, state.chosen, *output);
    let rest = Rect::from_min_max(pos2(inner.left(), top + 4.0), inner.max);
    let group = &dissection.groups[state.chosen];
    let top = pictures(ui, rest, &state.kernels, group, &mut state.readout, *output);
    details(ui, Rect::from_min_max(pos2(rest.left(), top), rest.max), &state.kernels, group);
}

/// The groups as chips in rows; returns where they end.
fn groups(ui: &mut Ui, rect: Rect, state: &mut State, answer: &Answer<'_>) -> f32 {
    let palette = Palette::of(ui);
    let area = Rect::from_min_size(rect.min, vec2(rect.width(), 44.0));
    let mut child = card::inside(ui, "groups", area);
    let scroll =
        ScrollArea::vertical().id_salt("groups").max_height(44.0).auto_shrink([false, true]);
    let drawn = scroll.show(&mut child, |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 3.0);
        ui.spacing_mut().interact_size.y = 18.0;
        ui.spacing_mut().button_padding = vec2(5.0, 0.0);
        ui.horizontal_wrapped(|ui| {
            for (i, group) in answer.dissection.groups.iter().enumerate() {
                let color = if group.merged { palette.ink } else { palette.mute };
                let mut text = RichText::new(names(&group.gates)).size(11.0).color(color);
                if !group.merged {
                    text = text.strikethrough();
                }
                let mut button = Button::selectable(state.chosen == i, text).truncate();
                if group.by_hand {
                    button = button.stroke(Stroke::new(1.0, palette.accent));
                }
                let response = ui.add(button);
                let kind = if group.by_hand { "picked by hand, " } else { "" };
                let did = if group.merged { "merged" } else { "not merged" };
                response.widget_info(|| {
                    WidgetInfo::selected(
                        egui::Role::ListBoxOption,
                        true,
                        state.chosen == i,
                        format!("Gates {}: {kind}{did}", names(&group.gates)),
                    )
                });
                if response
                    .on_hover_text(format!("Gates {}: {kind}{did}", names(&group.gates)))
                    .clicked()
                {
                    state.chosen = i;
                }
            }
        });
    });
    rect.top() + drawn.content_size.y.min(44.0)
}

/// The kernels and their sum; returns where they end.
fn pictures(
    ui: &Ui,
    rect: Rect,
    kernels: &Kernels,
    group: &Group,
    readout: &mut Readout,
    output: usize,
) -> f32 {
    let palette = Palette::of(ui);
    let count = kernels.gates.len() + 1;
    if kernels.gates.is_empty() {
        super::note(
            ui,
            rect,
            "These gates are below the threshold: they are pruned before anything is merged.",
        );
        return rect.top() + 40.0;
    }
    let per_row = if rect.width() > 66.0 * count as f32 || count <= 2 { count } else { 2 };
    let rows = count.div_ceil(per_row);
    let gap = 10.0;
    let size = ((rect.width() - gap * (per_row - 1) as f32) / per_row as f32)
        .min((rect.height() * 0.58) / rows as f32 - 19.0)
        .clamp(20.0, 170.0);
    let text =
        |at, text: String, color| ui.painter().text(at, Align2::LEFT_TOP, text, plain(10.5), color);
    let square = |i: usize| {
        Rect::from_min_size(
            rect.min
                + vec2((size + gap) * (i % per_row) as f32, (size + 19.0) * (i / per_row) as f32),
            vec2(size, size),
        )
    };
    let name = |i: usize| match kernels.gates.get(i) {
        Some(gate) => format!("gate {gate}"),
        None if group.gates.len() > kernels.gates.len() => {
            format!("sum of all {}", group.gates.len())
        }
        None => "sum".into(),
    };
    for i in 0..count {
        let (heatmap, color) = if i < kernels.gates.len() {
            (&kernels.each[i], palette.mute)
        } else {
            (&kernels.sum, palette.ink)
        };
        let (square, name) = (square(i), name(i));
        heatmap.paint(ui, square, 0..kernels.neurons, 0..kernels.neurons);
        ui.painter().rect_stroke(
            square,
            0.0,
            Stroke::new(1.0, palette.line),
            egui::StrokeKind::Outside,
        );
        text(square.left_bottom() + vec2(0.0, 3.0), name, color);
    }
    let n = kernels.neurons;
    let all = (0..count).map(square).reduce(Rect::union).unwrap_or(rect);
    let response = ui.interact(all, ui.scope_id().with("kernels"), Sense::click());
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Image, true, "Kernels of the group's gates")
    });
    let hit = response.hover_pos().and_then(|pointer| {
        (0..count).find_map(|i| {
            cell_at(square(i), n, n, pointer).map(|(row, column)| [row, i * n + column])
        })
    });
    let chosen = readout.choose(ui, &response, [n, count * n], hit);
    let [row, column] = readout.cell;
    let place = cell_rect(square(column / n.max(1)), [n, n], [row, column % n.max(1)]);
    readout.explain(ui, response, chosen, hit, place, |ui, [row, column]| {
        said(ui, kernels, &name(column / n), output, [column / n, row, column % n])
    });
    rect.top() + (size + 19.0) * rows as f32
}

/// The entry (i, j) of kernel `which`.
fn said(ui: &mut Ui, kernels: &Kernels, name: &str, output: usize, [which, i, j]: [usize; 3]) {
    let palette = Palette::of(ui);
    let Some((value, (a, b))) = kernels
        .values
        .get(which)
        .map(|kernel| kernel.at(i, j))
        .zip(kernels.names.get(i).zip(kernels.names.get(j)))
    else {
        return;
    };
    ui.label(RichText::new(format!("{name}: {}", format::signed(value))).font(strong(12.5)));
    for (neuron, role) in if i == j { vec![a] } else { vec![a, b] } {
        ui.colored_label(palette.role(*role), format!("neuron {neuron}, {}", role_name(*role)));
    }
    let form = if i == j {
        "D wₘ wₓ of this neuron"
    } else {
        "½ D (wₘ wₓ' + wₘ' wₓ), ' for the second neuron"
    };
    ui.label(RichText::new(format!("output {}: {form}", output + 1)).color(palette.mute));
}

/// Singular values, the merged gate, and what it leaves.
fn details(ui: &mut Ui, rect: Rect, kernels: &Kernels, group: &Group) {
    let palette = Palette::of(ui);
    if rect.height() < 40.0 {
        return;
    }
    let half = rect.width() * if kernels.heirs > 0 { 0.46 } else { 1.0 };
    let bars = Rect::from_min_max(
        rect.min + vec2(0.0, 16.0),
        pos2(rect.left() + half - 6.0, rect.top() + 16.0 + 36.0f32.min(rect.height() * 0.35)),
    );
    ui.painter().text(rect.min, Align2::LEFT_TOP, "singular values", plain(10.5), palette.mute);
    singular_values(ui, bars, group);
    if kernels.heirs > 0 {
        let right = Rect::from_min_max(
            pos2(rect.left() + half + 4.0, bars.top()),
            pos2(rect.right(), bars.bottom()),
        );
        ui.painter().text(
            pos2(right.left(), rect.top()),
            Align2::LEFT_TOP,
            if kernels.heirs == 1 { "the merged gate" } else { "the merged gates" },
            plain(10.5),
            palette.mute,
        );
        // A gate's two factors touch; between gates there is room. The neurons' kinds are below.
        let row =
            (right.height() - 6.0 - 3.0 * (kernels.heirs - 1) as f32) / (2 * kernels.heirs) as f32;
        for i in 0..2 * kernels.heirs {
            let top = row * i as f32 + 3.0 * (i / 2) as f32;
            kernels.merged.paint(
                ui,
                Rect::from_min_size(right.min + vec2(0.0, top), vec2(right.width(), row)),
                i..i + 1,
                0..kernels.neurons,
            );
        }
        kernels.roles.paint(
            ui,
            Rect::from_min_max(pos2(right.left(), right.bottom() - 4.0), right.max),
            0..1,
            0..kernels.neurons,
        );
    }
    let below = bars.bottom() + 6.0;
    super::note(ui, Rect::from_min_max(pos2(rect.left(), below), rect.max), &verdict(group));
}

/// Why they merge, or why not, and what one gate would leave.
fn verdict(group: &Group) -> String {
    let mut text = words::sentence(group.reason.trim_end_matches('.')) + ".";
    if !group.singular_values.is_empty() && !group.says_residual {
        text += &format!(" The best single gate leaves {} of them.", words::part(group.residual));
    }
    text
}

fn singular_values(ui: &mut Ui, rect: Rect, group: &Group) {
    let palette = Palette::of(ui);
    let values: Vec<f64> =
        group.singular_values.iter().copied().filter(|value| value.is_finite()).take(10).collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    let step = (rect.width() / values.len().max(6) as f32).min(16.0);
    ui.painter().hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, palette.line));
    for (i, value) in values.iter().enumerate() {
        let height = if largest > 0.0 { (value / largest) as f32 * rect.height() } else { 0.0 };
        let left = rect.left() + step * i as f32;
        let bar = Rect::from_min_max(
            pos2(left, rect.bottom() - height.max(1.0)),
            pos2(left + step * 0.7, rect.bottom()),
        );
        ui.painter().rect_filled(bar, 0.0, if i < 2 { palette.accent } else { palette.between });
    }
    let response = ui.interact(rect, ui.scope_id().with("singular values"), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Image, true, "Singular values of the summed kernel")
    });
    response.on_hover_ui_at_pointer(|ui| {
        ui.label("Singular values of the group's summed kernel, symmetrised, all outputs together. One gate has two at most.");
        let list: Vec<String> = values.iter().take(6).map(|value| format::scientific(*value)).collect();
        ui.label(list.join(", "));
    });
}

/// Opens the list of gates to be picked by hand.
fn pick_button(ui: &mut Ui, answer: &Answer<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let picked = &answer.settings.picked;
    let name = if picked.is_empty() { "Pick".to_owned() } else { format!("Pick {}", picked.len()) };
    let button = ui.add(Button::new(RichText::new(name).size(11.0)).selected(!picked.is_empty()));
    button.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Pick gates by hand"));
    let button = button.on_hover_text(
        "Choose gates to be tried as one. Their columns in the pictures can be clicked, too.",
    );
    Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_max_width(260.0);
        ui.label(RichText::new("Gates to be tried as one").font(strong(12.5)));
        let kept = answer.dissection.stages.iter().find(|stage| stage.kind == StageKind::Sorted);
        let mut gates: Vec<usize> =
            kept.map(|stage| stage.gates.iter().flatten().copied().collect()).unwrap_or_default();
        gates.sort_unstable();
        if gates.is_empty() {
            ui.label(
                RichText::new("All gates are pruned: lower the threshold.").color(palette.mute),
            );
        }
        ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                for gate in gates {
                    let chip = ui.add(
                        Button::selectable(picked.contains(&gate), gate.to_string())
                            .min_size(vec2(30.0, 22.0)),
                    );
                    chip.widget_info(|| {
                        WidgetInfo::selected(
                            egui::Role::CheckBox,
                            true,
                            picked.contains(&gate),
                            format!("Pick gate {gate}"),
                        )
                    });
                    if chip.clicked() {
                        actions.push(toggled(answer, gate));
                    }
                }
            });
        });
        if !picked.is_empty() && ui.button("Let all go").clicked() {
            actions.push(Action::Inspect(Settings { picked: vec![], ..answer.settings.clone() }));
        }
    });
}
