//! The kernels of a group's gates, D[k,i] · sym(w_m,i w_x,iᵀ) over the sorted stage's neurons, as heatmaps.

use crate::analysis::dissection::{Dissection, Group, Stage, StageKind};
use crate::math::matrix::Matrix;
use crate::model::network::Gating;
use crate::ui::dissect::Stamp;
use crate::ui::heatmap::{Colors, Heatmap};
use crate::ui::theme::Palette;
use eframe::egui;
use egui::Ui;

/// Gates drawn at most.
pub const SHOWN: usize = 3;

/// A group's pictures.
#[derive(Default)]
pub struct Kernels {
    key: Option<(Stamp, usize, usize)>,
    /// Gates whose kernels are shown, the heaviest first.
    pub gates: Vec<usize>,
    /// Their kernels.
    pub each: [Heatmap; SHOWN],
    /// Sum over all gates of the group.
    pub sum: Heatmap,
    /// Neurons in a row and a column.
    pub neurons: usize,
    /// The roles of the neurons, one row.
    pub roles: Heatmap,
    /// The merged gate's two factors, a row each; no rows if it was not merged.
    pub merged: Heatmap,
    /// Whether there is a merged gate.
    pub has_merged: bool,
    /// The group's gates that are still in the sorted network.
    pub present: usize,
}

impl Kernels {
    /// Brings the pictures of group `index` and that output up to date.
    pub fn update(&mut self, ui: &Ui, stamp: Stamp, dissection: &Dissection, index: usize, output: usize) {
        let key = Some((stamp, index, output));
        let (Some(group), Some(sorted)) = (dissection.groups.get(index), stage(dissection, StageKind::Sorted)) else { return };
        let Gating::Output { m, x } = &sorted.network.gating else { return };
        if self.key == key || output >= sorted.network.outputs() {
            return;
        }
        self.key = key;
        let n = sorted.neurons.len();
        self.neurons = n;
        let columns: Vec<(usize, usize)> = group.gates.iter().filter_map(|gate| Some((*gate, sorted.gates.iter().position(|gates| gates.contains(gate))?))).collect();
        self.present = columns.len();
        let kernel = |column: usize| {
            let (m, x, d) = (m.row(column), x.row(column), sorted.network.readout.at(output, column));
            Matrix::from_fn(n, n, |i, j| 0.5 * d * (m[i] * x[j] + m[j] * x[i]))
        };
        let mut kernels: Vec<(usize, Matrix)> = columns.iter().map(|&(gate, column)| (gate, kernel(column))).collect();
        let mut sum = Matrix::zeros(n, n);
        for (_, kernel) in &kernels {
            sum.data.iter_mut().zip(&kernel.data).for_each(|(sum, value)| *sum += value);
        }
        kernels.sort_by(|a, b| b.1.norm().total_cmp(&a.1.norm()));
        kernels.truncate(SHOWN);
        let palette = Palette::of(ui);
        let colors = Colors::new(palette);
        // One scale for all: what is faint weighs little.
        let largest = kernels.iter().flat_map(|(_, kernel)| &kernel.data).chain(&sum.data).filter(|v| v.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()));
        for (heatmap, (_, kernel)) in self.each.iter_mut().zip(&kernels) {
            fill(ui, heatmap, kernel, largest, &colors);
        }
        fill(ui, &mut self.sum, &sum, largest, &colors);
        self.gates = kernels.into_iter().map(|(gate, _)| gate).collect();
        self.roles.set(ui.ctx(), "roles", 1, n, sorted.roles.iter().map(|&role| palette.role(role)).collect());
        let merged = merged_rows(dissection, group, n);
        self.has_merged = merged.is_some();
        if let Some(rows) = merged {
            let scaled: Vec<Vec<f64>> = rows.iter_rows().map(|row| {
                let largest = row.iter().fold(0.0f64, |most, v| most.max(v.abs())).max(f64::MIN_POSITIVE);
                row.iter().map(|v| v / largest).collect()
            }).collect();
            fill(ui, &mut self.merged, &Matrix::from_rows(&scaled), 1.0, &colors);
        }
    }
}

fn stage(dissection: &Dissection, kind: StageKind) -> Option<&Stage> {
    dissection.stages.iter().find(|stage| stage.kind == kind)
}

/// The merged stage's gate that stands for all of the group: its two factors.
fn merged_rows(dissection: &Dissection, group: &Group, n: usize) -> Option<Matrix> {
    let merged = stage(dissection, StageKind::Merged).filter(|_| group.merged)?;
    let Gating::Output { m, x } = &merged.network.gating else { return None };
    let stands_for = |gates: &Vec<usize>| gates.len() > 1 && gates.iter().all(|gate| group.gates.contains(gate));
    let gate = merged.gates.iter().position(stands_for).filter(|_| m.columns == n)?;
    Some(Matrix::from_rows(&[m.row(gate), x.row(gate)]))
}

#[allow(clippy::cast_possible_truncation)]
fn fill(ui: &Ui, heatmap: &mut Heatmap, matrix: &Matrix, largest: f64, colors: &Colors) {
    let scale = if largest > 0.0 { 1.0 / largest } else { 0.0 };
    heatmap.set(ui.ctx(), "kernel", matrix.rows, matrix.columns, matrix.data.iter().map(|value| colors.of((value * scale) as f32)).collect());
}
