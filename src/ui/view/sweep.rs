//! The view Sweep: one recipe over a grid of settings and seeds.

use super::descriptor::View;
use crate::ui::panel::sweep;
use crate::ui::{Memory, Tab, Which};

/// Between frames.
pub struct State(pub sweep::State);

impl Default for State {
    fn default() -> Self {
        Self(sweep::State::of(Which::Sweep))
    }
}

/// The view.
pub const VIEW: View = View {
    tab: Tab::SWEEP,
    name: "Sweep",
    sentence: "Train one recipe with many sizes and seeds: how many neurons does it take?",
    keys: &[
        ("Space", "Start, pause, go on"),
        ("← → ↑ ↓", "From dot to dot when the picture has the keyboard"),
        ("↑ ↓", "From row to row in the table"),
    ],
    show: |ui, memory, scene, narrow, actions| {
        sweep::show(ui, &mut state(memory).0, scene, narrow, actions);
    },
    status: |ui, memory, scene, _| sweep::status(ui, &mut state(memory).0, scene),
};

fn state(memory: &mut Memory) -> &mut State {
    memory.of()
}
