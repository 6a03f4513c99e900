//! The network as one aligned picture: a row is a neuron in every matrix, a column of the output
//! gates is a gate in three of them. Start with [`show`], the card of a training, or [`draw`],
//! which takes any network; [`picture`] sorts and colours, [`axis`] places, [`hover`] explains.

mod axis;
mod hover;
mod layout;
mod picture;
mod subject;

use crate::analysis::importance::{Importance, Role};
use crate::model::Network;
use crate::model::network::Gating;
use crate::run::live::Live;
use crate::task::Task;
use crate::ui::kit::heatmap::Colors;
use crate::ui::kit::theme::{Palette, plain, role_name, strong};
use crate::ui::kit::{card, heatmap, tokens};
use axis::{Axis, GAP};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};
use layout::{Layout, Placed};
use picture::{Options, Picture};

pub use subject::{Block, Labels, Subject};

/// Between frames.
pub struct State {
    sorted: bool,
    normalised: bool,
    picture: Picture,
    colors: Option<(bool, Colors)>,
}

impl Default for State {
    fn default() -> Self {
        Self { sorted: true, normalised: true, picture: Picture::default(), colors: None }
    }
}

/// Room for the names of the groups; for those of [`Labels`].
const NAMES: f32 = 70.0;
const LABELS: f32 = 86.0;
/// Height of the column headers.
const HEAD: f32 = 18.0;

/// Draws the card of a training.
pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, live: &Live) {
    let subtitle = if state.sorted {
        "one row per neuron, sorted by λ and importance"
    } else {
        "one row per neuron, in their own order"
    };
    let rect = card::show(ui, rect, "The network", subtitle, |ui| tools(ui, state, true));
    let Some(weights) = live.weights.as_ref().filter(|_| live.recipe.is_gated()) else {
        return card::waiting(ui, rect, live);
    };
    let network = || {
        (weights.parameters.len() == live.table.len())
            .then(|| Network::from_parameters(&live.table, &weights.parameters))
            .flatten()
    };
    let key = (live.run, live.weights_revision);
    draw(
        ui,
        rect,
        state,
        &Subject {
            key,
            network: &network,
            importance: &weights.importance,
            task: Some(live.recipe.task()),
            labels: None,
        },
    );
}

/// Draws any network in `rect`.
pub fn draw(ui: &mut Ui, rect: Rect, state: &mut State, subject: &Subject<'_>) {
    let dark = ui.visuals().dark_mode;
    if state.colors.as_ref().is_none_or(|(of, _)| *of != dark) {
        state.colors = Some((dark, Colors::new(Palette::of(ui))));
    }
    let options = Options { sorted: state.sorted, normalised: state.normalised, dark };
    if let Some((_, colors)) = &state.colors {
        state.picture.update(ui.ctx(), subject, options, colors);
    }
    let Some(network) = &state.picture.network else { return };
    if rect.width() < 60.0
        || rect.height() < 60.0
        || state.picture.matrices.is_empty()
        || state.picture.neurons.len() != subject.importance.roles.len()
    {
        return;
    }
    let layout = arranged(
        rect,
        if subject.labels.is_some() { LABELS } else { NAMES },
        network,
        &state.picture,
    );
    let ui = &mut card::inside(ui, "network", rect);
    match subject.labels {
        Some(labels) => group_names(
            ui,
            rect,
            &layout,
            labels.groups.iter().map(|&(_, name, role)| (name, role)),
        ),
        None => names(ui, rect, &layout, state, subject.importance),
    }
    neurons(ui, &layout, state, subject.importance);
    for placed in &layout.matrices {
        paint(ui, placed, &state.picture);
    }
    headers(ui, rect, &layout, state, (network, subject.task));
    for block in subject.labels.iter().flat_map(|labels| &labels.blocks) {
        outline(ui, &layout, block);
    }
    if let Some(row) = subject.labels.and_then(|labels| labels.marked) {
        hover::mark_row(ui, &layout, row);
    }
    let response = ui.interact(rect, ui.scope_id().with("picture"), Sense::hover());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "The network's weights")
    });
    hover::show(ui, &response, &layout, &state.picture, subject);
}

/// Legend and switches for the title row.
pub fn tools(ui: &mut Ui, state: &mut State, sortable: bool) {
    heatmap::legend(
        ui,
        match (state.normalised, sortable) {
            (true, true) => {
                "±1 is the largest weight of the same row (of the same gate for W out and D). Unused neurons and gates are dimmed."
            }
            (true, false) => {
                "±1 is the largest weight of the same row (of the same gate for W out and D)."
            }
            (false, _) => "±1 is the largest weight of the same matrix.",
        },
    );
    ui.add_space(4.0);
    let normalised = "Each row, or each gate's column, divided by its own largest weight: scaling a row and undoing it behind changes nothing.";
    card::switch(ui, &mut state.normalised, "Normalised", normalised);
    if sortable {
        let sorted = "Neurons by role, then importance; gates by importance, and of each gate's two factors the one that reads the \
                      memory first: none of this changes the function.";
        card::switch(ui, &mut state.sorted, "Sorted", sorted);
    }
}

/// A frame around a block, and its name.
fn outline(ui: &Ui, layout: &Layout, block: &Block) {
    let Some(placed) = layout.matrices.iter().find(|placed| placed.matrix == block.matrix) else {
        return;
    };
    let span = |axis: &Axis, range: &std::ops::Range<usize>| {
        let (first, last) = (axis.place(range.start)?, axis.place(range.end.checked_sub(1)?)?);
        Some((first.0, last.0 + last.1))
    };
    let area = |rows| {
        let ((top, bottom), (left, right)) =
            (span(&placed.rows, rows)?, span(&placed.columns, &block.columns)?);
        Some(Rect::from_min_max(
            placed.rect.min + vec2(left, top),
            placed.rect.min + vec2(right, bottom),
        ))
    };
    let (Some(frame), Some(name)) = (area(&block.rows), area(&block.name_at)) else { return };
    let palette = Palette::of(ui);
    let color = block.role.map_or(palette.ink, |role| palette.role(role));
    ui.painter().rect_stroke(frame, 2.0, Stroke::new(1.6, color), egui::StrokeKind::Outside);
    let text = ui.painter().layout_no_wrap(block.name.into(), strong(10.5), color);
    // A pill, so that the name can be read on any weights; wider than a narrow block if need be.
    let pill = Rect::from_center_size(name.center(), text.size() + vec2(8.0, 1.0));
    ui.painter().rect_filled(pill, 3.0, palette.panel.gamma_multiply(0.94));
    ui.painter().galley(pill.center() - text.size() / 2.0, text, color);
}

fn arranged(rect: Rect, names: f32, network: &Network, picture: &Picture) -> Layout {
    let (d, outputs) = (network.inputs(), network.outputs());
    let side = matches!(network.gating, Gating::Side(_));
    let top = rect.top() + HEAD;
    let readout = if side { 0.0 } else { (outputs as f32 * 8.0).clamp(10.0, rect.height() * 0.16) };
    let below = if side { 4.0 } else { readout + 14.0 };
    let neurons = Axis::new(&picture.neuron_counts, (rect.bottom() - below - top).max(10.0));
    let gap = (rect.width() * 0.02).clamp(8.0, 18.0);
    let small = rect.width() < 500.0;
    let (lambda, bars) = (12.0, if small { 34.0 } else { (rect.width() * 0.09).min(110.0) });
    let room = rect.width() - names - lambda - bars - 6.0 - 5.0 * gap;
    // Input rows are d + 1 wide; the outputs get what is left.
    let input = if side { room / 4.0 } else { room * 0.125 }
        .min((d + 1) as f32 * if side { 22.0 } else { 15.0 });
    let mut x = rect.left() + names;
    let mut take = |width: f32, after: f32| {
        let span = (x, x + width);
        x += width + after;
        span
    };
    let plain = |count: usize, width: f32| Axis::new(&[count, 0], width);
    let area = |(left, _): (f32, f32), axis: &Axis| {
        Rect::from_min_size(pos2(left, top), vec2(axis.length, neurons.length))
    };
    let mut matrices = vec![];
    let mut add = |matrix: usize, span: (f32, f32), columns: Axis| {
        matrices.push(Placed {
            matrix,
            rect: area(span, &columns),
            rows: neurons.clone(),
            columns,
        });
    };
    add(0, take(input, gap), plain(d + 1, input));
    add(1, take(input, gap), plain(d + 1, input));
    let strip = |(left, right): (f32, f32)| {
        Rect::from_min_max(pos2(left, top), pos2(right, top + neurons.length))
    };
    let lambda = strip(take(lambda, 6.0));
    let bars = strip(take(bars, gap));
    if side {
        add(2, take(input, gap), plain(d + 1, input));
        add(3, take(input, 0.0), plain(outputs, input));
    } else {
        let width = ((rect.right() - bars.right() - 2.0 * gap) / 2.0 - 2.0).max(10.0);
        let gates = Axis::new(&picture.gate_counts, width);
        let first = take(gates.length, gap);
        add(2, first, gates.clone());
        add(3, take(gates.length, 0.0), gates.clone());
        let rows = plain(outputs, readout);
        let at = pos2(first.0, top + neurons.length + 12.0);
        matrices.push(Placed {
            matrix: 4,
            rect: Rect::from_min_size(at, vec2(gates.length, rows.length)),
            rows,
            columns: gates,
        });
    }
    Layout { matrices, neurons, lambda, bars }
}

/// A matrix, group by group, with a grid where cells are large enough.
fn paint(ui: &Ui, placed: &Placed, picture: &Picture) {
    let Some(matrix) = picture.matrices.get(placed.matrix) else { return };
    let palette = Palette::of(ui);
    let grid = Stroke::new(1.0, palette.background);
    for rows in &placed.rows.groups {
        for columns in &placed.columns.groups {
            let size = vec2(
                columns.range.len() as f32 * columns.cell,
                rows.range.len() as f32 * rows.cell,
            );
            let rect = Rect::from_min_size(placed.rect.min + vec2(columns.start, rows.start), size);
            matrix.heatmap.paint(ui, rect, rows.range.clone(), columns.range.clone());
            if columns.cell >= 5.0 && rows.cell >= 5.0 {
                (1..columns.range.len()).for_each(|i| {
                    ui.painter().vline(
                        (rect.left() + i as f32 * columns.cell).round() + 0.5,
                        rect.y_range(),
                        grid,
                    );
                });
                (1..rows.range.len()).for_each(|i| {
                    ui.painter().hline(
                        rect.x_range(),
                        (rect.top() + i as f32 * rows.cell).round() + 0.5,
                        grid,
                    );
                });
            }
            ui.painter().rect_stroke(
                rect,
                0.0,
                Stroke::new(1.0, palette.line),
                egui::StrokeKind::Outside,
            );
        }
    }
}

/// λ and importance of each neuron.
fn neurons(ui: &Ui, layout: &Layout, state: &State, importance: &Importance) {
    let palette = Palette::of(ui);
    for (row, &neuron) in state.picture.neurons.iter().enumerate() {
        let Some((start, cell)) = layout.neurons.place(row) else { continue };
        let color = palette.role(importance.roles[neuron]);
        let gap = if cell >= 5.0 { 1.0 } else { 0.0 };
        let band = |area: Rect, width: f32| {
            Rect::from_min_size(area.min + vec2(0.0, start), vec2(width, cell - gap))
        };
        // λ as a fill from the left: full is 1, empty is 0.
        let lambda = if importance.lambda[neuron].is_finite() {
            importance.lambda[neuron] as f32
        } else {
            0.0
        };
        ui.painter().rect_filled(
            band(layout.lambda, layout.lambda.width()),
            0.0,
            color.gamma_multiply(0.22),
        );
        ui.painter().rect_filled(band(layout.lambda, layout.lambda.width() * lambda), 0.0, color);
        let length = importance.hidden[neuron].clamp(0.0, 1.0).sqrt() as f32 * layout.bars.width();
        if length.is_finite() {
            ui.painter().rect_filled(band(layout.bars, length.max(1.0)), 0.0, color);
        }
    }
}

/// The groups' names, left of their rows.
fn names(ui: &Ui, rect: Rect, layout: &Layout, state: &State, importance: &Importance) {
    let palette = Palette::of(ui);
    let top = layout.lambda.top();
    if !state.sorted {
        let last = state.picture.neurons.len().saturating_sub(1);
        for row in [0, last] {
            if let Some((start, cell)) = layout.neurons.place(row) {
                let at = pos2(rect.left() + NAMES - 8.0, top + start + cell / 2.0);
                ui.painter().text(
                    at,
                    Align2::RIGHT_CENTER,
                    format!("neuron {row}"),
                    plain(10.5),
                    palette.mute,
                );
            }
        }
        return;
    }
    let role = |group: &axis::Group| importance.roles[state.picture.neurons[group.range.start]];
    group_names(
        ui,
        rect,
        layout,
        layout.neurons.groups.iter().map(role).map(|role| (role_name(role), role)),
    );
}

fn group_names(
    ui: &Ui,
    rect: Rect,
    layout: &Layout,
    names: impl Iterator<Item = (&'static str, Role)>,
) {
    let palette = Palette::of(ui);
    let mut free = f32::NEG_INFINITY;
    for (group, (name, role)) in layout.neurons.groups.iter().zip(names) {
        let height = group.range.len() as f32 * group.cell;
        let middle = (layout.lambda.top() + group.start + height / 2.0).max(free + 7.0);
        free = middle + 7.0;
        let at = pos2(rect.left(), middle);
        let color = if role == Role::Unused { palette.mute } else { palette.role(role) };
        if height > 26.0 {
            ui.painter().text(at - vec2(0.0, 1.0), Align2::LEFT_BOTTOM, name, strong(11.0), color);
            ui.painter().text(
                at + vec2(0.0, 1.0),
                Align2::LEFT_TOP,
                group.range.len().to_string(),
                plain(11.0),
                palette.mute,
            );
        } else {
            ui.painter().text(
                at,
                Align2::LEFT_CENTER,
                format!("{} {name}", group.range.len()),
                strong(10.5),
                color,
            );
        }
    }
}

/// What stands above each column.
fn headers(
    ui: &Ui,
    rect: Rect,
    layout: &Layout,
    state: &State,
    (network, task): (&Network, Option<Task>),
) {
    let palette = Palette::of(ui);
    let side = matches!(network.gating, Gating::Side(_));
    let head = |x: f32, text: &str| {
        ui.painter().text(
            pos2(x, rect.top() + HEAD - 4.0),
            Align2::LEFT_BOTTOM,
            text,
            plain(11.0),
            palette.mute,
        );
    };
    let long = rect.width() > 560.0
        && layout.matrices.get(2).is_some_and(|placed| side || placed.rect.width() > 115.0);
    let titles = match (side, long) {
        (true, true) => ["Wₘ in", "Wₓ in", "W side", "readout D, transposed"],
        (true, false) => ["Wₘ in", "Wₓ in", "W side", "D ᵀ"],
        (false, true) => ["Wₘ in", "Wₓ in", "Wₘ out, transposed", "Wₓ out, transposed"],
        (false, false) => ["Wₘ in", "Wₓ in", "Wₘ out ᵀ", "Wₓ out ᵀ"],
    };
    for (placed, title) in layout.matrices.iter().zip(titles) {
        head(placed.rect.left(), title);
    }
    // Where a token has two parts, a short line shows where the second begins.
    if let Some((first, _)) = task.and_then(tokens::parts) {
        for placed in
            layout.matrices.iter().filter(|placed| placed.matrix < if side { 3 } else { 2 })
        {
            if let Some((start, _)) = placed.columns.place(first) {
                let x = placed.rect.left() + start;
                ui.painter().vline(
                    x,
                    (placed.rect.top() - 4.0)..=placed.rect.bottom(),
                    Stroke::new(1.0, palette.mute.gamma_multiply(0.7)),
                );
            }
        }
    }
    head(layout.lambda.left(), "λ");
    head(layout.bars.left(), if layout.bars.width() > 60.0 { "importance" } else { "imp." });
    if let Some(readout) = layout.matrices.get(4) {
        let at = pos2(readout.rect.left() - 8.0, readout.rect.center().y);
        ui.painter().text(
            at,
            Align2::RIGHT_CENTER,
            if long { "readout D" } else { "D" },
            plain(11.0),
            palette.mute,
        );
        let right = readout.rect.right_center() + vec2(GAP + 6.0, 0.0);
        let text = match state.picture.gate_counts[..] {
            [used, unused] if unused > 0 => format!("{used} gates in use, {unused} unused"),
            _ => "one column per gate".into(),
        };
        if rect.width() > 560.0 {
            ui.painter().text(right, Align2::LEFT_CENTER, text, plain(10.5), palette.mute);
        }
    }
}
