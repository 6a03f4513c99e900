//! The view In context: the same training, by what its sequences teach it.

use super::descriptor::View;
use super::training;
use crate::ui::Tab;
use crate::ui::panel::status;

/// The view.
pub const VIEW: View = View {
    tab: Tab::CONTEXT,
    name: "In context",
    sentence: "Learn from the examples in a sequence: regression by a step of gradient descent, and associative recall. Your own sequences, one by one.",
    keys: training::KEYS,
    show: |ui, memory, scene, narrow, actions| {
        training::show(ui, memory.of(), scene, narrow, actions);
    },
    status: |ui, _, scene, narrow| status::show(ui, scene, narrow),
};
