//! Twin of `shaders/reduce.wgsl`: sums over the whole batch, in a fixed order.

use crate::backend::StepLoss;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// The means over batch, time and outputs of squared error and squared target, from each split's rows.
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
