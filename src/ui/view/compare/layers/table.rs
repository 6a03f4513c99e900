//! The paper's Table 3: what linear attention needs of a layer, and which layer has it.

use super::ability;
use super::state::State;
use crate::theory::layers::primitives::{Ability, Primitives, Shown, TABLE};
use crate::ui::Action;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, formula};
use eframe::egui;
use egui::{
    Align2, EventFilter, Key, Label, Link, Modifiers, Rect, RichText, Role, Sense, Stroke,
    StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

/// Where columns begin, as parts of the width, and what stands over them; the last one is the
/// links'.
const WIDE: [(f32, &str); 6] = [
    (0.0, "layer"),
    (0.22, "product of two readings"),
    (0.41, "memory without loss"),
    (0.58, "product with the query"),
    (0.77, "layers needed"),
    (0.89, ""),
];
const NARROW: [(f32, &str); 5] =
    [(0.0, "layer"), (0.33, "product"), (0.53, "memory"), (0.72, "query"), (0.91, "layers")];

/// The three things that are needed, in the columns' order.
fn abilities(entry: &Primitives) -> [Ability; 3] {
    [entry.product, entry.memory, entry.query]
}

fn layers(entry: &Primitives) -> String {
    entry.layers.map_or_else(|| "—".into(), |layers| layers.to_string())
}

/// A row in words.
fn said(entry: &Primitives) -> String {
    let [product, memory, query] = abilities(entry).map(Ability::word);
    format!(
        "{}: product of two readings {product}, memory without loss {memory}, product with the query {query}, layers needed {}",
        entry.layer,
        layers(entry)
    )
}

/// Draws the table and what is said of the chosen row.
pub fn show(ui: &mut Ui, state: &mut State, narrow: bool, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    heading(ui, "WHICH LAYER CAN HOLD LINEAR ATTENTION");
    let text = "It takes a product of two readings of a token (value times key), a memory that loses nothing, and a product of that memory with another reading (the query).";
    ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap());
    let columns: &[(f32, &str)] = if narrow { &NARROW } else { &WIDE };
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        headings(ui, columns, narrow);
        for i in 0..TABLE.len() {
            row(ui, i, columns, state, narrow, actions);
        }
    });
    let entry = state.entry();
    ui.add_space(2.0);
    ui.add(Label::new(RichText::new(entry.layer).font(strong(14.0))).wrap());
    ui.add(
        Label::new(formula::job(&entry.sentence.replace("_hn", "_h_n"), 12.5, palette.ink)).wrap(),
    );
    match entry.shown {
        Shown::Said => {
            ui.add(
                Label::new(
                    RichText::new("No construction is shown for it: the sentence is the argument.")
                        .color(palette.mute),
                )
                .wrap(),
            );
        }
        _ if narrow => link(ui, state, state.row, None, actions),
        _ => {}
    }
}

fn headings(ui: &mut Ui, columns: &[(f32, &str)], narrow: bool) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    for &(part, name) in columns {
        let left = rect.left() + 8.0 + part * (rect.width() - 8.0);
        let size = if narrow { 10.5 } else { 11.5 };
        ui.painter().text(
            pos2(left, rect.center().y),
            Align2::LEFT_CENTER,
            name,
            plain(size),
            Palette::of(ui).mute,
        );
    }
    card::rule(ui, rect.left_bottom(), rect.right_bottom());
}

fn row(
    ui: &mut Ui,
    i: usize,
    columns: &[(f32, &str)],
    state: &mut State,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let (entry, chosen) = (&TABLE[i], state.row == i);
    let height = if narrow { 50.0 } else { 26.0 };
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, said(entry)));
    if chosen || response.hovered() {
        ui.painter().rect_filled(
            rect,
            4.0,
            palette.accent.gamma_multiply(if chosen { 0.14 } else { 0.06 }),
        );
    }
    let left = |column: usize| rect.left() + 8.0 + columns[column].0 * (rect.width() - 8.0);
    let (font, color) =
        if chosen { (strong(12.5), palette.accent) } else { (plain(12.5), palette.ink) };
    if narrow {
        // A long name stands in two lines.
        let name = entry.layer.replacen(", ", "\n", 1);
        let galley = ui.painter().layout(name, font, color, left(1) - left(0) - 4.0);
        ui.painter().galley(pos2(left(0), rect.center().y - galley.size().y / 2.0), galley, color);
    } else {
        ui.painter().text(
            pos2(left(0), rect.center().y),
            Align2::LEFT_CENTER,
            entry.layer,
            font,
            color,
        );
    }
    for (column, what) in abilities(entry).into_iter().enumerate() {
        let x = left(column + 1);
        if narrow {
            ability::draw(ui.painter(), pos2(x + 6.0, rect.top() + 13.0), what, palette);
            let word = what.word().trim_start_matches("with ");
            let galley = ui.painter().layout(word.into(), plain(10.5), palette.ink, 56.0);
            ui.painter().galley(pos2(x, rect.top() + 21.0), galley, palette.ink);
        } else {
            ability::draw(ui.painter(), pos2(x + 6.0, rect.center().y), what, palette);
            ui.painter().text(
                pos2(x + 17.0, rect.center().y),
                Align2::LEFT_CENTER,
                what.word(),
                plain(12.5),
                palette.ink,
            );
        }
    }
    ui.painter().text(
        pos2(left(4), rect.center().y),
        Align2::LEFT_CENTER,
        layers(entry),
        plain(12.5),
        palette.ink,
    );
    card::rule(ui, rect.left_bottom(), rect.right_bottom());
    if !narrow && entry.shown != Shown::Said {
        let place = Rect::from_min_max(pos2(left(5), rect.top()), rect.max - vec2(6.0, 0.0));
        link(ui, state, i, Some(place), actions);
    }
    if state.focus == Some(i) {
        response.request_focus();
        state.focus = None;
    }
    if response.clicked() {
        response.request_focus();
        state.choose_row(i);
    }
    if response.has_focus() {
        if response.gained_focus() {
            state.choose_row(i);
        }
        ui.memory_mut(|memory| {
            memory.set_focus_lock_filter(
                response.id,
                EventFilter { vertical_arrows: true, ..EventFilter::default() },
            )
        });
        ui.painter().rect_stroke(rect, 4.0, Stroke::new(1.0, palette.accent), StrokeKind::Inside);
        for (key, next) in [(Key::ArrowDown, Some(i + 1)), (Key::ArrowUp, i.checked_sub(1))] {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key))
                && let Some(next) = next.filter(|next| *next < TABLE.len())
            {
                state.choose_row(next);
                state.focus = Some(next);
            }
        }
    }
}

/// Where the row's construction is shown.
fn link(ui: &mut Ui, state: &mut State, i: usize, place: Option<Rect>, actions: &mut Vec<Action>) {
    let entry = &TABLE[i];
    let (text, help) = match entry.shown {
        Shown::Gated(_) => ("Show it →", "Opens Construct with this construction."),
        _ => ("Show it ↓", "The construction below."),
    };
    let link = Link::new(RichText::new(text).size(12.5).color(Palette::of(ui).accent));
    let response = match place {
        Some(place) => ui.put(place, link),
        None => ui.add(link),
    };
    response
        .widget_info(|| WidgetInfo::labeled(Role::Link, true, format!("Show it: {}", entry.layer)));
    if response.on_hover_text(help).clicked() {
        state.choose_row(i);
        match entry.shown {
            Shown::Gated(variant) => actions.push(Action::Construct(variant)),
            _ => state.reveal = true,
        }
    }
}
