//! Twin of `shaders/attention_teacher.wgsl`: linear self-attention, y_t = W_V C_t (W_Kᵀ W_Q) x_t
//! with C_t = Σ_{s≤t} x_s x_sᵀ.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::float::Float;

/// Writes y for the block's sequences; `teacher` is W_V `[d, d]`, then W_Kᵀ W_Q `[d, d]`.
pub fn forward<F: Float>(
    dims: &Dims,
    _: &mut Block<F>,
    [x, teacher]: [&[F]; 2],
    [y]: [&mut [F]; 1],
) {
    let (d, time) = (dims.width_in as usize, dims.time as usize);
    let (value, key_query) = teacher.split_at(d * d);
    let mut memory = vec![F::ZERO; d * d]; // C_t, symmetric
    let (mut query, mut read) = (vec![F::ZERO; d], vec![F::ZERO; d]);
    simd(
        #[inline(always)]
        || {
            for (x, y) in x.chunks_exact(time * d).zip(y.chunks_exact_mut(time * d)) {
                memory.fill(F::ZERO);
                for (x, y) in x.chunks_exact(d).zip(y.chunks_exact_mut(d)) {
                    for (row, &left) in memory.chunks_exact_mut(d).zip(x) {
                        row.iter_mut().zip(x).for_each(|(c, &right)| *c += left * right);
                    }
                    multiply(key_query, x, &mut query);
                    multiply(&memory, &query, &mut read);
                    multiply(value, &read, y);
                }
            }
        },
    );
}

#[inline(always)]
fn multiply<F: Float>(matrix: &[F], vector: &[F], out: &mut [F]) {
    for (row, out) in matrix.chunks_exact(vector.len()).zip(out) {
        *out = row.iter().zip(vector).map(|(&a, &b)| a * b).sum();
    }
}
