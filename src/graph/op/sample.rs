//! Fresh inputs x ~ N(0, 1).

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::{Graph, Var};
use crate::math::random::stream_of;

impl Graph {
    /// x ~ N(0, 1), fresh every step: `[batch, time, width]`.
    pub fn sample_normal(&mut self, name: &str, width: usize) -> Var {
        let x = self.input(name, width);
        let dims = Dims { stream: stream_of(name), ..self.rows_of(x) };
        self.record(Kernel::SampleNormal, dims, [Self::CLOCK, x.id], &[], x)
    }
}
