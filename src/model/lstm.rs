//! The LSTM in PyTorch's convention (Hochreiter and Schmidhuber 1997; Gers et al. 2000):
//!
//! z_t = E x_t
//! [i, f, g, o] = W_ih z_t + W_hh h_{t−1} + b
//! c_t = σ(f) ⊙ c_{t−1} + σ(i) ⊙ tanh(g)
//! h_t = σ(o) ⊙ tanh(c_t)
//! ŷ_t = D h_t
//!
//! One bias where PyTorch adds two. W_hh starts as four orthogonal matrices, the bias of f at 1,
//! other biases at 0, the rest N(0, 1/fan-in).

use super::layer::{Layer, Memory, Observable, Read, Retention, Size, Sizes};
use super::shapes::Shapes;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
fn record(graph: &mut Graph, x: Var, sizes: &Sizes, [outputs, steps]: [usize; 2]) -> Var {
    let z = graph.linear("embed", x, sizes.embed); // [B, T, e]
    let h = graph.lstm("", z, sizes.hidden); // [B, T, n]
    let h = graph.last(h, steps);
    graph.linear("readout", h, outputs) // [B, T, d_out]
}

/// The LSTM.
pub static LSTM: Layer = Layer {
    word: "lstm",
    title: "LSTM",
    sentence: "Its input gate multiplies what is written, its output gate what is shown. Where a gate stays near 0.5 it works as a product; near 0 and 1 as a switch.",
    sizes: &[Size::Hidden, Size::Embed],
    side_gating: false,
    reducible: false,
    compared: true,
    record,
    states: |_| {
        let read = "h = o ⊙ tanh(c): what is read, and what the next token's gates see";
        vec![
            Observable::signed("c", "cell c", "c = f ⊙ c before + i ⊙ tanh(g): what is remembered"),
            Observable::signed("h", "hidden state h", read),
        ]
    },
    gates: |_| {
        let written = "i = σ(·): how much of the candidate is written";
        vec![
            Observable::gate("gates", "input gate i", written).part(0, 4),
            Observable::gate("gates", "forget gate f", "f = σ(·): how much of the cell stays")
                .part(1, 4),
            Observable::gate("gates", "output gate o", "o = σ(·): how much of the cell is shown")
                .part(3, 4),
            Observable::signed("gates", "candidate", "tanh(g): what may be written").part(2, 4),
        ]
    },
    token_gates: |_| vec!["gates".into()],
    memory: Some(Memory {
        name: "forget gate f of each cell",
        about: "c = f ⊙ c before + …: f depends on the token. The bar is its range over the sequence, the dot its mean.",
        kept: Retention::Gate("gates", (1, 4)),
    }),
    sign: ["weight_hh", "[4 n, n]"],
    read: |shapes| with_recurrent_matrix(shapes, 4),
};

/// Sizes of a layer whose gates read the state through weight_hh `[gates · n, n]`.
pub(super) fn with_recurrent_matrix(shapes: &Shapes, gates: usize) -> Option<Read> {
    let [rows, hidden] = shapes.is_embedded().then(|| shapes.matrix("weight_hh").ok()).flatten()?;
    (rows == gates * hidden).then(|| {
        let [embed, inputs] = shapes.matrix("embed")?;
        Ok((Sizes { hidden, embed, ..Sizes::NONE }, inputs))
    })
}
