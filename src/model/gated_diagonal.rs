//! The gated diagonal linear RNN (paper, section 2):
//!
//! u_t = (W_m^in x̃_t) ⊙ (W_x^in x̃_t),  x̃ = [x; 1]
//! h_t = λ ⊙ h_{t−1} + u_t,  λ = exp(−exp(ν))
//! g_t = (W_m^out h_t) ⊙ (W_x^out h_t)  with output gating, or (W^side x̃_t) ⊙ h_t  with side gating
//! ŷ_t = D g_t

use super::layer::{Layer, Memory, Observable, Read, Retention, Size, Sizes, no_buffers};
use super::shapes::Shapes;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps, with output gates or a side gate (appendix A.2).
fn record(graph: &mut Graph, x: Var, sizes: &Sizes, [outputs, steps]: [usize; 2]) -> Var {
    let u = graph.bilinear("input_gate", x.with_constant(), sizes.hidden); // [B, T, n]
    let h = graph.diagonal_scan("nu", u); // [B, T, n]
    if sizes.side {
        let (x, h) = (graph.last(x, steps), graph.last(h, steps));
        let side = graph.linear("side_gate", x.with_constant(), sizes.hidden); // [B, T, n]
        let g = graph.hadamard("gated", side, h); // [B, T, n]
        return graph.linear("readout", g, outputs); // [B, T, d_out]
    }
    let h = graph.last(h, steps);
    let g = graph.bilinear("output_gate", h, sizes.gates); // [B, T, m]
    graph.linear("readout", g, outputs) // [B, T, d_out]
}

/// The gated diagonal linear RNN.
pub static GATED: Layer = Layer {
    word: "gated",
    title: "Gated RNN",
    sentence: "It multiplies two readings of the token before its memory, and two readings after it.",
    sizes: &[Size::Hidden, Size::Gates],
    side_gating: true,
    reducible: true,
    compared: false,
    record,
    states: |_| vec![Observable::signed("h", "state h", "h = λ ⊙ h before + u")],
    gates: |sizes| if sizes.side { side() } else { bilinear() },
    token_gates: |sizes| {
        if sizes.side { vec!["side_gate".into()] } else { no_buffers(sizes) }
    },
    memory: Some(Memory {
        name: "λ of each neuron",
        about: "h = λ ⊙ h before + u: λ = 1 keeps everything, λ = 0 nothing.",
        kept: Retention::Decay("nu"),
    }),
    sign: ["nu", "[n]"],
    read: |shapes| (!shapes.is_embedded() && !shapes.has("recurrent")).then(|| read(shapes)),
};

fn input() -> Observable {
    Observable::signed("input_gate", "gated input u", "u = (Wₘ x) ⊙ (Wₓ x): what is written")
}

/// What multiplies where the state gates itself.
pub(super) fn bilinear() -> Vec<Observable> {
    let about = "g = (Wₘ h) ⊙ (Wₓ h): what the readout sees";
    vec![input(), Observable::signed("output_gate", "gated output g", about).of_rows("gate")]
}

fn side() -> Vec<Observable> {
    vec![
        input(),
        Observable::signed("side_gate", "side gate", "W x: what the state is multiplied by"),
        Observable::signed("gated", "gated output g", "g = (W x) ⊙ h: what the readout sees"),
    ]
}

/// Sizes of a network with input and output gates.
pub(super) fn read(shapes: &Shapes) -> Read {
    let [hidden, fan_in] = shapes.matrix("input_gate.m")?;
    let [_, columns] = shapes.matrix("readout")?;
    if fan_in < 2 {
        return Err("input_gate.m has 1 column; expected d + 1, the last for the constant 1".into());
    }
    let side = shapes.has("side_gate");
    let gates = if side { 0 } else { shapes.matrix("output_gate.m")?[0] };
    let (expected, each) = if side { (hidden, "neuron") } else { (gates, "gate") };
    if columns != expected {
        return Err(format!("readout has {columns} columns; expected {expected}, one per {each}"));
    }
    Ok((Sizes { hidden, gates, side, ..Sizes::NONE }, fan_in - 1))
}
