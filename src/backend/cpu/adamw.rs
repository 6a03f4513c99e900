//! Twin of `shaders/adamw.wgsl`: AdamW with decoupled weight decay,
//! p ← p − rate · (m̂ / (√v̂ + ε) + decay · p), on the sum of the splits' gradients, g / (1 +
//! excess).

use super::clock::State;
use super::memory::Memory;
use super::simd;
use crate::graph::Graph;
use crate::graph::dims::{Dims, RUNNING};
use crate::math::float::Float;
use rayon::prelude::*;

/// Parameters from which on the optimiser is worth spreading over threads.
const PARALLEL_PARAMETERS: usize = 16_384;
/// Parameters that a thread then takes at once.
const CHUNK: usize = 4096;

/// One step on all parameters, unless a loss was not finite.
pub fn update<F: Float>(_: &Dims, clock: &mut State<F>, memory: &mut Memory<F>, spread: bool) {
    if clock.halted_at != RUNNING {
        return;
    }
    let written = [Graph::PARAMETERS, Graph::FIRST_MOMENT, Graph::SECOND_MOMENT];
    let mut state = written.map(|id| std::mem::take(&mut memory.shared[id.0]));
    let (gradients, decay_mask) = (memory.gradients(), &memory.shared[Graph::DECAY_MASK.0]);
    let [p, m, v] = state.each_mut().map(Vec::as_mut_slice);
    if spread && p.len() >= PARALLEL_PARAMETERS {
        let chunks =
            p.par_chunks_mut(CHUNK).zip(m.par_chunks_mut(CHUNK)).zip(v.par_chunks_mut(CHUNK));
        chunks.enumerate().for_each(|(i, ((p, m), v))| {
            update_part(clock, decay_mask, &gradients, i * CHUNK, p, m, v);
        });
    } else {
        update_part(clock, decay_mask, &gradients, 0, p, m, v);
    }
    for (id, array) in written.into_iter().zip(state) {
        memory.shared[id.0] = array;
    }
}

/// The same on the parameters from number `first` on (`p`, `m`, `v` are that part; the others are
/// whole).
fn update_part<F: Float>(
    clock: &State<F>,
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
