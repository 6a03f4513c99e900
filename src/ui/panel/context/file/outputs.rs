//! The error of each output on the test sequences: a bar and numbers per row.

use super::tested::{tested, waiting};
use crate::analysis::test_set::Size;
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use crate::ui::panel::context::cells::{largest, narrow};
use eframe::egui;
use egui::{Align2, Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

/// Height of a row.
const ROW: f32 = 19.0;
/// Room for a row's name.
const NAMES: f32 = 26.0;
/// Room for each number.
const NUMBER: f32 = 62.0;

pub fn show(ui: &mut Ui, rect: Rect, live: &Live, actions: &mut Vec<Action>) {
    let mut saved = false;
    let inner =
        card::show(ui, rect, "Error of each output", "1 is no better than answering 0", |ui| {
            saved = export::button(ui, "Error of each output")
        });
    if saved {
        actions.push(export::svg(ui, "file-outputs.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, live, &mut vec![])
        }));
    }
    let Some(tested) = tested(live) else { return waiting(ui, inner, live) };
    if inner.width() < 170.0 || inner.height() < 50.0 {
        return;
    }
    let palette = Palette::of(ui);
    let parts: Vec<f64> = tested.outputs.iter().filter_map(Size::nmse).collect();
    let full = largest(&parts).max(f64::MIN_POSITIVE);
    let ui = &mut card::inside(ui, "outputs", inner);
    let head = |right: f32, text: &str| {
        ui.painter().text(
            pos2(right, inner.top() + 13.0),
            Align2::RIGHT_BOTTOM,
            text,
            plain(10.5),
            palette.mute,
        )
    };
    head(inner.right() - NUMBER - 14.0, "nMSE");
    head(inner.right() - 14.0, "MSE");
    let list = Rect::from_min_max(inner.min + vec2(0.0, 16.0), inner.max);
    let mut child = card::inside(ui, "list", list);
    ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (k, size) in tested.outputs.iter().enumerate() {
            row(ui, k, *size, full);
        }
    });
}

fn row(ui: &mut Ui, k: usize, size: Size, full: f64) {
    let palette = Palette::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let rect = Rect::from_min_max(rect.min, pos2(rect.right() - 14.0, rect.bottom()));
    let y = rect.center().y;
    let text = |at: f32, align: Align2, text: String, color| {
        ui.painter().text(pos2(at, y), align, text, plain(11.5), color)
    };
    text(rect.left(), Align2::LEFT_CENTER, format!("y{}", format::subscript(k + 1)), palette.mute);
    let nmse = size.nmse();
    let said = nmse.map_or_else(|| "–".into(), format::scientific);
    text(rect.right() - NUMBER, Align2::RIGHT_CENTER, said.clone(), palette.ink);
    text(rect.right(), Align2::RIGHT_CENTER, format::scientific(size.loss), palette.mute);
    let bars = Rect::from_x_y_ranges(
        (rect.left() + NAMES)..=(rect.right() - 2.0 * NUMBER),
        (y - 4.5)..=(y + 4.5),
    );
    ui.painter().hline(bars.x_range(), bars.bottom(), Stroke::new(1.0, palette.line));
    if let Some(part) = nmse.filter(|part| part.is_finite()) {
        let length = (narrow((part / full).clamp(0.0, 1.0)) * bars.width()).max(1.0);
        ui.painter().rect_filled(
            Rect::from_min_size(bars.min, vec2(length, bars.height())),
            2.0,
            palette.accent,
        );
    }
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Label, true, format!("Output {}: nMSE {said}", k + 1))
    });
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(format!("output {}: nMSE = mean (ŷ − y)² / mean y² = {said}", k + 1));
        ui.label(format!(
            "mean (ŷ − y)² = {}, mean y² = {}",
            format::scientific(size.loss),
            format::scientific(size.power)
        ));
    });
}
