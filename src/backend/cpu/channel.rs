//! Twin of `shaders/channel.wgsl`: one number a channel, y = x + b or y = d ⊙ x.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// y = x + b.
pub fn bias<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, x]: [&[F]; 2],
    [y]: [&mut [F]; 1],
) {
    each(
        x,
        y,
        own(dims, parameters),
        #[inline(always)]
        |x, b| x + b,
    );
}

/// db = Σ dy into the split's gradients.
pub fn bias_backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [dy]: [&[F]; 1],
    [gradients]: [&mut [F]; 1],
) {
    let n = dims.width_out as usize;
    let db = &mut gradients[dims.weight as usize..][..n];
    db.fill(F::ZERO);
    simd(
        #[inline(always)]
        || dy.chunks_exact(n).for_each(|dy| db.iter_mut().zip(dy).for_each(|(db, &dy)| *db += dy)),
    );
}

/// y = d ⊙ x.
pub fn scale<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, x]: [&[F]; 2],
    [y]: [&mut [F]; 1],
) {
    each(
        x,
        y,
        own(dims, parameters),
        #[inline(always)]
        |x, d| x * d,
    );
}

/// dx = d ⊙ dy; dd = Σ dy ⊙ x into the split's gradients.
pub fn scale_backward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [parameters, x, dy]: [&[F]; 3],
    [dx, gradients]: [&mut [F]; 2],
) {
    let n = dims.width_out as usize;
    scale(dims, block, [parameters, dy], [dx]);
    let dd = &mut gradients[dims.weight as usize..][..n];
    dd.fill(F::ZERO);
    simd(
        #[inline(always)]
        || {
            for (dy, x) in dy.chunks_exact(n).zip(x.chunks_exact(n)) {
                dd.iter_mut().zip(dy).zip(x).for_each(|((dd, &dy), &x)| *dd += dy * x);
            }
        },
    );
}

fn own<'a, F>(dims: &Dims, parameters: &'a [F]) -> &'a [F] {
    &parameters[dims.weight as usize..][..dims.width_out as usize]
}

fn each<F: Float>(x: &[F], y: &mut [F], own: &[F], f: impl Fn(F, F) -> F) {
    simd(
        #[inline(always)]
        || {
            for (x, y) in x.chunks_exact(own.len()).zip(y.chunks_exact_mut(own.len())) {
                y.iter_mut().zip(x).zip(own).for_each(|((y, &x), &own)| *y = f(x, own));
            }
        },
    );
}
