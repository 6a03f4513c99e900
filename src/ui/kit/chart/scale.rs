//! Where values stand on an axis, and which of them are named there. Pure.

use crate::ui::kit::format;

/// How the values from left to right are placed.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Numbers; by their logarithm if they span much.
    Numbers {
        /// log10 of the values.
        log: bool,
        /// Least and largest place shown.
        range: [f64; 2],
        /// The values, from the least on.
        values: Vec<f64>,
    },
    /// Words, side by side.
    Names(Vec<String>),
}

/// A value that is named on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where.
    pub place: f64,
    /// What stands there.
    pub text: String,
}

/// From this ratio of the largest to the least on, numbers are placed by their logarithm.
const WIDE: f64 = 30.0;

impl Scale {
    /// For numbers.
    pub fn numbers(values: &[f64]) -> Self {
        let fold = |pick: fn(f64, f64) -> f64, start: f64| values.iter().copied().fold(start, pick);
        let (low, high) = (fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY));
        if !(low.is_finite() && high.is_finite()) {
            return Self::Numbers { log: false, range: [0.0, 1.0], values: vec![] };
        }
        let log = low > 0.0 && high / low >= WIDE;
        let (low, high) = if log { (low.log10(), high.log10()) } else { (low, high) };
        let margin = if high > low { 0.04 * (high - low) } else { (0.2 * high.abs()).max(0.5) };
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Self::Numbers { log, range: [low - margin, high + margin], values }
    }

    /// For words.
    pub fn names(names: Vec<String>) -> Self {
        Self::Names(names)
    }

    /// Where a value stands; a word that is none of the axis stands at its start.
    pub fn place(&self, value: &str) -> f64 {
        match self {
            Self::Numbers { log, .. } => value
                .trim()
                .parse()
                .map_or(0.0, |value: f64| if *log { value.log10() } else { value }),
            Self::Names(names) => names.iter().position(|name| name == value).unwrap_or(0) as f64,
        }
    }

    /// Where a number stands.
    pub fn place_of(&self, value: f64) -> f64 {
        match self {
            Self::Numbers { log: true, .. } => value.log10(),
            _ => value,
        }
    }

    /// The value at a place, as text.
    pub fn text(&self, place: f64) -> String {
        match self {
            Self::Numbers { log, .. } => plain(if *log { 10f64.powf(place) } else { place }),
            Self::Names(names) => {
                names.get(place.max(0.0).round() as usize).cloned().unwrap_or_default()
            }
        }
    }

    /// Least and largest place.
    pub fn range(&self) -> [f64; 2] {
        match self {
            Self::Numbers { range, .. } => *range,
            Self::Names(names) => [-0.5, names.len().max(1) as f64 - 0.5],
        }
    }

    /// What is named: at most about `most`.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        match self {
            // A few values are named themselves.
            Self::Numbers { values, .. } if values.len() <= most => values
                .iter()
                .map(|&value| Tick { place: self.place_of(value), text: plain(value) })
                .collect(),
            Self::Numbers { log: true, range, .. } => log_ticks(*range, most),
            Self::Numbers { log: false, range, .. } => linear_ticks(*range, most),
            Self::Names(names) => {
                let stride = names.len().div_ceil(most.max(1)).max(1);
                names
                    .iter()
                    .enumerate()
                    .step_by(stride)
                    .map(|(i, name)| Tick { place: i as f64, text: name.clone() })
                    .collect()
            }
        }
    }
}

/// A number as short as it can be said: at most four digits that matter.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if value != 0.0 && !(1e-3..1e6).contains(&size) {
        return format::scientific(value).replace(".0e", "e");
    }
    let decimals = if size >= 1000.0 || size == 0.0 {
        0
    } else {
        (3 - size.log10().floor() as i32).clamp(0, 6) as usize
    };
    let text = format!("{value:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

/// Round numbers in a range.
pub fn linear_ticks([low, high]: [f64; 2], most: usize) -> Vec<Tick> {
    let raw = (high - low) / most.max(1) as f64;
    if !(raw > 0.0 && raw.is_finite()) {
        return vec![];
    }
    let decade = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|&step| step >= raw * 0.999)
        .unwrap_or(raw);
    let first = (low / step).ceil();
    let count = ((high / step).floor() - first).clamp(-1.0, 100.0) as i32;
    (0..=count)
        .map(|i| (first + f64::from(i)) * step)
        .map(|value| Tick { place: value, text: plain(value) })
        .collect()
}

/// Digits that are named where an axis spans less than a decade, and less than two or three.
const FINE: &[f64] = &[1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
const COARSE: &[f64] = &[1.0, 2.0, 5.0];

/// Whole decades in a range of log10, thinned to `most`; more where it spans little.
pub fn log_ticks([low, high]: [f64; 2], most: usize) -> Vec<Tick> {
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let inside = |place: &f64| (low - 1e-9..=high + 1e-9).contains(place);
    let few = [(0.7, FINE), (2.5, COARSE)].into_iter().filter(|(span, _)| high - low < *span);
    for (_, digits) in few {
        let marks =
            (first..=last).flat_map(|decade| digits.iter().map(move |digit| (*digit, decade)));
        let marks: Vec<(f64, f64)> = marks
            .map(|(digit, decade)| (digit.log10() + f64::from(decade), digit * 10f64.powi(decade)))
            .filter(|(place, _)| inside(place))
            .collect();
        if marks.len() <= most.max(2) {
            return marks
                .into_iter()
                .map(|(place, value)| Tick { place, text: plain(value) })
                .collect();
        }
    }
    let stride = ((high - low) / most.max(1) as f64).ceil().max(1.0) as i32;
    let decades = (first..=last)
        .filter(|decade| decade.rem_euclid(stride) == 0 && inside(&f64::from(*decade)));
    decades.map(|decade| Tick { place: f64::from(decade), text: power(decade) }).collect()
}

/// 1, 10, 1e−3.
fn power(decade: i32) -> String {
    match decade {
        -2..=3 => plain(10f64.powi(decade)),
        _ => format!("1e{decade}").replace('-', "−"),
    }
}

/// A range that holds these log10 and ends at round numbers: whole decades where they span much.
pub fn levels(levels: impl Iterator<Item = f64>) -> [f64; 2] {
    let (low, high) = levels.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), level| {
        (low.min(level), high.max(level))
    });
    if !(low.is_finite() && high.is_finite()) {
        return [-3.0, 0.0];
    }
    let (low, high) = (low - 0.03, high + 0.03);
    if high - low >= 1.5 {
        return [low.floor(), high.ceil()];
    }
    let digits = if high - low < 0.5 { FINE } else { COARSE };
    let marks =
        |value: f64| digits.iter().chain(&[10.0]).map(move |digit| value.floor() + digit.log10());
    let below = marks(low).filter(|mark| *mark <= low).fold(low.floor(), f64::max);
    let above = marks(high).filter(|mark| *mark >= high).fold(high.ceil(), f64::min);
    [below, above.max(below + 0.1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts(&linear_ticks([6.7, 41.3], 8)),
            ["10", "15", "20", "25", "30", "35", "40"]
        );
        assert_eq!(texts(&linear_ticks([-0.1, 1.1], 6)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(texts(&log_ticks([-6.0, 0.0], 4)), ["1e−6", "1e−4", "0.01", "1"]);
        assert_eq!(texts(&log_ticks([-1.0, 0.0], 5)), ["0.1", "0.2", "0.5", "1"]);
        assert_eq!(texts(&log_ticks([-1.0, 0.0], 3)), ["0.1", "1"]);
        assert_eq!(texts(&log_ticks([-6.0, 0.0], 40)).len(), 7);
        assert!(
            linear_ticks([1.0, 1.0], 5).is_empty() && linear_ticks([f64::NAN, 1.0], 5).is_empty()
        );
    }

    #[test]
    fn ranges_hold_what_is_shown() {
        assert_eq!(levels([-5.3, -0.2].into_iter()), [-6.0, 0.0]);
        assert_eq!(levels(std::iter::empty()), [-3.0, 0.0]);
        let [low, high] = levels([0.09f64.log10(), 0.13f64.log10()].into_iter());
        assert!(
            (low - 0.08f64.log10()).abs() < 1e-9 && (high - 0.15f64.log10()).abs() < 1e-9,
            "{low} {high}"
        );
        assert_eq!(texts(&log_ticks([low, high], 8)), ["0.08", "0.09", "0.1", "0.12", "0.15"]);
    }

    #[test]
    fn wide_numbers_stand_by_their_logarithm() {
        let Scale::Numbers { log, range, .. } = Scale::numbers(&[1e-4, 1e-1]) else {
            panic!("numbers")
        };
        assert!(log && range[0] < -4.0 && range[1] > -1.0, "{range:?}");
        assert_eq!(Scale::numbers(&[1e-4, 1e-1]).place("0.01"), -2.0);
        assert_eq!(Scale::numbers(&[1e-4, 1e-1]).text(-2.0), "0.01");
        let near = Scale::numbers(&[8.0, 40.0]);
        assert_eq!(
            (near.place("14"), near.text(14.0), near.place_of(28.0)),
            (14.0, "14".into(), 28.0)
        );
        assert_eq!(
            Scale::numbers(&[16.0]),
            Scale::Numbers { log: false, range: [12.8, 19.2], values: vec![16.0] }
        );
        assert_eq!(texts(&Scale::numbers(&[3.0, 1.0, 2.0]).ticks(4)), ["1", "2", "3"]);
        assert_eq!(texts(&Scale::numbers(&[1e-4, 3e-4, 1e-2]).ticks(4)), ["1e−4", "3e−4", "0.01"]);
        let words = Scale::names(vec!["output".into(), "side".into()]);
        assert_eq!(
            (words.place("side"), words.range(), words.text(1.0)),
            (1.0, [-0.5, 1.5], "side".into())
        );
        assert_eq!(words.ticks(1).len(), 1);
    }
}
