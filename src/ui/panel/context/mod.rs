//! The In context view: what a network learns from the examples within a sequence. Regression
//! beside one step of gradient descent (paper, section 5), associative recall beside attention
//! (appendix D.3), the user's own test sequences.
//!
//! Start with [`middle`]; each panel is a file. [`sequence`], [`recall`] and [`file::series`] also
//! stand in Discover.

mod cells;
mod coefficients;
mod empty;
mod file;
mod implied;
mod measured;
mod parts;
mod recall;
mod sequence;
mod verdict;

use super::loss;
use crate::recipe::TaskName;
use crate::run::live::Live;
use crate::ui::kit::card;
use crate::ui::kit::readout::Readout;
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{Rect, Sense, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    sequence: sequence::State,
    recall: recall::State,
    implied: implied::State,
    coefficients: Readout,
    file: file::State,
}

/// Least height of the pictures.
const LEAST: f32 = 560.0;

/// Everything between the settings and the guide; `height` is what the window has.
pub fn middle(
    ui: &mut Ui,
    state: &mut State,
    loss: &mut loss::State,
    scene: &Scene<'_>,
    height: f32,
    actions: &mut Vec<Action>,
) {
    let live = scene.live;
    let top = ui.cursor().top();
    if !live.recipe.task.is_measured() {
        return empty::show(ui, height, actions);
    }
    verdict::show(ui, live);
    let left = height - (ui.cursor().top() - top);
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), left.max(LEAST)), Sense::hover());
    if live.recipe.task == TaskName::File {
        return file::show(ui, rect, &mut state.file, loss, live, actions);
    }
    let part = |x: [f32; 2], y: [f32; 2]| {
        let at =
            |x: f32, y: f32| pos2(rect.left() + x * rect.width(), rect.top() + y * rect.height());
        Rect::from_min_max(at(x[0], y[0]), at(x[1], y[1]))
    };
    let rows = if live.recipe.task == TaskName::Regression { [0.32, 0.63] } else { [0.36, 1.0] };
    loss::show(ui, part([0.0, 0.5], [0.0, rows[0]]), loss, live, actions);
    if live.recipe.task == TaskName::Regression {
        measured::show(ui, part([0.5, 1.0], [0.0, rows[0]]), live, actions);
        sequence::show(
            ui,
            part([0.0, 1.0], rows),
            &mut state.sequence,
            live,
            actions,
            &mut |_, _| (),
        );
        coefficients::show(
            ui,
            part([0.0, 0.52], [rows[1], 1.0]),
            &mut state.coefficients,
            live,
            actions,
        );
        implied::show(ui, part([0.52, 1.0], [rows[1], 1.0]), &mut state.implied, live, actions);
    } else {
        parts::show(ui, part([0.5, 1.0], [0.0, rows[0]]), live, actions);
        recall::show(ui, part([0.0, 1.0], rows), &mut state.recall, live, actions, &mut |_, _| ());
    }
    for y in rows.into_iter().filter(|y| *y < 1.0) {
        card::rule(ui, part([0.0, 1.0], [y, y]).left_top(), part([0.0, 1.0], [y, y]).right_top());
    }
}

/// The same one below the other.
pub fn column(
    ui: &mut Ui,
    state: &mut State,
    loss: &mut loss::State,
    scene: &Scene<'_>,
    actions: &mut Vec<Action>,
) {
    let live = scene.live;
    if !live.recipe.task.is_measured() {
        return empty::show(ui, 420.0, actions);
    }
    verdict::show(ui, live);
    let width = ui.available_width();
    let below = |ui: &mut Ui, height: f32| {
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        card::rule(ui, rect.left_bottom(), rect.right_bottom());
        rect
    };
    if live.recipe.task == TaskName::File {
        return file::column(ui, &mut { below }, &mut state.file, loss, live, actions);
    }
    let mut part = |height: f32, draw: &mut dyn FnMut(&mut Ui, Rect, &mut Vec<Action>)| {
        let rect = below(ui, height);
        draw(ui, rect, actions);
    };
    part(220.0, &mut |ui, rect, actions| loss::show(ui, rect, loss, live, actions));
    if live.recipe.task == TaskName::Regression {
        part(210.0, &mut |ui, rect, actions| measured::show(ui, rect, live, actions));
        part(sequence::height(live), &mut |ui, rect, actions| {
            sequence::show(ui, rect, &mut state.sequence, live, actions, &mut |_, _| ())
        });
        part(260.0, &mut |ui, rect, actions| {
            coefficients::show(ui, rect, &mut state.coefficients, live, actions)
        });
        part(190.0, &mut |ui, rect, actions| {
            implied::show(ui, rect, &mut state.implied, live, actions)
        });
    } else {
        part(210.0, &mut |ui, rect, actions| parts::show(ui, rect, live, actions));
        part(recall::height(live), &mut |ui, rect, actions| {
            recall::show(ui, rect, &mut state.recall, live, actions, &mut |_, _| ())
        });
    }
}

/// One sequence of the task at hand, for Discover: what attention's outputs and contributions are
/// elsewhere.
pub fn one_sequence(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    live: &Live,
    actions: &mut Vec<Action>,
) {
    let mut more = |ui: &mut Ui, actions: &mut Vec<Action>| {
        if ui
            .link("In context →")
            .on_hover_text("What the network does with whole sequences, in numbers (4)")
            .clicked()
        {
            actions.push(Action::Tab(crate::ui::Tab::CONTEXT));
        }
    };
    match live.recipe.task {
        TaskName::Regression => {
            sequence::show(ui, rect, &mut state.sequence, live, actions, &mut more)
        }
        TaskName::File => {
            file::series::show(ui, rect, &mut state.file.series, live, actions, &mut more)
        }
        _ => recall::show(ui, rect, &mut state.recall, live, actions, &mut more),
    }
}

/// Height that [`one_sequence`] would like in a narrow window.
pub fn height(live: &Live) -> f32 {
    match live.recipe.task {
        TaskName::Regression => sequence::height(live),
        TaskName::File => file::series::HEIGHT,
        _ => recall::height(live),
    }
}
