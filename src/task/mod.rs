//! Where sequences come from; each file a task, sampled on the device. Imports `model` and what is left of it.

pub mod attention;


pub use attention::Teacher;

use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize};

/// Which task, and its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Imitate a random linear self-attention layer (sections 4.1 and 4.2).
    Attention(attention::TeacherKind),
}

impl Task {
    /// Records inputs and targets: (x `[batch, time, inputs]`, y `[batch, time, outputs]`).
    pub fn record(self, graph: &mut Graph) -> (Var, Var) {
        match self {
            Self::Attention(kind) => attention::record(graph, kind.dim),
        }
    }

    /// Numbers a token has, and numbers an output has.
    pub fn widths(self) -> (usize, usize) {
        match self {
            Self::Attention(kind) => (kind.dim, kind.dim),
        }
    }
}
