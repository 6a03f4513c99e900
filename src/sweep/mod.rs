//! A sweep: one recipe varied over a grid of settings and seeds, its runs named by how they differ.
//! Imports `recipe` and what is left of it.
//!
//! [`Sweep`] is the definition, a JSON file ([`definition`]), whose [`Variant`]s differ in several
//! settings at once, as layers to compare do; [`record`] is what is kept of a finished run,
//! [`queue`] which run is next, [`store`] the folder where both are, [`merge`] makes one folder of
//! several, [`results`] the table, [`contest`] who is how good at the best of its learning rates,
//! [`presets`] the paper's figures.

pub mod axis;
pub mod contest;
pub mod definition;
mod disk;
mod lock;
pub mod measure;
pub mod merge;
pub mod partial;
pub mod presets;
pub mod queue;
pub mod record;
pub mod results;
pub mod shard;
pub mod store;

pub use axis::{Axis, MOST};

use crate::recipe::settings::{SETTINGS, Setting};
use crate::recipe::{Gating, Recipe, TaskName, preset, settings};
use crate::task::Task;
use crate::theory::cost;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A grid of more runs is asked back.
pub const LARGE: u64 = 10_000;

/// The definition of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Shown in the window and in results.
    pub title: String,
    /// One or two sentences: what to look at.
    pub about: String,
    /// The preset that it starts from.
    pub preset: String,
    /// What all runs change of it: (key, value).
    pub settings: Vec<(String, String)>,
    /// The bundles to compare, if it compares some. Their names are the values of an axis of their
    /// own, [`VARIANT`].
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// The grid; the first axis is drawn from left to right.
    pub axes: Vec<Axis>,
}

/// A bundle of settings with a name: a layer and its sizes, to be compared with others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Variant {
    /// For people; no two are the same.
    pub name: String,
    /// What it changes: (key, value).
    pub settings: Vec<(String, String)>,
}

/// What stands in place of a setting on the axis of the variants.
pub const VARIANT: &str = "variant";

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
        let preset = preset::find(&self.preset).ok_or_else(|| {
            Error::setting("preset", &self.preset, format!("one of {}", preset::names().join(", ")))
        })?;
        let mut recipe = preset.recipe;
        self.settings.iter().try_for_each(|(key, value)| settings::set(&mut recipe, key, value))?;
        Ok(recipe)
    }

    /// What the variant of that name shares with all others, and its own.
    ///
    /// # Errors
    /// There is none, or one of its values is not accepted.
    fn variant(&self, base: &Recipe, name: &str) -> Result<Recipe> {
        let known = || {
            Error::setting(
                VARIANT,
                name,
                format!(
                    "one of {}",
                    self.variants
                        .iter()
                        .map(|variant| variant.name.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            )
        };
        let variant =
            self.variants.iter().find(|variant| variant.name == name).ok_or_else(known)?;
        let mut recipe = base.clone();
        for (key, value) in &variant.settings {
            settings::set(&mut recipe, key, value)
                .map_err(|e| Error::file(&format!("the variant {name}"), e))?;
        }
        Ok(recipe)
    }

    /// The same with the axis of its variants, as the first.
    #[must_use]
    pub fn with_axis_of_variants(mut self) -> Self {
        self.axes.retain(|axis| !is_variant(axis));
        if !self.variants.is_empty() {
            let values = self.variants.iter().map(|variant| variant.name.clone()).collect();
            self.axes.insert(0, Axis { keys: vec![VARIANT.into()], values });
        }
        self
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
    /// As [`Self::base`]; more than [`MOST`] runs; settings that do not go together, with the run's
    /// name; two runs with the same settings.
    pub fn runs(&self) -> Result<Vec<Run>> {
        self.runs_on(&self.base()?)
    }

    /// The same, where `base` is [`Self::base`] with what comes beside the definition: for the file
    /// task [`Recipe::with_data`].
    ///
    /// # Errors
    /// As [`Self::runs`]; the file task without its arrays.
    pub fn runs_on(&self, base: &Recipe) -> Result<Vec<Run>> {
        let runs = self.grid(base)?;
        match runs.iter().find(|run| run.recipe.task == TaskName::File && run.recipe.data.is_none())
        {
            Some(_) => Err(Error::setting(
                "data",
                "nothing",
                "a file with the arrays x and y, for the task file",
            )),
            None => Ok(runs),
        }
    }

    /// As [`Self::runs`], before there are arrays for the file task: what a definition amounts to.
    ///
    /// # Errors
    /// As [`Self::runs`].
    pub fn outlined(&self) -> Result<Vec<Run>> {
        self.grid(&self.base()?)
    }

    /// All runs, those of the file task perhaps without arrays.
    fn grid(&self, base: &Recipe) -> Result<Vec<Run>> {
        self.check_count(MOST)?;
        self.check_axes(base)?;
        let runs: Vec<Run> =
            (0..self.count()).map(|index| self.run(base, index)).collect::<Result<_>>()?;
        let mut seen: HashMap<&str, &Run> = HashMap::with_capacity(runs.len());
        for run in &runs {
            if let Some(other) = seen.insert(&run.key, run) {
                let found = format!("{} and {} with the same settings", other.name, run.name);
                return Err(Error::setting(
                    "grid",
                    found,
                    "runs that differ in more than the engine",
                ));
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
            if is_variant(axis) {
                recipe = self.variant(&recipe, value)?;
            } else {
                axis.keys.iter().try_for_each(|key| settings::set(&mut recipe, key, value))?;
            }
        }
        if !self.sets("batch") {
            recipe = recipe.with_fitting_batch();
        }
        let name = self.name(&values);
        recipe.check_together().map_err(|e| Error::file(&format!("the run {name}"), e))?;
        Ok(Run { key: key(&recipe), name, values, recipe })
    }

    /// Whether the definition, and not the preset, says what a setting is.
    fn sets(&self, key: &str) -> bool {
        let has = |settings: &[(String, String)]| settings.iter().any(|(other, _)| other == key);
        has(&self.settings)
            || self.variants.iter().any(|variant| has(&variant.settings))
            || self.axes.iter().any(|axis| axis.keys.iter().any(|other| other == key))
    }

    /// Each setting stands on one axis, and the task and the layer of some run look at one of each
    /// axis.
    fn check_axes(&self, base: &Recipe) -> Result<()> {
        self.check_variants(base)?;
        let keys: Vec<&str> =
            self.axes.iter().flat_map(|axis| axis.keys.iter().map(String::as_str)).collect();
        if let Some((_, twice)) = keys.iter().enumerate().find(|(i, key)| keys[..*i].contains(key))
        {
            return Err(Error::setting(twice, "on two axes", "each setting on one"));
        }
        if self.variants.is_empty() {
            return self.check_looked_at(&self.kinds(base)?, "");
        }
        self.variants.iter().try_for_each(|variant| {
            self.check_looked_at(
                &self.kinds(&self.variant(base, &variant.name)?)?,
                &format!(" of {}", variant.name),
            )
        })
    }

    /// One of these recipes' tasks and layers looks at a setting of each axis; `whose` says whose
    /// they are.
    fn check_looked_at(&self, kinds: &[Recipe], whose: &str) -> Result<()> {
        let looked_at = |key: &String| {
            kinds
                .iter()
                .any(|kind| Setting::find(key).is_some_and(|setting| setting.counts_for(kind)))
        };
        match self.axes.iter().find(|axis| {
            axis.values.len() > 1 && !is_variant(axis) && !axis.keys.iter().any(looked_at)
        }) {
            Some(axis) => {
                let word = |kind, key| {
                    Setting::find(key)
                        .map(|setting| (setting.get)(kind).to_string())
                        .unwrap_or_default()
                };
                let words = |key| {
                    let words: Vec<String> = kinds.iter().map(|kind| word(kind, key)).collect();
                    let first = |(i, word): (usize, &String)| {
                        (!words[..i].contains(word)).then(|| word.clone())
                    };
                    words.iter().enumerate().filter_map(first).collect::<Vec<_>>().join(" or ")
                };
                let gating = if axis.keys == ["gates"] && kinds.iter().any(Recipe::is_gated) {
                    " with side gating"
                } else {
                    ""
                };
                let expected = format!(
                    "a setting that the task {} and the layer {}{gating}{whose} look at, or all of its runs are the same",
                    words("task"),
                    words("model")
                );
                Err(Error::setting(&axis.keys.join(","), "an axis", expected))
            }
            None => Ok(()),
        }
    }

    /// Variants have names, each its own, settings that are accepted and that no axis varies.
    fn check_variants(&self, base: &Recipe) -> Result<()> {
        for (i, variant) in self.variants.iter().enumerate() {
            let wrong =
                |found: &str, expected: &str| Err(Error::setting("variants", found, expected));
            if variant.name.trim().is_empty() {
                return wrong("one without a name", "a name for each, like \"LSTM\"");
            }
            if self.variants[..i].iter().any(|other| other.name == variant.name) {
                return wrong(&format!("{} twice", variant.name), "each name once");
            }
            self.variant(base, &variant.name)?;
            let varied = |key: &String| self.axes.iter().any(|axis| axis.keys.contains(key));
            if let Some((key, _)) = variant.settings.iter().find(|(key, _)| varied(key)) {
                return wrong(
                    &format!("{key} in {} and on an axis", variant.name),
                    "each setting in variants or on an axis",
                );
            }
        }
        Ok(())
    }

    /// The base with each task, layer and gating of the grid: what decides which settings count.
    fn kinds(&self, base: &Recipe) -> Result<Vec<Recipe>> {
        ["gating", "model", "task"].into_iter().try_fold(vec![base.clone()], |kinds, key| {
            let Some(axis) =
                self.axes.iter().find(|axis| axis.keys.iter().any(|other| other == key))
            else {
                return Ok(kinds);
            };
            let with = |kind: &Recipe, value: &str| {
                let mut kind = kind.clone();
                settings::set(&mut kind, key, value).map(|()| kind)
            };
            axis.values
                .iter()
                .flat_map(|value| kinds.iter().map(move |kind| with(kind, value)))
                .collect()
        })
    }

    /// What all runs set, but none looks at: (key, why).
    ///
    /// # Errors
    /// As [`Self::base`].
    pub fn ignored(&self, base: &Recipe) -> Result<Vec<(&str, String)>> {
        let bases = if self.variants.is_empty() {
            vec![base.clone()]
        } else {
            self.variants
                .iter()
                .map(|variant| self.variant(base, &variant.name))
                .collect::<Result<_>>()?
        };
        let kinds: Vec<Recipe> = bases
            .iter()
            .map(|base| self.kinds(base))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        let unseen = |key: &str| {
            Setting::find(key)
                .filter(|setting| kinds.iter().all(|kind| !setting.counts_for(kind)))
                .map(|setting| setting.unseen_by(base))
        };
        Ok(self.settings.iter().filter_map(|(key, _)| Some((key.as_str(), unseen(key)?))).collect())
    }

    fn name(&self, values: &[String]) -> String {
        let varied = self.axes.iter().zip(values).filter(|(axis, _)| axis.values.len() > 1);
        let parts: Vec<String> = varied
            .map(|(axis, value)| {
                if is_variant(axis) {
                    value.clone()
                } else {
                    format!("{}={value}", axis.keys.join("="))
                }
            })
            .collect();
        if parts.is_empty() { "the only run".into() } else { parts.join(" ") }
    }
}

/// Whether an axis is that of the variants.
pub fn is_variant(axis: &Axis) -> bool {
    axis.keys.len() == 1 && axis.keys[0] == VARIANT
}

/// Names a run's record: 64 bits of FNV-1a, in hexadecimal, over the settings that differ from the
/// default recipe, but for the engine. So a setting that a later version adds changes no key.
pub fn key(recipe: &Recipe) -> String {
    let base = Recipe::default();
    let settings = SETTINGS.iter().filter(|setting| {
        setting.key != "backend" && (setting.get)(recipe) != (setting.get)(&base)
    });
    let mut text: String =
        settings.map(|setting| format!("{}={}\n", setting.key, (setting.get)(recipe))).collect();
    if let Some(data) = recipe.data.as_ref().filter(|_| recipe.task == TaskName::File) {
        let file = data.name.rsplit(['/', '\\']).next().unwrap_or_default(); // the folder may differ from machine to machine
        text += &format!("data={file} {} {} {}\n", data.sequences, data.steps, data.is_weighted);
    }
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
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
