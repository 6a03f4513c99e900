//! Twin of `shaders/bilinear.wgsl`: the paper's gate g = (x W_mᵀ) ⊙ (x W_xᵀ). W_x follows W_m in
//! the parameters, so both sides are one matrix product: `sides [rows, 2 out]` = x [W_m; W_x]ᵀ.

use super::{Block, linear, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// Both sides and their product.
pub fn forward<F: Float>(
    block: Block,
    dims: &Dims,
    parameters: &[F],
    x: &[F],
    sides: &mut [F],
    g: &mut [F],
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

/// `[dg ⊙ s, dg ⊙ m]`: the gradient of both sides, which the two reverse kernels start from.
pub fn sides_gradient<F: Float>(dims: &Dims, sides: &[F], dg: &[F], gradient: &mut Vec<F>) {
    let out = dims.width_out as usize;
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

/// dx = (dg ⊙ s) W_m + (dg ⊙ m) W_x.
pub fn backward_input<F: Float>(
    block: Block,
    dims: &Dims,
    parameters: &[F],
    sides_gradient: &[F],
    dx: &mut [F],
) {
    linear::multiply_back(block, dims, 2 * dims.width_out as usize, parameters, sides_gradient, dx);
}

/// dW_m and dW_x into the split's gradients.
pub fn backward_weight<F: Float>(
    block: Block,
    dims: &Dims,
    x: &[F],
    sides_gradient: &[F],
    gradients: &mut [F],
) {
    linear::outer(block, dims, 2 * dims.width_out as usize, x, sides_gradient, gradients);
}
