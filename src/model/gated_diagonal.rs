//! The gated diagonal linear RNN (paper, section 2):
//!
//! u_t = (W_m^in x̃_t) ⊙ (W_x^in x̃_t),  x̃ = [x; 1]
//! h_t = λ ⊙ h_{t−1} + u_t,  λ = exp(−exp(ν))
//! g_t = (W_m^out h_t) ⊙ (W_x^out h_t)  with output gating, or (W^side x̃_t) ⊙ h_t  with side gating
//! ŷ_t = D g_t

use crate::graph::{Graph, Var};

/// With output gating; ŷ of the last `steps` time steps.
pub fn output_gated(
    graph: &mut Graph,
    x: Var,
    [hidden, gates, outputs]: [usize; 3],
    steps: usize,
) -> Var {
    let u = graph.bilinear("input_gate", x.with_constant(), hidden); // [B, T, n]
    let h = graph.diagonal_scan("nu", u); // [B, T, n]
    let h = graph.last(h, steps);
    let g = graph.bilinear("output_gate", h, gates); // [B, T, m]
    graph.linear("readout", g, outputs) // [B, T, d_out]
}

/// With side gating (appendix A.2); ŷ of the last `steps` time steps.
pub fn side_gated(graph: &mut Graph, x: Var, [hidden, outputs]: [usize; 2], steps: usize) -> Var {
    let u = graph.bilinear("input_gate", x.with_constant(), hidden); // [B, T, n]
    let h = graph.diagonal_scan("nu", u); // [B, T, n]
    let (x, h) = (graph.last(x, steps), graph.last(h, steps));
    let side = graph.linear("side_gate", x.with_constant(), hidden); // [B, T, n]
    let g = graph.hadamard("gated", side, h); // [B, T, n]
    graph.linear("readout", g, outputs) // [B, T, d_out]
}
