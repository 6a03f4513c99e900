//! What a model may say: each file has the method of [`Graph`](crate::graph::Graph) that records an
//! op, and the rule that reverses it. [`table`] is the one table of what a device must do for it.

pub mod activation;
pub mod add;
pub mod attention;
pub mod attention_teacher;
pub mod bilinear;
pub mod channel;
pub mod complex_readout;
pub mod complex_scan;
pub mod contract;
pub mod dense_scan;
pub mod diagonal_scan;
pub mod gather;
pub mod gru;
pub mod hadamard;
pub mod last;
pub mod linear;
pub mod loss;
pub mod lstm;
pub mod recall;
pub mod regression;
pub mod sample;
pub mod selective_scan;
mod table;

pub use table::Kernel;
pub(crate) use table::kernels;
