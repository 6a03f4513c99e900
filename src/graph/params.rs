//! Named parameters in one flat array, and how each one starts.

use crate::math::{linear, random};
use serde::{Deserialize, Serialize};

/// How a parameter starts. Its random stream is its name, so adding a parameter moves no other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Init {
    /// N(0, 1/fan_in).
    Normal {
        /// Numbers that one output sums over.
        fan_in: usize,
    },
    /// ν = ln(−ln λ) for λ uniform in (min, max).
    Decay {
        /// Smallest Δ.
        min: f32,
        /// Largest phase.
        max: f32,
    },
    /// The same number everywhere.
    Constant(f32),
    /// `[k · size, size]`: k random orthogonal matrices (Saxe et al. 2014).
    Orthogonal {
        /// Rows and columns of each.
        size: usize,
    },
    /// Biases of an LSTM's gates (i, f, g, o): 1 for f, so that cells remember at first (Gers et
    /// al. 2000), else 0.
    ForgetBias,
    /// ln 1, ln 2 … ln `steps`, again and again: Mamba's A in a channel.
    Ladder {
        /// Values per channel.
        steps: usize,
    },
    /// The inverse softplus of step sizes log-uniform in (min, max): the bias of Mamba's Δ.
    StepSize {
        /// Smallest λ.
        min: f32,
        /// Largest Δ.
        max: f32,
    },
    /// ν for |λ| uniform by area on the ring between two radii (LRU: Orvieto et al. 2023).
    Ring {
        /// Inner radius.
        min: f32,
        /// Outer radius.
        max: f32,
    },
    /// θ = ln of a phase uniform in (0, max).
    Phase {
        /// Largest λ.
        max: f32,
    },
    /// γ_log = ln √(1 − |λ|²) of a [`Init::Ring`], which has the same name with `nu` in place of
    /// `gamma_log`.
    RingNorm {
        /// Inner radius.
        min: f32,
        /// Outer radius.
        max: f32,
    },
}

/// A parameter's place in the flat array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// As in a weights file: `input_gate.m`, `nu`, `readout` …
    pub name: String,
    /// `[out, in]` of a matrix, `[n]` of a vector.
    pub shape: Vec<usize>,
    /// First element in the flat array.
    pub offset: usize,
    /// How it starts.
    pub init: Init,
    /// Whether weight decay applies (not to ν: it would push λ away from 1).
    pub decayed: bool,
}

impl Param {
    /// Numbers in it.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// A parameter without numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its part of the flat array.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.len()
    }
}

/// All parameters of a model, in the order of declaration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ParamTable(Vec<Param>);

impl ParamTable {
    /// Declares a parameter at the end; returns its offset.
    pub fn declare(&mut self, name: &str, shape: &[usize], init: Init, decayed: bool) -> u32 {
        assert!(self.get(name).is_none(), "parameter {name} is declared twice");
        let offset = self.len();
        self.0.push(Param { name: name.into(), shape: shape.to_vec(), offset, init, decayed });
        super::dims::as_u32(offset)
    }

    /// The parameter of that name.
    pub fn get(&self, name: &str) -> Option<&Param> {
        self.0.iter().find(|param| param.name == name)
    }

    /// The parameters, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = &Param> {
        self.0.iter()
    }

    /// Numbers in all.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |param| param.range().end)
    }

    /// A model without parameters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part of `flat` that belongs to `name`, empty if there is no such parameter.
    pub fn slice<'a, F>(&self, flat: &'a [F], name: &str) -> &'a [F] {
        self.get(name).map_or(&[], |param| &flat[param.range()])
    }

    /// The starting values for `seed`.
    pub fn initial(&self, seed: u32) -> Vec<f32> {
        self.iter().flat_map(|param| start(param, seed)).collect()
    }

    /// 1 for each number that weight decay applies to.
    pub fn decay_mask(&self) -> Vec<f32> {
        self.iter()
            .flat_map(|param| vec![f32::from(u8::from(param.decayed)); param.len()])
            .collect()
    }
}

fn start(param: &Param, seed: u32) -> Vec<f32> {
    let count = param.len();
    let uniforms = || random::uniforms(seed, &param.name, count).into_iter();
    match param.init {
        Init::Normal { fan_in } => {
            let scale = 1.0 / (fan_in as f32).sqrt();
            random::normals(seed, &param.name, count).into_iter().map(|v| v * scale).collect()
        }
        Init::Decay { min, max } => {
            uniforms().map(|v| (-f64::from(min + (max - min) * v).ln()).ln() as f32).collect()
        }
        Init::Constant(value) => vec![value; count],
        Init::Orthogonal { size } => {
            let normals: Vec<f64> =
                random::normals(seed, &param.name, count).into_iter().map(f64::from).collect();
            normals
                .chunks_exact(size * size)
                .flat_map(|block| linear::orthogonal(block, size))
                .map(|v| v as f32)
                .collect()
        }
        Init::ForgetBias => (0..count).map(|i| f32::from(u8::from(i / (count / 4) == 1))).collect(),
        Init::Ladder { steps } => (0..count).map(|i| ((i % steps + 1) as f32).ln()).collect(),
        Init::StepSize { min, max } => {
            let step =
                |v: f32| (f64::from(min).ln() + f64::from(v) * f64::from(max / min).ln()).exp();
            uniforms().map(|v| step(v).exp_m1().ln() as f32).collect()
        }
        Init::Ring { min, max } => {
            uniforms().map(|v| (-0.5 * squared_radius(v, min, max).ln()).ln() as f32).collect()
        }
        Init::Phase { max } => {
            uniforms().map(|v| (f64::from(max) * f64::from(v)).ln() as f32).collect()
        }
        Init::RingNorm { min, max } => {
            let radii = random::uniforms(seed, &param.name.replace("gamma_log", "nu"), count);
            radii
                .into_iter()
                .map(|v| (0.5 * (1.0 - squared_radius(v, min, max)).ln()) as f32)
                .collect()
        }
    }
}

/// |λ|² of the number `v`, uniform in (0, 1): uniform too, so that λ is uniform by area.
fn squared_radius(v: f32, min: f32, max: f32) -> f64 {
    let (v, min, max) = (f64::from(v), f64::from(min), f64::from(max));
    min * min + v * (max * max - min * min)
}
