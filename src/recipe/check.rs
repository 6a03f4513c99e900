//! The settings that only together can be wrong, and how each fault is mended.

use super::names::TaskName;
use super::settings::{Recipe, SETTINGS};
use crate::{Error, Result};

/// Most keys of the recall task.
const MOST_KEYS: usize = 32;

/// Something that settings must satisfy together.
struct Check {
    /// The setting that is named, and set back.
    key: &'static str,
    /// What it is and what it should be, if it is wrong.
    fault: fn(&Recipe) -> Option<[String; 2]>,
    /// Makes it right and breaks no other check.
    repair: fn(&mut Recipe),
}

/// A rank of the teacher is at most its width; the text is what 0 stands for.
macro_rules! rank {
    ($key:ident, $all:literal) => {
        Check {
            key: stringify!($key),
            fault: |recipe| rank(recipe, recipe.$key, $all),
            repair: |recipe| recipe.$key = 0,
        }
    };
}

/// In the order in which they are reported.
const CHECKS: &[Check] = &[
    rank!(rank, "full rank"),
    rank!(value_rank, "the rank of all"),
    rank!(key_rank, "the rank of all"),
    rank!(query_rank, "the rank of all"),
    Check {
        key: "data",
        fault: |recipe| {
            let data = recipe.data.as_ref().filter(|_| recipe.task == TaskName::File)?;
            let found = format!("{} sequences of which {} steps count", data.sequences, data.steps);
            let expected =
                format!("at least one sequence, and from 1 to T = {} steps", recipe.time);
            let wrong = data.sequences == 0 || !(1..=recipe.time).contains(&data.steps);
            wrong.then_some([found, expected])
        },
        repair: |recipe| recipe.data = None,
    },
    Check {
        key: "batch",
        fault: |recipe| {
            let data = recipe.data.as_ref().filter(|_| recipe.task == TaskName::File)?;
            let most = recipe.train_sequences();
            let name = &data.name;
            let expected =
                format!("at most {most} sequences, those of {name} that are not for the test");
            (recipe.batch > most).then(|| [recipe.batch.to_string(), expected])
        },
        repair: |recipe| recipe.batch = recipe.train_sequences().max(1),
    },
    Check {
        key: "pairs",
        fault: |recipe| {
            let expected = format!("at most {MOST_KEYS} keys for recall, as a token is 2 V wide");
            (recipe.task == TaskName::Recall && recipe.pairs > MOST_KEYS)
                .then(|| [recipe.pairs.to_string(), expected])
        },
        repair: |recipe| recipe.pairs = MOST_KEYS,
    },
    Check {
        key: "warmup",
        fault: |recipe| {
            let expected = format!("at most steps = {}", recipe.steps);
            (recipe.warmup > recipe.steps).then(|| [recipe.warmup.to_string(), expected])
        },
        repair: |recipe| recipe.warmup = 0,
    },
    Check {
        key: "beta2",
        fault: |recipe| {
            let (low, high) = recipe.beta2.range();
            let sound = (0.0..1.0).contains(&low) && (0.0..1.0).contains(&high);
            (!sound).then(|| [recipe.beta2.to_string(), "values from 0 to below 1".into()])
        },
        repair: |recipe| recipe.beta2 = Recipe::default().beta2,
    },
];

/// A rank of the teacher that is larger than its width; `all` is what 0 stands for.
fn rank(recipe: &Recipe, rank: usize, all: &str) -> Option<[String; 2]> {
    let expected = || format!("at most d = {}, or 0 for {all}", recipe.dim);
    (recipe.task == TaskName::Attention && rank > recipe.dim)
        .then(|| [rank.to_string(), expected()])
}

impl Check {
    fn of(&self, recipe: &Recipe) -> Result<()> {
        match (self.fault)(recipe) {
            Some([found, expected]) => Err(Error::setting(self.key, found, expected)),
            None => Ok(()),
        }
    }
}

impl Recipe {
    /// Checks each setting's range, and the settings that only together can be wrong.
    ///
    /// # Errors
    /// Says which setting, and what it should be.
    pub fn check(&self) -> Result<()> {
        let mut copy = self.clone();
        for setting in SETTINGS {
            setting.set(&mut copy, &(setting.get)(self).to_string())?;
        }
        self.check_together()
    }

    /// Checks the settings that only together can be wrong.
    ///
    /// # Errors
    /// Says which setting, and what it should be.
    pub fn check_together(&self) -> Result<()> {
        CHECKS.iter().try_for_each(|check| check.of(self))
    }

    /// Sets back what does not go together, one setting for each check that fails; returns what was
    /// wrong.
    pub(super) fn mend(&mut self) -> Vec<Error> {
        let mend = |check: &Check| {
            let error = check.of(self).err()?;
            (check.repair)(self);
            Some(error)
        };
        CHECKS.iter().filter_map(mend).collect()
    }
}
