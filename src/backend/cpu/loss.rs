//! Twin of `shaders/loss.wgsl`: each row's loss and its gradient.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// `rows [row, 2]` = Σ (ŷ − y)² and Σ y² over the outputs; gradient = 2 (ŷ − y) / N. Both halved
/// with `half`.
pub fn squared_error<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [prediction, target]: [&[F]; 2],
    [rows, gradient]: [&mut [F]; 2],
) {
    let width = dims.width_out as usize;
    let factor = if dims.half == 1 { 0.5 } else { 1.0 };
    let (scale, factor) =
        (F::of(2.0 * factor / (counted(dims) * f64::from(dims.width_out))), F::of(factor));
    simd(
        #[inline(always)]
        || {
            let each = prediction
                .chunks_exact(width)
                .zip(target.chunks_exact(width))
                .zip(gradient.chunks_exact_mut(width));
            for (((prediction, target), gradient), row) in each.zip(rows.chunks_exact_mut(2)) {
                let (mut error, mut power) = (F::ZERO, F::ZERO);
                for ((&p, &y), g) in prediction.iter().zip(target).zip(gradient) {
                    let difference = p - y;
                    error += difference * difference;
                    power += y * y;
                    *g = scale * difference;
                }
                row.copy_from_slice(&[factor * error, power]);
            }
        },
    );
}

/// `rows [row, 2]` = −log `softmax(ŷ)[y]` and 1, times the outputs' number; gradient = (softmax(ŷ) −
/// onehot(y)) / N.
pub fn cross_entropy<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [prediction, class]: [&[F]; 2],
    [rows, gradient]: [&mut [F]; 2],
) {
    let width = dims.width_out as usize;
    let (scale, outputs) = (F::of(1.0 / counted(dims)), F::of(f64::from(dims.width_out)));
    let each = prediction.chunks_exact(width).zip(class).zip(gradient.chunks_exact_mut(width));
    for (((prediction, &class), gradient), row) in each.zip(rows.chunks_exact_mut(2)) {
        let largest =
            prediction.iter().copied().fold(prediction[0], |a, b| if b > a { b } else { a });
        gradient.iter_mut().zip(prediction).for_each(|(g, &p)| *g = (p - largest).exp());
        let sum: F = gradient.iter().copied().sum();
        let class = class.wide() as usize;
        row.copy_from_slice(&[
            outputs * (F::of(sum.wide().ln()) - (prediction[class] - largest)),
            outputs,
        ]);
        gradient.iter_mut().for_each(|g| *g = scale * (*g / sum));
        gradient[class] -= scale;
    }
}

/// Rows that count.
fn counted(dims: &Dims) -> f64 {
    f64::from(dims.batch) * f64::from(dims.time)
}
