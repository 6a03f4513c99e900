//! Twin of `shaders/gather.wgsl`: a batch from sequences that are all in memory.

use super::Block;
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::random::pcg4d;

/// The block's sequences of `data [width_in, time, width_out]`: in order with `half`, else at
/// random.
pub fn forward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [_, data]: [&[F]; 2],
    [x]: [&mut [F]; 1],
) {
    let len = (dims.time * dims.width_out) as usize;
    let (first, seed, step) = (block.first(), block.seed, block.step);
    for (sequence, x) in (first..).zip(x.chunks_exact_mut(len)) {
        let from = if dims.half == 1 {
            let before = ((step.max(1) - 1) % dims.width_in) * (dims.batch % dims.width_in);
            (before % dims.width_in + sequence) % dims.width_in
        } else {
            pcg4d([seed, dims.stream, step, sequence])[0] % dims.width_in
        };
        x.copy_from_slice(&data[from as usize * len..][..len]);
    }
}
