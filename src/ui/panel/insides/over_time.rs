//! Gates, or states, over one sequence: a row per neuron, a column per token.

use super::shown::{Stamp, Subject};
use crate::analysis::insides::trace::{Range, Trace};
use crate::model::Size;
use crate::ui::Action;
use crate::ui::kit::heatmap::{Colors, Heatmap};
use crate::ui::kit::readout::{Readout, cell_at, cell_rect};
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Which of the two cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Gates and gated products.
    Gates,
    /// What is carried from token to token.
    States,
}

/// Between frames.
#[derive(Default)]
pub struct State {
    chosen: usize,
    readout: Readout,
    key: Option<(Stamp, usize)>,
    heatmap: Heatmap,
}

/// Height in a column.
pub const HEIGHT: f32 = 320.0;
/// Room for the sentence below the picture.
const NOTE: f32 = 34.0;
/// A gate nearer to 0.5 than this is said to be straight: there σ is so to a part in ten thousand.
const STRAIGHT: f32 = 5e-3;

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    kind: Kind,
    state: &mut State,
    shown: &Subject<'_>,
    actions: &mut Vec<Action>,
) {
    let is_attention = shown.insides.architecture.layer.memory.is_none();
    let (title, traces, list, file) = match kind {
        Kind::Gates if is_attention => {
            ("Attention over one sequence", &shown.insides.gates, "Gate shown", "insides-gates.svg")
        }
        Kind::Gates => {
            ("Gates over one sequence", &shown.insides.gates, "Gate shown", "insides-gates.svg")
        }
        Kind::States => {
            ("State over one sequence", &shown.insides.states, "State shown", "insides-state.svg")
        }
    };
    let mut saved = false;
    let inner = card::show(ui, rect, title, &shown.insides.sequence, |ui| {
        saved = export::button(ui, title);
        super::shown::chooser(
            ui,
            list,
            &mut state.chosen,
            traces.iter().map(|trace| trace.name.as_str()),
        );
    });
    if saved {
        let chosen = state.chosen;
        actions.push(export::svg(ui, file, rect.size(), &mut |ui, rect| {
            show(ui, rect, kind, &mut State { chosen, ..State::default() }, shown, &mut vec![])
        }));
    }
    let Some(trace) = traces.get(state.chosen) else {
        return card::quiet(
            ui,
            inner,
            if kind == Kind::Gates {
                "This layer has no gates."
            } else {
                "Attention keeps no state: it looks at all tokens again."
            },
        );
    };
    if inner.width() < 90.0 || inner.height() < 100.0 || trace.time * trace.width == 0 {
        return;
    }
    state.update(ui, shown.stamp, trace);
    let grid = Rect::from_min_max(inner.min + vec2(34.0, 2.0), inner.max - vec2(6.0, NOTE + 30.0));
    state.heatmap.paint(ui, grid, 0..trace.width, 0..trace.time);
    ui.painter().rect_stroke(
        grid,
        0.0,
        Stroke::new(1.0, Palette::of(ui).line),
        StrokeKind::Outside,
    );
    axes(ui, inner, grid, trace);
    let mlp = shown.insides.architecture.layer.sizes.contains(&Size::Width);
    let scale = Rect::from_min_max(
        pos2(grid.left(), grid.bottom() + 14.0),
        pos2(grid.right(), grid.bottom() + 28.0),
    );
    legend(ui, scale, trace);
    let cut = if trace.width < trace.of {
        format!(" Drawn are the first {} of {}.", trace.width, trace.of)
    } else {
        String::new()
    };
    let flat = if trace.range == Range::Gate && trace.swing() < STRAIGHT {
        format!(
            " All stay within {} of 0.5, where σ is straight: the gate works as a product.",
            format::scientific(trace.swing().into())
        )
    } else {
        String::new()
    };
    let note = if kind == Kind::Gates && mlp {
        format!("{}.{cut}", trace.about)
    } else {
        format!("{}: {}.{flat}{cut}", capital(&trace.name), trace.about)
    };
    card::note(
        ui,
        Rect::from_min_max(pos2(inner.left(), inner.bottom() - NOTE + 4.0), inner.max),
        &note,
    );
    read_off(ui, grid, title, state, trace);
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What full colour stands for.
fn scale(trace: &Trace) -> f32 {
    trace.largest().max(f32::MIN_POSITIVE)
}

impl State {
    fn update(&mut self, ui: &Ui, stamp: Stamp, trace: &Trace) {
        if self.key == Some((stamp, self.chosen)) {
            return;
        }
        self.key = Some((stamp, self.chosen));
        let colors = Colors::new(Palette::of(ui));
        let scale = scale(trace);
        let shade = |value: f32| match trace.range {
            Range::Gate => colors.of(2.0 * value - 1.0),
            Range::Signed => colors.of(value / scale),
        };
        let pixels = (0..trace.width * trace.time)
            .map(|i| shade(trace.at(i % trace.time, i / trace.time)))
            .collect();
        self.heatmap.set(ui.ctx(), "over time", trace.width, trace.time, pixels);
    }
}

/// Tokens from left to right, neurons from top to bottom.
fn axes(ui: &Ui, inner: Rect, grid: Rect, trace: &Trace) {
    let palette = Palette::of(ui);
    let text =
        |at, align, text: String| ui.painter().text(at, align, text, plain(10.5), palette.mute);
    let every = |count: usize, length: f32, room: f32| {
        [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500]
            .into_iter()
            .find(|every| length * *every as f32 / count as f32 >= room)
            .unwrap_or(1000)
    };
    let labels = |count: usize, every: usize| {
        std::iter::once(1).chain(
            (every..=count).step_by(every).filter(move |i| 10 * (*i - 1) >= 6 * every && *i > 1),
        )
    };
    for token in labels(trace.time, every(trace.time, grid.width(), 22.0)) {
        let x = grid.left() + grid.width() * (token as f32 - 0.5) / trace.time as f32;
        text(pos2(x, grid.bottom() + 1.0), Align2::CENTER_TOP, token.to_string());
    }
    for neuron in labels(trace.width, every(trace.width, grid.height(), 12.0)) {
        let y = grid.top() + grid.height() * (neuron as f32 - 0.5) / trace.width as f32;
        text(pos2(grid.left() - 4.0, y), Align2::RIGHT_CENTER, neuron.to_string());
    }
    card::upright(ui, pos2(inner.left() - 4.0, grid.center().y), &trace.row);
    text(pos2(grid.left(), grid.bottom() + 21.0), Align2::LEFT_CENTER, "token →".into());
}

/// What the colours mean, at the right end of `rect`.
fn legend(ui: &Ui, rect: Rect, trace: &Trace) {
    const SHADES: u8 = 30;
    let palette = Palette::of(ui);
    let is_positive = trace.range == Range::Signed && trace.values.iter().all(|v| *v >= 0.0);
    let ends = match trace.range {
        Range::Gate => ["0 closed".to_owned(), "1 open".to_owned()],
        Range::Signed if is_positive => ["0".to_owned(), format::signed(scale(trace))],
        Range::Signed => [format::signed(-scale(trace)), format::signed(scale(trace))],
    };
    let shade = |part: f32| if is_positive { part } else { 2.0 * part - 1.0 };
    let right = ui
        .painter()
        .text(rect.right_center(), Align2::RIGHT_CENTER, &ends[1], plain(10.5), palette.mute)
        .left()
        - 5.0;
    let bar = Rect::from_min_max(
        pos2(right - 66.0, rect.center().y - 4.0),
        pos2(right, rect.center().y + 4.0),
    );
    let width = bar.width() / f32::from(SHADES);
    for i in 0..SHADES {
        let color = palette.signed(shade(f32::from(i) / f32::from(SHADES - 1)));
        ui.painter().rect_filled(
            Rect::from_min_size(
                pos2(bar.left() + f32::from(i) * width, bar.top()),
                vec2(width, bar.height()),
            ),
            0.0,
            color,
        );
    }
    ui.painter().rect_stroke(bar, 0.0, Stroke::new(1.0, palette.line), StrokeKind::Outside);
    ui.painter().text(
        bar.left_center() - vec2(5.0, 0.0),
        Align2::RIGHT_CENTER,
        &ends[0],
        plain(10.5),
        palette.mute,
    );
}

/// A number: under the pointer, or chosen by a click or the arrows.
fn read_off(ui: &mut Ui, grid: Rect, title: &str, state: &mut State, trace: &Trace) {
    let response = ui.interact(grid, ui.scope_id().with(title), Sense::click());
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Image, true, format!("{title}: {}", trace.name))
    });
    let size = [trace.width, trace.time];
    let hit = response
        .hover_pos()
        .and_then(|pointer| cell_at(grid, size[0], size[1], pointer))
        .map(|(row, column)| [row, column]);
    let chosen = state.readout.choose(ui, &response, size, hit);
    let place = cell_rect(grid, size, state.readout.cell);
    state.readout.explain(ui, response, chosen, hit, place, |ui, [neuron, token]| {
        ui.label(format!(
            "{}, {} {}, token t = {}: {}",
            trace.name,
            trace.row,
            neuron + 1,
            token + 1,
            format::signed(trace.at(token, neuron))
        ));
        ui.label(&trace.about);
    });
}
