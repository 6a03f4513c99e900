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

use super::layer::{
    Layer, Memory, Observable, Read, Retention, Size, Sizes, layered, no_buffers, prefix,
};
use super::shapes::Shapes;
use crate::graph::op::activation::Function;
use crate::graph::params::Init;
use crate::graph::{Graph, Var};
use std::collections::BTreeSet;

/// What mixes the channels around a recurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mixing {
    /// A GLU after it: (W_v y) ⊙ σ(W_g y).
    GluOut,
    /// A GLU before it and one after it: LRU In+Out.
    GluInOut,
    /// An MLP with one hidden layer before it and one after it. As large as the GLUs at a width of
    /// e.
    Mlp,
}

/// ŷ of the last `steps` time steps.
fn record(
    graph: &mut Graph,
    x: Var,
    sizes: &Sizes,
    [outputs, steps]: [usize; 2],
    mixing: Mixing,
) -> Var {
    let Sizes { hidden, embed, layers, width, .. } = *sizes;
    let mut z = graph.linear("embed", x, embed); // [B, T, e]
    for layer in 1..=layers {
        let prefix = prefix(layer);
        if mixing != Mixing::GluOut {
            z = mixed(graph, &prefix, "in", z, (mixing, width)); // [B, T, e]
        }
        let u = graph.complex_linear(&format!("{prefix}b"), z, hidden); // [B, T, 2 n]
        let mut h = graph.complex_scan(&prefix, u); // [B, T, 2 n]
        if layer == layers {
            (h, z) = (graph.last(h, steps), graph.last(z, steps));
        }
        let read = graph.complex_readout(&format!("{prefix}c"), h, embed); // [B, T, e]
        let skipped = graph.scale(&format!("{prefix}d"), z, Init::Normal { fan_in: 1 }); // [B, T, e]
        let y = graph.add(&format!("{prefix}read"), read, skipped);
        z = mixed(graph, &prefix, "out", y, (mixing, width)); // [B, T, e]
    }
    graph.linear("readout", z, outputs) // [B, T, d_out]
}

/// The GLU or the MLP before (`in`) or after (`out`) a recurrence.
fn mixed(
    graph: &mut Graph,
    prefix: &str,
    place: &str,
    y: Var,
    (mixing, width): (Mixing, usize),
) -> Var {
    let embed = graph.width(y);
    if mixing == Mixing::Mlp {
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

/// What its names end with, for people.
fn suffix(layer: usize, layers: usize) -> String {
    if layers == 1 { String::new() } else { format!(", layer {layer}") }
}

fn states(sizes: &Sizes) -> Vec<Observable> {
    let state = |layer| {
        let name = format!("size of the state, |h|{}", suffix(layer, sizes.layers));
        let about = "h = λ ⊙ h before + γ ⊙ B z, complex; drawn is its size |h|";
        Observable {
            complex: true,
            ..Observable::signed(format!("{}h", prefix(layer)), name, about)
        }
    };
    (1..=sizes.layers).map(state).collect()
}

/// A name for each layer of the stack and each place.
fn at_places(sizes: &Sizes, mixing: Mixing) -> Vec<(usize, &'static str, &'static str)> {
    let places: &[_] = match mixing {
        Mixing::GluOut => &[("out", "after")],
        Mixing::GluInOut | Mixing::Mlp => &[("in", "before"), ("out", "after")],
    };
    (1..=sizes.layers)
        .flat_map(|layer| places.iter().map(move |&(place, words)| (layer, place, words)))
        .collect()
}

fn gates(sizes: &Sizes, mixing: Mixing) -> Vec<Observable> {
    let gate = |(layer, place, words): (usize, &str, &str)| {
        let (prefix, suffix) = (prefix(layer), suffix(layer, sizes.layers));
        if mixing == Mixing::Mlp {
            let about = "gelu(W₁ z): an MLP has no gate; these are its neurons";
            let name = format!("MLP {words} the recurrence{suffix}");
            return Observable::signed(format!("{prefix}mlp_{place}.gelu"), name, about);
        }
        let name = format!("GLU {words} the recurrence{suffix}");
        let buffer = format!("{prefix}glu_{place}.sigmoid");
        Observable::gate(buffer, name, "σ(W_g z): how much of W_v z passes").of_rows("channel")
    };
    at_places(sizes, mixing).into_iter().map(gate).collect()
}

fn token_gates(sizes: &Sizes, mixing: Mixing) -> Vec<String> {
    let name =
        |(layer, place, _): (usize, &str, &str)| format!("{}glu_{place}.gate", prefix(layer));
    at_places(sizes, mixing).into_iter().map(name).collect()
}

/// What the three have in common; the mixing of the first.
const STACK: Layer = Layer {
    word: "lru",
    title: "LRU",
    sentence: "Its recurrence is linear; products are only in what stands around it. A GLU whose gate stays near 0.5 works as a product.",
    sizes: &[Size::Hidden, Size::Embed, Size::Layers],
    side_gating: false,
    reducible: false,
    compared: false,
    record: |graph, x, sizes, ends| record(graph, x, sizes, ends, Mixing::GluOut),
    states,
    gates: |sizes| gates(sizes, Mixing::GluOut),
    token_gates: |sizes| token_gates(sizes, Mixing::GluOut),
    memory: Some(Memory {
        name: "λ of each neuron",
        about: "h = λ ⊙ h before + γ ⊙ B z: |λ| = 1 keeps everything, |λ| = 0 nothing; off the real line it turns at each token.",
        kept: Retention::Phases("nu", "theta"),
    }),
    sign: ["theta", "[n]"],
    read: |shapes| read(shapes, Mixing::GluOut),
};

/// Linear recurrent units with a GLU behind each.
pub static LRU: Layer = STACK;

/// With a GLU before and one behind.
pub static LRU_IN_OUT: Layer = Layer {
    word: "lru-in-out",
    title: "LRU In+Out",
    compared: true,
    record: |graph, x, sizes, ends| record(graph, x, sizes, ends, Mixing::GluInOut),
    gates: |sizes| gates(sizes, Mixing::GluInOut),
    token_gates: |sizes| token_gates(sizes, Mixing::GluInOut),
    read: |shapes| read(shapes, Mixing::GluInOut),
    ..STACK
};

/// With MLPs of equal size in place of the GLUs.
pub static LRU_MLP: Layer = Layer {
    word: "lru-mlp",
    title: "LRU MLP",
    sizes: &[Size::Hidden, Size::Embed, Size::Layers, Size::Width],
    record: |graph, x, sizes, ends| record(graph, x, sizes, ends, Mixing::Mlp),
    gates: |sizes| gates(sizes, Mixing::Mlp),
    token_gates: no_buffers,
    read: |shapes| read(shapes, Mixing::Mlp),
    ..STACK
};

/// What each layer of the stack has, without a prefix.
const UNIT: [&str; 7] = ["nu", "theta", "gamma_log", "b_re", "b_im", "c_re", "c_im"];

fn read(shapes: &Shapes, mixing: Mixing) -> Option<Read> {
    let complex = ["lambda", "B", "C"];
    let is_stack = UNIT.into_iter().chain(complex).any(|part| shapes.has(part))
        || !further_layers(shapes).is_empty();
    let found = if shapes.has("mlp_in.w1") {
        Mixing::Mlp
    } else if shapes.has("glu_in.value") {
        Mixing::GluInOut
    } else {
        Mixing::GluOut
    };
    let is_mine = shapes.is_embedded() && is_stack && found == mixing;
    is_mine.then(|| {
        let [embed, inputs] = shapes.matrix("embed")?;
        let layers = layers(shapes)?;
        (1..=layers).try_for_each(|layer| check_complex(shapes, &prefix(layer)))?;
        let [hidden, _] = shapes.matrix("b_re")?;
        let width = if mixing == Mixing::Mlp { shapes.matrix("mlp_in.w1")?[0] } else { 0 };
        Ok((Sizes { hidden, embed, layers, width, ..Sizes::NONE }, inputs))
    })
}

/// Complex weights are two real arrays each.
fn check_complex(shapes: &Shapes, prefix: &str) -> Result<(), String> {
    for (part, one) in [("b", "b"), ("b", "B"), ("c", "c"), ("c", "C")] {
        if shapes.has(&format!("{prefix}{one}")) && !shapes.has(&format!("{prefix}{part}_re")) {
            return Err(format!(
                "holds complex weights as one array, {prefix}{one}; expected two real ones: {prefix}b_re and {prefix}b_im [n, e], {prefix}c_re and {prefix}c_im [e, n]"
            ));
        }
    }
    if shapes.has(&format!("{prefix}lambda")) {
        return Err(format!(
            "holds the complex λ as {prefix}lambda; expected two real arrays, {prefix}nu and {prefix}theta [n], for λ = exp(−exp(nu) + i exp(theta))"
        ));
    }
    Ok(())
}

/// The numbers of the layers that have one before their names.
fn further_layers(shapes: &Shapes) -> BTreeSet<usize> {
    let parts = [&LRU_IN_OUT, &LRU_MLP].map(|layer| layer.of(Sizes::ONE).table(1, 1));
    let number = |tensor| {
        let (number, part) = layered(tensor)?;
        parts.iter().any(|table| table.get(part).is_some()).then_some(number)
    };
    shapes.names().filter_map(number).collect()
}

/// How many layers a stack has.
fn layers(shapes: &Shapes) -> Result<usize, String> {
    let counted = further_layers(shapes);
    let layers = counted.last().copied().unwrap_or(1);
    let expected = "expected each from 1 on, the first layer's parts without a prefix, the second's with layer2.";
    if let Some(number) = counted.first().filter(|number| **number < 2) {
        return Err(format!("has parts of a layer{number}.; {expected}"));
    }
    let is_there = |layer: &usize| {
        if *layer == 1 { UNIT.iter().any(|part| shapes.has(part)) } else { counted.contains(layer) }
    };
    match (1..layers).find(|layer| !is_there(layer)) {
        Some(gap) => {
            Err(format!("has parts of layer {layers} but none of layer {gap}; {expected}"))
        }
        None => Ok(layers),
    }
}
