//! Exponential and hyperbolic tangent of `f32` in plain arithmetic: to about 1e-7 relative, and a
//! loop of them vectorises, which calls into the C library do not.

/// eˣ for x from −87 to 88, beyond that as there.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 · 2²³: adding it rounds to a whole number, which then stands in the lowest bits
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let r = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4; // x − whole · ln 2, in [−½ ln 2, ½ ln 2]
    let series = 0.5
        + r * (1.666_666_5e-1
            + r * (4.166_579_6e-2
                + r * (8.333_452e-3 + r * (1.398_199_9e-3 + r * 1.987_569_1e-4))));
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23); // 2^whole
    power * (1.0 + r + r * r * series)
}

/// tanh x; near 0 a polynomial in x, because the difference beyond loses small numbers.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let (size, z) = (if x.abs() > 15.0 { 15.0 } else { x.abs() }, x * x);
    let series = -0.333_332_8
        + z * (0.133_314_42 + z * (-0.053_739_715 + z * (0.020_639_088 - z * 0.005_704_988_7)));
    let far = (1.0 - 2.0 / (exp(2.0 * size) + 1.0)).copysign(x);
    if size < 0.625 { x + x * z * series } else { far }
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_match_the_library() {
        let mut x = -110.0f32;
        while x < 110.0 {
            let wide = f64::from(x);
            let exp = f64::from(super::exp(x)) / wide.clamp(-87.0, 88.0).exp();
            assert!((exp - 1.0).abs() < 1.5e-7, "exp {x}: {exp}");
            let tanh = f64::from(super::tanh(x)) / wide.tanh();
            assert!((tanh - 1.0).abs() < 1.5e-7, "tanh {x}: {tanh}");
            x += 0.000_97;
        }
        for tiny in [0.0f32, 1e-30, -1e-10, 1e-4] {
            assert!(
                (f64::from(super::tanh(tiny)) - f64::from(tiny).tanh()).abs()
                    <= 1e-7 * f64::from(tiny).abs()
            );
        }
        assert!(
            [f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY].into_iter().all(|x| super::exp(
                x
            )
            .is_finite()
                && super::tanh(x).abs() == 1.0)
        );
        assert!(super::exp(f32::NAN).is_nan() && super::tanh(f32::NAN).is_nan());
    }
}
