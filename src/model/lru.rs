//! The linear recurrent unit (Orvieto et al. 2023; paper, section 3.3), a stack of layers between
//! embedding and readout:
//!
//! z_t = E x_t
//! h_t = λ ⊙ h_{t−1} + γ ⊙ (B z_t),  complex λ = exp(−exp(ν) + i exp(θ)), γ = exp(γ_log)
//! y_t = Re(C h_t) + d ⊙ z_t
//! z_t ← (W_v y_t) ⊙ σ(W_g y_t): a GLU, with [`Mixing::GluInOut`] also before the recurrence; or
//! W_2 gelu(W_1 ·) at both places ŷ_t = D z_t
//!
//! λ starts uniform in the unit disk's sector of phases up to π/10, γ at √(1 − |λ|²), the parts of
//! B at N(0, 1/2e), of C at N(0, 1/n), d at N(0, 1). No norms, no residual connections.

use super::Mixing;
use crate::graph::op::activation::Function;
use crate::graph::params::Init;
use crate::graph::{Graph, Var};

/// Sizes of a stack.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Complex neurons n of a layer.
    pub hidden: usize,
    /// Width e between layers.
    pub embed: usize,
    /// Layers, at least 1. The second's parameters have `layer2.` before their names, and so on.
    pub layers: usize,
    /// What mixes channels around a recurrence.
    pub mixing: Mixing,
}

/// ŷ of the last `steps` time steps.
pub fn record(graph: &mut Graph, x: Var, sizes: Sizes, outputs: usize, steps: usize) -> Var {
    let Sizes { hidden, embed, layers, mixing } = sizes;
    let mut z = graph.linear("embed", x, embed); // [B, T, e]
    for layer in 1..=layers {
        let prefix = if layer == 1 { String::new() } else { format!("layer{layer}.") };
        if mixing != Mixing::GluOut {
            z = mixed(graph, &prefix, "in", z, mixing); // [B, T, e]
        }
        let u = graph.complex_linear(&format!("{prefix}b"), z, hidden); // [B, T, 2 n]
        let mut h = graph.complex_scan(&prefix, u); // [B, T, 2 n]
        if layer == layers {
            (h, z) = (graph.last(h, steps), graph.last(z, steps));
        }
        let read = graph.complex_readout(&format!("{prefix}c"), h, embed); // [B, T, e]
        let skipped = graph.scale(&format!("{prefix}d"), z, Init::Normal { fan_in: 1 }); // [B, T, e]
        let y = graph.add(&format!("{prefix}read"), read, skipped);
        z = mixed(graph, &prefix, "out", y, mixing); // [B, T, e]
    }
    graph.linear("readout", z, outputs) // [B, T, d_out]
}

/// The GLU or the MLP before (`in`) or after (`out`) a recurrence.
fn mixed(graph: &mut Graph, prefix: &str, place: &str, y: Var, mixing: Mixing) -> Var {
    let embed = graph.width(y);
    if let Mixing::Mlp { width } = mixing {
        let name = format!("{prefix}mlp_{place}");
        let inner = graph.linear(&format!("{name}.w1"), y, width); // [B, T, k]
        let inner = graph.apply(&format!("{name}.gelu"), Function::Gelu, inner);
        return graph.linear(&format!("{name}.w2"), inner, embed); // [B, T, e]
    }
    let name = format!("{prefix}glu_{place}");
    let value = graph.linear(&format!("{name}.value"), y, embed); // [B, T, e]
    let gate = graph.linear(&format!("{name}.gate"), y, embed); // [B, T, e]
    let gate = graph.apply(&format!("{name}.sigmoid"), Function::Sigmoid, gate);
    graph.hadamard(&name, value, gate)
}
