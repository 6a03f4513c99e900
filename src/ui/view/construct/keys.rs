//! Arrows step through the sequence and the neurons.

use super::state::State;
use eframe::egui;
use egui::{Key, Modifiers, Ui};

/// Reads the keys, unless something has the keyboard: arrows are its own then.
pub fn read(ui: &Ui, state: &mut State) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() || ctx.memory(|memory| memory.focused().is_some()) {
        return;
    }
    let pressed = |key: Key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowRight) {
        state.show_token(state.token + 1);
    }
    if pressed(Key::ArrowLeft) {
        state.show_token(state.token.saturating_sub(1));
    }
    if pressed(Key::Home) {
        state.show_token(0);
    }
    if pressed(Key::End) {
        state.show_token(state.time - 1);
    }
    let neurons = state
        .built
        .as_ref()
        .and_then(|built| built.network.as_ref().ok())
        .map_or(0, |running| running.construction.neurons.len());
    if pressed(Key::ArrowDown) {
        (state.neuron, state.follow) = ((state.neuron + 1).min(neurons.saturating_sub(1)), true);
    }
    if pressed(Key::ArrowUp) {
        (state.neuron, state.follow) = (state.neuron.saturating_sub(1), true);
    }
    if pressed(Key::W) {
        state.whole = !state.whole;
    }
}
