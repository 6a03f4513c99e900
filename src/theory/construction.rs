//! A network that is linear attention, with what each of its parts is for.

use super::attention;
use crate::math::largest;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::named::named;
use crate::task::Teacher;

named! {
    /// A way to build linear attention (paper.md, section 2).
    #[derive(Default)]
    pub enum Variant {
        /// All d² products v_r k_s (A.1).
        Naive = "naive", "Naive",
            "One neuron for each product of a value and a key, one for each query.";
        /// Keys equal to values, so that the key-value matrix is symmetric (A.3).
        #[default]
        Symmetric = "symmetric", "Symmetric",
            "Keys made equal to values: a symmetric matrix, of which the upper triangle is enough. Needs an invertible W_V.";
        /// The same, with each product of memory and query used by every output that it serves.
        SymmetricShared = "symmetric-shared", "Shared gates",
            "Symmetric, and one gate serves both outputs of a pair. Needs an invertible W_V.";
        /// Through the singular vectors of W_V and W_Kᵀ W_Q (A.4).
        LowRank = "low-rank", "Low rank",
            "Only the directions that W_V and W_Kᵀ W_Q do not send to zero.";
        /// A gate that reads the token in place of query neurons (A.2).
        Side = "side", "Side gating",
            "A gate reads the query from the token itself, so no neuron has to carry it.";
    }
}

/// What a neuron of a construction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// λ = 1: adds up the entry (row, column) of the key-value matrix, from 0.
    Accumulator {
        /// Which value.
        row: usize,
        /// Which key.
        column: usize,
    },
    /// λ = 0: passes on that entry of the current query, from 0.
    Query(usize),
}

/// A neuron of a construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neuron {
    /// S₁₂, q₁ …; a prime marks what is not the teacher's own.
    pub name: String,
    /// The two readings of the token that it multiplies: v₁ and k₂, or q₁ and 1.
    pub factors: [String; 2],
    /// What it is for.
    pub part: Part,
}

/// An output gate of a construction: a reading of the memory times a reading of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// What it reads of the memory: S₁₂, or S₁₁ − S₁₂.
    pub memory: String,
    /// What it reads of the query: q₂, or q₁ + q₂.
    pub query: String,
    /// The neurons that both name.
    pub neurons: Vec<usize>,
}

/// A network that is linear attention, and what its parts mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Construction {
    /// How it was built.
    pub variant: Variant,
    /// The weights.
    pub network: Network,
    /// Each neuron, in the network's order: accumulators, then queries.
    pub neurons: Vec<Neuron>,
    /// Each gate, in the network's order.
    pub gates: Vec<Gate>,
    /// The equations behind the names, in words of the paper.
    pub meaning: &'static str,
}

impl Construction {
    /// Key-value and query neurons.
    pub fn counts(&self) -> (usize, usize) {
        let accumulators = self
            .neurons
            .iter()
            .filter(|neuron| matches!(neuron.part, Part::Accumulator { .. }))
            .count();
        (accumulators, self.neurons.len() - accumulators)
    }

    /// The largest |ŷ − y| on `sequences` random ones of `time` tokens.
    pub fn max_error(&self, teacher: &Teacher, seed: u32, sizes: [usize; 2]) -> f64 {
        self.max_error_and_output(teacher, seed, sizes).0
    }

    /// The same, and the largest |y| beside it.
    pub fn max_error_and_output(
        &self,
        teacher: &Teacher,
        seed: u32,
        [sequences, time]: [usize; 2],
    ) -> (f64, f64) {
        let d = teacher.dim;
        let numbers =
            crate::math::random::normals(seed, "construction.check", sequences * time * d);
        let x = Matrix::new(sequences * time, d, numbers.into_iter().map(f64::from).collect());
        let ours = self.network.outputs_of(&x, time);
        let theirs = attention::outputs(teacher, &x, time);
        let error = largest(ours.data.iter().zip(&theirs.data).map(|(a, b)| (a - b).abs()));
        (error, largest(theirs.data.iter().map(|y| y.abs())))
    }
}
