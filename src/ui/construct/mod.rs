//! The Construct view: linear attention built out of a gated RNN, step by step.

use super::{Action, View};
use eframe::egui;
use egui::Ui;

/// Between frames.
#[derive(Default)]
pub struct State {}

/// Draws the view between the top bar and the status line.
pub fn show(ui: &mut Ui, _state: &mut State, _view: &mut View<'_>, _narrow: bool, _actions: &mut Vec<Action>) {
    ui.label("Construct");
}

/// Draws its status line.
pub fn status(_ui: &mut Ui, _state: &State) {}
