//! The zoo of recurrent layers: each file is its equation. Imports `graph` and what is left of it.

pub mod gated_diagonal;
pub mod network;

pub use network::Network;

use crate::graph::params::ParamTable;
use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize};

/// Which network, and its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Architecture {
    /// The paper's gated diagonal linear RNN with input and output gating.
    GatedDiagonal {
        /// Hidden neurons n.
        hidden: usize,
        /// Output gates m.
        gates: usize,
    },
    /// The same with a side gate in place of the output gate (appendix A.2).
    GatedSide {
        /// Hidden neurons n.
        hidden: usize,
    },
}

impl Architecture {
    /// Records ŷ `[batch, steps, outputs]`, of the last `steps` time steps, from x `[batch, time, inputs]`.
    pub fn forward(self, graph: &mut Graph, x: Var, outputs: usize, steps: usize) -> Var {
        match self {
            Self::GatedDiagonal { hidden, gates } => gated_diagonal::output_gated(graph, x, [hidden, gates, outputs], steps),
            Self::GatedSide { hidden } => gated_diagonal::side_gated(graph, x, [hidden, outputs], steps),
        }
    }

    /// The parameters, as the model declares them.
    pub fn table(self, inputs: usize, outputs: usize) -> ParamTable {
        let mut graph = Graph::new(1, 1);
        let x = graph.input("x", inputs);
        self.forward(&mut graph, x, outputs, 1);
        graph.params
    }

    /// Hidden neurons n.
    pub fn hidden(self) -> usize {
        match self {
            Self::GatedDiagonal { hidden, .. } | Self::GatedSide { hidden } => hidden,
        }
    }
}
