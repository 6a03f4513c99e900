//! What is measured of a run: the loss, or the nMSE where it has a meaning.

use super::Run;
use crate::backend::StepLoss;

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

    /// The axis label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nmse => "nMSE",
            Self::Loss => "loss",
        }
    }

    /// The measure at a point of a curve; `None` where the target has no power.
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
