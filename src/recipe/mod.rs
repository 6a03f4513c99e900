//! All that defines a run, flat and in readable words (⇄ JSON ⇄ URL); with its seed it reproduces
//! the run. Imports `analysis` and what is left of it.
//!
//! [`settings`] is the table that makes the [`Recipe`], `plan` what becomes of one, `check` what its
//! settings must satisfy together, `link` its address; [`preset`] has the experiments to start
//! from, [`checkpoint`] a training's file, [`data`] reads the user's own arrays, `fit` is how a recipe
//! fits them, [`specimen`] is a network to look into.

mod check;
pub mod checkpoint;
pub mod data;
mod fit;
mod kind;
mod link;
pub mod names;
mod plan;
pub mod preset;
pub mod settings;
pub mod specimen;

pub use names::{Engine, Gating, Switch, TaskName};
pub use settings::{DataShape, Recipe};
