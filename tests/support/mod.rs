//! What several test files share.

/// ‖a − b‖ / ‖b‖; infinite if the lengths differ or anything is not finite.
pub fn norm_error(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() || a.iter().chain(b).any(|v| !v.is_finite()) {
        return f64::INFINITY;
    }
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let (difference, size) =
        (norm(&mut a.iter().zip(b).map(|(a, b)| a - b)), norm(&mut b.iter().copied()));
    if size == 0.0 { difference } else { difference / size }
}
