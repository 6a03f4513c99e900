//! Numbers only: no model, no device, no file. Imports nothing of this crate but [`crate::error`].
//!
//! Start with [`float::Float`], the number type the CPU engine is generic over; [`random`] is the
//! counter-based generator that the shaders share, [`linear`] the decompositions (nalgebra),
//! [`matrix`] what analyses are written in.

pub mod float;
pub mod gemm;
mod jacobi;
pub mod linear;
pub mod matrix;
pub mod quick;
pub mod random;
