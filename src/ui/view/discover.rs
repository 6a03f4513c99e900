//! The view Discover: a training, live.

use super::descriptor::View;
use super::training;
use crate::ui::Tab;
use crate::ui::panel::status;

/// The view.
pub const VIEW: View = View {
    tab: Tab::DISCOVER,
    name: "Discover",
    sentence: "Train a gated RNN and watch it become linear attention.",
    keys: training::KEYS,
    show: |ui, memory, scene, narrow, actions| {
        training::show(ui, memory.of(), scene, narrow, actions);
    },
    status: |ui, _, scene, narrow| status::show(ui, scene, narrow),
};
