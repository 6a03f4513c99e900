//! The page Layers: which layer can hold attention.

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
        card::empty(ui, ui.max_rect(), "Which layers can hold linear attention, and with which error.");
    });
}

/// Draws the status line.
pub fn status(ui: &mut Ui, _state: &State) {
    let palette = Palette::of(ui);
    ui.horizontal_centered(|ui| ui.label(RichText::new("eight layers").size(12.0).color(palette.mute)));
}
