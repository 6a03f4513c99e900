//! Experiments to start from, in `assets/presets/`: each names what it changes in the base recipe.

use super::settings;
use super::{Engine, Gating, Recipe, Switch, TaskName};
use crate::model::LAYERS;
use crate::task::attention::Spectrum;
use serde::Deserialize;

/// The preset that opens.
pub const DEFAULT: &str = "discover";

/// A named experiment.
#[derive(Debug, Clone)]
pub struct Preset {
    /// In the URL.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence: what to look at.
    pub about: String,
    /// All settings.
    pub recipe: Recipe,
}

#[derive(Deserialize)]
struct Written {
    title: String,
    about: String,
    settings: Vec<(String, String)>,
}

const FILES: &[(&str, &str)] = &[
    (DEFAULT, include_str!("../../assets/presets/discover.json")),
    ("side", include_str!("../../assets/presets/side.json")),
    ("low-rank", include_str!("../../assets/presets/low-rank.json")),
    ("paper", include_str!("../../assets/presets/paper.json")),
    ("regression", include_str!("../../assets/presets/regression.json")),
    ("recall", include_str!("../../assets/presets/recall.json")),
    ("quick", include_str!("../../assets/presets/quick.json")),
];

/// What `discover` is made of, and what other presets change.
pub fn base() -> Recipe {
    let schedule = |text: &str| text.parse().expect("the base recipe's schedules parse");
    Recipe {
        task: TaskName::Attention,
        dim: 4,
        outputs: 3,
        pairs: 12,
        noise: 0.0,
        weight_variance: 1.0,
        time: 32,
        batch: 64,
        rank: 0,
        value_rank: 0,
        key_rank: 0,
        query_rank: 0,
        teacher: Spectrum::Orthogonal,
        gain: 1.0,
        model: LAYERS[0],
        gating: Gating::Output,
        hidden: 32,
        gates: 32,
        embed: 32,
        layers: 1,
        state: 8,
        steps: 24_000,
        learning_rate: 1e-2,
        rate_schedule: schedule("0:1,0.4:1,1:0"),
        warmup: 0,
        weight_decay: 0.1,
        decay_schedule: schedule("0:1,0.12:3.5,0.27:5,0.4:5,0.4:0"),
        beta2: schedule("0:0.999,0.4:0.999,0.4:0.99"),
        clip: 0.0,
        mask_at: 0.4,
        mask_threshold: 0.01,
        seed: 1,
        backend: Engine::Auto,
        shuffle: Switch::On,
        test_fraction: 0.1,
        data: None,
    }
}

/// Every preset.
pub fn all() -> Vec<Preset> {
    FILES.iter().map(|(name, text)| read(name, text)).collect()
}

/// The preset of that name.
pub fn find(name: &str) -> Option<Preset> {
    FILES.iter().find(|(file, _)| *file == name).map(|(name, text)| read(name, text))
}

/// All names.
pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

fn read(name: &str, text: &str) -> Preset {
    let Written { title, about, settings } =
        serde_json::from_str(text).expect("presets are checked by their test");
    let mut recipe = base();
    for (key, value) in settings {
        settings::set(&mut recipe, &key, &value).expect("presets are checked by their test");
    }
    Preset { name: name.into(), title, about, recipe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_reads_and_holds_together() {
        for preset in all() {
            preset.recipe.check().unwrap();
            assert!(!preset.title.is_empty() && preset.about.ends_with('.'), "{}", preset.name);
        }
        assert_eq!(find(DEFAULT).unwrap().recipe, base());
    }
}
