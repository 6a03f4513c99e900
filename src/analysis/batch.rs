//! The fresh batch that reductions are measured on: x ~ N(0, I), and what the raw network answers.

use crate::math::matrix::{Matrix, norm};
use crate::math::random;
use crate::model::Network;

/// Tokens a sequence, as in the paper's task.
const TIME: usize = 32;
/// Sequences, unless the network is very large.
const SEQUENCES: usize = 64;
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
    /// What pruning, and setting λ to 1 and 0, change the outputs by: how far the network is from
    /// being of the form that it is reduced to. 0 until they are tried.
    pub inexactness: f64,
}

/// Most that a step of the reduction may change the outputs of a network that has the form exactly;
/// relative RMS.
pub const LEAST_ALLOWED: f64 = 1e-3;
/// The same for any network.
pub const MOST_ALLOWED: f64 = 0.01;
/// A network that has the form only nearly may be changed by this many times its inexactness.
pub const ALLOWED: f64 = 10.0;

impl Batch {
    /// Draws 64 sequences of 32 tokens and runs `network` on them; fewer where n · m is above 256²,
    /// but never so few that n states could look dependent for want of tokens.
    pub fn draw(network: &Network, seed: u32) -> Self {
        let size = (network.hidden() * network.gates()).max(1);
        let fewest = (2 * network.hidden() + 64).div_ceil(TIME);
        let sequences = (SEQUENCES * LARGE / size).clamp(fewest.min(SEQUENCES), SEQUENCES);
        let count = sequences * TIME * network.inputs();
        let x = random::normals(seed, "dissection", count).into_iter().map(f64::from).collect();
        Self::new(network, Matrix::new(sequences * TIME, network.inputs(), x), TIME)
    }

    /// With these sequences x `[batch · time, d]` of `time` tokens each.
    pub fn new(network: &Network, x: Matrix, time: usize) -> Self {
        let states = network.states(&x, time);
        let outputs = network.readout_of(&x, &states);
        Self { x, time, states, outputs, inexactness: 0.0 }
    }

    /// Most that merging gates, or folding neurons, may change the outputs; relative RMS.
    pub fn allowed(&self) -> f64 {
        (ALLOWED * self.inexactness).clamp(LEAST_ALLOWED, MOST_ALLOWED)
    }

    /// Relative RMS change of the outputs when `network` takes the raw one's place: ‖ŷ' − ŷ‖ / ‖ŷ‖
    /// over the whole batch. Always finite: 0 where both are zero, 1 where only ŷ is.
    pub fn change(&self, network: &Network) -> f64 {
        self.distance(&network.outputs_of(&self.x, self.time))
    }

    /// The change that `network` makes to the outputs `before`, as a part of the raw network's; 0
    /// where those are zero.
    pub fn change_from(&self, before: &Matrix, network: &Network) -> f64 {
        self.apart(before, &network.outputs_of(&self.x, self.time))
    }

    /// The same between the outputs `before` and `after`.
    pub fn apart(&self, before: &Matrix, after: &Matrix) -> f64 {
        let pairs = after.data.iter().zip(&before.data);
        let difference = norm(&pairs.map(|(after, before)| after - before).collect::<Vec<_>>());
        let size = self.outputs.norm();
        if size > 0.0 { difference / size } else { 0.0 }
    }

    /// The same as [`Self::change`] for outputs `[batch · time, d_out]`.
    pub fn distance(&self, outputs: &Matrix) -> f64 {
        let change = outputs.relative_change(&self.outputs);
        if change.is_finite() { change } else { 1.0 }
    }
}
