//! All runs as a table: any column sorts it, only the rows in sight are drawn.

use super::order::{Column, Order};
use super::state::{Derived, State};
use super::{order, plot};
use crate::sweep::queue::Queue;
use crate::sweep::results::{results_csv, results_json};
use crate::ui::Action;
use crate::ui::kit::card;
use crate::ui::kit::theme::{Palette, plain, strong};
use eframe::egui;
use egui::{
    Align2, Button, EventFilter, Key, Modifiers, Rect, RichText, Role, ScrollArea, Sense, Stroke,
    Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

/// Height of a row.
const ROW: f32 = 22.0;

/// A column's place: what it is, its title, its width, whether its text stands at the right.
struct Place {
    column: Column,
    title: String,
    help: &'static str,
    left: f32,
    width: f32,
    right: bool,
}

/// Where each column stands, in a row that is at least `room` wide.
fn places(queue: &Queue, room: f32) -> Vec<Place> {
    let mut columns = vec![(
        Column::Name,
        "run".to_owned(),
        "How it differs; sorts as the runs are trained",
        60.0f32,
        false,
    )];
    let longest =
        |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0) as f32 * 6.1 + 18.0;
    columns[0].3 = (1.12
        * longest(&mut queue.runs().iter().take(400).map(|run| run.name.chars().count())))
    .clamp(60.0, 280.0);
    // In a comparison the name says it all.
    for (i, axis) in queue.sweep.axes.iter().enumerate().filter(|_| queue.sweep.variants.is_empty())
    {
        let title = axis.keys.iter().map(|key| plot::short(key)).collect::<Vec<_>>().join(" = ");
        let width =
            longest(&mut axis.values.iter().map(String::len).chain([title.chars().count() + 2]))
                .clamp(44.0, 150.0);
        columns.push((Column::Axis(i), title, "Its value on this axis", width, true));
    }
    columns.extend([
        (
            Column::State,
            "state".into(),
            "waiting, training, finished, diverged or failed",
            70.0,
            false,
        ),
        (Column::Steps, "steps".into(), "Steps done", 62.0, true),
        (
            Column::Loss,
            "loss".into(),
            "Mean over the last 64th of the steps; of a run in training the newest mean",
            62.0,
            true,
        ),
        (Column::Nmse, "nMSE".into(), "Loss over the mean square of the targets", 62.0, true),
        (
            Column::Neurons,
            "neurons".into(),
            "Neurons in use at the end: at least 1 % of the largest importance",
            70.0,
            true,
        ),
        (Column::Device, "device".into(), "What it ran on", 110.0, false),
    ]);
    let all: f32 = columns.iter().map(|column| column.3).sum();
    let more = ((room - all) / columns.len() as f32).max(0.0);
    let mut left = 0.0;
    let place = |(column, title, help, width, right)| {
        let place = Place { column, title, help, left, width: width + more, right };
        left += place.width;
        place
    };
    columns.into_iter().map(place).collect()
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    shown: &Derived,
    queue: &Queue,
    actions: &mut Vec<Action>,
) {
    let inner = card::show(ui, rect, "Runs", "click a heading to sort", |ui| {
        for (name, file, help, write) in [
            (
                "JSON",
                "sweep-results.json",
                "Save all runs with their curves as a JSON file",
                results_json as fn(&Queue) -> String,
            ),
            ("CSV", "sweep-results.csv", "Save all runs as a table for a spreadsheet", results_csv),
        ] {
            let button = ui
                .add(Button::new(RichText::new(name).size(10.5)).frame_when_inactive(false))
                .on_hover_text(help);
            button.widget_info(|| {
                WidgetInfo::labeled(Role::Button, true, format!("Save as {name}: Runs"))
            });
            if button.clicked() {
                actions.push(Action::Export(file.into(), write(queue).into_bytes()));
            }
        }
    });
    let mut ui = ui.new_child(UiBuilder::new().id_salt("sweep table").max_rect(inner));
    let ui = &mut ui;
    ui.set_clip_rect(inner.expand2(vec2(4.0, 0.0)).intersect(ui.clip_rect()));
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let places = places(queue, inner.width() - 10.0);
    let width = places.last().map_or(0.0, |place| place.left + place.width);
    ScrollArea::horizontal().id_salt("columns").auto_shrink(false).show(ui, |ui| {
        ui.set_min_width(width);
        headings(ui, &places, &mut state.order, width);
        let scene = ui.available_height();
        let mut area = ScrollArea::vertical().id_salt("rows").auto_shrink(false);
        // A run that was chosen elsewhere is brought in sight.
        if let Some(run) = state.reveal.take()
            && let Some(place) = shown.rows.iter().position(|row| *row == run)
        {
            let top = ROW * place as f32;
            if top < state.table_top || top + ROW > state.table_top + scene {
                area = area.vertical_scroll_offset((top - scene / 2.0).max(0.0));
            }
        }
        let scrolled = area.show_rows(ui, ROW, shown.rows.len(), |ui, range| {
            for place in range {
                row(ui, place, &places, width, state, shown, queue);
            }
        });
        state.table_top = scrolled.state.clamped_offset().y;
    });
}

fn headings(ui: &mut Ui, places: &[Place], order: &mut Order, width: f32) {
    let palette = Palette::of(ui);
    let (row, _) = ui.allocate_exact_size(vec2(width, ROW), Sense::hover());
    for place in places {
        let rect =
            Rect::from_min_size(pos2(row.left() + place.left, row.top()), vec2(place.width, ROW));
        let chosen = order.column == place.column;
        let response =
            ui.interact(rect, ui.scope_id().with(("heading", place.left as i32)), Sense::click());
        let way = match (chosen, order.falling) {
            (false, _) => "",
            (true, false) => ", rising",
            (true, true) => ", falling",
        };
        response.widget_info(|| {
            WidgetInfo::labeled(Role::ColumnHeader, true, format!("Sort by {}{way}", place.title))
        });
        let arrow = match (chosen, order.falling) {
            (false, _) => "",
            (true, false) => " ↑",
            (true, true) => " ↓",
        };
        let (font, color) =
            if chosen { (strong(11.5), palette.accent) } else { (plain(11.5), palette.mute) };
        write(
            ui,
            rect,
            place.right,
            &format!("{}{arrow}", place.title),
            font,
            if response.hovered() { palette.ink } else { color },
        );
        if response.has_focus() {
            ui.painter().rect_stroke(
                rect.shrink(1.0),
                3.0,
                Stroke::new(1.0, palette.accent),
                egui::StrokeKind::Inside,
            );
        }
        if response.on_hover_text(place.help).clicked() {
            *order = Order { column: place.column, falling: chosen && !order.falling };
        }
    }
    ui.painter().hline(row.x_range(), row.bottom() - 0.5, Stroke::new(1.0, palette.line));
}

/// Text in a cell, as far as it fits.
fn write(ui: &Ui, cell: Rect, right: bool, text: &str, font: egui::FontId, color: egui::Color32) {
    let painter =
        ui.painter().with_clip_rect(cell.shrink2(vec2(2.0, 0.0)).intersect(ui.clip_rect()));
    let (at, anchor) = if right {
        (cell.right_center() - vec2(10.0, 0.0), Align2::RIGHT_CENTER)
    } else {
        (cell.left_center() + vec2(6.0, 0.0), Align2::LEFT_CENTER)
    };
    painter.text(at, anchor, text, font, color);
}

fn row(
    ui: &mut Ui,
    place: usize,
    places: &[Place],
    width: f32,
    state: &mut State,
    shown: &Derived,
    queue: &Queue,
) {
    let palette = Palette::of(ui);
    let run = shown.rows[place];
    let (rect, _) = ui.allocate_exact_size(vec2(width, ROW), Sense::hover());
    let response = ui.interact(rect, ui.scope_id().with(("row", run)), Sense::click());
    let chosen = state.selected == Some(run);
    response.widget_info(|| {
        WidgetInfo::selected(
            Role::Row,
            true,
            chosen,
            super::card::sentence(queue, run, shown.picture.measure),
        )
    });
    if chosen || response.hovered() {
        ui.painter().rect_filled(
            rect,
            3.0,
            palette.accent.gamma_multiply(if chosen { 0.16 } else { 0.06 }),
        );
    }
    for place in places {
        let cell =
            Rect::from_min_size(pos2(rect.left() + place.left, rect.top()), vec2(place.width, ROW));
        let color = match (place.column, order::word(queue, run)) {
            (Column::State, "diverged" | "failed") => palette.error,
            (Column::State, "training") => palette.accent,
            (_, "waiting") | (Column::Device, _) => palette.mute,
            _ => palette.ink,
        };
        write(ui, cell, place.right, &order::text(queue, run, place.column), plain(12.0), color);
    }
    if state.focus == Some(run) {
        response.request_focus();
        state.focus = None;
    }
    if response.clicked() {
        response.request_focus();
    }
    if response.gained_focus() && !chosen {
        state.selected = Some(run);
    }
    if response.has_focus() {
        let filter = EventFilter { vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        ui.painter().rect_stroke(
            rect,
            3.0,
            Stroke::new(1.0, palette.accent),
            egui::StrokeKind::Inside,
        );
        for (key, next) in
            [(Key::ArrowDown, place.checked_add(1)), (Key::ArrowUp, place.checked_sub(1))]
        {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key))
                && let Some(next) = next.and_then(|next| shown.rows.get(next).copied())
            {
                state.select(Some(next));
                state.focus = Some(next);
            }
        }
    }
}
