//! Twin of `shaders/dense_scan.wgsl`: h_t = A h_{t−1} + u_t. A step is one matrix product over the
//! block's sequences.

use super::{Block, linear, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

/// h_t = A h_{t−1} + u_t from h_0 = 0.
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u]: [&[F]; 2],
    [h]: [&mut [F]; 1],
) {
    let n = dims.width_out as usize;
    let a = View::rows(&parameters[dims.weight as usize..][..n * n], n);
    walk(dims, u, h, 0..dims.time as usize, |state, next, sequences| {
        product([sequences, n, n], View::rows(state, n), a.t(), next, n, false)
    });
}

/// du_t = dh_t + Aᵀ du_{t+1}.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, dh]: [&[F]; 2],
    [du]: [&mut [F]; 1],
) {
    let n = dims.width_out as usize;
    let a = View::rows(&parameters[dims.weight as usize..][..n * n], n);
    walk(dims, dh, du, (0..dims.time as usize).rev(), |state, next, sequences| {
        product([sequences, n, n], View::rows(state, n), a, next, n, false)
    });
}

/// dA = Σ du_t h_{t−1}ᵀ for the `width_out` rows of A, and with `constant` db = Σ du_t behind them,
/// into the split's gradients.
pub fn backward_weight<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [h, du]: [&[F]; 2],
    [gradients]: [&mut [F]; 1],
) {
    let (n, out, time) = (dims.width_in as usize, dims.width_out as usize, dims.time as usize);
    let mut past = vec![F::ZERO; h.len()]; // h_{t−1}
    for (past, h) in past.chunks_exact_mut(time * n).zip(h.chunks_exact(time * n)) {
        past[n..].copy_from_slice(&h[..(time - 1) * n]);
    }
    linear::outer(block, &Dims { constant: 0, ..*dims }, out, &past, du, gradients);
    if dims.constant == 1 {
        let bias = Dims { weight: dims.weight + dims.width_out * dims.width_in, ..*dims };
        super::channel::bias_backward(&bias, block, [du], [gradients]);
    }
}

/// state ← `next` of the state + what arrives, at each of the time steps; the states go to `out`.
fn walk<F: Float>(
    dims: &Dims,
    arriving: &[F],
    out: &mut [F],
    times: impl Iterator<Item = usize>,
    step: impl Fn(&[F], &mut [F], usize),
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = arriving.len() / (time * n);
    let (mut state, mut next) = (vec![F::ZERO; sequences * n], vec![F::ZERO; sequences * n]);
    for t in times {
        step(&state, &mut next, sequences);
        simd(
            #[inline(always)]
            || {
                let rows = at_step(arriving, n, time, t).zip(at_step_mut(out, n, time, t));
                for ((arriving, out), next) in rows.zip(next.chunks_exact_mut(n)) {
                    next.iter_mut().zip(arriving).for_each(|(next, &arriving)| *next += arriving);
                    out.copy_from_slice(next);
                }
            },
        );
        std::mem::swap(&mut state, &mut next);
    }
}

/// Each sequence's row of step t.
pub(super) fn at_step<F>(
    rows: &[F],
    width: usize,
    time: usize,
    t: usize,
) -> impl Iterator<Item = &[F]> {
    rows.chunks_exact(time * width).map(move |sequence| &sequence[t * width..][..width])
}

/// The same to write to.
pub(super) fn at_step_mut<F>(
    rows: &mut [F],
    width: usize,
    time: usize,
    t: usize,
) -> impl Iterator<Item = &mut [F]> {
    rows.chunks_exact_mut(time * width).map(move |sequence| &mut sequence[t * width..][..width])
}
