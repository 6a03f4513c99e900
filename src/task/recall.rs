//! Associative recall (paper, appendix D.3): V pairs of a key and a value, one-hot and in random
//! order, each once; then a key that asks for its value. The loss is the cross-entropy of the
//! answer.

use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize};

/// How many pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recall {
    /// V, keys and values.
    pub pairs: usize,
}

impl Recall {
    /// Tokens [onehot(key); onehot(value)], the last [onehot(key); 0], `[batch, V + 1, 2 V]`; the
    /// value's number `[batch, 1, 1]`.
    pub fn record(self, graph: &mut Graph) -> (Var, Var) {
        assert_eq!(graph.time, self.pairs + 1, "a query follows the pairs");
        graph.recall_tokens()
    }
}
