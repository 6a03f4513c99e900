//! The kernels of a group's gates, `D[k,i]` · sym(w_m,i w_x,iᵀ) over the sorted stage's neurons, as
//! heatmaps.

use crate::analysis::dissection::Dissection;
use crate::analysis::importance::Role;
use crate::analysis::merge::Group;
use crate::analysis::stage::{Stage, StageKind};
use crate::math::matrix::Matrix;
use crate::model::network::Gating;
use crate::ui::kit::heatmap::{Colors, Heatmap};
use crate::ui::kit::theme::Palette;
use crate::ui::view::dissect::answer::Stamp;
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
    /// The numbers of those, the sum last.
    pub values: Vec<Matrix>,
    /// Which neurons are rows and columns, and their roles.
    pub names: Vec<(usize, Role)>,
    /// Neurons in a row and a column.
    pub neurons: usize,
    /// The roles of the neurons, one row.
    pub roles: Heatmap,
    /// The two factors of each gate that took their place, a row each.
    pub merged: Heatmap,
    /// How many gates those are, as far as they are shown.
    pub heirs: usize,
}

impl Kernels {
    /// Brings the pictures of group `index` and that output up to date.
    pub fn update(
        &mut self,
        ui: &Ui,
        stamp: Stamp,
        dissection: &Dissection,
        index: usize,
        output: usize,
    ) {
        let key = Some((stamp, index, output));
        let (Some(group), Some(sorted)) =
            (dissection.groups.get(index), stage(dissection, StageKind::Sorted))
        else {
            return;
        };
        let Gating::Output { m, x } = &sorted.network.gating else { return };
        if self.key == key || output >= sorted.network.outputs() {
            return;
        }
        self.key = key;
        let n = sorted.neurons.len();
        self.neurons = n;
        let columns: Vec<(usize, usize)> = group
            .gates
            .iter()
            .filter_map(|gate| {
                Some((*gate, sorted.gates.iter().position(|gates| gates.contains(gate))?))
            })
            .collect();
        let kernel = |column: usize| {
            let (m, x, d) =
                (m.row(column), x.row(column), sorted.network.readout.at(output, column));
            Matrix::from_fn(n, n, |i, j| 0.5 * d * (m[i] * x[j] + m[j] * x[i]))
        };
        let mut kernels: Vec<(usize, Matrix)> =
            columns.iter().map(|&(gate, column)| (gate, kernel(column))).collect();
        let mut sum = Matrix::zeros(n, n);
        for (_, kernel) in &kernels {
            sum.data.iter_mut().zip(&kernel.data).for_each(|(sum, value)| *sum += value);
        }
        kernels.sort_by(|a, b| b.1.norm().total_cmp(&a.1.norm()));
        kernels.truncate(SHOWN);
        let palette = Palette::of(ui);
        let colors = Colors::new(palette);
        // One scale for all: what is faint weighs little.
        let largest = kernels
            .iter()
            .flat_map(|(_, kernel)| &kernel.data)
            .chain(&sum.data)
            .filter(|v| v.is_finite())
            .fold(0.0, |most: f64, v| most.max(v.abs()));
        for (heatmap, (_, kernel)) in self.each.iter_mut().zip(&kernels) {
            fill(ui, heatmap, kernel, largest, &colors);
        }
        fill(ui, &mut self.sum, &sum, largest, &colors);
        (self.gates, self.values) = kernels.into_iter().unzip();
        self.values.push(sum);
        self.names = sorted.neurons.iter().copied().zip(sorted.roles.iter().copied()).collect();
        self.roles.set(
            ui.ctx(),
            "roles",
            1,
            n,
            sorted.roles.iter().map(|&role| palette.role(role)).collect(),
        );
        let rows = merged_rows(dissection, group, n);
        self.heirs = rows.len() / 2;
        fill(ui, &mut self.merged, &Matrix::new(rows.len(), n, rows.concat()), 1.0, &colors);
    }
}

fn stage(dissection: &Dissection, kind: StageKind) -> Option<&Stage> {
    dissection.stages.iter().find(|stage| stage.kind == kind)
}

/// The merged stage's gates that stand for the group: two factors each, by their largest weight.
fn merged_rows(dissection: &Dissection, group: &Group, n: usize) -> Vec<Vec<f64>> {
    let Some(merged) = stage(dissection, StageKind::Merged).filter(|_| group.merged) else {
        return vec![];
    };
    let Gating::Output { m, x } = &merged.network.gating else { return vec![] };
    if m.columns != n {
        return vec![];
    }
    let stands_for =
        |gates: &[usize]| gates.len() > 1 && gates.iter().all(|gate| group.gates.contains(gate));
    let heirs = (0..merged.gates.len()).filter(|&i| stands_for(&merged.gates[i])).take(SHOWN);
    let scaled = |row: &[f64]| -> Vec<f64> {
        let largest = row.iter().fold(0.0f64, |most, v| most.max(v.abs())).max(f64::MIN_POSITIVE);
        row.iter().map(|v| v / largest).collect()
    };
    heirs.flat_map(|i| [scaled(m.row(i)), scaled(x.row(i))]).collect()
}

fn fill(ui: &Ui, heatmap: &mut Heatmap, matrix: &Matrix, largest: f64, colors: &Colors) {
    let scale = if largest > 0.0 { 1.0 / largest } else { 0.0 };
    heatmap.set(
        ui.ctx(),
        "kernel",
        matrix.rows,
        matrix.columns,
        matrix.data.iter().map(|value| colors.of((value * scale) as f32)).collect(),
    );
}
