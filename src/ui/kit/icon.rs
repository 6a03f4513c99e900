//! Buttons with drawn icons, named for screen readers and explained on hover.

use super::theme::{Palette, plain, strong};
use eframe::egui;
use egui::epaint::PathShape;
use egui::{
    Align2, Color32, CornerRadius, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui,
    Vec2, WidgetInfo, pos2, vec2,
};
use std::f32::consts::TAU;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    /// ▶
    Play,
    /// Two bars.
    Pause,
    /// A bar and a triangle.
    Step,
    /// Two triangles and a bar.
    Steps,
    /// An arrow in a circle.
    Reset,
    /// A die.
    Reseed,
    /// A sun.
    Light,
    /// A moon.
    Dark,
    /// Half a disc.
    System,
}

/// A button that shows `icon`; `text` beside it if there is any. Its name is `name`.
pub fn button(
    ui: &mut Ui,
    icon: Icon,
    name: &str,
    text: Option<&str>,
    size: Vec2,
    primary: bool,
) -> Response {
    let palette = Palette::of(ui);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    if ui.is_rect_visible(rect) {
        let visuals = ui.style().interact(&response);
        let (fill, stroke, ink) = if primary {
            let lift = if response.hovered() { 0.12 } else { 0.0 };
            (palette.accent.lerp_to_gamma(palette.ink, lift), Stroke::NONE, palette.on_accent)
        } else {
            (visuals.weak_bg_fill, visuals.bg_stroke, visuals.fg_stroke.color)
        };
        ui.painter().rect(rect, CornerRadius::same(6), fill, stroke, egui::StrokeKind::Inside);
        if response.has_focus() {
            ui.painter().rect_stroke(
                rect.expand(2.0),
                CornerRadius::same(8),
                Stroke::new(1.5, palette.accent),
                egui::StrokeKind::Inside,
            );
        }
        match text {
            None => draw(ui.painter(), icon, rect.center(), 5.5, ink),
            Some(text) => {
                let font = if primary { strong(12.5) } else { plain(12.5) };
                let width = ui.painter().layout_no_wrap(text.into(), font.clone(), ink).size().x;
                let left = rect.center().x - (width + 18.0) / 2.0;
                draw(ui.painter(), icon, pos2(left + 5.5, rect.center().y), 5.5, ink);
                ui.painter().text(
                    pos2(left + 18.0, rect.center().y),
                    Align2::LEFT_CENTER,
                    text,
                    font,
                    ink,
                );
            }
        }
    }
    response
}

/// A button that shows only `icon`, without a frame until it is hovered.
pub fn quiet_button(ui: &mut Ui, icon: Icon, name: &str, size: Vec2) -> Response {
    let palette = Palette::of(ui);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    if response.hovered() || response.has_focus() {
        let visuals = ui.style().interact(&response);
        ui.painter().rect(
            rect,
            CornerRadius::same(6),
            visuals.weak_bg_fill,
            visuals.bg_stroke,
            egui::StrokeKind::Inside,
        );
    }
    draw(ui.painter(), icon, rect.center(), 5.5, palette.mute);
    response
}

/// Draws `icon` in a square of half-width `r`.
fn draw(painter: &Painter, icon: Icon, center: Pos2, r: f32, color: Color32) {
    let stroke = Stroke::new(1.5, color);
    let at = |x: f32, y: f32| center + vec2(x, y) * r;
    let triangle = |left: f32, right: f32| {
        painter.add(Shape::convex_polygon(
            vec![at(left, -0.9), at(right, 0.0), at(left, 0.9)],
            color,
            Stroke::NONE,
        ));
    };
    let bar = |x: f32, width: f32| {
        painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(width, 1.8) * r), 1.0, color);
    };
    match icon {
        Icon::Play => triangle(-0.7, 0.9),
        Icon::Pause => [-0.5, 0.5].into_iter().for_each(|x| bar(x, 0.55)),
        Icon::Step => {
            triangle(-0.8, 0.5);
            bar(0.75, 0.35);
        }
        Icon::Steps => {
            triangle(-1.1, -0.1);
            triangle(-0.1, 0.9);
            bar(1.1, 0.35);
        }
        Icon::Reset => {
            painter.add(Shape::Path(PathShape::line(arc(center, r * 0.85, 0.12, 0.95), stroke)));
            let tip = center + Vec2::angled(0.95 * TAU) * r * 0.85;
            painter.add(Shape::convex_polygon(
                vec![tip + vec2(-3.6, -0.4), tip + vec2(2.4, -0.6), tip + vec2(0.2, 3.4)],
                color,
                Stroke::NONE,
            ));
        }
        Icon::Reseed => {
            let square = Rect::from_center_size(center, Vec2::splat(1.9 * r));
            painter.rect_stroke(square, CornerRadius::same(2), stroke, egui::StrokeKind::Inside);
            [(-0.4, -0.4), (0.0, 0.0), (0.4, 0.4)].into_iter().for_each(|(x, y)| {
                painter.circle_filled(at(x, y), 1.3, color);
            });
        }
        Icon::Light => {
            painter.circle_filled(center, r * 0.45, color);
            for i in 0..8u8 {
                let way = Vec2::angled(f32::from(i) / 8.0 * TAU);
                painter.line_segment([center + way * r * 0.75, center + way * r * 1.1], stroke);
            }
        }
        Icon::Dark => {
            let mut outline = arc(center, r, 0.2, 0.8);
            outline.extend(arc(center + vec2(r * 0.45, 0.0), r * 0.95, 0.8, 0.2));
            painter.add(Shape::Path(PathShape::line(outline, stroke)));
        }
        Icon::System => {
            painter.circle_stroke(center, r, stroke);
            painter.add(Shape::convex_polygon(arc(center, r, 0.25, 0.75), color, Stroke::NONE));
        }
    }
}

/// Points on a circle, from and to in turns.
fn arc(center: Pos2, r: f32, from: f32, to: f32) -> Vec<Pos2> {
    (0..=20u8)
        .map(|i| center + Vec2::angled((from + (to - from) * f32::from(i) / 20.0) * TAU) * r)
        .collect()
}
