//! The Dissect view: what a trained network turned out to be.

use super::{Action, View};
use eframe::egui;
use egui::Ui;

/// Between frames.
#[derive(Default)]
pub struct State {}

/// Draws the view between the top bar and the status line.
pub fn show(ui: &mut Ui, _state: &mut State, _view: &mut View<'_>, _narrow: bool, _actions: &mut Vec<Action>) {
    ui.label("Dissect");
}

/// Draws its status line.
pub fn status(_ui: &mut Ui, _view: &View<'_>) {}
