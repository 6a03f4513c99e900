//! The curves of each layer at the best of its learning rates, and the median of its seeds.

use super::leaders::leaders;
use crate::sweep::contest::{Contender, median};
use crate::sweep::measure::Measure;
use crate::sweep::queue::{Queue, State as RunState};
use crate::sweep::record::{Outcome, mark, whole};
use crate::ui::kit::chart::scale;
use crate::ui::panel::sweep::card as run_card;
use crate::ui::panel::sweep::plot::Picture;

/// The curves of one layer.
pub(super) struct Bundle {
    /// Which series of the picture.
    pub(super) series: usize,
    /// (run, its points: step and log10 of the measure).
    pub(super) runs: Vec<(usize, Vec<[f64; 2]>)>,
    /// The median where all of its runs have a point.
    pub(super) median: Vec<[f64; 2]>,
}

/// What is drawn.
pub struct Curves {
    pub(super) bundles: Vec<Bundle>,
    pub(super) steps: u64,
    pub(super) levels: [f64; 2],
    pub(super) measure: Measure,
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
pub(super) fn middle(queue: &Queue, runs: &[usize], measure: Measure) -> Vec<[f64; 2]> {
    let started: Vec<usize> =
        runs.iter().copied().filter(|&run| queue.curve(run).is_some()).collect();
    let Some(steps) = started.first().map(|&run| u64::from(queue.runs()[run].recipe.steps)) else {
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
            started.iter().map(|&run| at(run, usize::try_from(place).ok()?)).collect();
        Some([mark(steps, place + 1) as f64, median(values?)?.log10()])
            .filter(|point| point[1].is_finite())
    };
    (0..whole(steps)).filter_map(level).collect()
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
