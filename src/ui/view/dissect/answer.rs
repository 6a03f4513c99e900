//! What the cards draw, and which output they show.

use crate::analysis::dissection::{Dissection, Settings};
use eframe::egui;
use egui::{DragValue, Ui, vec2};

/// Which answer, in which theme: what is worked out from it is kept as long as this stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stamp {
    pub(super) run: u32,
    pub(super) id: u32,
    pub(super) step: Option<u64>,
    pub(super) took: u64,
    pub(super) dark: bool,
}

/// What the cards draw.
pub(super) struct Answer<'a> {
    pub(super) dissection: &'a Dissection,
    pub(super) stamp: Stamp,
    /// What is asked now; the answer may be to an earlier question.
    pub(super) settings: &'a Settings,
    pub(super) current: bool,
    /// Whether a teacher is known.
    pub(super) teacher: bool,
}

/// Which output; for a card's title row. `card` tells two of them apart.
pub(super) fn output_chooser(ui: &mut Ui, card: &str, output: &mut usize, outputs: usize) {
    if outputs < 2 {
        return;
    }
    ui.push_id((card, "output"), |ui| {
        let mut shown = *output + 1;
        ui.spacing_mut().interact_size = vec2(24.0, 18.0);
        let drag = DragValue::new(&mut shown).range(1..=outputs).speed(0.05).prefix("output ");
        if ui.add(drag).on_hover_text("Drag, or type a number").changed() {
            *output = shown.clamp(1, outputs) - 1;
        }
    });
}
