//! How a recipe of the file task fits the user's arrays, which travel beside it.

use super::names::{Switch, TaskName};
use super::settings::{DataShape, Recipe};
use crate::task::Arrays;
use crate::{Error, Result};

impl Recipe {
    /// Sequences of the file task that are kept for the test: at least one stays to train on.
    pub fn test_sequences(&self) -> usize {
        let all = self.data.as_ref().map_or(1, |data| data.sequences);
        ((all as f32 * self.test_fraction).round() as usize).min(all.saturating_sub(1))
    }

    /// Sequences of the file task that are not for the test.
    pub fn train_sequences(&self) -> usize {
        self.data.as_ref().map_or(1, |data| data.sequences - self.test_sequences())
    }

    /// (to train on, to test on) of the user's arrays.
    pub fn split(&self, arrays: &Arrays) -> (Arrays, Arrays) {
        arrays.split(self.test_sequences(), (self.shuffle == Switch::On).then_some(self.seed))
    }

    /// The recipe of the file task for these arrays, which come from the file `name`.
    #[must_use]
    pub fn with_data(&self, name: &str, arrays: &Arrays) -> Self {
        let Arrays { sequences, time, inputs: dim, outputs, steps, ref weight, .. } = *arrays;
        let data =
            Some(DataShape { name: name.into(), sequences, steps, is_weighted: weight.is_some() });
        Self { task: TaskName::File, dim, outputs, time, data, ..self.clone() }
    }

    /// The same for the arrays that another recipe of the file task is about.
    #[must_use]
    pub fn with_data_of(&self, other: &Self) -> Self {
        let Self { dim, outputs, time, ref data, .. } = *other;
        Self { task: TaskName::File, dim, outputs, time, data: data.clone(), ..self.clone() }
    }

    /// The same with no more sequences in a batch than the user's arrays have to train on.
    #[must_use]
    pub fn with_fitting_batch(self) -> Self {
        if self.task == TaskName::File && self.data.is_some() {
            Self { batch: self.batch.min(self.train_sequences().max(1)), ..self }
        } else {
            self
        }
    }

    /// Whether the file task has its arrays, and not others.
    ///
    /// # Errors
    /// Says what the arrays should be, and how to give them.
    pub fn check_arrays(&self, arrays: Option<&Arrays>) -> Result<()> {
        let data = match (self.task, arrays, &self.data) {
            (TaskName::File, Some(arrays), Some(data)) => {
                if self.with_data(&data.name, arrays) == *self {
                    return Ok(());
                }
                data
            }
            (TaskName::File, None, Some(data)) => data,
            (TaskName::File, ..) => {
                return Err(Error::setting(
                    "task",
                    "file",
                    "your own arrays with it: drop a .npz or safetensors file with x and y on the window, or give --data",
                ));
            }
            _ => return Ok(()),
        };
        let found = match arrays {
            None => "nothing".into(),
            Some(Arrays { sequences, time, inputs, outputs, .. }) => {
                format!("{sequences} sequences of {time} steps, {inputs} in and {outputs} out")
            }
        };
        let Self { time, dim, outputs, .. } = self;
        let expected = format!(
            "the arrays of {}: {} sequences of {time} steps, {dim} in and {outputs} out; drop that file on the window or open it there, or give it as --data",
            data.name, data.sequences
        );
        Err(Error::setting("data", found, expected))
    }
}
