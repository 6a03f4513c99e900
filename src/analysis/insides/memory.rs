//! What a layer's recurrence keeps from token to token: eigenvalues where it is linear, its forget
//! or update gate where it is not.
//!
//! Where each layer writes it, its own file says: [`Retention`].

use super::trace::MOST;
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::model::Model;
use crate::model::layer::{self, Retention, prefix};
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
    /// The number of eigenvalues.
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
    let memory = |(number, now): (usize, Option<Spectrum>)| {
        let initial = before.next().flatten();
        let layer::Memory { name, about, .. } = model.architecture.layer.memory?;
        let name = if layers > 1 { format!("{name}, layer {}", number + 1) } else { name.into() };
        Some(Memory { name, about: about.into(), now: now?, initial })
    };
    spectra.into_iter().enumerate().filter_map(memory).collect()
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
    let Some(memory) = model.architecture.layer.memory else { return vec![] };
    match memory.kept {
        Retention::Decay(nu) => {
            vec![Some(Spectrum::Line(part(nu).iter().map(|nu| [(-nu.exp()).exp(); 3]).collect()))]
        }
        Retention::Eigenvalues(matrix) => {
            let n = model.architecture.sizes.hidden;
            let matrix = Matrix::new(n, n, part(matrix).to_vec());
            vec![linear::eigenvalues(&matrix).map(Spectrum::Disk)]
        }
        Retention::Phases(nu, theta) => {
            let disk = |layer: usize| {
                let [nu, theta] = [nu, theta].map(|name| part(&format!("{}{name}", prefix(layer))));
                let lambda = |(nu, theta): (&f64, &f64)| {
                    [theta.exp().cos(), theta.exp().sin()].map(|v| (-nu.exp()).exp() * v)
                };
                Some(Spectrum::Disk(nu.iter().zip(theta).map(lambda).collect()))
            };
            (1..=model.architecture.sizes.layers).map(disk).collect()
        }
        Retention::Selective(step, a_log) => {
            let state = model.architecture.sizes.state;
            let step = model.weighed().buffers::<f64>(x, x.rows, &[step.into()]).remove(0);
            let decay = |(i, a_log): (usize, &f64)| {
                range(step.column(i / state).map(|delta| (-delta * a_log.exp()).exp()))
            };
            vec![Some(Spectrum::Line(
                part(a_log).iter().enumerate().take(MOST).map(decay).collect(),
            ))]
        }
        Retention::Gate(buffer, (part, parts)) => vec![Some(over(buffer, part, parts))],
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
