//! The products in one update of a GRU and of an LSTM, for small readings: which there are, with
//! which coefficient, and which is missing.
//!
//! GRU:  h' = (1 − σ(a_z + b_z)) tanh(a_n + σ(a_r + b_r) w) + σ(a_z + b_z) h
//! LSTM: h' = σ(a_o) tanh(σ(b_f) c + σ(a_i) tanh(a_g))
//!
//! a_z, a_r, a_n and a_i, a_g, a_o are readings of the current token, h the neuron's own state, w =
//! W_hn h a reading of all states, c the cell: all taken small. A coefficient is the mixed
//! derivative at 0, where each factor occurs once. tanh counts as linear (its curvature begins
//! at the third order in a single reading); biases are free.
//!
//! What that shows. From these products a GRU can build the sums of v_i k_j and, in the next step,
//! their products with a query; none has three readings of the current token, so v_i k_j q_j of the
//! token itself is out of reach, whatever the biases. The LSTM has it, a_i a_g a_o. What it does
//! not show: that no GRU is linear attention. Cubes by tanh's curvature do it ([`super::gru`]).

use crate::backend::cpu::activation::sigmoid;
use serde::{Deserialize, Serialize};

/// A layer's update of one neuron, and the products in it.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// The layer's name.
    pub layer: &'static str,
    /// Names of the arguments.
    pub arguments: &'static [&'static str],
    /// The biases' names.
    pub biases: &'static [&'static str],
    /// h' from the arguments and biases.
    of: fn(&[f64], &[f64]) -> f64,
    /// (arguments, coefficient from the biases, what the product is for)
    products: &'static [Product],
}

type Product = (&'static [usize], fn(&[f64]) -> f64, &'static str);

/// A product in an update.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// Its factors' names.
    pub factors: Vec<String>,
    /// By the formula.
    pub coefficient: f64,
    /// By differences of the update itself.
    pub measured: f64,
    /// What it is for.
    pub purpose: String,
}

/// σ and σ' of a bias.
fn gate(bias: f64) -> (f64, f64) {
    (sigmoid(bias), sigmoid(bias) * sigmoid(-bias))
}

/// A GRU's; arguments a_z, a_r, a_n, w, h; biases b_z, b_r.
pub const GRU: Update = Update {
    layer: "GRU",
    arguments: &["a_z", "a_r", "a_n", "w", "h"],
    biases: &["b_z", "b_r"],
    of: |a, b| {
        let (z, r) = (sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1]));
        (1.0 - z) * (a[2] + r * a[3]).tanh() + z * a[4]
    },
    products: &[
        (&[2], |b| 1.0 - gate(b[0]).0, "writes a reading of the token"),
        (&[4], |b| gate(b[0]).0, "keeps the state, less than all of it unless z = 1"),
        (
            &[3],
            |b| (1.0 - gate(b[0]).0) * gate(b[1]).0,
            "gives back what z loses: with w = h / r the two add up to all of h",
        ),
        (&[0, 2], |b| -gate(b[0]).1, "value times key: two readings of the token"),
        (&[0, 4], |b| gate(b[0]).1, "a reading of the token times the state"),
        (
            &[0, 3],
            |b| -gate(b[0]).1 * gate(b[1]).0,
            "takes the product with the state away again where w = h / r: memory stays perfect while it writes",
        ),
        (
            &[1, 3],
            |b| (1.0 - gate(b[0]).0) * gate(b[1]).1,
            "query times memory, but the memory before the current token",
        ),
        (&[1, 2], |_| 0.0, "missing: the reset gate multiplies only what was in the state"),
        (
            &[0, 1, 2],
            |_| 0.0,
            "missing: three readings of the token, as its own term of linear attention has",
        ),
    ],
};

/// An LSTM's without its recurrent weights; arguments a_i, a_g, a_o, c; bias b_f.
pub const LSTM: Update = Update {
    layer: "LSTM",
    arguments: &["a_i", "a_g", "a_o", "c"],
    biases: &["b_f"],
    of: |a, b| sigmoid(a[2]) * (sigmoid(b[0]) * a[3] + sigmoid(a[0]) * a[1].tanh()).tanh(),
    products: &[
        (&[1], |_| 0.25, "writes a reading of the token"),
        (&[3], |b| 0.5 * gate(b[0]).0, "reads the cell"),
        (&[0, 1], |_| 0.125, "value times key: two readings of the token"),
        (&[2, 3], |b| 0.25 * gate(b[0]).0, "query times memory"),
        (
            &[0, 1, 2],
            |_| 1.0 / 16.0,
            "value times key times query of one token: its own term of linear attention",
        ),
    ],
};

impl Update {
    /// Its products at these biases, by formula and measured.
    pub fn terms(&self, biases: &[f64]) -> Vec<Term> {
        assert_eq!(
            biases.len(),
            self.biases.len(),
            "the biases of {} are {:?}",
            self.layer,
            self.biases
        );
        let term = |(arguments, coefficient, purpose): &Product| Term {
            factors: arguments.iter().map(|&a| self.arguments[a].to_owned()).collect(),
            coefficient: coefficient(biases),
            measured: self.mixed_derivative(arguments, biases),
            purpose: (*purpose).to_owned(),
        };
        self.products.iter().map(term).collect()
    }

    /// ∂^k h' / ∂a_1 … ∂a_k at 0 for different arguments, by central differences.
    pub fn mixed_derivative(&self, arguments: &[usize], biases: &[f64]) -> f64 {
        const STEP: f64 = 1e-3;
        let corner = |corner: usize| {
            let mut at = vec![0.0; self.arguments.len()];
            let mut sign = 1.0;
            for (place, &argument) in arguments.iter().enumerate() {
                let side = if corner >> place & 1 == 1 { 1.0 } else { -1.0 };
                at[argument] = side * STEP;
                sign *= side;
            }
            sign * (self.of)(&at, biases)
        };
        (0..1 << arguments.len()).map(corner).sum::<f64>()
            / (2.0 * STEP).powi(i32::try_from(arguments.len()).unwrap_or(i32::MAX))
    }
}
