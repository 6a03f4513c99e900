//! Twin of `shaders/contract.wgsl`: `y_t[e]` = Σ_n `C_t[n]` `h_t[e, n]`.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// y = h C, row by row.
pub fn forward<F: Float>(dims: &Dims, _: &mut Block<F>, [h, c]: [&[F]; 2], [y]: [&mut [F]; 1]) {
    let (state, width) = sizes(dims);
    simd(
        #[inline(always)]
        || {
            for ((h, c), y) in h
                .chunks_exact(width * state)
                .zip(c.chunks_exact(state))
                .zip(y.chunks_exact_mut(width))
            {
                y.iter_mut()
                    .zip(h.chunks_exact(state))
                    .for_each(|(y, h)| *y = h.iter().zip(c).map(|(&h, &c)| h * c).sum());
            }
        },
    );
}

/// dh = dy Cᵀ.
pub fn backward_h<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [dy, c]: [&[F]; 2],
    [dh]: [&mut [F]; 1],
) {
    let (state, width) = sizes(dims);
    simd(
        #[inline(always)]
        || {
            for ((dy, c), dh) in dy
                .chunks_exact(width)
                .zip(c.chunks_exact(state))
                .zip(dh.chunks_exact_mut(width * state))
            {
                for (&dy, dh) in dy.iter().zip(dh.chunks_exact_mut(state)) {
                    dh.iter_mut().zip(c).for_each(|(dh, &c)| *dh = dy * c);
                }
            }
        },
    );
}

/// dC = hᵀ dy.
pub fn backward_c<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [h, dy]: [&[F]; 2],
    [dc]: [&mut [F]; 1],
) {
    let (state, width) = sizes(dims);
    simd(
        #[inline(always)]
        || {
            for ((h, dy), dc) in h
                .chunks_exact(width * state)
                .zip(dy.chunks_exact(width))
                .zip(dc.chunks_exact_mut(state))
            {
                dc.fill(F::ZERO);
                for (h, &dy) in h.chunks_exact(state).zip(dy) {
                    dc.iter_mut().zip(h).for_each(|(dc, &h)| *dc += h * dy);
                }
            }
        },
    );
}

/// N and E.
fn sizes(dims: &Dims) -> (usize, usize) {
    (dims.width_in as usize, dims.width_out as usize)
}
