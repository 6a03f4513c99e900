//! States and gates of a layer over one sequence: which buffers, which parts of them, what they
//! mean.

use crate::math::matrix::Matrix;
use crate::model::layer::Observable;
pub use crate::model::layer::Range;
use crate::model::{Architecture, Model};
use serde::{Deserialize, Serialize};

/// Neurons that are kept of a wide buffer: the first so many.
pub const MOST: usize = 1024;

/// Numbers of neurons over one sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// "forget gate f"
    pub name: String,
    /// Its equation and meaning, in a sentence.
    pub about: String,
    /// What a row is: "neuron", "channel".
    pub row: String,
    /// What its numbers can be.
    pub range: Range,
    /// Tokens.
    pub time: usize,
    /// Neurons that are kept.
    pub width: usize,
    /// Neurons that there are.
    pub of: usize,
    /// `[time, width]`, row by row.
    pub values: Vec<f32>,
}

impl Trace {
    /// The number of a neuron at a token, both from 0.
    pub fn at(&self, token: usize, neuron: usize) -> f32 {
        self.values.get(token * self.width + neuron).copied().unwrap_or(f32::NAN)
    }

    /// How far the numbers of a gate are from half open, at most.
    pub fn swing(&self) -> f32 {
        self.values.iter().map(|v| (v - 0.5).abs()).fold(0.0, f32::max)
    }

    /// The largest of the finite numbers, by size.
    pub fn largest(&self) -> f32 {
        self.values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f32::max)
    }
}

/// (states, gates) on x `[time, d]`, from one run.
pub fn traces(model: &Model, x: &Matrix) -> (Vec<Trace>, Vec<Trace>) {
    let Architecture { layer, sizes } = &model.architecture;
    let (states, gates) = ((layer.states)(sizes), (layer.gates)(sizes));
    let names: Vec<String> =
        states.iter().chain(&gates).map(|source| source.buffer.clone()).collect();
    let mut buffers = model.weighed().buffers::<f64>(x, x.rows, &names).into_iter();
    let mut read = |sources: Vec<Observable>| {
        sources
            .into_iter()
            .zip(buffers.by_ref())
            .map(|(source, buffer)| trace(source, &buffer))
            .collect()
    };
    let states = read(states);
    (states, read(gates))
}

fn trace(source: Observable, buffer: &Matrix) -> Trace {
    let Observable { of: (part, parts), complex, name, about, row, range, .. } = source;
    let of = if complex { buffer.columns / 2 } else { buffer.columns / parts };
    let width = of.min(MOST);
    let at = |t: usize, j: usize| {
        if complex {
            buffer.at(t, j).hypot(buffer.at(t, of + j))
        } else {
            buffer.at(t, part * of + j)
        }
    };
    let values = (0..buffer.rows * width).map(|i| at(i / width, i % width) as f32).collect();
    Trace {
        name,
        about: about.into(),
        row: row.into(),
        range,
        time: buffer.rows,
        width,
        of,
        values,
    }
}
