//! The page Inside: the memory, the gates and the state of one network, a run of the race or the
//! training in Discover.

use crate::sweep::contest::{Contender, contenders, value};
use crate::sweep::measure::Measure;
use crate::sweep::queue::{Queue, State as RunState};
use crate::sweep::record::Outcome;
use crate::ui::Which;
use crate::ui::kit::choice;
use crate::ui::kit::choice::Row;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format};
use crate::ui::panel::{banner, insides};
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{Align2, CentralPanel, Frame, Label, Margin, Panel, RichText, ScrollArea, Ui, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    insides: insides::State,
    /// Of that revision of the race, by that measure.
    contenders: Option<(u64, Measure, Vec<Contender>)>,
}

pub fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let race = &scene.sweeps[Which::Compare];
    match race.queue {
        Some(queue)
            if state
                .contenders
                .as_ref()
                .is_none_or(|(revision, ..)| *revision != race.revision) =>
        {
            let measure = Measure::of(queue.runs());
            state.contenders = Some((race.revision, measure, contenders(queue, measure)));
        }
        Some(_) => {}
        None => state.contenders = None,
    }
    if !narrow {
        let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 8));
        Panel::left("networks").exact_size(258.0).resizable(false).frame(frame).show(ui, |ui| {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| list(ui, state, scene, actions));
        });
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        banner::messages(ui, scene);
        let height = ui.available_height() - TITLE;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if narrow {
                Frame::new()
                    .fill(palette.panel)
                    .inner_margin(Margin::symmetric(14, 8))
                    .show(ui, |ui| list(ui, state, scene, actions));
            }
            title(ui, scene);
            match (&scene.inside.bench.inspected, missing(scene)) {
                (_, Some(text)) => empty(ui, height, text),
                (Some(inspected), None) if inspected.insides().is_some() => {
                    insides::show(ui, &mut state.insides, inspected, height, actions)
                }
                _ => empty(ui, height, "looking…"),
            }
        });
    });
}

/// Height of the line that says what is shown.
const TITLE: f32 = 34.0;

fn empty(ui: &mut Ui, height: f32, text: &str) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height.max(160.0)), egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
    card::quiet(ui, rect, text);
}

/// Why there is nothing to look into.
fn missing(scene: &Scene<'_>) -> Option<&'static str> {
    let queue = scene.sweeps[Which::Compare].queue;
    match (scene.inside.run, scene.inside.step) {
        (Some(run), None) => Some(
            match queue.filter(|queue| run < queue.runs().len()).map(|queue| queue.state(run)) {
                Some(RunState::Over(record)) => match record.outcome {
                    Outcome::Finished => {
                        "its weights are gone: they are kept only while the window is open, and as long as there is room"
                    }
                    Outcome::Diverged(_) => "it diverged, and no weights are left",
                    Outcome::Failed(_) => "it could not be trained",
                },
                Some(RunState::Training(..)) if scene.sweeps[Which::Compare].running => {
                    "its weights come within a second or two"
                }
                Some(RunState::Training(..)) => {
                    "the race rests, and no weights of it are known yet; they come when it goes on"
                }
                _ => "it has not started",
            },
        ),
        _ => None,
    }
}

/// What is shown, in a line.
fn title(ui: &mut Ui, scene: &Scene<'_>) {
    let palette = Palette::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), TITLE), egui::Sense::hover());
    let name = named(scene);
    let step = scene
        .inside
        .bench
        .inspected
        .as_ref()
        .and_then(|inspected| inspected.step)
        .filter(|_| missing(scene).is_none());
    let steps = step.map(|step| format!("step {}", format::thousands(step))).unwrap_or_default();
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let written = painter.text(
        rect.left_center() + vec2(card::MARGIN, 0.0),
        Align2::LEFT_CENTER,
        &name,
        strong(14.0),
        palette.ink,
    );
    painter.text(
        written.right_center() + vec2(10.0, 0.0),
        Align2::LEFT_CENTER,
        &steps,
        plain(12.0),
        palette.mute,
    );
    ui.interact(rect, ui.scope_id().with("what is shown"), egui::Sense::hover()).widget_info(
        || egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{name}, {steps}")),
    );
}

fn named(scene: &Scene<'_>) -> String {
    match (scene.inside.run, scene.sweeps[Which::Compare].queue) {
        (Some(run), Some(queue)) if run < queue.runs().len() => queue.runs()[run].name.clone(),
        _ => "The training in Discover".into(),
    }
}

/// The networks to choose from.
fn list(ui: &mut Ui, state: &State, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    heading(ui, "NETWORK");
    if row(ui, scene.inside.run.is_none(), scene.live.recipe.model.title, "in Discover") {
        actions.push(Action::Inside(None));
    }
    ui.add_space(6.0);
    heading(ui, "IN THE RACE");
    let Some((queue, &(_, measure, ref contenders))) =
        scene.sweeps[Which::Compare].queue.zip(state.contenders.as_ref())
    else {
        ui.add(
            Label::new(
                RichText::new(
                    "No race yet. Start one on the page Race, and look into its networks here while they train.",
                )
                .color(palette.mute),
            )
            .wrap(),
        );
        return;
    };
    let mut listed = false;
    for contender in contenders {
        let Some(run) = best_run(queue, contender, measure) else { continue };
        listed |= scene.inside.run == Some(run);
        entry(ui, scene, (queue, measure), run, &contender.name, actions);
    }
    if let Some(run) = scene.inside.run.filter(|run| !listed && *run < queue.runs().len()) {
        entry(ui, scene, (queue, measure), run, &queue.runs()[run].name, actions);
    }
    ui.add_space(4.0);
    ui.add(
        Label::new(
            RichText::new("Each layer's best run so far. Any other one: choose its dot in the race, then Look inside.")
                .size(11.5)
                .color(palette.mute),
        )
        .wrap(),
    );
}

/// The best run at the best rate.
fn best_run(queue: &Queue, contender: &Contender, measure: Measure) -> Option<usize> {
    let known =
        contender.best()?.runs.iter().filter_map(|&run| Some((run, value(queue, run, measure)?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(run, _)| run)
}

fn entry(
    ui: &mut Ui,
    scene: &Scene<'_>,
    (queue, measure): (&Queue, Measure),
    run: usize,
    name: &str,
    actions: &mut Vec<Action>,
) {
    let said = value(queue, run, measure)
        .map(|value| if value.is_finite() { format::scientific(value) } else { "diverged".into() })
        .unwrap_or_default();
    if row(ui, scene.inside.run == Some(run), name, &said) {
        actions.push(Action::Inside(Some(run)));
    }
}

/// A row; whether it was chosen.
fn row(ui: &mut Ui, chosen: bool, name: &str, beside: &str) -> bool {
    let palette = Palette::of(ui);
    let Row { rect, response, font, color } = choice::row(ui, chosen, &format!("{name}, {beside}"));
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let value = painter.text(
        rect.right_center() - vec2(8.0, 0.0),
        Align2::RIGHT_CENTER,
        beside,
        plain(11.5),
        palette.mute,
    );
    let room = painter.with_clip_rect(
        egui::Rect::from_min_max(rect.min, egui::pos2(value.left() - 6.0, rect.bottom()))
            .intersect(painter.clip_rect()),
    );
    room.text(rect.left_center() + vec2(8.0, 0.0), Align2::LEFT_CENTER, name, font, color);
    response.clicked()
}

/// Draws the status line.
pub fn status(ui: &mut Ui, scene: &Scene<'_>) {
    let palette = Palette::of(ui);
    let text = scene
        .inside
        .bench
        .inspected
        .as_ref()
        .and_then(|inspected| inspected.insides())
        .map_or_else(String::new, crate::analysis::insides::Insides::headline);
    ui.horizontal_centered(|ui| {
        ui.label(RichText::new(named(scene)).font(strong(12.0)).color(palette.ink));
        ui.add(Label::new(RichText::new(text).size(12.0).color(palette.mute)).truncate());
    });
}
