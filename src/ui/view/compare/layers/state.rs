//! What the page remembers between frames.

use super::settings::Settings;
use super::work::Work;
use super::{update, work};
use crate::theory::layers::Host;
use crate::theory::layers::primitives::{Primitives, Shown, TABLE};
use eframe::egui;
use egui::Ui;

/// Between frames.
pub struct State {
    /// The chosen row of the table.
    pub(super) row: usize,
    /// The row that should get the keyboard.
    pub(super) focus: Option<usize>,
    pub(super) settings: Settings,
    pub(super) work: Option<Work>,
    /// The construction should come in sight.
    pub(super) reveal: bool,
    pub(super) biases: update::Biases,
}

/// The LSTM's.
pub(super) const FIRST_ROW: usize = 6;

impl Default for State {
    fn default() -> Self {
        let mut state = Self {
            row: 0,
            focus: None,
            settings: Settings { layer: Host::Lstm, dim: 4, seed: 7, exponent: 0 },
            work: None,
            reveal: false,
            biases: update::Biases::default(),
        };
        state.choose_row(FIRST_ROW);
        state
    }
}

impl State {
    /// Chooses a row of the table, and what it builds.
    pub(super) fn choose_row(&mut self, row: usize) {
        let row = row.min(TABLE.len() - 1);
        if row == self.row && self.work.is_some() {
            return;
        }
        self.row = row;
        if let Shown::Built(layer) = self.entry().shown {
            self.choose_layer(layer);
        }
    }

    /// Builds another layer, with the ε that is about best in double precision.
    pub(super) fn choose_layer(&mut self, layer: Host) {
        self.settings.layer = layer;
        self.settings.exponent = work::exponent_of(layer.epsilon());
    }

    pub(super) fn entry(&self) -> &'static Primitives {
        &TABLE[self.row]
    }

    /// Whether the chosen row builds something here.
    pub(super) fn is_built(&self) -> bool {
        matches!(self.entry().shown, Shown::Built(_))
    }

    /// Brings what is measured up to date, a few milliseconds per frame.
    pub(super) fn refresh(&mut self, ui: &Ui) {
        if !self.is_built() {
            return;
        }
        let settings = self.settings;
        if !self.work.as_ref().is_some_and(|work| work.is_of(&settings)) {
            self.work = Some(Work::new(&settings));
        }
        if let Some(work) = &mut self.work
            && work.advance(settings.exponent)
        {
            ui.ctx().request_repaint();
        }
    }
}
