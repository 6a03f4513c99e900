//! Twin of `shaders/hadamard.wgsl`: y = a ⊙ b.

use super::simd;
use crate::math::float::Float;

/// y = a ⊙ b.
pub fn forward<F: Float>(a: &[F], b: &[F], y: &mut [F]) {
    simd(
        #[inline(always)]
        || y.iter_mut().zip(a).zip(b).for_each(|((y, &a), &b)| *y = a * b),
    );
}

/// da = dy ⊙ b, db = dy ⊙ a.
pub fn backward<F: Float>(a: &[F], b: &[F], dy: &[F], da: &mut [F], db: &mut [F]) {
    forward(dy, b, da);
    forward(dy, a, db);
}
