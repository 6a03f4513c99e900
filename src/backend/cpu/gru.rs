//! Twin of `shaders/gru.wgsl`: PyTorch's GRU, gates in the order r, z, n.

use super::activation::sigmoid;
use super::dense_scan::{at_step, at_step_mut};
use super::lstm::quarters;
use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::gemm::{View, product};

/// q = W_hh h_{t−1} + b_hh; r = σ(u_r + q_r), z = σ(u_z + q_z), n = tanh(u_n + r q_n); h_t = (1 −
/// z) n + z h_{t−1}. Keeps r, z, n, q_n.
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u]: [&[F]; 2],
    [gates, h]: [&mut [F]; 2],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = h.len() / (time * n);
    let (weight, bias) = parameters[dims.weight as usize..][..3 * n * (n + 1)].split_at(3 * n * n);
    let mut state = vec![F::ZERO; sequences * n];
    let mut q = vec![F::ZERO; sequences * 3 * n];
    for t in 0..time {
        q.chunks_exact_mut(3 * n).for_each(|q| q.copy_from_slice(bias));
        product(
            [sequences, n, 3 * n],
            View::rows(&state, n),
            View::rows(weight, n).t(),
            &mut q,
            3 * n,
            true,
        );
        let inputs = q.chunks_exact(3 * n).zip(at_step(u, 3 * n, time, t)).zip(at_step_mut(
            gates,
            4 * n,
            time,
            t,
        ));
        simd(
            #[inline(always)]
            || {
                for (((q, u), gates), state) in inputs.zip(state.chunks_exact_mut(n)) {
                    let ([u_r, u_z, u_n], [q_r, q_z, q_n]) = (thirds(u), thirds(q));
                    let [r, z, new, kept] = quarters(gates);
                    for j in 0..n {
                        r[j] = sigmoid(u_r[j] + q_r[j]);
                        z[j] = sigmoid(u_z[j] + q_z[j]);
                        kept[j] = q_n[j];
                        new[j] = (u_n[j] + r[j] * q_n[j]).tanh();
                        state[j] = (F::ONE - z[j]) * new[j] + z[j] * state[j];
                    }
                }
            },
        );
        at_step_mut(h, n, time, t)
            .zip(state.chunks_exact(n))
            .for_each(|(h, state)| h.copy_from_slice(state));
    }
}

/// The gradients du of u_t and dq of q_t, back through time.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, gates, h, dh]: [&[F]; 4],
    [du, dq]: [&mut [F]; 2],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let sequences = h.len() / (time * n);
    let weight = &parameters[dims.weight as usize..][..3 * n * n];
    let mut dstate = vec![F::ZERO; sequences * n]; // from step t + 1
    let mut recurrent = vec![F::ZERO; sequences * 3 * n];
    for t in (0..time).rev() {
        let arriving = at_step(dh, n, time, t)
            .zip(at_step(gates, 4 * n, time, t))
            .zip(h.chunks_exact(time * n));
        let states = dstate
            .chunks_exact_mut(n)
            .zip(recurrent.chunks_exact_mut(3 * n))
            .zip(at_step_mut(du, 3 * n, time, t));
        for (((dh, gates), h), ((dstate, dq), du)) in arriving.zip(states) {
            for j in 0..n {
                let [r, z, new, recurrent] = [0, 1, 2, 3].map(|gate| gates[gate * n + j]);
                let before = if t == 0 { F::ZERO } else { h[(t - 1) * n + j] };
                let dh = dh[j] + dstate[j];
                let dn = dh * (F::ONE - z) * (F::ONE - new * new);
                let dr = dn * recurrent * r * (F::ONE - r);
                let dz = dh * (before - new) * z * (F::ONE - z);
                [(j, dr, dr), (n + j, dz, dz), (2 * n + j, dn, dn * r)]
                    .into_iter()
                    .for_each(|(k, u, q)| (du[k], dq[k]) = (u, q));
                dstate[j] = dh * z;
            }
        }
        at_step_mut(dq, 3 * n, time, t)
            .zip(recurrent.chunks_exact(3 * n))
            .for_each(|(dq, recurrent)| dq.copy_from_slice(recurrent));
        product(
            [sequences, 3 * n, n],
            View::rows(&recurrent, 3 * n),
            View::rows(weight, n),
            &mut dstate,
            n,
            true,
        );
    }
}

/// Three gates' parts of a row.
#[inline(always)]
fn thirds<F>(row: &[F]) -> [&[F]; 3] {
    let n = row.len() / 3;
    [0, 1, 2].map(|gate| &row[gate * n..][..n])
}
