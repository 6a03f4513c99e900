//! The name of a stage, and where its picture stands.

use crate::analysis::stage::StageKind;
use crate::ui::kit::card;
use eframe::egui;
use egui::{Rect, pos2, vec2};

/// The space of the picture in a tile: below the title, above the sentences.
pub(super) fn picture_rect(rect: Rect) -> Rect {
    let below = (rect.height() * 0.24).clamp(24.0, 54.0);
    Rect::from_min_max(
        rect.min + vec2(card::MARGIN, 40.0),
        pos2(rect.right() - card::MARGIN, rect.bottom() - below),
    )
}

/// A stage's name.
pub fn title(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Raw => "Raw",
        StageKind::Pruned => "Pruned",
        StageKind::Sorted => "Sorted",
        StageKind::Merged => "Merged",
        StageKind::Minimal => "Minimal",
    }
}
