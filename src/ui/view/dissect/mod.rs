//! The Dissect view: what a trained network turned out to be, as a story from left to right with
//! the verdict at the top; of a layer that is not gated its insides. It draws the newest answer of
//! the bench and asks by [`Action::Inspect`]; nothing is analysed here.
//!
//! Start with [`show`]. [`story`] is the verdict, [`stages`] the reduction, [`neurons`] the
//! threshold, [`function`] the polynomial, [`reading`] the scores, [`merging`] the gates, [`aside`]
//! the column on the right; [`inside`] is all of it for other layers.

mod answer;
mod aside;
mod function;
mod inside;
mod merging;
mod neurons;
mod parts;
mod reading;
mod stages;
mod state;
mod story;

use super::descriptor::View;
use crate::run::inspection::Subject;
use crate::ui::kit::card::{note, quiet};
use crate::ui::kit::theme::Palette;
use crate::ui::kit::{card, export, format};
use crate::ui::panel::{banner, insides};
use crate::ui::{Action, Scene, Tab};
use answer::{Answer, Stamp};
use eframe::egui;
use egui::{
    Align, CentralPanel, Frame, Key, Layout, Margin, Modifiers, Panel, Rect, RichText, ScrollArea,
    Sense, Ui, pos2, vec2,
};
use parts::{in_rows, part};
use state::{ASIDE, State};

/// Least height of the pictures in the middle.
const MIDDLE: f32 = 600.0;

/// Draws the view between the top bar and the status line.
fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    keys(ui, state);
    let (bench, live) = (scene.bench, scene.live);
    let dark = ui.visuals().dark_mode;
    let teacher = match &bench.subject {
        Subject::Live => true,
        Subject::Specimen(given) => given.teacher.is_some(),
    };
    if bench.inspected.as_ref().is_some_and(|inspected| inspected.insides().is_some()) {
        return inside::show(ui, state, scene, narrow, actions);
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
                    .show(ui, |ui| aside::show(ui, scene, answer, actions));
            },
        );
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        banner::show(ui, &mut state.link_dismissed, scene, actions);
        if !narrow {
            story::show(ui, scene, answer.as_ref().map(story::Statement::of).as_ref(), actions);
        }
        let Some(answer) = answer else {
            if narrow {
                story::show(ui, scene, None, actions);
            }
            let rect = ui.available_rect_before_wrap();
            return quiet(ui, rect, waiting(scene));
        };
        let height = ui.available_height();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if narrow {
                one_column(ui, state, scene, &answer, actions);
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
                    .show(ui, |ui| aside::show(ui, scene, &answer, actions));
            }
        });
    });
}

/// Why there is nothing to see yet.
fn waiting(scene: &Scene<'_>) -> &'static str {
    match &scene.bench.subject {
        Subject::Specimen(_) => "Looking into the network…",
        Subject::Live if scene.live.failure.is_some() => {
            "Training has stopped before there was a network to take apart. Retry above, or load a file of weights."
        }
        Subject::Live if scene.live.weights.is_none() => {
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
    scene: &Scene<'_>,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    story::show(ui, scene, Some(&story::Statement::of(answer)), actions);
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
        aside::show(ui, scene, answer, actions);
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

/// Draws its status line.
fn status(ui: &mut Ui, scene: &Scene<'_>) {
    let palette = Palette::of(ui);
    let Some(inspected) = &scene.bench.inspected else { return };
    let Some(dissection) = inspected.dissection() else { return inside::status(ui, scene) };
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
    let known =
        !matches!(&scene.bench.subject, Subject::Specimen(given) if given.teacher.is_none());
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

/// The view.
pub const VIEW: View = View {
    tab: Tab::DISSECT,
    name: "Dissect",
    sentence: "Take a trained network apart: is it attention?",
    keys: &[
        ("← →", "The stage before, the next one"),
        ("Space", "Run through the stages"),
        ("↑ ↓", "Move the threshold when it has the keyboard"),
    ],
    show: |ui, memory, scene, narrow, actions| show(ui, memory.of(), scene, narrow, actions),
    status: |ui, _, scene, _| status(ui, scene),
};
