//! Pictures and numbers as files.

use super::svg;
use crate::ui::Action;
use eframe::egui;
use egui::{Button, Rect, RichText, Ui, Vec2, WidgetInfo};

/// The small button in a card's title row, none where the card is drawn for a file; returns whether
/// it was pressed.
pub fn button(ui: &mut Ui, card: &str) -> bool {
    if svg::is_for_file(ui) {
        return false;
    }
    let response = ui
        .add(Button::new(RichText::new("SVG").size(10.5)).frame_when_inactive(false))
        .on_hover_text("Save this picture as an SVG file");
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Button, true, format!("Save as SVG: {card}"))
    });
    response.clicked()
}

/// `draw` once more, into a file of that name.
pub fn svg(ui: &Ui, name: &str, size: Vec2, draw: &mut dyn FnMut(&mut Ui, Rect)) -> Action {
    Action::Export(name.into(), svg::picture(size, ui.visuals().dark_mode, draw))
}

/// Everything that was found.
pub fn json(found: &impl serde::Serialize) -> Option<Action> {
    let bytes = serde_json::to_vec_pretty(found).ok()?;
    Some(Action::Export("analysis.json".into(), bytes))
}
