//! h_t = A h_{t−1} + u_t.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// h_t = A h_{t−1} + u_t, h_0 = 0, parameter A `name` [n, n]; A starts orthogonal.
    pub fn dense_scan(&mut self, name: &str, u: Var) -> Var {
        let (time, n) = self.shape(u);
        let weight = self.params.declare(name, &[n, n], Init::Orthogonal { size: n }, true);
        let h = self.activation("h", time, n);
        let dims = Dims { weight, ..self.square_dims(u, n) };
        self.record(Kernel::DenseScanForward, dims, [Self::PARAMETERS, u.id, h.id], &[u], h)
    }
}

/// The scan backwards in time, then dA from all steps.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [u] = op.inputs();
    let du = gradients.part(u);
    gradients.call(Kernel::DenseScanBackward, op.dims, [Graph::PARAMETERS, dy, du]);
    recurrent_weight(gradients, op, 1, du);
}

/// The gradient of the recurrent matrix `[blocks · n, n]` of `op` (and of the bias behind it), from
/// that of its product with h_{t−1}.
pub(super) fn recurrent_weight(gradients: &mut Gradients<'_>, op: &Op, blocks: u32, dy: BufferId) {
    let dims = Dims { width_out: blocks * op.dims.width_in, ..op.dims };
    let args = [op.output, dy, Graph::GRADIENTS];
    gradients.call(Kernel::DenseScanBackwardWeight, dims, args);
}
