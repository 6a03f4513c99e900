//! Self-attention as a student (paper, section 1): one causal layer with one head between embedding
//! and readout,
//!
//! z_t = E x_t,  q_t = W_Q z_t,  k_t = W_K z_t,  v_t = W_V z_t
//! y_t = Σ_{s≤t} p_ts v_s,  p_ts = q_t · k_s (linear attention) or softmax_s(q_t · k_s / √e)
//! ŷ_t = D y_t
//!
//! No positions, norms, residual connections or feed-forward layer. All weights start at N(0,
//! 1/fan-in).

use super::layer::{Layer, Observable, Read, Size, Sizes, no_buffers, nothing};
use super::shapes::Shapes;
use crate::graph::op::attention::Scores;
use crate::graph::{Graph, Var};

/// ŷ of the last `steps` time steps.
fn record(
    graph: &mut Graph,
    x: Var,
    sizes: &Sizes,
    [outputs, steps]: [usize; 2],
    scores: Scores,
) -> Var {
    let z = graph.linear("embed", x, sizes.embed); // [B, T, e]
    let qkv = ["query", "key", "value"].map(|name| graph.linear(name, z, sizes.embed)); // [B, T, e] each
    let y = graph.attention("attention", qkv, scores); // [B, T, e]
    let y = graph.last(y, steps);
    graph.linear("readout", y, outputs) // [B, T, d_out]
}

fn weights(about: &'static str) -> Vec<Observable> {
    vec![Observable::signed("attention.weights", "attention weights p", about).of_rows("token")]
}

fn read(shapes: &Shapes) -> Read {
    let [embed, inputs] = shapes.matrix("embed")?;
    Ok((Sizes { embed, ..Sizes::NONE }, inputs))
}

fn is_attention(shapes: &Shapes) -> bool {
    shapes.is_embedded() && shapes.has("query")
}

/// Softmax attention.
pub static SOFTMAX: Layer = ATTENTION;

/// What both have in common; the scores of the first.
const ATTENTION: Layer = Layer {
    word: "softmax",
    title: "Softmax attention",
    sentence: "It is attention itself, with or without a softmax; what is measured is whether it is its teacher's. The picture below shows its weights.",
    sizes: &[Size::Embed],
    side_gating: false,
    reducible: false,
    compared: false,
    record: |graph, x, sizes, ends| record(graph, x, sizes, ends, Scores::Softmax),
    states: nothing,
    gates: |_| {
        weights(
            "p = softmax(q · k / √e): the row is the token that is looked at, the column the one that looks",
        )
    },
    token_gates: no_buffers,
    memory: None,
    sign: ["query", "[e, e]"],
    read: |shapes| {
        let is_mine = is_attention(shapes) && shapes.told == Some(SOFTMAX.word);
        is_mine.then(|| read(shapes))
    },
};

/// Linear attention.
pub static LINEAR: Layer = Layer {
    word: "linear",
    title: "Linear attention",
    record: |graph, x, sizes, ends| record(graph, x, sizes, ends, Scores::Linear),
    gates: |_| {
        weights("p = q · k: the row is the token that is looked at, the column the one that looks")
    },
    read: |shapes| {
        // Nothing in the weights tells the two apart: a teacher makes it linear, else only a recipe.
        (is_attention(shapes) && shapes.told != Some(SOFTMAX.word)).then(|| {
            if shapes.told == Some(LINEAR.word) || shapes.has("teacher.value") {
                return read(shapes);
            }
            Err("holds an attention layer, but only a recipe in its metadata says whether with softmax; save it with gatelens, or with its teacher for linear attention".into())
        })
    },
    ..ATTENTION
};
