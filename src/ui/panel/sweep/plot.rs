//! A sweep's runs as points of a picture: where each stands, which lines join them. Pure;
//! [`super::picture`] draws it.

use crate::recipe::Recipe;
use crate::recipe::settings::Setting;
use crate::sweep::measure::Measure;
use crate::sweep::queue::{Queue, State};
use crate::sweep::record::Outcome;
use crate::sweep::{Axis, Run, is_variant};
use crate::task::Task;
use crate::theory::gradient_step;
use crate::ui::kit::chart::scale;
use crate::ui::kit::chart::scale::Scale;
use crate::ui::kit::format::short_name;

/// How far a point's run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All steps done.
    Finished,
    /// In training: the value is the current one.
    Training,
    /// The loss stopped being a number.
    Diverged,
    /// It could not start or go on.
    Failed,
}

/// A run in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its number in the queue.
    pub run: usize,
    /// Which of [`Picture::series`].
    pub series: usize,
    /// Its value on the axis from left to right, as [`Scale`] places it.
    pub x: f64,
    /// log10 of the measure; `None` stands at the top edge.
    pub level: Option<f64>,
    /// How far it is.
    pub kind: Kind,
    /// Another of its kind is what counts: it is drawn small.
    pub aside: bool,
}

/// The runs of one colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// `rank = 2`; empty if there is only one.
    pub name: String,
    /// (x, log10 of the median) where runs are over; `None` where half of them or more diverged.
    pub medians: Vec<(f64, Option<f64>)>,
    /// Theory's fewest neurons, if x is the number of neurons and all of its runs agree.
    pub minimum: Option<usize>,
}

/// All that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What is measured.
    pub measure: Measure,
    /// Which of the sweep's axes goes from left to right; `None` if it has none.
    pub x_axis: Option<usize>,
    /// What that axis is called.
    pub x_title: String,
    /// How its values are placed.
    pub scale: Scale,
    /// Least and largest log10 of the measure that are shown.
    pub levels: [f64; 2],
    /// The runs that have something to show, in the queue's order.
    pub points: Vec<Point>,
    pub series: Vec<Series>,
    /// The loss of one gradient step, if all runs have the same one.
    pub reference: Option<f64>,
}

/// An axis's values as numbers, if all of them are some.
fn numbers(axis: &Axis) -> Option<Vec<f64>> {
    let numeric = |key: &String| Setting::find(key).is_some_and(|setting| setting.kind.is_number());
    if axis.keys.is_empty() || !axis.keys.iter().all(numeric) {
        return None;
    }
    axis.values
        .iter()
        .map(|value| value.trim().parse().ok().filter(|value: &f64| value.is_finite()))
        .collect()
}

/// The axes that can go from left to right, the usual one first: numbers, in the sweep's order;
/// else any.
pub fn choices(axes: &[Axis]) -> Vec<usize> {
    let with = |wanted: &dyn Fn(&Axis) -> bool| {
        (0..axes.len()).filter(|&i| wanted(&axes[i])).collect::<Vec<usize>>()
    };
    let numeric = with(&|axis| !axis.is_seed() && axis.values.len() > 1 && numbers(axis).is_some());
    let other = || with(&|axis| !axis.is_seed() && axis.values.len() > 1);
    [numeric, other(), with(&|_| true)]
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// `n = m`, or the whole name of a single setting.
pub fn axis_title(axis: &Axis) -> String {
    match axis.keys.as_slice() {
        [key] => Setting::find(key).map_or_else(|| key.clone(), |setting| setting.label.into()),
        keys => keys.iter().map(|key| short(key)).collect::<Vec<_>>().join(" = "),
    }
}

/// The setting's letter, or its key.
pub fn short(key: &str) -> &str {
    Setting::find(key).map(short_name).filter(|name| name.chars().count() == 1).unwrap_or(key)
}

/// A schedule that is constant is its value.
fn value_text(value: &str) -> &str {
    value.strip_prefix("0:").filter(|rest| !rest.contains(':')).unwrap_or(value)
}

/// Draws up the picture; `x_axis` is what the user chose, `minimum` what theory knows of a recipe.
pub fn picture(
    queue: &Queue,
    x_axis: Option<usize>,
    minimum: fn(&Recipe) -> Option<usize>,
) -> Picture {
    let (axes, runs) = (&queue.sweep.axes, queue.runs());
    let measure = Measure::of(runs);
    let choices = choices(axes);
    let x_axis = x_axis.filter(|axis| choices.contains(axis)).or(choices.first().copied());
    let scale = match x_axis.map(|i| &axes[i]) {
        None => Scale::names(vec!["the only run".into()]),
        Some(axis) => match numbers(axis) {
            Some(numbers) => Scale::numbers(&numbers),
            None => Scale::names(axis.values.clone()),
        },
    };
    let split: Vec<usize> = (0..axes.len())
        .filter(|&i| Some(i) != x_axis && !axes[i].is_seed() && axes[i].values.len() > 1)
        .collect();
    let mut names: Vec<String> = vec![];
    let mut points = vec![];
    let mut series_of = Vec::with_capacity(runs.len());
    for (index, run) in runs.iter().enumerate() {
        let word = |i: usize| {
            if is_variant(&axes[i]) {
                run.values[i].clone()
            } else {
                format!(
                    "{} = {}",
                    axes[i].keys.iter().map(|key| short(key)).collect::<Vec<_>>().join(" = "),
                    value_text(&run.values[i])
                )
            }
        };
        let name = split.iter().map(|&i| word(i)).collect::<Vec<_>>().join(" · ");
        let series = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        series_of.push(series);
        let Some((level, kind)) = reading(queue, index, measure) else { continue };
        points.push(Point {
            run: index,
            series,
            x: scale.place(x_axis.map_or("", |i| &run.values[i])),
            level,
            kind,
            aside: false,
        });
    }
    let on_neurons = x_axis.is_some_and(|i| axes[i].keys.iter().any(|key| key == "hidden"));
    let fewest: Vec<Option<usize>> = if on_neurons {
        runs.iter().map(|run| minimum(&run.recipe)).collect()
    } else {
        vec![None; runs.len()]
    };
    let series = names.into_iter().enumerate().map(|(i, name)| {
        let own: Vec<usize> = (0..runs.len()).filter(|&run| series_of[run] == i).collect();
        Series {
            name,
            medians: medians(&points, i),
            minimum: same(own.iter().map(|&run| fewest[run])),
        }
    });
    let series = series.collect();
    let reference = reference(runs);
    let levels = scale::levels(
        points.iter().filter_map(|point| point.level).chain(reference.map(f64::log10)),
    );
    Picture {
        measure,
        x_axis,
        x_title: x_axis.map_or_else(String::new, |i| axis_title(&axes[i])),
        scale,
        levels,
        points,
        series,
        reference,
    }
}

/// log10 of the measure of a run, and how far it is; `None` if nothing is known yet, or it has no
/// logarithm.
pub fn reading(queue: &Queue, run: usize, measure: Measure) -> Option<(Option<f64>, Kind)> {
    let (level, kind) = match queue.state(run) {
        State::Waiting => return None,
        State::Training(_, curve) => {
            (curve.last().and_then(|last| measure.level(last)), Kind::Training)
        }
        State::Over(record) => match record.outcome {
            Outcome::Finished => {
                (record.curve.last().and_then(|last| measure.level(last)), Kind::Finished)
            }
            Outcome::Diverged(_) => (None, Kind::Diverged),
            Outcome::Failed(_) => (None, Kind::Failed),
        },
    };
    (level.is_some() || matches!(kind, Kind::Diverged | Kind::Failed)).then_some((level, kind))
}

/// The value that all have.
fn same<T: PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

/// Expected loss of the best gradient step, if all runs are regressions with the same one.
pub fn reference(runs: &[Run]) -> Option<f64> {
    let loss = |run: &Run| match run.recipe.task() {
        Task::Regression(task) => {
            Some(gradient_step::expected_loss(task, gradient_step::best_step_size(task)))
        }
        _ => None,
    };
    same(runs.iter().map(loss))
}

/// The median of each place, over finished runs and diverged ones, which count as infinite.
fn medians(points: &[Point], series: usize) -> Vec<(f64, Option<f64>)> {
    let mut own: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| {
            point.series == series && matches!(point.kind, Kind::Finished | Kind::Diverged)
        })
        .map(|point| (point.x, point.level.map_or(f64::INFINITY, |level| 10f64.powf(level))))
        .collect();
    own.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let median = |same: &[(f64, f64)]| {
        let (low, high) = (same[(same.len() - 1) / 2].1, same[same.len() / 2].1);
        (same[0].0, Some(((low + high) / 2.0).log10()).filter(|level| level.is_finite()))
    };
    own.chunk_by(|a, b| a.0 == b.0).map(median).collect()
}

impl Picture {
    /// The neighbouring places between which a series' median falls most, and the factor: (from,
    /// to, after / before).
    pub fn largest_drop(&self, series: usize) -> Option<(f64, f64, f64)> {
        let medians = &self.series.get(series)?.medians;
        let drops = medians
            .windows(2)
            .filter_map(|pair| Some((pair[0].0, pair[1].0, pair[1].1? - pair[0].1?)));
        drops
            .min_by(|a, b| a.2.total_cmp(&b.2))
            .filter(|drop| drop.2 < 0.0)
            .map(|(from, to, drop)| (from, to, 10f64.powf(drop)))
    }

    /// The place with the least median: (place, measure).
    pub fn least(&self, series: usize) -> Option<(f64, f64)> {
        let medians =
            self.series.get(series)?.medians.iter().filter_map(|&(x, level)| Some((x, level?)));
        medians.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(x, level)| (x, 10f64.powf(level)))
    }

    /// The minima of theory that the picture marks: (neurons, its series if they differ).
    pub fn minima(&self) -> Vec<(usize, Option<usize>)> {
        if let Some(minimum) = same(self.series.iter().map(|series| series.minimum)) {
            return vec![(minimum, None)];
        }
        self.series
            .iter()
            .enumerate()
            .filter_map(|(i, series)| Some((series.minimum?, Some(i))))
            .collect()
    }

    /// The run beside `run` in a direction: along x, or (up, down) at the same place, then on.
    pub fn neighbour(&self, run: Option<usize>, [along, up]: [i32; 2]) -> Option<usize> {
        let height = |point: &Point| point.level.unwrap_or(f64::INFINITY);
        let Some(from) = run.and_then(|run| self.points.iter().find(|point| point.run == run))
        else {
            return self
                .points
                .iter()
                .min_by(|a, b| a.x.total_cmp(&b.x).then(height(a).total_cmp(&height(b))))
                .map(|point| point.run);
        };
        let sign = f64::from(along + up);
        let found = if along != 0 {
            // The next place, and there what is of the same series, else nearest in height.
            let ahead = self.points.iter().filter(|point| (point.x - from.x) * sign > 0.0);
            let next = ahead
                .clone()
                .map(|point| point.x)
                .min_by(|a, b| (a * sign).total_cmp(&(b * sign)))?;
            let apart = |point: &Point| {
                (
                    point.series != from.series,
                    (point.level.unwrap_or(self.levels[1]) - from.level.unwrap_or(self.levels[1]))
                        .abs(),
                )
            };
            ahead
                .filter(|point| point.x == next)
                .min_by(|a, b| apart(a).0.cmp(&apart(b).0).then(apart(a).1.total_cmp(&apart(b).1)))
        } else {
            let order = |point: &Point| (height(point), point.run);
            let less = |a: (f64, usize), b: (f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            let mut column: Vec<&Point> =
                self.points.iter().filter(|point| point.x == from.x).collect();
            column.sort_by(|a, b| less(order(a), order(b)));
            let place = column.iter().position(|point| point.run == from.run)?;
            if up > 0 {
                column.get(place + 1).copied()
            } else {
                place.checked_sub(1).map(|place| column[place])
            }
        };
        found.map(|point| point.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::StepLoss;
    use crate::sweep::Sweep;
    use crate::sweep::record::{Curve, Record};

    fn axis(keys: &str, values: &str) -> Axis {
        let list = |text: &str| text.split(',').map(Into::into).collect();
        Axis { keys: list(keys), values: list(values) }
    }

    fn queue(preset: &str, axes: &[(&str, &str)]) -> Queue {
        let axes = axes.iter().map(|(keys, values)| axis(keys, values)).collect();
        Queue::new(Sweep {
            title: String::new(),
            about: String::new(),
            preset: preset.into(),
            settings: vec![],
            variants: vec![],
            axes,
        })
        .unwrap()
    }

    fn point(nmse: f64) -> StepLoss {
        StepLoss { loss: nmse as f32 * 2.0, power: 2.0 }
    }

    /// Ends run `index` with that nMSE, or diverged.
    fn end(queue: &mut Queue, index: usize, nmse: Option<f64>) {
        let run = queue.runs()[index].clone();
        let outcome = if nmse.is_some() { Outcome::Finished } else { Outcome::Diverged(5) };
        let curve = Curve(vec![point(1.0), point(nmse.unwrap_or(3.0))]);
        queue.finish(Record {
            key: run.key,
            recipe: run.recipe,
            outcome,
            curve,
            neurons: None,
            device: "CPU".into(),
        });
    }

    fn close(found: Option<f64>, value: f64) -> bool {
        found.is_some_and(|level| (level - value.log10()).abs() < 1e-6)
    }

    /// Sizes 8 and 16, three seeds: known medians, a diverged run, one in training, one that waits.
    #[test]
    fn runs_become_points_and_medians() {
        let mut queue = queue("quick", &[("hidden,gates", "8,16,24"), ("seed", "1,2,3")]);
        for (index, nmse) in [
            (0, Some(0.5)),
            (1, Some(0.1)),
            (2, Some(0.2)),
            (3, Some(0.01)),
            (4, None),
            (5, Some(0.02)),
        ] {
            end(&mut queue, index, nmse);
        }
        queue.progress(6, 10, Curve(vec![point(0.9), point(0.3)]));
        queue.progress(7, 1, Curve::default());
        let picture = picture(&queue, None, |recipe| Some(recipe.dim + 3));
        assert_eq!(
            (picture.measure, picture.x_axis, picture.x_title.as_str()),
            (Measure::Nmse, Some(0), "n = m")
        );
        let kinds: Vec<(usize, f64, Kind)> =
            picture.points.iter().map(|point| (point.run, point.x, point.kind)).collect();
        let finished = |run, x| (run, x, Kind::Finished);
        assert_eq!(
            kinds,
            [
                finished(0, 8.0),
                finished(1, 8.0),
                finished(2, 8.0),
                finished(3, 16.0),
                (4, 16.0, Kind::Diverged),
                finished(5, 16.0),
                (6, 24.0, Kind::Training)
            ]
        );
        assert!(
            close(picture.points[0].level, 0.5)
                && close(picture.points[6].level, 0.3)
                && picture.points[4].level.is_none()
        );
        assert_eq!(picture.series.len(), 1);
        let medians = &picture.series[0].medians;
        // Of 0.01, 0.02 and infinity the median is 0.02; nothing at 24 is over.
        assert!(
            medians.len() == 2 && close(medians[0].1, 0.2) && close(medians[1].1, 0.02),
            "{medians:?}"
        );
        let (from, to, factor) = picture.largest_drop(0).unwrap();
        assert!((from, to) == (8.0, 16.0) && (factor - 0.1).abs() < 1e-6, "{factor}");
        assert!(
            picture.least(0).is_some_and(|(x, value)| x == 16.0 && (value - 0.02).abs() < 1e-6)
        );
        assert_eq!(
            (picture.minima(), picture.reference, picture.levels),
            (vec![(5, None)], None, [-3.0, 0.0])
        );
    }

    #[test]
    fn where_half_diverged_there_is_no_median() {
        let mut queue = queue("quick", &[("hidden", "8,16"), ("seed", "1,2")]);
        for (index, nmse) in [(0, Some(0.5)), (1, None), (2, Some(0.1)), (3, Some(0.3))] {
            end(&mut queue, index, nmse);
        }
        let picture = picture(&queue, None, |_| None);
        let medians = &picture.series[0].medians;
        assert!(medians[0] == (8.0, None) && close(medians[1].1, 0.2), "{medians:?}");
        assert_eq!((picture.largest_drop(0), picture.minima()), (None, vec![]));
    }

    #[test]
    fn the_next_axis_is_the_series() {
        let mut queue = queue(
            "regression",
            &[("gating", "output,side"), ("hidden", "12,24"), ("pairs", "5,12"), ("seed", "1,2")],
        );
        (0..16).for_each(|index| end(&mut queue, index, Some(0.1)));
        let fewest = |recipe: &Recipe| {
            Some(if recipe.gating == crate::recipe::Gating::Side { 9 } else { 12 })
        };
        let first = picture(&queue, None, fewest);
        assert_eq!(
            (choices(&queue.sweep.axes), first.x_axis, first.measure),
            (vec![1, 2], Some(1), Measure::Loss)
        );
        let names: Vec<&str> = first.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "gating = output · pairs = 5",
                "gating = output · pairs = 12",
                "gating = side · pairs = 5",
                "gating = side · pairs = 12"
            ]
        );
        assert_eq!(first.minima(), [(12, Some(0)), (12, Some(1)), (9, Some(2)), (9, Some(3))]);
        assert!(first.points.iter().all(|point| close(point.level, 0.2)), "the loss, not the nMSE");
        assert_eq!(first.reference, None, "a gradient step on 5 pairs has another loss than on 12");
        let over_pairs = picture(&queue, Some(2), fewest);
        assert_eq!(
            (over_pairs.x_axis, over_pairs.minima().len(), over_pairs.points[1].x),
            (Some(2), 0, 5.0)
        );
        let nonsense = picture(&queue, Some(0), fewest);
        assert_eq!(
            nonsense.x_axis,
            Some(1),
            "words do not go from left to right where numbers can"
        );
    }

    #[test]
    fn constant_schedules_are_their_values() {
        assert_eq!(
            ["0:0.999", "0:1,1:0", "side", "0"].map(value_text),
            ["0.999", "0:1,1:0", "side", "0"]
        );
    }

    #[test]
    fn a_gradient_step_is_drawn_where_all_have_the_same() {
        let picture =
            picture(&queue("regression", &[("hidden", "12,24"), ("seed", "1,2")]), None, |_| None);
        assert!(picture.reference.is_some_and(|loss| (loss - 0.094_594_594).abs() < 1e-8));
        assert!(
            picture.levels[0] <= 0.0946f64.log10()
                && picture.levels[1] >= 0.0946f64.log10()
                && picture.points.is_empty()
        );
    }

    #[test]
    fn axes_without_numbers_are_drawn_as_well() {
        assert_eq!(
            picture(&queue("quick", &[("gating", "output,side")]), None, |_| None).scale,
            Scale::names(vec!["output".into(), "side".into()])
        );
        assert_eq!(picture(&queue("quick", &[("seed", "1,2")]), None, |_| None).x_axis, Some(0));
        assert_eq!(
            picture(&queue("quick", &[]), None, |_| None).scale,
            Scale::names(vec!["the only run".into()])
        );
    }

    #[test]
    fn arrows_go_from_dot_to_dot() {
        let mut queue = queue("quick", &[("hidden", "8,16"), ("seed", "1,2,3")]);
        for (index, nmse) in [
            (0, Some(0.5)),
            (1, Some(0.1)),
            (2, None),
            (3, Some(0.09)),
            (4, Some(0.001)),
            (5, Some(0.4)),
        ] {
            end(&mut queue, index, nmse);
        }
        let picture = picture(&queue, None, |_| None);
        let go = |run, direction| picture.neighbour(run, direction);
        assert_eq!(go(None, [1, 0]), Some(1), "the lowest at the left");
        assert_eq!(
            (go(Some(1), [1, 0]), go(Some(0), [1, 0]), go(Some(3), [-1, 0])),
            (Some(3), Some(5), Some(1)),
            "the nearest in height"
        );
        assert_eq!(
            (go(Some(1), [0, 1]), go(Some(0), [0, 1]), go(Some(2), [0, 1])),
            (Some(0), Some(2), None),
            "up to the top edge"
        );
        assert_eq!((go(Some(1), [0, -1]), go(Some(3), [1, 0])), (None, None));
    }
}
