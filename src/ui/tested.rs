//! The user's test sequences, for Discover: what attention's outputs and contributions are elsewhere.

use super::theme::{Palette, plain};
use super::{card, format};
use crate::analysis::in_context::Finding;
use crate::experiment::live::Live;
use eframe::egui;
use egui::{Label, Rect, RichText, Ui, UiBuilder};

/// Draws the card.
pub fn show(ui: &mut Ui, rect: Rect, live: &Live) {
    let rect = card::show(ui, rect, "Test sequences", "never trained on", |_| ());
    let palette = Palette::of(ui);
    let text = match (&live.finding, live.recipe.test_sequences()) {
        (_, 0) => "No sequences were kept for a test: the test fraction says how many are.".into(),
        (Some((step, Finding::Test(tested))), _) => format!("{} Measured at step {}.", tested.sentence(), format::thousands(*step)),
        _ => "They are measured while training runs.".to_owned(),
    };
    let mut child = ui.new_child(UiBuilder::new().id_salt("tested").max_rect(rect));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    child.add(Label::new(RichText::new(text).font(plain(12.5)).color(palette.ink)).wrap());
}
