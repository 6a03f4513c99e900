//! The GRU in PyTorch's convention (Cho et al. 2014):
//!
//! z_t = E x_t
//! r = σ(W_ir z_t + b_ir + W_hr h_{t−1} + b_hr), likewise the update gate z
//! n = tanh(W_in z_t + b_in + r ⊙ (W_hn h_{t−1} + b_hn))
//! h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}
//! ŷ_t = D h_t
//!
//! W_hh starts as three orthogonal matrices, biases at 0, the rest N(0, 1/fan-in).

use super::layer::{Layer, Memory, Observable, Retention, Size, Sizes};
use super::lstm::with_recurrent_matrix;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
fn record(graph: &mut Graph, x: Var, sizes: &Sizes, [outputs, steps]: [usize; 2]) -> Var {
    let z = graph.linear("embed", x, sizes.embed); // [B, T, e]
    let h = graph.gru("", z, sizes.hidden); // [B, T, n]
    let h = graph.last(h, steps);
    graph.linear("readout", h, outputs) // [B, T, d_out]
}

/// The GRU.
pub static GRU: Layer = Layer {
    word: "gru",
    title: "GRU",
    sentence: "Its update gate multiplies what is written, its reset gate the memory that the candidate sees. Where a gate stays near 0.5 it works as a product; near 0 and 1 as a switch.",
    sizes: &[Size::Hidden, Size::Embed],
    side_gating: false,
    reducible: false,
    compared: true,
    record,
    states: |_| vec![Observable::signed("h", "state h", "h = (1 − z) ⊙ n + z ⊙ h before")],
    gates: |_| {
        let reset = "r = σ(·): how much of the state the candidate sees";
        let update = "z = σ(·): how much of the state stays; the rest is replaced";
        let candidate = "n = tanh(· + r ⊙ (W h)): what may be written";
        vec![
            Observable::gate("gates", "reset gate r", reset).part(0, 4),
            Observable::gate("gates", "update gate z", update).part(1, 4),
            Observable::signed("gates", "candidate n", candidate).part(2, 4),
        ]
    },
    token_gates: |_| vec!["gates".into()],
    memory: Some(Memory {
        name: "update gate z of each neuron",
        about: "h = z ⊙ h before + (1 − z) ⊙ n: z depends on the token. The bar is its range over the sequence, the dot its mean.",
        kept: Retention::Gate("gates", (1, 4)),
    }),
    sign: ["weight_hh", "[3 n, n]"],
    read: |shapes| with_recurrent_matrix(shapes, 3),
};
