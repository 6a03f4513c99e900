//! The user's own sequences: x `[N, T, d]` with targets y `[N, T, d_out]`, and which time steps
//! count. All of them are on the device; a batch is drawn there, with replacement or in the file's
//! order.

use crate::graph::{Graph, Var};
use crate::math::random;
use serde::{Deserialize, Serialize};

/// Sizes, and how batches are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// d
    pub inputs: usize,
    /// d_out
    pub outputs: usize,
    /// Sequences to train on.
    pub sequences: usize,
    /// Time steps, at the end, that the loss looks at.
    pub steps: usize,
    /// Not all of those count the same.
    pub is_weighted: bool,
    /// Batch after batch as in the file, instead of at random.
    pub in_order: bool,
}

/// Sequences in memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Arrays {
    /// N
    pub sequences: usize,
    /// T
    pub time: usize,
    /// d
    pub inputs: usize,
    /// d_out
    pub outputs: usize,
    /// Time steps, at the end, that count.
    pub steps: usize,
    /// `[N, T, d]`
    pub x: Vec<f32>,
    /// `[N, steps, d_out]`
    pub y: Vec<f32>,
    /// What each squared error is multiplied by, mean 1, `[N, steps]`; `None` where all count the
    /// same.
    pub weight: Option<Vec<f32>>,
}

impl File {
    /// x `[batch, time, d]` and y `[batch, steps, d_out]`; where steps have weights, y is already
    /// multiplied by their square roots.
    pub fn record(self, graph: &mut Graph) -> (Var, Var) {
        let x = graph.gather("x", [self.sequences, graph.time, self.inputs], self.in_order);
        let y = graph.gather("y", [self.sequences, self.steps, self.outputs], self.in_order);
        (x, y)
    }

    /// Mean squared error, or, where steps have weights w, the mean of w (ŷ − y)² = (√w ŷ − √w y)².
    pub fn record_loss(self, graph: &mut Graph, prediction: Var, y: Var) {
        let prediction = if self.is_weighted {
            let root =
                graph.gather("weight", [self.sequences, self.steps, self.outputs], self.in_order);
            graph.hadamard("weighted", prediction, root)
        } else {
            prediction
        };
        graph.squared_error(prediction, y, false);
    }
}

impl Arrays {
    /// (to train on, to test on): the last `test` sequences are for the test, in the file's order
    /// or in one that the seed `shuffle` draws.
    pub fn split(&self, test: usize, shuffle: Option<u32>) -> (Self, Self) {
        let mut order: Vec<usize> = (0..self.sequences).collect();
        if let Some(seed) = shuffle {
            let keys = random::uniforms(seed, "file.split", self.sequences);
            order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        }
        let (train, test) = order.split_at(self.sequences - test);
        (self.select(train), self.select(test))
    }

    /// The first `count` sequences, or all if there are fewer.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        self.select(&(0..count.min(self.sequences)).collect::<Vec<_>>())
    }

    fn select(&self, sequences: &[usize]) -> Self {
        let part = |all: &[f32], each: usize| {
            sequences.iter().flat_map(|&i| &all[i * each..(i + 1) * each]).copied().collect()
        };
        Self {
            sequences: sequences.len(),
            x: part(&self.x, self.time * self.inputs),
            y: part(&self.y, self.steps * self.outputs),
            weight: self.weight.as_ref().map(|weight| part(weight, self.steps)),
            ..*self
        }
    }

    /// What the kernels read: the names of the buffers and their numbers.
    pub fn constants(&self) -> Vec<(&'static str, Vec<f32>)> {
        let Some(weight) = &self.weight else {
            return vec![("data.x", self.x.clone()), ("data.y", self.y.clone())];
        };
        let roots: Vec<f32> =
            weight.iter().flat_map(|w| std::iter::repeat_n(w.sqrt(), self.outputs)).collect();
        let y = self.y.iter().zip(&roots).map(|(y, root)| y * root).collect();
        vec![("data.x", self.x.clone()), ("data.y", y), ("data.weight", roots)]
    }
}
