//! Trainings that were replaced, to be had back.

use crate::recipe::Recipe;
use crate::task::{Arrays, Teacher};
use crate::train::session::Snapshot;

/// A training that another one has replaced.
pub struct FormerTraining {
    /// In a few words.
    pub name: String,
    pub(super) recipe: Recipe,
    pub(super) snapshot: Snapshot,
    pub(super) teacher: Option<Teacher>,
    pub(super) data: Option<(String, Arrays)>,
    pub(super) preset: String,
}

/// Trainings that can be had back.
#[derive(Default)]
pub struct History {
    /// The last one replaced is the last here.
    pub undo: Vec<FormerTraining>,
    pub(super) redo: Vec<FormerTraining>,
}
