//! Numbers as people read them.

use crate::recipe::settings::Setting;

/// 19 900, with thin spaces that do not break.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// 8.2e-5; what is not a number says so.
pub fn scientific(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value.is_finite() {
        format!("{value:.1e}").replace('-', "−")
    } else {
        "not a number".into()
    }
}

/// Three digits that matter, signed.
pub fn signed(value: impl Into<f64>) -> String {
    let value: f64 = value.into();
    let text = match value.abs() {
        0.0 => "0".into(),
        size if (0.01..1000.0).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    };
    text.replace('-', "−")
}

/// A fixed number of decimals, so that numbers below each other line up; what is too large for
/// that, or no number, in short.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() >= 1000.0 || value.is_nan() {
        return scientific(value);
    }
    let text = format!("{value:.decimals$}");
    // Nothing is "−0.00".
    let nothing = text.chars().all(|digit| matches!(digit, '-' | '0' | '.'));
    text.replace('-', if nothing { "" } else { "−" })
}

/// A signed part of a whole: +0.12 %, −3.4 %, +120 %.
pub fn percent(part: f64) -> String {
    let size = (100.0 * part).abs();
    match size {
        s if !s.is_finite() => "not a number".into(),
        s if s >= 1000.0 => format!("× {}", short(1.0 + part)).replace('-', "−"),
        s => format!(
            "{:+.*}\u{a0}%",
            if s >= 100.0 {
                0
            } else if s >= 10.0 {
                1
            } else {
                2
            },
            100.0 * part
        )
        .replace('-', "−"),
    }
}

/// 12k, 1.5M: for axes.
pub fn short(value: f64) -> String {
    let (scaled, unit) = if value >= 1e6 {
        (value / 1e6, "M")
    } else if value >= 1e3 {
        (value / 1e3, "k")
    } else {
        (value, "")
    };
    let text = format!("{scaled:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// λ, which is most interesting close to 0 and 1.
pub fn lambda(value: impl Into<f64>) -> String {
    match value.into() {
        v if v > 0.999 => format!("1 − {}", scientific(1.0 - v)),
        v if v < 0.001 => scientific(v),
        v => format!("{v:.3}"),
    }
}

/// 72 MB.
pub fn bytes(value: u64) -> String {
    match value {
        0..1_000_000 => format!("{} kB", value.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", value.div_ceil(1_000_000)),
        _ => format!("{:.1} GB", value as f64 / 1e9),
    }
}

/// A sentence with the minus sign of the screen, and percentages that stay whole.
pub fn sentence(text: &str) -> String {
    let mut before = ' ';
    let sign = |letter: char| {
        let stands_alone = !before.is_alphanumeric() || before == 'e';
        before = letter;
        if letter == '-' && stands_alone { '−' } else { letter }
    };
    text.chars().map(sign).collect::<String>().replace(" %", "\u{a0}%")
}

/// For colours and places on the screen.
pub fn narrow(value: f64) -> f32 {
    value as f32
}

/// Subscript digits: y₁₂.
pub fn subscript(value: usize) -> String {
    value
        .to_string()
        .chars()
        .filter_map(|digit| digit.to_digit(10).and_then(|d| char::from_u32(0x2080 + d)))
        .collect()
}

/// "n" of "Hidden neurons n"; a label without a symbol as it is.
pub fn short_name(setting: &Setting) -> &'static str {
    setting
        .label
        .rsplit(' ')
        .next()
        .filter(|word| word.chars().count() == 1)
        .unwrap_or(setting.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(
            (thousands(999), short(12_500.0), short(20.0)),
            ("999".into(), "12.5k".into(), "20".into())
        );
        assert_eq!(
            (scientific(8.24e-5), scientific(f64::NAN)),
            ("8.2e−5".into(), "not a number".into())
        );
        assert_eq!(
            [0.0012, -0.034, 1.2, 99.0].map(percent),
            ["+0.12\u{a0}%", "−3.40\u{a0}%", "+120\u{a0}%", "× 100"]
        );
        assert_eq!(fixed(-0.0004, 2), "0.00");
        assert_eq!(
            (fixed(-0.06757, 4), fixed(1e5, 4), fixed(f64::NAN, 2)),
            ("−0.0676".into(), "1.0e5".into(), "not a number".into())
        );
        assert_eq!(
            (signed(-0.5), lambda(0.5), subscript(12)),
            ("−0.500".into(), "0.500".into(), "₁₂".into())
        );
    }
}
