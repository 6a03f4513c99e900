//! Episodes of associative recall.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::{Graph, Var};
use crate::math::random::stream_of;

impl Graph {
    /// Associative recall of `time − 1` pairs: tokens `[batch, time, 2 (time − 1)]` and the class
    /// that the query asks for `[batch, 1, 1]`.
    pub fn recall_tokens(&mut self) -> (Var, Var) {
        let pairs = self.time - 1;
        let (x, y) = (self.input("x", 2 * pairs), self.input_of("y", 1, 1));
        let dims = Dims { width_in: as_u32(pairs), stream: stream_of("recall"), ..self.rows_of(x) };
        (self.record(Kernel::RecallTokens, dims, [Self::CLOCK, x.id, y.id], &[], x), y)
    }
}
