//! A selective layer like Mamba's (Gu and Dao 2023): one block between embedding and readout,
//!
//! z_t = E x_t
//! `Δ_t = softplus(W_Δ z_t + b_Δ) [e],  B_t = W_B z_t [N],  C_t = W_C z_t [N]`
//! `h_t[i, n] = exp(Δ_t[i] A[i, n]) h_{t−1}[i, n] + Δ_t[i] B_t[n] z_t[i],  A = −exp(a_log)`
//! `y_t[i] = Σ_n C_t[n] h_t[i, n] + d[i] z_t[i]`
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

use super::layer::{Layer, Memory, Observable, Retention, Size, Sizes};
use crate::graph::op::activation::Function;
use crate::graph::params::Init;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
fn record(graph: &mut Graph, x: Var, sizes: &Sizes, [outputs, steps]: [usize; 2]) -> Var {
    let z = graph.linear("embed", x, sizes.embed); // [B, T, e]
    let delta = graph.linear("delta", z, sizes.embed); // [B, T, e]
    let delta = graph.bias("delta_bias", delta, Init::StepSize { min: 1e-3, max: 0.1 });
    let delta = graph.apply("step", Function::Softplus, delta);
    let b = graph.linear("b", z, sizes.state); // [B, T, N]
    let h = graph.selective_scan("a_log", [z, delta, b]); // [B, T, e · N]
    let (z, h) = (graph.last(z, steps), graph.last(h, steps));
    let c = graph.linear("c", z, sizes.state); // [B, T, N]
    let read = graph.contract("read", h, c); // [B, T, e]
    let skipped = graph.scale("d", z, Init::Constant(1.0)); // [B, T, e]
    let sum = graph.add("sum", read, skipped);
    let side = graph.linear("side_gate", z.with_constant(), sizes.embed); // [B, T, e]
    let side = graph.apply("side", Function::Silu, side);
    let gated = graph.hadamard("gated", sum, side); // [B, T, e]
    graph.linear("readout", gated, outputs) // [B, T, d_out]
}

/// A selective layer like Mamba's.
pub static MAMBA: Layer = Layer {
    word: "mamba",
    title: "Mamba-like",
    sentence: "B multiplies what is written, C what is read, and the step Δ decides how much is forgotten: all three see the token.",
    sizes: &[Size::Embed, Size::State],
    side_gating: false,
    reducible: false,
    compared: false,
    record,
    states: |_| {
        let about = "h = exp(Δ A) ⊙ h before + Δ B z, channel by channel";
        vec![Observable::signed("h", "state h", about).of_rows("state number")]
    },
    gates: |_| {
        let step = "Δ = softplus(·): large writes much and forgets much";
        let b = "B = W_B z: into which of its state values a channel writes";
        let c = "C = W_C z: which state numbers are read";
        let side = "silu(W_g z): what the channels are multiplied by";
        vec![
            Observable::signed("step", "step size Δ", step).of_rows("channel"),
            Observable::signed("b", "B, how it writes", b).of_rows("state number"),
            Observable::signed("c", "C, how it reads", c).of_rows("state number"),
            Observable::signed("side", "side gate", side).of_rows("channel"),
        ]
    },
    token_gates: |_| vec!["c".into(), "side".into()],
    memory: Some(Memory {
        name: "exp(Δ A) of each state number",
        about: "What a state number keeps depends on the token: the bar is its range over the sequence, the dot its mean.",
        kept: Retention::Selective("step", "a_log"),
    }),
    sign: ["a_log", "[e, N]"],
    read: |shapes| {
        (shapes.is_embedded() && shapes.has("a_log")).then(|| {
            let ([embed, inputs], [_, state]) = (shapes.matrix("embed")?, shapes.matrix("a_log")?);
            Ok((Sizes { embed, state, ..Sizes::NONE }, inputs))
        })
    },
};
