//! The paper's gate: (x W_mᵀ) ⊙ (x W_xᵀ).

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// The paper's gate: (x W_mᵀ) ⊙ (x W_xᵀ), parameters `name.m` and `name.x` [width, width of x
    /// (+1)].
    pub fn bilinear(&mut self, name: &str, x: Var, width: usize) -> Var {
        let weight = self.matrix(&format!("{name}.m"), x, width);
        self.matrix(&format!("{name}.x"), x, width); // follows `.m`, as the kernels expect
        let time = self.time_of(x);
        let sides = self.activation(&format!("{name}.sides"), time, 2 * width);
        let g = self.activation(name, time, width);
        let dims = Dims { weight, ..self.matrix_dims(x, width) };
        let args = [Self::PARAMETERS, x.id, sides.id, g.id];
        self.record(Kernel::BilinearForward, dims, args, &[x], g)
    }
}

/// Both sides' gradients, from what the other side was.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let (x, sides) = (op.inputs[0].id(), op.args[2]);
    if gradients.flows(x) {
        let (dx, accumulate) = gradients.of(x);
        let dims = Dims { accumulate, ..op.dims };
        gradients.call(Kernel::BilinearBackwardInput, dims, [Graph::PARAMETERS, sides, dy, dx]);
    }
    gradients.call(Kernel::BilinearBackwardWeight, op.dims, [x, sides, dy, Graph::GRADIENTS]);
}
