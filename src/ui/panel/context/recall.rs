//! One sequence of the recall: pairs of a key and a value, the key that asks, softmax over the
//! values, and which gate favours which value (Figure 7). All that belongs to a value stands in its
//! row.

use super::cells::{Cells, grid, largest, narrow};
use crate::analysis::finding::Finding;
use crate::analysis::recall::Episode;
use crate::recipe::Gating;
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::heatmap::Heatmap;
use crate::ui::kit::readout::{Readout, cell_at, cell_rect};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Color32, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    key: Option<(u32, u64, bool)>,
    tokens: Heatmap,
    shares: Cells,
    /// Rows are values; columns are the softmax, then the gates.
    readout: Readout,
}

/// From this width on the gates stand right of the answers.
const WIDE: f32 = 560.0;
/// Room for the rows' names.
const NAMES: f32 = 50.0;
/// Room above for the columns' names.
const HEAD: f32 = 18.0;
/// Between keys and values.
const GAP: f32 = 8.0;

/// Height that the card would like in a narrow window.
pub fn height(live: &Live) -> f32 {
    (110.0 + 36.0 * live.recipe.pairs as f32).clamp(260.0, 620.0)
}

/// Where things stand; a row is a key or a value.
struct Places {
    /// Keys of the pairs and of the query.
    keys: [Rect; 2],
    /// Values of the pairs and of the query.
    values: [Rect; 2],
    /// Softmax.
    bars: Rect,
    /// Class × gate.
    shares: Rect,
    row: f32,
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    live: &Live,
    actions: &mut Vec<Action>,
    tools: &mut dyn FnMut(&mut Ui, &mut Vec<Action>),
) {
    let (size, mut saved) = (rect.size(), false);
    let rect = card::show(
        ui,
        rect,
        "One sequence",
        "pairs of a key and a value, then a key that asks for its value",
        |ui| {
            tools(ui, actions);
            saved = export::button(ui, "One sequence");
        },
    );
    if saved {
        actions.push(export::svg(ui, "context-recall.svg", size, &mut |ui, rect| {
            show(ui, rect, &mut State::default(), live, &mut vec![], &mut |_, _| ())
        }));
    }
    let Some(Finding::Recall { episode, .. }) = live.found() else {
        return card::waiting(ui, rect, live);
    };
    let (pairs, classes) = (episode.pairs.len(), episode.logits.len());
    if rect.width() < 160.0 || rect.height() < 90.0 || pairs * classes == 0 {
        return;
    }
    state.update(ui, live, episode);
    let places = places(rect, pairs, classes);
    let ui = &mut card::inside(ui, "recall", rect);
    let cell = vec2(places.keys[0].width() / pairs as f32, places.row);
    for (blocks, rows) in [(places.keys, 0..classes), (places.values, classes..2 * classes)] {
        for (block, columns) in blocks.into_iter().zip([0..pairs, pairs..pairs + 1]) {
            state.tokens.paint(ui, block, rows.clone(), columns);
            grid(ui, block, cell);
            ui.painter().rect_stroke(
                block,
                0.0,
                Stroke::new(1.0, Palette::of(ui).line),
                StrokeKind::Outside,
            );
        }
    }
    let softmax = softmax(&episode.logits);
    names(ui, &places, episode, pairs, classes);
    bars(ui, &places, episode, &softmax);
    gates(ui, &places, state, live, episode);
    answer(ui, rect, &places, episode, &softmax);
    explain(ui, rect, &places, state, live, episode, &softmax);
}

impl State {
    fn update(&mut self, ui: &Ui, live: &Live, episode: &Episode) {
        let classes = episode.logits.len();
        let gates = episode.shares.first().map_or(0, Vec::len);
        self.shares.update(ui, live, gates, || {
            let favours = favours(&episode.shares);
            let scale = 0.6 * largest(&favours); // few are as large as the largest
            (favours, scale)
        });
        let key =
            (live.run, live.finding.as_ref().map_or(0, |(step, _)| *step), ui.visuals().dark_mode);
        if self.key == Some(key) {
            return;
        }
        self.key = Some(key);
        let palette = Palette::of(ui);
        let columns = episode.pairs.len() + 1;
        let mut pixels = vec![palette.background; 2 * classes * columns];
        let mut set = |row: usize, column: usize, color: Color32| {
            if let Some(pixel) = pixels.get_mut(row * columns + column) {
                *pixel = color
            }
        };
        for (column, &[key, value]) in episode.pairs.iter().enumerate() {
            set(key, column, palette.key_value);
            set(classes + value, column, palette.key_value);
        }
        set(episode.query, columns - 1, palette.query);
        self.tokens.set(ui.ctx(), "recall", 2 * classes, columns, pixels);
    }
}

/// What each gate adds to each class's logit, less its mean over the classes, to which softmax is
/// blind.
fn favours(shares: &[Vec<f64>]) -> Vec<f64> {
    let gates = shares.first().map_or(0, Vec::len);
    let mean = |gate: usize| shares.iter().map(|row| row[gate]).sum::<f64>() / shares.len() as f64;
    let means: Vec<f64> = (0..gates).map(mean).collect();
    shares.iter().flat_map(|row| row.iter().zip(&means).map(|(share, mean)| share - mean)).collect()
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|v| (v - largest).exp()).sum();
    logits.iter().map(|v| (v - largest).exp() / sum).collect()
}

/// The class with the largest logit.
fn answered(logits: &[f64]) -> Option<usize> {
    (0..logits.len())
        .filter(|&k| !logits[k].is_nan())
        .max_by(|&a, &b| logits[a].total_cmp(&logits[b]))
}

fn places(rect: Rect, pairs: usize, classes: usize) -> Places {
    let wide = rect.width() >= WIDE;
    let rows = if wide { 2 } else { 3 } * classes;
    let other = HEAD + GAP + 16.0 + if wide { 0.0 } else { 42.0 };
    let row = ((rect.height() - other) / rows as f32).clamp(0.5, 22.0);
    let cell = ((if wide { rect.width() * 0.3 } else { rect.width() * 0.5 } - NAMES)
        / (pairs + 1) as f32)
        .min(row.max(9.0) * 1.4);
    let (left, top) = (rect.left() + NAMES, rect.top() + HEAD);
    let height = classes as f32 * row;
    let below = top + height + GAP;
    let block = |y: f32| {
        let stored = Rect::from_min_size(pos2(left, y), vec2(cell * pairs as f32, height));
        [stored, Rect::from_min_size(pos2(stored.right() + 6.0, y), vec2(cell.max(4.0), height))]
    };
    let (keys, values) = (block(top), block(below));
    let start = values[1].right() + 18.0;
    let width = if wide { (rect.width() * 0.2).min(180.0) } else { rect.right() - start };
    let bars = Rect::from_min_size(pos2(start, below), vec2(width, height));
    let shares = if wide {
        Rect::from_min_max(
            pos2(bars.right() + 26.0, below),
            pos2(rect.right() - 3.0, below + height),
        )
    } else {
        Rect::from_min_max(
            pos2(left, below + height + 38.0),
            pos2(rect.right() - 3.0, below + 2.0 * height + 38.0),
        )
    };
    Places { keys, values, bars, shares, row }
}

fn names(ui: &Ui, places: &Places, episode: &Episode, pairs: usize, classes: usize) {
    let palette = Palette::of(ui);
    let painter = ui.painter();
    for (rect, noun) in [(places.keys[0], "key"), (places.values[0], "value")] {
        for row in (0..classes).step_by(if places.row >= 11.0 { 1 } else { classes }) {
            let (text, middle) = if places.row >= 11.0 {
                (format!("{noun} {}", row + 1), 0.5)
            } else {
                (format!("{noun}s"), classes as f32 / 2.0)
            };
            let marked = if noun == "key" { row == episode.query } else { row == episode.target };
            let color = if !marked || places.row < 11.0 {
                palette.mute
            } else if noun == "key" {
                palette.query
            } else {
                palette.teacher
            };
            painter.text(
                pos2(rect.left() - 6.0, rect.top() + (row as f32 + middle) * places.row),
                Align2::RIGHT_CENTER,
                text,
                if marked { strong(10.5) } else { plain(10.5) },
                color,
            );
        }
    }
    let head = places.keys[0].top() - 4.0;
    let text = if places.keys[0].width() > 90.0 { "stored, one after another" } else { "stored" };
    let fits = painter.layout_no_wrap(text.into(), plain(10.5), palette.key_value).size().x
        <= places.keys[0].width() - 4.0;
    painter.text(
        pos2(places.keys[0].left(), head),
        Align2::LEFT_BOTTOM,
        if fits { text } else { "stored" },
        plain(10.5),
        palette.key_value,
    );
    painter.text(
        pos2(places.keys[1].left() - 2.0, head),
        Align2::LEFT_BOTTOM,
        "query",
        strong(10.5),
        palette.query,
    );
    painter.rect_stroke(
        places.keys[1].union(places.values[1]).expand(1.5),
        2.0,
        Stroke::new(1.5, palette.query),
        StrokeKind::Outside,
    );
    // The pair that holds the answer, and the answer's place.
    if let Some(column) = episode.pairs.iter().position(|[key, _]| *key == episode.query) {
        let cell = places.keys[0].width() / pairs as f32;
        let strip = Rect::from_x_y_ranges(
            (places.keys[0].left() + column as f32 * cell)
                ..=(places.keys[0].left() + (column + 1) as f32 * cell),
            places.keys[0].top()..=places.values[0].bottom(),
        );
        painter.rect_stroke(strip, 2.0, Stroke::new(1.5, palette.teacher), StrokeKind::Outside);
    }
    let asked = Rect::from_min_size(
        places.values[1].min + vec2(0.0, episode.target as f32 * places.row),
        vec2(places.values[1].width(), places.row),
    );
    if places.row >= 12.0 {
        painter.text(asked.center(), Align2::CENTER_CENTER, "?", strong(12.0), palette.query);
    }
}

/// Softmax of each value.
fn bars(ui: &Ui, places: &Places, episode: &Episode, softmax: &[f64]) {
    let palette = Palette::of(ui);
    let area = places.bars;
    ui.painter().text(
        area.left_top() - vec2(0.0, 3.0),
        Align2::LEFT_BOTTOM,
        "softmax of the answer",
        plain(10.5),
        palette.mute,
    );
    let room = (area.width() - 34.0).max(4.0);
    ui.painter().vline(area.left(), area.y_range(), Stroke::new(1.0, palette.line));
    for (k, &part) in softmax.iter().enumerate() {
        let y = area.top() + k as f32 * places.row;
        let right = k == episode.target;
        if right {
            let band = Rect::from_min_size(pos2(area.left(), y), vec2(area.width(), places.row));
            ui.painter().rect_filled(band, 0.0, palette.teacher.gamma_multiply(0.18));
        }
        let length = if part.is_finite() { narrow(part) * room } else { 0.0 };
        let gap = (places.row * 0.15).min(3.0);
        let bar = Rect::from_min_size(
            pos2(area.left(), y + gap),
            vec2(length.max(1.0), places.row - 2.0 * gap),
        );
        ui.painter().rect_filled(bar, 1.0, palette.ink);
        if places.row >= 11.0 && (part >= 0.005 || right) {
            let (font, color) =
                if right { (strong(10.5), palette.teacher) } else { (plain(10.5), palette.mute) };
            ui.painter().text(
                pos2(bar.right() + 4.0, y + places.row / 2.0),
                Align2::LEFT_CENTER,
                format::fixed(part, 2),
                font,
                color,
            );
        }
    }
}

/// What each gate adds to each value's logit.
fn gates(ui: &Ui, places: &Places, state: &State, live: &Live, episode: &Episode) {
    let palette = Palette::of(ui);
    let area = places.shares;
    let gates = episode.shares.first().map_or(0, Vec::len);
    if gates == 0 || area.width() < 20.0 {
        return;
    }
    state.shares.paint(ui, area, 0..episode.logits.len(), 0..gates, false);
    let noun = noun(live);
    let long = format!(
        "which value each {noun} favours, full colour ±{}",
        format::signed(state.shares.scale)
    );
    let short = format!("which value each {noun} favours");
    let fits = ui.painter().layout_no_wrap(long.clone(), plain(10.5), palette.mute).size().x
        <= area.width();
    ui.painter().text(
        area.left_top() - vec2(0.0, 3.0),
        Align2::LEFT_BOTTOM,
        if fits { long } else { short },
        plain(10.5),
        palette.mute,
    );
    // The row of the right value stands out, also where the rows have no names of their own.
    let row = Rect::from_min_size(
        area.min + vec2(0.0, episode.target as f32 * places.row),
        vec2(area.width(), places.row),
    );
    ui.painter().rect_stroke(row, 0.0, Stroke::new(1.5, palette.teacher), StrokeKind::Outside);
    if let Some(gate) = episode.answering {
        let cell = area.width() / gates as f32;
        let x = area.left() + gate as f32 * cell;
        let column = Rect::from_x_y_ranges(x..=(x + cell), area.y_range());
        ui.painter().rect_stroke(
            column.expand(1.0),
            2.0,
            Stroke::new(1.5, palette.accent),
            StrokeKind::Outside,
        );
        let text = format!("{noun} {gate} favours it most");
        let half =
            ui.painter().layout_no_wrap(text.clone(), strong(10.5), palette.accent).size().x / 2.0;
        let middle = column
            .center()
            .x
            .clamp(area.left() + half, (area.right() - half).max(area.left() + half));
        ui.painter().text(
            pos2(middle, area.bottom() + 3.0),
            Align2::CENTER_TOP,
            text,
            strong(10.5),
            palette.accent,
        );
    }
}

/// What is multiplied at the output.
fn noun(live: &Live) -> &'static str {
    if live.recipe.gating == Gating::Side { "neuron" } else { "gate" }
}

/// The question and the answer in words, in the room above the answers.
fn answer(ui: &Ui, rect: Rect, places: &Places, episode: &Episode, softmax: &[f64]) {
    let palette = Palette::of(ui);
    let left = places.bars.left();
    let room = rect.right() - left;
    let Some(answer) = answered(&episode.logits) else { return };
    let sure = softmax.get(answer).copied().unwrap_or(f64::NAN);
    let right = answer == episode.target;
    let lines = [
        (
            format!("Key {} came with value {}.", episode.query + 1, episode.target + 1),
            palette.mute,
        ),
        (
            format!(
                "It answers value {}{}, with p = {}.",
                answer + 1,
                if right { " ✓" } else { "" },
                format::fixed(sure, 2)
            ),
            palette.ink,
        ),
        (if right { String::new() } else { "That is wrong.".into() }, palette.error),
    ];
    let mut y = places.keys[0].top();
    for (text, color) in lines {
        let words = ui.painter().layout(text, plain(12.0), color, room);
        if y + words.size().y > places.bars.top() - 16.0 {
            return;
        }
        let height = words.size().y;
        ui.painter().galley(pos2(left, y), words, color);
        y += height + 3.0;
    }
}

/// Reads off the softmax of a value, or what a gate adds to it; hovering also names the pairs.
fn explain(
    ui: &Ui,
    rect: Rect,
    places: &Places,
    state: &mut State,
    live: &Live,
    episode: &Episode,
    softmax: &[f64],
) {
    let response = ui.interact(rect, ui.scope_id().with("episode"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "One sequence of the recall")
    });
    let classes = episode.logits.len();
    let gates = episode.shares.first().map_or(0, Vec::len);
    let hit = response.hover_pos().and_then(|pointer| {
        let share =
            || cell_at(places.shares, classes, gates, pointer).map(|(k, gate)| [k, gate + 1]);
        cell_at(places.bars, classes, 1, pointer).map(|(k, _)| [k, 0]).or_else(share)
    });
    let chosen = state.readout.choose(ui, &response, [classes, gates + 1], hit);
    let [k, column] = state.readout.cell;
    let place = if column == 0 {
        cell_rect(places.bars, [classes, 1], [k, 0])
    } else {
        cell_rect(places.shares, [classes, gates], [k, column - 1])
    };
    if let Some(text) = response
        .hover_pos()
        .filter(|_| !chosen && hit.is_none())
        .and_then(|pointer| token(places, episode, pointer))
    {
        response.on_hover_text_at_pointer(text);
        return;
    }
    state.readout.explain(ui, response, chosen, hit, place, |ui, [k, column]| {
        said(ui, &state.shares, live, episode, softmax, k, column.checked_sub(1))
    });
}

/// The pair, or the query, under the pointer.
fn token(places: &Places, episode: &Episode, pointer: egui::Pos2) -> Option<String> {
    if let Some((_, column)) =
        cell_at(places.keys[0].union(places.values[0]), 1, episode.pairs.len(), pointer)
    {
        let [key, value] = episode.pairs[column];
        return Some(format!("token {}: key {} with value {}", column + 1, key + 1, value + 1));
    }
    let is_query = places.keys[1].union(places.values[1]).contains(pointer);
    is_query.then(|| {
        format!(
            "the query: key {} asks for its value, which is {}",
            episode.query + 1,
            episode.target + 1
        )
    })
}

/// The answer for value k, or the part of a gate in it.
fn said(
    ui: &mut Ui,
    shares: &Cells,
    live: &Live,
    episode: &Episode,
    softmax: &[f64],
    k: usize,
    gate: Option<usize>,
) {
    let Some(gate) = gate else {
        ui.label(format!(
            "value {}: ŷ = {}, softmax {}",
            k + 1,
            format::signed(episode.logits[k]),
            format::signed(softmax[k])
        ));
        if k == episode.target {
            ui.colored_label(Palette::of(ui).teacher, "the right one");
        }
        return;
    };
    let noun = noun(live);
    ui.label(format!(
        "{noun} {gate} adds {} to the logit of value {}",
        format::signed(episode.shares[k][gate]),
        k + 1
    ));
    ui.label(format!(
        "which is {} more than to the mean value",
        format::signed(shares.at(k, gate))
    ));
    ui.label(if noun == "gate" {
        "D [value, gate] · (Wₘ out h) (Wₓ out h) at the query"
    } else {
        "D [value, neuron] · (W side x) h at the query"
    });
    if Some(gate) == episode.answering {
        ui.label("It favours the right value most over the mean of the others.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softmax_adds_up_and_bears_large_logits() {
        let parts = softmax(&[1000.0, 1000.0, 0.0]);
        assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (parts[0] - 0.5).abs() < 1e-12);
        assert_eq!((answered(&[0.1, 0.4, f64::NAN]), answered(&[])), (Some(1), None));
    }
}
