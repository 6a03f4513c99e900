//! What is known of one run: how it differs, its numbers, its curve.

use crate::backend::StepLoss;
use crate::recipe::Gating;
use crate::sweep::measure::Measure;
use crate::sweep::queue::{Queue, State};
use crate::sweep::record::{Outcome, mark};
use crate::ui::kit::chart::frame::{Frame, LEFT};
use crate::ui::kit::chart::scale;
use crate::ui::kit::chart::scale::Scale;
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, plain, strong};
use eframe::egui;
use egui::{Align2, Label, Rect, RichText, Sense, Stroke, Ui, pos2, vec2};

/// Its width as a tooltip.
const WIDTH: f32 = 250.0;

/// How far a run is, in a few words.
pub fn condition(queue: &Queue, run: usize) -> String {
    let steps = u64::from(queue.runs()[run].recipe.steps);
    match queue.state(run) {
        State::Waiting => "waiting".into(),
        State::Training(step, _) => {
            format!("in training, step {} of {}", format::thousands(step), format::thousands(steps))
        }
        State::Over(record) => match &record.outcome {
            Outcome::Finished => format!("finished, {} steps", format::thousands(steps)),
            Outcome::Diverged(step) => format!("diverged at step {}", format::thousands(*step)),
            Outcome::Failed(why) => format!("failed: {why}"),
        },
    }
}

/// Loss and nMSE as they stand.
pub fn numbers(queue: &Queue, run: usize) -> (Option<f64>, Option<f64>) {
    let last = match queue.state(run) {
        State::Waiting => None,
        State::Training(_, curve) => curve.last(),
        State::Over(record) => record.curve.last().filter(|_| record.outcome == Outcome::Finished),
    };
    (
        last.and_then(|last| Measure::Loss.value(last)),
        last.and_then(|last| Measure::Nmse.value(last)),
    )
}

/// A run in a sentence, for those who can't see the picture.
pub fn sentence(queue: &Queue, run: usize, measure: Measure) -> String {
    let (loss, nmse) = numbers(queue, run);
    let value = if measure == Measure::Nmse { nmse } else { loss };
    let value = value.map_or_else(String::new, |value| {
        format!(", {} {}", measure.name(), format::scientific(value))
    });
    format!("{}: {}{value}", queue.runs()[run].name, condition(queue, run))
}

/// Draws the card as wide as there is room.
pub fn show(ui: &mut Ui, queue: &Queue, run: usize, measure: Measure) {
    let palette = Palette::of(ui);
    ui.set_max_width(WIDTH.min(ui.available_width()));
    ui.spacing_mut().item_spacing.y = 3.0;
    ui.add(Label::new(RichText::new(&queue.runs()[run].name).font(strong(13.0))).wrap());
    ui.add(Label::new(RichText::new(condition(queue, run)).color(palette.mute)).wrap());
    let (loss, nmse) = numbers(queue, run);
    let training = matches!(queue.state(run), State::Training(..));
    let word = if training { "now" } else { "final" };
    // Where the loss is what counts, the nMSE is of no use.
    let shown = [("loss", loss), ("nMSE", nmse.filter(|_| measure == Measure::Nmse))];
    let said: Vec<String> = shown
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", format::scientific(value?))))
        .collect();
    if !said.is_empty() {
        ui.add(Label::new(RichText::new(format!("{word} {}", said.join(" · ")))).wrap());
    }
    if let State::Over(record) = queue.state(run) {
        if let Some(census) = &record.neurons {
            let recipe = &record.recipe;
            let used = census.key_value + census.query + census.between;
            let mut text = format!(
                "{used} of {} neurons in use: {} with λ near 1, {} near 0",
                recipe.hidden, census.key_value, census.query
            );
            if census.between > 0 {
                text += &format!(", {} between", census.between);
            }
            if recipe.gating == Gating::Output {
                text += &format!("; {} of {} gates", census.gates, recipe.gates);
            }
            ui.add(Label::new(text).wrap());
        }
        ui.add(Label::new(RichText::new(&record.device).size(11.0).color(palette.mute)).truncate());
    }
    let points = points(queue, run, measure);
    if points.len() > 1 {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 130.0), Sense::hover());
        draw_curve(ui, rect, &points, u64::from(queue.runs()[run].recipe.steps), measure);
    }
}

/// (step, log10) of each point of a run's curve that has a logarithm: a mean stands at the end of
/// its steps.
pub fn points(queue: &Queue, run: usize, measure: Measure) -> Vec<[f64; 2]> {
    let Some((first, curve)) = queue.curve(run) else { return vec![] };
    let steps = queue.runs()[run].recipe.steps.into();
    let at = |(i, point): (usize, &StepLoss)| {
        Some([mark(steps, (first + i) as u64 + 1) as f64, measure.level(*point)?])
    };
    curve.0.iter().enumerate().filter_map(at).collect()
}

fn draw_curve(ui: &Ui, rect: Rect, points: &[[f64; 2]], steps: u64, measure: Measure) {
    let palette = Palette::of(ui);
    let inner = Rect::from_min_max(rect.min + vec2(LEFT, 18.0), rect.max - vec2(14.0, 17.0));
    let levels = scale::levels(points.iter().map(|point| point[1]));
    let frame = Frame { rect: inner, x: [0.0, steps.max(1) as f64], y: levels };
    let steps_ticks: Vec<scale::Tick> = scale::linear_ticks(frame.x, 3)
        .into_iter()
        .map(|tick| scale::Tick { text: format::short(tick.place), ..tick })
        .collect();
    frame.draw(
        ui.painter(),
        palette,
        [&steps_ticks, &scale::log_ticks(levels, 4)],
        ["", &format!("{}, log scale", measure.name())],
    );
    ui.painter().text(
        pos2(rect.left(), inner.bottom() + 4.0),
        Align2::LEFT_TOP,
        "step",
        plain(10.5),
        palette.mute,
    );
    let line: Vec<egui::Pos2> =
        points.iter().map(|[step, level]| frame.at(*step, *level)).collect();
    ui.painter().line(line, Stroke::new(1.6, palette.accent));
}

/// A run's value on an axis in the words of its scale, for sentences.
pub fn at(scale: &Scale, title: &str, place: f64) -> String {
    format!("{title} = {}", scale.text(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Sweep;
    use crate::sweep::record::{Curve, Record};

    #[test]
    fn a_curve_ends_at_its_last_step() {
        let mut queue = Queue::new(
            Sweep::read(
                "test",
                r#"{ "preset": "quick", "settings": { "steps": 640 }, "grid": { "seed": [1] } }"#,
            )
            .unwrap(),
        )
        .unwrap();
        let curve = Curve(vec![
            StepLoss { loss: 0.1, power: 1.0 },
            StepLoss { loss: 0.0, power: 1.0 },
            StepLoss { loss: 0.01, power: 2.0 },
        ]);
        queue.progress(0, 30, curve.clone());
        let found = points(&queue, 0, Measure::Nmse);
        assert_eq!(found.iter().map(|point| point[0]).collect::<Vec<_>>(), [10.0, 30.0]);
        assert!((found[1][1] - 0.005f64.log10()).abs() < 1e-7, "{found:?}");
        // Of a finished run these are the last three points; of a diverged one the first.
        let run = queue.runs()[0].clone();
        let record = |outcome| Record {
            key: run.key.clone(),
            recipe: run.recipe.clone(),
            outcome,
            curve: curve.clone(),
            neurons: None,
            device: String::new(),
        };
        for (outcome, steps) in
            [(Outcome::Finished, [620.0, 640.0]), (Outcome::Diverged(34), [10.0, 30.0])]
        {
            queue.finish(record(outcome));
            assert_eq!(
                points(&queue, 0, Measure::Nmse).iter().map(|point| point[0]).collect::<Vec<_>>(),
                steps
            );
        }
    }
}
