//! Twin of `shaders/sample.wgsl`: fresh inputs from the counter-based generator.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::math::{float::Float, random};

/// x ~ N(0, 1) for the block's sequences; element e of the whole batch is number e mod 4 of counter
/// e / 4.
pub fn normal<F: Float>(dims: &Dims, block: &mut Block<F>, [_]: [&[F]; 1], [x]: [&mut [F]; 1]) {
    let (first, seed, step) = (block.first() * dims.time * dims.width_out, block.seed, block.step);
    simd(
        #[inline(always)]
        || {
            let mut element = first;
            let mut rest = x;
            while !rest.is_empty() {
                let four = random::normal4(seed, dims.stream, step, element / 4);
                let skip = (element % 4) as usize;
                let count = (4 - skip).min(rest.len());
                for (slot, value) in rest[..count].iter_mut().zip(&four[skip..]) {
                    *slot = F::of((*value).into());
                }
                element += count as u32;
                rest = &mut rest[count..];
            }
        },
    );
}
