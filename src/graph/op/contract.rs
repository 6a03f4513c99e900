//! What a selective layer reads from its state.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// `y_t[e]` = Σ_n `C_t[n]` `h_t[e, n]` for h `[.., E · N]` and C `[.., N]`: y `[.., E]`.
    pub fn contract(&mut self, name: &str, h: Var, c: Var) -> Var {
        let ((time, state), width) = (self.shape(c), self.width(h) / self.width(c));
        let y = self.activation(name, time, width);
        let dims = Dims { width_in: as_u32(state), ..self.rows_of(y) };
        self.record(Kernel::ContractForward, dims, [h.id, c.id, y.id], &[h, c], y)
    }
}

/// dh = dy Cᵀ, dC = hᵀ dy.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [h, c] = op.inputs();
    let [dh, dc] = [h, c].map(|input| gradients.part(input));
    gradients.call(Kernel::ContractBackwardH, op.dims, [dy, c, dh]);
    gradients.call(Kernel::ContractBackwardC, op.dims, [h, dy, dc]);
}
