//! Linear attention in the layers that the gated RNN is compared with (paper, section 3.3 and
//! appendix B; paper.md, section 6).
//!
//! None of them multiplies two linear readings outright: their products are with a sigmoid, σ(εz) =
//! 1/2 + εz/4 + O(ε³), where the weights ε are small and undone behind. The half is σ(0) exactly,
//! and σ(z) − 1/2 = tanh(z/2)/2 is odd, so a copy of the channel with a closed gate (weights 0)
//! takes all of it away: a (σ(εb) − σ(0)) · 4/ε = ab (1 − ε²b²/12 + …). What is left is of order
//! ε², and what rounding leaves of a difference of near numbers grows as ε falls: [`curve`]
//! measures both.
//!
//! Start with [`construct`]; [`lru`], [`lstm`] and [`gru`] open with their equations,
//! [`primitives`] says which layer has which product, and [`expansion`] shows which products a
//! GRU's update has and which it has not.

pub mod curve;
pub mod expansion;
pub mod gru;
pub mod lru;
pub mod lstm;
pub mod primitives;
mod weights;

use super::{attention, teacher};
use crate::math::float::Float;
use crate::math::matrix::Matrix;
use crate::math::{largest, random};
use crate::model::gru::GRU;
use crate::model::lru::{LRU, LRU_IN_OUT};
use crate::model::lstm::LSTM;
use crate::model::run::ModelWeights;
use crate::model::{Architecture, Model, Sizes};
use crate::named::named;
use crate::task::Teacher;
use crate::{Error, Result};
use weights::Weights;

named! {
    /// A layer, or stack of layers, that is made into linear attention.
    pub enum Host {
        /// Two LRU layers with a GLU after each.
        LruTwo = "lru-two", "Two LRU layers",
            "The first layer's GLU multiplies values by keys, the second layer adds up, its GLU multiplies by the query.";
        /// One LRU layer between two GLUs.
        LruInOut = "lru-in-out", "LRU In+Out",
            "The GLU before the recurrence multiplies values by keys, the one after it multiplies the sums by the query.";
        /// One LSTM layer.
        Lstm = "lstm", "LSTM",
            "The input gate multiplies values by keys, the cell adds up, the output gate multiplies by the query, all with small weights.";
        /// One GRU layer in its gates' and tanh's linear range: attention to the tokens before the
        /// current one.
        GruBefore = "gru-before", "GRU, earlier tokens",
            "The update gate multiplies values by keys, the reset gate multiplies the sums so far by the query; the current token's own term is missing.";
        /// One GRU layer with neurons that make the current token's own product from the curvature of
        /// tanh.
        GruCurved = "gru-curved", "GRU with curvature",
            "The same, and the cubic term of tanh makes the current token's own term, outside its linear range.";
    }
}

impl Host {
    /// ε that is about best in double precision: where ε² is what rounding leaves.
    pub fn epsilon(self) -> f64 {
        match self {
            Self::LruTwo | Self::LruInOut | Self::GruBefore => exp2(-17),
            Self::Lstm => exp2(-13),
            Self::GruCurved => exp2(-15),
        }
    }

    /// Kind and sizes for attention of width `d`.
    pub fn architecture(self, d: usize) -> Architecture {
        let units = Sizes { hidden: d * d, embed: d * (d + 2), layers: 1, ..Sizes::NONE };
        match self {
            Self::LruTwo => LRU.of(Sizes { layers: 2, ..units }),
            Self::LruInOut => LRU_IN_OUT.of(units),
            Self::Lstm | Self::GruBefore | Self::GruCurved => {
                let (hidden, embed) = (d * d * if self == Self::GruCurved { 7 } else { 3 } + d, d);
                let layer = if self == Self::Lstm { &LSTM } else { &GRU };
                layer.of(Sizes { hidden, embed, ..Sizes::NONE })
            }
        }
    }

    /// What it should answer: all of the teacher, but with [`Host::GruBefore`] only what it says
    /// of the tokens before the current one. y `[batch · time, d]` for x `[batch · time, d]`.
    pub fn target(self, teacher: &Teacher, x: &Matrix, time: usize) -> Matrix {
        let all = attention::outputs(teacher, x, time);
        if self != Self::GruBefore {
            return all;
        }
        let own = attention::outputs(teacher, x, 1); // sequences of one token
        Matrix::new(
            all.rows,
            all.columns,
            all.data.iter().zip(&own.data).map(|(all, own)| all - own).collect(),
        )
    }
}

/// A layer's parameters that make it linear attention, up to its nonlinearities and rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// Which.
    pub layer: Host,
    /// Its kind and sizes.
    pub architecture: Architecture,
    /// d
    pub dim: usize,
    /// Size of the weights into the nonlinearities.
    pub epsilon: f64,
    /// All parameters, flat, in the order of [`Architecture::table`].
    pub parameters: Vec<f64>,
}

/// Builds `layer` for `teacher` with weights of size `epsilon` into its nonlinearities.
///
/// # Errors
/// A teacher that is not three finite `d × d` matrices; an ε outside (0, 1].
pub fn construct(teacher: &Teacher, layer: Host, epsilon: f64) -> Result<Built> {
    teacher::check(teacher)?;
    if !(epsilon > 0.0 && epsilon <= 1.0) {
        return Err(Error::setting("epsilon", epsilon, "above 0 and at most 1"));
    }
    let mut weights = Weights::new(layer.architecture(teacher.dim), teacher.dim);
    match layer {
        Host::LruTwo => lru::two_layers(&mut weights, teacher, epsilon),
        Host::LruInOut => lru::in_out(&mut weights, teacher, epsilon),
        Host::Lstm => lstm::build(&mut weights, teacher, epsilon),
        Host::GruBefore => gru::build(&mut weights, teacher, epsilon, false),
        Host::GruCurved => gru::build(&mut weights, teacher, epsilon, true),
    }
    Ok(Built {
        layer,
        architecture: weights.architecture,
        dim: teacher.dim,
        epsilon,
        parameters: weights.flat,
    })
}

impl Built {
    /// What the engine runs.
    pub fn weighed(&self) -> ModelWeights<'_> {
        ModelWeights {
            architecture: self.architecture,
            inputs: self.dim,
            outputs: self.dim,
            parameters: &self.parameters,
        }
    }

    /// The network on its own, in double precision.
    pub fn model(&self) -> Model {
        Model::new(self.architecture, [self.dim; 2], &self.parameters)
    }

    /// Numbers in all parameters, and how many of them are not 0.
    pub fn parameter_count(&self) -> (usize, usize) {
        (self.parameters.len(), self.parameters.iter().filter(|v| **v != 0.0).count())
    }

    /// ‖ŷ − y‖ / ‖y‖ against [`Host::target`] on `sequences` random ones of `time` tokens,
    /// computed in the precision `F`.
    pub fn error<F: Float>(
        &self,
        teacher: &Teacher,
        seed: u32,
        [sequences, time]: [usize; 2],
    ) -> f64 {
        let x = tokens(seed, self.dim, sequences * time);
        self.weighed()
            .outputs_of::<F>(&x, time)
            .relative_change(&self.layer.target(teacher, &x, time))
    }

    /// The largest |ŷ − y| on the same sequences in double precision, and the largest |y|.
    pub fn max_error(
        &self,
        teacher: &Teacher,
        seed: u32,
        [sequences, time]: [usize; 2],
    ) -> [f64; 2] {
        let x = tokens(seed, self.dim, sequences * time);
        let (ours, theirs) =
            (self.weighed().outputs_of::<f64>(&x, time), self.layer.target(teacher, &x, time));
        let error = largest(ours.data.iter().zip(&theirs.data).map(|(a, b)| (a - b).abs()));
        [error, largest(theirs.data.iter().map(|y| y.abs()))]
    }
}

/// x ~ N(0, I) `[rows, d]`.
fn tokens(seed: u32, d: usize, rows: usize) -> Matrix {
    Matrix::new(
        rows,
        d,
        random::normals(seed, "construction.check", rows * d).into_iter().map(f64::from).collect(),
    )
}

/// 2 to the power of `exponent`: scales by it are undone without rounding.
fn exp2(exponent: i32) -> f64 {
    2f64.powi(exponent)
}
