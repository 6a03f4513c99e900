//! The left column: which sweep, what its runs share, what is varied.

use super::line::{REMOVE, line, named, note, remove};
use super::state::State;
use super::{plot, run, variants};
use crate::recipe::preset;
use crate::recipe::settings::Setting;
use crate::ui::draft::{AxisText, Draft};
use crate::ui::kit::choice;
use crate::ui::kit::choice::Row;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::Palette;
use crate::ui::{Action, Scene, SweepAction, Which};
use eframe::egui;
use egui::{
    Align, Align2, Button, ComboBox, Frame, Label, Layout, Margin, Panel, PopupCloseBehavior,
    Response, RichText, Role, ScrollArea, TextEdit, Ui, vec2,
};

/// What the fourth choice does.
pub fn from_discover(which: Which) -> &'static str {
    if which == Which::Compare {
        "The task in Discover as it is now, for its layer and others, at two learning rates"
    } else {
        "The settings in Discover as they are now, with other numbers of neurons and three seeds"
    }
}

/// Draws it beside the pictures.
pub fn column(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let margin = |top: i8, bottom: i8| {
        Frame::new().inner_margin(Margin { left: 14, right: 14, top, bottom })
    };
    Panel::top("sweep run")
        .frame(margin(10, 8))
        .show(ui, |ui| run::show(ui, state, scene, actions));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        margin(4, 12).show(ui, |ui| show(ui, state, scene, actions));
    });
}

pub fn show(ui: &mut Ui, state: &State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    choices(ui, state, scene);
    ui.add_space(2.0);
    files(ui, state, actions);
    ui.add_space(6.0);
    heading(ui, "TITLE");
    let draft = &mut *scene.sweeps[state.which].draft;
    line(ui, &mut draft.title, "Title", "What the sweep shows");
    let about = TextEdit::multiline(&mut draft.about)
        .desired_rows(2)
        .desired_width(f32::INFINITY)
        .hint_text("What to look at");
    named(ui.add(about), Role::MultilineTextInput, "About");
    ui.add_space(6.0);
    if !draft.variants.is_empty() {
        heading(ui, "LAYERS");
        variants::show(ui, state, draft);
        ui.add_space(6.0);
    }
    heading(ui, "VARIED");
    axes(ui, state, draft);
    ui.add_space(6.0);
    heading(ui, "THE SAME IN ALL RUNS");
    base(ui, state, draft);
}

/// The sweeps to start from.
fn choices(ui: &mut Ui, state: &State, scene: &mut Scene<'_>) {
    heading(ui, if state.which == Which::Compare { "COMPARISON" } else { "SWEEP" });
    let input = &mut scene.sweeps[state.which];
    for preset in input.presets {
        let chosen = input.draft.title == preset.title && input.draft.preset == preset.preset;
        if offer(ui, chosen, &preset.title)
            .on_hover_text(format!("{}\n{}", preset.title, preset.about))
            .clicked()
        {
            *input.draft = Draft::of(preset);
        }
    }
    let of_recipe = Draft::from_discover(state.which, scene.draft, scene.preset);
    if offer(ui, input.draft.title == of_recipe.title, &of_recipe.title)
        .on_hover_text(from_discover(state.which))
        .clicked()
    {
        *input.draft = of_recipe;
    }
}

fn offer(ui: &mut Ui, chosen: bool, title: &str) -> Response {
    let Row { rect, response, font, color } = choice::row(ui, chosen, title);
    let mut job = egui::text::LayoutJob::simple_singleline(title.into(), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width() - 16.0);
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(
        Align2::LEFT_CENTER.align_size_within_rect(galley.size(), rect.shrink2(vec2(8.0, 0.0))).min,
        galley,
        color,
    );
    response
}

fn files(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if ui.button("Open…").on_hover_text("Choose a file with a sweep's definition").clicked() {
            actions.push(Action::Sweep(state.which, SweepAction::Load));
        }
        let sweep = state.check.as_ref().and_then(|check| check.sweep.as_ref().ok());
        if ui
            .add_enabled(sweep.is_some(), Button::new("Save definition"))
            .on_hover_text("To a JSON file, which the terminal's sweep command takes as well")
            .clicked()
        {
            actions.extend(
                sweep.map(|sweep| Action::Sweep(state.which, SweepAction::Save(sweep.clone()))),
            );
        }
    });
}

fn axes(ui: &mut Ui, state: &State, draft: &mut Draft) {
    let known: Vec<&Setting> =
        draft.settings_known().filter(|setting| setting.key != "backend").collect();
    let mut removed = None;
    let only = draft.axes.len() == 1 && draft.variants.is_empty();
    for (i, axis) in draft.axes.iter_mut().enumerate() {
        ui.push_id(("axis", i), |ui| {
            ui.horizontal(|ui| {
                let width = ui.available_width()
                    - if only { 0.0 } else { REMOVE + ui.spacing().item_spacing.x };
                keys(ui, axis, i, &known, width);
                if !only && remove(ui, &format!("Remove axis {}", i + 1)) {
                    removed = Some(i);
                }
            });
            line(
                ui,
                &mut axis.values,
                &format!("Values of {}", axis.keys.join(", ")),
                "8, 12, 14..40/2",
            );
            match state.check.as_ref().and_then(|check| check.axes.get(i)) {
                Some(Ok(1)) => note(ui, "1 value", false),
                Some(Ok(count)) => note(ui, &format!("{count} values"), false),
                Some(Err(why)) => note(ui, why, true),
                None => {}
            }
        });
        ui.add_space(2.0);
    }
    if let Some(i) = removed {
        draft.axes.remove(i);
    }
    if ui
        .button("Add an axis")
        .on_hover_text("Vary another setting; all combinations are trained")
        .clicked()
    {
        let free = ["seed", "hidden", "learning_rate", "weight_decay", "dim"]
            .into_iter()
            .find(|key| !draft.axes.iter().any(|axis| axis.keys.iter().any(|other| other == key)));
        let keys: Vec<String> = free.into_iter().map(Into::into).collect();
        draft.axes.push(AxisText {
            keys,
            values: if free == Some("seed") { "1, 2, 3".into() } else { String::new() },
        });
    }
}

/// Which settings get each value.
fn keys(ui: &mut Ui, axis: &mut AxisText, i: usize, known: &[&Setting], width: f32) {
    let said = if axis.keys.is_empty() { "choose a setting".into() } else { axis.keys.join(", ") };
    let combo = ComboBox::from_id_salt("keys")
        .width(width)
        .height(360.0)
        .selected_text(&said)
        .truncate()
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let inner = combo.show_ui(ui, |ui| {
        note(ui, "Several get the same value in each run.", false);
        for setting in known {
            let place = axis.keys.iter().position(|key| key == setting.key);
            let response = ui
                .selectable_label(place.is_some(), format!("{} ({})", setting.label, setting.key))
                .on_hover_text(setting.help);
            if response.clicked() {
                match place {
                    Some(place) => drop(axis.keys.remove(place)),
                    None => axis.keys.push(setting.key.into()),
                }
            }
        }
    });
    let name = format!("Settings of axis {}", i + 1);
    let help = axis
        .keys
        .iter()
        .filter_map(|key| Setting::find(key))
        .map(|setting| setting.label)
        .collect::<Vec<_>>()
        .join(" and ");
    named(inner.response, Role::ComboBox, &name).on_hover_text(if help.is_empty() {
        name
    } else {
        help
    });
}

/// The preset, and what is changed of it.
fn base(ui: &mut Ui, state: &State, draft: &mut Draft) {
    let palette = Palette::of(ui);
    let title =
        preset::find(&draft.preset).map_or_else(|| draft.preset.clone(), |preset| preset.title);
    let combo = ComboBox::from_id_salt("sweep preset")
        .width(ui.available_width())
        .selected_text(&title)
        .truncate()
        .show_ui(ui, |ui| {
            for preset in preset::all() {
                if ui
                    .selectable_label(preset.name == draft.preset, preset.title)
                    .on_hover_text(preset.about)
                    .clicked()
                {
                    draft.preset = preset.name;
                }
            }
        });
    named(combo.response, Role::ComboBox, "Preset that it starts from");
    let mut removed = None;
    for (i, (key, value)) in draft.settings.iter_mut().enumerate() {
        ui.push_id(("setting", i), |ui| {
            ui.horizontal(|ui| {
                let setting = Setting::find(key);
                let label = setting.map_or(key.as_str(), |setting| setting.label);
                let text = RichText::new(plot::short(key)).color(palette.mute);
                let size =
                    vec2((ui.available_width() * 0.4).max(40.0), ui.spacing().interact_size.y);
                let shown =
                    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                        ui.set_min_width(size.x);
                        ui.add(Label::new(text).truncate())
                    });
                shown.inner.on_hover_text(setting.map_or_else(
                    || key.clone(),
                    |setting| format!("{}. {}", setting.label, setting.help),
                ));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if remove(ui, &format!("As in the preset: {label}")) {
                        removed = Some(i);
                    }
                    line(ui, value, label, "");
                });
            });
            if let Some(Some(why)) = state.check.as_ref().and_then(|check| check.settings.get(i)) {
                note(ui, why, true);
            }
        });
    }
    if let Some(i) = removed {
        draft.settings.remove(i);
    }
    let free: Vec<&Setting> = draft
        .settings_known()
        .filter(|setting| !draft.settings.iter().any(|(key, _)| key == setting.key))
        .collect();
    let recipe = preset::find(&draft.preset).map(|preset| preset.recipe);
    let combo = ComboBox::from_id_salt("change")
        .height(360.0)
        .width(ui.available_width())
        .selected_text(RichText::new("Change a setting").color(palette.mute))
        .show_ui(ui, |ui| {
            for setting in free {
                if ui
                    .selectable_label(false, format!("{} ({})", setting.label, setting.key))
                    .on_hover_text(setting.help)
                    .clicked()
                {
                    let value = recipe
                        .as_ref()
                        .map_or_else(String::new, |recipe| (setting.get)(recipe).to_string());
                    draft.settings.push((setting.key.into(), value));
                }
            }
        });
    named(combo.response, Role::ComboBox, "Change a setting");
}
