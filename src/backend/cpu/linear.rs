//! Twin of `shaders/linear.wgsl`: y = x Wᵀ, W `[out, in (+1)]`; the extra column meets the appended
//! constant 1.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

/// y = x Wᵀ.
pub fn forward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, x]: [&[F]; 2],
    [y]: [&mut [F]; 1],
) {
    multiply(block, dims, dims.width_out as usize, parameters, x, y);
}

/// dx = dy W (or += with `accumulate`).
pub fn backward_input<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, dy]: [&[F]; 2],
    [dx]: [&mut [F]; 1],
) {
    multiply_back(block, dims, dims.width_out as usize, parameters, dy, dx);
}

/// dW = dyᵀ x into the split's gradients.
pub fn backward_weight<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [x, dy]: [&[F]; 2],
    [gradients]: [&mut [F]; 1],
) {
    outer(block, dims, dims.width_out as usize, x, dy, gradients);
}

/// y `[rows, out]` = x̃ Wᵀ for the `out` rows of weights that start at `dims.weight`.
pub(super) fn multiply<F: Float>(
    block: &Block<F>,
    dims: &Dims,
    out: usize,
    parameters: &[F],
    x: &[F],
    y: &mut [F],
) {
    let (width, constant) = (dims.width_in as usize, dims.constant as usize);
    let fan_in = width + constant;
    let weight = &parameters[dims.weight as usize..][..out * fan_in];
    if constant == 1 {
        let bias: Vec<F> = weight.iter().skip(width).step_by(fan_in).copied().collect();
        y.chunks_exact_mut(out).for_each(|row| row.copy_from_slice(&bias));
    }
    product(
        [block.rows(dims), width, out],
        View::rows(x, width),
        View { data: weight, row: fan_in, column: 1 }.t(),
        y,
        out,
        constant == 1,
    );
}

/// dx `[rows, in]` = dy W for `out` rows of weights.
pub(super) fn multiply_back<F: Float>(
    block: &Block<F>,
    dims: &Dims,
    out: usize,
    parameters: &[F],
    dy: &[F],
    dx: &mut [F],
) {
    let (width, fan_in) = (dims.width_in as usize, (dims.width_in + dims.constant) as usize);
    let weight = &parameters[dims.weight as usize..][..out * fan_in];
    let view = View { data: weight, row: fan_in, column: 1 };
    product(
        [block.rows(dims), out, width],
        View::rows(dy, out),
        view,
        dx,
        width,
        dims.accumulate == 1,
    );
}

/// dW `[out, in (+1)]` = dyᵀ x̃.
pub(super) fn outer<F: Float>(
    block: &Block<F>,
    dims: &Dims,
    out: usize,
    x: &[F],
    dy: &[F],
    gradients: &mut [F],
) {
    let (width, constant) = (dims.width_in as usize, dims.constant as usize);
    let fan_in = width + constant;
    let gradient = &mut gradients[dims.weight as usize..][..out * fan_in];
    product(
        [out, block.rows(dims), width],
        View::rows(dy, out).t(),
        View::rows(x, width),
        gradient,
        fan_in,
        false,
    );
    if constant == 1 {
        let mut sums = vec![F::ZERO; out];
        simd(
            #[inline(always)]
            || {
                dy.chunks_exact(out)
                    .for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, &v)| *sum += v))
            },
        );
        gradient
            .iter_mut()
            .skip(width)
            .step_by(fan_in)
            .zip(sums)
            .for_each(|(slot, sum)| *slot = sum);
    }
}
