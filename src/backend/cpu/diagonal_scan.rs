//! Twin of `shaders/diagonal_scan.wgsl`: h_t = λ ⊙ h_{t−1} + u_t, λ = exp(−exp(ν)).

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

fn decay<F: Float>(dims: &Dims, parameters: &[F]) -> Vec<F> {
    let nu = &parameters[dims.weight as usize..][..dims.width_out as usize];
    nu.iter().map(|&nu| (-nu.exp()).exp()).collect()
}

/// h_t = λ ⊙ h_{t−1} + u_t from h_0 = 0.
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, u]: [&[F]; 2],
    [h]: [&mut [F]; 1],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let lambda = decay(dims, parameters);
    simd(
        #[inline(always)]
        || {
            for (u, h) in u.chunks_exact(time * n).zip(h.chunks_exact_mut(time * n)) {
                h[..n].copy_from_slice(&u[..n]);
                for t in 1..time {
                    let (past, now) = h.split_at_mut(t * n);
                    let previous = &past[(t - 1) * n..];
                    let step = now.iter_mut().zip(previous).zip(&u[t * n..]).zip(&lambda);
                    step.for_each(|(((h, &previous), &u), &lambda)| *h = lambda * previous + u);
                }
            }
        },
    );
}

/// du_t = dh_t + λ du_{t+1}; dν = −exp(ν) λ Σ_t du_t h_{t−1} into the split's gradients.
pub fn backward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [parameters, h, dh]: [&[F]; 3],
    [du, gradients]: [&mut [F]; 2],
) {
    let (n, time) = (dims.width_out as usize, dims.time as usize);
    let lambda = decay(dims, parameters);
    let d_nu = &mut gradients[dims.weight as usize..][..n];
    d_nu.fill(F::ZERO);
    simd(
        #[inline(always)]
        || {
            let sequences = h
                .chunks_exact(time * n)
                .zip(dh.chunks_exact(time * n))
                .zip(du.chunks_exact_mut(time * n));
            for ((h, dh), du) in sequences {
                let last = (time - 1) * n;
                du[last..].copy_from_slice(&dh[last..]);
                for t in (0..time - 1).rev() {
                    let (now, later) = du.split_at_mut((t + 1) * n);
                    let step =
                        now[t * n..].iter_mut().zip(&dh[t * n..]).zip(&lambda).zip(&later[..n]);
                    step.for_each(|(((du, &dh), &lambda), &later)| *du = dh + lambda * later);
                    let sum = d_nu.iter_mut().zip(&later[..n]).zip(&h[t * n..]);
                    sum.for_each(|((d_nu, &later), &h)| *d_nu += later * h);
                }
            }
            let nu = &parameters[dims.weight as usize..][..n];
            for ((d_nu, &nu), &lambda) in d_nu.iter_mut().zip(nu).zip(&lambda) {
                *d_nu = -nu.exp() * lambda * *d_nu;
            }
        },
    );
}
