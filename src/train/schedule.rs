//! A setting over training: knots at fractions of all steps, between them linear or half a cosine.

use crate::graph::dims::{Curve, KNOTS};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A piecewise curve. As text: `constant`, `linear`, `cosine`, or knots `fraction:value,…` with an
/// optional leading `cosine,`; two knots at the same fraction make a jump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Schedule {
    cosine: bool,
    knots: Vec<(f32, f32)>,
}

/// What `linear` and `cosine` end at, as a factor.
const END: f32 = 1e-4;
/// What is accepted, for messages.
const EXPECTED: &str = "constant, linear, cosine, or up to 8 knots like 0:1,0.5:0.1,1:0 (fractions rising from 0 to 1)";

impl Schedule {
    /// One value throughout.
    pub fn constant(value: f32) -> Self {
        Self { cosine: false, knots: vec![(0.0, value)] }
    }

    /// For the device: fractions become steps.
    pub fn curve(&self, steps: u32, map: impl Fn(f32) -> f32) -> Curve {
        let mut curve = Curve::constant(0.0);
        curve.count = crate::graph::dims::as_u32(self.knots.len());
        curve.cosine = u32::from(self.cosine);
        for (i, &(at, value)) in self.knots.iter().enumerate() {
            curve.at[i] = (at * steps as f32).round();
            curve.value[i] = map(value);
        }
        curve
    }

    /// The smallest and the largest value.
    pub fn range(&self) -> (f32, f32) {
        self.knots.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &(_, v)| {
            (low.min(v), high.max(v))
        })
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.cosine, &self.knots[..]) {
            (false, [(_, 1.0)]) => f.write_str("constant"),
            (false, [(0.0, 1.0), (1.0, END)]) => f.write_str("linear"),
            (true, [(0.0, 1.0), (1.0, END)]) => f.write_str("cosine"),
            (cosine, knots) => {
                let knots: Vec<String> =
                    knots.iter().map(|(at, value)| format!("{at}:{value}")).collect();
                write!(f, "{}{}", if cosine { "cosine," } else { "" }, knots.join(","))
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::setting("schedule", text, EXPECTED);
        match text.trim() {
            "constant" => return Ok(Self::constant(1.0)),
            "linear" => return Ok(Self { cosine: false, knots: vec![(0.0, 1.0), (1.0, END)] }),
            "cosine" => return Ok(Self { cosine: true, knots: vec![(0.0, 1.0), (1.0, END)] }),
            _ => {}
        }
        let (cosine, list) =
            text.trim().strip_prefix("cosine,").map_or((false, text), |rest| (true, rest));
        let mut knots = vec![];
        for knot in list.split(',') {
            let (at, value) = knot.trim().split_once(':').ok_or_else(wrong)?;
            let number = |text: &str| text.trim().parse::<f32>().ok().filter(|v| v.is_finite());
            let (at, value) = (number(at).ok_or_else(wrong)?, number(value).ok_or_else(wrong)?);
            let previous = knots.last().map_or(0.0, |&(at, _): &(f32, f32)| at);
            if !(previous..=1.0).contains(&at) || (knots.is_empty() && at != 0.0) {
                return Err(wrong());
            }
            knots.push((at, value));
        }
        if knots.len() > KNOTS { Err(wrong()) } else { Ok(Self { cosine, knots }) }
    }
}

impl From<Schedule> for String {
    fn from(schedule: Schedule) -> Self {
        schedule.to_string()
    }
}

impl TryFrom<String> for Schedule {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::clock::at;

    #[test]
    fn text_and_curve_agree() {
        for text in [
            "constant",
            "linear",
            "cosine",
            "0:1,0.2:3.5,0.45:5,0.6667:5,0.6667:0",
            "cosine,0:1,1:0.5",
        ] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        let jump = "0:0.1,0.5:0.3,0.5:0".parse::<Schedule>().unwrap().curve(100, |v| v);
        for (done, expected) in [(0.0, 0.1), (25.0, 0.2), (49.0, 0.296), (50.0, 0.0), (99.0, 0.0)] {
            assert!((at::<f64>(&jump, done) - expected).abs() < 1e-6, "{done}");
        }
        let cosine = "cosine".parse::<Schedule>().unwrap().curve(100, |v| v);
        assert!(
            (at::<f64>(&cosine, 50.0) - 0.50005).abs() < 1e-6
                && (at::<f64>(&cosine, 100.0) - 1e-4).abs() < 1e-9
        );
    }

    #[test]
    fn bad_text_is_refused() {
        for text in [
            "",
            "quick",
            "0.1:1",
            "0:1,0.5",
            "0:1,0.5:2,0.4:1",
            "0:1,2:1",
            "0:nan",
            "0:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1",
        ] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
