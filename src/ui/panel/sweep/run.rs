//! Start, pause, go on; how far the sweep is.

use super::ask::Ask;
use super::size;
use super::state::{Counts, State};
use crate::sweep::Sweep;
use crate::sweep::queue::{Queue, State as RunState};
use crate::sweep::record::Record;
use crate::ui::draft::Draft;
use crate::ui::kit::icon::Icon;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::kit::{format, icon};
use crate::ui::{Action, Scene, SweepAction, draft};
use eframe::egui;
use egui::{Align, Button, Color32, Label, Layout, ProgressBar, RichText, Ui, vec2};

/// More runs are not started without a question.
const MANY: u64 = 1000;

/// What the sweep does, in a word.
pub fn condition(counts: &Counts, running: bool, palette: &Palette) -> (&'static str, Color32) {
    match () {
        () if counts.over() == counts.all => ("finished", palette.teacher),
        () if running => ("training", palette.accent),
        () => ("paused", palette.mute),
    }
}

/// The sweep that is written down, if it holds together.
fn written(state: &State) -> Option<&Sweep> {
    state.check.as_ref().and_then(|check| check.sweep.as_ref().ok())
}

/// How many runs of the sweep that is written down are over.
fn kept(state: &State, queue: &Queue) -> usize {
    state
        .check
        .iter()
        .flat_map(|check| &check.keys)
        .filter(|key| queue.record(key).is_some_and(Record::is_tried))
        .count()
}

/// Does it, or asks first.
fn start(state: &mut State, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(sweep) = written(state).cloned() else { return };
    let lost = scene.sweeps[state.which].queue.map_or(0, Queue::over);
    let count = sweep.count();
    let mut question = String::new();
    if lost > 0 {
        question += &format!(
            "This takes the place of the sweep on show; its {} are forgotten. ",
            runs(lost as u64)
        );
    }
    if count > MANY {
        question += &format!("It has {}. Start them?", runs(count));
    } else if lost > 0 {
        question += "Start it?";
    }
    request(state, question, "Start it", SweepAction::Start(sweep), actions);
}

fn extend(state: &mut State, actions: &mut Vec<Action>) {
    let Some(sweep) = written(state).cloned() else { return };
    let count = sweep.count();
    let question = if count > MANY {
        format!("The sweep will have {}. Go on with them?", runs(count))
    } else {
        String::new()
    };
    request(state, question, "Extend it", SweepAction::Extend(sweep), actions);
}

/// "1 run", "2 runs".
fn runs(count: u64) -> String {
    format!("{} run{}", format::thousands(count), if count == 1 { "" } else { "s" })
}

fn request(
    state: &mut State,
    question: String,
    yes: &str,
    action: SweepAction,
    actions: &mut Vec<Action>,
) {
    if question.is_empty() {
        actions.push(Action::Sweep(state.which, action));
    } else {
        state.ask = Some(Ask { question, yes: yes.into(), action });
    }
}

/// What the large button and the space bar do now.
pub fn main(state: &mut State, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let Some(shown) = &state.shown else { return start(state, scene, actions) };
    if shown.counts.over() < shown.counts.all {
        actions.push(Action::Sweep(
            state.which,
            if scene.sweeps[state.which].running {
                SweepAction::Pause
            } else {
                SweepAction::Resume
            },
        ));
    }
}

/// Draws buttons and progress.
pub fn show(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let width = ui.available_width();
    let Some(queue) = scene.sweeps[state.which].queue else {
        let ready = written(state).is_some();
        let size = vec2(width, 32.0);
        let button = ui
            .add_enabled_ui(ready, |ui| {
                icon::button(ui, Icon::Play, "Start", Some("Start"), size, ready)
            })
            .inner;
        if button
            .on_hover_text("Train all runs, one after the other or several at once (space)")
            .clicked()
        {
            start(state, scene, actions);
        }
        return extent(ui, state);
    };
    let counts = state.shown.as_ref().map(|shown| shown.counts.clone()).unwrap_or_default();
    ui.horizontal(|ui| {
        let done = counts.over() == counts.all;
        let (icon, name, help) = match (done, scene.sweeps[state.which].running) {
            (true, _) => {
                (Icon::Play, "Finished", "All runs are over. Change the definition to add some.")
            }
            (false, true) => (Icon::Pause, "Pause", "What is in training waits (space)"),
            (false, false) => (Icon::Play, "Resume", "Go on (space)"),
        };
        let size = vec2((ui.available_width() - 66.0).max(60.0), 32.0);
        let button = ui
            .add_enabled_ui(!done, |ui| icon::button(ui, icon, name, Some(name), size, !done))
            .inner;
        if button.on_hover_text(help).clicked() {
            main(state, scene, actions);
        }
        if ui
            .add(Button::new("Clear").min_size(vec2(60.0, 32.0)))
            .on_hover_text("Forget this sweep and its runs")
            .clicked()
        {
            let question = format!(
                "{} are over. Forget all of them? Save the results first to keep them.",
                runs(counts.over() as u64)
            );
            let question = if counts.over() == 1 {
                question.replacen("are over. Forget all of them", "is over. Forget it", 1)
            } else {
                question
            };
            state.ask = Some(Ask { question, yes: "Clear".into(), action: SweepAction::Clear });
        }
    });
    progress(ui, queue, &counts, scene.sweeps[state.which].running);
    if written(state) != Some(&queue.sweep) {
        changed(ui, state, scene, queue, actions);
    }
}

/// How many runs the draft has, or what is wrong with it.
fn extent(ui: &mut Ui, state: &State) {
    let palette = Palette::of(ui);
    let (text, color) = match state.check.as_ref().map(|check| &check.sweep) {
        Some(Ok(sweep)) => (size::of(sweep), palette.mute),
        Some(Err(why)) if !why.is_empty() => (why.clone(), palette.error),
        _ => ("Mend what is marked below to start.".into(), palette.error),
    };
    ui.add(Label::new(RichText::new(text).color(color)).wrap());
}

/// k of N over; which are being trained.
fn progress(ui: &mut Ui, queue: &Queue, counts: &Counts, running: bool) {
    const NAMED: usize = 2;
    let palette = Palette::of(ui);
    let steps = |run: usize| match queue.state(run) {
        RunState::Training(step, _) => {
            step as f64 / f64::from(queue.runs()[run].recipe.steps.max(1))
        }
        _ => 0.0,
    };
    let done = counts.over() as f64 + counts.training.iter().map(|&run| steps(run)).sum::<f64>();
    let (word, color) = condition(counts, running, palette);
    let bar = ProgressBar::new((done / counts.all.max(1) as f64) as f32)
        .desired_height(5.0)
        .desired_width(ui.available_width())
        .fill(color);
    ui.add(bar);
    let over = format!(
        "{} of {} runs over",
        format::thousands(counts.over() as u64),
        format::thousands(counts.all as u64)
    );
    let text = if word == "paused" { format!("{over}, paused") } else { over };
    ui.add(Label::new(RichText::new(text).font(strong(12.5))).wrap());
    for &run in counts.training.iter().take(NAMED) {
        let Some((name, RunState::Training(step, _))) =
            queue.runs().get(run).map(|run| &run.name).zip(Some(queue.state(run)))
        else {
            continue;
        };
        let steps = u64::from(queue.runs()[run].recipe.steps);
        let text =
            format!("{name}: step {} of {}", format::thousands(step), format::thousands(steps));
        let row = ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 15.0;
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(
                    RichText::new(format!(
                        "{} of {}",
                        format::short(step as f64),
                        format::short(steps as f64)
                    ))
                    .size(11.0)
                    .color(palette.mute),
                );
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(
                        Label::new(RichText::new(name).size(11.0).color(palette.mute)).truncate(),
                    )
                });
            });
        });
        row.response.on_hover_text(text);
    }
    if counts.training.len() > NAMED {
        ui.label(
            RichText::new(format!("and {} more in training", counts.training.len() - NAMED))
                .size(11.0)
                .color(palette.mute),
        );
    }
}

/// The definition is another one than that of the runs.
fn changed(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    queue: &Queue,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let kept = kept(state, queue);
    let known = written(state).is_some_and(|sweep| sweep.count() <= draft::CHECKED);
    let fresh = known && kept == 0 && queue.over() > 0;
    if let Some(sweep) = written(state) {
        let text = match fresh {
            true => format!("{}: another sweep, with no run of this one.", size::of(sweep)),
            false if known => {
                format!("Now {}; {} of them over.", size::of(sweep), format::thousands(kept as u64))
            }
            false => format!("Now {}; those of them that are over are kept.", size::of(sweep)),
        };
        ui.add(Label::new(RichText::new(text).size(11.5).color(palette.warning)).wrap());
    } else {
        extent(ui, state);
    }
    ui.horizontal_wrapped(|ui| {
        let (name, help) = if fresh {
            ("Start", "Train it in place of the sweep on show")
        } else {
            ("Extend", "Go on with the definition as it is now; finished runs are kept")
        };
        let button = Button::new(RichText::new(name).font(strong(12.5)).color(palette.on_accent))
            .fill(palette.accent)
            .min_size(vec2(80.0, 28.0));
        if ui.add_enabled(written(state).is_some(), button).on_hover_text(help).clicked() {
            if fresh { start(state, scene, actions) } else { extend(state, actions) }
        }
        if ui
            .add(Button::new("Keep as it runs").min_size(vec2(0.0, 28.0)))
            .on_hover_text("Forget these changes")
            .clicked()
        {
            *scene.sweeps[state.which].draft = Draft::of(&queue.sweep);
        }
    });
}
