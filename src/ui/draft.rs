//! The definition as it is being written: text, and what it reads as.

use super::Which;
use crate::model::{LAYERS, Layer};
use crate::recipe::preset;
use crate::recipe::settings::{self, Group, SETTINGS, Setting};
use crate::recipe::{Gating, Recipe};
use crate::sweep::{Axis, Sweep, Variant, is_variant};

/// A sweep's definition while the user writes it. The app keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// Shown above the sweep.
    pub title: String,
    /// What to look at.
    pub about: String,
    /// The preset that it starts from.
    pub preset: String,
    /// What all runs change of it: (key, value as typed).
    pub settings: Vec<(String, String)>,
    /// The bundles to compare, if it compares some.
    pub variants: Vec<Variant>,
    /// The rest of the grid.
    pub axes: Vec<AxisText>,
}

/// An axis as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AxisText {
    /// The settings that get each value.
    pub keys: Vec<String>,
    /// `8, 12, 14..40/2`
    pub values: String,
}

/// What a draft reads as.
#[derive(Debug, Clone)]
pub struct Check {
    /// Of that draft.
    draft: Draft,
    /// What is wrong with each of its settings.
    pub settings: Vec<Option<String>>,
    /// What is wrong with the variants, if something is.
    pub variants: Result<(), String>,
    /// How many values each axis has, or what is wrong with it.
    pub axes: Vec<Result<usize, String>>,
    /// The sweep, or what is wrong with the whole; empty if that is said elsewhere.
    pub sweep: Result<Sweep, String>,
    /// Its runs' keys, as long as there are not too many.
    pub keys: Vec<String>,
}

/// More runs are not drawn up while somebody types.
pub const CHECKED: u64 = 2000;

impl Draft {
    /// Of a definition.
    pub fn of(sweep: &Sweep) -> Self {
        let Sweep { title, about, preset, settings, variants, axes } = sweep.clone();
        let axes = axes
            .iter()
            .filter(|axis| !is_variant(axis))
            .map(|axis| AxisText { keys: axis.keys.clone(), values: axis.values_text() })
            .collect();
        Self { title, about, preset, settings, variants, axes }
    }

    /// The recipe, and how it ends with fewer and with more neurons, three seeds each.
    pub fn of_recipe(recipe: &Recipe, preset: &str) -> Self {
        let base = preset::find(preset);
        let preset = if base.is_some() { preset } else { preset::DEFAULT };
        let base = base.map_or_else(Recipe::default, |preset| preset.recipe);
        let keys: Vec<String> = if recipe.gating == Gating::Output {
            vec!["hidden".into(), "gates".into()]
        } else {
            vec!["hidden".into()]
        };
        let on_axis =
            |key: &str| key == "seed" || key == "backend" || keys.iter().any(|other| other == key);
        let differs = |setting: &&Setting| {
            !on_axis(setting.key) && (setting.get)(recipe) != (setting.get)(&base)
        };
        let n = recipe.hidden;
        let mut sizes = vec![n / 4, n / 2, 3 * n / 4, n, 3 * n / 2];
        sizes.iter_mut().for_each(|size| *size = (*size).clamp(1, 512));
        sizes.dedup();
        let list = |values: Vec<String>| values.join(", ");
        Self {
            title: "From the recipe in Discover".into(),
            about: "How the loss at the end depends on the number of neurons.".into(),
            preset: preset.into(),
            settings: SETTINGS
                .iter()
                .filter(differs)
                .map(|setting| (setting.key.into(), (setting.get)(recipe).to_string()))
                .collect(),
            variants: vec![],
            axes: vec![
                AxisText { keys, values: list(sizes.iter().map(ToString::to_string).collect()) },
                AxisText {
                    keys: vec!["seed".into()],
                    values: list(
                        (0..3).map(|i| recipe.seed.saturating_add(i).to_string()).collect(),
                    ),
                },
            ],
        }
    }

    /// What [`Self::to_compare`] or [`Self::of_recipe`] makes of the recipe, for that sweep.
    pub fn from_discover(which: Which, recipe: &Recipe, preset: &str) -> Self {
        if which == Which::Compare {
            Self::to_compare(recipe, preset)
        } else {
            Self::of_recipe(recipe, preset)
        }
    }

    /// The recipe's task, for its own layer and three others, at two learning rates.
    pub fn to_compare(recipe: &Recipe, preset: &str) -> Self {
        let steady = [
            ("rate_schedule", "cosine"),
            ("weight_decay", "0.0001"),
            ("decay_schedule", "constant"),
            ("beta2", "0:0.99"),
            ("mask_at", "0"),
        ];
        let steady: Vec<(String, String)> =
            steady.map(|(key, value)| (key.into(), value.into())).into();
        let of_network =
            |key: &str| Setting::find(key).is_some_and(|setting| setting.group == Group::Network);
        let own = |setting: &str| {
            of_network(setting)
                || setting == "learning_rate"
                || steady.iter().any(|(key, _)| key == setting)
        };
        let Self { preset, settings, .. } = Self::of_recipe(recipe, preset);
        let settings: Vec<(String, String)> =
            settings.into_iter().filter(|(key, _)| !own(key)).chain(steady.clone()).collect();
        let compared = LAYERS.iter().copied().filter(|layer| layer.compared);
        let models: Vec<&Layer> = [recipe.model].into_iter().chain(compared).collect();
        let distinct = models
            .iter()
            .enumerate()
            .filter(|(i, model)| !models[..*i].contains(model))
            .map(|(_, model)| *model);
        let rates = [recipe.learning_rate / 3.0, recipe.learning_rate]
            .map(|rate| format!("{rate:.1e}").parse::<f32>().unwrap_or(rate).to_string());
        Self {
            title: "The task in Discover".into(),
            about: "Layers with as many neurons on the same batches, each at the better of two learning rates.".into(),
            preset,
            settings,
            variants: distinct.map(|model| with_sizes_of(model, recipe)).collect(),
            axes: vec![
                AxisText { keys: vec!["learning_rate".into()], values: rates.join(", ") },
                AxisText { keys: vec!["seed".into()], values: recipe.seed.to_string() },
            ],
        }
    }

    /// Reads it.
    pub fn check(&self) -> Check {
        let mut scratch =
            preset::find(&self.preset).map_or_else(Recipe::default, |preset| preset.recipe);
        let settings: Vec<Option<String>> = self
            .settings
            .iter()
            .map(|(key, value)| {
                settings::set(&mut scratch, key, value).err().map(|error| error.to_string())
            })
            .collect();
        let read: Vec<Result<Axis, String>> = self
            .axes
            .iter()
            .map(|axis| {
                Axis::parse(&axis.keys.join(","), &axis.values).map_err(|error| error.to_string())
            })
            .collect();
        let mut keys = vec![];
        let variants = self.variants.iter().try_for_each(|variant| {
            let mut recipe = scratch.clone();
            variant
                .settings
                .iter()
                .try_for_each(|(key, value)| settings::set(&mut recipe, key, value))
        });
        let variants = variants.map_err(|error| error.to_string());
        let sweep = if variants.is_err()
            || settings.iter().any(Option::is_some)
            || read.iter().any(Result::is_err)
        {
            Err(String::new())
        } else {
            let axes = read.iter().filter_map(|axis| axis.clone().ok()).collect();
            let Self { title, about, preset, settings, mut variants, .. } = self.clone();
            // What an axis varies is no layer's own as long as the axis is there.
            let varied = |key: &String| {
                key != "model" && self.axes.iter().any(|axis| axis.keys.contains(key))
            };
            variants
                .iter_mut()
                .for_each(|variant| variant.settings.retain(|(key, _)| !varied(key)));
            let sweep =
                Sweep { title, about, preset, settings, variants, axes }.with_axis_of_variants();
            let checked = if sweep.count() <= CHECKED {
                sweep.outlined()
            } else {
                sweep.base().map(|_| vec![])
            };
            checked
                .map(|runs| keys = runs.into_iter().map(|run| run.key).collect())
                .map(|()| sweep)
                .map_err(|error| error.to_string())
        };
        Check {
            draft: self.clone(),
            settings,
            variants,
            axes: read.into_iter().map(|axis| axis.map(|axis| axis.values.len())).collect(),
            sweep,
            keys,
        }
    }

    /// The settings that can be varied or changed: those that its task looks at.
    pub fn settings_known(&self) -> impl Iterator<Item = &'static Setting> + use<> {
        let mut recipe =
            preset::find(&self.preset).map_or_else(Recipe::default, |preset| preset.recipe);
        for (key, value) in &self.settings {
            let _ = settings::set(&mut recipe, key, value); // what is wrong is said beside it
        }
        SETTINGS.iter().filter(move |setting| setting.counts_for(&recipe))
    }
}

impl Check {
    /// Whether it is of that draft.
    pub fn is_of(&self, draft: &Draft) -> bool {
        self.draft == *draft
    }
}

/// That layer with the sizes of a recipe.
fn with_sizes_of(model: &'static Layer, recipe: &Recipe) -> Variant {
    let recipe = Recipe { model, ..recipe.clone() };
    Variant { name: model.title.into(), settings: written(&recipe, |_| true) }
}

/// The layer and those of its sizes that `wanted` says, as a variant writes them.
pub fn written(recipe: &Recipe, wanted: impl Fn(&Setting) -> bool) -> Vec<(String, String)> {
    let own = SETTINGS
        .iter()
        .filter(|setting| {
            setting.group == Group::Network
                && setting.counts_for(recipe)
                && (setting.key == "model" || wanted(setting))
        })
        .filter(|setting| setting.key != "gating" || recipe.gating == Gating::Side);
    own.map(|setting| (setting.key.into(), (setting.get)(recipe).to_string())).collect()
}
