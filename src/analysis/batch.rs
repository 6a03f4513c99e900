//! The fresh batch that reductions are measured on: x ~ N(0, I), and what the raw network answers.

use crate::math::matrix::Matrix;
use crate::math::random;
use crate::model::Network;

/// Tokens a sequence, as in the paper's task.
const TIME: usize = 32;
/// Sequences, unless the network is very large.
const SEQUENCES: usize = 64;
/// Fewest sequences.
const FEWEST: usize = 8;
/// n · m up to which all [`SEQUENCES`] are run.
const LARGE: usize = 256 * 256;

/// Sequences, and the raw network's states and outputs on them.
#[derive(Debug, Clone)]
pub struct Batch {
    /// x `[batch · time, d]`
    pub x: Matrix,
    /// Tokens a sequence.
    pub time: usize,
    /// The raw network's h `[batch · time, n]`
    pub states: Matrix,
    /// The raw network's ŷ `[batch · time, d_out]`
    pub outputs: Matrix,
}

impl Batch {
    /// Draws 64 sequences of 32 tokens (fewer where n · m is above 256²) and runs `network` on them.
    pub fn draw(network: &Network, seed: u32) -> Self {
        let size = (network.hidden() * network.gates()).max(1);
        let sequences = (SEQUENCES * LARGE / size).clamp(FEWEST, SEQUENCES);
        let count = sequences * TIME * network.inputs();
        let x = random::normals(seed, "dissection", count).into_iter().map(f64::from).collect();
        Self::new(network, Matrix::new(sequences * TIME, network.inputs(), x), TIME)
    }

    /// With these sequences x `[batch · time, d]` of `time` tokens each.
    pub fn new(network: &Network, x: Matrix, time: usize) -> Self {
        let states = network.states(&x, time);
        let outputs = network.readout_of(&x, &states);
        Self { x, time, states, outputs }
    }

    /// Relative RMS change of the outputs when `network` takes the raw one's place: ‖ŷ' − ŷ‖ / ‖ŷ‖ over the whole batch.
    /// Always finite: 0 where both are zero, 1 where only ŷ is.
    pub fn change(&self, network: &Network) -> f64 {
        self.distance(&network.outputs_of(&self.x, self.time))
    }

    /// The same for outputs `[batch · time, d_out]`.
    pub fn distance(&self, outputs: &Matrix) -> f64 {
        let change = outputs.relative_change(&self.outputs);
        if change.is_finite() { change } else { 1.0 }
    }
}
