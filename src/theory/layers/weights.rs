//! The weights of a layer in the making.

use crate::graph::params::ParamTable;
use crate::model::Architecture;

/// Bias of a gate that is open (or, negative, closed) to the last bit.
pub const OPEN: f64 = 40.0;

/// ε_v, the scale of values in an LSTM or GRU, where tanh is then linear to the last bit or nearly;
/// a power of two, so that it is undone without rounding.
pub const VALUE_SCALE: f64 = 1.0 / (1u32 << 26) as f64;

/// Parameters in the making, to be set by name: zeros, but for x in the first d channels of the
/// embedding.
pub struct Weights {
    pub architecture: Architecture,
    table: ParamTable,
    pub flat: Vec<f64>,
}

impl Weights {
    pub fn new(architecture: Architecture, d: usize) -> Self {
        let table = architecture.table(d, d);
        let mut weights = Self { architecture, flat: vec![0.0; table.len()], table };
        (0..d).for_each(|c| weights.set("embed", c, c, 1.0));
        weights
    }

    /// The numbers of a parameter, and its columns (1 of a vector).
    pub fn part(&mut self, name: &str) -> (&mut [f64], usize) {
        let param = self
            .table
            .get(name)
            .unwrap_or_else(|| panic!("{:?} has no parameter {name}", self.architecture));
        (&mut self.flat[param.range()], param.shape.get(1).copied().unwrap_or(1))
    }

    /// One number of a matrix.
    pub fn set(&mut self, name: &str, row: usize, column: usize, value: f64) {
        let (numbers, columns) = self.part(name);
        numbers[row * columns + column] = value;
    }

    /// The first numbers of a matrix's row, each times `scale`.
    pub fn row(&mut self, name: &str, row: usize, values: &[f64], scale: f64) {
        values
            .iter()
            .enumerate()
            .for_each(|(column, value)| self.set(name, row, column, scale * value));
    }

    /// The same number in all of a parameter.
    pub fn fill(&mut self, name: &str, value: f64) {
        self.part(name).0.fill(value);
    }
}
