//! One number a channel: y = x + b and y = d ⊙ x.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// y = x + b, parameter b `name` [width of x].
    pub fn bias(&mut self, name: &str, x: Var, init: Init) -> Var {
        self.channelwise(Kernel::BiasForward, name, x, init)
    }

    /// y = d ⊙ x, parameter d `name` [width of x].
    pub fn scale(&mut self, name: &str, x: Var, init: Init) -> Var {
        self.channelwise(Kernel::ScaleForward, name, x, init)
    }

    fn channelwise(&mut self, kernel: Kernel, name: &str, x: Var, init: Init) -> Var {
        let (time, width) = self.shape(x);
        let weight = self.params.declare(name, &[width], init, true);
        let y = self.activation(name, time, width);
        let dims = Dims { weight, ..self.rows_of(x) };
        self.record(kernel, dims, [Self::PARAMETERS, x.id, y.id], &[x], y)
    }
}

/// dx = dy, db = Σ dy.
pub fn reverse_bias(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [x] = op.inputs();
    gradients.add(dy, x);
    gradients.call(Kernel::BiasBackward, op.dims, [dy, Graph::GRADIENTS]);
}

/// dx = d ⊙ dy, dd = Σ dy ⊙ x.
pub fn reverse_scale(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [x] = op.inputs();
    let dx = gradients.part(x);
    let args = [Graph::PARAMETERS, x, dy, dx, Graph::GRADIENTS];
    gradients.call(Kernel::ScaleBackward, op.dims, args);
}
