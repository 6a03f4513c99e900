//! What several test files share.
#![allow(dead_code)]

/// ‖a − b‖ / ‖b‖; infinite if the lengths differ or anything is not finite.
pub fn norm_error(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() || a.iter().chain(b).any(|v| !v.is_finite()) {
        return f64::INFINITY;
    }
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let (difference, size) = (norm(&mut a.iter().zip(b).map(|(a, b)| a - b)), norm(&mut b.iter().copied()));
    if size == 0.0 { difference } else { difference / size }
}

/// What poisoned outputs hold before a kernel runs.
pub const POISON: f32 = -12345.0;

/// ‖actual − expected‖ / ‖expected‖, or why the two cannot be compared.
pub fn relative_error(actual: &[f32], expected: &[f32]) -> Result<f64, String> {
    if actual.len() != expected.len() {
        return Err(format!("{} numbers instead of {}", actual.len(), expected.len()));
    }
    if let Some(i) = actual.iter().zip(expected).position(|(a, e)| !(a.is_finite() && e.is_finite())) {
        return Err(format!("number {i} is {} instead of {}", actual[i], expected[i]));
    }
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
    let difference = square(&mut actual.iter().zip(expected).map(|(&a, &e)| f64::from(a) - f64::from(e)));
    let norm = square(&mut expected.iter().map(|&e| f64::from(e)));
    Ok(if difference == 0.0 { 0.0 } else { (difference / norm).sqrt() })
}

/// Fails unless both are equal to `tolerance`.
pub fn assert_close(what: &str, actual: &[f32], expected: &[f32], tolerance: f64) {
    match relative_error(actual, expected) {
        Ok(error) => assert!(error <= tolerance, "{what}: relative error {error:e} is above {tolerance:e}"),
        Err(problem) => panic!("{what}: {problem}"),
    }
}
