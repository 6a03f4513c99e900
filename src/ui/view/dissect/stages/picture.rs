//! A stage's matrices as colours, a row per neuron in each: worked out when the answer changes.

use crate::analysis::dissection::Dissection;
use crate::analysis::importance::Role;
use crate::analysis::stage::{Stage, StageKind};
use crate::math::matrix::Matrix;
use crate::model::network::{Gating, Network};
use crate::ui::kit::heatmap::{Colors, Heatmap};
use crate::ui::kit::theme::Palette;
use eframe::egui;
use egui::Context;

/// Matrices in a picture: W_m^in, W_x^in, then W_m^outᵀ, W_x^outᵀ; with side gating W^side, Dᵀ.
pub const MATRICES: usize = 4;
/// Normalised weights of what is unused would look as strong as the others: they are dimmed.
const DIMMED: f32 = 0.25;

/// All that is drawn of a stage.
#[derive(Default)]
pub struct Picture {
    /// Colours of the matrices.
    pub matrices: [Heatmap; MATRICES],
    /// Their numbers of columns.
    pub columns: [usize; MATRICES],
    /// The neurons' roles, one column.
    pub roles: Heatmap,
    /// Rows that stand together.
    pub bands: Vec<usize>,
}

impl Picture {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.bands.iter().sum()
    }

    /// Brings it up to date.
    pub fn set(
        &mut self,
        ctx: &Context,
        stage: &Stage,
        of: &Dissection,
        colors: &Colors,
        palette: &Palette,
    ) {
        let sheets = sheets(&stage.network);
        let dim = dimming(stage, of);
        self.columns = sheets.each_ref().map(|sheet| sheet.columns);
        for (k, (heatmap, sheet)) in self.matrices.iter_mut().zip(&sheets).enumerate() {
            paint(ctx, heatmap, sheet, gates_are_columns(&stage.network, k), &dim, colors);
        }
        let roles = stage.roles.iter().map(|&role| palette.role(role)).collect();
        self.roles.set(ctx, "roles", stage.roles.len(), 1, roles);
        let sorted = !matches!(stage.kind, StageKind::Raw | StageKind::Pruned);
        self.bands = if sorted {
            stage.roles.chunk_by(|a, b| a == b).map(<[Role]>::len).collect()
        } else {
            vec![stage.roles.len()]
        };
        self.bands.retain(|&rows| rows > 0);
    }
}

/// Whether the columns of matrix `k` are gates.
pub fn gates_are_columns(network: &Network, k: usize) -> bool {
    k >= 2 && matches!(network.gating, Gating::Output { .. })
}

/// The matrices as they are drawn: a row per neuron.
pub fn sheets(network: &Network) -> [Matrix; MATRICES] {
    let (third, fourth) = match &network.gating {
        Gating::Output { m, x } => (m.transpose(), x.transpose()),
        Gating::Side(side) => (side.clone(), network.readout.transpose()),
    };
    [network.input_m.clone(), network.input_x.clone(), third, fourth]
}

/// How strong each row and each gate is drawn.
pub struct Dimming {
    rows: Vec<f32>,
    gates: Vec<f32>,
}

impl Dimming {
    /// Of these rows only.
    pub fn of_rows(self, rows: &[usize]) -> Self {
        Self { rows: rows.iter().map(|&row| self.rows[row]).collect(), gates: self.gates }
    }
}

/// Neurons and gates below the threshold are drawn faint.
pub fn dimming(stage: &Stage, of: &Dissection) -> Dimming {
    let strength = |unused: bool| if unused { DIMMED } else { 1.0 };
    let unimportant = |gate: &usize| {
        of.importance
            .gates
            .get(*gate)
            .is_some_and(|importance| *importance <= of.settings.threshold)
    };
    Dimming {
        rows: stage.roles.iter().map(|role| strength(*role == Role::Unused)).collect(),
        gates: stage.gates.iter().map(|gates| strength(gates.iter().all(unimportant))).collect(),
    }
}

/// Colours `sheet`: each row, or each gate's column, by its own largest weight.
pub fn paint(
    ctx: &Context,
    heatmap: &mut Heatmap,
    sheet: &Matrix,
    by_column: bool,
    dim: &Dimming,
    colors: &Colors,
) {
    let size = |value: f64| if value.is_finite() { value.abs() } else { 0.0 };
    let factor = |largest: f64| if largest > 0.0 { (1.0 / largest) as f32 } else { 0.0 };
    let mut columns = vec![1.0f32; sheet.columns];
    let mut rows = vec![1.0f32; sheet.rows];
    if by_column {
        let mut largest = vec![0.0f64; sheet.columns];
        for row in sheet.iter_rows() {
            largest
                .iter_mut()
                .zip(row)
                .for_each(|(largest, value)| *largest = largest.max(size(*value)));
        }
        columns = largest.into_iter().map(factor).collect();
        columns.iter_mut().zip(&dim.gates).for_each(|(factor, strength)| *factor *= strength);
    } else {
        rows = sheet
            .iter_rows()
            .map(|row| factor(row.iter().copied().map(size).fold(0.0, f64::max)))
            .collect();
    }
    rows.iter_mut().zip(&dim.rows).for_each(|(factor, strength)| *factor *= strength);
    let mut shades = Vec::with_capacity(sheet.data.len());
    for (values, row) in sheet.iter_rows().zip(&rows) {
        shades.extend(
            values
                .iter()
                .zip(&columns)
                .map(|(value, column)| colors.of(*value as f32 * column * row)),
        );
    }
    heatmap.set(ctx, "stage", sheet.rows, sheet.columns, shades);
}
