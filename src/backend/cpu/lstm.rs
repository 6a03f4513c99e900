//! Twin of `shaders/lstm.wgsl`: PyTorch's LSTM, gates in the order i, f, g, o.

use super::activation::sigmoid;
use super::dense_scan::{at_step, at_step_mut};
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

/// a = u_t + W_hh h_{t−1} + b; c_t = σ(a_f) c_{t−1} + σ(a_i) tanh(a_g); h_t = σ(a_o) tanh(c_t).
pub fn forward<F: Float>(dims: &Dims, parameters: &[F], u: &[F], gates: &mut [F], c: &mut [F], h: &mut [F]) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = h.len() / (time * n);
    let (weight, bias) = parameters[dims.weight as usize..][..4 * n * (n + 1)].split_at(4 * n * n);
    let (mut state, mut cell) = (vec![F::ZERO; sequences * n], vec![F::ZERO; sequences * n]);
    let mut recurrent = vec![F::ZERO; sequences * 4 * n];
    for t in 0..time {
        product([sequences, n, 4 * n], View::rows(&state, n), View::rows(weight, n).t(), &mut recurrent, 4 * n, false);
        let inputs = recurrent.chunks_exact(4 * n).zip(at_step(u, 4 * n, time, t)).zip(at_step_mut(gates, 4 * n, time, t));
        let states = state.chunks_exact_mut(n).zip(cell.chunks_exact_mut(n));
        for (((recurrent, u), gates), (state, cell)) in inputs.zip(states) {
            for (k, gate) in gates.iter_mut().enumerate() {
                let a = u[k] + recurrent[k] + bias[k];
                *gate = if k / n == 2 { a.tanh() } else { sigmoid(a) };
            }
            for j in 0..n {
                cell[j] = gates[n + j] * cell[j] + gates[j] * gates[2 * n + j];
                state[j] = gates[3 * n + j] * cell[j].tanh();
            }
        }
        at_step_mut(c, n, time, t).zip(cell.chunks_exact(n)).for_each(|(c, cell)| c.copy_from_slice(cell));
        at_step_mut(h, n, time, t).zip(state.chunks_exact(n)).for_each(|(h, state)| h.copy_from_slice(state));
    }
}

/// The gradient du of a_t, which is that of u_t, back through time.
pub fn backward<F: Float>(dims: &Dims, parameters: &[F], gates: &[F], c: &[F], dh: &[F], du: &mut [F]) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = dh.len() / (time * n);
    let weight = &parameters[dims.weight as usize..][..4 * n * n];
    let (mut dstate, mut dcell) = (vec![F::ZERO; sequences * n], vec![F::ZERO; sequences * n]); // from step t + 1
    let mut da = vec![F::ZERO; sequences * 4 * n];
    for t in (0..time).rev() {
        let arriving = at_step(dh, n, time, t).zip(at_step(gates, 4 * n, time, t)).zip(c.chunks_exact(time * n));
        let states = dstate.chunks_exact(n).zip(dcell.chunks_exact_mut(n)).zip(da.chunks_exact_mut(4 * n));
        for (((dh, gates), c), ((dstate, dcell), da)) in arriving.zip(states) {
            for j in 0..n {
                let [i, f, g, o] = [0, 1, 2, 3].map(|gate| gates[gate * n + j]);
                let before = if t == 0 { F::ZERO } else { c[(t - 1) * n + j] };
                let (dh, tanh) = (dh[j] + dstate[j], c[t * n + j].tanh());
                let dc = dcell[j] + dh * o * (F::ONE - tanh * tanh);
                let each = [dc * g * i * (F::ONE - i), dc * before * f * (F::ONE - f), dc * i * (F::ONE - g * g), dh * tanh * o * (F::ONE - o)];
                each.into_iter().enumerate().for_each(|(gate, value)| da[gate * n + j] = value);
                dcell[j] = dc * f;
            }
        }
        at_step_mut(du, 4 * n, time, t).zip(da.chunks_exact(4 * n)).for_each(|(du, da)| du.copy_from_slice(da));
        product([sequences, 4 * n, n], View::rows(&da, 4 * n), View::rows(weight, n), &mut dstate, n, false);
    }
}
