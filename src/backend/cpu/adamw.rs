//! Twin of `shaders/adamw.wgsl`: AdamW with decoupled weight decay,
//! p ← p − rate · (m̂ / (√v̂ + ε) + decay · p), on the sum of the splits' gradients, g / (1 +
//! excess).

use super::{clock, simd};
use crate::math::float::Float;

/// One step on the parameters from number `first` on (`p`, `m`, `v` are that part; the others are
/// whole).
pub fn update<F: Float>(
    clock: &clock::State<F>,
    decay_mask: &[F],
    splits: &[&[F]],
    first: usize,
    p: &mut [F],
    m: &mut [F],
    v: &mut [F],
) {
    let (one_minus_beta1, one_minus_beta2) = (clock.one_minus_beta1, clock.one_minus_beta2);
    let (correction1, correction2) = (F::ONE / clock.correction1, F::ONE / clock.correction2);
    let (rate, decay, epsilon) = (clock.rate, clock.decay, clock.epsilon);
    let excess = F::ONE + clock.excess;
    let mut sum = [F::ZERO; 256];
    simd(
        #[inline(always)]
        || {
            let parts =
                p.chunks_mut(sum.len()).zip(m.chunks_mut(256)).zip(v.chunks_mut(256)).enumerate();
            for (part, ((p, m), v)) in parts {
                let (start, len) = (first + part * 256, p.len());
                let sum = &mut sum[..len];
                sum.copy_from_slice(&splits[0][start..start + len]);
                for split in &splits[1..] {
                    sum.iter_mut().zip(&split[start..start + len]).for_each(|(sum, &g)| *sum += g);
                }
                let mask = &decay_mask[start..start + len];
                for ((((p, m), v), &g), &mask) in
                    p.iter_mut().zip(m).zip(v).zip(sum.iter()).zip(mask)
                {
                    let g = g / excess;
                    *m += one_minus_beta1 * (g - *m);
                    *v += one_minus_beta2 * (g * g - *v);
                    let step = *m * correction1 / ((*v * correction2).sqrt() + epsilon);
                    *p -= rate * (step + decay * mask * *p);
                }
            }
        },
    );
}
