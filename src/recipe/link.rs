//! A recipe as the part of an address after its `#`.

use super::preset;
use super::settings::{self, Recipe, SETTINGS};
use crate::Error;

/// The format's version.
const VERSION: &str = "1";

impl Recipe {
    /// The URL hash: version, preset, and the settings that differ from it.
    pub fn to_hash(&self, preset: &str) -> String {
        let base = preset::find(preset).map_or_else(Self::default, |preset| preset.recipe);
        let mut hash = format!("v={VERSION}");
        if preset != preset::DEFAULT {
            hash += &format!("&preset={preset}");
        }
        for setting in SETTINGS.iter().filter(|setting| (setting.get)(self) != (setting.get)(&base))
        {
            hash += &format!("&{}={}", setting.key, (setting.get)(self));
        }
        hash
    }

    /// Reads a URL hash: (preset, recipe, what was wrong). What is wrong is skipped, the rest is
    /// kept.
    pub fn from_hash(hash: &str) -> (String, Self, Vec<Error>) {
        let pairs: Vec<(String, String)> = hash
            .trim_start_matches(['#', '?'])
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(key, value)| (decode(key), decode(value)))
            .collect();
        let mut errors = vec![];
        let mut name = preset::DEFAULT.to_owned();
        if let Some((_, wanted)) = pairs.iter().find(|(key, _)| key == "preset") {
            match preset::find(wanted) {
                Some(_) => name.clone_from(wanted),
                None => errors.push(Error::setting(
                    "preset",
                    wanted,
                    format!("one of {}", preset::names().join(", ")),
                )),
            }
        }
        let mut recipe = preset::find(&name).map_or_else(Self::default, |preset| preset.recipe);
        for (key, value) in &pairs {
            match key.as_str() {
                "preset" | "view" | "page" => {} // the window reads which view, and which page of it
                "v" if value == VERSION => {}
                "v" => errors.push(Error::setting(
                    "v",
                    value,
                    format!("{VERSION}: this link comes from another version; what is known of it was read"),
                )),
                _ => errors.extend(settings::set(&mut recipe, key, value).err()),
            }
        }
        errors.extend(recipe.mend());
        (name, recipe, errors)
    }
}

/// Percent decoding; what is not valid stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = vec![];
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%')
            .then(|| text.get(i + 1..i + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(hex.unwrap_or(bytes[i]));
        i += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}
