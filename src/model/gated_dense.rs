//! The gated RNN with a full recurrent matrix in place of the diagonal one (paper, section 3.3):
//!
//! u_t = (W_m^in x̃_t) ⊙ (W_x^in x̃_t),  x̃ = [x; 1]
//! h_t = A h_{t−1} + u_t,  A starts orthogonal
//! g_t = (W_m^out h_t) ⊙ (W_x^out h_t)
//! ŷ_t = D g_t

use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
pub fn output_gated(
    graph: &mut Graph,
    x: Var,
    [hidden, gates, outputs]: [usize; 3],
    steps: usize,
) -> Var {
    let u = graph.bilinear("input_gate", x.with_constant(), hidden); // [B, T, n]
    let h = graph.dense_scan("recurrent", u); // [B, T, n]
    let h = graph.last(h, steps);
    let g = graph.bilinear("output_gate", h, gates); // [B, T, m]
    graph.linear("readout", g, outputs) // [B, T, d_out]
}
