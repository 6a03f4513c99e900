//! A selective layer like Mamba's (Gu and Dao 2023): one block between embedding and readout,
//!
//! z_t = E x_t
//! Δ_t = softplus(W_Δ z_t + b_Δ) [e],  B_t = W_B z_t [N],  C_t = W_C z_t [N]
//! h_t[i, n] = exp(Δ_t[i] A[i, n]) h_{t−1}[i, n] + Δ_t[i] B_t[n] z_t[i],  A = −exp(a_log)
//! y_t[i] = Σ_n C_t[n] h_t[i, n] + d[i] z_t[i]
//! ŷ_t = D (y_t ⊙ silu(W_g z̃_t)),  z̃ = [z; 1]
//!
//! The discretisation is Mamba's: exact for A, Euler's for B. Left out: the short convolution and
//! the nonlinearity before the recurrence, the low rank of W_Δ, norms, residual connections. Added:
//! the constant in the side gate, without which it could not be constant. A starts at −1 … −N
//! (S4D-real), Δ at log-uniform in (0.001, 0.1), d at 1, the rest N(0, 1/fan-in). a_log is not
//! decayed.
//!
//! exp(Δ A) is at most 1, but ŷ is of degree 5 in large x: Δ, B and z write into the state, C reads
//! it, the side gate multiplies. So the squared error is of degree 10, and from |x| ≈ 1e4 on beyond
//! float32, which the engines tell as a loss that is no number; ŷ is not until about 1e7.

use crate::graph::op::activation::Function;
use crate::graph::params::Init;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
pub fn record(graph: &mut Graph, x: Var, [embed, state, outputs]: [usize; 3], steps: usize) -> Var {
    let z = graph.linear("embed", x, embed); // [B, T, e]
    let delta = graph.linear("delta", z, embed); // [B, T, e]
    let delta = graph.bias("delta_bias", delta, Init::StepSize { min: 1e-3, max: 0.1 });
    let delta = graph.apply("step", Function::Softplus, delta);
    let b = graph.linear("b", z, state); // [B, T, N]
    let h = graph.selective_scan("a_log", [z, delta, b]); // [B, T, e · N]
    let (z, h) = (graph.last(z, steps), graph.last(h, steps));
    let c = graph.linear("c", z, state); // [B, T, N]
    let read = graph.contract("read", h, c); // [B, T, e]
    let skipped = graph.scale("d", z, Init::Constant(1.0)); // [B, T, e]
    let sum = graph.add("sum", read, skipped);
    let side = graph.linear("side_gate", z.with_constant(), embed); // [B, T, e]
    let side = graph.apply("side", Function::Silu, side);
    let gated = graph.hadamard("gated", sum, side); // [B, T, e]
    graph.linear("readout", gated, outputs) // [B, T, d_out]
}
