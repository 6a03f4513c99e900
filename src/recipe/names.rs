//! The words that a recipe chooses from.

use crate::named::named;

named! {
    /// Which engine a run asks for.
    pub enum Engine {
        /// The GPU if there is a real one, else the CPU engine.
        Auto = "auto";
        /// The GPU, even a simulated one.
        Gpu = "gpu";
        /// The CPU engine.
        Cpu = "cpu";
    }
}

named! {
    /// Which task.
    pub enum TaskName {
        /// Imitate a linear self-attention layer.
        Attention = "attention";
        /// Learn a linear map from examples in the sequence.
        Regression = "regression";
        /// Remember pairs.
        Recall = "recall";
        /// The user's own sequences.
        File = "file";
    }
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

named! {
    /// Yes or no.
    pub enum Switch {
        /// Switched on.
        On = "on";
        /// Switched off.
        Off = "off";
    }
}

named! {
    /// What gates the output.
    pub enum Gating {
        /// g = (W_m h) ⊙ (W_x h).
        Output = "output";
        /// g = (W^side x̃) ⊙ h.
        Side = "side";
    }
}
