//! y = a + b.

use super::Kernel;
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// y = a + b.
    pub fn add(&mut self, name: &str, a: Var, b: Var) -> Var {
        assert_eq!(self.shape(a), self.shape(b), "{name}: a sum needs equal shapes");
        self.elementwise(Kernel::AddForward, self.rows_of(a), name, [a, b])
    }
}

/// da = dy, db = dy.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    for input in &op.inputs {
        gradients.add(dy, input.id());
    }
}
