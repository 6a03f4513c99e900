//! One live training. Imports `task` and what is left of it.
//!
//! Start with [`plan::Plan`] (what is trained), then [`session::Session`] (training it, a bit at a
//! time).

pub mod history;
pub mod mask;
pub mod optimizer;
pub mod pacer;
pub mod plan;
pub mod schedule;
pub mod session;
