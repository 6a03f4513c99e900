//! Twin of `shaders/bilinear.wgsl`: the paper's gate g = (x W_mᵀ) ⊙ (x W_xᵀ). W_x follows W_m in
//! the parameters, so both sides are one matrix product: `sides [rows, 2 out]` = x [W_m; W_x]ᵀ.

use super::{Block, linear, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// Both sides and their product.
pub fn forward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, x]: [&[F]; 2],
    [sides, g]: [&mut [F]; 2],
) {
    let out = dims.width_out as usize;
    linear::multiply(block, dims, 2 * out, parameters, x, sides);
    simd(
        #[inline(always)]
        || {
            for (g, row) in g.chunks_exact_mut(out).zip(sides.chunks_exact(2 * out)) {
                let (m, s) = row.split_at(out);
                g.iter_mut().zip(m).zip(s).for_each(|((g, &m), &s)| *g = m * s);
            }
        },
    );
}

/// dx = (dg ⊙ s) W_m + (dg ⊙ m) W_x.
pub fn backward_input<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, sides, dg]: [&[F]; 3],
    [dx]: [&mut [F]; 1],
) {
    keep_sides_gradient(dims, block, sides, dg);
    let out = 2 * dims.width_out as usize;
    linear::multiply_back(block, dims, out, parameters, &block.kept, dx);
}

/// dW_m and dW_x into the split's gradients.
pub fn backward_weight<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [x, sides, dg]: [&[F]; 3],
    [gradients]: [&mut [F]; 1],
) {
    // Kept by `backward_input` unless nothing flows to x.
    if block.kept_of.take() != Some(dims.weight) {
        keep_sides_gradient(dims, block, sides, dg);
    }
    block.kept_of = None;
    linear::outer(block, dims, 2 * dims.width_out as usize, x, &block.kept, gradients);
}

/// `[dg ⊙ s, dg ⊙ m]`: the gradient of both sides, which the two reverse kernels start from.
fn keep_sides_gradient<F: Float>(dims: &Dims, block: &mut Block<F>, sides: &[F], dg: &[F]) {
    let (out, gradient) = (dims.width_out as usize, &mut block.kept);
    block.kept_of = Some(dims.weight);
    gradient.resize(sides.len(), F::ZERO);
    simd(
        #[inline(always)]
        || {
            let rows = gradient
                .chunks_exact_mut(2 * out)
                .zip(sides.chunks_exact(2 * out))
                .zip(dg.chunks_exact(out));
            for ((gradient, row), dg) in rows {
                let ((m, s), (dm, ds)) = (row.split_at(out), gradient.split_at_mut(out));
                dm.iter_mut().zip(dg).zip(s).for_each(|((dm, &dg), &s)| *dm = dg * s);
                ds.iter_mut().zip(dg).zip(m).for_each(|((ds, &dg), &m)| *ds = dg * m);
            }
        },
    );
}
