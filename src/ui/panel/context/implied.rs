//! The map that the network read off its examples, from its answers to other questions, beside a
//! gradient step's.

use super::cells::{Cells, Mark, largest};
use crate::analysis::finding::Finding;
use crate::analysis::in_context::Episode;
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::readout::{Readout, cell_at, cell_rect};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    network: Cells,
    step: Cells,
    difference: Cells,
    readout: Readout,
}

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, live: &Live, actions: &mut Vec<Action>) {
    let (size, mut saved) = (rect.size(), false);
    let rect = card::show(ui, rect, "The implied map", "of the same sequence", |ui| {
        saved = export::button(ui, "The implied map")
    });
    if saved {
        actions.push(export::svg(ui, "context-implied.svg", size, &mut |ui, rect| {
            show(ui, rect, &mut State::default(), live, &mut vec![])
        }));
    }
    let Some(Finding::Regression { episode, .. }) = live.found() else {
        return card::waiting(ui, rect, live);
    };
    let (outputs, inputs) = (
        episode.gradient_step_weights.len(),
        episode.gradient_step_weights.first().map_or(0, Vec::len),
    );
    if rect.width() < 130.0 || rect.height() < 60.0 || outputs * inputs == 0 {
        return;
    }
    state.update(ui, live, episode, inputs);
    let palette = Palette::of(ui);
    let ui = &mut card::inside(ui, "implied", rect);
    let (names, gap, head, foot) = (22.0, 12.0, 17.0, 34.0);
    let width = (rect.width() - names - 2.0 * gap - 3.0) / 3.0;
    let height = (rect.height() - head - foot).max(10.0);
    let cell = vec2((width / inputs as f32).min(46.0), (height / outputs as f32).min(40.0));
    let size = vec2(cell.x * inputs as f32, cell.y * outputs as f32);
    let place = |i: usize| {
        Rect::from_min_size(rect.min + vec2(names + i as f32 * (width + gap), head), size)
    };
    let titles = [
        ("network", Mark::Network.color(palette)),
        ("one step", Mark::Step.color(palette)),
        ("difference", palette.mute),
    ];
    for (i, (cells, (title, color))) in
        [&state.network, &state.step, &state.difference].into_iter().zip(titles).enumerate()
    {
        let map = place(i);
        cells.paint(ui, map, 0..outputs, 0..inputs, true);
        ui.painter().text(
            map.left_top() - vec2(0.0, 3.0),
            Align2::LEFT_BOTTOM,
            title,
            strong(11.0),
            color,
        );
        if cell.x >= 15.0 {
            for column in 0..inputs {
                let at = pos2(map.left() + (column as f32 + 0.5) * cell.x, map.bottom() + 2.0);
                ui.painter().text(
                    at,
                    Align2::CENTER_TOP,
                    format!("x{}", format::subscript(column + 1)),
                    plain(10.5),
                    palette.mute,
                );
            }
        }
    }
    for row in (0..outputs).filter(|_| cell.y >= 11.0) {
        let at = pos2(place(0).left() - 5.0, place(0).top() + (row as f32 + 0.5) * cell.y);
        ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            format!("y{}", format::subscript(row + 1)),
            plain(10.5),
            palette.mute,
        );
    }
    let text = format!(
        "the two differ by {} of the step's size",
        format::percent(apart(episode)).trim_start_matches('+')
    );
    ui.painter().text(
        pos2(rect.left() + names, place(0).bottom() + 18.0),
        Align2::LEFT_TOP,
        text,
        plain(11.0),
        palette.ink,
    );
    explain(ui, rect, [0, 1, 2].map(place), [outputs, inputs], state);
}

/// ‖network − step‖ / ‖step‖.
fn apart(episode: &Episode) -> f64 {
    let pairs = || {
        episode.implied_weights.iter().flatten().zip(episode.gradient_step_weights.iter().flatten())
    };
    let (difference, size): (f64, f64) =
        (pairs().map(|(a, b)| (a - b).powi(2)).sum(), pairs().map(|(_, b)| b * b).sum());
    (difference / size).sqrt()
}

impl State {
    fn update(&mut self, ui: &Ui, live: &Live, episode: &Episode, inputs: usize) {
        let flat = |weights: &[Vec<f64>]| weights.concat();
        let scale = largest(episode.gradient_step_weights.iter().flatten());
        self.network.update(ui, live, inputs, || (flat(&episode.implied_weights), scale));
        self.step.update(ui, live, inputs, || (flat(&episode.gradient_step_weights), scale));
        let difference = || {
            flat(&episode.implied_weights)
                .iter()
                .zip(flat(&episode.gradient_step_weights))
                .map(|(a, b)| a - b)
                .collect()
        };
        self.difference.update(ui, live, inputs, || (difference(), scale));
    }
}

fn explain(ui: &Ui, rect: Rect, maps: [Rect; 3], [outputs, inputs]: [usize; 2], state: &mut State) {
    let response = ui.interact(rect, ui.scope_id().with("maps"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "Implied weights and a gradient step's")
    });
    let hit = response
        .hover_pos()
        .and_then(|pointer| maps.iter().find_map(|map| cell_at(*map, outputs, inputs, pointer)))
        .map(|(k, i)| [k, i]);
    let chosen = state.readout.choose(ui, &response, [outputs, inputs], hit);
    let place = cell_rect(maps[0], [outputs, inputs], state.readout.cell);
    state.readout.explain(ui, response, chosen, hit, place, |ui, [k, i]| {
        ui.label(format!("from x{} to y{}", format::subscript(i + 1), format::subscript(k + 1)));
        ui.label(format!(
            "network {}: half the difference of its answers to the questions +eᵢ and −eᵢ",
            format::signed(state.network.at(k, i))
        ));
        ui.label(format!(
            "one gradient step {} = η* Σ yₜ xₜᵀ",
            format::signed(state.step.at(k, i))
        ));
        ui.label(format!("difference {}", format::signed(state.difference.at(k, i))));
        ui.label(
            egui::RichText::new(format!("Full colour: ±{}", format::signed(state.step.scale)))
                .color(Palette::of(ui).mute),
        );
    });
}
