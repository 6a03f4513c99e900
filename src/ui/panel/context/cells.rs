//! A small matrix of signed numbers: one texture, a grid, and the numbers in the cells where there
//! is room.

use crate::run::live::Live;
use crate::ui::kit::format;
use crate::ui::kit::heatmap::{Colors, Heatmap};
use crate::ui::kit::theme::{Palette, plain};
use eframe::egui;
use egui::{Align2, Color32, Pos2, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use std::ops::Range;

/// A matrix on the screen.
#[derive(Default)]
pub struct Cells {
    key: Option<(u32, u64, bool)>,
    heatmap: Heatmap,
    columns: usize,
    /// Row by row.
    values: Vec<f64>,
    /// What full colour stands for.
    pub scale: f64,
}

/// The largest of the finite ones, by size.
pub fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max)
}

/// Black or white, whichever is read more easily on `fill`.
pub fn ink_on(fill: Color32) -> Color32 {
    let light =
        0.299 * f32::from(fill.r()) + 0.587 * f32::from(fill.g()) + 0.114 * f32::from(fill.b());
    if light > 140.0 { Color32::from_rgb(0x16, 0x18, 0x1c) } else { Color32::WHITE }
}

impl Cells {
    /// Takes in the newest finding's numbers, where they or the theme are new.
    pub fn update(
        &mut self,
        ui: &Ui,
        live: &Live,
        columns: usize,
        values: impl FnOnce() -> (Vec<f64>, f64),
    ) {
        let step = live.finding.as_ref().map_or(0, |(step, _)| *step);
        let key = (live.run, step, ui.visuals().dark_mode);
        if self.key == Some(key) {
            return;
        }
        self.key = Some(key);
        (self.values, self.scale) = values();
        self.scale = if self.scale > 0.0 { self.scale } else { 1.0 };
        self.columns = columns.max(1);
        let colors = Colors::new(Palette::of(ui));
        let pixels =
            self.values.iter().map(|value| colors.of(narrow(value / self.scale))).collect();
        self.heatmap.set(ui.ctx(), "cells", self.values.len() / self.columns, self.columns, pixels);
    }

    /// The number in that cell.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values.get(row * self.columns + column).copied().unwrap_or(f64::NAN)
    }

    /// Draws a part of the matrix in `rect`; `numbers` writes values in cells that are large
    /// enough.
    pub fn paint(
        &self,
        ui: &Ui,
        rect: Rect,
        rows: Range<usize>,
        columns: Range<usize>,
        numbers: bool,
    ) {
        let palette = Palette::of(ui);
        self.heatmap.paint(ui, rect, rows.clone(), columns.clone());
        let cell = vec2(
            rect.width() / columns.len().max(1) as f32,
            rect.height() / rows.len().max(1) as f32,
        );
        grid(ui, rect, cell);
        ui.painter().rect_stroke(rect, 0.0, Stroke::new(1.0, palette.line), StrokeKind::Outside);
        if !numbers || cell.y < 13.0 || cell.x < 31.0 {
            return;
        }
        let (decimals, font) = if cell.x < 44.0 { (2, plain(9.5)) } else { (3, plain(10.5)) };
        for row in rows.clone() {
            for column in columns.clone() {
                let value = self.at(row, column);
                let place =
                    vec2((column - columns.start) as f32 + 0.5, (row - rows.start) as f32 + 0.5);
                let color = ink_on(palette.signed(narrow(value / self.scale)));
                let text =
                    if value.is_nan() { "–".into() } else { format::fixed(value, decimals) };
                ui.painter().text(
                    rect.min + cell * place,
                    Align2::CENTER_CENTER,
                    text,
                    font.clone(),
                    color,
                );
            }
        }
    }
}

/// Lines between cells that are large enough for them.
pub fn grid(ui: &Ui, rect: Rect, cell: egui::Vec2) {
    if cell.x < 5.0 || cell.y < 5.0 {
        return;
    }
    let stroke = Stroke::new(1.0, Palette::of(ui).background);
    let lines = |length: f32, cell: f32| 1..(length / cell).round() as usize;
    lines(rect.width(), cell.x).for_each(|i| {
        ui.painter().vline((rect.left() + i as f32 * cell.x).round() + 0.5, rect.y_range(), stroke);
    });
    lines(rect.height(), cell.y).for_each(|i| {
        ui.painter().hline(rect.x_range(), (rect.top() + i as f32 * cell.y).round() + 0.5, stroke);
    });
}

/// For colours and places on the screen.
pub fn narrow(value: f64) -> f32 {
    value as f32
}

/// What the network, the truth and one step of gradient descent are marked with, in every panel: a
/// dot, a bar, a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The student.
    Network,
    /// What is right.
    Truth,
    /// One step of gradient descent.
    Step,
}

impl Mark {
    /// All of them, the ones behind first.
    pub const ALL: [Self; 3] = [Self::Truth, Self::Step, Self::Network];

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Truth => "truth",
            Self::Step => "one step",
        }
    }

    pub fn color(self, palette: &Palette) -> Color32 {
        match self {
            Self::Network => palette.ink,
            Self::Truth => palette.teacher,
            Self::Step => palette.mute,
        }
    }

    /// Draws it at `at`, in a row of that height.
    pub fn paint(self, ui: &Ui, at: Pos2, row: f32) {
        let color = self.color(Palette::of(ui));
        let size = (row * 0.42).clamp(1.5, 8.0);
        match self {
            Self::Network => {
                ui.painter().circle_filled(at, (size * 0.45).max(1.5), color);
            }
            Self::Truth => {
                ui.painter().rect_filled(
                    Rect::from_center_size(at, vec2(4.0, 2.0 * size)),
                    1.0,
                    color,
                );
            }
            Self::Step => {
                ui.painter().circle_stroke(at, (size * 0.75).max(2.0), Stroke::new(1.4, color));
            }
        }
    }

    /// The mark and its name, from `at` to the right; returns where it ends.
    pub fn legend(self, ui: &Ui, at: Pos2) -> f32 {
        self.paint(ui, at + vec2(5.0, 0.0), 14.0);
        let text = ui.painter().text(
            pos2(at.x + 14.0, at.y),
            Align2::LEFT_CENTER,
            self.name(),
            plain(11.0),
            Palette::of(ui).mute,
        );
        text.right()
    }
}
