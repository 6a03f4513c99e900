//! The search for each layer's learning rate: what came of each one that was tried, the best one
//! marked.

use crate::sweep::contest::{Contender, Rate};
use crate::sweep::queue::Queue;
use crate::ui::kit::chart::{marks, scale};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format};
use crate::ui::panel::sweep::state::{Derived, State};
use eframe::egui;
use egui::{
    Align2, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2,
    vec2,
};

/// Height of a row.
const ROW: f32 = 24.0;
/// Width of the number of parameters.
const PARAMETERS: f32 = 74.0;
/// Least width of a rate's cell.
const CELL: f32 = 58.0;
/// Runs that are named when a rate is pointed at, at most.
const NAMED: usize = 12;

/// Height of the whole card.
pub fn height(ui: &Ui, shown: &Derived) -> f32 {
    card::height(ui, ROW * (shown.contenders.len() as f32 + 1.0))
}

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, shown: &Derived, queue: &Queue) {
    let inner = card::show(
        ui,
        rect,
        "Learning rates",
        &format!("median {} of the seeds, the best marked", shown.picture.measure.name()),
        |_| (),
    );
    let mut rates: Vec<f64> = shown
        .contenders
        .iter()
        .flat_map(|contender| &contender.rates)
        .map(|rate| rate.rate)
        .collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let cell = ((inner.width() - 110.0 - PARAMETERS) / rates.len().max(1) as f32).clamp(CELL, 64.0);
    let numbers = PARAMETERS + cell * rates.len() as f32;
    let name = (inner.width() - numbers - 8.0).max(96.0);
    let mut ui = ui.new_child(UiBuilder::new().id_salt("rates").max_rect(inner));
    ui.set_clip_rect(inner.intersect(ui.clip_rect()));
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::both().auto_shrink(false).show_rows(
        &mut ui,
        ROW,
        shown.contenders.len() + 1,
        |ui, rows| {
            let columns = Columns { name, cell, rates: &rates };
            for i in rows {
                let (rect, _) = ui.allocate_exact_size(vec2(name + numbers, ROW), Sense::hover());
                match i.checked_sub(1) {
                    None => headings(ui, rect, &columns),
                    Some(i) => line(ui, rect, &columns, &shown.contenders[i], state, queue),
                }
            }
        },
    );
}

struct Columns<'a> {
    name: f32,
    cell: f32,
    rates: &'a [f64],
}

impl Columns<'_> {
    fn of(&self, row: Rect, rate: usize) -> Rect {
        Rect::from_min_size(
            pos2(row.left() + self.name + PARAMETERS + rate as f32 * self.cell, row.top()),
            vec2(self.cell, row.height()),
        )
    }
}

fn headings(ui: &Ui, row: Rect, columns: &Columns<'_>) {
    let palette = Palette::of(ui);
    let write = |at: egui::Pos2, anchor: Align2, text: &str| {
        ui.painter().text(at, anchor, text, plain(11.5), palette.mute)
    };
    write(row.left_center(), Align2::LEFT_CENTER, "layer");
    write(
        pos2(row.left() + columns.name + PARAMETERS - 8.0, row.center().y),
        Align2::RIGHT_CENTER,
        "parameters",
    );
    for (i, rate) in columns.rates.iter().enumerate() {
        write(
            columns.of(row, i).right_center() - vec2(8.0, 0.0),
            Align2::RIGHT_CENTER,
            &scale::plain(*rate),
        );
    }
    ui.painter().hline(row.x_range(), row.bottom() - 0.5, Stroke::new(1.0, palette.line));
}

fn line(
    ui: &mut Ui,
    row: Rect,
    columns: &Columns<'_>,
    contender: &Contender,
    state: &mut State,
    queue: &Queue,
) {
    let palette = Palette::of(ui);
    ui.painter().add(marks::filled(
        contender.variant,
        row.left_center() + vec2(5.0, 0.0),
        3.6,
        palette.series(contender.variant),
    ));
    let place = Rect::from_min_max(
        row.min + vec2(14.0, 0.0),
        pos2(row.left() + columns.name, row.bottom()),
    );
    let painter = ui.painter().with_clip_rect(place.intersect(ui.clip_rect()));
    painter.text(
        place.left_center(),
        Align2::LEFT_CENTER,
        &contender.name,
        plain(12.0),
        palette.ink,
    );
    let at = pos2(row.left() + columns.name + PARAMETERS - 8.0, row.center().y);
    ui.painter().text(
        at,
        Align2::RIGHT_CENTER,
        format::thousands(contender.parameters as u64),
        plain(12.0),
        palette.mute,
    );
    let best = contender.ahead().map(|best| best.rate);
    for rate in &contender.rates {
        let Some(i) = columns.rates.iter().position(|other| *other == rate.rate) else { continue };
        cell(ui, columns.of(row, i), contender, rate, best == Some(rate.rate), state, queue);
    }
}

fn cell(
    ui: &mut Ui,
    rect: Rect,
    contender: &Contender,
    rate: &Rate,
    best: bool,
    state: &mut State,
    queue: &Queue,
) {
    let palette = Palette::of(ui);
    let text = match rate.median {
        None => "–".into(),
        Some(value) if value.is_infinite() => "diverged".into(),
        Some(value) => format::scientific(value),
    };
    let shown =
        if rate.is_over || rate.median.is_none() { text.clone() } else { format!("{text}…") };
    let state_word = if rate.is_over { "" } else { ", not over" };
    let said = format!(
        "{} at {}: {text}{}{state_word}",
        contender.name,
        scale::plain(rate.rate),
        if best { ", the best" } else { "" }
    );
    let response = ui.interact(
        rect.shrink(1.0),
        ui.scope_id().with(("rate", &contender.name, rate.rate.to_bits())),
        Sense::click(),
    );
    let chosen = state.selected.is_some_and(|run| rate.runs.contains(&run));
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, &said));
    if best || response.hovered() {
        ui.painter().rect_filled(
            rect.shrink(1.0),
            3.0,
            palette.accent.gamma_multiply(if best { 0.16 } else { 0.06 }),
        );
    }
    if chosen || response.has_focus() {
        ui.painter().rect_stroke(
            rect.shrink(1.0),
            3.0,
            Stroke::new(1.0, palette.accent),
            StrokeKind::Inside,
        );
    }
    let color = match rate.median {
        Some(value) if value.is_infinite() => palette.error,
        Some(_) if rate.is_over => palette.ink,
        _ => palette.mute,
    };
    ui.painter().text(
        rect.right_center() - vec2(8.0, 0.0),
        Align2::RIGHT_CENTER,
        shown,
        if best { strong(12.0) } else { plain(12.0) },
        color,
    );
    if response.clicked() {
        // The seeds in turn, then none.
        let next =
            match state.selected.and_then(|run| rate.runs.iter().position(|other| *other == run)) {
                None => rate.runs.first(),
                Some(place) => rate.runs.get(place + 1),
            };
        state.select(next.copied());
    }
    response.on_hover_ui(|ui| {
        ui.label(said);
        rate.runs.iter().take(NAMED).for_each(|&run| drop(ui.label(&queue.runs()[run].name)));
        if rate.runs.len() > NAMED {
            ui.label(format!("and {} more", rate.runs.len() - NAMED));
        }
    });
}
