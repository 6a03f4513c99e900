//! The Dissect view: what a trained network turned out to be, as a story from left to right with
//! the verdict at the top; of a layer that is not gated its insides. It draws the newest answer of
//! the bench and asks by [`Action::Inspect`]; nothing is analysed here.
//!
//! Start with [`show`]. [`story`] is the verdict, [`stages`] the reduction, [`neurons`] the
//! threshold, [`function`] the polynomial, [`reading`] the scores, [`merging`] the gates, [`aside`]
//! the column on the right; [`inside`] is all of it for other layers.

mod aside;
mod function;
mod inside;
mod merging;
mod neurons;
mod reading;
mod stages;
mod story;

use super::card::{note, quiet};
use super::theme::{Palette, strong};
use super::{Action, View, banner, card, export, format, insides};
use crate::analysis::dissection::{Dissection, Settings};
use crate::run::inspection::Subject;
use eframe::egui;
use egui::{
    Align, CentralPanel, DragValue, Frame, Key, Layout, Margin, Modifiers, Panel, Rect, RichText,
    ScrollArea, Sense, Ui, pos2, vec2,
};

/// Between frames.
#[derive(Default)]
pub struct State {
    link_dismissed: Option<String>,
    /// The output whose coefficients and kernels are shown.
    output: usize,
    stages: stages::State,
    neurons: neurons::State,
    function: function::State,
    reading: reading::State,
    merging: merging::State,
    insides: insides::State,
}

/// Which answer, in which theme: what is worked out from it is kept as long as this stays.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stamp {
    run: u32,
    id: u32,
    step: Option<u64>,
    took: u64,
    dark: bool,
}

/// What the cards draw.
struct Answer<'a> {
    dissection: &'a Dissection,
    stamp: Stamp,
    /// What is asked now; the answer may be to an earlier question.
    settings: &'a Settings,
    current: bool,
    /// Whether a teacher is known.
    teacher: bool,
}

/// From this width on the column on the right stands there.
const ASIDE: f32 = 1120.0;
/// Least height of the pictures in the middle.
const MIDDLE: f32 = 600.0;

/// Draws the view between the top bar and the status line.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    view: &mut View<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    keys(ui, state);
    let (bench, live) = (view.bench, view.live);
    let dark = ui.visuals().dark_mode;
    let teacher = match &bench.subject {
        Subject::Live => true,
        Subject::Specimen(given) => given.teacher.is_some(),
    };
    if bench.inspected.as_ref().is_some_and(|inspected| inspected.insides().is_some()) {
        return inside::show(ui, state, view, narrow, actions);
    }
    let inspected = bench.inspected.as_ref().and_then(|inspected| {
        Some((
            inspected,
            inspected.dissection().filter(|dissection| dissection.stages.len() == stages::COUNT)?,
        ))
    });
    let answer = inspected.map(|(inspected, dissection)| Answer {
        dissection,
        stamp: Stamp {
            run: live.run,
            id: inspected.id,
            step: inspected.step,
            took: inspected.took_ms.to_bits(),
            dark,
        },
        settings: &bench.settings,
        current: bench.is_current(),
        teacher,
    });
    let aside = !narrow && ui.max_rect().width() >= ASIDE;
    if let Some(answer) = answer.as_ref().filter(|_| aside) {
        let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 0));
        Panel::right("dissect aside").exact_size(236.0).resizable(false).frame(frame).show(
            ui,
            |ui| {
                ScrollArea::vertical()
                    .auto_shrink(false)
                    .show(ui, |ui| aside::show(ui, view, answer, actions));
            },
        );
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        banner::show(ui, &mut state.link_dismissed, view, actions);
        if !narrow {
            story::show(ui, view, answer.as_ref().map(story::Said::of).as_ref(), actions);
        }
        let Some(answer) = answer else {
            if narrow {
                story::show(ui, view, None, actions);
            }
            let rect = ui.available_rect_before_wrap();
            return quiet(ui, rect, waiting(view));
        };
        let height = ui.available_height();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if narrow {
                one_column(ui, state, view, &answer, actions);
                return;
            }
            let (rect, _) = ui.allocate_exact_size(
                vec2(ui.available_width(), height.max(MIDDLE)),
                Sense::hover(),
            );
            middle(ui, rect, state, &answer, actions);
            if !aside {
                Frame::new()
                    .fill(palette.panel)
                    .inner_margin(Margin::same(14))
                    .show(ui, |ui| aside::show(ui, view, &answer, actions));
            }
        });
    });
}

/// Why there is nothing to see yet.
fn waiting(view: &View<'_>) -> &'static str {
    match &view.bench.subject {
        Subject::Specimen(_) => "Looking into the network…",
        Subject::Live if view.live.failure.is_some() => {
            "Training has stopped before there was a network to take apart. Retry above, or load a file of weights."
        }
        Subject::Live if view.live.weights.is_none() => {
            "Training is about to begin; the first network will be looked into here."
        }
        Subject::Live => "Looking into the running network…",
    }
}

/// The stages above, the evidence below.
fn middle(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let upper = (rect.height() * 0.46).clamp(260.0, 520.0);
    let split = rect.top() + upper;
    card::rule(ui, rect.left_top(), rect.right_top());
    stages::show(
        ui,
        Rect::from_min_max(rect.min, pos2(rect.right(), split)),
        &mut state.stages,
        answer,
        false,
        actions,
    );
    card::rule(ui, pos2(rect.left(), split), pos2(rect.right(), split));
    let mut left = rect.left();
    let mut next = |part: f32| {
        let column =
            Rect::from_min_max(pos2(left, split), pos2(left + rect.width() * part, rect.bottom()));
        left = column.right();
        column
    };
    let columns = [0.21, 0.31, 0.2, 0.28].map(&mut next);
    neurons::show(ui, columns[0], &mut state.neurons, answer, actions);
    function::show(ui, columns[1], &mut state.function, &mut state.output, answer, actions);
    reading::show(ui, columns[2], &mut state.reading, answer, actions);
    merging::show(ui, columns[3], &mut state.merging, &mut state.output, answer, actions);
    for column in &columns[1..] {
        card::rule(ui, column.left_top(), column.left_bottom());
    }
}

/// For a phone: all in one column that scrolls.
fn one_column(
    ui: &mut Ui,
    state: &mut State,
    view: &View<'_>,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    story::show(ui, view, Some(&story::Said::of(answer)), actions);
    let width = ui.available_width();
    let part = |ui: &mut Ui, height: f32| {
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        card::rule(ui, rect.left_top(), rect.right_top());
        rect
    };
    let rect = part(ui, 380.0);
    stages::show(ui, rect, &mut state.stages, answer, true, actions);
    let rect = part(ui, 320.0);
    neurons::show(ui, rect, &mut state.neurons, answer, actions);
    let rect = part(ui, 380.0);
    function::show(ui, rect, &mut state.function, &mut state.output, answer, actions);
    let rect = part(ui, 470.0);
    reading::show(ui, rect, &mut state.reading, answer, actions);
    let rect = part(ui, 400.0);
    merging::show(ui, rect, &mut state.merging, &mut state.output, answer, actions);
    Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 10)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        aside::show(ui, view, answer, actions);
    });
}

/// ← and → choose a stage, space plays them, unless something else has the keyboard.
fn keys(ui: &Ui, state: &mut State) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() {
        return;
    }
    let free = ctx.memory(|memory| memory.focused().is_none());
    let pressed = |key: Key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if free || state.stages.has_focus() {
        for (key, forward) in [(Key::ArrowRight, true), (Key::ArrowLeft, false)] {
            if pressed(key) {
                state.stages.step(ui, forward);
            }
        }
    }
    if free && pressed(Key::Space) {
        state.stages.play(ui);
    }
}

/// Which output; for a card's title row. `card` tells two of them apart.
fn output_chooser(ui: &mut Ui, card: &str, output: &mut usize, outputs: usize) {
    if outputs < 2 {
        return;
    }
    ui.push_id((card, "output"), |ui| {
        let mut shown = *output + 1;
        ui.spacing_mut().interact_size = vec2(24.0, 18.0);
        let drag = DragValue::new(&mut shown).range(1..=outputs).speed(0.05).prefix("output ");
        if ui.add(drag).on_hover_text("Drag, or type a number").changed() {
            *output = shown.clamp(1, outputs) - 1;
        }
    });
}

/// The note of the answer that speaks of `what`, or else `otherwise`.
fn reason(answer: &Answer<'_>, what: &str, otherwise: &str) -> String {
    answer
        .dissection
        .notes
        .iter()
        .find(|note| note.to_lowercase().contains(what))
        .cloned()
        .unwrap_or_else(|| otherwise.into())
}

/// A number of the status line, with its name.
fn part(ui: &mut Ui, label: &str, value: &str, help: &str) {
    let drawn = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.label(RichText::new(label).size(12.0).color(Palette::of(ui).mute));
        ui.label(RichText::new(value).font(strong(12.0)));
    });
    drawn.response.on_hover_text(help);
}

/// Draws its status line.
pub fn status(ui: &mut Ui, view: &View<'_>) {
    let palette = Palette::of(ui);
    let Some(inspected) = &view.bench.inspected else { return };
    let Some(dissection) = inspected.dissection() else { return inside::status(ui, view) };
    let stages = &dissection.stages;
    let arrow = |count: fn(&crate::analysis::stage::Stage) -> usize| {
        let counts: Vec<String> = [0, 1, 4]
            .iter()
            .filter_map(|&i| stages.get(i))
            .map(|stage| count(stage).to_string())
            .collect();
        counts.join(" → ")
    };
    let gated = stages.first().is_some_and(|stage| !stage.gates.is_empty());
    let moved = stages.last().map_or_else(|| "–".into(), |stage| format::scientific(stage.change));
    let dim = stages.first().map_or(0, |stage| stage.network.inputs());
    let known = !matches!(&view.bench.subject, Subject::Specimen(given) if given.teacher.is_none());
    let counts = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        part(
            ui,
            "hidden",
            &arrow(|stage| stage.neurons.len()),
            "Neurons: trained, pruned, minimal",
        );
        if gated {
            part(
                ui,
                "gates",
                &arrow(|stage| stage.gates.len()),
                "Output gates: trained, pruned, minimal",
            );
        }
    };
    let costs = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        part(
            ui,
            "outputs moved",
            &moved,
            "Relative change of the outputs on a fresh batch, from trained to minimal",
        );
        part(
            ui,
            "took",
            &format!("{:.0} ms", inspected.took_ms),
            "How long this analysis took, beside training",
        );
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = format!("{} d = {dim}", if known { "teacher" } else { "no teacher," });
            ui.label(RichText::new(text).size(12.0).color(palette.mute));
        });
    };
    in_rows(ui, counts, costs);
}

/// Two parts of the status line beside each other, or one below the other where it is narrow.
fn in_rows(ui: &mut Ui, first: impl FnOnce(&mut Ui), second: impl FnOnce(&mut Ui)) {
    if ui.available_width() < 600.0 {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.spacing_mut().interact_size.y = 22.0;
            let size = vec2(ui.available_width(), 26.0);
            ui.allocate_ui(size, |ui| ui.horizontal_centered(first));
            ui.allocate_ui(size, |ui| ui.horizontal_centered(second));
        });
    } else {
        ui.horizontal_centered(|ui| {
            first(ui);
            second(ui);
        });
    }
}
