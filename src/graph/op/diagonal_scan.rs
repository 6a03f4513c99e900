//! h_t = λ ⊙ h_{t−1} + u_t.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// h_t = λ ⊙ h_{t−1} + u_t, h_0 = 0, λ = exp(−exp(ν)), parameter `name` = ν [width of u];
    /// λ starts uniform in (0.01, 0.99).
    pub fn diagonal_scan(&mut self, name: &str, u: Var) -> Var {
        let (time, width) = self.shape(u);
        let init = Init::Decay { min: 0.01, max: 0.99 };
        let weight = self.params.declare(name, &[width], init, false);
        let h = self.activation("h", time, width);
        let dims = Dims { weight, ..self.rows_of(u) };
        self.record(Kernel::DiagonalScanForward, dims, [Self::PARAMETERS, u.id, h.id], &[u], h)
    }
}

/// The scan backwards in time.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [u] = op.inputs();
    let du = gradients.part(u);
    let args = [Graph::PARAMETERS, op.output, dy, du, Graph::GRADIENTS];
    gradients.call(Kernel::DiagonalScanBackward, op.dims, args);
}
