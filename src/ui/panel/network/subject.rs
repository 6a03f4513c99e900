//! A network to draw, and the names of its parts.

use crate::analysis::importance::{Importance, Role};
use crate::model::Network;
use crate::task::Task;

/// A network to draw.
pub struct Subject<'a> {
    /// Which network, then whatever changes with its weights: the picture is made anew only when
    /// this is new.
    pub key: (u32, u64),
    /// The weights; asked for only when the picture is made.
    pub network: &'a dyn Fn() -> Option<Network>,
    /// λ, importance and role of each neuron and gate.
    pub importance: &'a Importance,
    /// The task, which names inputs and outputs; `None`: they are numbered.
    pub task: Option<Task>,
    /// What its parts are, where that is known; its neurons and gates then keep their order.
    pub labels: Option<&'a Labels>,
}

/// Names of what a network is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels {
    /// Neurons from the first to the last: how many, their common name, their kind.
    pub groups: Vec<(usize, &'static str, Role)>,
    /// Name of each neuron.
    pub neurons: Vec<String>,
    /// Name of each gate.
    pub gates: Vec<String>,
    /// Parts of the matrices.
    pub blocks: Vec<Block>,
    /// The neuron that stands out.
    pub marked: Option<usize>,
}

/// A named part of a matrix, in rows and columns as they are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// In the order of the picture: Wₘ in, Wₓ in, Wₘ out, Wₓ out, D; with side gating Wₘ in, Wₓ
    /// in, W side, D.
    pub matrix: usize,
    /// Rows that it covers.
    pub rows: std::ops::Range<usize>,
    /// Columns that it covers.
    pub columns: std::ops::Range<usize>,
    /// Rows in whose middle the name stands, which may be beside the block.
    pub name_at: std::ops::Range<usize>,
    /// What it holds.
    pub name: &'static str,
    /// The kind of neuron that it serves; none for the readout.
    pub role: Option<Role>,
}

impl Subject<'_> {
    /// A neuron's name, or its number.
    pub(super) fn neuron(&self, neuron: usize) -> String {
        self.labels
            .and_then(|labels| labels.neurons.get(neuron).cloned())
            .unwrap_or_else(|| neuron.to_string())
    }

    /// A gate's name, or its number.
    pub(super) fn gate(&self, gate: usize) -> String {
        self.labels
            .and_then(|labels| labels.gates.get(gate).cloned())
            .unwrap_or_else(|| gate.to_string())
    }
}
