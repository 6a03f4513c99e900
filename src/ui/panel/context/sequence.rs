//! One sequence of the regression: examples (x_t, y_t) from left to right, the question, and three
//! answers to it.

use super::cells::{Cells, Mark, largest, narrow};
use crate::analysis::finding::Finding;
use crate::analysis::in_context::Episode;
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::readout::{Readout, cell_at, cell_rect};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    tokens: Cells,
    /// Truth, network, one step, a column each.
    answers: Cells,
    /// Rows are x, then y; columns are tokens.
    readout: Readout,
}

/// Columns of the answers, as they stand.
const ANSWERS: [Mark; 3] = [Mark::Truth, Mark::Network, Mark::Step];
/// From this width on the answers stand right of the tokens.
const WIDE: f32 = 600.0;
/// Room for the rows' names.
const NAMES: f32 = 24.0;
/// Room above for the columns' names.
const HEAD: f32 = 18.0;
/// Between x and y.
const GAP: f32 = 5.0;

/// Height that the card would like in a narrow window.
pub fn height(live: &Live) -> f32 {
    let (inputs, outputs) = (live.recipe.dim, live.recipe.outputs);
    (106.0 + 20.0 * (inputs + 2 * outputs) as f32).clamp(220.0, 460.0)
}

/// Where things stand.
struct Places {
    /// Of the tokens: x and y of the examples, then of the query.
    blocks: [[Rect; 2]; 2],
    /// The answers' three columns.
    columns: Rect,
    /// The answers on a common axis.
    strip: Rect,
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
        "examples (xₜ, yₜ = W xₜ), then a question x_q",
        |ui| {
            tools(ui, actions);
            saved = export::button(ui, "One sequence");
        },
    );
    if saved {
        actions.push(export::svg(ui, "context-sequence.svg", size, &mut |ui, rect| {
            show(ui, rect, &mut State::default(), live, &mut vec![], &mut |_, _| ())
        }));
    }
    let Some(Finding::Regression { episode, .. }) = live.found() else {
        return card::waiting(ui, rect, live);
    };
    let (pairs, outputs) = (episode.tokens.len().saturating_sub(1), episode.target.len());
    let inputs = episode.tokens.first().map_or(0, Vec::len).saturating_sub(outputs);
    if rect.width() < 130.0 || rect.height() < 70.0 || pairs * inputs * outputs == 0 {
        return;
    }
    state.update(ui, live, episode);
    let places = places(rect, pairs, inputs, outputs);
    let ui = &mut card::inside(ui, "sequence", rect);
    for (block, columns) in places.blocks.iter().zip([0..pairs, pairs..pairs + 1]) {
        state.tokens.paint(ui, block[0], 0..inputs, columns.clone(), false);
        state.tokens.paint(ui, block[1], inputs..inputs + outputs, columns, false);
    }
    state.answers.paint(ui, places.columns, 0..outputs, 0..3, true);
    names(ui, &places, pairs, inputs, outputs);
    axis(ui, &places, episode);
    explain(ui, rect, &places, state, episode, inputs);
}

impl State {
    fn update(&mut self, ui: &Ui, live: &Live, episode: &Episode) {
        let answers = [&episode.target, &episode.answer, &episode.gradient_step_answer];
        let scale = largest(episode.tokens.iter().flatten())
            .max(answers.iter().map(|a| largest(*a)).fold(0.0, f64::max).min(4.0));
        self.tokens.update(ui, live, episode.tokens.len(), || {
            // One column per token.
            let width = episode.tokens.first().map_or(0, Vec::len);
            let row = |i: usize| {
                episode.tokens.iter().map(move |token| token.get(i).copied().unwrap_or(f64::NAN))
            };
            ((0..width).flat_map(row).collect(), scale)
        });
        self.answers.update(ui, live, 3, || {
            let row = |k: usize| answers.map(|answer| answer.get(k).copied().unwrap_or(f64::NAN));
            ((0..episode.target.len()).flat_map(row).collect(), scale)
        });
    }
}

fn places(rect: Rect, pairs: usize, inputs: usize, outputs: usize) -> Places {
    let wide = rect.width() >= WIDE;
    let room = if wide { rect.width() * 0.56 } else { rect.width() } - NAMES - 10.0;
    let cell = (room / (pairs + 1) as f32).min(30.0);
    let rows = inputs + outputs + if wide { 0 } else { outputs };
    let other = HEAD + GAP + 14.0 + if wide { 0.0 } else { 52.0 };
    let row = ((rect.height() - other) / rows as f32).clamp(0.5, 26.0);
    let (left, top) = (rect.left() + NAMES, rect.top() + HEAD);
    let below = top + inputs as f32 * row + GAP;
    let block = |x: f32, columns: usize| {
        let size = |count: usize| vec2(columns as f32 * cell, count as f32 * row);
        [
            Rect::from_min_size(pos2(x, top), size(inputs)),
            Rect::from_min_size(pos2(x, below), size(outputs)),
        ]
    };
    // A question is never too thin to be seen.
    let mut query = block(left + pairs as f32 * cell + 6.0, 1);
    query.iter_mut().for_each(|rect| rect.max.x = rect.max.x.max(rect.min.x + 4.0));
    let answers = outputs as f32 * row;
    let number = 64.0f32.min(rect.width() * 0.17);
    let (x, y) =
        if wide { (query[1].right() + 32.0, below) } else { (left, query[1].bottom() + 50.0) };
    let columns = Rect::from_min_size(pos2(x, y), vec2(3.0 * number, answers));
    let strip =
        Rect::from_min_max(pos2(columns.right() + 22.0, y), pos2(rect.right() - 12.0, y + answers));
    Places { blocks: [block(left, pairs), query], columns, strip }
}

/// Rows, columns and what they are.
fn names(ui: &Ui, places: &Places, pairs: usize, inputs: usize, outputs: usize) {
    let palette = Palette::of(ui);
    let painter = ui.painter();
    let [[x, y], [query_x, query_y]] = places.blocks;
    for (rect, count, letter) in [(x, inputs, "x"), (y, outputs, "y")] {
        let height = rect.height() / count as f32;
        let each = if height >= 11.0 { 1 } else { count };
        for row in (0..count).step_by(each) {
            let name = if each == 1 && count > 1 {
                format!("{letter}{}", format::subscript(row + 1))
            } else {
                letter.into()
            };
            let middle = rect.top() + (row as f32 + each as f32 / 2.0) * height;
            painter.text(
                pos2(rect.left() - 6.0, middle),
                Align2::RIGHT_CENTER,
                name,
                plain(11.0),
                palette.mute,
            );
        }
    }
    let cell = x.width() / pairs as f32;
    let every = [1, 2, 4, 8, 16, 32, 64, 128]
        .into_iter()
        .find(|every| *every as f32 * cell >= 17.0)
        .unwrap_or(256);
    for token in (0..pairs).step_by(every) {
        let at = pos2(x.left() + (token as f32 + 0.5) * cell, x.top() - 3.0);
        if at.x + 8.0 > query_x.center().x - 17.0 {
            break; // "query" stands there
        }
        painter.text(
            at,
            Align2::CENTER_BOTTOM,
            (token + 1).to_string(),
            plain(10.5),
            palette.key_value,
        );
    }
    painter.text(
        pos2(x.left(), y.bottom() + 2.0),
        Align2::LEFT_TOP,
        "example t",
        plain(10.5),
        palette.key_value,
    );
    painter.rect_stroke(
        query_x.union(query_y).expand(1.5),
        2.0,
        Stroke::new(1.5, palette.query),
        StrokeKind::Outside,
    );
    painter.text(
        pos2(query_x.center().x, query_x.top() - 4.0),
        Align2::CENTER_BOTTOM,
        "query",
        strong(10.5),
        palette.query,
    );
    if query_y.width() >= 9.0 && query_y.height() >= 12.0 {
        painter.text(query_y.center(), Align2::CENTER_CENTER, "?", strong(13.0), palette.query);
    }
    let number = places.columns.width() / 3.0;
    for (i, mark) in ANSWERS.into_iter().enumerate() {
        // Its mark on the axis, then its name.
        let at =
            pos2(places.columns.left() + (i as f32) * number + 7.0, places.columns.top() - 9.0);
        mark.paint(ui, at, 12.0);
        painter.text(
            at + vec2(8.0, 0.0),
            Align2::LEFT_CENTER,
            mark.name(),
            strong(10.5),
            mark.color(palette),
        );
    }
    if query_y.right() < places.columns.left() {
        let (from, to) = (
            query_y.right_center() + vec2(8.0, 0.0),
            places.columns.left_center() - vec2(8.0, 0.0),
        );
        painter.arrow(from, to - from, Stroke::new(1.2, palette.mute));
    } else if outputs > 0 {
        let row = places.columns.height() / outputs as f32;
        for k in (0..outputs).filter(|_| row >= 11.0) {
            let at =
                pos2(places.columns.left() - 6.0, places.columns.top() + (k as f32 + 0.5) * row);
            painter.text(
                at,
                Align2::RIGHT_CENTER,
                format!("y{}", format::subscript(k + 1)),
                plain(11.0),
                palette.mute,
            );
        }
    }
}

/// The three answers of each output on one axis.
fn axis(ui: &Ui, places: &Places, episode: &Episode) {
    let palette = Palette::of(ui);
    let strip = places.strip;
    if strip.width() < 50.0 {
        return;
    }
    let of = |mark: Mark, k: usize| match mark {
        Mark::Truth => episode.target[k],
        Mark::Network => episode.answer.get(k).copied().unwrap_or(f64::NAN),
        Mark::Step => episode.gradient_step_answer.get(k).copied().unwrap_or(f64::NAN),
    };
    let outputs = episode.target.len();
    let full = largest([&episode.target, &episode.gradient_step_answer].into_iter().flatten())
        .max(1e-9)
        * 1.25;
    let x = |value: f64| {
        strip.center().x + narrow((value / full).clamp(-1.0, 1.0)) * strip.width() / 2.0
    };
    let row = strip.height() / outputs as f32;
    ui.painter().vline(strip.center().x, strip.y_range(), Stroke::new(1.0, palette.line));
    for k in 0..outputs {
        let y = strip.top() + (k as f32 + 0.5) * row;
        ui.painter().hline(strip.x_range(), y, Stroke::new(1.0, palette.line));
        for mark in Mark::ALL {
            let value = of(mark, k);
            if value.is_finite() {
                mark.paint(ui, pos2(x(value), y), row);
            }
        }
    }
    for (at, value) in [(strip.left(), -full), (strip.center().x, 0.0), (strip.right(), full)] {
        let text = if value == 0.0 { "0".into() } else { format::fixed(value, 1) };
        ui.painter().text(
            pos2(at, strip.bottom() + 2.0),
            Align2::CENTER_TOP,
            text,
            plain(10.5),
            palette.mute,
        );
    }
}

/// Reads off a cell: a number of a token, or, at the query's y, the three answers.
fn explain(
    ui: &Ui,
    rect: Rect,
    places: &Places,
    state: &mut State,
    episode: &Episode,
    inputs: usize,
) {
    let response = ui.interact(rect, ui.scope_id().with("episode"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "One sequence of the regression")
    });
    let (pairs, outputs) = (episode.tokens.len() - 1, episode.target.len());
    let sizes = |i: usize, j: usize| {
        [if j == 0 { inputs } else { outputs }, if i == 0 { pairs } else { 1 }]
    };
    let answers = places.columns.union(places.strip);
    let at = |pointer: egui::Pos2| {
        let token = |(i, j): (usize, usize)| {
            cell_at(places.blocks[i][j], sizes(i, j)[0], sizes(i, j)[1], pointer)
                .map(|(row, column)| [row + j * inputs, column + i * pairs])
        };
        [(0, 0), (0, 1), (1, 0), (1, 1)]
            .into_iter()
            .find_map(token)
            .or_else(|| cell_at(answers, outputs, 1, pointer).map(|(k, _)| [inputs + k, pairs]))
    };
    let hit = response.hover_pos().and_then(at);
    let chosen = state.readout.choose(ui, &response, [inputs + outputs, pairs + 1], hit);
    let [row, column] = state.readout.cell;
    let (i, j) = (usize::from(column >= pairs), usize::from(row >= inputs));
    let mut place =
        cell_rect(places.blocks[i][j], sizes(i, j), [row - j * inputs, column - i * pairs]);
    if (i, j) == (1, 1) {
        place = place.union(cell_rect(places.columns, [outputs, 1], [row - inputs, 0]));
    }
    state.readout.explain(ui, response, chosen, hit, place, |ui, cell| {
        said(ui, state, cell, [inputs, pairs])
    });
}

fn said(ui: &mut Ui, state: &State, [row, column]: [usize; 2], [inputs, pairs]: [usize; 2]) {
    let value = state.tokens.at(row, column);
    let name = if row < inputs {
        format!("x{}", format::subscript(row + 1))
    } else {
        format!("y{}", format::subscript(row + 1 - inputs))
    };
    if column < pairs {
        ui.label(format!("example t = {}: {name} = {}", column + 1, format::signed(value)));
    } else if row < inputs {
        ui.label(format!("query: {name} = {}", format::signed(value)));
    } else {
        let (palette, k) = (Palette::of(ui), row - inputs);
        let (truth, own, step) =
            (state.answers.at(k, 0), state.answers.at(k, 1), state.answers.at(k, 2));
        ui.label(format!("{name} of the query is what is asked for; the token holds 0"));
        ui.colored_label(
            palette.teacher,
            format!(
                "truth {name} = (W x_q){} = {}",
                format::subscript(k + 1),
                format::signed(truth)
            ),
        );
        ui.label(format!("network {}", format::signed(own)));
        ui.label(format!("one gradient step η* Σ yₜ (xₜ · x_q) = {}", format::signed(step)));
        ui.label(format!("network − step = {}", format::signed(own - step)));
        ui.label(
            egui::RichText::new(format!("Full colour: ±{}", format::signed(state.answers.scale)))
                .color(palette.mute),
        );
    }
}
