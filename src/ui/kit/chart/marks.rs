//! The marks of runs: each series has a shape beside its colour.

use eframe::egui;
use egui::epaint::PathShape;
use egui::{Color32, Pos2, Rect, Shape, Stroke, Vec2, vec2};

/// Corners of series `i`'s shape around a middle; none for a circle.
fn corners(i: usize, at: Pos2, size: f32) -> Vec<Pos2> {
    let of = |corners: &[[f32; 2]]| corners.iter().map(|[x, y]| at + vec2(*x, *y) * size).collect();
    match i % 5 {
        1 => of(&[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
        2 => of(&[[0.0, -1.35], [1.35, 0.0], [0.0, 1.35], [-1.35, 0.0]]),
        3 => of(&[[0.0, -1.3], [1.2, 0.9], [-1.2, 0.9]]),
        4 => of(&[[-1.2, -0.9], [1.2, -0.9], [0.0, 1.3]]),
        _ => vec![],
    }
}

/// A run that is over.
pub fn filled(i: usize, at: Pos2, size: f32, color: Color32) -> Shape {
    match i % 5 {
        0 => Shape::circle_filled(at, size, color),
        1 => Shape::rect_filled(Rect::from_center_size(at, Vec2::splat(1.8 * size)), 0.0, color),
        _ => Shape::Path(PathShape::convex_polygon(corners(i, at, size), color, Stroke::NONE)),
    }
}

/// A run in training.
pub fn hollow(i: usize, at: Pos2, size: f32, background: Color32, stroke: Stroke) -> Shape {
    match i % 5 {
        0 => Shape::Vec(vec![
            Shape::circle_filled(at, size, background),
            Shape::circle_stroke(at, size, stroke),
        ]),
        _ => Shape::Path(PathShape::convex_polygon(corners(i, at, size), background, stroke)),
    }
}

/// A run without a loss.
pub fn cross(at: Pos2, size: f32, stroke: Stroke) -> Shape {
    let line = |x: f32| Shape::line_segment([at + vec2(-size, -x), at + vec2(size, x)], stroke);
    Shape::Vec(vec![line(size), line(-size)])
}
