//! What was measured on the test sequences.

use crate::analysis::finding::Finding;
use crate::analysis::test_set::TestReport;
use crate::run::live::Live;
use crate::ui::kit::card;
use eframe::egui;
use egui::{Rect, Ui};

/// What was measured, if it was.
pub(super) fn tested(live: &Live) -> Option<&TestReport> {
    match live.found() {
        Some(Finding::Test(tested)) => Some(tested),
        _ => None,
    }
}

/// Says why there is nothing to draw.
pub(super) fn waiting(ui: &Ui, rect: Rect, live: &Live) {
    if live.recipe.test_sequences() == 0 {
        return card::empty(ui, rect, "no sequences were kept for a test");
    }
    card::waiting(ui, rect, live);
}
