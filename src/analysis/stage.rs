//! The network after a step of its reduction.

use super::importance::Role;
use crate::model::Network;
use serde::{Deserialize, Serialize};

/// How far the reduction has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StageKind {
    /// As trained.
    Raw,
    /// Without unimportant neurons and gates.
    Pruned,
    /// Key-value neurons first, then query; gates by the query they read, memory side in W_m.
    Sorted,
    /// Gates that are one product in several parts, replaced by that product.
    Merged,
    /// λ snapped; in each group of equal λ only neurons that are linearly independent, the others
    /// folded into W^out.
    Minimal,
}

/// The network after a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Which stage.
    pub kind: StageKind,
    /// The weights at this stage.
    pub network: Network,
    /// The raw network's index of each neuron.
    pub neurons: Vec<usize>,
    /// The raw network's gates that each gate stands for; empty with side gating.
    pub gates: Vec<Vec<usize>>,
    /// Role of each neuron.
    pub roles: Vec<Role>,
    /// Relative RMS change of the outputs on a fresh batch, against the raw network.
    pub change: f64,
    /// What was done, or why nothing was, in a sentence.
    pub note: String,
}
