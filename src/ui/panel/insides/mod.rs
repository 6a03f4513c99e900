//! One network's insides, whatever its layer, in four cards: [`memory`] (what its recurrence
//! keeps), [`attention`] (is it attention?), and, over one sequence, its gates and its state
//! ([`over_time`]). Used by any view that has an answer of a bench.
//!
//! Start with [`show`].

mod attention;
mod memory;
mod over_time;
mod shown;

use crate::run::inspection::Inspected;
use crate::ui::Action;
use crate::ui::kit::card;
use eframe::egui;
use egui::{Rect, Sense, Ui, pos2, vec2};
use shown::Subject;

/// Between frames. One for each place where insides are shown.
#[derive(Default)]
pub struct State {
    memory: memory::State,
    gates: over_time::State,
    states: over_time::State,
}

/// From this width on the cards stand beside each other.
const WIDE: f32 = 720.0;
/// Least height of the cards in two rows.
const LEAST: f32 = 620.0;

/// Draws the cards in the width that `ui` has: in two rows that fill `height`, or one below the
/// other where it is narrow. Nothing, if the answer holds no insides.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    inspected: &Inspected,
    height: f32,
    actions: &mut Vec<Action>,
) {
    let Some(insides) = inspected.insides() else { return };
    let stamp = (
        inspected.bench,
        inspected.id,
        inspected.step,
        inspected.took_ms.to_bits(),
        ui.visuals().dark_mode,
    );
    let shown = Subject { insides, stamp, step: inspected.step };
    let width = ui.available_width();
    if width >= WIDE {
        let (rect, _) = ui.allocate_exact_size(vec2(width, height.max(LEAST)), Sense::hover());
        return two_rows(ui, rect, state, &shown, actions);
    }
    let part = |ui: &mut Ui, height: f32| {
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        card::rule(ui, rect.left_top(), rect.right_top());
        rect
    };
    let rect = part(ui, attention::HEIGHT);
    attention::show(ui, rect, &shown, actions);
    let rect = part(ui, memory::HEIGHT);
    memory::show(ui, rect, &mut state.memory, &shown, actions);
    for (kind, state) in
        [(over_time::Kind::Gates, &mut state.gates), (over_time::Kind::States, &mut state.states)]
    {
        let rect = part(ui, over_time::HEIGHT);
        over_time::show(ui, rect, kind, state, &shown, actions);
    }
}

fn two_rows(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    shown: &Subject<'_>,
    actions: &mut Vec<Action>,
) {
    let corner = |x: [f32; 2], y: [f32; 2]| {
        let at =
            |x: f32, y: f32| pos2(rect.left() + x * rect.width(), rect.top() + y * rect.height());
        Rect::from_min_max(at(x[0], y[0]), at(x[1], y[1]))
    };
    let (across, down) = (0.4, 0.5);
    memory::show(ui, corner([0.0, across], [0.0, down]), &mut state.memory, shown, actions);
    attention::show(ui, corner([across, 1.0], [0.0, down]), shown, actions);
    over_time::show(
        ui,
        corner([0.0, 0.5], [down, 1.0]),
        over_time::Kind::Gates,
        &mut state.gates,
        shown,
        actions,
    );
    over_time::show(
        ui,
        corner([0.5, 1.0], [down, 1.0]),
        over_time::Kind::States,
        &mut state.states,
        shown,
        actions,
    );
    card::rule(ui, rect.left_top(), rect.right_top());
    let y = rect.top() + down * rect.height();
    card::rule(ui, pos2(rect.left(), y), pos2(rect.right(), y));
    card::rule(
        ui,
        pos2(rect.left() + across * rect.width(), rect.top()),
        pos2(rect.left() + across * rect.width(), y),
    );
    card::rule(ui, pos2(rect.center().x, y), pos2(rect.center().x, rect.bottom()));
}
