//! Twin of `shaders/add.wgsl`: y = a + b.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// y = a + b.
pub fn forward<F: Float>(_: &Dims, _: &mut Block<F>, [a, b]: [&[F]; 2], [y]: [&mut [F]; 1]) {
    simd(
        #[inline(always)]
        || y.iter_mut().zip(a).zip(b).for_each(|((y, &a), &b)| *y = a + b),
    );
}

/// dx = dy (or += with `accumulate`).
pub fn backward<F: Float>(dims: &Dims, _: &mut Block<F>, [dy]: [&[F]; 1], [dx]: [&mut [F]; 1]) {
    if dims.accumulate == 0 {
        return dx.copy_from_slice(dy);
    }
    simd(
        #[inline(always)]
        || dx.iter_mut().zip(dy).for_each(|(dx, &dy)| *dx += dy),
    );
}
