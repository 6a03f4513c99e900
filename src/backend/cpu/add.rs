//! Twin of `shaders/add.wgsl`: y = a + b.

use super::simd;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// y = a + b.
pub fn forward<F: Float>(a: &[F], b: &[F], y: &mut [F]) {
    simd(
        #[inline(always)]
        || y.iter_mut().zip(a).zip(b).for_each(|((y, &a), &b)| *y = a + b),
    );
}

/// dx = dy (or += with `accumulate`).
pub fn backward<F: Float>(dims: &Dims, dy: &[F], dx: &mut [F]) {
    if dims.accumulate == 0 {
        return dx.copy_from_slice(dy);
    }
    simd(
        #[inline(always)]
        || dx.iter_mut().zip(dy).for_each(|(dx, &dy)| *dx += dy),
    );
}
