//! gatelens trains gated recurrent networks with WGSL compute shaders and shows, live, how they
//! turn into linear attention (Zucchet et al., arXiv 2309.01775).
//!
//! The map of rooms. A room imports only rooms above it in this list; `tests/rooms.rs` checks that.
//!
//! - [`error`]: what can go wrong, in words
//! - [`named`]: words for the values of an enum, in one table
//! - [`math`]: numbers: matrix products, decompositions, counter-based random numbers
//! - [`graph`]: record → differentiate → compile: a model becomes a flat program
//! - [`backend`]: runs a program: WGSL on the GPU, its twin on the CPU
//! - [`model`]: the zoo of recurrent layers, each file its equation
//! - [`task`]: where sequences come from
//! - [`theory`]: networks that are attention by construction, and what they cost
//! - [`train`]: one live training: session, schedules, pace, curves
//! - [`analysis`]: pure functions of weights
//! - [`recipe`]: all that defines a run: settings, presets, links, checkpoints
//! - [`sweep`]: one recipe over a grid of settings and seeds
//! - [`run`]: a training wherever it runs: on a thread, in a worker, with others
//! - [`platform`]: what differs between the browser and a native machine
//! - [`ui`]: egui only: draws state, returns actions
//! - [`app`]: the window: advances the session, draws, applies the actions
//! - [`cli`]: the terminal

// What a user, a file or a device can cause is an error in words, never a panic.
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod analysis;
#[cfg(feature = "app")]
pub mod app;
pub mod backend;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod error;
pub mod graph;
pub mod math;
pub mod model;
pub mod named;
pub mod platform;
pub mod recipe;
pub mod run;
pub mod sweep;
pub mod task;
pub mod theory;
pub mod train;
#[cfg(feature = "app")]
pub mod ui;

pub use error::{Error, Result};
