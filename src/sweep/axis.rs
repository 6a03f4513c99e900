//! One direction of a sweep's grid, and how people write it: `hidden,gates` over `8, 10, 14..40/2`.

use crate::recipe::Recipe;
use crate::recipe::settings::{Kind, Setting};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A grid of more runs is refused.
pub const MOST: u64 = 1_000_000;

/// One direction of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// The settings that get each value, all of them the same: `hidden`, or `hidden` and `gates`.
    pub keys: Vec<String>,
    /// As text, in the order in which they are run.
    pub values: Vec<String>,
}

/// From as many numbers in equal distances on, they are written as a range.
const RANGE: usize = 4;

impl Axis {
    /// Whether it is nothing but the random seed.
    pub fn is_seed(&self) -> bool {
        self.keys.iter().all(|key| key == "seed")
    }

    /// Reads an axis from two lines of text: keys with commas between them; values with commas or
    /// spaces, ranges `from..to` and `from..to/step` of whole numbers among them. Schedules
    /// have commas of their own: between them stand semicolons or spaces.
    ///
    /// # Errors
    /// An unknown setting, or one twice; no value, one twice, one that is not accepted; too many.
    pub fn parse(keys: &str, values: &str) -> Result<Self> {
        let settings = settings(keys)?;
        if !scheduled(&settings) {
            return Self::from_entries(&settings, &listed(values));
        }
        let entries: Vec<String> =
            values.split(';').flat_map(|part| glued(part, &[",", ":"])).collect();
        let starts = |entry: &str| {
            entry
                .split(',')
                .filter(|knot| knot.split_once(':').is_some_and(|(at, _)| at.parse() == Ok(0.0)))
                .count()
        };
        match entries.iter().find(|entry| starts(entry) > 1) {
            Some(entry) => Err(Error::setting(
                &join(&settings),
                entry,
                "schedules with ; between them, as each starts at 0 once",
            )),
            None => Self::from_entries(&settings, &entries),
        }
    }

    /// Reads an axis from a list: each entry is a schedule, or, for other settings, a value or a
    /// text with several.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub(super) fn from_list(keys: &str, entries: &[String]) -> Result<Self> {
        let settings = settings(keys)?;
        if scheduled(&settings) {
            return Self::from_entries(&settings, entries);
        }
        let entries: Vec<String> = entries
            .iter()
            .flat_map(
                |entry| if entry.trim().is_empty() { vec![String::new()] } else { listed(entry) },
            )
            .collect();
        Self::from_entries(&settings, &entries)
    }

    /// The values as [`Self::parse`] reads them, in as few words as that takes.
    pub fn values_text(&self) -> String {
        let schedule = |key: &String| {
            Setting::find(key).is_some_and(|setting| matches!(setting.kind, Kind::Schedule(_)))
        };
        self.pieces().join(if self.keys.iter().any(schedule) { "; " } else { ", " })
    }

    /// The values, four and more whole numbers in equal distances as a range.
    pub(super) fn pieces(&self) -> Vec<String> {
        let numbers: Vec<Option<u64>> =
            self.values.iter().map(|value| value.parse().ok()).collect();
        let step = |i: usize| {
            numbers.get(i + 1).copied().flatten()?.checked_sub(numbers[i]?).filter(|step| *step > 0)
        };
        let (mut pieces, mut i) = (vec![], 0);
        while i < self.values.len() {
            let further =
                step(i).map_or(0, |first| (i..).take_while(|&j| step(j) == Some(first)).count());
            if further + 1 < RANGE {
                pieces.push(self.values[i].clone());
                i += 1;
                continue;
            }
            let (from, to) = (&self.values[i], &self.values[i + further]);
            pieces.push(if let Some(step @ 2..) = step(i) {
                format!("{from}..{to}/{step}")
            } else {
                format!("{from}..{to}")
            });
            i += further + 1;
        }
        pieces
    }

    /// Each entry is one value or one range.
    fn from_entries(settings: &[&Setting], entries: &[String]) -> Result<Self> {
        let name = join(settings);
        let ranges = settings.iter().all(|setting| setting.kind.is_number());
        let mut written = vec![];
        for entry in entries {
            let (from, to, step) = match entry.split_once("..").filter(|_| ranges) {
                Some((from, rest)) => range(&name, entry, from, rest)?,
                None => {
                    written.push(entry.clone());
                    continue;
                }
            };
            // Counted before any is made: a range that is still being typed may be endless.
            let count = u128::from((to - from) / step) + 1;
            let room = u128::from(MOST).saturating_sub(written.len() as u128);
            if count > room {
                return Err(Error::setting(
                    &name,
                    format!("{entry}, which is {count} values"),
                    format!("at most {MOST} values"),
                ));
            }
            written.extend((0..count as u64).map(|i| (from + i * step).to_string()));
        }
        if written.is_empty() {
            return Err(Error::setting(&name, "no values", "at least one"));
        }
        let mut scratch = Recipe::default();
        let mut seen = HashSet::new();
        let mut values = vec![];
        for text in written {
            settings.iter().try_for_each(|setting| {
                setting.set(&mut scratch, &text).map_err(|e| explained(e, setting))
            })?;
            let value = (settings[0].get)(&scratch).to_string();
            if !seen.insert(value.clone()) {
                return Err(Error::setting(&name, format!("{value} twice"), "each value once"));
            }
            values.push(value);
        }
        Ok(Self { keys: settings.iter().map(|setting| setting.key.into()).collect(), values })
    }
}

/// The settings that an axis names.
fn settings(keys: &str) -> Result<Vec<&'static Setting>> {
    if keys.trim().is_empty() {
        return Err(Error::setting(
            "axis",
            "no setting",
            "one, or several with commas like hidden,gates",
        ));
    }
    let settings: Vec<&Setting> =
        keys.split(',').map(|key| Setting::known(key.trim())).collect::<Result<_>>()?;
    let twice = settings
        .iter()
        .enumerate()
        .find(|(i, setting)| settings[..*i].iter().any(|other| other.key == setting.key));
    match twice {
        Some((_, setting)) => {
            Err(Error::setting(setting.key, "twice on one axis", "each setting once"))
        }
        None => Ok(settings),
    }
}

fn join(settings: &[&Setting]) -> String {
    settings.iter().map(|setting| setting.key).collect::<Vec<_>>().join(",")
}

fn scheduled(settings: &[&Setting]) -> bool {
    settings.iter().any(|setting| matches!(setting.kind, Kind::Schedule(_)))
}

/// A text's words; those are one word that only spaces before or after one of `glue` part.
fn glued(text: &str, glue: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last)
                if glue.iter().any(|glue| last.ends_with(glue) || word.starts_with(glue)) =>
            {
                last.push_str(word)
            }
            _ => words.push(word.into()),
        }
    }
    words
}

/// Values and ranges with commas, semicolons or spaces between them.
fn listed(text: &str) -> Vec<String> {
    let words = glued(text, &["..", "/"]);
    words
        .iter()
        .flat_map(|word| word.split([',', ';']))
        .filter(|word| !word.is_empty())
        .map(Into::into)
        .collect()
}

/// (from, to, step) of the range `entry`.
fn range(name: &str, entry: &str, from: &str, rest: &str) -> Result<(u64, u64, u64)> {
    let (to, step) = rest.split_once('/').unwrap_or((rest, "1"));
    let numbers = [from, to, step].map(|text| text.trim().parse::<u64>().ok());
    match numbers {
        [Some(from), Some(to), Some(step)] if from <= to && step > 0 => Ok((from, to, step)),
        _ => Err(Error::setting(
            name,
            entry,
            "whole numbers as from..to or from..to/step, from the smaller to the larger",
        )),
    }
}

/// What is accepted of a number, with ranges; of schedules, how to part them.
fn explained(error: Error, setting: &Setting) -> Error {
    match error {
        Error::Setting { key, found, expected } => {
            let more = match setting.kind {
                Kind::Integer { .. } => ", or a range like 8..40/2",
                Kind::Schedule(_) => "; several in one text with ; between them",
                Kind::Number { .. } | Kind::Choice(_) => "",
            };
            Error::Setting { key, found, expected: expected + more }
        }
        other => other,
    }
}
