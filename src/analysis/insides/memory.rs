//! What a layer's recurrence keeps from token to token: eigenvalues where it is linear, its forget
//! or update gate where it is not.
//!
//! gated diagonal: λ = exp(−exp ν) on the real line; full: eigenvalues of A; LRU: λ = exp(−exp ν +
//! i exp θ), a layer each; Mamba: exp(Δ_t A) over the sequence; LSTM: f, GRU: z over the sequence.

use super::trace::MOST;
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::model::{Architecture, Model};
use serde::{Deserialize, Serialize};

/// Of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// "λ of each neuron", with the layer's number where there are several.
    pub name: String,
    /// In a sentence.
    pub about: String,
    /// Of this network.
    pub now: Spectrum,
    /// Before training, in the same order, where the seed is known.
    pub initial: Option<Spectrum>,
}

/// Numbers that say how much is kept: 1 all, 0 nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Spectrum {
    /// Real, from 0 to 1: [least, mean, largest] over the sequence, all the same where it does not
    /// depend on the token.
    Line(Vec<[f64; 3]>),
    /// Complex: [re, im].
    Disk(Vec<[f64; 2]>),
}

impl Spectrum {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Line(values) => values.len(),
            Self::Disk(values) => values.len(),
        }
    }

    /// Of a layer without memory.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much is kept: means, or sizes |λ|.
    pub fn sizes(&self) -> Vec<f64> {
        match self {
            Self::Line(values) => values.iter().map(|[_, mean, _]| *mean).collect(),
            Self::Disk(values) => values.iter().map(|[re, im]| re.hypot(*im)).collect(),
        }
    }
}

/// A memory for each recurrence, on x `[time, d]` where it depends on the tokens.
pub fn memories(model: &Model, initial: Option<&Model>, x: &Matrix) -> Vec<Memory> {
    let spectra = spectra(model, x);
    let mut before =
        initial.map(|initial| self::spectra(initial, x)).unwrap_or_default().into_iter();
    let layers = spectra.len();
    let memory = |(layer, now): (usize, Option<Spectrum>)| {
        let initial = before.next().flatten();
        let (name, about) = words(model.architecture);
        let name = if layers > 1 { format!("{name}, layer {}", layer + 1) } else { name.into() };
        Some(Memory { name, about: about.into(), now: now?, initial })
    };
    spectra.into_iter().enumerate().filter_map(memory).collect()
}

fn words(architecture: Architecture) -> (&'static str, &'static str) {
    match architecture {
        Architecture::GatedDiagonal { .. } | Architecture::GatedSide { .. } => {
            ("λ of each neuron", "h = λ ⊙ h before + u: λ = 1 keeps everything, λ = 0 nothing.")
        }
        Architecture::GatedDense { .. } => (
            "eigenvalues of A",
            "h = A h before + u: a direction with |λ| = 1 keeps everything, with |λ| = 0 nothing.",
        ),
        Architecture::Lru { .. } => (
            "λ of each neuron",
            "h = λ ⊙ h before + γ ⊙ B z: |λ| = 1 keeps everything, |λ| = 0 nothing; off the real line it turns at each token.",
        ),
        Architecture::Mamba { .. } => (
            "exp(Δ A) of each state number",
            "What a state number keeps depends on the token: the bar is its range over the sequence, the dot its mean.",
        ),
        Architecture::Lstm { .. } => (
            "forget gate f of each cell",
            "c = f ⊙ c before + …: f depends on the token. The bar is its range over the sequence, the dot its mean.",
        ),
        Architecture::Gru { .. } => (
            "update gate z of each neuron",
            "h = z ⊙ h before + (1 − z) ⊙ n: z depends on the token. The bar is its range over the sequence, the dot its mean.",
        ),
        Architecture::Attention { .. } => ("", ""),
    }
}

/// One for each recurrence; `None` where it can't be worked out.
fn spectra(model: &Model, x: &Matrix) -> Vec<Option<Spectrum>> {
    let table = model.table();
    let part = |name: &str| table.slice(&model.parameters, name);
    let over = |buffer: &str, part: usize, parts: usize| {
        let buffer = model.weighed().buffers::<f64>(x, x.rows, &[buffer.into()]).remove(0);
        let n = buffer.columns / parts;
        Spectrum::Line((0..n.min(MOST)).map(|j| range(buffer.column(part * n + j))).collect())
    };
    match model.architecture {
        Architecture::GatedDiagonal { .. } | Architecture::GatedSide { .. } => {
            vec![Some(Spectrum::Line(part("nu").iter().map(|nu| [(-nu.exp()).exp(); 3]).collect()))]
        }
        Architecture::GatedDense { hidden, .. } => {
            vec![
                linear::eigenvalues(&Matrix::new(hidden, hidden, part("recurrent").to_vec()))
                    .map(Spectrum::Disk),
            ]
        }
        Architecture::Lru { layers, .. } => {
            let disk = |layer: usize| {
                let prefix = if layer == 1 { String::new() } else { format!("layer{layer}.") };
                let (nu, theta) = (part(&format!("{prefix}nu")), part(&format!("{prefix}theta")));
                Some(Spectrum::Disk(
                    nu.iter()
                        .zip(theta)
                        .map(|(nu, theta)| {
                            [theta.exp().cos(), theta.exp().sin()].map(|v| (-nu.exp()).exp() * v)
                        })
                        .collect(),
                ))
            };
            (1..=layers).map(disk).collect()
        }
        Architecture::Mamba { state, .. } => {
            let step = model.weighed().buffers::<f64>(x, x.rows, &["step".into()]).remove(0);
            let decay = |(i, a_log): (usize, &f64)| {
                range(step.column(i / state).map(|delta| (-delta * a_log.exp()).exp()))
            };
            vec![Some(Spectrum::Line(
                part("a_log").iter().enumerate().take(MOST).map(decay).collect(),
            ))]
        }
        Architecture::Lstm { .. } => vec![Some(over("gates", 1, 4))],
        Architecture::Gru { .. } => vec![Some(over("gates", 1, 4))],
        Architecture::Attention { .. } => vec![],
    }
}

/// [least, mean, largest]
fn range(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    [
        values.iter().copied().fold(f64::INFINITY, f64::min),
        mean,
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ]
}
