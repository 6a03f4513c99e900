//! Experiments to start from, in `assets/presets/`: each names what it changes in the default recipe.

use super::settings::{self, Recipe};
use serde::Deserialize;

/// The preset that opens.
pub const DEFAULT: &str = "discover";

/// A named experiment.
#[derive(Debug, Clone)]
pub struct Preset {
    /// In the URL.
    pub name: String,
    /// Shown in the window.
    pub title: String,
    /// One sentence: what to look at.
    pub about: String,
    /// All settings.
    pub recipe: Recipe,
}

#[derive(Deserialize)]
struct PresetFile {
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
    let PresetFile { title, about, settings } =
        serde_json::from_str(text).expect("presets are checked by their test");
    let mut recipe = Recipe::default();
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
        assert_eq!(find(DEFAULT).unwrap().recipe, Recipe::default());
    }
}
