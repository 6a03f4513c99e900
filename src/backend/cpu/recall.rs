//! Twin of `shaders/recall.wgsl`: V tokens [onehot(key); onehot(value)] in random order, then the
//! query [onehot(key); 0].

use super::Block;
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::random::pcg4d;

/// Tokens of the block's sequences, and the number of the value that each query asks for.
pub fn forward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [_]: [&[F]; 1],
    [tokens, y]: [&mut [F]; 2],
) {
    let (pairs, width, time) =
        (dims.width_in as usize, dims.width_out as usize, dims.time as usize);
    let (first, seed, step) = (block.first(), block.seed, block.step);
    tokens.fill(F::ZERO);
    for (sequence, (tokens, y)) in (first..).zip(tokens.chunks_exact_mut(time * width).zip(y)) {
        let ranks = |which: u32| -> Vec<usize> {
            let element = |i: usize| sequence * dims.width_in + i as u32;
            let word = |i: usize| {
                pcg4d([seed, dims.stream.wrapping_add(which), step, element(i) / 4])
                    [(element(i) % 4) as usize]
            };
            let words: Vec<(u32, usize)> = (0..pairs).map(|i| (word(i), i)).collect();
            words.iter().map(|own| words.iter().filter(|other| *other < own).count()).collect()
        };
        let (places, values) = (ranks(0), ranks(1));
        for (key, (&place, &value)) in places.iter().zip(&values).enumerate() {
            tokens[place * width + key] = F::ONE;
            tokens[place * width + pairs + value] = F::ONE;
        }
        let key = (pcg4d([seed, dims.stream.wrapping_add(2), step, sequence])[0] % dims.width_in)
            as usize;
        tokens[pairs * width + key] = F::ONE;
        *y = F::of(values[key] as f64);
    }
}
