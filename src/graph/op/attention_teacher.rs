//! The targets of a linear self-attention layer.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::{Graph, Var};

impl Graph {
    /// Linear self-attention y_t = W_V Σ_{s≤t} x_s (x_s · W_Kᵀ W_Q x_t) of a fixed teacher;
    /// the host writes its two matrices `[2, d, d]`: W_V, then W_Kᵀ W_Q.
    pub fn attention_teacher(&mut self, x: Var) -> Var {
        let d = self.width(x);
        let teacher = self.constant("teacher", &[2, d, d]);
        let y = self.input("y", d);
        let dims = Dims { width_in: as_u32(d), width_out: as_u32(d), ..self.dims() };
        self.record(Kernel::AttentionTeacher, dims, [x.id, teacher, y.id], &[], y)
    }
}
