//! The layers that there are.

use super::layer::{Architecture, Layer, Sizes};
use super::{attention, gated_dense, gated_diagonal, gru, lru, lstm, mamba};
use serde::{Deserialize, Deserializer, de};

/// Every layer, in the order in which they are offered.
pub static LAYERS: &[&Layer] = &[
    &gated_diagonal::GATED,
    &gated_dense::DENSE,
    &lstm::LSTM,
    &gru::GRU,
    &lru::LRU,
    &lru::LRU_IN_OUT,
    &lru::LRU_MLP,
    &mamba::MAMBA,
    &attention::SOFTMAX,
    &attention::LINEAR,
];

/// Their words, in that order.
pub static WORDS: [&str; LAYERS.len()] = {
    let mut words = [""; LAYERS.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = LAYERS[i].word;
        i += 1;
    }
    words
};

/// Every layer with these sizes, and those that can have a side gate with it too.
pub fn every(sizes: Sizes) -> Vec<Architecture> {
    let side = LAYERS.iter().filter(|layer| layer.side_gating);
    let side = side.map(|layer| layer.of(Sizes { side: true, ..sizes }));
    LAYERS.iter().map(|layer| layer.of(sizes)).chain(side).collect()
}

impl Layer {
    /// The layer of that word.
    pub fn from_word(word: &str) -> Option<&'static Self> {
        LAYERS.iter().copied().find(|layer| layer.word == word)
    }
}

impl<'de> Deserialize<'de> for &'static Layer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Layer::from_word(&word).ok_or_else(|| {
            de::Error::custom(format!(
                "there is no layer {word}; expected one of {}",
                WORDS.join(", ")
            ))
        })
    }
}
