//! An experiment as people name, keep and share it. Imports `analysis` and what is left of it.
//!
//! [`recipe`] is all that defines a run (⇄ JSON ⇄ URL), [`settings`] describes each of its settings
//! once, [`data`] reads the user's own arrays, [`runner`] trains it on a thread or in a worker,
//! [`live`] is what the window knows of it.

pub mod checkpoint;
pub mod data;
pub mod engine;
pub mod inspection;
pub mod live;
pub mod messages;
pub mod names;
pub mod preset;
pub mod recipe;
pub mod runner;
pub mod settings;
pub mod sweep;
