//! Twin of `shaders/reduce.wgsl`: sums over the whole batch, in a fixed order.

use super::clock;
use crate::backend::StepLoss;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// The means over batch, time and outputs of squared error and squared target, from each split's
/// rows.
#[allow(clippy::cast_possible_truncation)]
pub fn loss<'a, F: Float>(dims: &Dims, rows: impl Iterator<Item = &'a [F]>) -> StepLoss {
    let (mut error, mut power) = (0.0, 0.0);
    for row in rows.flat_map(|rows| rows.chunks_exact(2)) {
        error += row[0].wide();
        power += row[1].wide();
    }
    let count = f64::from(dims.batch) * f64::from(dims.time) * f64::from(dims.width_out);
    StepLoss { loss: (error / count) as f32, power: (power / count) as f32 }
}

/// Sets the clock's excess: the norm of the gradients, summed over the splits, over the clip, less
/// 1; at least 0.
pub fn gradient<F: Float>(clock: &mut clock::State<F>, splits: &[&[F]]) {
    let squared: f64 = (0..splits[0].len())
        .map(|i| splits.iter().map(|split| split[i].wide()).sum::<f64>().powi(2))
        .sum();
    clock.excess = F::of((squared.sqrt() / clock.clip.wide() - 1.0).max(0.0));
}
