//! Name, views, sharing and files, theme, help.

use super::{Action, VIEWS, View};
use crate::ui::kit::icon;
use crate::ui::kit::icon::Icon;
use crate::ui::kit::theme::{Palette, plain, strong};
use eframe::egui;
use egui::{Align, Button, Layout, RichText, ThemePreference, Ui, vec2};

/// A name, what it does, and the wish.
type Entry = (&'static str, &'static str, Action);

const FILES: [Entry; 3] = [
    (
        "Share",
        "Copy a link that reproduces this run: the recipe is in the address.",
        Action::CopyLink,
    ),
    (
        "Save",
        "Save a checkpoint: weights, optimiser and recipe in one safetensors file.",
        Action::Save,
    ),
    (
        "Open",
        "Load weights or a checkpoint: a safetensors file. You can also drop one on the window.",
        Action::Open,
    ),
];

fn file(
    ui: &mut Ui,
    (text, help, action): &Entry,
    button: impl Fn(&'static str) -> Button<'static>,
    actions: &mut Vec<Action>,
) {
    if ui.add(button(text)).on_hover_text(*help).clicked() {
        actions.push(action.clone());
    }
}

pub fn show(
    ui: &mut Ui,
    help_open: &mut bool,
    shown: &View,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    ui.horizontal_centered(|ui| {
        // A phone has room for the views, not for the name as well.
        let phone = ui.available_width() < 480.0;
        if !phone {
            ui.label(RichText::new("gatelens").font(strong(16.0)));
            ui.add_space(if narrow { 2.0 } else { 12.0 });
        }
        views(ui, shown, narrow, phone, actions);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let quiet = |text: &'static str| {
                Button::new(RichText::new(text).color(palette.mute))
                    .frame_when_inactive(false)
                    .min_size(vec2(32.0, 32.0))
            };
            let help = |ui: &mut Ui, open: &mut bool| {
                if ui.add(quiet("?")).on_hover_text("Keys, and what this is (?)").clicked() {
                    *open = !*open;
                }
            };
            // Nor has it room for buttons beside them.
            if !phone {
                help(ui, help_open);
                theme_button(ui);
            }
            if narrow {
                egui::containers::menu::MenuButton::from_button(quiet("File")).ui(ui, |ui| {
                    FILES.iter().for_each(|entry| file(ui, entry, quiet, actions));
                    if phone {
                        ui.horizontal(|ui| {
                            theme_button(ui);
                            help(ui, help_open);
                        });
                    }
                });
            } else {
                FILES.iter().rev().for_each(|entry| file(ui, entry, quiet, actions));
            }
        });
    });
}

/// The views.
fn views(ui: &mut Ui, shown: &View, narrow: bool, phone: bool, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    if narrow {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().button_padding.x = if phone { 3.0 } else { 5.0 };
    }
    let size = if phone { 11.5 } else { 12.5 };
    for view in VIEWS {
        let chosen = view.tab == shown.tab;
        let (font, color) =
            if chosen { (strong(size), palette.accent) } else { (plain(size), palette.mute) };
        let button = Button::new(RichText::new(view.name).font(font).color(color))
            .selected(chosen)
            .frame_when_inactive(chosen);
        if ui
            .add(button.min_size(vec2(0.0, 28.0)).stroke(egui::Stroke::NONE))
            .on_hover_text(view.sentence)
            .clicked()
        {
            actions.push(Action::Tab(view.tab));
        }
    }
}

/// Light → dark → as the system.
fn theme_button(ui: &mut Ui) {
    let now = ui.ctx().options(|options| options.theme_preference);
    let (icon, name, next) = match now {
        ThemePreference::Light => (Icon::Light, "Theme: light", ThemePreference::Dark),
        ThemePreference::Dark => (Icon::Dark, "Theme: dark", ThemePreference::System),
        ThemePreference::System => (Icon::System, "Theme: as the system", ThemePreference::Light),
    };
    if icon::quiet_button(ui, icon, name, vec2(32.0, 32.0)).on_hover_text(name).clicked() {
        ui.ctx().set_theme(next);
    }
}
