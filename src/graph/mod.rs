//! Record → differentiate → compile: a model calls [`Graph`]'s methods once, [`vjp`] appends the
//! reverse rules, and [`program::Program`] is the flat list of kernel calls that a backend replays
//! every step. Time loops live inside the ops, never in the graph. Imports only `math`.
//!
//! Start with [`op`]: the table of what a device must do, and a file for each thing that a model
//! may say.

pub mod call;
pub mod dims;
pub mod gradients;
pub mod kernel;
pub mod op;
pub mod params;
pub mod program;
mod recording;
pub mod vjp;

pub use recording::{Buffer, BufferId, Graph, Op, Storage, Var, numbers};
