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

/// Which layer the student has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelName {
    /// The gated diagonal linear RNN.
    Gated,
    /// The same with a full recurrent matrix.
    Dense,
    /// LSTM.
    Lstm,
    /// GRU.
    Gru,
    /// Linear recurrent units with a GLU behind each.
    Lru,
    /// With a GLU before and one behind.
    LruInOut,
    /// With MLPs of equal size in place of the GLUs.
    LruMlp,
    /// A selective layer like Mamba's.
    Mamba,
    /// Softmax attention.
    Softmax,
    /// Linear attention.
    Linear,
}

impl ModelName {
    /// Every one, with its word and its name for people.
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Gated, "gated", "Gated RNN"),
        (Self::Dense, "dense", "Gated RNN, dense"),
        (Self::Lstm, "lstm", "LSTM"),
        (Self::Gru, "gru", "GRU"),
        (Self::Lru, "lru", "LRU"),
        (Self::LruInOut, "lru-in-out", "LRU In+Out"),
        (Self::LruMlp, "lru-mlp", "LRU MLP"),
        (Self::Mamba, "mamba", "Mamba-like"),
        (Self::Softmax, "softmax", "Softmax attention"),
        (Self::Linear, "linear", "Linear attention"),
    ];

    /// Their words, in that order.
    pub const WORDS: [&str; Self::ALL.len()] = {
        let mut words = [""; Self::ALL.len()];
        let mut i = 0;
        while i < words.len() {
            words[i] = Self::ALL[i].1;
            i += 1;
        }
        words
    };

    /// The models themselves, in that order.
    pub const MODELS: [Self; Self::ALL.len()] = {
        let mut models = [Self::Gated; Self::ALL.len()];
        let mut i = 0;
        while i < models.len() {
            models[i] = Self::ALL[i].0;
            i += 1;
        }
        models
    };

    /// In a recipe.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(model, ..)| *model == self).map_or("", |(_, word, _)| word)
    }

    /// For people.
    pub fn title(self) -> &'static str {
        Self::ALL.iter().find(|(model, ..)| *model == self).map_or("", |(.., title)| title)
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
