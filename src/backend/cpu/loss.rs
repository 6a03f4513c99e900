//! Twin of `shaders/loss.wgsl`: the squared error of each row and its gradient.

use super::simd;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// `rows [row, 2]` = Σ (ŷ − y)² and Σ y² over the outputs; gradient = 2 (ŷ − y) / (batch · time · outputs).
pub fn squared_error<F: Float>(dims: &Dims, prediction: &[F], target: &[F], rows: &mut [F], gradient: &mut [F]) {
    let width = dims.width_out as usize;
    let scale = F::of(2.0 / (f64::from(dims.batch) * f64::from(dims.time) * f64::from(dims.width_out)));
    simd(
        #[inline(always)]
        || {
            let each = prediction.chunks_exact(width).zip(target.chunks_exact(width)).zip(gradient.chunks_exact_mut(width));
            for (((prediction, target), gradient), row) in each.zip(rows.chunks_exact_mut(2)) {
                let (mut error, mut power) = (F::ZERO, F::ZERO);
                for ((&p, &y), g) in prediction.iter().zip(target).zip(gradient) {
                    let difference = p - y;
                    error += difference * difference;
                    power += y * y;
                    *g = scale * difference;
                }
                row.copy_from_slice(&[error, power]);
            }
        },
    );
}
