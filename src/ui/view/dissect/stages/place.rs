//! Where the rows and columns of a stage's picture stand.

use super::picture::{MATRICES, Picture};
use crate::ui::kit::heatmap::Heatmap;
use eframe::egui;
use egui::{Color32, Painter, Pos2, Rect, pos2, vec2};
use std::ops::Range;

/// Space between two bands of rows.
const GAP: f32 = 4.0;
/// A cell is never larger.
const LARGEST: f32 = 15.0;

/// Columns from left to right, all of one width.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Columns {
    /// Where they start.
    pub left: f32,
    /// Width of each.
    pub cell: f32,
    pub count: usize,
}

/// Places of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Rows that stand together, their top, their height each.
    pub bands: Vec<(Range<usize>, f32, f32)>,
    /// Columns of each matrix.
    pub columns: [Columns; MATRICES],
    /// Of the strip of roles.
    pub roles: Columns,
    /// Top of all.
    pub top: f32,
}

impl Columns {
    /// Left end of column `j`.
    pub fn at(&self, j: usize) -> f32 {
        self.left + self.cell * j as f32
    }

    /// Where they end.
    pub fn right(&self) -> f32 {
        self.at(self.count)
    }

    fn index(&self, x: f32) -> Option<usize> {
        let j = ((x - self.left) / self.cell).floor();
        (j >= 0.0 && (j as usize) < self.count).then_some(j as usize)
    }
}

impl Place {
    /// Of `picture` in `rect`; `side` gating has narrow matrices only.
    pub fn new(rect: Rect, picture: &Picture, side: bool) -> Self {
        let gaps = GAP * picture.bands.len().saturating_sub(1) as f32;
        let cell = ((rect.height() - gaps).max(1.0) / picture.rows().max(1) as f32).min(LARGEST);
        let (mut row, mut top) = (0, rect.top());
        let mut bands = vec![];
        for &rows in &picture.bands {
            bands.push((row..row + rows, top, cell));
            row += rows;
            top += cell * rows as f32 + GAP;
        }
        let gap = (rect.width() * 0.025).clamp(3.0, 12.0);
        let strip = (rect.width() * 0.03).clamp(4.0, 9.0);
        let room = (rect.width() - strip - 4.0 * gap).max(4.0);
        let input = if side { 0.25 } else { 0.15 };
        let after = |left: f32, width: f32, count: usize| Columns {
            left,
            cell: (width / count.max(1) as f32).min(LARGEST),
            count,
        };
        let first = after(rect.left(), room * input, picture.columns[0]);
        let second = after(first.right() + gap, room * input, picture.columns[1]);
        let roles = Columns { left: second.right() + gap, cell: strip, count: 1 };
        // What the inputs leave goes to the outputs.
        let left = (rect.right() - roles.right() - 2.0 * gap).max(2.0);
        let third = after(roles.right() + gap, left / 2.0, picture.columns[2]);
        let fourth = after(third.right() + gap, left / 2.0, picture.columns[3]);
        Self { bands, columns: [first, second, third, fourth], roles, top: rect.top() }
    }

    /// Top and height of row `i`.
    pub fn row(&self, i: usize) -> Option<(f32, f32)> {
        let (rows, top, cell) = self.bands.iter().find(|(rows, ..)| rows.contains(&i))?;
        Some((top + (i - rows.start) as f32 * cell, *cell))
    }

    /// Below the last row.
    pub fn bottom(&self) -> f32 {
        self.bands.last().map_or(self.top, |(rows, top, cell)| top + rows.len() as f32 * cell)
    }

    /// The rectangle of a band in some columns.
    pub fn block(&self, band: usize, columns: &Columns) -> Rect {
        let (rows, top, cell) = &self.bands[band];
        Rect::from_min_size(
            pos2(columns.left, *top),
            vec2(columns.right() - columns.left, rows.len() as f32 * cell),
        )
    }

    /// Row at that height.
    pub fn row_at(&self, y: f32) -> Option<usize> {
        let (rows, top, cell) = self.bands.iter().rev().find(|(_, top, _)| y >= *top)?;
        let inside = ((y - top) / cell) as usize;
        (inside < rows.len()).then_some(rows.start + inside)
    }

    /// Matrix, row and column there.
    pub fn cell_at(&self, at: Pos2) -> Option<(usize, usize, usize)> {
        let row = self.row_at(at.y)?;
        let (k, column) = self
            .columns
            .iter()
            .enumerate()
            .find_map(|(k, columns)| Some((k, columns.index(at.x)?)))?;
        Some((k, row, column))
    }

    pub fn paint(&self, painter: &Painter, picture: &Picture, tint: Color32) {
        for (heatmap, columns) in picture.matrices.iter().zip(&self.columns) {
            self.paint_sheet(painter, heatmap, columns, tint);
        }
        self.paint_sheet(painter, &picture.roles, &self.roles, tint);
    }

    /// Draws the strip of roles only.
    pub fn paint_roles(&self, painter: &Painter, picture: &Picture) {
        self.paint_sheet(painter, &picture.roles, &self.roles, Color32::WHITE);
    }

    fn paint_sheet(&self, painter: &Painter, heatmap: &Heatmap, columns: &Columns, tint: Color32) {
        let Some(mut mesh) = heatmap.mesh() else { return };
        for (band, (rows, ..)) in self.bands.iter().enumerate() {
            heatmap.add(&mut mesh, self.block(band, columns), rows.clone(), 0..columns.count, tint);
        }
        painter.add(mesh);
    }
}
