//! A sweep: one recipe varied over a grid of settings and seeds, its runs named by how they differ.
//!
//! [`Sweep`] is the definition, a JSON file; [`record`] is what is kept of a finished run, [`queue`] which run is next.

pub mod queue;
pub mod record;

use super::recipe::Recipe;
use super::settings::SETTINGS;
use super::{preset, settings};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// One direction of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// The settings that get each value, all of them the same: `hidden`, or `hidden` and `gates`.
    pub keys: Vec<String>,
    /// As text, in the order in which they are run.
    pub values: Vec<String>,
}

/// The definition of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// For people.
    pub title: String,
    /// One or two sentences: what to look at.
    pub about: String,
    /// The preset that it starts from.
    pub preset: String,
    /// What all runs change of it: (key, value).
    pub settings: Vec<(String, String)>,
    /// The grid; the first axis is drawn from left to right.
    pub axes: Vec<Axis>,
}

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Names its record: a hash of all of its settings but the engine.
    pub key: String,
    /// How it differs from the others: `n=m=14 seed=2`.
    pub name: String,
    /// Its value on each axis.
    pub values: Vec<String>,
    /// All settings.
    pub recipe: Recipe,
}

impl Sweep {
    /// What all runs share.
    ///
    /// # Errors
    /// An unknown preset or setting, or a value that is not accepted.
    pub fn base(&self) -> Result<Recipe> {
        let preset = preset::find(&self.preset).ok_or_else(|| Error::setting("preset", &self.preset, format!("one of {}", preset::names().join(", "))))?;
        let mut recipe = preset.recipe;
        self.settings.iter().try_for_each(|(key, value)| settings::set(&mut recipe, key, value))?;
        Ok(recipe)
    }

    /// How many runs the grid has, at most `u64::MAX`.
    pub fn count(&self) -> u64 {
        self.axes.iter().fold(1, |count: u64, axis| count.saturating_mul(axis.values.len() as u64))
    }

    /// All runs: the last axis varies fastest.
    ///
    /// # Errors
    /// As [`Self::base`]; settings that do not go together, with the run's name.
    pub fn runs(&self) -> Result<Vec<Run>> {
        let base = self.base()?;
        let mut runs = vec![(vec![], base)];
        for axis in &self.axes {
            let mut next = vec![];
            for (values, recipe) in &runs {
                for value in &axis.values {
                    let mut recipe: Recipe = recipe.clone();
                    axis.keys.iter().try_for_each(|key| settings::set(&mut recipe, key, value))?;
                    let mut values: Vec<String> = values.clone();
                    values.push(value.clone());
                    next.push((values, recipe));
                }
            }
            runs = next;
        }
        let named = |(values, recipe): (Vec<String>, Recipe)| Run { key: key(&recipe), name: self.name(&values), values, recipe };
        Ok(runs.into_iter().map(named).collect())
    }

    fn name(&self, values: &[String]) -> String {
        let varied = self.axes.iter().zip(values).filter(|(axis, _)| axis.values.len() > 1);
        let parts: Vec<String> = varied.map(|(axis, value)| format!("{}={value}", axis.keys.join("="))).collect();
        if parts.is_empty() { "the only run".into() } else { parts.join(" ") }
    }
}

/// 64 bits of FNV-1a over all settings but the engine, in hexadecimal.
fn key(recipe: &Recipe) -> String {
    let settings = SETTINGS.iter().filter(|setting| setting.key != "backend");
    let text: String = settings.map(|setting| format!("{}={}\n", setting.key, (setting.get)(recipe))).collect();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
