//! A row of a list of which one is chosen.

use super::theme::{Palette, plain, strong};
use eframe::egui;
use egui::{
    Color32, FontId, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};

/// Where a row stands, and how its words are written.
pub struct Row {
    /// The whole row.
    pub rect: Rect,
    /// Clicks, hovering, focus.
    pub response: Response,
    /// The title's font.
    pub font: FontId,
    /// The title's colour.
    pub color: Color32,
}

/// Takes the room of a row and paints its background.
pub fn row(ui: &mut Ui, chosen: bool, title: &str) -> Row {
    let palette = Palette::of(ui);
    let size = vec2(ui.available_width(), ui.spacing().interact_size.y.max(25.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, title));
    if response.hovered() || response.has_focus() || chosen {
        ui.painter().rect_filled(
            rect,
            5.0,
            palette.accent.gamma_multiply(if chosen { 0.14 } else { 0.07 }),
        );
    }
    if response.has_focus() {
        ui.painter().rect_stroke(rect, 5.0, Stroke::new(1.0, palette.accent), StrokeKind::Inside);
    }
    let (font, color) =
        if chosen { (strong(12.5), palette.accent) } else { (plain(12.5), palette.ink) };
    Row { rect, response, font, color }
}
