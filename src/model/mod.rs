//! The zoo of recurrent layers: each file is its equation. Imports `graph` and what is left of it.

pub mod attention;
pub mod gated_dense;
pub mod gated_diagonal;
pub mod gru;
pub mod lru;
pub mod lstm;
pub mod mamba;
pub mod network;
pub mod owned;
pub mod run;

pub use network::Network;
pub use owned::Model;

pub use crate::graph::op::attention::Scores;
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
    /// The gated RNN with a full recurrent matrix.
    GatedDense {
        /// Hidden neurons n.
        hidden: usize,
        /// Output gates m.
        gates: usize,
    },
    /// The LSTM.
    Lstm {
        /// Cells n.
        hidden: usize,
        /// Width e of the embedding.
        embed: usize,
    },
    /// The GRU.
    Gru {
        /// Hidden neurons n.
        hidden: usize,
        /// Width e of the embedding.
        embed: usize,
    },
    /// A stack of linear recurrent units.
    Lru {
        /// Complex neurons n of a layer.
        hidden: usize,
        /// Width e of the embedding and between layers.
        embed: usize,
        /// Layers, at least 1.
        layers: usize,
        /// What mixes channels around a recurrence.
        mixing: Mixing,
    },
    /// A selective layer like Mamba's.
    Mamba {
        /// Channels e, the width of the embedding.
        embed: usize,
        /// Numbers N that a channel keeps.
        state: usize,
    },
    /// Causal self-attention with one head.
    Attention {
        /// Width e of the embedding, of queries, keys and values.
        embed: usize,
        /// What becomes of the scores.
        scores: Scores,
    },
}

/// What mixes the channels around a recurrence of the LRU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mixing {
    /// A GLU after it: (W_v y) ⊙ σ(W_g y).
    GluOut,
    /// A GLU before it and one after it: LRU In+Out.
    GluInOut,
    /// An MLP with one hidden layer before it and one after it: LRU MLP. As large as the GLUs at a
    /// width of e.
    Mlp {
        /// Neurons k of the hidden layer.
        width: usize,
    },
}

impl Architecture {
    /// Records ŷ `[batch, steps, outputs]`, of the last `steps` time steps, from x `[batch, time,
    /// inputs]`.
    pub fn forward(self, graph: &mut Graph, x: Var, outputs: usize, steps: usize) -> Var {
        match self {
            Self::GatedDiagonal { hidden, gates } => {
                gated_diagonal::output_gated(graph, x, [hidden, gates, outputs], steps)
            }
            Self::GatedSide { hidden } => {
                gated_diagonal::side_gated(graph, x, [hidden, outputs], steps)
            }
            Self::GatedDense { hidden, gates } => {
                gated_dense::output_gated(graph, x, [hidden, gates, outputs], steps)
            }
            Self::Lstm { hidden, embed } => lstm::record(graph, x, [hidden, embed, outputs], steps),
            Self::Gru { hidden, embed } => gru::record(graph, x, [hidden, embed, outputs], steps),
            Self::Lru { hidden, embed, layers, mixing } => {
                lru::record(graph, x, lru::Sizes { hidden, embed, layers, mixing }, outputs, steps)
            }
            Self::Mamba { embed, state } => mamba::record(graph, x, [embed, state, outputs], steps),
            Self::Attention { embed, scores } => {
                attention::record(graph, x, [embed, outputs], scores, steps)
            }
        }
    }

    /// The parameters, as the model declares them.
    pub fn table(self, inputs: usize, outputs: usize) -> ParamTable {
        let mut graph = Graph::new(1, 1);
        let x = graph.input("x", inputs);
        self.forward(&mut graph, x, outputs, 1);
        graph.params
    }

    /// Hidden neurons n of a layer: what it carries from token to token; of attention, the width of
    /// its embedding.
    pub fn hidden(self) -> usize {
        match self {
            Self::GatedDiagonal { hidden, .. }
            | Self::GatedSide { hidden }
            | Self::GatedDense { hidden, .. } => hidden,
            Self::Mamba { embed, state } => embed * state,
            Self::Attention { embed, .. } => embed,
            Self::Lstm { hidden, .. } | Self::Gru { hidden, .. } | Self::Lru { hidden, .. } => {
                hidden
            }
        }
    }
}
