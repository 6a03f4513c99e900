//! Which network a file holds, from the names and shapes of its tensors.

use super::{File, MAX_NEURONS, MAX_WIDTH};
use crate::Result;
use crate::experiment::recipe::Recipe;
use crate::model::{Architecture, Mixing, Scores};

/// Widest embedding, and widest hidden layer of an MLP.
pub const MAX_EMBED: usize = 256;
/// Most layers of a stack.
const MAX_LAYERS: usize = 8;
/// Most numbers a channel of a selective layer.
const MAX_STATE: usize = 64;

/// A network with its numbers a token and an output.
pub(super) type Sized = (Architecture, usize, usize);

impl File<'_> {
    fn has(&self, tensor: &str) -> bool {
        self.tensors.tensor(tensor).is_ok()
    }

    /// What the file holds. Only a recipe can say which scores attention uses.
    pub(super) fn sizes(&self, recipe: Option<&Recipe>) -> Result<Sized> {
        if self.has("embed") && !self.has("input_gate.m") { self.embedded(recipe) } else { self.gated() }
    }

    fn gated(&self) -> Result<Sized> {
        let [hidden, fan_in] = self.shape("input_gate.m")?;
        let [outputs, read] = self.shape("readout")?;
        if fan_in < 2 {
            return Err(self.wrong("input_gate.m has 1 column; expected d + 1, the last for the constant 1"));
        }
        let gates = if self.has("side_gate") { None } else { Some(self.shape("output_gate.m")?[0]) };
        let architecture = match gates {
            None => Architecture::GatedSide { hidden },
            Some(gates) if self.has("recurrent") => Architecture::GatedDense { hidden, gates },
            Some(gates) => Architecture::GatedDiagonal { hidden, gates },
        };
        let (width, m) = (fan_in - 1, gates.unwrap_or(1));
        if width > MAX_WIDTH || outputs > MAX_WIDTH || hidden > MAX_NEURONS || m > MAX_NEURONS {
            return Err(self.wrong(format!("is too large (d = {width}, outputs = {outputs}, n = {hidden}, m = {m}); expected d and outputs up to {MAX_WIDTH}, n and m up to {MAX_NEURONS}")));
        }
        let (expected, each) = gates.map_or((hidden, "neuron"), |gates| (gates, "gate"));
        if read != expected {
            return Err(self.wrong(format!("readout has {read} columns; expected {expected}, one a {each}")));
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
                _ => return Err(self.wrong(format!("weight_hh has shape [{rows}, {hidden}]; expected [4 n, n] for an LSTM or [3 n, n] for a GRU"))),
            }
        } else if self.has("theta") {
            self.lru(embed)?
        } else if self.has("a_log") {
            Architecture::Mamba { embed, state: self.shape("a_log")?[1] }
        } else if self.has("query") {
            match recipe.map(Recipe::architecture) {
                Some(architecture @ Architecture::Attention { .. }) => architecture,
                _ if self.has("teacher.value") => Architecture::Attention { embed, scores: Scores::Linear },
                _ => return Err(self.wrong("holds an attention layer, but only a recipe in its metadata says whether with softmax; save it with gatelens, or with its teacher for linear attention")),
            }
        } else {
            return Err(self.wrong("has an embedding but no layer that is known: weight_hh (LSTM, GRU), theta (LRU), a_log (Mamba-like) or query (attention)"));
        };
        let (hidden, layers, width) = match architecture {
            Architecture::Lru { hidden, layers, mixing: Mixing::Mlp { width }, .. } => (hidden, layers, width),
            Architecture::Lru { hidden, layers, .. } => (hidden, layers, 1),
            Architecture::Mamba { state, .. } if state > MAX_STATE => return Err(self.wrong(format!("is too large (N = {state}); expected up to {MAX_STATE} numbers a channel"))),
            Architecture::Mamba { .. } | Architecture::Attention { .. } => (1, 1, 1),
            other => (other.hidden(), 1, 1),
        };
        if inputs > MAX_WIDTH || outputs > MAX_WIDTH || hidden > MAX_NEURONS || embed.max(width) > MAX_EMBED || layers > MAX_LAYERS {
            let found = format!("d = {inputs}, outputs = {outputs}, n = {hidden}, e = {embed}, {layers} layers");
            return Err(self.wrong(format!("is too large ({found}); expected d and outputs up to {MAX_WIDTH}, n up to {MAX_NEURONS}, e and the width of MLPs up to {MAX_EMBED}, {MAX_LAYERS} layers")));
        }
        Ok((architecture, inputs, outputs))
    }

    fn lru(&self, embed: usize) -> Result<Architecture> {
        if !self.has("b_re") && self.has("b") {
            return Err(self.wrong("holds complex weights as one array, b; expected two real ones: b_re and b_im [n, e], c_re and c_im [e, n]"));
        }
        let hidden = self.shape("b_re")?[0];
        let layers = 1 + (2..).take_while(|layer| self.has(&format!("layer{layer}.theta"))).count();
        let mixing = if self.has("mlp_in.w1") {
            Mixing::Mlp { width: self.shape("mlp_in.w1")?[0] }
        } else if self.has("glu_in.value") {
            Mixing::GluInOut
        } else {
            Mixing::GluOut
        };
        Ok(Architecture::Lru { hidden, embed, layers, mixing })
    }
}
