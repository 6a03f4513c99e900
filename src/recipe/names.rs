//! The words that a recipe chooses from.

use serde::{Deserialize, Serialize};

/// Which engine a run asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The GPU if there is a real one, else the CPU engine.
    Auto,
    /// The GPU, even a simulated one.
    Gpu,
    /// The CPU engine.
    Cpu,
}

/// Which task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskName {
    /// Imitate a linear self-attention layer.
    Attention,
    /// Learn a linear map from examples in the sequence.
    Regression,
    /// Remember pairs.
    Recall,
    /// The user's own sequences.
    File,
}

impl TaskName {
    /// Whether each sequence brings examples to learn from.
    pub fn in_context(self) -> bool {
        matches!(self, Self::Regression | Self::Recall)
    }

    /// Whether what it does to whole sequences is measured: all but attention, which has a teacher
    /// to compare with.
    pub fn is_measured(self) -> bool {
        self != Self::Attention
    }
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

/// What gates the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gating {
    /// g = (W_m h) ⊙ (W_x h).
    Output,
    /// g = (W^side x̃) ⊙ h.
    Side,
}
