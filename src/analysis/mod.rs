//! Pure functions of weights. Imports `train` and what is left of it.
//!
//! Start with [`dissection`]: a network taken apart, one analysis a file.

pub mod agglomerate;
pub mod batch;
pub mod contribution;
pub mod dissection;
pub mod finding;
pub mod functions;
pub mod importance;
pub mod in_context;
pub mod kernel;
pub mod merge;
pub mod minimal;
pub mod minimal_side;
pub mod polynomial;
pub mod prune;
pub mod recall;
pub mod reorder;
pub mod scores;
pub mod test_set;
pub mod words;
