//! The layers to compare: a name, a layer, its sizes.

use super::line::{REMOVE, line, named, note, remove};
use super::state::State;
use crate::model::{LAYERS, Layer};
use crate::recipe::settings::{self, Group, Setting};
use crate::recipe::{Recipe, preset};
use crate::sweep::Variant;
use crate::ui::draft::{Draft, written};
use crate::ui::kit::format;
use crate::ui::kit::format::short_name;
use crate::ui::kit::theme::Palette;
use eframe::egui;
use egui::{ComboBox, RichText, Role, Ui};

pub fn show(ui: &mut Ui, state: &State, draft: &mut Draft) {
    let base = base(draft);
    let varied: Vec<String> = draft.axes.iter().flat_map(|axis| axis.keys.clone()).collect();
    let width = ui.available_width();
    let mut removed = None;
    let only = draft.variants.len() == 1;
    for (i, variant) in draft.variants.iter_mut().enumerate() {
        ui.push_id(("variant", i), |ui| {
            ui.horizontal(|ui| {
                let room = width - if only { 0.0 } else { REMOVE + ui.spacing().item_spacing.x };
                ui.scope(|ui| {
                    ui.set_width(room);
                    line(ui, &mut variant.name, &format!("Name of layer {}", i + 1), "a name");
                });
                if !only && remove(ui, &format!("Remove {}", variant.name)) {
                    removed = Some(i);
                }
            });
            ui.scope(|ui| {
                ui.set_max_width(width);
                layer(ui, i, variant, &base, &varied);
            });
        });
        ui.add_space(4.0);
    }
    if let Some(i) = removed {
        draft.variants.remove(i);
    }
    if ui
        .button("Add a layer")
        .on_hover_text("Another one to compare, or the same with other sizes")
        .clicked()
    {
        let used = |model: &Layer| {
            draft.variants.iter().any(|variant| {
                variant.settings.iter().any(|(key, word)| key == "model" && word == model.word)
            })
        };
        let model = LAYERS.iter().copied().find(|model| !used(model)).unwrap_or(LAYERS[0]);
        let name = free_name(draft, model.title);
        let recipe = Recipe { model, ..base };
        draft.variants.push(Variant {
            name,
            settings: written(&recipe, |setting| !varied.iter().any(|key| key == setting.key)),
        });
    }
    if let Some(Err(why)) = state.check.as_ref().map(|check| &check.variants) {
        note(ui, why, true);
    }
}

/// What all variants change.
fn base(draft: &Draft) -> Recipe {
    let mut recipe =
        preset::find(&draft.preset).map_or_else(Recipe::default, |preset| preset.recipe);
    for (key, value) in &draft.settings {
        let _ = settings::set(&mut recipe, key, value); // what is wrong is said beside it
    }
    recipe
}

/// `LSTM`, or `LSTM 2` where there is one.
fn free_name(draft: &Draft, title: &str) -> String {
    let taken = |name: &str| draft.variants.iter().any(|variant| variant.name == name);
    (1..)
        .map(|i| if i == 1 { title.to_owned() } else { format!("{title} {i}") })
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// Which layer, and its sizes.
fn layer(ui: &mut Ui, i: usize, variant: &mut Variant, base: &Recipe, varied: &[String]) {
    let palette = Palette::of(ui);
    let mut recipe = base.clone();
    let problems: Vec<String> = variant
        .settings
        .iter()
        .filter_map(|(key, value)| settings::set(&mut recipe, key, value).err())
        .map(|error| error.to_string())
        .collect();
    ui.horizontal_wrapped(|ui| {
        let mut chosen = recipe.model;
        let width = 108.0;
        let combo = ui.allocate_ui(egui::vec2(width, ui.spacing().interact_size.y), |ui| {
            ComboBox::from_id_salt("layer")
                .width(width)
                .selected_text(recipe.model.title)
                .truncate()
                .show_ui(ui, |ui| {
                    for &model in LAYERS {
                        ui.selectable_value(&mut chosen, model, model.title);
                    }
                })
        });
        let combo = combo.inner;
        named(combo.response, Role::ComboBox, &format!("Layer {}", i + 1));
        if chosen != recipe.model {
            if variant.name.starts_with(recipe.model.title) {
                variant.name = variant.name.replacen(recipe.model.title, chosen.title, 1);
            }
            recipe.model = chosen;
            variant.settings =
                written(&recipe, |setting| !varied.iter().any(|key| key == setting.key));
        }
        for (key, value) in
            variant.settings.iter_mut().filter(|(key, _)| key != "model" && !varied.contains(key))
        {
            let Some(setting) = Setting::find(key) else { continue };
            ui.spacing_mut().item_spacing.x = 3.0;
            ui.label(RichText::new(short_name(setting)).size(11.5).color(palette.mute))
                .on_hover_text(format!("{}. {}", setting.label, setting.help));
            ui.scope(|ui| {
                ui.set_width(32.0);
                line(ui, value, &format!("{} of {}", setting.label, variant.name), "");
            });
        }
    });
    match problems.first() {
        Some(problem) => note(ui, problem, true),
        None if varied.iter().any(|key| {
            Setting::find(key).is_some_and(|setting| {
                setting.group == Group::Network && setting.counts_for(&recipe)
            })
        }) =>
        {
            note(ui, "its size is varied", false)
        }
        None => note(
            ui,
            &format!("{} parameters", format::thousands(recipe.parameters() as u64)),
            false,
        ),
    }
}
