//! Self-attention as a student (paper, section 1): one causal layer with one head between embedding
//! and readout,
//!
//! z_t = E x_t,  q_t = W_Q z_t,  k_t = W_K z_t,  v_t = W_V z_t
//! y_t = Σ_{s≤t} p_ts v_s,  p_ts = q_t · k_s (linear attention) or softmax_s(q_t · k_s / √e)
//! ŷ_t = D y_t
//!
//! No positions, norms, residual connections or feed-forward layer. All weights start at N(0,
//! 1/fan-in).

use crate::graph::op::attention::Scores;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
pub fn record(
    graph: &mut Graph,
    x: Var,
    [embed, outputs]: [usize; 2],
    scores: Scores,
    steps: usize,
) -> Var {
    let z = graph.linear("embed", x, embed); // [B, T, e]
    let qkv = ["query", "key", "value"].map(|name| graph.linear(name, z, embed)); // [B, T, e] each
    let y = graph.attention("attention", qkv, scores); // [B, T, e]
    let y = graph.last(y, steps);
    graph.linear("readout", y, outputs) // [B, T, d_out]
}
