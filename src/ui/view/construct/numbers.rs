//! Numbers that stand in columns.

use crate::theory::Gate;
use crate::ui::kit::format;

/// Two decimals, as long as that says something; a real minus.
pub fn fixed(value: f64) -> String {
    let text = match value.abs() {
        size if size < 0.005 => "0.00".into(),
        size if size < 99.995 => format!("{value:.2}"),
        size if size < 9999.5 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    };
    text.replace('-', "−")
}

/// One decimal, where there is no room for two.
pub fn coarse(value: f64) -> String {
    if value.abs() < 0.05 { "0.0".into() } else { format!("{value:.1}").replace('-', "−") }
}

/// A difference: two decimals if that says something.
pub fn error(value: f64) -> String {
    if (0.01..1000.0).contains(&value) { fixed(value) } else { format::scientific(value) }
}

/// "+ 0.30", "− 0.30": a number that is added.
pub fn added(value: f64) -> String {
    let size = fixed(value.abs());
    if value < 0.0 && size != "0.00" { format!("− {size}") } else { format!("+ {size}") }
}

/// A factor after a sign: in brackets if it is negative.
pub fn factor(value: f64) -> String {
    let text = fixed(value);
    if text.starts_with('−') { format!("({text})") } else { text }
}

/// 0.9 and not 0.90; 1 and not 1.00.
pub fn lambda(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// "(S₁₁ − S₁₂) · q₁"
pub fn gate_name(gate: &Gate) -> String {
    format!("{} · {}", bracketed(&gate.memory), bracketed(&gate.query))
}

pub fn bracketed(sum: &str) -> String {
    if sum.contains(' ') { format!("({sum})") } else { sum.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_signed() {
        assert_eq!(
            [0.0, -0.001, -0.126, 99.0, 250.4, 31_234.0].map(fixed),
            ["0.00", "0.00", "−0.13", "99.00", "250", "3.1e4"]
        );
        assert_eq!([0.3, -0.3, -0.001].map(added), ["+ 0.30", "− 0.30", "+ 0.00"]);
        assert_eq!([-0.04, -2.33].map(coarse), ["0.0", "−2.3"]);
        assert_eq!([8.29, 1e-15].map(error), ["8.29", "1.0e−15"]);
        assert_eq!(
            (factor(-0.3), factor(0.3), lambda(0.9), lambda(1.0)),
            ("(−0.30)".into(), "0.30".into(), "0.9".into(), "1".into())
        );
    }
}
