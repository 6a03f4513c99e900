//! The paper's constructions: gated networks that are linear attention exactly. Imports `task` and
//! what is left of it.
//!
//! Start with [`construct`]; each [`Variant`] is a file that opens with its equation. [`cost`]
//! counts what they take, [`attention`] unrolls the layer that they imitate, [`ablation`] breaks
//! them on purpose. [`layers`] does the same in LSTM, GRU and LRU.

pub mod ablation;
pub mod attention;
mod builder;
mod construction;
pub mod cost;
pub mod gradient_step;
pub mod layers;
mod low_rank;
mod naive;
mod side;
mod symmetric;
mod symmetric_shared;
mod teacher;

pub use construction::{Construction, Gate, Neuron, Part, Variant};

use crate::Result;
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::task::Teacher;
use teacher::{RANK_TOLERANCE, check, key_query, matrix};

/// Builds the network.
///
/// # Errors
/// A variant that does not apply to this teacher: why, and which one does.
pub fn construct(teacher: &Teacher, variant: Variant) -> Result<Construction> {
    check(teacher)?;
    match variant {
        Variant::Naive => Ok(naive::build(teacher)),
        Variant::Symmetric => symmetric::build(teacher),
        Variant::SymmetricShared => symmetric_shared::build(teacher),
        Variant::LowRank => low_rank::build(teacher),
        Variant::Side => Ok(side::build(teacher)),
    }
}

/// Ranks of W_V and of W_Kᵀ W_Q.
pub fn ranks(teacher: &Teacher) -> cost::Ranks {
    let rank = |a: &Matrix| linear::svd(a).rank(RANK_TOLERANCE);
    cost::Ranks {
        value: rank(&matrix(&teacher.value, teacher.dim)),
        key_query: rank(&key_query(teacher)),
    }
}
