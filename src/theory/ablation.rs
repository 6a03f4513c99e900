//! A construction broken on purpose: what each piece is for shows when it is gone.

use super::{Construction, Part};
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::model::network::Gating;

/// What to change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ablation {
    /// λ of the accumulators, 0..=1; 1 in the construction.
    pub accumulator_lambda: f64,
    /// λ of the queries, 0..=1; 0 in the construction.
    pub query_lambda: f64,
    /// Whether the constant 1 is appended to each token.
    pub constant: bool,
    /// A neuron whose state is always 0.
    pub dropped: Option<usize>,
}

impl Default for Ablation {
    /// Nothing is broken.
    fn default() -> Self {
        Self { accumulator_lambda: 1.0, query_lambda: 0.0, constant: true, dropped: None }
    }
}

impl Ablation {
    /// The construction's network with these changes.
    pub fn apply(&self, construction: &Construction) -> Network {
        let mut network = construction.network.clone();
        for (lambda, neuron) in network.lambda.iter_mut().zip(&construction.neurons) {
            *lambda = match neuron.part {
                Part::Accumulator { .. } => self.accumulator_lambda,
                Part::Query(_) => self.query_lambda,
            };
        }
        if let Some(neuron) = self.dropped.filter(|&neuron| neuron < network.hidden()) {
            network.input_m.row_mut(neuron).fill(0.0);
            network.input_x.row_mut(neuron).fill(0.0);
        }
        if !self.constant {
            without_constant(&mut network.input_m);
            without_constant(&mut network.input_x);
            if let Gating::Side(side) = &mut network.gating {
                without_constant(side);
            }
        }
        network
    }
}

/// No weight on the last column, the constant's.
fn without_constant(matrix: &mut Matrix) {
    let last = matrix.columns - 1;
    (0..matrix.rows).for_each(|row| matrix.set(row, last, 0.0));
}
