//! Twin of `shaders/complex_scan.wgsl`: the LRU's recurrence h_t = λ ⊙ h_{t−1} + γ ⊙ u_t, λ =
//! exp(−exp(ν) + i exp(θ)), γ = exp(γ_log). Rows hold complex numbers in halves [re, im].

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// One channel's numbers.
#[derive(Clone, Copy)]
struct Channel<F> {
    rate: F,
    phase: F,
    re: F,
    im: F,
    gamma: F,
}

fn channels<F: Float>(dims: &Dims, parameters: &[F]) -> Vec<Channel<F>> {
    let n = dims.width_out as usize;
    let own = &parameters[dims.weight as usize..][..3 * n];
    let channel = |j: usize| {
        let (rate, phase) = (own[j].exp(), own[n + j].exp());
        let (radius, (sin, cos)) = ((-rate).exp(), phase.sin_cos());
        Channel { rate, phase, re: radius * cos, im: radius * sin, gamma: own[2 * n + j].exp() }
    };
    (0..n).map(channel).collect()
}

/// h_t = λ ⊙ h_{t−1} + γ ⊙ u_t from h_0 = 0.
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u]: [&[F]; 2],
    [h]: [&mut [F]; 1],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let channels = channels(dims, parameters);
    let mut state = vec![F::ZERO; 2 * n];
    simd(
        #[inline(always)]
        || {
            for (u, h) in u.chunks_exact(time * 2 * n).zip(h.chunks_exact_mut(time * 2 * n)) {
                state.fill(F::ZERO);
                for (u, h) in u.chunks_exact(2 * n).zip(h.chunks_exact_mut(2 * n)) {
                    let ((re, im), (u_re, u_im)) = (state.split_at_mut(n), u.split_at(n));
                    for ((((re, im), &u_re), &u_im), c) in
                        re.iter_mut().zip(im).zip(u_re).zip(u_im).zip(&channels)
                    {
                        (*re, *im) = (
                            c.re * *re - c.im * *im + c.gamma * u_re,
                            c.re * *im + c.im * *re + c.gamma * u_im,
                        );
                    }
                    h.copy_from_slice(&state);
                }
            }
        },
    );
}

/// s_t = dh_t + λ̄ s_{t+1}, du_t = γ ⊙ s_t; dν, dθ, dγ_log into the split's gradients.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u, h, dh]: [&[F]; 4],
    [du, gradients]: [&mut [F]; 2],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let channels = channels(dims, parameters);
    let gradients = &mut gradients[dims.weight as usize..][..3 * n];
    let mut later = vec![F::ZERO; 2 * n]; // s_{t+1}
    let mut sums = vec![[F::ZERO; 3]; n]; // Σ s_{t+1} h̄_t and Σ Re(s̄_t u_t)
    simd(
        #[inline(always)]
        || {
            let sequences = u.chunks_exact(time * 2 * n).zip(h.chunks_exact(time * 2 * n));
            for ((u, h), (dh, du)) in
                sequences.zip(dh.chunks_exact(time * 2 * n).zip(du.chunks_exact_mut(time * 2 * n)))
            {
                later.fill(F::ZERO);
                for t in (0..time).rev() {
                    let row = t * 2 * n;
                    let (re, im) = later.split_at_mut(n);
                    for (j, (c, sum)) in channels.iter().zip(&mut sums).enumerate() {
                        let (at, other) = (row + j, row + n + j);
                        sum[0] += re[j] * h[at] + im[j] * h[other];
                        sum[1] += im[j] * h[at] - re[j] * h[other];
                        (re[j], im[j]) = (
                            dh[at] + c.re * re[j] + c.im * im[j],
                            dh[other] + c.re * im[j] - c.im * re[j],
                        );
                        sum[2] += re[j] * u[at] + im[j] * u[other];
                        (du[at], du[other]) = (c.gamma * re[j], c.gamma * im[j]);
                    }
                }
            }
        },
    );
    for (j, (c, [re, im, gamma])) in channels.iter().zip(sums).enumerate() {
        gradients[j] = -c.rate * (re * c.re + im * c.im);
        gradients[n + j] = c.phase * (im * c.re - re * c.im);
        gradients[2 * n + j] = c.gamma * gamma;
    }
}
