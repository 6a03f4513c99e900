//! States and gates of a layer over one sequence: which buffers, which parts of them, what they
//! mean.

use crate::math::matrix::Matrix;
use crate::model::{Architecture, Mixing, Model, Scores};
use serde::{Deserialize, Serialize};

/// Neurons that are kept of a wide buffer: the first so many.
pub const MOST: usize = 1024;

/// Numbers of neurons over one sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// "forget gate f"
    pub name: String,
    /// Its equation and meaning, in a sentence.
    pub about: String,
    /// What a row is: "neuron", "channel".
    pub row: String,
    /// What its numbers can be.
    pub range: Range,
    /// Tokens.
    pub time: usize,
    /// Neurons that are kept.
    pub width: usize,
    /// Neurons that there are.
    pub of: usize,
    /// `[time, width]`, row by row.
    pub values: Vec<f32>,
}

/// What numbers can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Range {
    /// From 0, closed, to 1, open: σ(·).
    Gate,
    /// Any.
    Signed,
}

impl Trace {
    /// The number of a neuron at a token, both from 0.
    pub fn at(&self, token: usize, neuron: usize) -> f32 {
        self.values.get(token * self.width + neuron).copied().unwrap_or(f32::NAN)
    }

    /// How far the numbers of a gate are from half open, at most.
    pub fn swing(&self) -> f32 {
        self.values.iter().map(|v| (v - 0.5).abs()).fold(0.0, f32::max)
    }

    /// The largest of the finite numbers, by size.
    pub fn largest(&self) -> f32 {
        self.values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f32::max)
    }
}

/// Where a trace's numbers stand: part `of.0` of `of.1` equal ones of a buffer.
struct Source {
    buffer: String,
    of: (usize, usize),
    /// Halves [re, im] become sizes.
    complex: bool,
    name: String,
    about: &'static str,
    row: &'static str,
    range: Range,
}

impl Source {
    fn new(
        buffer: impl Into<String>,
        name: impl Into<String>,
        about: &'static str,
        range: Range,
    ) -> Self {
        Self {
            buffer: buffer.into(),
            of: (0, 1),
            complex: false,
            name: name.into(),
            about,
            row: "neuron",
            range,
        }
    }

    fn part(self, of: (usize, usize)) -> Self {
        Self { of, ..self }
    }

    fn of_rows(self, row: &'static str) -> Self {
        Self { row, ..self }
    }
}

/// (states, gates) on x `[time, d]`, from one run.
pub fn traces(model: &Model, x: &Matrix) -> (Vec<Trace>, Vec<Trace>) {
    let (states, gates) = (states(model.architecture), gates(model.architecture));
    let names: Vec<String> =
        states.iter().chain(&gates).map(|source| source.buffer.clone()).collect();
    let mut buffers = model.weighed().buffers::<f64>(x, x.rows, &names).into_iter();
    let mut read = |sources: Vec<Source>| {
        sources
            .into_iter()
            .zip(buffers.by_ref())
            .map(|(source, buffer)| trace(source, &buffer))
            .collect()
    };
    let states = read(states);
    (states, read(gates))
}

#[allow(clippy::cast_possible_truncation)]
fn trace(source: Source, buffer: &Matrix) -> Trace {
    let Source { of: (part, parts), complex, name, about, row, range, .. } = source;
    let of = if complex { buffer.columns / 2 } else { buffer.columns / parts };
    let width = of.min(MOST);
    let at = |t: usize, j: usize| {
        if complex {
            buffer.at(t, j).hypot(buffer.at(t, of + j))
        } else {
            buffer.at(t, part * of + j)
        }
    };
    let values = (0..buffer.rows * width).map(|i| at(i / width, i % width) as f32).collect();
    Trace {
        name,
        about: about.into(),
        row: row.into(),
        range,
        time: buffer.rows,
        width,
        of,
        values,
    }
}

/// What a layer's buffers begin with, and what its names end with.
fn layer(layer: usize, layers: usize) -> (String, String) {
    let prefix = if layer == 1 { String::new() } else { format!("layer{layer}.") };
    (prefix, if layers == 1 { String::new() } else { format!(", layer {layer}") })
}

fn states(architecture: Architecture) -> Vec<Source> {
    use Range::Signed;
    match architecture {
        Architecture::GatedDiagonal { .. } | Architecture::GatedSide { .. } => {
            vec![Source::new("h", "state h", "h = λ ⊙ h before + u", Signed)]
        }
        Architecture::GatedDense { .. } => {
            vec![Source::new("h", "state h", "h = A h before + u", Signed)]
        }
        Architecture::Lstm { .. } => vec![
            Source::new(
                "c",
                "cell c",
                "c = f ⊙ c before + i ⊙ tanh(g): what is remembered",
                Signed,
            ),
            Source::new(
                "h",
                "hidden state h",
                "h = o ⊙ tanh(c): what is read, and what the next token's gates see",
                Signed,
            ),
        ],
        Architecture::Gru { .. } => {
            vec![Source::new("h", "state h", "h = (1 − z) ⊙ n + z ⊙ h before", Signed)]
        }
        Architecture::Lru { layers, .. } => {
            let state = |l| {
                let (prefix, suffix) = layer(l, layers);
                let about = "h = λ ⊙ h before + γ ⊙ B z, complex; drawn is its size |h|";
                Source {
                    complex: true,
                    ..Source::new(
                        format!("{prefix}h"),
                        format!("size of the state, |h|{suffix}"),
                        about,
                        Signed,
                    )
                }
            };
            (1..=layers).map(state).collect()
        }
        Architecture::Mamba { .. } => {
            vec![
                Source::new(
                    "h",
                    "state h",
                    "h = exp(Δ A) ⊙ h before + Δ B z, channel by channel",
                    Signed,
                )
                .of_rows("state number"),
            ]
        }
        Architecture::Attention { .. } => vec![],
    }
}

fn gates(architecture: Architecture) -> Vec<Source> {
    use Range::{Gate, Signed};
    let input = || {
        Source::new("input_gate", "gated input u", "u = (Wₘ x) ⊙ (Wₓ x): what is written", Signed)
    };
    match architecture {
        Architecture::GatedDiagonal { .. } | Architecture::GatedDense { .. } => {
            vec![
                input(),
                Source::new(
                    "output_gate",
                    "gated output g",
                    "g = (Wₘ h) ⊙ (Wₓ h): what the readout sees",
                    Signed,
                )
                .of_rows("gate"),
            ]
        }
        Architecture::GatedSide { .. } => vec![
            input(),
            Source::new("side_gate", "side gate", "W x: what the state is multiplied by", Signed),
            Source::new("gated", "gated output g", "g = (W x) ⊙ h: what the readout sees", Signed),
        ],
        Architecture::Lstm { .. } => vec![
            Source::new(
                "gates",
                "input gate i",
                "i = σ(·): how much of the candidate is written",
                Gate,
            )
            .part((0, 4)),
            Source::new("gates", "forget gate f", "f = σ(·): how much of the cell stays", Gate)
                .part((1, 4)),
            Source::new("gates", "output gate o", "o = σ(·): how much of the cell is shown", Gate)
                .part((3, 4)),
            Source::new("gates", "candidate", "tanh(g): what may be written", Signed).part((2, 4)),
        ],
        Architecture::Gru { .. } => vec![
            Source::new(
                "gates",
                "reset gate r",
                "r = σ(·): how much of the state the candidate sees",
                Gate,
            )
            .part((0, 4)),
            Source::new(
                "gates",
                "update gate z",
                "z = σ(·): how much of the state stays; the rest is replaced",
                Gate,
            )
            .part((1, 4)),
            Source::new(
                "gates",
                "candidate n",
                "n = tanh(· + r ⊙ (W h)): what may be written",
                Signed,
            )
            .part((2, 4)),
        ],
        Architecture::Lru { layers, mixing, .. } => {
            let places: &[(&str, &str)] = if mixing == Mixing::GluOut {
                &[("out", "after")]
            } else {
                &[("in", "before"), ("out", "after")]
            };
            let gate = |l: usize, (place, words): (&str, &str)| {
                let (prefix, suffix) = layer(l, layers);
                match mixing {
                    Mixing::Mlp { .. } => Source::new(
                        format!("{prefix}mlp_{place}.gelu"),
                        format!("MLP {words} the recurrence{suffix}"),
                        "gelu(W₁ z): an MLP has no gate; these are its neurons",
                        Signed,
                    ),
                    _ => Source::new(
                        format!("{prefix}glu_{place}.sigmoid"),
                        format!("GLU {words} the recurrence{suffix}"),
                        "σ(W_g z): how much of W_v z passes",
                        Gate,
                    )
                    .of_rows("channel"),
                }
            };
            (1..=layers).flat_map(|l| places.iter().map(move |&place| gate(l, place))).collect()
        }
        Architecture::Mamba { .. } => vec![
            Source::new(
                "step",
                "step size Δ",
                "Δ = softplus(·): large writes much and forgets much",
                Signed,
            )
            .of_rows("channel"),
            Source::new(
                "b",
                "B, how it writes",
                "B = W_B z: into which state numbers a channel writes",
                Signed,
            )
            .of_rows("state number"),
            Source::new("c", "C, how it reads", "C = W_C z: which state numbers are read", Signed)
                .of_rows("state number"),
            Source::new(
                "side",
                "side gate",
                "silu(W_g z): what the channels are multiplied by",
                Signed,
            )
            .of_rows("channel"),
        ],
        Architecture::Attention { scores, .. } => {
            let about = match scores {
                Scores::Softmax => {
                    "p = softmax(q · k / √e): the row is the token that is looked at, the column the one that looks"
                }
                Scores::Linear => {
                    "p = q · k: the row is the token that is looked at, the column the one that looks"
                }
            };
            vec![
                Source::new("attention.weights", "attention weights p", about, Signed)
                    .of_rows("token"),
            ]
        }
    }
}
