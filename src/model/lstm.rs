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

use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
pub fn record(
    graph: &mut Graph,
    x: Var,
    [hidden, embed, outputs]: [usize; 3],
    steps: usize,
) -> Var {
    let z = graph.linear("embed", x, embed); // [B, T, e]
    let h = graph.lstm("", z, hidden); // [B, T, n]
    let h = graph.last(h, steps);
    graph.linear("readout", h, outputs) // [B, T, d_out]
}
