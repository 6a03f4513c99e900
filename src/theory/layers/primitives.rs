//! What linear attention needs of a layer, and which layer has it (paper, section 3.3 and appendix
//! B, Table 3): a product of two readings of the token, a memory that loses nothing, a product of
//! the memory with the query.

use super::Host;
use crate::theory::Variant;

/// Whether a layer can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// With no error but rounding.
    Exactly,
    /// As nearly as rounding allows, with small weights into its nonlinearity.
    Nearly,
    /// Not all of it.
    Partly,
    /// Not by its gates.
    Missing,
}

impl Ability {
    /// In a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exactly => "yes",
            Self::Nearly => "with small weights",
            Self::Partly => "in part",
            Self::Missing => "no",
        }
    }
}

/// What shows that a row of the table is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// A construction among [`crate::theory::construct`]'s.
    Gated(Variant),
    /// A construction among [`super::construct`]'s.
    Built(Host),
    /// The argument in the row's sentence.
    Said,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Primitives {
    /// The layer's name.
    pub layer: &'static str,
    /// A product of two readings of the token: value times key.
    pub product: Ability,
    /// A memory that loses nothing.
    pub memory: Ability,
    /// A product of the memory, with the current token in it, and a reading of the token: the
    /// query.
    pub query: Ability,
    /// Layers that it takes; `None` where its gates alone do not reach.
    pub layers: Option<usize>,
    /// By which parts.
    pub sentence: &'static str,
    /// How it is known.
    pub shown: Shown,
}

/// The table.
pub const TABLE: [Primitives; 8] = [
    Primitives {
        layer: "Gated RNN",
        product: Ability::Exactly,
        memory: Ability::Exactly,
        query: Ability::Exactly,
        layers: Some(1),
        sentence: "Its input gate multiplies two readings, λ = 1 adds up, and its output gate multiplies two readings of the state, where neurons with λ = 0 carry the query.",
        shown: Shown::Gated(Variant::Naive),
    },
    Primitives {
        layer: "Gated RNN, full matrix",
        product: Ability::Exactly,
        memory: Ability::Exactly,
        query: Ability::Exactly,
        layers: Some(1),
        sentence: "A diagonal matrix of ones and zeros is one of its recurrent matrices, so it is the gated RNN's construction.",
        shown: Shown::Said,
    },
    Primitives {
        layer: "Gated RNN, side gating",
        product: Ability::Exactly,
        memory: Ability::Exactly,
        query: Ability::Exactly,
        layers: Some(1),
        sentence: "The gate behind the recurrence reads the query from the token itself.",
        shown: Shown::Gated(Variant::Side),
    },
    Primitives {
        layer: "LRU In+Out",
        product: Ability::Nearly,
        memory: Ability::Exactly,
        query: Ability::Nearly,
        layers: Some(1),
        sentence: "The GLUs before and after the recurrence multiply by a sigmoid, which is linear for small weights; the query goes around the recurrence.",
        shown: Shown::Built(Host::LruInOut),
    },
    Primitives {
        layer: "LRU",
        product: Ability::Missing,
        memory: Ability::Exactly,
        query: Ability::Nearly,
        layers: Some(2),
        sentence: "Nothing multiplies before the recurrence, so one layer sums readings and not products; the GLU of a layer below makes the products.",
        shown: Shown::Built(Host::LruTwo),
    },
    Primitives {
        layer: "LRU MLP",
        product: Ability::Nearly,
        memory: Ability::Exactly,
        query: Ability::Nearly,
        layers: Some(1),
        sentence: "A GELU has curvature, and (a + b)² − (a − b)² = 4ab, so MLPs make both products with small weights; it takes more neurons than a GLU.",
        shown: Shown::Said,
    },
    Primitives {
        layer: "LSTM",
        product: Ability::Nearly,
        memory: Ability::Exactly,
        query: Ability::Nearly,
        layers: Some(1),
        sentence: "The input gate multiplies the value by the key, an open forget gate adds up, the output gate multiplies by the query; all gates have to stay in their linear range.",
        shown: Shown::Built(Host::Lstm),
    },
    Primitives {
        layer: "GRU",
        product: Ability::Nearly,
        memory: Ability::Nearly,
        query: Ability::Partly,
        layers: None,
        sentence: "The update gate makes products and W_hn = 1 keeps them, but the reset gate multiplies the state before the current token, and nothing multiplies after it: the token's own term is missing, unless tanh's curvature makes it.",
        shown: Shown::Built(Host::GruBefore),
    },
];

impl Primitives {
    /// As a line of the terminal.
    pub fn line(&self) -> String {
        let layers = self.layers.map_or_else(|| "—".into(), |layers| layers.to_string());
        format!(
            "{:<24} product {:<20} memory {:<20} query {:<20} layers {layers}",
            self.layer,
            self.product.word(),
            self.memory.word(),
            self.query.word()
        )
    }
}
