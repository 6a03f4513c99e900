//! Twin of `shaders/attention.wgsl`: causal self-attention with one head, y_t = Σ_{s≤t} p_ts v_s.

use super::Block;
use crate::graph::dims::Dims;
use crate::graph::op::attention::Scores;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

fn is_softmax(dims: &Dims) -> bool {
    dims.kind == Scores::Softmax as u32
}

/// 1/√E.
fn scale<F: Float>(dims: &Dims) -> F {
    F::ONE / F::of(dims.width_out.into()).sqrt()
}

/// p `[time, time]` of each sequence: the softmax of q_t · k_s / √E over s ≤ t, or q_t · k_s; 0 for
/// s > t.
pub fn weights<F: Float>(dims: &Dims, _: &mut Block<F>, [q, k]: [&[F]; 2], [p]: [&mut [F]; 1]) {
    let (width, time, scale) = (dims.width_out as usize, dims.time as usize, scale(dims));
    for ((q, k), p) in q
        .chunks_exact(time * width)
        .zip(k.chunks_exact(time * width))
        .zip(p.chunks_exact_mut(time * time))
    {
        product(
            [time, width, time],
            View::rows(q, width),
            View::rows(k, width).t(),
            p,
            time,
            false,
        );
        for (t, p) in p.chunks_exact_mut(time).enumerate() {
            let (seen, unseen) = p.split_at_mut(t + 1);
            unseen.fill(F::ZERO);
            if is_softmax(dims) {
                let largest = seen.iter().copied().fold(seen[0], |a, b| if b > a { b } else { a });
                seen.iter_mut().for_each(|p| *p = ((*p - largest) * scale).quick_exp());
                let sum: F = seen.iter().copied().sum();
                seen.iter_mut().for_each(|p| *p = *p / sum);
            }
        }
    }
}

/// y = p v.
pub fn forward<F: Float>(dims: &Dims, _: &mut Block<F>, [p, v]: [&[F]; 2], [y]: [&mut [F]; 1]) {
    let (width, time) = (dims.width_out as usize, dims.time as usize);
    for ((p, v), y) in p
        .chunks_exact(time * time)
        .zip(v.chunks_exact(time * width))
        .zip(y.chunks_exact_mut(time * width))
    {
        product([time, time, width], View::rows(p, time), View::rows(v, width), y, width, false);
    }
}

/// The gradient da of the scores: dp_ts = dy_t · v_s; with the softmax da = p ⊙ (dp − Σ p dp) / √E.
pub fn backward_weights<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [p, v, dy]: [&[F]; 3],
    [da]: [&mut [F]; 1],
) {
    let (width, time, scale) = (dims.width_out as usize, dims.time as usize, scale(dims));
    let sequences = p
        .chunks_exact(time * time)
        .zip(v.chunks_exact(time * width))
        .zip(dy.chunks_exact(time * width));
    for (((p, v), dy), da) in sequences.zip(da.chunks_exact_mut(time * time)) {
        product(
            [time, width, time],
            View::rows(dy, width),
            View::rows(v, width).t(),
            da,
            time,
            false,
        );
        for (t, (p, da)) in p.chunks_exact(time).zip(da.chunks_exact_mut(time)).enumerate() {
            da[t + 1..].fill(F::ZERO);
            if is_softmax(dims) {
                let sum: F = p.iter().zip(&*da).map(|(&p, &da)| p * da).sum();
                da.iter_mut().zip(p).for_each(|(da, &p)| *da = p * (*da - sum) * scale);
            }
        }
    }
}

/// dq = da k, dk = daᵀ q, dv = pᵀ dy.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [q, k, p, da, dy]: [&[F]; 5],
    [dq, dk, dv]: [&mut [F]; 3],
) {
    let (width, time) = (dims.width_out as usize, dims.time as usize);
    for sequence in 0..q.len() / (time * width) {
        let rows = sequence * time * width..(sequence + 1) * time * width;
        let cells = sequence * time * time..(sequence + 1) * time * time;
        let [q, k, dy] = [q, k, dy].map(|values| View::rows(&values[rows.clone()], width));
        let [p, da] = [p, da].map(|values| View::rows(&values[cells.clone()], time));
        product([time, time, width], da, k, &mut dq[rows.clone()], width, false);
        product([time, time, width], da.t(), q, &mut dk[rows.clone()], width, false);
        product([time, time, width], p.t(), dy, &mut dv[rows], width, false);
    }
}
