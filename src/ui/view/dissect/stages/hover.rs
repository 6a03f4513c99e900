//! What the pointer, or the keyboard, is on in a stage's picture; gates picked by hand.

use super::frame::{picture_rect, title};
use super::picture::{MATRICES, Picture};
use super::place::Place;
use super::{Answer, picture};
use crate::analysis::stage::Stage;
use crate::model::network::Gating;
use crate::ui::Action;
use crate::ui::kit::format;
use crate::ui::kit::readout::Readout;
use crate::ui::kit::theme::{Palette, role_name, strong};
use crate::ui::view::dissect::merging;
use eframe::egui;
use egui::{Painter, Rect, Response, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

fn placed(rect: Rect, picture: &Picture, stage: &Stage) -> Place {
    Place::new(picture_rect(rect), picture, matches!(stage.network.gating, Gating::Side(_)))
}

/// The chosen stage's cells: hovering, clicks and arrows read them off, and clicks on gates pick
/// those (`actions`) for merging by hand. The rows of `readout` are neurons, its columns those of
/// all matrices after each other.
pub fn cells(
    ui: &Ui,
    rect: Rect,
    picture: &Picture,
    i: usize,
    readout: &mut Readout,
    answer: &Answer<'_>,
    actions: Option<&mut Vec<Action>>,
) {
    let Some(stage) = answer.dissection.stages.get(i) else { return };
    let (place, space) = (placed(rect, picture, stage), picture_rect(rect));
    if !space.is_positive() {
        return;
    }
    let response = ui.interact(space, ui.scope_id().with("cells"), Sense::click());
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::Role::Image,
            true,
            format!("Weights of the stage “{}”", title(stage.kind)),
        )
    });
    let before = |k: usize| picture.columns[..k].iter().sum::<usize>();
    let hit = response
        .hover_pos()
        .and_then(|pointer| place.cell_at(pointer))
        .map(|(k, row, column)| [row, before(k) + column]);
    let parted = |column: usize| {
        (0..MATRICES)
            .rev()
            .find(|&k| before(k) <= column && picture.columns[k] > 0)
            .map(|k| (k, column - before(k)))
    };
    let is_gate = |[_, column]: [usize; 2]| {
        parted(column).is_some_and(|(k, _)| picture::gates_are_columns(&stage.network, k))
    };
    if let Some(actions) = actions.filter(|_| response.clicked()) {
        pick(&response, &place, stage, answer, actions);
    }
    // A click on a gate picks it; it moves the readout only where that is open.
    let click = hit.filter(|cell| response.has_focus() || !is_gate(*cell));
    let chosen = readout.choose(ui, &response, [picture.rows(), before(MATRICES)], click);
    if !chosen {
        return show(&response, rect, picture, i, answer);
    }
    let [row, column] = readout.cell;
    let (Some((k, j)), Some((top, height))) = (parted(column), place.row(row)) else { return };
    let columns = &place.columns[k];
    let cell = Rect::from_min_size(pos2(columns.at(j), top), vec2(columns.cell, height));
    readout.explain(ui, response, true, hit, cell, |ui, [row, _]| {
        said(ui, stage, row, Some((k, row, j)))
    });
}

/// Explains the cell under the pointer.
pub fn show(response: &Response, rect: Rect, picture: &Picture, i: usize, answer: &Answer<'_>) {
    let (Some(pointer), Some(stage)) = (response.hover_pos(), answer.dissection.stages.get(i))
    else {
        return;
    };
    let place = placed(rect, picture, stage);
    let on_roles = (place.roles.left..place.roles.right()).contains(&pointer.x);
    let cell = place.cell_at(pointer);
    let Some(row) = cell.map(|(_, row, _)| row).or(place.row_at(pointer.y).filter(|_| on_roles))
    else {
        return;
    };
    response.clone().on_hover_ui_at_pointer(|ui| said(ui, stage, row, cell));
}

/// A neuron, and one of its weights.
fn said(ui: &mut Ui, stage: &Stage, row: usize, cell: Option<(usize, usize, usize)>) {
    let palette = Palette::of(ui);
    let Some((neuron, role)) = stage.neurons.get(row).zip(stage.roles.get(row)) else { return };
    ui.label(
        RichText::new(format!("neuron {neuron}, {}", role_name(*role)))
            .font(strong(12.5))
            .color(palette.role(*role)),
    );
    ui.label(format!("λ = {}", format::lambda(stage.network.lambda[row])));
    if let Some((k, row, column)) = cell {
        ui.label(weight(stage, k, row, column));
        if picture::gates_are_columns(&stage.network, k) {
            ui.label(gates(stage, column));
        }
    }
    ui.label(RichText::new(format!("in the stage “{}”", title(stage.kind))).color(palette.mute));
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
fn pick(
    response: &Response,
    place: &Place,
    stage: &Stage,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let Some((k, _, column)) =
        response.interact_pointer_pos().and_then(|pointer| place.cell_at(pointer))
    else {
        return;
    };
    if let Some([gate]) = stage
        .gates
        .get(column)
        .map(Vec::as_slice)
        .filter(|_| picture::gates_are_columns(&stage.network, k))
    {
        actions.push(merging::toggled(answer, *gate));
    }
}

/// A line under the columns of gates that are picked.
pub fn marks(
    painter: &Painter,
    place: &Place,
    stage: &Stage,
    answer: &Answer<'_>,
    palette: &Palette,
) {
    let picked = &answer.settings.picked;
    let y = place.bottom() + 2.5;
    for (j, _) in
        stage.gates.iter().enumerate().filter(|(_, gates)| {
            !gates.is_empty() && gates.iter().all(|gate| picked.contains(gate))
        })
    {
        for columns in &place.columns[2..] {
            let ends = [pos2(columns.at(j), y), pos2(columns.at(j) + columns.cell.max(2.0), y)];
            painter.line_segment(ends, Stroke::new(2.5, palette.accent));
        }
    }
}
