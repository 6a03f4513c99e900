//! What a setting can be, and its value as it stands in links.

use crate::model::Layer;
use crate::named::Named;
use crate::train::schedule::Schedule;
use std::fmt;

/// What a setting can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A real number, best moved on a logarithmic scale.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A [`Schedule`]; the words are offered, knots can be typed.
    Schedule(&'static [&'static str]),
}

impl Kind {
    /// Reads a value that is within the range.
    pub fn read(self, text: &str) -> Option<Value> {
        let text = text.trim();
        match self {
            Self::Integer { min, max } => {
                let within = |value: &u64| (min..=max).contains(value);
                text.parse().ok().filter(within).map(Value::Integer)
            }
            Self::Number { min, max } => {
                let within = |value: &f64| (min..=max).contains(value);
                text.parse().ok().filter(within).map(Value::Number)
            }
            Self::Choice(words) => words.contains(&text).then(|| Value::Word(text.into())),
            Self::Schedule(_) => {
                text.parse::<Schedule>().ok().map(|schedule| Value::Word(schedule.to_string()))
            }
        }
    }

    /// What is accepted, in words.
    pub fn accepted(self) -> String {
        match self {
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Schedule(_) => {
                "constant, linear, cosine, or up to 8 knots fraction:value like 0:1,0.5:0.1".into()
            }
        }
    }

    /// Whether it is a number, whole or real.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Number { .. })
    }
}

/// A setting's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A real number.
    Number(f64),
    /// A word, or a schedule's text.
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Word(value) => f.write_str(value),
        }
    }
}

/// A type that a recipe has fields of.
pub(super) trait Field: Sized {
    /// As a setting's value.
    fn to_value(&self) -> Value;
    /// From a value that its setting's [`Kind`] accepts.
    fn from_value(value: &Value) -> Option<Self>;
}

impl<T: Named> Field for T {
    fn to_value(&self) -> Value {
        Value::Word(self.key().into())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Word(word) = value { Self::from_key(word) } else { None }
    }
}

impl Field for &'static Layer {
    fn to_value(&self) -> Value {
        Value::Word(self.word.into())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Word(word) = value { Layer::from_word(word) } else { None }
    }
}

impl Field for usize {
    fn to_value(&self) -> Value {
        Value::Integer(*self as u64)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Integer(value) = value { Self::try_from(*value).ok() } else { None }
    }
}

impl Field for u32 {
    fn to_value(&self) -> Value {
        Value::Integer((*self).into())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Integer(value) = value { Self::try_from(*value).ok() } else { None }
    }
}

impl Field for f32 {
    /// The decimal number that the f32 was written as.
    fn to_value(&self) -> Value {
        Value::Number(self.to_string().parse().unwrap_or(f64::from(*self)))
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Number(value) = value { Some(*value as Self) } else { None }
    }
}

impl Field for Schedule {
    fn to_value(&self) -> Value {
        Value::Word(self.to_string())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Word(text) = value { text.parse().ok() } else { None }
    }
}
