//! The gated RNN with a full recurrent matrix in place of the diagonal one (paper, section 3.3):
//!
//! u_t = (W_m^in x̃_t) ⊙ (W_x^in x̃_t),  x̃ = [x; 1]
//! h_t = A h_{t−1} + u_t,  A starts orthogonal
//! g_t = (W_m^out h_t) ⊙ (W_x^out h_t)
//! ŷ_t = D g_t

use super::gated_diagonal::{bilinear, read};
use super::layer::{Layer, Memory, Observable, Retention, Size, Sizes, no_buffers};
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
fn record(graph: &mut Graph, x: Var, sizes: &Sizes, [outputs, steps]: [usize; 2]) -> Var {
    let u = graph.bilinear("input_gate", x.with_constant(), sizes.hidden); // [B, T, n]
    let h = graph.dense_scan("recurrent", u); // [B, T, n]
    let h = graph.last(h, steps);
    let g = graph.bilinear("output_gate", h, sizes.gates); // [B, T, m]
    graph.linear("readout", g, outputs) // [B, T, d_out]
}

/// The gated RNN with a full recurrent matrix.
pub static DENSE: Layer = Layer {
    word: "dense",
    title: "Gated RNN, dense",
    sentence: "It multiplies two readings of the token before its memory, and two readings after it.",
    sizes: &[Size::Hidden, Size::Gates],
    side_gating: false,
    reducible: false,
    compared: false,
    record,
    states: |_| vec![Observable::signed("h", "state h", "h = A h before + u")],
    gates: |_| bilinear(),
    token_gates: no_buffers,
    memory: Some(Memory {
        name: "eigenvalues of A",
        about: "h = A h before + u: a direction with |λ| = 1 keeps everything, with |λ| = 0 nothing.",
        kept: Retention::Eigenvalues("recurrent"),
    }),
    sign: ["recurrent", "[n, n]"],
    read: |shapes| {
        let is_mine = !shapes.is_embedded() && shapes.has("recurrent") && !shapes.has("side_gate");
        is_mine.then(|| read(shapes))
    },
};
