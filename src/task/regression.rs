//! In-context linear regression (paper, section 5): each sequence shows T pairs (x_t, y_t = W x_t)
//! of a linear map of its own, then asks for W x_q. W's entries are N(0, variance / d_x), x is
//! uniform on (−√3, √3), so E[x xᵀ] = I.

use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize};

/// Sizes and scales.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// d_x
    pub inputs: usize,
    /// d_y
    pub outputs: usize,
    /// T, pairs before the query.
    pub pairs: usize,
    /// Standard deviation of what is added to each y_t.
    pub noise: f32,
    /// W's entries are N(0, variance / d_x).
    pub variance: f32,
}

impl Regression {
    /// What the `regression` kernel reads: the scale of W's entries, the size of the noise.
    pub fn constants(self) -> Vec<f32> {
        vec![(self.variance / self.inputs as f32).sqrt(), self.noise]
    }

    /// Tokens (x_t, y_t), the last (x_q, 0), `[batch, pairs + 1, d_x + d_y]`; targets W x_q
    /// `[batch, 1, d_y]`.
    pub fn record(self, graph: &mut Graph) -> (Var, Var) {
        assert_eq!(graph.time, self.pairs + 1, "a query follows the pairs");
        graph.regression_tokens(self.inputs, self.outputs)
    }
}
