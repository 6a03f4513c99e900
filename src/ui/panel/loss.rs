//! Loss over training on a logarithmic axis: every step's range as a band, the moving average as a
//! line, the schedules below.

use super::schedule;
use crate::run::live::Live;
use crate::task::Task;
use crate::theory::gradient_step;
use crate::train::history::Bucket;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{axes, card, export, format, svg};
use eframe::egui;
use egui::{Rect, Response, Stroke, Ui, pos2};
use egui_plot::{FilledArea, GridMark, HLine, Line, LineStyle, PlotPoints, PlotTransform};

/// Between frames.
#[derive(Default)]
pub struct State {
    /// Mean squared error in place of nMSE.
    raw: bool,
}

/// One column of the curve: log10 of smallest, largest and smoothed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Column {
    step: f64,
    low: f64,
    high: f64,
    smooth: f64,
}

/// Columns drawn at most.
const COLUMNS: usize = 512;

/// Draws the card.
pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, live: &Live, actions: &mut Vec<Action>) {
    let task = live.recipe.task();
    let attention = matches!(task, Task::Attention(_) | Task::File(_)); // nMSE has a meaning
    let raw = state.raw || !attention;
    let subtitle = match task {
        Task::Attention(_) | Task::File(_) if raw => "mean squared error, log scale",
        Task::Attention(_) | Task::File(_) => "1 is no better than answering 0",
        Task::Regression(_) => "½ (ŷ − y)² at the query, log scale",
        Task::Recall(_) => "cross-entropy at the query, log scale",
    };
    let (size, mut saved) = (rect.size(), false);
    let rect = card::show(ui, rect, "Loss", subtitle, |ui| {
        saved = export::button(ui, "Loss");
        if attention && !svg::is_for_file(ui) {
            choose(ui, state);
        }
    });
    if saved {
        let raw = state.raw;
        actions.push(export::svg(ui, "loss.svg", size, &mut |ui, rect| {
            show(ui, rect, &mut State { raw }, live, &mut vec![])
        }));
    }
    let palette = Palette::of(ui);
    let columns = columns(live.history.buckets(), raw);
    if columns.is_empty() {
        return card::empty(ui, rect, "the curve begins with the first step");
    }
    let reference = reference(task);
    let [low, high] =
        if attention { decades(&columns) } else { around(&columns, reference.as_ref()) };
    let fine = high - low < 2.5;
    // Room for the numbers at the ends.
    let margin = 0.06 * (high - low);
    let vertical = axes::Vertical {
        range: [low - margin, high + margin],
        marks: if fine { fine_marks } else { decade_marks },
        label: if fine { fine_label } else { decade_label },
    };
    let strip = schedule::HEIGHT.min(rect.height() * 0.3);
    let steps = axes::steps_shown(live.step, u64::from(live.recipe.steps));
    let upper = Rect::from_min_max(rect.min, pos2(rect.right(), rect.bottom() - strip));
    let drawn = columns.clone();
    let level = reference.as_ref().map(|reference| reference.level);
    let (transform, response) = axes::plot(ui, upper, "loss", steps, vertical, move |plot| {
        let of = |value: fn(&Column) -> f64| drawn.iter().map(value).collect::<Vec<f64>>();
        let band = FilledArea::new("each step", &of(|c| c.step), &of(|c| c.low), &of(|c| c.high));
        plot.add(band.fill_color(palette.accent.gamma_multiply(0.22)).allow_hover(false));
        let line: Vec<[f64; 2]> = drawn.iter().map(|c| [c.step, c.smooth]).collect();
        if let Some(level) = level {
            plot.hline(
                HLine::new("reference", level)
                    .stroke(Stroke::new(1.4, palette.ink))
                    .style(LineStyle::dashed_dense())
                    .allow_hover(false),
            );
        }
        plot.line(
            Line::new("smoothed", PlotPoints::from(line))
                .stroke(Stroke::new(1.6, palette.accent))
                .allow_hover(false),
        );
    });
    let frame = *transform.frame();
    if let Some(Reference { level, text }) = &reference {
        let at = pos2(frame.right() - 2.0, transform.position_from_point_y(*level) - 2.0);
        let clip = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
        clip.text(at, egui::Align2::RIGHT_BOTTOM, text, plain(11.0), palette.ink);
    }
    schedule::show(
        ui,
        Rect::from_min_max(pos2(rect.left(), rect.bottom() - strip), rect.right_bottom()),
        frame.x_range(),
        steps,
        live,
    );
    hover(ui, response, &transform, &columns, name(task, raw));
}

/// The error itself, or as a part of what the targets are.
fn choose(ui: &mut Ui, state: &mut State) {
    for (raw, name, help) in [
        (true, "MSE", "Mean squared error: mean (ŷ − y)²."),
        (
            false,
            "nMSE",
            "Mean squared error over the mean square of the targets: mean (ŷ − y)² / mean y².",
        ),
    ] {
        let text = egui::RichText::new(name).size(11.5);
        if ui.selectable_label(state.raw == raw, text).on_hover_text(help).clicked() {
            state.raw = raw;
        }
    }
}

/// Marks the column under the pointer and says its numbers.
fn hover(
    ui: &Ui,
    response: Response,
    transform: &PlotTransform,
    columns: &[Column],
    name: &'static str,
) {
    let (frame, palette) = (*transform.frame(), Palette::of(ui));
    let Some(pointer) = response.hover_pos().filter(|pointer| frame.contains(*pointer)) else {
        return;
    };
    let step = transform.value_from_position(pointer).x;
    let distance = |column: &Column| (column.step - step).abs();
    if let Some(near) = columns.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        let x = transform.position_from_point_x(near.step);
        ui.painter().vline(x, frame.y_range(), Stroke::new(1.0, palette.mute.gamma_multiply(0.5)));
        let point = pos2(x, transform.position_from_point_y(near.smooth));
        ui.painter().circle_filled(point, 3.0, palette.accent);
        response.on_hover_ui_at_pointer(|ui| tooltip(ui, near, name));
    }
}

fn tooltip(ui: &mut Ui, column: &Column, name: &str) {
    let value = |log: f64| format::scientific(10f64.powf(log));
    ui.label(format!("step {}", format::thousands(column.step as u64)));
    ui.label(format!("{name}, smoothed: {}", value(column.smooth)));
    ui.label(format!("single steps here: {} to {}", value(column.low), value(column.high)));
}

/// What is drawn, and its formula.
fn name(task: Task, raw: bool) -> &'static str {
    match task {
        Task::Attention(_) | Task::File(_) if raw => "loss = mean (ŷ − y)²",
        Task::Attention(_) | Task::File(_) => "nMSE = mean (ŷ − y)² / mean y²",
        Task::Regression(_) => "loss = ½ mean (ŷ − W x_q)² at the query",
        Task::Recall(_) => "loss = −log softmax(ŷ) of the right value, in nats",
    }
}

/// A loss to compare with.
struct Reference {
    /// log10 of it.
    level: f64,
    text: String,
}

/// One step of gradient descent, or guessing.
fn reference(task: Task) -> Option<Reference> {
    let (loss, text) = match task {
        Task::Attention(_) | Task::File(_) => return None,
        Task::Regression(regression) => {
            let loss =
                gradient_step::expected_loss(regression, gradient_step::best_step_size(regression));
            (loss, format!("one gradient step {}", format::fixed(loss, 4)))
        }
        Task::Recall(recall) => {
            let loss = (recall.pairs as f64).ln();
            (loss, format!("chance, ln {} = {}", recall.pairs, format::fixed(loss, 2)))
        }
    };
    Some(Reference { level: loss.log10(), text }).filter(|reference| reference.level.is_finite())
}

/// A range that holds the smoothed curve and the reference, and changes only in steps: a half to a
/// fifth to a tenth.
fn around(columns: &[Column], reference: Option<&Reference>) -> [f64; 2] {
    let levels =
        || columns.iter().map(|c| c.smooth).chain(reference.map(|reference| reference.level));
    let (low, high) = (
        levels().fold(f64::INFINITY, f64::min) - 0.06,
        levels().fold(f64::NEG_INFINITY, f64::max) + 0.06,
    );
    let marks = |value: f64| FINE.map(|digit| value.floor() + digit);
    let below = marks(low).into_iter().filter(|mark| *mark <= low).fold(low.floor(), f64::max);
    let above = marks(high).into_iter().filter(|mark| *mark >= high).fold(high.ceil(), f64::min);
    [below, above.max(below + 0.3)]
}

/// log10 of 1, 2 and 5.
const FINE: [f64; 3] = [0.0, std::f64::consts::LOG10_2, 1.0 - std::f64::consts::LOG10_2];

fn fine_marks(input: egui_plot::GridInput) -> Vec<GridMark> {
    let (low, high) = (input.bounds.0.floor() as i32, input.bounds.1.ceil() as i32);
    let marks = (low..=high).flat_map(|decade| FINE.map(|digit| f64::from(decade) + digit));
    marks
        .filter(|value| (input.bounds.0..=input.bounds.1).contains(value))
        .map(|value| GridMark { value, step_size: 0.3 })
        .collect()
}

fn fine_label(value: f64) -> String {
    let decimals = (-value.floor()).clamp(0.0, 3.0) as usize;
    if value < -3.0 {
        format::scientific(10f64.powf(value))
    } else {
        format!("{:.decimals$}", 10f64.powf(value))
    }
}

/// At most [`COLUMNS`] columns; what has no logarithm is left out.
fn columns(buckets: &[Bucket], raw: bool) -> Vec<Column> {
    let log = |value: f64| Some(value.log10()).filter(|log| log.is_finite());
    buckets
        .chunks(buckets.len().div_ceil(COLUMNS).max(1))
        .filter_map(|chunk| {
            let last = chunk.last()?;
            let scale = |power: f64| if raw || power <= 0.0 { 1.0 } else { power };
            let low = chunk
                .iter()
                .map(|b| f64::from(b.min) / scale(b.power))
                .fold(f64::INFINITY, f64::min);
            let high = chunk.iter().map(|b| f64::from(b.max) / scale(b.power)).fold(0.0, f64::max);
            let smooth = last.smooth.0 / scale(last.smooth.1);
            Some(Column {
                step: (last.first + last.count - 1) as f64,
                low: log(low)?,
                high: log(high)?,
                smooth: log(smooth)?,
            })
        })
        .collect()
}

/// Whole decades around the smoothed curve, at least three; the band may be cut, not the line.
fn decades(columns: &[Column]) -> [f64; 2] {
    let fold =
        |pick: fn(f64, f64) -> f64, start: f64| columns.iter().map(|c| c.smooth).fold(start, pick);
    let (low, high) = (fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY));
    let top = (high + 0.1).ceil();
    [(low - 0.3).floor().min(top - 3.0), top]
}

fn decade_marks(input: egui_plot::GridInput) -> Vec<GridMark> {
    let (low, high) = (input.bounds.0.ceil() as i32, input.bounds.1.floor() as i32);
    let stride = (high - low).div_euclid(6) + 1;
    (low..=high)
        .filter(|decade| decade.rem_euclid(stride) == 0)
        .map(|decade| GridMark { value: f64::from(decade), step_size: f64::from(stride) })
        .collect()
}

fn decade_label(value: f64) -> String {
    match value.round() as i32 {
        0 => "1".into(),
        decade => format!("1e{decade}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::StepLoss;
    use crate::train::history::LossHistory;

    #[test]
    fn what_is_no_number_is_left_out() {
        let mut history = LossHistory::default();
        let losses =
            [1.0, 0.1, f32::INFINITY, 0.0, f32::NAN].map(|loss| StepLoss { loss, power: 2.0 });
        history.extend(1, &losses);
        let columns = columns(history.buckets(), false);
        assert_eq!(columns.len(), 2);
        assert!(
            columns.iter().all(|c| c.low.is_finite() && c.high.is_finite() && c.smooth.is_finite())
        );
        assert!((columns[0].low - 0.5f64.log10()).abs() < 1e-9);
        assert_eq!(decades(&columns), [-3.0, 0.0]);
        let [low, high] = around(&columns, Some(&Reference { level: -1.0, text: String::new() }));
        assert!(
            (low - 0.05f64.log10()).abs() < 1e-9 && (high - 1.0f64.log10()).abs() < 1e-9,
            "{low} {high}"
        );
    }
}
