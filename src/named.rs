//! Words for the values of an enum: links, JSON, the terminal and the window read one table.
//! Imports only `error`.

use crate::{Error, Result};

/// Values that have words; [`named!`] declares them.
pub trait Named: Copy + PartialEq + 'static {
    /// Every value.
    const ALL: &'static [Self];
    /// Their words, in that order.
    const WORDS: &'static [&'static str];

    /// The word: in links, JSON and the terminal.
    fn key(self) -> &'static str;

    /// The name for people; the word where the table gives none.
    fn title(self) -> &'static str;

    /// What it is, in a sentence; empty where the table gives none.
    fn help(self) -> &'static str;

    /// The value with that word.
    fn from_key(key: &str) -> Option<Self> {
        Self::WORDS.iter().position(|word| *word == key).map(|place| Self::ALL[place])
    }

    /// The value with that word, which was given for the setting `what`.
    ///
    /// # Errors
    /// Another word.
    fn parse(what: &str, key: &str) -> Result<Self> {
        let error = || Error::setting(what, key, format!("one of {}", Self::WORDS.join(", ")));
        Self::from_key(key).ok_or_else(error)
    }
}

/// Declares an enum and, beside each value, its word and perhaps a title and a sentence:
/// `Value = "word", "Title", "Sentence.";`
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $value:ident = $key:literal $(, $title:literal, $help:literal)?;)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$doc])* #[serde(rename = $key)] $value),* }

        impl $crate::named::Named for $name {
            const ALL: &'static [Self] = &[$(Self::$value),*];
            const WORDS: &'static [&'static str] = &[$($key),*];

            fn key(self) -> &'static str {
                match self { $(Self::$value => $key),* }
            }

            fn title(self) -> &'static str {
                match self { $(Self::$value => $crate::named::named!(@first $($title,)? $key)),* }
            }

            fn help(self) -> &'static str {
                match self { $(Self::$value => $crate::named::named!(@first $($help,)? "")),* }
            }
        }
    };
    (@first $first:literal $(, $rest:literal)?) => { $first };
}
pub(crate) use named;

#[cfg(test)]
mod tests {
    use super::*;

    named! {
        /// Two seasons.
        pub enum Season {
            /// Cold.
            Winter = "cold";
            /// Warm.
            Summer = "warm", "Summer", "The days are long.";
        }
    }

    #[test]
    fn words_and_values_are_one_table() {
        for &season in Season::ALL {
            assert_eq!(Season::from_key(season.key()), Some(season));
            let json = format!("{:?}", season.key());
            assert_eq!(serde_json::to_string(&season).unwrap(), json);
            assert_eq!(serde_json::from_str::<Season>(&json).unwrap(), season);
        }
        assert_eq!(Season::from_key("Winter"), None);
        assert_eq!((Season::Winter.title(), Season::Winter.help()), ("cold", ""));
        assert_eq!((Season::Summer.title(), Season::WORDS), ("Summer", &["cold", "warm"][..]));
    }
}
