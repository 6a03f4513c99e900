//! The same thing, as attention: the key-value matrix that the network's λ = 1 neurons hold, times
//! its query, beside S_t q_t = y_t.

use super::built::{Built, Running};
use super::numbers;
use super::state::State;
use crate::theory::Variant;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{Align2, Color32, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

/// Largest and smallest side of a matrix's entry.
const CELL: (f32, f32) = (46.0, 9.0);
/// Room for × and =.
const SIGN: f32 = 16.0;
/// Room for the names above.
const HEAD: f32 = 18.0;
/// Room for the flattened matrix below.
const STRIP: f32 = 34.0;

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State) {
    let palette = Palette::of(ui);
    let Some(built) = &state.built else { return };
    let token = state.token.min(built.moments.len() - 1);
    let difference = built.network.as_ref().ok().map(|running| built.error(running, token));
    let rect =
        card::show(ui, rect, "The same thing, as attention", "key–value matrix × query", |ui| {
            if let Some(difference) = difference {
                let color =
                    if built.is_exact(difference) { palette.teacher } else { palette.error };
                ui.label(RichText::new(numbers::error(difference)).font(strong(13.0)).color(color));
                ui.label(RichText::new("difference").size(11.5).color(palette.mute))
                    .on_hover_text("The largest |ŷ − y| at this token");
            }
        });
    let ui = &mut card::inside(ui, "attention", rect);
    let half = (rect.width() - 14.0) / 2.0;
    let area = |i: f32| {
        Rect::from_min_size(rect.min + vec2(i * (half + 14.0), 0.0), vec2(half, rect.height()))
    };
    let scale = scale(built, token);
    let mut picked = None;
    if let Ok(running) = &built.network {
        picked = network(ui, area(0.0), running, token, state.neuron, scale);
    }
    let place = if built.network.is_ok() { 1.0 } else { 0.0 };
    attention(ui, area(place), built, token, scale);
    if let Some(neuron) = picked {
        state.neuron = neuron;
    }
}

/// Full colours: the largest |entry| of memory, query and output of the attention.
fn scale(built: &Built, token: usize) -> [f64; 3] {
    let moment = &built.moments[token];
    [&moment.memory.data, &moment.query, &moment.output]
        .map(|values| values.iter().map(|v| v.abs()).fold(1e-9, f64::max))
}

/// Columns of numbers of one product: matrix, vector, result.
struct Product<'a> {
    title: &'a str,
    names: [&'a str; 3],
    /// Between the vector and the result.
    equals: &'a str,
    rows: usize,
    columns: usize,
    colors: [Color32; 3],
    scale: [f64; 3],
}

impl Product<'_> {
    /// Side of a cell in `rect`, where `outputs` results have to find room too.
    fn cell(&self, rect: Rect, outputs: usize) -> f32 {
        let across = (rect.width() - 2.0 * SIGN) / (self.columns + 2) as f32;
        let down =
            (rect.height() - 2.0 * HEAD - STRIP) / self.rows.max(self.columns).max(outputs) as f32;
        across.min(down).clamp(CELL.1, CELL.0)
    }

    /// Draws all; returns the rectangles of the matrix's entries, row by row.
    fn draw(
        &self,
        ui: &Ui,
        rect: Rect,
        memory: &[f64],
        query: &[f64],
        output: &[f64],
    ) -> Vec<Rect> {
        let palette = Palette::of(ui);
        let cell = self.cell(rect, output.len());
        ui.painter().text(rect.min, Align2::LEFT_TOP, self.title, strong(11.5), palette.ink);
        let top = rect.top() + 2.0 * HEAD;
        let tall = self.rows.max(query.len()).max(output.len()) as f32 * cell;
        let place = |left: f32, i: usize, columns: usize, rows: usize| {
            let y = top + (tall - rows as f32 * cell) / 2.0;
            Rect::from_min_size(
                pos2(left + (i % columns) as f32 * cell, y + (i / columns) as f32 * cell),
                vec2(cell - 2.0, cell - 2.0),
            )
        };
        let second = rect.left() + self.columns as f32 * cell + SIGN;
        let third = second + cell + SIGN;
        for (x, sign) in [(second - SIGN / 2.0 - 1.0, "×"), (third - SIGN / 2.0 - 1.0, self.equals)]
        {
            ui.painter().text(
                pos2(x, top + tall / 2.0),
                Align2::CENTER_CENTER,
                sign,
                plain(12.0),
                palette.mute,
            );
            if sign == "→" {
                ui.painter().text(
                    pos2(x, top + tall / 2.0 - 7.0),
                    Align2::CENTER_BOTTOM,
                    "D",
                    plain(10.5),
                    palette.mute,
                );
            }
        }
        let parts = [
            (rect.left(), memory, self.columns.max(1), self.rows),
            (second, query, 1, query.len()),
            (third, output, 1, output.len()),
        ];
        let mut entries = vec![];
        for (i, (left, values, columns, rows)) in parts.into_iter().enumerate() {
            let width = columns as f32 * cell - 2.0;
            ui.painter().text(
                pos2(left + width / 2.0, top - 3.0),
                Align2::CENTER_BOTTOM,
                self.names[i],
                plain(11.0),
                palette.mute,
            );
            for (j, &value) in values.iter().enumerate() {
                let at = place(left, j, columns, rows);
                entry(ui, at, value, self.colors[i], self.scale[i]);
                if i == 0 {
                    entries.push(at);
                }
            }
        }
        entries
    }
}

/// A number on a ground that is the stronger the larger it is.
fn entry(ui: &Ui, rect: Rect, value: f64, color: Color32, scale: f64) {
    let palette = Palette::of(ui);
    let strength = (value.abs() / scale).min(1.0).sqrt() as f32;
    ui.painter().rect_filled(
        rect,
        2.0,
        palette.background.lerp_to_gamma(color, 0.08 + 0.5 * strength),
    );
    let font = plain(if rect.width() >= 40.0 {
        12.5
    } else if rect.width() >= 30.0 {
        11.0
    } else {
        9.5
    });
    // As many digits as fit; where not even whole ones do, the hover says the number.
    let texts =
        [numbers::fixed(value), numbers::coarse(value), format!("{value:.0}").replace('-', "−")];
    let fitting = |text: String| {
        Some(ui.painter().layout_no_wrap(text, font.clone(), palette.ink))
            .filter(|text| text.size().x <= rect.width() - 1.0)
    };
    if let Some(text) = texts.into_iter().filter(|_| rect.width() >= 20.0).find_map(fitting) {
        ui.painter().galley(rect.center() - text.size() / 2.0, text, palette.ink);
    }
}

/// What the network holds; returns the neuron of an entry that was clicked.
fn network(
    ui: &mut Ui,
    rect: Rect,
    running: &Running,
    token: usize,
    chosen: usize,
    scale: [f64; 3],
) -> Option<usize> {
    let palette = Palette::of(ui);
    let [rows, columns] = running.memory_shape();
    let variant = running.construction.variant;
    let primed = !matches!(variant, Variant::Naive | Variant::Side);
    let through = variant == Variant::LowRank;
    let neurons: Vec<Option<usize>> =
        (0..rows * columns).map(|i| running.accumulator(i / columns, i % columns)).collect();
    let memory: Vec<f64> = neurons
        .iter()
        .map(|neuron| neuron.map_or(0.0, |neuron| running.states.at(token, neuron)))
        .collect();
    let query: Vec<f64> = running.query(token).into_iter().map(|(_, value)| value).collect();
    // What is not the teacher's own has a scale of its own.
    let own = |values: &[f64], shared: f64| {
        if primed { values.iter().map(|v| v.abs()).fold(1e-9, f64::max) } else { shared }
    };
    let product = Product {
        title: "in the network",
        names: if primed { ["S'", "q'", "ŷ"] } else { ["S", "q", "ŷ"] },
        equals: if through { "→" } else { "=" },
        rows,
        columns,
        colors: [palette.key_value, palette.query, palette.between],
        scale: [own(&memory, scale[0]), own(&query, scale[1]), scale[2]],
    };
    let output = running.outputs.row(token);
    let entries = product.draw(ui, rect, &memory, &query, output);
    let cell = product.cell(rect, output.len());
    let tall = rows.max(query.len()).max(output.len()) as f32 * cell;
    let (strip, strip_cells) =
        strip(ui, rect, rect.top() + 2.0 * HEAD + tall + 4.0, running, token, product.scale[0]);
    for (at, neuron) in entries.iter().zip(&neurons).chain(strip_cells.iter().zip(&strip)) {
        if *neuron == Some(chosen) {
            ui.painter().rect_stroke(
                *at,
                2.0,
                Stroke::new(1.5, palette.accent),
                StrokeKind::Inside,
            );
        }
    }
    let response = ui.interact(rect, ui.scope_id().with("in the network"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "The key–value matrix in the network")
    });
    let pointer = response.hover_pos()?;
    let all: Vec<(&Rect, &Option<usize>)> =
        entries.iter().zip(&neurons).chain(strip_cells.iter().zip(&strip)).collect();
    let neuron =
        all.into_iter().find(|(at, _)| at.contains(pointer)).and_then(|(_, neuron)| *neuron);
    let clicked = response.clicked();
    response.on_hover_ui_at_pointer(|ui| match neuron {
        Some(neuron) => {
            let name = &running.construction.neurons[neuron].name;
            ui.colored_label(
                palette.key_value,
                format!(
                    "{name} = {}, held by neuron {name}",
                    format::signed(running.states.at(token, neuron))
                ),
            );
        }
        None => {
            ui.set_max_width(300.0);
            ui.label(running.construction.meaning);
            if through {
                ui.label("The readout D takes S' q' to ŷ.");
            }
        }
    });
    neuron.filter(|_| clicked)
}

/// The λ = 1 neurons that the matrix is flattened into, in their order; returns them and their
/// places.
fn strip(
    ui: &Ui,
    rect: Rect,
    top: f32,
    running: &Running,
    token: usize,
    scale: f64,
) -> (Vec<Option<usize>>, Vec<Rect>) {
    let palette = Palette::of(ui);
    let count = running.construction.counts().0;
    let text = format!("flattened into {count} {}", if count == 1 { "neuron" } else { "neurons" });
    ui.painter().text(pos2(rect.left(), top), Align2::LEFT_TOP, text, plain(10.5), palette.mute);
    let width = (rect.width() / count.max(1) as f32).min(18.0);
    let gap = if width > 5.0 { 2.0 } else { 0.5 };
    let place = |i: usize| {
        Rect::from_min_size(
            pos2(rect.left() + i as f32 * width, top + 15.0),
            vec2(width - gap, 12.0),
        )
    };
    for i in 0..count {
        let strength = (running.states.at(token, i).abs() / scale).min(1.0).sqrt() as f32;
        ui.painter().rect_filled(
            place(i),
            1.0,
            palette.background.lerp_to_gamma(palette.key_value, 0.08 + 0.5 * strength),
        );
    }
    ((0..count).map(Some).collect(), (0..count).map(place).collect())
}

/// S_t q_t = y_t
fn attention(ui: &mut Ui, rect: Rect, built: &Built, token: usize, scale: [f64; 3]) {
    let palette = Palette::of(ui);
    let moment = &built.moments[token];
    let d = built.teacher.dim;
    let product = Product {
        title: "linear attention",
        names: ["Sₜ", "qₜ", "yₜ"],
        equals: "=",
        rows: d,
        columns: d,
        colors: [palette.teacher; 3],
        scale,
    };
    let entries = product.draw(ui, rect, &moment.memory.data, &moment.query, &moment.output);
    let response = ui.interact(rect, ui.scope_id().with("linear attention"), Sense::hover());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "The key–value matrix of attention")
    });
    let Some(pointer) = response.hover_pos() else { return };
    let place = entries.iter().position(|at| at.contains(pointer));
    response.on_hover_ui_at_pointer(|ui| match place {
        Some(i) => {
            ui.colored_label(
                palette.teacher,
                format!("row {}, column {} of Sₜ = {}", i / d + 1, i % d + 1, format::signed(moment.memory.data[i])),
            );
        }
        None => {
            ui.label("Sₜ = Σ v kᵀ over the tokens until now; yₜ = Sₜ qₜ. v, k and q are W_V x, W_K x and W_Q x.");
        }
    });
}
