//! Pure functions of weights. Imports `train` and what is left of it.

pub mod contribution;
pub mod dissection;
pub mod importance;
