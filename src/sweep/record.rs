//! What is kept of a run: its settings, how it ended, its final loss and a thinned curve.

use crate::analysis::importance::Census;
use crate::backend::StepLoss;
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};

/// Points of a curve, of runs with as many steps or more.
pub const POINTS: u64 = 64;

/// The loss over training: point i is the mean over the steps from [`mark`]\(i) to [`mark`]\(i +
/// 1).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Curve(pub Vec<StepLoss>);

/// Points that the whole curve of `steps` steps has.
pub fn whole(steps: u64) -> u64 {
    POINTS.min(steps).max(1)
}

/// The steps after which a curve of `steps` steps has `points` points.
pub fn mark(steps: u64, points: u64) -> u64 {
    steps * points / whole(steps)
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All steps are done.
    Finished,
    /// The loss stopped being a number, first at this step.
    Diverged(u64),
    /// It could not start or go on: why.
    Failed(String),
}

/// A run that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`super::Run::key`].
    pub key: String,
    /// All settings.
    pub recipe: Recipe,
    /// How it ended.
    pub outcome: Outcome,
    /// The loss over training, as far as it was a number.
    pub curve: Curve,
    /// Neurons and gates in use at the end.
    pub neurons: Option<Census>,
    /// What it ran on.
    pub device: String,
}

impl Curve {
    /// The newest point: of a whole run, the mean over its last 64th.
    pub fn last(&self) -> Option<StepLoss> {
        self.0.last().copied()
    }
}

impl Record {
    /// Points that are not kept of the curve's beginning: a finished run may be kept with the end
    /// of its curve alone.
    pub fn missing(&self) -> usize {
        let whole = usize::try_from(whole(self.recipe.steps.into())).unwrap_or(usize::MAX);
        if self.outcome == Outcome::Finished { whole.saturating_sub(self.curve.0.len()) } else { 0 }
    }

    /// It was trained, whatever came of it.
    pub fn is_tried(&self) -> bool {
        !matches!(self.outcome, Outcome::Failed(_))
    }

    /// The final loss, if the run finished.
    pub fn loss(&self) -> Option<f64> {
        self.curve
            .last()
            .filter(|_| self.outcome == Outcome::Finished)
            .map(|last| f64::from(last.loss))
    }

    /// The final loss over the targets' mean square, if the run finished.
    pub fn nmse(&self) -> Option<f64> {
        let last = self.curve.last().filter(|_| self.outcome == Outcome::Finished)?;
        (last.power > 0.0).then(|| f64::from(last.loss) / f64::from(last.power))
    }
}
