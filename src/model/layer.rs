//! What a layer says of itself. Each file of this room ends with its own [`Layer`], and
//! [`super::list::LAYERS`] has them all: whoever needs to know something of a layer asks it, so that
//! a new one is its file and a line in the list.
//!
//! Data, neither drawing nor analysis.

use super::shapes::Shapes;
use crate::graph::params::ParamTable;
use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A recurrent layer, or one to compare it with.
pub struct Layer {
    /// In links, JSON and the terminal: "gru".
    pub word: &'static str,
    /// For people: "GRU".
    pub title: &'static str,
    /// Where it multiplies, in a sentence.
    pub sentence: &'static str,
    /// The sizes that it reads.
    pub sizes: &'static [Size],
    /// It can be had with a side gate in place of its output gates.
    pub side_gating: bool,
    /// Its weights can be taken apart: it is a gated diagonal network.
    pub reducible: bool,
    /// Stands in a new comparison from the start.
    pub compared: bool,
    /// Records ŷ `[batch, steps, outputs]` of the last `steps` time steps from x `[batch, time,
    /// inputs]`; the last two are `[outputs, steps]`.
    pub record: fn(&mut Graph, Var, &Sizes, [usize; 2]) -> Var,
    /// What it carries from token to token. Nothing: it looks at all tokens again.
    pub states: fn(&Sizes) -> Vec<Observable>,
    /// What multiplies, for people.
    pub gates: fn(&Sizes) -> Vec<Observable>,
    /// The buffers that multiply others and are made from the token rather than from the state:
    /// what a query may be read from where no state carries it.
    pub token_gates: fn(&Sizes) -> Vec<String>,
    /// How it forgets.
    pub memory: Option<Memory>,
    /// What a file that holds it is told by: a tensor, and its shape in words.
    pub sign: [&'static str; 2],
    /// Its sizes and its input width d, if a file's tensors are those of this layer.
    ///
    /// # Errors
    /// They are, but something is wrong with them; in words that follow the file's name.
    pub read: fn(&Shapes) -> Option<Read>,
}

/// A layer's sizes and its input width d, or what is wrong with them.
pub type Read = Result<(Sizes, usize), String>;

impl Layer {
    /// With these sizes; those that it does not read do not count.
    pub fn of(&'static self, sizes: Sizes) -> Architecture {
        let side = sizes.side && self.side_gating;
        let mut own = Architecture { layer: self, sizes: Sizes { side, ..Sizes::NONE } };
        for size in Size::ALL {
            if own.has(size) {
                *own.sizes.at(size) = sizes.get(size);
            }
        }
        own
    }
}

impl PartialEq for Layer {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Layer {}

impl Hash for Layer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word.hash(state);
    }
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

impl Serialize for Layer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word)
    }
}

/// A size that a layer may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Hidden neurons n.
    Hidden,
    /// Output gates m.
    Gates,
    /// Width e of the embedding.
    Embed,
    /// Layers of a stack, at least 1.
    Layers,
    /// Values N that a channel keeps.
    State,
    /// Width of an MLP's hidden layer; a recipe gives it the embedding's.
    Width,
}

impl Size {
    /// Every one, in the order in which they are told.
    pub const ALL: [Self; 6] =
        [Self::Hidden, Self::Gates, Self::Embed, Self::Layers, Self::State, Self::Width];

    /// Of the recipe's setting of that key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.key() == Some(key))
    }

    /// The recipe's setting.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::Hidden => Some("hidden"),
            Self::Gates => Some("gates"),
            Self::Embed => Some("embed"),
            Self::Layers => Some("layers"),
            Self::State => Some("state"),
            Self::Width => None,
        }
    }

    /// In an equation.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Hidden => "n",
            Self::Gates => "m",
            Self::Embed => "e",
            Self::Layers => "layers",
            Self::State => "N",
            Self::Width => "k",
        }
    }

    /// The largest that is trained or read.
    pub const fn most(self) -> usize {
        match self {
            Self::Hidden | Self::Gates => 512,
            Self::Embed | Self::Width => 256,
            Self::Layers => 8,
            Self::State => 64,
        }
    }
}

/// Sizes of a layer; 0 where it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sizes {
    /// [`Size::Hidden`]
    pub hidden: usize,
    /// [`Size::Gates`]
    pub gates: usize,
    /// [`Size::Embed`]
    pub embed: usize,
    /// [`Size::Layers`]
    pub layers: usize,
    /// [`Size::State`]
    pub state: usize,
    /// [`Size::Width`]
    pub width: usize,
    /// The input gates the state, in place of output gates (appendix A.2).
    pub side: bool,
}

impl Sizes {
    /// None, to begin with.
    pub const NONE: Self =
        Self { hidden: 0, gates: 0, embed: 0, layers: 0, state: 0, width: 0, side: false };

    /// The smallest of each.
    pub const ONE: Self =
        Self { hidden: 1, gates: 1, embed: 1, layers: 1, state: 1, width: 1, side: false };

    /// One of them.
    pub fn get(mut self, size: Size) -> usize {
        *self.at(size)
    }

    /// The place of one of them.
    pub fn at(&mut self, size: Size) -> &mut usize {
        match size {
            Size::Hidden => &mut self.hidden,
            Size::Gates => &mut self.gates,
            Size::Embed => &mut self.embed,
            Size::Layers => &mut self.layers,
            Size::State => &mut self.state,
            Size::Width => &mut self.width,
        }
    }
}

/// Which network: a layer and its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Architecture {
    /// The layer.
    pub layer: &'static Layer,
    /// Those that the layer reads; the others are 0.
    pub sizes: Sizes,
}

impl Architecture {
    /// Records ŷ `[batch, steps, outputs]`, of the last `steps` time steps, from x `[batch, time,
    /// inputs]`.
    pub fn forward(self, graph: &mut Graph, x: Var, outputs: usize, steps: usize) -> Var {
        (self.layer.record)(graph, x, &self.sizes, [outputs, steps])
    }

    /// The parameters, as the model declares them.
    pub fn table(self, inputs: usize, outputs: usize) -> ParamTable {
        let mut graph = Graph::new(1, 1);
        let x = graph.input("x", inputs);
        self.forward(&mut graph, x, outputs, 1);
        graph.params
    }

    /// Whether it has that size: with a side gate there are no output gates.
    pub fn has(self, size: Size) -> bool {
        self.layer.sizes.contains(&size) && !(size == Size::Gates && self.sizes.side)
    }

    /// "n = 32, m = 32": the sizes that the layer has.
    pub fn sizes_in_words(self) -> String {
        let side = self.sizes.side.then(|| "side gating".to_owned());
        let sizes = Size::ALL.into_iter().filter(|&size| self.has(size));
        let words = sizes.map(|size| match size {
            Size::Width => format!("MLPs of {}", self.sizes.width),
            size => format!("{} = {}", size.symbol(), self.sizes.get(size)),
        });
        side.into_iter().chain(words).collect::<Vec<_>>().join(", ")
    }
}

/// How a layer forgets.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// "λ of each neuron"
    pub name: &'static str,
    /// In a sentence.
    pub about: &'static str,
    /// Where it is written.
    pub kept: Retention,
}

/// Where it is written how much stays from token to token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// λ = exp(−exp(ν)) of a parameter ν.
    Decay(&'static str),
    /// λ = exp(−exp(ν) + i exp(θ)) of the parameters ν and θ of each layer of a stack.
    Phases(&'static str, &'static str),
    /// The eigenvalues of a square parameter.
    Eigenvalues(&'static str),
    /// Part `of.0` of `of.1` equal ones of a buffer: a gate that depends on the token.
    Gate(&'static str, (usize, usize)),
    /// exp(−Δ exp(a)) of a buffer Δ and a parameter a `[channels, values]`.
    Selective(&'static str, &'static str),
}

/// What values can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Range {
    /// From 0, closed, to 1, open: σ(·).
    Gate,
    /// Any.
    Signed,
}

/// Something to look at over a sequence: part `of.0` of `of.1` equal ones of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Observable {
    /// The buffer's name.
    pub buffer: String,
    /// Which part of how many.
    pub of: (usize, usize),
    /// Halves [re, im] become sizes.
    pub complex: bool,
    /// Shown in the window, such as "forget gate".
    pub name: String,
    /// Its equation and meaning, in a sentence.
    pub about: &'static str,
    /// What a row is: "neuron", "channel".
    pub row: &'static str,
    /// What its values can be.
    pub range: Range,
}

impl Observable {
    /// A whole buffer, whose rows are neurons.
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

    /// A gate: values from 0 to 1.
    pub fn gate(buffer: impl Into<String>, name: impl Into<String>, about: &'static str) -> Self {
        Self::new(buffer, name, about, Range::Gate)
    }

    /// Any values.
    pub fn signed(buffer: impl Into<String>, name: impl Into<String>, about: &'static str) -> Self {
        Self::new(buffer, name, about, Range::Signed)
    }

    /// One of several equal parts of the buffer.
    #[must_use]
    pub fn part(self, which: usize, of: usize) -> Self {
        Self { of: (which, of), ..self }
    }

    /// Whose rows are something else.
    #[must_use]
    pub fn of_rows(self, row: &'static str) -> Self {
        Self { row, ..self }
    }
}

/// Nothing to see, for a layer that has none.
pub fn nothing(_: &Sizes) -> Vec<Observable> {
    vec![]
}

/// No buffers, for a layer whose gates all read the state.
pub fn no_buffers(_: &Sizes) -> Vec<String> {
    vec![]
}

/// What the names of a layer of the stack begin with.
pub fn prefix(layer: usize) -> String {
    if layer == 1 { String::new() } else { format!("layer{layer}.") }
}

/// The number and the part that `layer3.theta` names.
pub fn layered(tensor: &str) -> Option<(usize, &str)> {
    let (number, part) = tensor.strip_prefix("layer")?.split_once('.')?;
    Some((number.parse().ok()?, part))
}
