//! Twin of `shaders/hadamard.wgsl`: y = a ⊙ b.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// y = a ⊙ b.
pub fn forward<F: Float>(_: &Dims, _: &mut Block<F>, [a, b]: [&[F]; 2], [y]: [&mut [F]; 1]) {
    simd(
        #[inline(always)]
        || y.iter_mut().zip(a).zip(b).for_each(|((y, &a), &b)| *y = a * b),
    );
}

/// da = dy ⊙ b, db = dy ⊙ a.
pub fn backward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [a, b, dy]: [&[F]; 3],
    [da, db]: [&mut [F]; 2],
) {
    forward(dims, block, [dy, b], [da]);
    forward(dims, block, [dy, a], [db]);
}
