//! Episodes of in-context regression.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::{Graph, Var};
use crate::math::random::stream_of;

impl Graph {
    /// In-context regression: `time − 1` pairs and a query, tokens `[batch, time, inputs +
    /// outputs]` and targets `[batch, 1, outputs]`; the host writes `regression`: the scale of
    /// W's entries and the size of the noise.
    pub fn regression_tokens(&mut self, inputs: usize, outputs: usize) -> (Var, Var) {
        let settings = self.constant("regression", &[2]);
        let (x, y) = (self.input("x", inputs + outputs), self.input_of("y", 1, outputs));
        let stream = stream_of("regression");
        let dims = Dims { width_in: as_u32(inputs), stream, ..self.rows_of(x) };
        let args = [Self::CLOCK, settings, x.id, y.id];
        (self.record(Kernel::RegressionTokens, dims, args, &[], x), y)
    }
}
