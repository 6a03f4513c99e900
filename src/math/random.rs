//! Counter-based random numbers: a hash of (seed, stream, step, element), with no state to carry.
//! `shaders/shared/random.wgsl` is the same arithmetic, so both engines see the same batch to
//! rounding; the logarithm, sine and cosine are our own polynomials, because WGSL's are only
//! loosely specified.

/// The hash PCG4D (Jarzynski and Olano, "Hash functions for GPU rendering", JCGT 2020).
#[inline(always)]
pub fn pcg4d(v: [u32; 4]) -> [u32; 4] {
    let [mut x, mut y, mut z, mut w] =
        v.map(|c| c.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    x = x.wrapping_add(y.wrapping_mul(w));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    w = w.wrapping_add(y.wrapping_mul(z));
    [x, y, z, w] = [x, y, z, w].map(|c| c ^ (c >> 16));
    x = x.wrapping_add(y.wrapping_mul(w));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    w = w.wrapping_add(y.wrapping_mul(z));
    [x, y, z, w]
}

/// Uniform in (0, 1), exactly representable: (k + ½) / 2²³.
#[inline(always)]
pub fn unit(bits: u32) -> f32 {
    ((bits >> 9) as f32 + 0.5) * (1.0 / 8_388_608.0)
}

/// Natural logarithm of a positive normal number, to about 1e-7 relative.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // x = m · 2^e with m in [√½, √2); with s = (m − 1)/(m + 1), ln m = 2 artanh s.
    let bits = x.to_bits().wrapping_sub(0x3f35_04f3);
    let exponent = (bits as i32 >> 23) as f32;
    let mantissa = f32::from_bits((bits & 0x007f_ffff).wrapping_add(0x3f35_04f3));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let series =
        2.0 + z * (0.666_666_6 + z * (0.400_005_94 + z * (0.285_200_72 + z * 0.233_138_79)));
    exponent * std::f32::consts::LN_2 + s * series
}

/// (sin, cos) of 2π·turns for turns in [0, 1), to about 1e-7.
#[inline(always)]
pub fn sin_cos_turns(turns: f32) -> (f32, f32) {
    let quarter = (turns * 4.0 + 0.5).floor();
    let r = (turns - quarter * 0.25) * std::f32::consts::TAU; // in [−π/4, π/4]
    let z = r * r;
    let s = r + r * z * (-0.166_666_55 + z * (0.008_332_161 + z * -0.000_195_152_96));
    let c =
        1.0 - 0.5 * z + z * z * (0.041_666_646 + z * (-0.001_388_731_6 + z * 0.000_024_433_157));
    match quarter as u32 & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Four independent standard normal numbers (Box and Muller) for one counter.
#[inline(always)]
pub fn normal4(seed: u32, stream: u32, step: u32, element: u32) -> [f32; 4] {
    let [a, b, c, d] = pcg4d([seed, stream, step, element]);
    let pair = |radius: u32, angle: u32| {
        let r = (-2.0 * ln(unit(radius))).sqrt();
        let (sin, cos) = sin_cos_turns(unit(angle));
        [r * cos, r * sin]
    };
    let ([p, q], [r, s]) = (pair(a, b), pair(c, d));
    [p, q, r, s]
}

/// Four independent uniform numbers in (0, 1) for one counter.
#[inline(always)]
pub fn uniform4(seed: u32, stream: u32, step: u32, element: u32) -> [f32; 4] {
    pcg4d([seed, stream, step, element]).map(unit)
}

/// The stream of a name (FNV-1a), so that each parameter and each task draws its own numbers.
pub fn stream_of(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// `count` standard normal numbers of the stream `name`.
pub fn normals(seed: u32, name: &str, count: usize) -> Vec<f32> {
    series(count, |i| normal4(seed, stream_of(name), 0, i))
}

/// `count` uniform numbers in (0, 1) of the stream `name`.
pub fn uniforms(seed: u32, name: &str, count: usize) -> Vec<f32> {
    series(count, |i| uniform4(seed, stream_of(name), 0, i))
}

fn series(count: usize, four: impl Fn(u32) -> [f32; 4]) -> Vec<f32> {
    let mut values: Vec<f32> = (0..count.div_ceil(4))
        .flat_map(|i| four(u32::try_from(i).expect("a counter fits 32 bits")))
        .collect();
    values.truncate(count);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_match_the_library() {
        for i in 0..100_000u32 {
            let u = unit(i.wrapping_mul(2_654_435_761));
            let exact = f64::from(u).ln();
            assert!(
                (f64::from(ln(u)) - exact).abs() <= 2.5e-7 * exact.abs() + 1e-9,
                "ln {u}: {} {exact}",
                ln(u)
            );
            let (s, c) = sin_cos_turns(u);
            let angle = f64::from(u) * std::f64::consts::TAU;
            assert!((f64::from(s) - angle.sin()).abs() < 3e-7, "sin {u}");
            assert!((f64::from(c) - angle.cos()).abs() < 3e-7, "cos {u}");
        }
    }

    #[test]
    fn normals_have_their_moments() {
        let x: Vec<f64> = normals(7, "moments", 400_000).into_iter().map(f64::from).collect();
        let moment = |power: i32| x.iter().map(|v| v.powi(power)).sum::<f64>() / x.len() as f64;
        assert!(
            moment(1).abs() < 5e-3 && (moment(2) - 1.0).abs() < 6e-3,
            "{} {}",
            moment(1),
            moment(2)
        );
        assert!(
            moment(3).abs() < 2e-2 && (moment(4) - 3.0).abs() < 5e-2,
            "{} {}",
            moment(3),
            moment(4)
        );
        let lag: f64 = x.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / x.len() as f64;
        assert!(lag.abs() < 5e-3, "neighbours are independent: {lag}");
    }
}
