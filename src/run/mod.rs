//! A training wherever it runs. Imports `sweep` and what is left of it.
//!
//! [`runner`] trains a recipe on a thread or in a worker and answers in [`messages`], on the engine
//! that [`engine`] opens; [`group`] trains the runs of a sweep that have one shape together,
//! [`inspection`] takes a network apart beside it, [`live`] is what the window knows of it.

pub mod engine;
pub mod group;
pub mod inspection;
pub mod live;
pub mod messages;
pub mod notice;
pub mod runner;
