//! A sweep: one recipe varied over a grid of settings and seeds, its runs named by how they differ.
//!
//! [`Sweep`] is the definition, a JSON file ([`definition`]); [`record`] is what is kept of a finished run, [`queue`] which run is next,
//! [`store`] the folder where both are, [`merge`] makes one folder of several, [`results`] the table, [`presets`] the paper's figures.

pub mod axis;
pub mod definition;
mod lock;
pub mod merge;
pub mod partial;
pub mod presets;
pub mod group;
pub mod queue;
pub mod record;
pub mod results;
pub mod shard;
pub mod store;

pub use axis::Axis;

use super::recipe::{Gating, Recipe, TaskName};
use super::settings::{SETTINGS, Setting};
use super::{preset, settings};
use crate::task::Task;
use crate::theory::cost;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A grid of more runs is asked back.
pub const LARGE: u64 = 10_000;
/// A grid of more runs is refused.
pub const MOST: u64 = 1_000_000;

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
    /// How it differs from the others: `hidden=gates=14 seed=2`.
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

    /// Whether the grid has at most `limit` runs, and never more than [`MOST`]. Builds none.
    ///
    /// # Errors
    /// Says how many there are, and what to do.
    pub fn check_count(&self, limit: u64) -> Result<()> {
        let found = match self.count() {
            u64::MAX => "more than 10^19 runs".to_owned(),
            count if count > limit.min(MOST) => format!("{count} runs"),
            _ => return Ok(()),
        };
        let expected = if self.count() > MOST {
            format!("at most {MOST}; take fewer values, or make several sweeps of it")
        } else {
            format!("at most {limit}; if so many are meant, say so with --yes")
        };
        Err(Error::setting("grid", found, expected))
    }

    /// All runs: the last axis varies fastest.
    ///
    /// # Errors
    /// As [`Self::base`]; more than [`MOST`] runs; settings that do not go together, with the run's name; two runs with the same settings.
    pub fn runs(&self) -> Result<Vec<Run>> {
        self.runs_on(&self.base()?)
    }

    /// The same, where `base` is [`Self::base`] with what comes beside the definition: for the file task [`Recipe::with_data`].
    ///
    /// # Errors
    /// As [`Self::runs`]; the file task without its arrays.
    pub fn runs_on(&self, base: &Recipe) -> Result<Vec<Run>> {
        let runs = self.grid(base)?;
        match runs.iter().find(|run| run.recipe.task == TaskName::File && run.recipe.data.is_none()) {
            Some(_) => Err(Error::setting("data", "nothing", "a file with the arrays x and y, for the task file")),
            None => Ok(runs),
        }
    }

    /// All runs, those of the file task perhaps without arrays.
    fn grid(&self, base: &Recipe) -> Result<Vec<Run>> {
        self.check_count(MOST)?;
        self.check_axes(base)?;
        let runs: Vec<Run> = (0..self.count()).map(|index| self.run(base, index)).collect::<Result<_>>()?;
        let mut seen: HashMap<&str, &Run> = HashMap::with_capacity(runs.len());
        for run in &runs {
            if let Some(other) = seen.insert(&run.key, run) {
                let found = format!("{} and {} with the same settings", other.name, run.name);
                return Err(Error::setting("grid", found, "runs that differ in more than the engine"));
            }
        }
        Ok(runs)
    }

    /// Run `index`.
    fn run(&self, base: &Recipe, index: u64) -> Result<Run> {
        let (mut recipe, mut rest) = (base.clone(), index);
        let mut values = vec![];
        for axis in self.axes.iter().rev() {
            let count = axis.values.len() as u64;
            values.push(axis.values[usize::try_from(rest % count).unwrap_or_default()].clone());
            rest /= count;
        }
        values.reverse();
        for (axis, value) in self.axes.iter().zip(&values) {
            axis.keys.iter().try_for_each(|key| settings::set(&mut recipe, key, value))?;
        }
        let name = self.name(&values);
        recipe.check_together().map_err(|e| Error::file(&format!("the run {name}"), e))?;
        Ok(Run { key: key(&recipe), name, values, recipe })
    }

    /// Each setting stands on one axis, and the task of some run looks at one of each axis.
    fn check_axes(&self, base: &Recipe) -> Result<()> {
        let keys: Vec<&str> = self.axes.iter().flat_map(|axis| axis.keys.iter().map(String::as_str)).collect();
        if let Some((_, twice)) = keys.iter().enumerate().find(|(i, key)| keys[..*i].contains(key)) {
            return Err(Error::setting(twice, "on two axes", "each setting on one"));
        }
        let kinds = self.kinds(base)?;
        let looked_at = |key: &String| kinds.iter().any(|kind| Setting::find(key).is_some_and(|setting| setting.counts_for(kind)));
        match self.axes.iter().find(|axis| axis.values.len() > 1 && !axis.keys.iter().any(looked_at)) {
            Some(axis) => {
                let word = |kind, key| Setting::find(key).map(|setting| (setting.get)(kind).to_string()).unwrap_or_default();
                let words = |key| {
                    let words: Vec<String> = kinds.iter().map(|kind| word(kind, key)).collect();
                    let first = |(i, word): (usize, &String)| (!words[..i].contains(word)).then(|| word.clone());
                    words.iter().enumerate().filter_map(first).collect::<Vec<_>>().join(" or ")
                };
                let gating = if axis.keys == ["gates"] && kinds.iter().any(Recipe::is_gated) { " with side gating" } else { "" };
                let expected = format!("a setting that the task {} and the layer {}{gating} look at, or all of its runs are the same", words("task"), words("model"));
                Err(Error::setting(&axis.keys.join(","), "an axis", expected))
            }
            None => Ok(()),
        }
    }

    /// The base with each task, layer and gating of the grid: what decides which settings count.
    fn kinds(&self, base: &Recipe) -> Result<Vec<Recipe>> {
        ["gating", "model", "task"].into_iter().try_fold(vec![base.clone()], |kinds, key| {
            let Some(axis) = self.axes.iter().find(|axis| axis.keys.iter().any(|other| other == key)) else { return Ok(kinds) };
            let with = |kind: &Recipe, value: &str| {
                let mut kind = kind.clone();
                settings::set(&mut kind, key, value).map(|()| kind)
            };
            axis.values.iter().flat_map(|value| kinds.iter().map(move |kind| with(kind, value))).collect()
        })
    }

    /// What all runs set, but none looks at: (key, why).
    ///
    /// # Errors
    /// As [`Self::base`].
    pub fn ignored(&self, base: &Recipe) -> Result<Vec<(&str, String)>> {
        let kinds = self.kinds(base)?;
        let unseen = |key: &str| Setting::find(key).filter(|setting| kinds.iter().all(|kind| !setting.counts_for(kind))).map(|setting| setting.unseen_by(base));
        Ok(self.settings.iter().filter_map(|(key, _)| Some((key.as_str(), unseen(key)?))).collect())
    }

    fn name(&self, values: &[String]) -> String {
        let varied = self.axes.iter().zip(values).filter(|(axis, _)| axis.values.len() > 1);
        let parts: Vec<String> = varied.map(|(axis, value)| format!("{}={value}", axis.keys.join("="))).collect();
        if parts.is_empty() { "the only run".into() } else { parts.join(" ") }
    }
}

/// Names a run's record: 64 bits of FNV-1a, in hexadecimal, over the settings that differ from the default recipe, but for the engine.
/// So a setting that a later version adds changes no key.
pub fn key(recipe: &Recipe) -> String {
    let base = Recipe::default();
    let settings = SETTINGS.iter().filter(|setting| setting.key != "backend" && (setting.get)(recipe) != (setting.get)(&base));
    let mut text: String = settings.map(|setting| format!("{}={}\n", setting.key, (setting.get)(recipe))).collect();
    if let Some(data) = recipe.data.as_ref().filter(|_| recipe.task == TaskName::File) {
        let file = data.name.rsplit(['/', '\\']).next().unwrap_or_default(); // the folder may differ from machine to machine
        text += &format!("data={file} {} {} {}\n", data.sequences, data.steps, data.is_weighted);
    }
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// The fewest hidden neurons that theory knows to do for the recipe's task, where it knows.
pub fn minimum(recipe: &Recipe) -> Option<usize> {
    let side = recipe.gating == Gating::Side;
    match recipe.task() {
        Task::Attention(kind) => {
            let (key_value, query) = cost::fewest(kind.dim, kind.ranks, side);
            Some(key_value + query)
        }
        Task::Regression(task) => Some(cost::fewest_in_context(task.inputs, task.outputs, side)),
        Task::Recall(_) | Task::File(_) => None,
    }
}
