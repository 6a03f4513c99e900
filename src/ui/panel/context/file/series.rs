//! One test sequence: inputs over time, and target and prediction of one output. A click or the
//! keyboard reads a time step off: ← → move in time, ↑ ↓ from output to output, Page Up and Page
//! Down from sequence to sequence.

use super::chart::{BELOW, Chart, LEFT, round_marks};
use super::tested::{tested, waiting};
use crate::analysis::test_set::{Example, TestReport};
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::heatmap::{Colors, Heatmap};
use crate::ui::kit::readout::Readout;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format, svg};
use crate::ui::panel::context::cells::narrow;
use eframe::egui;
use egui::{Align2, DragValue, Key, Modifiers, Rect, Sense, Stroke, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    sequence: usize,
    /// Its rows are outputs, its columns time steps.
    readout: Readout,
    inputs: Heatmap,
    key: Option<(u32, u64, bool, usize)>,
}

/// Height that the card would like in a narrow window.
pub const HEIGHT: f32 = 300.0;
/// Least height of an input's line; with less the inputs are a heatmap.
const ROW: f32 = 13.0;
/// Height of the words above each part.
const HEAD: f32 = 15.0;
/// Inputs that a readout names.
const NAMED: usize = 6;

/// A sequence and its sizes.
struct Series<'a> {
    shown: &'a Example,
    time: usize,
    steps: usize,
    inputs: usize,
    outputs: usize,
}

impl<'a> Series<'a> {
    fn of(shown: &'a Example, tested: &TestReport) -> Option<Self> {
        let (time, outputs) = (tested.steps.len(), tested.outputs.len());
        let (inputs, steps) =
            (shown.x.len().checked_div(time)?, shown.y.len().checked_div(outputs)?);
        (inputs > 0 && steps <= time).then_some(Self { shown, time, steps, inputs, outputs })
    }

    fn counts(&self, t: usize) -> bool {
        self.shown.weight_at(t, [self.time, self.steps]) > 0.0
    }

    fn input(&self, t: usize, i: usize) -> Option<f64> {
        self.shown.x.get(t * self.inputs + i).map(|v| f64::from(*v))
    }

    /// y, where the file's target was kept.
    fn target(&self, t: usize, k: usize) -> Option<f64> {
        let step = (t + self.steps).checked_sub(self.time)?;
        self.shown.y.get(step * self.outputs + k).map(|v| f64::from(*v))
    }

    fn answer(&self, t: usize, k: usize) -> Option<f64> {
        self.shown.answers.get(t * self.outputs + k).map(|v| f64::from(*v))
    }

    /// Lowest and highest of what counts, with some room.
    fn range(&self, k: usize) -> [f64; 2] {
        let values = (0..self.time)
            .filter(|&t| self.counts(t))
            .flat_map(|t| [self.target(t, k), self.answer(t, k)])
            .flatten()
            .filter(|v| v.is_finite());
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return [-1.0, 1.0];
        }
        let room = (0.06 * (high - low)).max(1e-6 * low.abs().max(high.abs())).max(1e-9);
        [low - room, high + room]
    }
}

/// Draws the card; `tools` adds to its title row.
pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    live: &Live,
    actions: &mut Vec<Action>,
    tools: &mut dyn FnMut(&mut Ui, &mut Vec<Action>),
) {
    let tested = tested(live);
    let (count, outputs) =
        tested.map_or((0, 0), |tested| (tested.shown.len(), tested.outputs.len()));
    state.sequence = state.sequence.min(count.max(1) - 1);
    state.readout.cell[0] = state.readout.cell[0].min(outputs.max(1) - 1);
    let for_file = svg::is_for_file(ui);
    let title = if for_file {
        format!("Test sequence {}", state.sequence + 1)
    } else {
        "One test sequence".into()
    };
    let mut saved = false;
    let inner = card::show(ui, rect, &title, "never trained on", |ui| {
        if for_file {
            return;
        }
        tools(ui, actions);
        saved = export::button(ui, "One test sequence");
        ui.spacing_mut().interact_size = vec2(24.0, 18.0);
        choose(ui, "output", &mut state.readout.cell[0], outputs, outputs);
        choose(
            ui,
            "sequence",
            &mut state.sequence,
            count,
            tested.map_or(0, |tested| tested.test.sequences),
        );
    });
    if saved {
        let (sequence, readout) = (state.sequence, state.readout);
        let mut draw = |ui: &mut Ui, rect: Rect| {
            show(
                ui,
                rect,
                &mut State { sequence, readout, ..State::default() },
                live,
                &mut vec![],
                &mut |_, _| (),
            )
        };
        actions.push(export::svg(ui, "file-sequence.svg", rect.size(), &mut draw));
    }
    let Some(tested) = tested else { return waiting(ui, inner, live) };
    let Some(series) = tested.shown.get(state.sequence).and_then(|shown| Series::of(shown, tested))
    else {
        return waiting(ui, inner, live);
    };
    if inner.width() < 130.0 || inner.height() < 60.0 {
        return;
    }
    draw(ui, inner, state, live, &series, count);
}

/// A number from 1 on; `all` is how many there are, of which `count` can be chosen.
fn choose(ui: &mut Ui, name: &str, chosen: &mut usize, count: usize, all: usize) {
    if count < 2 {
        return;
    }
    let mut number = *chosen + 1;
    let drag = DragValue::new(&mut number).range(1..=count).speed(0.05).prefix(format!("{name} "));
    let help = if count < all {
        format!("The first {count} of {all} can be chosen. Drag, or type a number")
    } else {
        format!("1 to {count}. Drag, or type a number")
    };
    let response = ui.add(drag).on_hover_text(help);
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::SpinButton, true, format!("Which {name}"))
    });
    if response.changed() {
        *chosen = number.clamp(1, count) - 1;
    }
}

fn draw(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    live: &Live,
    series: &Series<'_>,
    count: usize,
) {
    let palette = Palette::of(ui);
    let ui = &mut card::inside(ui, "series", rect);
    let k = state.readout.cell[0];
    let room = rect.height() - BELOW - 2.0 * HEAD;
    let above = if room > 70.0 { (room * 0.4).min(30.0 * series.inputs as f32) } else { 0.0 };
    let span = (rect.left() + LEFT + 8.0)..=(rect.right() - 6.0);
    let top = rect.top() + if above > 0.0 { HEAD } else { 0.0 };
    let inputs = Chart {
        frame: Rect::from_x_y_ranges(span.clone(), top..=(top + above)),
        time: series.time,
        range: [-1.0, 1.0],
    };
    let outputs = Chart {
        frame: Rect::from_x_y_ranges(span, (top + above + HEAD)..=(rect.bottom() - BELOW)),
        time: series.time,
        range: series.range(k),
    };
    if above > 0.0 {
        ui.painter().text(
            pos2(inputs.frame.left(), top - 3.0),
            Align2::LEFT_BOTTOM,
            "inputs x",
            plain(10.5),
            palette.mute,
        );
        inputs.grey(ui, false, |t| series.counts(t));
        draw_inputs(ui, &inputs, state, live, series);
    }
    outputs.grey(ui, true, |t| series.counts(t));
    let (marks, decimals) =
        round_marks(outputs.range, (outputs.frame.height() / 22.0).clamp(1.0, 6.0) as usize);
    outputs.values(ui, &marks, |mark| format::fixed(mark, decimals));
    outputs.line(
        ui,
        |t| series.target(t, k),
        Stroke::new(3.2, palette.teacher.gamma_multiply(0.65)),
    );
    outputs.line(ui, |t| series.answer(t, k), Stroke::new(1.2, palette.ink));
    outputs.times(ui);
    let head = outputs.frame.top() - 3.0;
    let text = |at: f32, text: String, color| {
        ui.painter().text(pos2(at, head), Align2::LEFT_BOTTOM, text, plain(10.5), color).right()
    };
    let after = text(outputs.frame.left(), format!("output {}", k + 1), palette.mute);
    let after = text(after + 14.0, "target y".into(), palette.teacher);
    text(after + 12.0, "prediction ŷ".into(), palette.ink);
    let both = if above > 0.0 { inputs.frame.union(outputs.frame) } else { outputs.frame };
    let response =
        ui.interact(both.expand2(vec2(4.0, 0.0)), ui.scope_id().with("time"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "One test sequence over time")
    });
    let hit = response.hover_pos().and_then(|pointer| outputs.time_at(pointer.x)).map(|t| [k, t]);
    let chosen = state.readout.choose(ui, &response, [series.outputs, series.time], hit);
    if chosen {
        for (key, forward) in [(Key::PageDown, true), (Key::PageUp, false)] {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                state.sequence = if forward {
                    (state.sequence + 1).min(count - 1)
                } else {
                    state.sequence.saturating_sub(1)
                };
                ui.ctx().request_repaint();
            }
        }
    }
    let column = outputs.column(state.readout.cell[1]);
    if let Some([_, t]) = hit.filter(|_| !chosen) {
        ui.painter().vline(
            outputs.x(t),
            both.y_range(),
            Stroke::new(1.0, palette.mute.gamma_multiply(0.5)),
        );
    }
    let place = Rect::from_x_y_ranges(column.x_range(), both.y_range());
    state.readout.explain(ui, response, chosen, hit, place, |ui, [k, t]| said(ui, series, k, t));
}

/// A line an input, or all of them as a heatmap.
fn draw_inputs(ui: &Ui, chart: &Chart, state: &mut State, live: &Live, series: &Series<'_>) {
    let palette = Palette::of(ui);
    let frame = chart.frame;
    let row = frame.height() / series.inputs as f32;
    let largest = series
        .shown
        .x
        .iter()
        .filter(|v| v.is_finite())
        .fold(0.0f32, |most, v| most.max(v.abs()))
        .max(f32::MIN_POSITIVE);
    let name = |y: f32, text: String| {
        ui.painter().text(
            pos2(frame.left() - 5.0, y),
            Align2::RIGHT_CENTER,
            text,
            plain(10.0),
            palette.mute,
        )
    };
    if row < ROW {
        let key = Some((
            live.run,
            live.finding.as_ref().map_or(0, |(step, _)| *step),
            ui.visuals().dark_mode,
            state.sequence,
        ));
        if state.key != key {
            state.key = key;
            let colors = Colors::new(palette);
            let cell = |i: usize, t: usize| {
                colors.of(narrow(series.input(t, i).unwrap_or(f64::NAN)) / largest)
            };
            let pixels = (0..series.inputs)
                .flat_map(|i| (0..series.time).map(move |t| (i, t)))
                .map(|(i, t)| cell(i, t))
                .collect();
            state.inputs.set(ui.ctx(), "inputs", series.inputs, series.time, pixels);
        }
        state.inputs.paint(ui, frame, 0..series.inputs, 0..series.time);
        name(frame.top() + 5.0, "x₁".into());
        name(frame.bottom() - 5.0, format!("x{}", format::subscript(series.inputs)));
    } else {
        for i in 0..series.inputs {
            let strip = Rect::from_min_size(
                frame.min + vec2(0.0, i as f32 * row),
                vec2(frame.width(), row),
            )
            .shrink2(vec2(0.0, 1.5));
            let own = Chart {
                frame: strip,
                time: chart.time,
                range: [-f64::from(largest), f64::from(largest)],
            };
            ui.painter().hline(strip.x_range(), strip.center().y, Stroke::new(1.0, palette.line));
            own.line(ui, |t| series.input(t, i), Stroke::new(1.2, palette.between));
            name(strip.center().y, format!("x{}", format::subscript(i + 1)));
        }
    }
    let scale = format!("full height ±{}", format::signed(largest));
    ui.painter().text(
        pos2(frame.right(), frame.top() - 3.0),
        Align2::RIGHT_BOTTOM,
        if row < ROW { scale.replace("height", "colour") } else { scale },
        plain(10.5),
        palette.mute,
    );
}

/// All there is at a time step.
fn said(ui: &mut Ui, series: &Series<'_>, k: usize, t: usize) {
    let palette = Palette::of(ui);
    let mut x: Vec<String> = (0..series.inputs.min(NAMED))
        .filter_map(|i| {
            Some(format!("x{} = {}", format::subscript(i + 1), format::signed(series.input(t, i)?)))
        })
        .collect();
    if series.inputs > NAMED {
        x.push("…".into());
    }
    ui.label(format!("time step {}: {}", t + 1, x.join(", ")));
    let answer = series.answer(t, k).unwrap_or(f64::NAN);
    if let Some(target) = series.target(t, k) {
        ui.colored_label(
            palette.teacher,
            format!("output {}: target y = {}", k + 1, format::signed(target)),
        );
        ui.label(format!(
            "prediction ŷ = {}, off by {}",
            format::signed(answer),
            format::signed(answer - target)
        ));
    } else {
        ui.label(format!("output {}: prediction ŷ = {}", k + 1, format::signed(answer)));
    }
    let weight = series.shown.weight_at(t, [series.time, series.steps]);
    if weight == 0.0 {
        ui.colored_label(palette.mute, "This step does not count.");
    } else if series.shown.weight.is_some() {
        ui.colored_label(
            palette.mute,
            format!("Its squared error counts {} times.", format::signed(weight)),
        );
    }
}
