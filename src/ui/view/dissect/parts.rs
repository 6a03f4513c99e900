//! What the status lines are made of.

use crate::ui::kit::theme::{Palette, strong};
use eframe::egui;
use egui::{RichText, Ui, vec2};

/// A number of the status line, with its name.
pub(super) fn part(ui: &mut Ui, label: &str, value: &str, help: &str) {
    let drawn = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.label(RichText::new(label).size(12.0).color(Palette::of(ui).mute));
        ui.label(RichText::new(value).font(strong(12.0)));
    });
    drawn.response.on_hover_text(help);
}

/// Two parts of the status line beside each other, or one below the other where it is narrow.
pub(super) fn in_rows(ui: &mut Ui, first: impl FnOnce(&mut Ui), second: impl FnOnce(&mut Ui)) {
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
