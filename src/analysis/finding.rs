//! What was found of a network in context, as sentences and as numbers for a report.

use super::in_context::{Coefficients, Episode, Losses, Sequences, coefficients, episode, losses};
use super::recall::{self, Algorithm, RecallReading};
use super::test_set::{self, Errors, Sets, TestReport};
use super::words::{part, significant};
use crate::math::largest;
use crate::model::Network;
use crate::task::{Regression, Task};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a network does in context, measured on sequences that it has never seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Finding {
    /// On regression.
    Regression {
        /// On the task that it is trained on.
        losses: Losses,
        /// With W's entries of twice the variance.
        doubled: Losses,
        /// Its one-token polynomial; `None` where tokens are too wide for it.
        coefficients: Option<Coefficients>,
        /// One sequence.
        episode: Episode,
    },
    /// On associative recall.
    Recall {
        /// How well, and by which algorithm.
        recalled: RecallReading,
        /// One sequence.
        episode: recall::Episode,
    },
    /// On the test sequences of the user's own arrays.
    Test(Box<TestReport>),
}

/// A loss within this part of the gradient step's is "the same".
const SAME: f64 = 0.01;
/// Below this part of the loss of answering 0 it has learned something from the examples.
const LEARNS: f64 = 0.9;
/// Coefficients within this part of η*, and other terms below this part of their norm, are a
/// gradient step's.
const COEFFICIENTS: (f64, f64) = (0.03, 0.12);

/// Sequences that are drawn and run at a time, and the most that recall is measured on.
const PART: usize = 4096;

/// Measures `network` on `count` sequences; `None` for tasks that have no context to learn from,
/// and networks of other widths.
pub fn find(network: &Network, task: Task, count: usize, seed: u32) -> Option<Finding> {
    if task.widths() != (network.inputs(), network.outputs()) {
        return None;
    }
    let first = || Sequences::draw(task, count.min(PART), seed, 0);
    // Sequences come in parts, so that large counts need little memory; part 0 is the one that
    // pictures show.
    let parts = |task: Regression| {
        (0..count.div_ceil(PART)).map(move |part| {
            let rest = count - part * PART;
            Sequences::draw(
                Task::Regression(task),
                rest.min(PART),
                seed,
                u32::try_from(part).unwrap_or(u32::MAX),
            )
        })
    };
    Some(match task {
        Task::Attention(_) | Task::File(_) => return None,
        Task::Regression(regression) => {
            let twice = Regression { variance: 2.0 * regression.variance, ..regression };
            Finding::Regression {
                losses: losses(network, regression, parts(regression)),
                doubled: losses(network, regression, parts(twice)),
                coefficients: coefficients(network, regression),
                episode: episode(network, regression, &first()),
            }
        }
        Task::Recall(_) => {
            let sequences = first();
            Finding::Recall {
                recalled: recall::recalled(network, &sequences),
                episode: recall::episode(network, &sequences),
            }
        }
    })
}

/// Measures `network` on the user's test sequences, as [`test_set::measure`] does.
pub fn test(network: &Network, sets: Sets<'_>) -> Option<Finding> {
    test_set::measure(network, sets).map(|tested| Finding::Test(Box::new(tested)))
}

impl Finding {
    /// The answer in a short sentence, from the measured numbers.
    pub fn headline(&self) -> &'static str {
        match self {
            Self::Regression { losses, doubled, coefficients, .. } => {
                let same = losses.excess() <= SAME && doubled.excess() <= SAME;
                let exact = coefficients.as_ref().is_some_and(|c| {
                    c.largest_error() <= COEFFICIENTS.0
                        && c.rest_part.iter().all(|rest| *rest <= COEFFICIENTS.1)
                });
                match () {
                    () if losses.excess() < -SAME => {
                        "It does better than one step of gradient descent."
                    }
                    () if same && exact => "It is one step of gradient descent.",
                    () if same => "It does as well as one step of gradient descent.",
                    () if losses.network < LEARNS * losses.zero => {
                        "It learns from the examples, but less than one step of gradient descent does."
                    }
                    () if losses.network.is_finite() => "It does not learn from the examples.",
                    () => "Its answers are no numbers.",
                }
            }
            Self::Recall { recalled, .. } => match recalled.algorithm {
                Algorithm::Attention => "It recalls like attention: memory times query.",
                Algorithm::Comparison => "It recalls by comparing, not like attention.",
                Algorithm::None => "It does not recall the pairs.",
            },
            Self::Test(tested) => match tested.test.size.nmse() {
                Some(nmse) if !nmse.is_finite() => "Its answers are no numbers.",
                Some(nmse) if nmse < 0.01 => "It fits sequences that it has never seen.",
                Some(nmse) if nmse < 1.0 => {
                    "It explains a part of sequences that it has never seen."
                }
                Some(_) => "On sequences that it has never seen it is no better than answering 0.",
                None => "The test's targets are all zero.",
            },
        }
    }

    /// The numbers that the headline rests on.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.headline().to_owned()];
        match self {
            Self::Regression { losses, doubled, coefficients, .. } => {
                sentences.push(losses.sentence("On unseen sequences"));
                sentences.push(doubled.sentence("With maps of twice the variance"));
                sentences.extend(coefficients.as_ref().map(Coefficients::sentence));
            }
            Self::Recall { recalled, .. } => sentences.push(recalled.sentence()),
            Self::Test(tested) => sentences.extend(tested.sentences()),
        }
        sentences
    }

    /// For a report: all numbers but those of the one sequence.
    pub fn summary(&self) -> Value {
        match self {
            Self::Regression { losses, doubled, coefficients, .. } => {
                json!({ "headline": self.headline(), "losses": losses, "doubled_variance": doubled, "coefficients": coefficients })
            }
            Self::Recall { recalled, .. } => {
                json!({ "headline": self.headline(), "recall": recalled })
            }
            Self::Test(tested) => {
                let TestReport { test, train, outputs, steps, .. } = tested.as_ref();
                json!({ "headline": self.headline(), "test": test.summary(), "train": train.summary(), "nmse": test.size.nmse(), "outputs": outputs, "steps": steps })
            }
        }
    }
}

impl Errors {
    fn summary(&self) -> Value {
        json!({ "loss": self.size.loss, "power": self.size.power, "sequences": self.sequences, "standard_error": self.standard_error })
    }
}

impl Losses {
    /// How much the network's loss is above the gradient step's, as a part of it.
    pub fn excess(&self) -> f64 {
        self.network / self.gradient_step - 1.0
    }

    fn sentence(&self, when: &str) -> String {
        let Self { network, gradient_step, standard_error, .. } = self;
        if !network.is_finite() {
            return format!(
                "{when} its loss is not a number; one step of gradient descent has {gradient_step:.5}."
            );
        }
        let error = part(standard_error / gradient_step);
        format!(
            "{when} its loss is {network:.5}; one step of gradient descent has {gradient_step:.5} ({:+.2} %, ± {error} of it).",
            100.0 * self.excess()
        )
    }
}

impl Coefficients {
    /// How far the wanted coefficients are from η*, at most, as a part of it.
    pub fn largest_error(&self) -> f64 {
        largest(self.wanted.iter().flatten().map(|c| (c / self.best_step_size - 1.0).abs()))
    }

    fn sentence(&self) -> String {
        if !self.wanted.iter().flatten().chain(&self.rest).all(|c| c.is_finite()) {
            return "Its coefficients are no numbers.".into();
        }
        let all = || self.wanted.iter().flatten().copied();
        let (low, high) =
            (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let rest = largest(self.rest_part.iter().copied());
        let best = significant(self.best_step_size);
        format!(
            "The coefficients of x_i² y_k are {low:.5} to {high:.5} (a gradient step: η* = {best}); all others together are {} of their norm.",
            part(rest)
        )
    }
}

impl RecallReading {
    fn sentence(&self) -> String {
        let percent = |v: f64| format!("{:.1} %", 100.0 * v);
        format!(
            "It answers {} of {} queries right; products of memory and query alone would answer {}, squares of the memory alone {}.",
            percent(self.accuracy),
            self.sequences,
            percent(self.attention_accuracy),
            percent(self.stored_accuracy),
        )
    }
}
