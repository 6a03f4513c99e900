//! A run in training, as it was at a mark of its curve: what it takes to go on exactly. A file like
//! any other of weights, with the curve in it.

use super::record::{Curve, mark};
use super::{Run, key};
use crate::backend::StepLoss;
use crate::recipe::checkpoint;
use crate::train::session::Snapshot;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The state of a run in training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Partial {
    /// Weights and moments, after as many steps as the curve has points for.
    pub snapshot: Snapshot,
    /// The loss so far.
    pub curve: Curve,
}

const CURVE: [&str; 2] = ["sweep.loss", "sweep.power"];

impl Partial {
    pub(super) fn to_bytes(&self, run: &Run) -> Result<Vec<u8>> {
        let points = &self.curve.0;
        let more = vec![
            (CURVE[0], points.iter().map(|point| point.loss).collect()),
            (CURVE[1], points.iter().map(|point| point.power).collect()),
        ];
        checkpoint::write_with(&run.recipe, &self.snapshot, None, more)
    }

    /// Reads the file `name`, which has to be of `run`.
    pub(super) fn from_bytes(name: &str, bytes: &[u8], run: &Run) -> Result<Self> {
        let wrong = |problem: String| Error::file(name, problem);
        let file = checkpoint::read(name, bytes)?;
        if file.recipe.as_ref().map(key).as_ref() != Some(&run.key) {
            return Err(wrong(format!("is not of the run {}", run.name)));
        }
        let vector = |tensor: &str| {
            checkpoint::more(bytes, tensor).ok_or_else(|| wrong(format!("has no {tensor}")))
        };
        let (loss, power) = (vector(CURVE[0])?, vector(CURVE[1])?);
        let snapshot = file.snapshot;
        let steps = u64::from(run.recipe.steps);
        if loss.len() != power.len() || mark(steps, loss.len() as u64) != snapshot.step {
            return Err(wrong(format!(
                "is at step {} with a curve of {} points, which do not go together",
                snapshot.step,
                loss.len()
            )));
        }
        if snapshot.first_moment.is_empty() {
            return Err(wrong(
                "has no moments; expected adamw.first and adamw.second of each tensor".into(),
            ));
        }
        let curve = Curve(
            loss.into_iter().zip(power).map(|(loss, power)| StepLoss { loss, power }).collect(),
        );
        Ok(Self { snapshot, curve })
    }
}
