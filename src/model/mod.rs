//! The zoo of recurrent layers: each file is its equation and, at its end, what the layer says of
//! itself; [`layer::LAYERS`] lists them. Imports `graph` and what is left of it.

pub mod attention;
pub mod gated_dense;
pub mod gated_diagonal;
pub mod gru;
pub mod layer;
pub mod lru;
pub mod lstm;
pub mod mamba;
pub mod network;
pub mod owned;
pub mod run;
pub mod shapes;

pub use layer::{LAYERS, Layer, Size, Sizes};
pub use network::Network;
pub use owned::Model;

use crate::graph::params::ParamTable;
use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize};

/// Which network: a layer and its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Architecture {
    /// The layer.
    pub layer: &'static Layer,
    /// Those that the layer reads; the others are 0.
    pub sizes: Sizes,
}

impl Architecture {
    /// Records ŷ `[batch, steps, outputs]`, of the last `steps` time steps, from x `[batch, time,
    /// inputs]`.
    pub fn forward(self, graph: &mut Graph, x: Var, outputs: usize, steps: usize) -> Var {
        (self.layer.record)(graph, x, &self.sizes, [outputs, steps])
    }

    /// The parameters, as the model declares them.
    pub fn table(self, inputs: usize, outputs: usize) -> ParamTable {
        let mut graph = Graph::new(1, 1);
        let x = graph.input("x", inputs);
        self.forward(&mut graph, x, outputs, 1);
        graph.params
    }

    /// Whether the input gates the state, in place of the state itself (appendix A.2).
    pub fn is_side_gated(self) -> bool {
        self.layer.side_gating && self.sizes.gates == 0
    }

    /// "n = 32, m = 32": the sizes that the layer has.
    pub fn sizes_in_words(self) -> String {
        let side = self.is_side_gated().then(|| "side gating".to_owned());
        let sizes = Size::ALL.into_iter().map(|size| (size, self.sizes.get(size)));
        let words = sizes.filter(|(_, value)| *value > 0).map(|(size, value)| match size {
            Size::Width => format!("MLPs of {value}"),
            size => format!("{} = {value}", size.symbol()),
        });
        side.into_iter().chain(words).collect::<Vec<_>>().join(", ")
    }
}
