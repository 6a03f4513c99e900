//! Twin of `shaders/reduce.wgsl`: sums over the whole batch, in a fixed order.

use super::clock::State;
use super::memory::Memory;
use crate::backend::StepLoss;
use crate::graph::Graph;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// The means over batch, time and outputs of squared error and squared target, from each split's
/// rows.
pub fn loss<F: Float>(dims: &Dims, clock: &mut State<F>, memory: &mut Memory<F>, _: bool) {
    let (mut error, mut power) = (0.0, 0.0);
    let rows = memory.lanes.iter().map(|lane| &lane.buffers[Graph::LOSS_ROWS.0]);
    for row in rows.flat_map(|rows| rows.chunks_exact(2)) {
        error += row[0].wide();
        power += row[1].wide();
    }
    let count = f64::from(dims.batch) * f64::from(dims.time) * f64::from(dims.width_out);
    let loss = StepLoss { loss: (error / count) as f32, power: (power / count) as f32 };
    clock.note(loss);
    memory.ring.push(loss);
}

/// Sets the clock's excess: the norm of the gradients, summed over the splits, over the clip, less
/// 1; at least 0.
pub fn gradient<F: Float>(_: &Dims, clock: &mut State<F>, memory: &mut Memory<F>, _: bool) {
    let splits = memory.gradients();
    let squared: f64 = (0..splits[0].len())
        .map(|i| splits.iter().map(|split| split[i].wide()).sum::<f64>().powi(2))
        .sum();
    clock.excess = F::of((squared.sqrt() / clock.clip.wide() - 1.0).max(0.0));
}
