//! The user's own sequences: what the file holds, one test sequence with the network's answers, and
//! where its errors are.

mod chart;
mod facts;
mod outputs;
mod over_time;
pub mod series;
mod tested;

use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::card;
use crate::ui::kit::readout::Readout;
use crate::ui::panel::loss;
use eframe::egui;
use egui::{Rect, Ui};

/// Between frames.
#[derive(Default)]
pub struct State {
    pub(super) series: series::State,
    over_time: Readout,
}

/// Heights of the rows, as parts of the whole.
const ROWS: [f32; 2] = [0.33, 0.7];

/// Draws all of it in `rect`.
pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    loss: &mut loss::State,
    live: &Live,
    actions: &mut Vec<Action>,
) {
    let part = |x: [f32; 2], y: [f32; 2]| {
        let at = |x: f32, y: f32| rect.min + rect.size() * egui::vec2(x, y);
        Rect::from_min_max(at(x[0], y[0]), at(x[1], y[1]))
    };
    loss::show(ui, part([0.0, 0.5], [0.0, ROWS[0]]), loss, live, actions);
    facts::show(ui, part([0.5, 1.0], [0.0, ROWS[0]]), live);
    series::show(ui, part([0.0, 1.0], ROWS), &mut state.series, live, actions, &mut |_, _| ());
    over_time::show(ui, part([0.0, 0.55], [ROWS[1], 1.0]), &mut state.over_time, live, actions);
    outputs::show(ui, part([0.55, 1.0], [ROWS[1], 1.0]), live, actions);
    for y in ROWS {
        card::rule(ui, part([0.0, 1.0], [y, y]).left_top(), part([0.0, 1.0], [y, y]).right_top());
    }
}

/// The same, each part in a rectangle of the height that it asks for.
pub fn column(
    ui: &mut Ui,
    part: &mut dyn FnMut(&mut Ui, f32) -> Rect,
    state: &mut State,
    loss: &mut loss::State,
    live: &Live,
    actions: &mut Vec<Action>,
) {
    let rect = part(ui, 220.0);
    loss::show(ui, rect, loss, live, actions);
    let rect = part(ui, 236.0);
    facts::show(ui, rect, live);
    let rect = part(ui, series::HEIGHT);
    series::show(ui, rect, &mut state.series, live, actions, &mut |_, _| ());
    let rect = part(ui, 210.0);
    over_time::show(ui, rect, &mut state.over_time, live, actions);
    let rect = part(ui, 200.0);
    outputs::show(ui, rect, live, actions);
}
