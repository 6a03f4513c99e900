//! The GRU in PyTorch's convention (Cho et al. 2014):
//!
//! z_t = E x_t
//! r = σ(W_ir z_t + b_ir + W_hr h_{t−1} + b_hr), likewise the update gate z
//! n = tanh(W_in z_t + b_in + r ⊙ (W_hn h_{t−1} + b_hn))
//! h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}
//! ŷ_t = D h_t
//!
//! W_hh starts as three orthogonal matrices, biases at 0, the rest N(0, 1/fan-in).

use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
pub fn record(
    graph: &mut Graph,
    x: Var,
    [hidden, embed, outputs]: [usize; 3],
    steps: usize,
) -> Var {
    let z = graph.linear("embed", x, embed); // [B, T, e]
    let h = graph.gru("", z, hidden); // [B, T, n]
    let h = graph.last(h, steps);
    graph.linear("readout", h, outputs) // [B, T, d_out]
}
