//! The page Race: models trained side by side. It is a sweep over layers, drawn by [`sweep`].

use crate::ui::SweepAction;
use crate::ui::Which;
use crate::ui::panel::sweep;
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::Ui;

/// Between frames.
pub struct State(sweep::State);

impl Default for State {
    fn default() -> Self {
        Self(sweep::State::of(Which::Compare))
    }
}

impl State {
    /// Asks before something is done to it.
    pub fn ask(&mut self, question: String, yes: &str, action: SweepAction) {
        self.0.ask(question, yes, action);
    }

    /// Whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.0.asks()
    }
}

pub fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    sweep::show(ui, &mut state.0, scene, narrow, actions);
}

/// Draws the status line.
pub fn status(ui: &mut Ui, state: &mut State, scene: &Scene<'_>) {
    sweep::status(ui, &mut state.0, scene);
}
