//! Which network a file holds, from the names and shapes of its tensors.

use super::{File, MAX_NEURONS, MAX_WIDTH};
use crate::Result;
use crate::model::{Architecture, Mixing, Scores};
use crate::recipe::Recipe;
use std::collections::BTreeSet;

/// Widest embedding, and widest hidden layer of an MLP.
pub const MAX_EMBED: usize = 256;
/// Most layers of a stack.
const MAX_LAYERS: usize = 8;
/// Most numbers a channel of a selective layer.
const MAX_STATE: usize = 64;

/// A network with its numbers a token and an output.
pub(super) type Sized = (Architecture, usize, usize);

/// What any layer of the LRU has, without a prefix.
const RECURRENT_UNIT: [&str; 7] = ["nu", "theta", "gamma_log", "b_re", "b_im", "c_re", "c_im"];

/// A network in words, with its numbers [a token, an output].
pub fn described(architecture: Architecture, [inputs, outputs]: [usize; 2]) -> String {
    let sizes = match architecture {
        Architecture::GatedDiagonal { hidden, gates }
        | Architecture::GatedDense { hidden, gates } => {
            format!("n = {hidden}, m = {gates}")
        }
        Architecture::GatedSide { hidden } => format!("side gating, n = {hidden}"),
        Architecture::Lstm { hidden, embed } | Architecture::Gru { hidden, embed } => {
            format!("n = {hidden}, e = {embed}")
        }
        Architecture::Lru { hidden, embed, layers, mixing: Mixing::Mlp { width } } => {
            format!("n = {hidden}, e = {embed}, layers = {layers}, MLPs of {width}")
        }
        Architecture::Lru { hidden, embed, layers, .. } => {
            format!("n = {hidden}, e = {embed}, layers = {layers}")
        }
        Architecture::Mamba { embed, state } => format!("e = {embed}, N = {state}"),
        Architecture::Attention { embed, .. } => format!("e = {embed}"),
    };
    format!(
        "{} ({sizes}, {inputs} numbers in and {outputs} out)",
        Recipe::default().with_architecture(architecture).model.title()
    )
}

/// Whether some layer has a tensor of that name.
pub(super) fn is_part(tensor: &str) -> bool {
    let lru = |mixing| Architecture::Lru { hidden: 1, embed: 1, layers: 1, mixing };
    let all = [
        Architecture::GatedDense { hidden: 1, gates: 1 },
        Architecture::GatedSide { hidden: 1 },
        Architecture::Lstm { hidden: 1, embed: 1 },
        Architecture::Gru { hidden: 1, embed: 1 },
        lru(Mixing::GluInOut),
        lru(Mixing::Mlp { width: 1 }),
        Architecture::Mamba { embed: 1, state: 1 },
        Architecture::Attention { embed: 1, scores: Scores::Linear },
    ];
    let part = layered(tensor).map_or(tensor, |(_, part)| part);
    all.into_iter().any(|architecture| architecture.table(1, 1).get(part).is_some())
}

/// The number and the part that `layer3.theta` names.
fn layered(tensor: &str) -> Option<(usize, &str)> {
    let (number, part) = tensor.strip_prefix("layer")?.split_once('.')?;
    Some((number.parse().ok()?, part))
}

impl File<'_> {
    fn has(&self, tensor: &str) -> bool {
        self.tensors.tensor(tensor).is_ok()
    }

    /// What the file holds. Only a recipe can say which scores attention uses.
    pub(super) fn sizes(&self, recipe: Option<&Recipe>) -> Result<Sized> {
        if self.has("embed") && !self.has("input_gate.m") {
            self.embedded(recipe)
        } else {
            self.gated()
        }
    }

    fn gated(&self) -> Result<Sized> {
        let [hidden, fan_in] = self.shape("input_gate.m")?;
        let [outputs, read] = self.shape("readout")?;
        if fan_in < 2 {
            return Err(self
                .wrong("input_gate.m has 1 column; expected d + 1, the last for the constant 1"));
        }
        let gates =
            if self.has("side_gate") { None } else { Some(self.shape("output_gate.m")?[0]) };
        let architecture = match gates {
            None => Architecture::GatedSide { hidden },
            Some(gates) if self.has("recurrent") => Architecture::GatedDense { hidden, gates },
            Some(gates) => Architecture::GatedDiagonal { hidden, gates },
        };
        let (width, m) = (fan_in - 1, gates.unwrap_or(1));
        if width > MAX_WIDTH || outputs > MAX_WIDTH || hidden > MAX_NEURONS || m > MAX_NEURONS {
            return Err(self.wrong(format!(
                "is too large (d = {width}, outputs = {outputs}, n = {hidden}, m = {m}); expected d and outputs up to {MAX_WIDTH}, n and m up to {MAX_NEURONS}"
            )));
        }
        let (expected, each) = gates.map_or((hidden, "neuron"), |gates| (gates, "gate"));
        if read != expected {
            return Err(self
                .wrong(format!("readout has {read} columns; expected {expected}, one a {each}")));
        }
        Ok((architecture, width, outputs))
    }

    /// A layer between a linear embedding and a readout.
    fn embedded(&self, recipe: Option<&Recipe>) -> Result<Sized> {
        let [embed, inputs] = self.shape("embed")?;
        let [outputs, _] = self.shape("readout")?;
        let architecture = if self.has("weight_hh") {
            let [rows, hidden] = self.shape("weight_hh")?;
            match (rows == 4 * hidden, rows == 3 * hidden) {
                (true, _) => Architecture::Lstm { hidden, embed },
                (_, true) => Architecture::Gru { hidden, embed },
                _ => {
                    return Err(self.wrong(format!(
                        "weight_hh has shape [{rows}, {hidden}]; expected [4 n, n] for an LSTM or [3 n, n] for a GRU"
                    )));
                }
            }
        } else if self.has("a_log") {
            Architecture::Mamba { embed, state: self.shape("a_log")?[1] }
        } else if self.has("query") {
            match recipe.map(Recipe::architecture) {
                Some(architecture @ Architecture::Attention { .. }) => architecture,
                _ if self.has("teacher.value") => Architecture::Attention { embed, scores: Scores::Linear },
                _ => return Err(self.wrong("holds an attention layer, but only a recipe in its metadata says whether with softmax; save it with gatelens, or with its teacher for linear attention")),
            }
        } else if RECURRENT_UNIT.into_iter().chain(["lambda", "B", "C"]).any(|part| self.has(part))
            || !self.further_layers().is_empty()
        {
            self.lru(embed)?
        } else {
            return Err(self.wrong("has an embedding but no layer that is known: weight_hh (LSTM, GRU), theta (LRU), a_log (Mamba-like) or query (attention)"));
        };
        let (hidden, layers, width) = match architecture {
            Architecture::Lru { hidden, layers, mixing: Mixing::Mlp { width }, .. } => {
                (hidden, layers, width)
            }
            Architecture::Lru { hidden, layers, .. } => (hidden, layers, 1),
            Architecture::Mamba { state, .. } if state > MAX_STATE => {
                return Err(self.wrong(format!(
                    "is too large (N = {state}); expected up to {MAX_STATE} numbers a channel"
                )));
            }
            Architecture::Mamba { .. } | Architecture::Attention { .. } => (1, 1, 1),
            other => (other.hidden(), 1, 1),
        };
        if inputs > MAX_WIDTH
            || outputs > MAX_WIDTH
            || hidden > MAX_NEURONS
            || embed.max(width) > MAX_EMBED
            || layers > MAX_LAYERS
        {
            let found = format!(
                "d = {inputs}, outputs = {outputs}, n = {hidden}, e = {embed}, {layers} layers"
            );
            return Err(self.wrong(format!("is too large ({found}); expected d and outputs up to {MAX_WIDTH}, n up to {MAX_NEURONS}, e and the width of MLPs up to {MAX_EMBED}, {MAX_LAYERS} layers")));
        }
        Ok((architecture, inputs, outputs))
    }

    fn lru(&self, embed: usize) -> Result<Architecture> {
        let layers = self.layers()?;
        for layer in 1..=layers {
            let prefix = if layer == 1 { String::new() } else { format!("layer{layer}.") };
            for (part, one) in [("b", "b"), ("b", "B"), ("c", "c"), ("c", "C")] {
                if self.has(&format!("{prefix}{one}")) && !self.has(&format!("{prefix}{part}_re")) {
                    return Err(self.wrong(format!("holds complex weights as one array, {prefix}{one}; expected two real ones: {prefix}b_re and {prefix}b_im [n, e], {prefix}c_re and {prefix}c_im [e, n]")));
                }
            }
            if self.has(&format!("{prefix}lambda")) {
                return Err(self.wrong(format!(
                    "holds the complex λ as {prefix}lambda; expected two real arrays, {prefix}nu and {prefix}theta [n], for λ = exp(−exp(nu) + i exp(theta))"
                )));
            }
        }
        let hidden = self.shape("b_re")?[0];
        let mixing = if self.has("mlp_in.w1") {
            Mixing::Mlp { width: self.shape("mlp_in.w1")?[0] }
        } else if self.has("glu_in.value") {
            Mixing::GluInOut
        } else {
            Mixing::GluOut
        };
        Ok(Architecture::Lru { hidden, embed, layers, mixing })
    }

    /// The numbers of the layers that have one before their names.
    fn further_layers(&self) -> BTreeSet<usize> {
        self.tensors
            .names()
            .into_iter()
            .filter(|tensor| is_part(tensor))
            .filter_map(|tensor| Some(layered(tensor)?.0))
            .collect()
    }

    /// How many layers a stack has.
    fn layers(&self) -> Result<usize> {
        let counted = self.further_layers();
        let layers = counted.last().copied().unwrap_or(1);
        let expected = "expected each from 1 on, the first layer's parts without a prefix, the second's with layer2.";
        if let Some(number) = counted.first().filter(|number| **number < 2) {
            return Err(self.wrong(format!("has parts of a layer{number}.; {expected}")));
        }
        let is_there = |layer: &usize| {
            if *layer == 1 {
                RECURRENT_UNIT.iter().any(|part| self.has(part))
            } else {
                counted.contains(layer)
            }
        };
        match (1..layers).find(|layer| !is_there(layer)) {
            Some(gap) => Err(self
                .wrong(format!("has parts of layer {layers} but none of layer {gap}; {expected}"))),
            None => Ok(layers),
        }
    }
}
