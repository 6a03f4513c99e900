//! What is built.

use crate::theory::layers::Host;
use crate::theory::layers::curve::SMALLEST;

/// What is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) layer: Host,
    /// d
    pub(super) dim: usize,
    /// Of the teacher.
    pub(super) seed: u32,
    /// ε = 2^−`exponent`
    pub(super) exponent: i32,
}

/// The exponents that ε can have.
pub(super) fn exponents() -> std::ops::RangeInclusive<i32> {
    0..=SMALLEST
}
