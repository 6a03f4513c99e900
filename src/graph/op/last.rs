//! The last time steps of a value.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// The last `steps` time steps of x: what a loss over the end of a sequence needs, and nothing
    /// before it.
    pub fn last(&mut self, x: Var, steps: usize) -> Var {
        let (time, width) = self.shape(x);
        assert!((1..=time).contains(&steps), "the last {steps} of {time} time steps");
        if steps == time {
            return x;
        }
        let name = format!("{}.last", self.buffers[x.id.0].name);
        let y = self.activation(&name, steps, width);
        if self.data.contains(&x.id) {
            self.data.push(y.id);
        }
        let dims = Dims { first: as_u32(time - steps), ..self.rows_of(x) };
        self.record(Kernel::LastForward, dims, [x.id, y.id], &[x], y)
    }
}

/// dx = dy at these steps, 0 before.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let (dx, accumulate) = gradients.of(op.inputs[0].id());
    gradients.call(Kernel::LastBackward, Dims { accumulate, ..op.dims }, [dy, dx]);
}
