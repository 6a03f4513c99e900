//! The frame of a plot, drawn by hand: grid, numbers, names of both axes.

use super::scale::Tick;
use crate::ui::kit::theme::{Palette, plain};
use eframe::egui;
use egui::{Align2, Painter, Pos2, Rect, Stroke, pos2};

/// Where values stand.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Between the axes.
    pub rect: Rect,
    /// Least and largest place from left to right.
    pub x: [f64; 2],
    /// The same from bottom to top.
    pub y: [f64; 2],
}

/// Room left of a frame for its numbers.
pub const LEFT: f32 = 40.0;
/// Room below it for its numbers and the name of its axis.
pub const BELOW: f32 = 34.0;

fn part(value: f64, [low, high]: [f64; 2]) -> f32 {
    if high > low { ((value - low) / (high - low)) as f32 } else { 0.5 }
}

impl Frame {
    /// Where a place is on the screen.
    pub fn at(&self, x: f64, y: f64) -> Pos2 {
        pos2(self.column(x), self.row(y))
    }

    /// From the left.
    pub fn column(&self, x: f64) -> f32 {
        self.rect.left() + part(x, self.x) * self.rect.width()
    }

    /// From the top.
    pub fn row(&self, y: f64) -> f32 {
        self.rect.bottom() - part(y, self.y) * self.rect.height()
    }

    /// Draws grid, numbers and names.
    pub fn draw(
        &self,
        painter: &Painter,
        palette: &Palette,
        ticks: [&[Tick]; 2],
        [x_title, y_title]: [&str; 2],
    ) {
        let (rect, font) = (self.rect, plain(10.5));
        let line = Stroke::new(1.0, palette.line);
        for tick in ticks[1] {
            let y = self.row(tick.place);
            painter.hline(rect.x_range(), y, line);
            painter.text(
                pos2(rect.left() - 5.0, y),
                Align2::RIGHT_CENTER,
                &tick.text,
                font.clone(),
                palette.mute,
            );
        }
        let mut free = f32::NEG_INFINITY; // names never overlap
        for tick in ticks[0] {
            let x = self.column(tick.place);
            painter.vline(x, rect.y_range(), line);
            let galley = painter.layout_no_wrap(tick.text.clone(), font.clone(), palette.mute);
            let left = x - galley.size().x / 2.0;
            if left >= free {
                free = left + galley.size().x + 6.0;
                painter.galley(pos2(left, rect.bottom() + 4.0), galley, palette.mute);
            }
        }
        painter.hline(
            rect.x_range(),
            rect.bottom(),
            Stroke::new(1.0, palette.mute.gamma_multiply(0.6)),
        );
        painter.text(
            pos2(rect.center().x, rect.bottom() + 19.0),
            Align2::CENTER_TOP,
            x_title,
            plain(11.0),
            palette.mute,
        );
        painter.text(
            rect.left_top() - egui::vec2(LEFT - 2.0, 4.0),
            Align2::LEFT_BOTTOM,
            y_title,
            plain(11.0),
            palette.mute,
        );
    }
}
