//! Twin of `shaders/last.wgsl`: the last time steps of a sequence.

use super::Block;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// y `[sequences, time − first, width]` = x from time step `first` on.
pub fn forward<F: Float>(dims: &Dims, _: &mut Block<F>, [x]: [&[F]; 1], [y]: [&mut [F]; 1]) {
    let (whole, before) = lengths(dims);
    for (x, y) in x.chunks_exact(whole).zip(y.chunks_exact_mut(whole - before)) {
        y.copy_from_slice(&x[before..]);
    }
}

/// dx = dy from time step `first` on, 0 before (or += dy with `accumulate`).
pub fn backward<F: Float>(dims: &Dims, _: &mut Block<F>, [dy]: [&[F]; 1], [dx]: [&mut [F]; 1]) {
    let (whole, before) = lengths(dims);
    for (dy, dx) in dy.chunks_exact(whole - before).zip(dx.chunks_exact_mut(whole)) {
        if dims.accumulate == 1 {
            dx[before..].iter_mut().zip(dy).for_each(|(dx, &dy)| *dx += dy);
        } else {
            dx[..before].fill(F::ZERO);
            dx[before..].copy_from_slice(dy);
        }
    }
}

/// Numbers of a sequence, and of its part before `first`.
fn lengths(dims: &Dims) -> (usize, usize) {
    let width = dims.width_out as usize;
    (dims.time as usize * width, dims.first as usize * width)
}
