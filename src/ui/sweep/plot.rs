//! A sweep's runs as points of a picture: where each stands, which lines join them. Pure; [`super::picture`] draws it.

use super::scale::{self, Scale};
use crate::backend::StepLoss;
use crate::experiment::recipe::{Recipe, TaskName};
use crate::experiment::settings::{Kind as SettingKind, Setting};
use crate::experiment::sweep::record::Outcome;
use crate::experiment::sweep::queue::{Queue, State};
use crate::experiment::sweep::{Axis, Run};
use crate::task::Task;
use crate::theory::gradient_step;
use crate::ui::controls::short_name;

/// What stands on the axis from bottom to top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Loss over the targets' mean square: for tasks that imitate.
    Nmse,
    /// The loss itself: for regression and recall.
    Loss,
}

impl Measure {
    /// Of a sweep: nMSE if all of its runs have one.
    pub fn of(runs: &[Run]) -> Self {
        if runs.iter().any(|run| run.recipe.task.in_context()) { Self::Loss } else { Self::Nmse }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nmse => "nMSE",
            Self::Loss => "loss",
        }
    }

    /// Of a point of a curve.
    pub fn value(self, point: StepLoss) -> Option<f64> {
        let (loss, power) = (f64::from(point.loss), f64::from(point.power));
        match self {
            Self::Loss => Some(loss),
            Self::Nmse => (power > 0.0).then(|| loss / power),
        }
    }

    /// log10 of it, if it has one.
    pub fn level(self, point: StepLoss) -> Option<f64> {
        Some(self.value(point)?.log10()).filter(|level| level.is_finite())
    }
}

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
    /// By colour.
    pub series: Vec<Series>,
    /// The loss of one gradient step, if all runs have the same one.
    pub reference: Option<f64>,
}

/// Whether an axis is nothing but the random seed.
pub fn is_seed(axis: &Axis) -> bool {
    axis.keys.iter().all(|key| key == "seed")
}

/// An axis's values as numbers, if all of them are some.
fn numbers(axis: &Axis) -> Option<Vec<f64>> {
    let numeric = |key: &String| Setting::find(key).is_some_and(|setting| matches!(setting.kind, SettingKind::Integer { .. } | SettingKind::Number { .. }));
    if axis.keys.is_empty() || !axis.keys.iter().all(numeric) {
        return None;
    }
    axis.values.iter().map(|value| value.trim().parse().ok().filter(|value: &f64| value.is_finite())).collect()
}

/// The axes that can go from left to right, the usual one first: numbers, in the sweep's order; else any.
pub fn choices(axes: &[Axis]) -> Vec<usize> {
    let with = |wanted: &dyn Fn(&Axis) -> bool| (0..axes.len()).filter(|&i| wanted(&axes[i])).collect::<Vec<usize>>();
    let numeric = with(&|axis| !is_seed(axis) && axis.values.len() > 1 && numbers(axis).is_some());
    let other = || with(&|axis| !is_seed(axis) && axis.values.len() > 1);
    [numeric, other(), with(&|_| true)].into_iter().find(|found| !found.is_empty()).unwrap_or_default()
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

/// Draws up the picture; `x_axis` is what the user chose, `minimum` what theory knows of a recipe.
pub fn picture(queue: &Queue, x_axis: Option<usize>, minimum: fn(&Recipe) -> Option<usize>) -> Picture {
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
    let split: Vec<usize> = (0..axes.len()).filter(|&i| Some(i) != x_axis && !is_seed(&axes[i]) && axes[i].values.len() > 1).collect();
    let mut names: Vec<String> = vec![];
    let mut points = vec![];
    let mut series_of = Vec::with_capacity(runs.len());
    for (index, run) in runs.iter().enumerate() {
        let name = split.iter().map(|&i| format!("{} = {}", axes[i].keys.iter().map(|key| short(key)).collect::<Vec<_>>().join(" = "), run.values[i])).collect::<Vec<_>>().join(" · ");
        let series = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        series_of.push(series);
        let (level, kind) = match queue.state(index) {
            State::Waiting => continue,
            State::Training(_, curve) => (curve.last().and_then(|last| measure.level(last)), Kind::Training),
            State::Over(record) => match record.outcome {
                Outcome::Finished => (record.curve.last().and_then(|last| measure.level(last)), Kind::Finished),
                Outcome::Diverged(_) => (None, Kind::Diverged),
                Outcome::Failed(_) => (None, Kind::Failed),
            },
        };
        if level.is_none() && matches!(kind, Kind::Finished | Kind::Training) {
            continue; // nothing is known yet, or it has no logarithm
        }
        points.push(Point { run: index, series, x: scale.place(x_axis.map_or("", |i| &run.values[i])), level, kind });
    }
    let on_neurons = x_axis.is_some_and(|i| axes[i].keys.iter().any(|key| key == "hidden"));
    let fewest: Vec<Option<usize>> = if on_neurons { runs.iter().map(|run| minimum(&run.recipe)).collect() } else { vec![None; runs.len()] };
    let series = names.into_iter().enumerate().map(|(i, name)| {
        let own: Vec<usize> = (0..runs.len()).filter(|&run| series_of[run] == i).collect();
        Series { name, medians: medians(&points, i), minimum: same(own.iter().map(|&run| fewest[run])) }
    });
    let series = series.collect();
    let reference = reference(runs);
    let levels = scale::levels(points.iter().filter_map(|point| point.level).chain(reference.map(f64::log10)));
    Picture { measure, x_axis, x_title: x_axis.map_or_else(String::new, |i| axis_title(&axes[i])), scale, levels, points, series, reference }
}

/// The value that all have.
fn same<T: PartialEq>(mut values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

/// Expected loss of the best gradient step, if all runs are regressions with the same one.
fn reference(runs: &[Run]) -> Option<f64> {
    let loss = |run: &Run| match run.recipe.task() {
        Task::Regression(task) if run.recipe.task == TaskName::Regression => Some(gradient_step::expected_loss(task, gradient_step::best_step_size(task))),
        _ => None,
    };
    same(runs.iter().map(loss))
}

/// The median of each place, over finished runs and diverged ones, which count as infinite.
fn medians(points: &[Point], series: usize) -> Vec<(f64, Option<f64>)> {
    let mut own: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.series == series && matches!(point.kind, Kind::Finished | Kind::Diverged))
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
    /// The neighbouring places between which a series' median falls most, and the factor: (from, to, after / before).
    pub fn largest_drop(&self, series: usize) -> Option<(f64, f64, f64)> {
        let medians = &self.series.get(series)?.medians;
        let drops = medians.windows(2).filter_map(|pair| Some((pair[0].0, pair[1].0, pair[1].1? - pair[0].1?)));
        drops.min_by(|a, b| a.2.total_cmp(&b.2)).filter(|drop| drop.2 < 0.0).map(|(from, to, drop)| (from, to, 10f64.powf(drop)))
    }

    /// The place with the least median: (place, measure).
    pub fn least(&self, series: usize) -> Option<(f64, f64)> {
        let medians = self.series.get(series)?.medians.iter().filter_map(|&(x, level)| Some((x, level?)));
        medians.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(x, level)| (x, 10f64.powf(level)))
    }

    /// The minima of theory that the picture marks: (neurons, its series if they differ).
    pub fn minima(&self) -> Vec<(usize, Option<usize>)> {
        if let Some(minimum) = same(self.series.iter().map(|series| series.minimum)) {
            return vec![(minimum, None)];
        }
        self.series.iter().enumerate().filter_map(|(i, series)| Some((series.minimum?, Some(i)))).collect()
    }

    /// The run beside `run` in a direction: along x, or (up, down) at the same place, then on.
    pub fn neighbour(&self, run: Option<usize>, [along, up]: [i32; 2]) -> Option<usize> {
        let height = |point: &Point| point.level.unwrap_or(f64::INFINITY);
        let Some(from) = run.and_then(|run| self.points.iter().find(|point| point.run == run)) else {
            return self.points.iter().min_by(|a, b| a.x.total_cmp(&b.x).then(height(a).total_cmp(&height(b)))).map(|point| point.run);
        };
        let sign = f64::from(along + up);
        let found = if along != 0 {
            // The next place, and there what is of the same series, else nearest in height.
            let ahead = self.points.iter().filter(|point| (point.x - from.x) * sign > 0.0);
            let next = ahead.clone().map(|point| point.x).min_by(|a, b| (a * sign).total_cmp(&(b * sign)))?;
            let apart = |point: &Point| (point.series != from.series, (point.level.unwrap_or(self.levels[1]) - from.level.unwrap_or(self.levels[1])).abs());
            ahead.filter(|point| point.x == next).min_by(|a, b| apart(a).0.cmp(&apart(b).0).then(apart(a).1.total_cmp(&apart(b).1)))
        } else {
            let order = |point: &Point| (height(point), point.run);
            let less = |a: (f64, usize), b: (f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            let mut column: Vec<&Point> = self.points.iter().filter(|point| point.x == from.x).collect();
            column.sort_by(|a, b| less(order(a), order(b)));
            let place = column.iter().position(|point| point.run == from.run)?;
            if up > 0 { column.get(place + 1).copied() } else { place.checked_sub(1).map(|place| column[place]) }
        };
        found.map(|point| point.run)
    }
}
