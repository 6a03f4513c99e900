//! Twin of `shaders/regression.wgsl`: T pairs (x_t, y_t = W x_t + noise), then the query (x_q, 0);
//! the target is W x_q.

use super::Block;
use crate::graph::dims::Dims;
use crate::math::float::Float;
use crate::math::random::{normal4, uniform4};

/// Tokens and targets of the block's sequences; `settings` is the scale of W and the size of the
/// noise.
pub fn forward<F: Float>(
    dims: &Dims,
    block: &mut Block<F>,
    [_, settings]: [&[F]; 2],
    [tokens, y]: [&mut [F]; 2],
) {
    let (inputs, width, time) = (dims.width_in, dims.width_out as usize, dims.time as usize);
    let outputs = dims.width_out - inputs;
    let (first, seed, step) = (block.first(), block.seed, block.step);
    let of = |four: [f32; 4], element: u32| F::of(four[(element % 4) as usize].into());
    let normal = |stream: u32, element: u32| {
        of(normal4(seed, dims.stream.wrapping_add(stream), step, element / 4), element)
    };
    let uniform =
        |element: u32| of(uniform4(seed, dims.stream.wrapping_add(1), step, element / 4), element);
    let root = F::of(3f64.sqrt());
    for (sequence, (tokens, y)) in (first..)
        .zip(tokens.chunks_exact_mut(time * width).zip(y.chunks_exact_mut(outputs as usize)))
    {
        let weight: Vec<F> = (0..outputs * inputs)
            .map(|i| settings[0] * normal(0, sequence * outputs * inputs + i))
            .collect();
        for (t, token) in tokens.chunks_exact_mut(width).enumerate() {
            let row = sequence * dims.time + t as u32;
            let (x, own) = token.split_at_mut(inputs as usize);
            for (i, x) in (row * inputs..).zip(&mut *x) {
                *x = root * (F::of(2.0) * uniform(i) - F::ONE);
            }
            for ((k, own), weight) in
                (row * outputs..).zip(&mut *own).zip(weight.chunks_exact(inputs as usize))
            {
                let product: F = weight.iter().zip(&*x).map(|(&w, &x)| w * x).sum();
                *own = if t + 1 == time { product } else { product + settings[1] * normal(2, k) };
            }
            if t + 1 == time {
                y.copy_from_slice(own);
                own.fill(F::ZERO);
            }
        }
    }
}
