//! Twin of `shaders/lstm.wgsl`: PyTorch's LSTM, gates in the order i, f, g, o.

use super::activation::sigmoid;
use super::dense_scan::{at_step, at_step_mut};
use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

/// a = u_t + W_hh h_{t−1} + b; c_t = σ(a_f) c_{t−1} + σ(a_i) tanh(a_g); h_t = σ(a_o) tanh(c_t).
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u]: [&[F]; 2],
    [gates, c, h]: [&mut [F]; 3],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = h.len() / (time * n);
    let (weight, bias) = parameters[dims.weight as usize..][..4 * n * (n + 1)].split_at(4 * n * n);
    let (mut state, mut cell) = (vec![F::ZERO; sequences * n], vec![F::ZERO; sequences * n]);
    let mut recurrent = vec![F::ZERO; sequences * 4 * n];
    for t in 0..time {
        product(
            [sequences, n, 4 * n],
            View::rows(&state, n),
            View::rows(weight, n).t(),
            &mut recurrent,
            4 * n,
            false,
        );
        let inputs = recurrent
            .chunks_exact(4 * n)
            .zip(at_step(u, 4 * n, time, t))
            .zip(at_step_mut(gates, 4 * n, time, t));
        let states = state.chunks_exact_mut(n).zip(cell.chunks_exact_mut(n));
        simd(
            #[inline(always)]
            || {
                for (((recurrent, u), gates), (state, cell)) in inputs.zip(states) {
                    let sums = gates.iter_mut().zip(recurrent).zip(u).zip(bias);
                    sums.for_each(|(((gate, &recurrent), &u), &bias)| *gate = u + recurrent + bias);
                    let [i, f, g, o] = quarters(gates);
                    for gate in [&mut *i, &mut *f, &mut *o] {
                        gate.iter_mut().for_each(|a| *a = sigmoid(*a));
                    }
                    g.iter_mut().for_each(|a| *a = a.tanh());
                    cell.iter_mut()
                        .zip(i)
                        .zip(f)
                        .zip(g)
                        .for_each(|(((cell, i), f), g)| *cell = *f * *cell + *i * *g);
                    state
                        .iter_mut()
                        .zip(o)
                        .zip(cell)
                        .for_each(|((state, o), cell)| *state = *o * cell.tanh());
                }
            },
        );
        at_step_mut(c, n, time, t)
            .zip(cell.chunks_exact(n))
            .for_each(|(c, cell)| c.copy_from_slice(cell));
        at_step_mut(h, n, time, t)
            .zip(state.chunks_exact(n))
            .for_each(|(h, state)| h.copy_from_slice(state));
    }
}

/// The gradient du of a_t, which is that of u_t, back through time.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, gates, c, dh]: [&[F]; 4],
    [du]: [&mut [F]; 1],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = dh.len() / (time * n);
    let weight = &parameters[dims.weight as usize..][..4 * n * n];
    let (mut dstate, mut dcell) = (vec![F::ZERO; sequences * n], vec![F::ZERO; sequences * n]); // from step t + 1
    let (mut da, zeros) = (vec![F::ZERO; sequences * 4 * n], vec![F::ZERO; n]);
    for t in (0..time).rev() {
        let arriving = at_step(dh, n, time, t)
            .zip(at_step(gates, 4 * n, time, t))
            .zip(c.chunks_exact(time * n));
        let states =
            dstate.chunks_exact(n).zip(dcell.chunks_exact_mut(n)).zip(da.chunks_exact_mut(4 * n));
        simd(
            #[inline(always)]
            || {
                for (((dh, gates), c), ((dstate, dcell), da)) in arriving.zip(states) {
                    let (before, now) =
                        (if t == 0 { &zeros } else { &c[(t - 1) * n..][..n] }, &c[t * n..][..n]);
                    let ([i, f, g, o], [di, df, dg, d_o]) =
                        ([0, 1, 2, 3].map(|gate| &gates[gate * n..][..n]), quarters(da));
                    let (dh, dstate, dcell) = (&dh[..n], &dstate[..n], &mut dcell[..n]);
                    for j in 0..n {
                        let (dh, tanh) = (dh[j] + dstate[j], now[j].tanh());
                        let dc = dcell[j] + dh * o[j] * (F::ONE - tanh * tanh);
                        di[j] = dc * g[j] * i[j] * (F::ONE - i[j]);
                        df[j] = dc * before[j] * f[j] * (F::ONE - f[j]);
                        dg[j] = dc * i[j] * (F::ONE - g[j] * g[j]);
                        d_o[j] = dh * tanh * o[j] * (F::ONE - o[j]);
                        dcell[j] = dc * f[j];
                    }
                }
            },
        );
        at_step_mut(du, 4 * n, time, t)
            .zip(da.chunks_exact(4 * n))
            .for_each(|(du, da)| du.copy_from_slice(da));
        product(
            [sequences, 4 * n, n],
            View::rows(&da, 4 * n),
            View::rows(weight, n),
            &mut dstate,
            n,
            false,
        );
    }
}

/// Four gates' parts of a row.
#[inline(always)]
pub(super) fn quarters<F>(row: &mut [F]) -> [&mut [F]; 4] {
    let (first, second) = row.split_at_mut(row.len() / 2);
    let ((i, f), (g, o)) =
        (first.split_at_mut(first.len() / 2), second.split_at_mut(second.len() / 2));
    [i, f, g, o]
}
