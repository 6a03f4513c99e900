//! The curves of a comparison, one over the other: each layer at the best of its learning rates,
//! the median of its seeds bold.

use super::super::card as run_card;
use super::super::frame::{BELOW, Frame, LEFT};
use super::super::plot::Picture;
use super::super::scale::{self, Tick};
use super::super::{Shown, State, marks, picture};
use super::leaders;
use crate::sweep::contest::{Contender, median};
use crate::sweep::measure::Measure;
use crate::sweep::queue::{Queue, State as RunState};
use crate::sweep::record::{Outcome, mark, whole};
use crate::ui::theme::{Palette, plain};
use crate::ui::{Action, card, export, format};
use eframe::egui;
use egui::{Align2, PointerButton, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, vec2};

/// How near the pointer must be to a curve.
const NEAR: f32 = 10.0;

/// The curves of one layer.
struct Bundle {
    /// Which series of the picture.
    series: usize,
    /// (run, its points: step and log10 of the measure).
    runs: Vec<(usize, Vec<[f64; 2]>)>,
    /// The median where all of its runs have a point.
    median: Vec<[f64; 2]>,
}

/// What is drawn.
pub struct Curves {
    bundles: Vec<Bundle>,
    steps: u64,
    levels: [f64; 2],
    measure: Measure,
}

impl Curves {
    /// Of the best contender of each variant.
    pub fn of(queue: &Queue, contenders: &[Contender], picture: &Picture) -> Self {
        let measure = picture.measure;
        let mut bundles = vec![];
        for contender in leaders(contenders, picture.series.len()) {
            let Some(rate) = contender.best() else { continue };
            let runs = rate
                .runs
                .iter()
                .map(|&run| (run, run_card::points(queue, run, measure)))
                .filter(|(_, points)| !points.is_empty())
                .collect();
            bundles.push(Bundle {
                series: contender.variant,
                runs,
                median: middle(queue, &rate.runs, measure),
            });
        }
        let steps = queue.runs().iter().map(|run| u64::from(run.recipe.steps)).max().unwrap_or(1);
        let all = bundles
            .iter()
            .flat_map(|bundle| &bundle.runs)
            .flat_map(|(_, points)| points)
            .map(|point| point[1]);
        let levels = scale::levels(all.chain(picture.reference.map(f64::log10)));
        Self { bundles, steps, levels, measure }
    }
}

/// (step, log10) of the median of `runs` at each mark that all of those in training have passed; a
/// diverged run is infinite from its end on.
fn middle(queue: &Queue, runs: &[usize], measure: Measure) -> Vec<[f64; 2]> {
    let begun: Vec<usize> =
        runs.iter().copied().filter(|&run| queue.curve(run).is_some()).collect();
    let Some(steps) = begun.first().map(|&run| u64::from(queue.runs()[run].recipe.steps)) else {
        return vec![];
    };
    let at = |run: usize, place: usize| {
        let (first, curve) = queue.curve(run)?;
        let diverged = matches!(queue.state(run), RunState::Over(record) if matches!(record.outcome, Outcome::Diverged(_)));
        let point = place.checked_sub(first).and_then(|i| curve.0.get(i));
        point.map_or(diverged.then_some(f64::INFINITY), |point| measure.value(*point))
    };
    let level = |place: u64| {
        let values: Option<Vec<f64>> =
            begun.iter().map(|&run| at(run, usize::try_from(place).ok()?)).collect();
        Some([mark(steps, place + 1) as f64, median(values?)?.log10()])
            .filter(|point| point[1].is_finite())
    };
    (0..whole(steps)).filter_map(level).collect()
}

/// Draws the card.
pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    shown: &Shown,
    queue: &Queue,
    actions: &mut Vec<Action>,
) {
    let curves = &shown.curves;
    let subtitle = format!("{}, log scale", curves.measure.name());
    let mut save = false;
    let inner =
        card::show(ui, rect, "Training", &subtitle, |ui| save = export::button(ui, "Training"));
    if save {
        actions.push(export::svg(ui, "curves.svg", vec2(880.0, 500.0), &mut |ui, rect| {
            let inner = card::show(ui, rect, &queue.sweep.title, &subtitle, |_| ());
            draw(ui, inner, curves, shown, None);
        }));
    }
    let Some(frame) = draw(ui, inner, curves, shown, state.selected) else { return };
    let response = ui.interact(inner, ui.scope_id().with("race curves"), Sense::click());
    let over = response.hover_pos().and_then(|pointer| nearest(curves, &frame, pointer));
    if response.clicked_by(PointerButton::Primary) {
        state.select(over.map(|(run, ..)| run).filter(|run| state.selected != Some(*run)));
    }
    if response.has_focus() {
        picture::keys(ui, &response, state, &shown.picture);
    }
    let said = state.selected.map_or_else(
        || "No run is chosen".into(),
        |run| run_card::sentence(queue, run, curves.measure),
    );
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Image,
            true,
            format!("Training curves of {} layers. {said}", curves.bundles.len()),
        )
    });
    if let Some((run, step, level)) = over {
        ui.painter().circle_stroke(
            frame.at(step, level),
            5.0,
            Stroke::new(1.6, Palette::of(ui).ink),
        );
        response.on_hover_text_at_pointer(format!(
            "{}\n{} {} at step {}",
            queue.runs()[run].name,
            curves.measure.name(),
            format::scientific(10f64.powf(level)),
            format::thousands(step as u64)
        ));
    }
}

/// The run, and its point, that is nearest to the pointer.
fn nearest(curves: &Curves, frame: &Frame, pointer: Pos2) -> Option<(usize, f64, f64)> {
    let all = curves
        .bundles
        .iter()
        .flat_map(|bundle| &bundle.runs)
        .flat_map(|(run, points)| points.iter().map(|point| (*run, point[0], point[1])));
    let apart = |point: &(usize, f64, f64)| frame.at(point.1, point.2).distance(pointer);
    all.min_by(|a, b| apart(a).total_cmp(&apart(b))).filter(|point| apart(point) <= NEAR)
}

/// Draws the plot without its title; returns where things are, if there is room.
fn draw(
    ui: &Ui,
    rect: Rect,
    curves: &Curves,
    shown: &Shown,
    selected: Option<usize>,
) -> Option<Frame> {
    let palette = Palette::of(ui);
    let legend_height = picture::legend_height(ui.painter(), rect.width(), &shown.picture, palette);
    let inner = Rect::from_min_max(
        rect.min + vec2(LEFT, legend_height + 18.0),
        rect.max - vec2(12.0, BELOW),
    );
    if inner.width() < 60.0 || inner.height() < 50.0 {
        return None;
    }
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let frame = Frame { rect: inner, x: [0.0, curves.steps as f64], y: curves.levels };
    let step_ticks: Vec<Tick> = scale::linear_ticks(frame.x, (inner.width() / 70.0) as usize)
        .into_iter()
        .map(|tick| Tick { text: format::short(tick.place), ..tick })
        .collect();
    let level_ticks = scale::log_ticks(curves.levels, (inner.height() / 26.0) as usize);
    frame.draw(&painter, palette, [&step_ticks, &level_ticks], ["Step", curves.measure.name()]);
    picture::legend(
        &painter,
        Rect::from_min_size(rect.min, vec2(rect.width(), legend_height)),
        &shown.picture,
        palette,
    );
    picture::gradient_step(&painter, &frame, &shown.picture, palette);
    let line = |points: &[[f64; 2]], stroke: Stroke| {
        Shape::line(points.iter().map(|point| frame.at(point[0], point[1])).collect(), stroke)
    };
    for bundle in &curves.bundles {
        let color = palette.series(bundle.series);
        for (run, points) in &bundle.runs {
            let stroke = if selected == Some(*run) {
                Stroke::new(2.4, palette.ink)
            } else {
                Stroke::new(1.0, color.gamma_multiply(0.45))
            };
            painter.add(line(points, stroke));
        }
        if palette.is_again(bundle.series) {
            let places: Vec<Pos2> =
                bundle.median.iter().map(|point| frame.at(point[0], point[1])).collect();
            painter.extend(Shape::dashed_line(&places, Stroke::new(2.0, color), 6.0, 3.0));
        } else {
            painter.add(line(&bundle.median, Stroke::new(2.0, color)));
        }
        if let Some(last) = bundle.median.last() {
            painter.add(marks::filled(bundle.series, frame.at(last[0], last[1]), 3.6, color));
        }
    }
    if curves.bundles.is_empty() {
        painter.text(
            inner.center(),
            Align2::CENTER_CENTER,
            "the curves come with the first steps",
            plain(12.5),
            palette.mute,
        );
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::StepLoss;
    use crate::sweep::Sweep;
    use crate::sweep::record::{Curve, Record};

    #[test]
    fn the_median_goes_on_where_one_of_three_has_diverged() {
        let text =
            r#"{ "preset": "quick", "settings": { "steps": 640 }, "grid": { "seed": [1, 2, 3] } }"#;
        let mut queue = Queue::new(Sweep::read("test", text).unwrap()).unwrap();
        let curve = |losses: &[f32]| {
            Curve(losses.iter().map(|loss| StepLoss { loss: *loss, power: 1.0 }).collect())
        };
        let record = |queue: &Queue, run: usize, outcome, curve| {
            let run = &queue.runs()[run];
            Record {
                key: run.key.clone(),
                recipe: run.recipe.clone(),
                outcome,
                curve,
                neurons: None,
                device: String::new(),
            }
        };
        queue.finish(record(&queue, 0, Outcome::Diverged(15), curve(&[0.5])));
        queue.finish(record(&queue, 1, Outcome::Finished, curve(&[0.1; 64])));
        queue.progress(2, 40, curve(&[0.3, 0.3, 0.01, 0.01]));
        let levels = |queue: &Queue| {
            middle(queue, &[0, 1, 2], Measure::Nmse)
                .iter()
                .map(|[step, level]| [*step, (10f64.powf(*level) * 100.0).round()])
                .collect::<Vec<_>>()
        };
        assert_eq!(
            levels(&queue),
            [[10.0, 30.0], [20.0, 30.0], [30.0, 10.0], [40.0, 10.0]],
            "as far as the one in training is"
        );
        // Kept with its end alone: there, and not at the beginning.
        queue.finish(record(&queue, 1, Outcome::Finished, curve(&[0.1])));
        queue.finish(record(&queue, 2, Outcome::Finished, curve(&[0.2; 64])));
        assert_eq!(levels(&queue), [[640.0, 20.0]]);
    }
}
