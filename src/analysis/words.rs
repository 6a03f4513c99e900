//! Numbers in the sentences that the analyses write.

/// "1 neuron", "2 neurons".
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A part of a whole: "12 %", "0.3 %", below a thousandth "2e-5", above 10 000 % "3e5 %".
pub fn part(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        v if v > 100.0 => format!("{:.0e} %", v * 100.0),
        v if v >= 0.1 => format!("{:.0} %", v * 100.0),
        v if v >= 0.001 => format!("{} %", significant(v * 100.0)),
        v => format!("{v:.0e}"),
    }
}

/// Two significant digits, without an exponent where it is between 0.001 and 1000.
pub fn significant(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        s if !(0.001..1000.0).contains(&s) => format!("{value:.1e}"),
        s if s >= 10.0 => format!("{value:.0}"),
        s if s >= 1.0 => format!("{value:.1}"),
        s => format!("{value:.*}", (1.0 - s.log10().floor()).max(0.0) as usize),
    }
}

/// The first letter small.
pub fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The first letter large.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([counted(1, "gate"), counted(0, "gate")], ["1 gate", "0 gates"]);
        assert_eq!(
            [0.0, 0.123, 0.0456, 0.001, 2.3e-5].map(part),
            ["0", "12 %", "4.6 %", "0.10 %", "2e-5"]
        );
        assert_eq!([100.0, 3.4e87].map(part), ["10000 %", "3e89 %"]);
        assert_eq!([1234.0, 12.3, 1.23, 0.0123].map(significant), ["1.2e3", "12", "1.2", "0.012"]);
    }
}
