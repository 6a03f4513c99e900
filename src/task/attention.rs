//! Teacher-student (paper, sections 4.1 and 4.2): imitate a random linear self-attention layer,
//! v_t = W_V x_t, k_t = W_K x_t, q_t = W_Q x_t;  S_t = Σ_{s≤t} v_s k_sᵀ;  y_t = S_t q_t;  x_t ~
//! N(0, I).

use crate::graph::{Graph, Var};
use crate::math::{linear, random};
use crate::named::named;
use serde::{Deserialize, Serialize};

named! {
    /// How the teacher's matrices are drawn.
    pub enum Spectrum {
        /// Random orthogonal matrices: all singular values 1.
        Orthogonal = "orthogonal";
        /// Entries N(0, 1/d).
        Gaussian = "gaussian";
    }
}

/// Which teacher.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TeacherKind {
    /// Input width d.
    pub dim: usize,
    /// Singular values kept in W_V, W_K and W_Q, 1..=d each.
    pub ranks: [usize; 3],
    /// How the matrices are drawn.
    pub spectrum: Spectrum,
    /// What W_V, and so every output, is multiplied by.
    pub gain: f32,
}

/// A linear self-attention layer; matrices `[d, d]` row-major.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Teacher {
    /// Input width d.
    pub dim: usize,
    /// W_V
    pub value: Vec<f64>,
    /// W_K
    pub key: Vec<f64>,
    /// W_Q
    pub query: Vec<f64>,
}

impl Teacher {
    /// The teacher that `seed` draws.
    pub fn draw(kind: TeacherKind, seed: u32) -> Self {
        let d = kind.dim;
        let matrix = |name: &str, rank: usize| {
            let normal: Vec<f64> =
                random::normals(seed, name, d * d).into_iter().map(f64::from).collect();
            let full = match kind.spectrum {
                Spectrum::Orthogonal => linear::orthogonal(&normal, d),
                Spectrum::Gaussian => normal.iter().map(|v| v / (d as f64).sqrt()).collect(),
            };
            linear::truncate_rank(&full, d, rank)
        };
        let [value, key, query] = kind.ranks;
        let gained = |matrix: Vec<f64>| {
            if kind.gain == 1.0 {
                matrix
            } else {
                matrix.into_iter().map(|v| v * f64::from(kind.gain)).collect()
            }
        };
        Self {
            dim: d,
            value: gained(matrix("teacher.value", value)),
            key: matrix("teacher.key", key),
            query: matrix("teacher.query", query),
        }
    }

    /// What the `attention_teacher` kernel reads: W_V, then W_Kᵀ W_Q.
    pub fn constants(&self) -> Vec<f32> {
        let key_query = linear::product(
            &linear::transpose(&self.key, self.dim, self.dim),
            &self.query,
            [self.dim; 3],
        );
        self.value.iter().chain(&key_query).map(|&v| v as f32).collect()
    }

    /// k_s · q_t of one sequence x `[time, d]`, `[t, s]` row-major, 0 where s > t; and v_s `[time,
    /// d]`.
    pub fn attention(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (d, time) = (self.dim, x.len() / self.dim);
        let project =
            |matrix: &[f64]| linear::product(x, &linear::transpose(matrix, d, d), [time, d, d]);
        let (values, keys, queries) =
            (project(&self.value), project(&self.key), project(&self.query));
        let dot =
            |t: usize, s: usize| (0..d).map(|i| keys[s * d + i] * queries[t * d + i]).sum::<f64>();
        let map = (0..time * time)
            .map(|i| (i / time, i % time))
            .map(|(t, s)| if s <= t { dot(t, s) } else { 0.0 })
            .collect();
        (map, values)
    }
}

/// x ~ N(0, I) and the teacher's y, drawn on the device.
pub fn record(graph: &mut Graph, dim: usize) -> (Var, Var) {
    let x = graph.sample_normal("x", dim); // [B, T, d]
    let y = graph.attention_teacher(x); // [B, T, d]
    (x, y)
}
