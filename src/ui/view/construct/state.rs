//! What the view remembers between frames.

use super::built;
use super::built::{Built, Settings};
use crate::math::matrix::Matrix;
use crate::theory::Variant;
use crate::theory::ablation::Ablation;
use crate::ui::panel::network;
use eframe::egui::Ui;

/// A token, and its numbers as they are being typed; empty until they are shown.
pub type Edits = (usize, Vec<String>);

/// Between frames.
pub struct State {
    pub(super) settings: Settings,
    /// All tokens that there can be `[LONGEST, d]`; the first `time` are used.
    pub(super) x: Matrix,
    pub(super) time: usize,
    /// How often tokens were drawn anew.
    pub(super) draw: u32,
    /// The chosen token.
    pub(super) token: usize,
    /// The chosen neuron.
    pub(super) neuron: usize,
    /// What is being typed into a token's numbers.
    pub(super) edits: Edits,
    /// The weights in place of the steps.
    pub(super) whole: bool,
    /// Neurons in place of parameters in the cost chart.
    pub(super) count_neurons: bool,
    pub(super) built: Option<Built>,
    /// How often it was built: the weights' picture follows.
    pub(super) version: u32,
    /// The chosen neuron was changed by a key: scroll to it.
    pub(super) follow: bool,
    /// The token that was chosen when the cards were drawn last: another one is scrolled to.
    pub(super) shown_token: Option<usize>,
    pub(super) network: network::State,
}

/// Longest sequence.
pub(super) const LONGEST: usize = 32;

impl Default for State {
    fn default() -> Self {
        let settings = Settings::default();
        Self {
            x: built::tokens(settings.seed, 0, LONGEST, settings.dim),
            settings,
            time: 8,
            draw: 0,
            token: 4,
            neuron: 1,
            edits: Edits::default(),
            whole: false,
            count_neurons: false,
            built: None,
            version: 0,
            follow: false,
            shown_token: None,
            network: network::State::default(),
        }
    }
}

impl State {
    /// Shows another construction, whole.
    pub fn show_variant(&mut self, variant: Variant) {
        if self.settings.variant != variant {
            (self.settings.variant, self.settings.ablation) = (variant, Ablation::default());
        }
    }

    /// Brings everything up to date with the settings; what was already drawn in this frame (the
    /// status line) is drawn again.
    pub(super) fn prepare(&mut self, ui: &Ui) {
        self.time = self.time.clamp(1, LONGEST);
        if self.x.columns != self.settings.dim {
            self.redraw();
        }
        self.token = self.token.min(self.time - 1);
        let x = self.x.select_rows(&(0..self.time).collect::<Vec<_>>());
        if !self.built.as_ref().is_some_and(|built| built.is_of(&self.settings, &x)) {
            let built = Built::new(&self.settings, &x);
            let neurons =
                built.network.as_ref().map_or(0, |running| running.construction.neurons.len());
            self.neuron = self.neuron.min(neurons.saturating_sub(1));
            self.built = Some(built);
            self.version = self.version.wrapping_add(1);
            ui.ctx().request_repaint();
        }
    }

    /// Draws the tokens, all of them.
    pub(super) fn redraw(&mut self) {
        self.x = built::tokens(self.settings.seed, self.draw, LONGEST, self.settings.dim);
        self.edits = Edits::default();
    }

    /// Shows another token.
    pub(super) fn show_token(&mut self, token: usize) {
        self.token = token.min(self.time - 1);
        self.edits = Edits::default();
    }
}
