//! What a construction reads of its teacher.

use crate::math::matrix::Matrix;
use crate::task::Teacher;
use crate::{Error, Result};

/// Whether it is three finite matrices.
pub fn check(teacher: &Teacher) -> Result<()> {
    let d = teacher.dim;
    let all = [&teacher.value, &teacher.key, &teacher.query];
    if d == 0
        || all.iter().any(|matrix| matrix.len() != d * d || matrix.iter().any(|v| !v.is_finite()))
    {
        return Err(Error::setting(
            "teacher",
            format!("matrices of {} numbers", teacher.value.len()),
            format!("three finite matrices of d × d, d = {d}"),
        ));
    }
    Ok(())
}

/// A teacher's matrix `[d, d]`.
pub fn matrix(numbers: &[f64], d: usize) -> Matrix {
    Matrix::new(d, d, numbers.to_vec())
}

/// W_Kᵀ W_Q `[d, d]`: all that the layer knows of keys and queries.
pub fn key_query(teacher: &Teacher) -> Matrix {
    matrix(&teacher.key, teacher.dim).transpose().times(&matrix(&teacher.query, teacher.dim))
}

/// Singular values under this part of the largest count as zero.
pub const RANK_TOLERANCE: f64 = 1e-12;
