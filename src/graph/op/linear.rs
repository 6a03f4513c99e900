//! y = x Wᵀ.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// y = x Wᵀ, W `name` [width, width of x (+1)].
    pub fn linear(&mut self, name: &str, x: Var, width: usize) -> Var {
        let weight = self.matrix(name, x, width);
        let y = self.activation(name, self.time_of(x), width);
        let dims = Dims { weight, ..self.matrix_dims(x, width) };
        self.record(Kernel::LinearForward, dims, [Self::PARAMETERS, x.id, y.id], &[x], y)
    }

    /// B x of a complex B, as halves [re, im] of a row: parameters `name_re` and `name_im` [n,
    /// width of x], N(0, 1/(2 width)) each.
    pub fn complex_linear(&mut self, name: &str, x: Var, n: usize) -> Var {
        let (time, width) = self.shape(x);
        let init = Init::Normal { fan_in: 2 * width };
        let weight = self.params.declare(&format!("{name}_re"), &[n, width], init, true);
        self.params.declare(&format!("{name}_im"), &[n, width], init, true); // follows `_re`: together one matrix [2n, width]
        let u = self.activation(name, time, 2 * n);
        let dims = Dims { weight, ..self.matrix_dims(x, 2 * n) };
        self.record(Kernel::LinearForward, dims, [Self::PARAMETERS, x.id, u.id], &[x], u)
    }
}

/// dx = dy W, dW = dyᵀ x.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let x = op.inputs[0].id();
    if gradients.flows(x) {
        let (dx, accumulate) = gradients.of(x);
        let dims = Dims { accumulate, ..op.dims };
        gradients.call(Kernel::LinearBackwardInput, dims, [Graph::PARAMETERS, dy, dx]);
    }
    gradients.call(Kernel::LinearBackwardWeight, op.dims, [x, dy, Graph::GRADIENTS]);
}
