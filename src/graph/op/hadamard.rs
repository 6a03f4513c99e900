//! y = a ⊙ b.

use super::Kernel;
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// y = a ⊙ b.
    pub fn hadamard(&mut self, name: &str, a: Var, b: Var) -> Var {
        assert_eq!(
            self.shape(a),
            self.shape(b),
            "{name}: an elementwise product needs equal shapes"
        );
        self.elementwise(Kernel::HadamardForward, self.rows_of(a), name, [a, b])
    }
}

/// da = dy ⊙ b, db = dy ⊙ a.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [a, b] = op.inputs();
    let [da, db] = [a, b].map(|input| gradients.part(input));
    gradients.call(Kernel::HadamardBackward, op.dims, [a, b, dy, da, db]);
}
