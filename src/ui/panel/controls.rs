//! The left column: preset, playing, speed, every setting, restart.

use crate::recipe::preset;
use crate::recipe::settings::{Group, SETTINGS, Setting};
use crate::recipe::{Recipe, TaskName};
use crate::run::live::Live;
use crate::train::pacer::Speed;
use crate::ui::kit::format::short_name;
use crate::ui::kit::icon;
use crate::ui::kit::icon::Icon;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::kit::{format, setting};
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{
    Align, Button, ComboBox, DragValue, Frame, Layout, Margin, Panel, RichText, ScrollArea, Slider,
    Ui, vec2,
};
use std::collections::HashMap;

/// Between frames.
pub struct State {
    /// N of "step ×N".
    stride: u64,
    /// Text of schedules that are being edited.
    pub edits: HashMap<&'static str, String>,
}

impl Default for State {
    fn default() -> Self {
        Self { stride: 100, edits: HashMap::new() }
    }
}

/// Draws the column.
pub fn show(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let margin = |top: i8, bottom: i8| {
        Frame::new().inner_margin(Margin { left: 14, right: 14, top, bottom })
    };
    Panel::top("run").frame(margin(10, 8)).show(ui, |ui| run(ui, state, scene, actions));
    Panel::bottom("restart")
        .exact_size(62.0)
        .frame(margin(5, 5))
        .show(ui, |ui| restart(ui, scene, actions));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        margin(4, 8).show(ui, |ui| groups(ui, state, scene, actions));
    });
}

/// Preset, play, steps, speed.
pub fn run(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    presets(ui, scene.preset, actions);
    ui.add_space(4.0);
    let (height, width) = (32.0, ui.available_width());
    let (small, gap) = (34.0, 6.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        let (icon, text, action) = main_action(scene.live);
        let play = icon::button(
            ui,
            icon,
            text,
            Some(text),
            vec2((width - 3.0 * (small + gap)).max(60.0), height),
            true,
        );
        if play.on_hover_text(format!("{text} (space)")).clicked() {
            actions.push(action);
        }
        for (icon, name, key, action) in [
            (Icon::Step, "Single step", "→", Action::Steps(1)),
            (Icon::Reset, "Reset to the same initial weights", "R", Action::Restart),
            (Icon::Reseed, "Reseed: new teacher, weights and data", "Shift+R", Action::Reseed),
        ] {
            if icon::button(ui, icon, name, None, vec2(small, height), false)
                .on_hover_text(format!("{name} ({key})"))
                .clicked()
            {
                actions.push(action);
            }
        }
    });
    ui.add_space(2.0);
    speed(ui, state, scene.speed, actions);
}

/// What the large button and the space bar do now.
pub fn main_action(live: &Live) -> (Icon, &'static str, Action) {
    if live.failure.is_some() {
        return (Icon::Reset, "Try again", Action::Retry);
    }
    match (&live.end, live.running) {
        (Some(_), _) => (Icon::Reset, "Start again", Action::Restart),
        (None, true) => (Icon::Pause, "Pause", Action::Run(false)),
        (None, false) => (Icon::Play, "Play", Action::Run(true)),
    }
}

fn presets(ui: &mut Ui, current: &str, actions: &mut Vec<Action>) {
    let known = preset::find(current);
    let title = known.as_ref().map_or(current, |preset| preset.title.as_str());
    let response = ComboBox::from_id_salt("preset")
        .width(ui.available_width())
        .selected_text(RichText::new(title))
        .truncate()
        .show_ui(ui, |ui| {
            for preset in preset::all() {
                if ui
                    .selectable_label(preset.name == current, preset.title)
                    .on_hover_text(preset.about)
                    .clicked()
                {
                    actions.push(Action::Preset(preset.name));
                }
            }
        });
    let response = response.response;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Experiment"));
    if let Some(preset) = known {
        response.on_hover_text(preset.about);
    }
}

/// The slider's last stretch is "as fast as possible".
const TOP: f64 = 0.96;
/// Steps per second just below it, as a power of ten.
const DECADES: f64 = 4.0;

fn speed_from_slider(place: f64) -> Speed {
    if place >= TOP {
        return Speed::Full;
    }
    let rate = 10f64.powf(place.max(0.0) / TOP * DECADES);
    Speed::Steps(if rate < 20.0 { rate.round() } else { (rate / 10.0).round() * 10.0 } as f32)
}

fn slider_from_speed(speed: Speed) -> f64 {
    match speed {
        Speed::Full => 1.0,
        Speed::Steps(rate) => (f64::from(rate).max(1.0).log10() / DECADES * TOP).min(TOP - 0.01),
    }
}

fn speed(ui: &mut Ui, state: &mut State, speed: Speed, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let said = match speed {
        Speed::Full => "as fast as possible".into(),
        Speed::Steps(rate) if rate <= 1.0 => "1 step a second".into(),
        Speed::Steps(rate) => {
            format!("{} steps per second", format::thousands(rate.round() as u64))
        }
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new("Speed").color(palette.mute));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(said));
    });
    ui.horizontal(|ui| {
        let mut place = slider_from_speed(speed);
        ui.spacing_mut().slider_width = (ui.available_width() - 96.0).max(40.0);
        let slider = ui.add(Slider::new(&mut place, 0.0..=1.0).show_value(false));
        slider.widget_info(|| egui::WidgetInfo::slider(true, place, "Speed"));
        if slider.on_hover_text("From one step a second to as fast as this machine can.").changed()
        {
            actions.push(Action::Speed(speed_from_slider(place)));
        }
        let size = vec2(26.0, ui.spacing().interact_size.y);
        let name = format!("{} steps", state.stride);
        if icon::button(ui, Icon::Steps, &name, None, size, false)
            .on_hover_text(format!("Do {name}, then pause"))
            .clicked()
        {
            actions.push(Action::Steps(state.stride));
        }
        let count = DragValue::new(&mut state.stride).range(2..=100_000).prefix("×").speed(1.0);
        let response = ui.add_sized(vec2(ui.available_width(), size.y), count);
        response.on_hover_text("How many steps at once");
    });
}

/// All settings and the restart button, as a part of a page that scrolls.
pub fn settings(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    restart(ui, scene, actions);
    groups(ui, state, scene, actions);
}

fn groups(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let preset = preset::find(scene.preset).map_or_else(Recipe::default, |preset| preset.recipe);
    ui.spacing_mut().item_spacing.y = 1.0;
    for (group, title) in [
        (Group::Task, "TASK"),
        (Group::Network, "NETWORK"),
        (Group::Optimiser, "OPTIMISER"),
        (Group::Run, "RUN"),
    ] {
        heading(ui, title);
        for setting in SETTINGS.iter().filter(|setting| setting.group == group) {
            if !setting.counts_for(scene.draft) {
                continue;
            }
            // Of another task, the default is what that task's own preset has; the task itself goes
            // back to this preset's.
            let default = if setting.key == "task" || preset.task == scene.draft.task {
                &preset
            } else {
                &usual(scene.draft.task)
            };
            let changed = setting::row(ui, setting, scene.draft, default, &mut state.edits);
            if changed && setting.key == "task" {
                *scene.draft = of_task(scene.draft, &scene.live.recipe);
                state.edits.clear();
            }
            if changed && setting.live {
                actions.push(Action::Rates);
            }
        }
        ui.add_space(3.0);
    }
}

/// What a training on that task usually has.
fn usual(task: TaskName) -> Recipe {
    let name = match task {
        TaskName::Attention | TaskName::File => preset::DEFAULT,
        TaskName::Regression => "regression",
        TaskName::Recall => "recall",
    };
    preset::find(name).map_or_else(Recipe::default, |preset| preset.recipe)
}

/// `draft`, whose task was just changed, with values that suit it: those that run, if they are of
/// that task, else the usual ones.
fn of_task(draft: &Recipe, running: &Recipe) -> Recipe {
    if draft.task == running.task {
        return running.clone();
    }
    Recipe { gating: draft.gating, seed: draft.seed, backend: draft.backend, ..usual(draft.task) }
}

/// Structural settings that the task looks at and whose draft differs from what runs.
fn pending(live: &Live, draft: &Recipe) -> Vec<&'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| {
            !setting.live
                && setting.counts_for(draft)
                && (setting.get)(draft) != (setting.get)(&live.recipe)
        })
        .collect()
}

/// Its place is always there, so that nothing moves when a setting changes.
fn restart(ui: &mut Ui, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let pending = pending(scene.live, scene.draft);
    let note = |text: String, color| {
        egui::Label::new(RichText::new(text).size(11.0).color(color)).truncate()
    };
    if pending.is_empty() {
        let text =
            "Learning rate and weight decay take effect at once; other settings with a restart.";
        ui.add(egui::Label::new(RichText::new(text).size(11.0).color(palette.mute)).wrap());
        return;
    }
    let names: Vec<&str> = pending.iter().map(|setting| short_name(setting)).collect();
    let full: Vec<&str> = pending.iter().map(|setting| setting.label).collect();
    let error = scene.draft.check().err();
    let (text, color) = match &error {
        Some(error) => (error.to_string(), palette.error),
        None => (format!("restart to apply: {}", names.join(", ")), palette.warning),
    };
    ui.add(note(text.clone(), color)).on_hover_text(if error.is_some() {
        text
    } else {
        format!("A restart applies: {}.", full.join(", "))
    });
    ui.horizontal(|ui| {
        let button =
            Button::new(RichText::new("Restart").font(strong(12.5)).color(palette.on_accent))
                .fill(palette.accent);
        if ui.add_enabled(error.is_none(), button.min_size(vec2(90.0, 28.0))).clicked() {
            actions.push(Action::Restart);
        }
        if ui
            .add(Button::new("Keep as it runs").min_size(vec2(0.0, 28.0)))
            .on_hover_text("Forget these changes.")
            .clicked()
        {
            scene.draft.clone_from(&scene.live.recipe);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slider_reaches_both_ends() {
        assert_eq!(
            (speed_from_slider(0.0), speed_from_slider(1.0)),
            (Speed::Steps(1.0), Speed::Full)
        );
        for rate in [1.0, 10.0, 100.0, 1000.0] {
            assert_eq!(
                speed_from_slider(slider_from_speed(Speed::Steps(rate))),
                Speed::Steps(rate)
            );
        }
    }
}
