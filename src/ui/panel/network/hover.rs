//! What the pointer is on in the network's picture: names, value and formula; its row stands out in
//! every matrix.

use super::layout::{Layout, Placed};
use super::picture::{Picture, matrix_of};
use super::subject::Subject;
use crate::model::network::Gating;
use crate::task::Task;
use crate::ui::kit::theme::{Palette, role_name, strong};
use crate::ui::kit::{format, tokens};
use eframe::egui;
use egui::{Rect, Response, RichText, Stroke, Ui, pos2};

/// Marks the row and column, and explains the cell.
pub fn show(
    ui: &Ui,
    response: &Response,
    layout: &Layout,
    picture: &Picture,
    subject: &Subject<'_>,
) {
    let Some(pointer) = response.hover_pos() else { return };
    let row = layout.neurons.index(pointer.y - layout.lambda.top());
    let neuron = row.and_then(|row| picture.neurons.get(row).copied());
    if let Some((row, _)) = row.zip(neuron) {
        mark_row(ui, layout, row);
    }
    if let Some(placed) = layout.matrices.iter().find(|placed| placed.rect.contains(pointer)) {
        let cell = (
            placed.rows.index(pointer.y - placed.rect.top()),
            placed.columns.index(pointer.x - placed.rect.left()),
        );
        if let (Some(row), Some(column)) = cell {
            response
                .clone()
                .on_hover_ui_at_pointer(|ui| explain(ui, placed, (row, column), picture, subject));
        }
    } else if let Some(neuron) =
        neuron.filter(|_| layout.lambda.union(layout.bars).contains(pointer))
    {
        response.clone().on_hover_ui_at_pointer(|ui| {
            describe(ui, neuron, subject);
            ui.label(format!("importance = {} of the largest", format::signed(subject.importance.hidden[neuron])));
            ui.label(match picture.network.as_ref().map(|network| &network.gating) {
                Some(Gating::Output { .. }) | None => {
                    "= ‖row of Wₘ in‖ · ‖row of Wₓ in‖ · ‖column of Wₘ out and Wₓ out‖; bars show its square root"
                }
                Some(Gating::Side(_)) => {
                    "= ‖row of Wₘ in‖ · ‖row of Wₓ in‖ · ‖row of W side‖ · ‖column of D‖; bars show its square root"
                }
            });
        });
    }
}

/// A frame around a neuron's row in every matrix that has it.
pub fn mark_row(ui: &Ui, layout: &Layout, row: usize) {
    let Some((start, cell)) = layout.neurons.place(row) else { return };
    let right = layout
        .matrices
        .iter()
        .filter(|placed| placed.matrix < 4)
        .map(|placed| placed.rect.right())
        .fold(layout.bars.right(), f32::max);
    let left = layout.matrices.first().map_or(layout.lambda.left(), |placed| placed.rect.left());
    let top = layout.lambda.top() + start;
    let band =
        Rect::from_min_max(pos2(left, top), pos2(right, top + cell)).expand2(egui::vec2(3.0, 1.0));
    ui.painter().rect_stroke(
        band,
        2.0,
        Stroke::new(1.0, Palette::of(ui).accent),
        egui::StrokeKind::Outside,
    );
}

fn describe(ui: &mut Ui, neuron: usize, subject: &Subject<'_>) {
    let palette = Palette::of(ui);
    let importance = subject.importance;
    let role = importance.roles[neuron];
    ui.label(
        RichText::new(format!("neuron {}, {}", subject.neuron(neuron), role_name(role)))
            .font(strong(12.5))
            .color(palette.role(role)),
    );
    ui.label(format!("λ = {} = exp(−exp(ν))", format::lambda(importance.lambda[neuron])));
}

/// Names of the cell's row and column, its weight, and the formula that it stands in.
fn explain(
    ui: &mut Ui,
    placed: &Placed,
    (row, column): (usize, usize),
    picture: &Picture,
    subject: &Subject<'_>,
) {
    let (Some(matrix), Some(network)) = (picture.matrices.get(placed.matrix), &picture.network)
    else {
        return;
    };
    let d = network.inputs();
    let value = |name: &str, out: usize, fan_in: usize| {
        let inside =
            matrix_of(network, name).filter(|matrix| out < matrix.rows && fan_in < matrix.columns);
        inside.map_or(f64::NAN, |matrix| matrix.at(out, fan_in))
    };
    let named = |name: fn(Task, usize) -> String, unnamed: &str, index: usize| {
        subject.task.map_or_else(|| format!("{unnamed} {}", index + 1), |task| name(task, index))
    };
    let input = |column: usize| {
        if column < d { named(tokens::input, "input", column) } else { "constant 1".into() }
    };
    let output = |index: usize| named(tokens::output, "output", index);
    let gate = picture.gates.get(column).copied().unwrap_or(0);
    let neuron = picture.neurons.get(row).copied().unwrap_or(0);
    let side = matches!(network.gating, Gating::Side(_));
    let (neuron_name, gate_name) = (subject.neuron(neuron), subject.gate(gate));
    let weight = |ui: &mut Ui, name: &str, at: String, value: f64| {
        ui.label(
            RichText::new(format!("{name} [{at}] = {}", format::signed(value))).font(strong(12.5)),
        );
    };
    match matrix.name {
        "output_gate.m" | "output_gate.x" => {
            let name = picture.parameter(matrix.name, gate);
            let shown = if name == "output_gate.m" { "Wₘ out" } else { "Wₓ out" };
            weight(
                ui,
                shown,
                format!("gate {gate_name}, neuron {neuron_name}"),
                value(name, gate, neuron),
            );
            describe(ui, neuron, subject);
            ui.label(format!(
                "gate {gate_name}: g = (Wₘ out h) · (Wₓ out h), importance {}",
                format::signed(subject.importance.gates[gate])
            ));
            if name != matrix.name {
                ui.label("This gate's two factors are shown the other way round; their product is the same.");
            }
        }
        "readout" if side => {
            weight(
                ui,
                "D",
                format!("{}, neuron {neuron_name}", output(column)),
                value("readout", column, neuron),
            );
            describe(ui, neuron, subject);
            ui.label("ŷ = D g");
        }
        "readout" => {
            weight(
                ui,
                "D",
                format!("{}, gate {gate_name}", output(row)),
                value("readout", row, gate),
            );
            ui.label("ŷ = D g");
        }
        name => {
            let (shown, formula) = match name {
                "input_gate.m" => {
                    ("Wₘ in", "u = (Wₘ in x) · (Wₓ in x), with a constant 1 appended to x")
                }
                "input_gate.x" => {
                    ("Wₓ in", "u = (Wₘ in x) · (Wₓ in x), with a constant 1 appended to x")
                }
                _ => ("W side", "g = (W side x) · h, with a constant 1 appended to x"),
            };
            weight(
                ui,
                shown,
                format!("neuron {neuron_name}, {}", input(column)),
                value(name, neuron, column),
            );
            describe(ui, neuron, subject);
            ui.label(formula);
        }
    }
}
