//! Twin of `shaders/selective_scan.wgsl`: Mamba's recurrence `h_t[e, n]` = exp(`Δ_t[e]` `A[e, n]`)
//! `h_{t−1}[e, n]` + `Δ_t[e]` `B_t[n]` `u_t[e]`, A = −exp(a_log).

use super::Block;
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// A `[E, N]`.
fn rates<F: Float>(dims: &Dims, parameters: &[F]) -> Vec<F> {
    parameters[dims.weight as usize..][..(dims.width_out * dims.width_in) as usize]
        .iter()
        .map(|a_log| -a_log.exp())
        .collect()
}

/// h from h_0 = 0.
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u, delta, b]: [&[F]; 4],
    [h]: [&mut [F]; 1],
) {
    let (n, width, time) = (dims.width_in as usize, dims.width_out as usize, dims.time as usize);
    let a = rates(dims, parameters);
    let mut state = vec![F::ZERO; width * n];
    for (row, h) in h.chunks_exact_mut(width * n).enumerate() {
        if row % time == 0 {
            state.fill(F::ZERO);
        }
        let b = &b[row * n..][..n];
        for (e, (state, a)) in state.chunks_exact_mut(n).zip(a.chunks_exact(n)).enumerate() {
            let (delta, added) =
                (delta[row * width + e], delta[row * width + e] * u[row * width + e]);
            state.iter_mut().zip(a).zip(b).for_each(|((state, &a), &b)| {
                *state = (delta * a).quick_exp() * *state + added * b
            });
        }
        h.copy_from_slice(&state);
    }
}

/// s_t = dh_t + exp(Δ_{t+1} A) s_{t+1}; da_log = A Σ Δ_t exp(Δ_t A) s_t h_{t−1} into the split's
/// gradients.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, dh, delta, h]: [&[F]; 4],
    [s, gradients]: [&mut [F]; 2],
) {
    let (n, width, time) = (dims.width_in as usize, dims.width_out as usize, dims.time as usize);
    let (a, cells) = (rates(dims, parameters), width * n);
    let sums = &mut gradients[dims.weight as usize..][..cells];
    sums.fill(F::ZERO);
    let mut later = vec![F::ZERO; cells]; // exp(Δ_{t+1} A) s_{t+1}
    for row in (0..s.len() / cells).rev() {
        let (t, at) = (row % time, row * cells);
        if t + 1 == time {
            later.fill(F::ZERO);
        }
        for cell in 0..cells {
            let step = delta[row * width + cell / n];
            let now = dh[at + cell] + later[cell];
            s[at + cell] = now;
            later[cell] = (step * a[cell]).quick_exp() * now;
            if t > 0 {
                sums[cell] += step * later[cell] * h[at - cells + cell];
            }
        }
    }
    sums.iter_mut().zip(&a).for_each(|(sum, &a)| *sum = a * *sum);
}

/// `du_t[e]` = Δ Σ_n s B; `dΔ_t[e]` = Σ_n s (A exp(Δ A) h_{t−1} + B u).
pub fn backward_input<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u, delta, b, h, s]: [&[F]; 6],
    [du, ddelta]: [&mut [F]; 2],
) {
    let (n, width, time) = (dims.width_in as usize, dims.width_out as usize, dims.time as usize);
    let (a, cells) = (rates(dims, parameters), width * n);
    for channel in 0..u.len() {
        let (row, at) = (channel / width, channel * n);
        let (b, s, a) = (&b[row * n..][..n], &s[at..][..n], &a[channel % width * n..][..n]);
        let added: F = s.iter().zip(b).map(|(&s, &b)| s * b).sum();
        let mut kept = F::ZERO;
        if row % time > 0 {
            let before = &h[at - cells..][..n];
            kept = s
                .iter()
                .zip(a)
                .zip(before)
                .map(|((&s, &a), &before)| s * a * (delta[channel] * a).quick_exp() * before)
                .sum();
        }
        (du[channel], ddelta[channel]) = (delta[channel] * added, added * u[channel] + kept);
    }
}

/// `dB_t[n]` = Σ_e s Δ u.
pub fn backward_b<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [s, u, delta]: [&[F]; 3],
    [db]: [&mut [F]; 1],
) {
    let (n, width) = (dims.width_in as usize, dims.width_out as usize);
    for (row, db) in db.chunks_exact_mut(n).enumerate() {
        db.fill(F::ZERO);
        for channel in row * width..(row + 1) * width {
            let factor = delta[channel] * u[channel];
            db.iter_mut().zip(&s[channel * n..]).for_each(|(db, &s)| *db += s * factor);
        }
    }
}
