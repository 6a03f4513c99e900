//! One network's insides, whatever its layer, in four cards: [`memory`] (what its recurrence
//! keeps), [`attention`] (is it attention?), and, over one sequence, its gates and its state
//! ([`over_time`]). Used by any view that has an answer of a bench.
//!
//! Start with [`show`].

mod attention;
mod memory;
mod over_time;

use super::{Action, card};
use crate::analysis::insides::Insides;
use crate::run::inspection::Inspected;
use eframe::egui;
use egui::{Rect, Sense, Ui, pos2, vec2};

/// Between frames. One for each place where insides are shown.
#[derive(Default)]
pub struct State {
    memory: memory::State,
    gates: over_time::State,
    states: over_time::State,
}

/// Which answer, in which theme: what is worked out from it is kept as long as this stays.
type Stamp = (u32, u32, Option<u64>, u64, bool);

/// What the cards draw.
struct Shown<'a> {
    insides: &'a Insides,
    stamp: Stamp,
    /// Steps that the network was trained for, if it is one that trains.
    step: Option<u64>,
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
    let shown = Shown { insides, stamp, step: inspected.step };
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
    shown: &Shown<'_>,
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

/// Which of several, by a list in a card's title row; nothing to choose where there is one. `name`
/// is the list's own.
fn chooser<'a>(
    ui: &mut Ui,
    name: &str,
    chosen: &mut usize,
    entries: impl ExactSizeIterator<Item = &'a str> + Clone,
) {
    let count = entries.len();
    *chosen = (*chosen).min(count.saturating_sub(1));
    if count < 2 || super::svg::is_for_file(ui) {
        return;
    }
    let current = entries.clone().nth(*chosen).unwrap_or_default();
    let width = (ui.available_width() * 0.45).clamp(60.0, 150.0);
    let list = egui::ComboBox::from_id_salt(name)
        .width(width)
        .truncate()
        .selected_text(egui::RichText::new(current).size(11.5));
    let response = list.show_ui(ui, |ui| {
        entries.enumerate().for_each(|(i, entry)| {
            ui.selectable_value(chosen, i, entry);
        });
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, name));
}
