//! From one stage to a later one: rows move to their places, then columns; what is dropped fades.
//! Backwards it is the same, played backwards.

use super::picture;
use super::picture::{MATRICES, Picture};
use super::place::{Columns, Place};
use crate::analysis::dissection::Dissection;
use crate::analysis::stage::Stage;
use crate::math::matrix::{Matrix, dot, norm};
use crate::ui::kit::heatmap::{Colors, Heatmap};
use eframe::egui;
use egui::{Color32, Context, Painter, Rect, pos2, vec2};

/// What moves from an earlier stage to a later one.
pub struct Morph {
    /// The later stage's row of each of the earlier's.
    rows: Vec<Option<usize>>,
    /// The later stage's gate of each of the earlier's, and whether its two factors change places.
    gates: Vec<Option<(usize, bool)>>,
    /// The earlier stage's matrices, their rows as in the later.
    between: [Heatmap; MATRICES],
    /// Rows in `between`; the later stage's, unless it has some that the earlier has not.
    complete: bool,
}

impl Morph {
    /// From `early` to `late`.
    pub fn new(
        ctx: &Context,
        early: &Stage,
        late: &Stage,
        of: &Dissection,
        colors: &Colors,
    ) -> Self {
        let place_in_late = |neuron: &usize| late.neurons.iter().position(|other| other == neuron);
        let rows: Vec<Option<usize>> = early.neurons.iter().map(place_in_late).collect();
        let sources: Vec<usize> = late
            .neurons
            .iter()
            .filter_map(|neuron| early.neurons.iter().position(|other| other == neuron))
            .collect();
        let complete = sources.len() == late.neurons.len();
        let sheets = picture::sheets(&early.network).map(|sheet| sheet.select_rows(&sources));
        let later = picture::sheets(&late.network);
        let with_swap = |(j, gates): (usize, &Vec<usize>)| {
            // Where a group became several gates, its parts are shared out among them.
            let heirs: Vec<usize> = (0..late.gates.len())
                .filter(|&to| gates.iter().any(|gate| late.gates[to].contains(gate)))
                .collect();
            let to = *heirs.get(j % heirs.len().max(1))?;
            Some((
                to,
                complete && is_swapped([&sheets[2], &sheets[3]], j, [&later[2], &later[3]], to),
            ))
        };
        let gates = early.gates.iter().enumerate().map(with_swap).collect();
        let dim = picture::dimming(early, of).of_rows(&sources);
        let mut between: [Heatmap; MATRICES] = Default::default();
        for (k, (heatmap, sheet)) in between.iter_mut().zip(&sheets).enumerate() {
            picture::paint(
                ctx,
                heatmap,
                sheet,
                picture::gates_are_columns(&early.network, k),
                &dim,
                colors,
            );
        }
        Self { rows, gates, between, complete }
    }

    /// Draws the moment `t` from 0 to 1.
    pub fn paint(
        &self,
        painter: &Painter,
        [early, late]: [&Picture; 2],
        [from, to]: [&Place; 2],
        t: f32,
    ) {
        let phase = |begin: f32, end: f32| smooth((t - begin) / (end - begin));
        let (rows, columns, arrived) = (phase(0.0, 0.5), phase(0.5, 0.9), phase(0.75, 1.0));
        if columns <= 0.0 || !self.complete {
            self.rows(painter, early, [from, to], rows);
        } else {
            self.columns(painter, [from, to], columns);
            to.paint_roles(painter, late);
        }
        if arrived > 0.0 {
            to.paint(painter, late, Color32::WHITE.gamma_multiply(arrived));
        }
    }

    /// Rows on their way; columns still stand as they did.
    fn rows(&self, painter: &Painter, early: &Picture, [from, to]: [&Place; 2], t: f32) {
        let sheets = early.matrices.iter().zip(&from.columns).chain([(&early.roles, &from.roles)]);
        for (k, (heatmap, columns)) in sheets.enumerate() {
            let Some(mut mesh) = heatmap.mesh() else { continue };
            let end = to.columns.get(k).unwrap_or(&to.roles).left;
            let left =
                lerp(columns.left, end, if k == 0 || k == 1 || k == MATRICES { t } else { 0.0 });
            for (i, target) in self.rows.iter().enumerate() {
                let Some((top, height)) = from.row(i) else { continue };
                let (top, height, alpha) = match target.and_then(|row| to.row(row)) {
                    Some((end, size)) => (lerp(top, end, t), lerp(height, size, t), 1.0),
                    None => (top, height, 1.0 - t),
                };
                let rect = Rect::from_min_size(
                    pos2(left, top),
                    vec2(columns.right() - columns.left, height),
                );
                heatmap.add(
                    &mut mesh,
                    rect,
                    i..i + 1,
                    0..columns.count,
                    Color32::WHITE.gamma_multiply(alpha),
                );
            }
            painter.add(mesh);
        }
    }

    /// Columns on their way; rows have arrived.
    fn columns(&self, painter: &Painter, [from, to]: [&Place; 2], t: f32) {
        for (k, heatmap) in self.between.iter().enumerate() {
            let Some(mut mesh) = heatmap.mesh() else { continue };
            let (start, own) = (&from.columns[k], &to.columns[k]);
            let gated = k >= 2 && !self.gates.is_empty();
            for j in 0..start.count {
                let target =
                    if gated { self.gates.get(j).copied().flatten() } else { Some((j, false)) };
                let (end, alpha): (Option<(&Columns, usize)>, f32) = match target {
                    Some((gate, true)) => (Some((&to.columns[5 - k], gate)), 1.0),
                    Some((gate, false)) => (Some((own, gate)), 1.0),
                    None => (None, 1.0 - t),
                };
                let (x, width) = match end {
                    Some((columns, gate)) => {
                        (lerp(start.at(j), columns.at(gate), t), lerp(start.cell, columns.cell, t))
                    }
                    None => (start.at(j), start.cell),
                };
                for (rows, top, cell) in &to.bands {
                    let rect =
                        Rect::from_min_size(pos2(x, *top), vec2(width, rows.len() as f32 * cell));
                    heatmap.add(
                        &mut mesh,
                        rect,
                        rows.clone(),
                        j..j + 1,
                        Color32::WHITE.gamma_multiply(alpha),
                    );
                }
            }
            painter.add(mesh);
        }
    }
}

/// Whether column `j` of the earlier factors looks more like the other one of the later factors at
/// `to`.
fn is_swapped(early: [&Matrix; 2], j: usize, late: [&Matrix; 2], to: usize) -> bool {
    if early.iter().zip(&late).any(|(a, b)| a.rows != b.rows || j >= a.columns || to >= b.columns) {
        return false; // side gating
    }
    let column = |matrix: &Matrix, j: usize| -> Vec<f64> { matrix.column(j).collect() };
    let alike = |a: &Matrix, b: &Matrix| {
        let (a, b) = (column(a, j), column(b, to));
        (dot(&a, &b) / (norm(&a) * norm(&b)).max(f64::MIN_POSITIVE)).abs()
    };
    alike(early[0], late[1]) + alike(early[1], late[0])
        > alike(early[0], late[0]) + alike(early[1], late[1])
}

fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn lerp(from: f32, to: f32, t: f32) -> f32 {
    from + (to - from) * t
}
