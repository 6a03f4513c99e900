//! Whether a layer can do something, as a shape: told apart without colour.

use crate::theory::layers::primitives::Ability;
use crate::ui::kit::theme::Palette;
use eframe::egui;
use egui::epaint::PathShape;
use egui::{Color32, Painter, Pos2, Shape, Stroke, Vec2, vec2};
use std::f32::consts::{FRAC_PI_2, PI};

pub fn color(ability: Ability, palette: &Palette) -> Color32 {
    match ability {
        Ability::Exactly => palette.teacher,
        Ability::Nearly => palette.accent,
        Ability::Partly => palette.warning,
        Ability::Missing => palette.error,
    }
}

/// A full disc, a ring with a dot, half a disc, a cross.
pub fn draw(painter: &Painter, at: Pos2, ability: Ability, palette: &Palette) {
    const R: f32 = 5.0;
    let color = color(ability, palette);
    let stroke = Stroke::new(1.6, color);
    match ability {
        Ability::Exactly => {
            painter.circle_filled(at, R, color);
        }
        Ability::Nearly => {
            painter.circle_stroke(at, R - 0.6, stroke);
            painter.circle_filled(at, R * 0.44, color);
        }
        Ability::Partly => {
            painter.circle_stroke(at, R - 0.6, stroke);
            let half = (0..=12u8)
                .map(|i| at + Vec2::angled(FRAC_PI_2 + PI * f32::from(i) / 12.0) * R)
                .collect();
            painter.add(Shape::Path(PathShape::convex_polygon(half, color, Stroke::NONE)));
        }
        Ability::Missing => {
            for x in [-1.0, 1.0] {
                painter.line_segment(
                    [at + vec2(-x, -1.0) * R * 0.8, at + vec2(x, 1.0) * R * 0.8],
                    Stroke::new(2.0, color),
                );
            }
        }
    }
}
