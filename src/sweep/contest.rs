//! A comparison's contenders: runs that differ in nothing but learning rate and seed are one, and
//! it counts at the best of its rates.

use super::measure::Measure;
use super::queue::{Queue, State};
use super::record::Outcome;
use super::{Axis, is_variant};
use crate::recipe::settings::{Group, Setting};
use std::collections::HashMap;

/// A layer of one size, at several learning rates, with several seeds each.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Its variant, and what else tells it from others: `LSTM`, `LSTM 8` of one of several sizes,
    /// or `LSTM batch=8`.
    pub name: String,
    /// The place of its variant among the sweep's; 0 in a sweep without variants.
    pub variant: usize,
    /// Numbers in all of its parameters.
    pub parameters: usize,
    /// Its learning rates, in the sweep's order.
    pub rates: Vec<Rate>,
}

/// The runs at one learning rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// The peak rate.
    pub rate: f64,
    /// Their places in the queue, a seed each.
    pub runs: Vec<usize>,
    /// The median of what is measured; of runs in training the newest; a diverged run counts as
    /// infinite. `None` before the first.
    pub median: Option<f64>,
    /// All of them are over.
    pub is_over: bool,
}

/// The contenders, in the queue's order.
pub fn contenders(queue: &Queue, measure: Measure) -> Vec<Contender> {
    let axes = &queue.sweep.axes;
    let searched =
        |axis: &Axis| axis.keys.iter().all(|key| key == "learning_rate" || key == "seed");
    let mut places: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut contenders: Vec<Contender> = vec![];
    for (index, run) in queue.runs().iter().enumerate() {
        let own = || axes.iter().zip(&run.values).filter(|(axis, _)| !searched(axis));
        let values: Vec<&str> = own().map(|(_, value)| value.as_str()).collect();
        let place = *places.entry(values).or_insert_with(|| {
            let variant = own()
                .find(|(axis, _)| is_variant(axis))
                .and_then(|(axis, value)| axis.values.iter().position(|other| other == value));
            let bare = |axis: &Axis| {
                is_variant(axis)
                    || axis.keys.iter().all(|key| {
                        Setting::find(key).is_some_and(|setting| setting.group == Group::Network)
                    })
            };
            let part = |(axis, value): (&Axis, &String)| {
                if bare(axis) { value.clone() } else { format!("{}={value}", axis.keys.join("=")) }
            };
            let name = own()
                .filter(|(axis, _)| axis.values.len() > 1 || is_variant(axis))
                .map(part)
                .collect::<Vec<_>>()
                .join(" ");
            contenders.push(Contender {
                name,
                variant: variant.unwrap_or(0),
                parameters: run.recipe.parameters(),
                rates: vec![],
            });
            contenders.len() - 1
        });
        let rates = &mut contenders[place].rates;
        let rate = f64::from(run.recipe.learning_rate);
        match rates.iter_mut().find(|known| known.rate == rate) {
            Some(known) => known.runs.push(index),
            None => rates.push(Rate { rate, runs: vec![index], median: None, is_over: false }),
        }
    }
    for rate in contenders.iter_mut().flat_map(|contender| &mut contender.rates) {
        rate.median =
            median(rate.runs.iter().filter_map(|&run| value(queue, run, measure)).collect());
        rate.is_over = rate.runs.iter().all(|&run| matches!(queue.state(run), State::Over(_)));
    }
    contenders
}

/// What is measured of a run, as it stands; infinite if it diverged.
pub fn value(queue: &Queue, run: usize, measure: Measure) -> Option<f64> {
    match queue.state(run) {
        State::Waiting => None,
        State::Training(_, curve) => curve.last().and_then(|last| measure.value(last)),
        State::Over(record) => match record.outcome {
            Outcome::Finished => record.curve.last().and_then(|last| measure.value(last)),
            Outcome::Diverged(_) => Some(f64::INFINITY),
            Outcome::Failed(_) => None,
        },
    }
}

/// The middle one, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let high = *values.get(values.len() / 2)?;
    Some((values[(values.len() - 1) / 2] + high) / 2.0)
}

impl Contender {
    /// The rate with the least median; the first of several.
    pub fn best(&self) -> Option<&Rate> {
        let known = self.rates.iter().filter_map(|rate| Some((rate, rate.median?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(rate, _)| rate)
    }

    /// The least median, as it stands.
    pub fn value(&self) -> Option<f64> {
        self.best()?.median
    }

    /// All of its runs are over.
    pub fn is_over(&self) -> bool {
        self.rates.iter().all(|rate| rate.is_over)
    }

    /// The rate that is ahead of the others: the best, if a network came of it.
    pub fn ahead(&self) -> Option<&Rate> {
        self.best().filter(|rate| rate.median.is_some_and(f64::is_finite))
    }

    /// Whether the rate that is ahead is the least or the largest of three or more: a better one
    /// may lie beyond.
    pub fn at_edge(&self) -> bool {
        let Some(best) = self.ahead().filter(|_| self.rates.len() > 2) else { return false };
        self.rates.iter().all(|rate| rate.rate <= best.rate)
            || self.rates.iter().all(|rate| rate.rate >= best.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{Curve, Record};
    use super::super::{Sweep, key};
    use super::*;
    use crate::backend::StepLoss;

    fn queue() -> Queue {
        let text = r#"{ "preset": "quick", "variants": { "Gated RNN": { "model": "gated" }, "LSTM": { "model": "lstm" } },
            "grid": { "hidden,embed": [4, 8], "learning_rate": [0.001, 0.01, 0.1], "seed": [1, 2] } }"#;
        Queue::new(Sweep::read("test", text).unwrap()).unwrap()
    }

    /// Ends run `index` with that nMSE, or diverged.
    fn end(queue: &mut Queue, index: usize, nmse: Option<f32>) {
        let recipe = queue.runs()[index].recipe.clone();
        let outcome = if nmse.is_some() { Outcome::Finished } else { Outcome::Diverged(3) };
        let curve = Curve(vec![StepLoss { loss: 2.0 * nmse.unwrap_or(1.0), power: 2.0 }]);
        queue.finish(Record {
            key: key(&recipe),
            recipe,
            outcome,
            curve,
            neurons: None,
            device: String::new(),
        });
    }

    #[test]
    fn runs_of_one_layer_and_size_are_one_contender_at_its_best_rate() {
        let mut queue = queue();
        let found = contenders(&queue, Measure::Nmse);
        let names: Vec<&str> = found.iter().map(|contender| contender.name.as_str()).collect();
        assert_eq!(names, ["Gated RNN 4", "Gated RNN 8", "LSTM 4", "LSTM 8"]);
        assert_eq!(
            found.iter().map(|contender| contender.variant).collect::<Vec<_>>(),
            [0, 0, 1, 1]
        );
        assert_eq!(
            (found[2].rates.len(), found[2].rates[1].runs.clone(), found[2].value()),
            (3, vec![14, 15], None)
        );
        // LSTM of 4: at 0.001 0.5 and 0.3; at 0.01 0.1 and diverged; at 0.1 one of two so far.
        for (index, nmse) in
            [(12, Some(0.5)), (13, Some(0.3)), (14, Some(0.1)), (15, None), (16, Some(0.45))]
        {
            end(&mut queue, index, nmse);
        }
        let lstm = &contenders(&queue, Measure::Nmse)[2];
        let medians: Vec<f64> = lstm.rates.iter().map(|rate| rate.median.unwrap()).collect();
        assert!(
            (medians[0] - 0.4).abs() < 1e-6
                && medians[1].is_infinite()
                && (medians[2] - 0.45).abs() < 1e-6,
            "{medians:?}"
        );
        assert_eq!(lstm.best().map(|rate| rate.rate as f32), Some(0.001));
        assert!(
            lstm.at_edge() && !lstm.is_over() && lstm.rates[1].is_over && !lstm.rates[2].is_over
        );
        assert_eq!(lstm.parameters, queue.runs()[12].recipe.parameters());
        // Where nothing came of any rate, none is ahead.
        (18..24).for_each(|index| end(&mut queue, index, None));
        let lost = &contenders(&queue, Measure::Nmse)[3];
        assert!(lost.best().is_some() && lost.ahead().is_none() && !lost.at_edge());
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(
            (median(vec![]), median(vec![3.0, 1.0]), median(vec![5.0, 1.0, 2.0])),
            (None, Some(2.0), Some(2.0))
        );
    }
}
