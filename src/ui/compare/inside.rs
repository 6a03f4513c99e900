//! The page Inside: what one model's state holds.

use crate::ui::theme::Palette;
use crate::ui::{Action, View, banner, card};
use eframe::egui;
use egui::{CentralPanel, Frame, RichText, Ui};

/// Between frames.
#[derive(Default)]
pub struct State;

/// Draws the page.
pub fn show(ui: &mut Ui, _state: &mut State, view: &mut View<'_>, _narrow: bool, _actions: &mut Vec<Action>) {
    CentralPanel::default().frame(Frame::new().fill(Palette::of(ui).background)).show(ui, |ui| {
        banner::messages(ui, view);
        card::empty(ui, ui.max_rect(), "A trained model's state and gates, token by token.");
    });
}

/// Draws the status line.
pub fn status(ui: &mut Ui, _state: &State, _view: &View<'_>) {
    let palette = Palette::of(ui);
    ui.horizontal_centered(|ui| ui.label(RichText::new("no model chosen").size(12.0).color(palette.mute)));
}
