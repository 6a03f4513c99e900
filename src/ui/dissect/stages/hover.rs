//! What the pointer is on in a stage's picture; gates picked by hand.

use super::picture::{self, Picture};
use super::place::Place;
use super::{Answer, picture_rect, title};
use crate::analysis::dissection::Stage;
use crate::model::network::Gating;
use crate::ui::dissect::merging;
use crate::ui::theme::{Palette, role_name, strong};
use crate::ui::{Action, format};
use eframe::egui;
use egui::{Painter, Rect, Response, RichText, Stroke, pos2};

fn placed(rect: Rect, picture: &Picture, stage: &Stage) -> Place {
    Place::new(picture_rect(rect), picture, matches!(stage.network.gating, Gating::Side(_)))
}

/// Explains the cell under the pointer.
pub fn show(response: &Response, rect: Rect, picture: &Picture, i: usize, answer: &Answer<'_>) {
    let (Some(pointer), Some(stage)) = (response.hover_pos(), answer.dissection.stages.get(i)) else { return };
    let place = placed(rect, picture, stage);
    let on_roles = (place.roles.left..place.roles.right()).contains(&pointer.x);
    let cell = place.cell_at(pointer);
    let Some(row) = cell.map(|(_, row, _)| row).or(place.row_at(pointer.y).filter(|_| on_roles)) else { return };
    let Some((neuron, role)) = stage.neurons.get(row).zip(stage.roles.get(row)) else { return };
    response.clone().on_hover_ui_at_pointer(|ui| {
        let palette = Palette::of(ui);
        ui.label(RichText::new(format!("neuron {neuron}, {}", role_name(*role))).font(strong(12.5)).color(palette.role(*role)));
        ui.label(format!("λ = {}", format::lambda(stage.network.lambda[row])));
        if let Some((k, row, column)) = cell {
            ui.label(weight(stage, k, row, column));
            if picture::gates_are_columns(&stage.network, k) {
                ui.label(gates(stage, column));
            }
        }
        ui.label(RichText::new(format!("in the stage “{}”", title(stage.kind))).color(palette.mute));
    });
}

fn weight(stage: &Stage, k: usize, row: usize, column: usize) -> String {
    let network = &stage.network;
    let value = match (k, &network.gating) {
        (0, _) => network.input_m.at(row, column),
        (1, _) => network.input_x.at(row, column),
        (2, Gating::Side(side)) => side.at(row, column),
        (2, Gating::Output { m, .. }) => m.at(column, row),
        (_, Gating::Side(_)) => network.readout.at(column, row),
        (_, Gating::Output { x, .. }) => x.at(column, row),
    };
    let side = matches!(stage.network.gating, Gating::Side(_));
    let name = match (k, side) {
        (0, _) => "Wₘ in",
        (1, _) => "Wₓ in",
        (2, true) => "W side",
        (2, false) => "Wₘ out",
        (_, true) => "D",
        (_, false) => "Wₓ out",
    };
    let to = match (k, side) {
        (0 | 1, _) | (2, true) if column == stage.network.inputs() => "the constant 1".into(),
        (0 | 1, _) | (2, true) => format!("input {}", column + 1),
        (_, true) => format!("output {}", column + 1),
        (_, false) => return format!("{name} = {}", format::signed(value)),
    };
    format!("{name}, {to}: {}", format::signed(value))
}

fn gates(stage: &Stage, column: usize) -> String {
    match stage.gates.get(column).map(Vec::as_slice) {
        Some([gate]) => format!("gate {gate}; click to pick it for merging"),
        Some(gates) => format!("one gate in place of {}", merging::names(gates)),
        None => String::new(),
    }
}

/// Picks the gate under the pointer for merging by hand, or lets it go.
pub fn pick(response: &Response, rect: Rect, picture: &Picture, i: usize, answer: &Answer<'_>, actions: &mut Vec<Action>) {
    let (Some(pointer), Some(stage)) = (response.interact_pointer_pos(), answer.dissection.stages.get(i)) else { return };
    let Some((k, _, column)) = placed(rect, picture, stage).cell_at(pointer) else { return };
    if let Some([gate]) = stage.gates.get(column).map(Vec::as_slice).filter(|_| picture::gates_are_columns(&stage.network, k)) {
        actions.push(merging::toggled(answer, *gate));
    }
}

/// A line under the columns of gates that are picked.
pub fn marks(painter: &Painter, place: &Place, stage: &Stage, answer: &Answer<'_>, palette: &Palette) {
    let picked = &answer.settings.picked;
    let y = place.bottom() + 2.5;
    for (j, _) in stage.gates.iter().enumerate().filter(|(_, gates)| !gates.is_empty() && gates.iter().all(|gate| picked.contains(gate))) {
        for columns in &place.columns[2..] {
            let ends = [pos2(columns.at(j), y), pos2(columns.at(j) + columns.cell.max(2.0), y)];
            painter.line_segment(ends, Stroke::new(2.5, palette.accent));
        }
    }
}
