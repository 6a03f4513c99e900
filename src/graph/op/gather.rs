//! A batch of sequences that are all in memory.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::{Graph, Var};
use crate::math::random::stream_of;

impl Graph {
    /// A batch `[batch, time, width]` of `sequences` that the host writes, all of them, to the
    /// constant `data.<name>`: in order, round and round, or drawn at random with replacement.
    /// Equal choices for every `name`.
    pub fn gather(&mut self, name: &str, shape: [usize; 3], in_order: bool) -> Var {
        let [sequences, time, width] = shape;
        let data = self.constant(&format!("data.{name}"), &shape);
        let x = self.input_of(name, time, width);
        let dims = Dims {
            width_in: as_u32(sequences),
            stream: stream_of("file"),
            half: u32::from(in_order),
            ..self.rows_of(x)
        };
        self.record(Kernel::GatherForward, dims, [Self::CLOCK, data, x.id], &[], x)
    }
}
