//! The user's test sequences: what a network gets wrong on data that it was not trained on.

use super::in_context::Finding;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::task::Arrays;
use serde::{Deserialize, Serialize};

/// Errors on the test sequences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// Mean (weighted, where time steps have weights) squared error.
    pub loss: f64,
    /// Mean squared target, likewise.
    pub power: f64,
    /// How many sequences.
    pub sequences: usize,
}

/// Sequences that are run at most.
const MOST: usize = 1024;

/// Runs `network` on the first sequences of `test`; `None` if there are none, or they do not fit.
pub fn measure(network: &Network, test: &Arrays) -> Option<Finding> {
    let Arrays { time, inputs, outputs, steps, .. } = *test;
    let sequences = test.sequences.min(MOST);
    if sequences == 0 || (network.inputs(), network.outputs()) != (inputs, outputs) {
        return None;
    }
    let wide = |values: &[f32]| values.iter().copied().map(f64::from).collect();
    let x = Matrix::new(sequences * time, inputs, wide(&test.x[..sequences * time * inputs]));
    let kept: Vec<usize> = (0..sequences * time).filter(|row| row % time >= time - steps).collect();
    let answers = network.readout_of(&x.select_rows(&kept), &network.states(&x, time).select_rows(&kept));
    let (mut loss, mut power) = (0.0, 0.0);
    for (row, (answer, y)) in answers.iter_rows().zip(test.y.chunks_exact(outputs)).enumerate() {
        let weight = test.weight.as_ref().map_or(1.0, |weight| f64::from(weight[row]));
        loss += weight * answer.iter().zip(y).map(|(a, y)| (a - f64::from(*y)).powi(2)).sum::<f64>();
        power += weight * y.iter().map(|y| f64::from(*y).powi(2)).sum::<f64>();
    }
    let count = (answers.rows * outputs) as f64;
    Some(Finding::Test(Tested { loss: loss / count, power: power / count, sequences }))
}

impl Tested {
    /// The loss as a part of the targets' mean square; `None` where those are all zero.
    pub fn nmse(&self) -> Option<f64> {
        (self.power > 0.0).then(|| self.loss / self.power)
    }

    /// The numbers in a sentence.
    pub fn sentence(&self) -> String {
        let nmse = self.nmse().map_or_else(String::new, |nmse| format!(", nMSE {nmse:.2e}"));
        format!("On {} test sequences its loss is {:.3e}{nmse}.", self.sequences, self.loss)
    }
}
