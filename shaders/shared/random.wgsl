// Counter-based random numbers: a hash of (seed, stream, step, element). The same arithmetic as math/random.rs.
// Appended to the shaders that draw numbers or need an accurate cosine.

fn pcg4d(counter: vec4<u32>) -> vec4<u32> {
    var v = counter * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> vec4<u32>(16u);
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

// Uniform in (0, 1): (k + ½) / 2²³.
fn unit(bits: u32) -> f32 {
    return (f32(bits >> 9u) + 0.5) * (1.0 / 8388608.0);
}

// Natural logarithm of a positive normal number: x = m · 2^e, m in [√½, √2); ln m = 2 artanh((m − 1)/(m + 1)).
fn accurate_log(x: f32) -> f32 {
    let bits = bitcast<u32>(x) - 0x3f3504f3u;
    let exponent = f32(bitcast<i32>(bits) >> 23u);
    let mantissa = bitcast<f32>((bits & 0x007fffffu) + 0x3f3504f3u);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let series = 2.0 + z * (0.6666666 + z * (0.40000594 + z * (0.28520072 + z * 0.23313879)));
    return exponent * 0.6931472 + s * series;
}

// (sin, cos) of 2π · turns for turns in [0, 1).
fn sin_cos_turns(turns: f32) -> vec2<f32> {
    let quarter = floor(turns * 4.0 + 0.5);
    let r = (turns - quarter * 0.25) * 6.2831855; // in [−π/4, π/4]
    let z = r * r;
    let s = r + r * z * (-0.16666655 + z * (0.008332161 + z * -0.000195152962));
    let c = 1.0 - 0.5 * z + z * z * (0.041666646 + z * (-0.0013887316 + z * 0.000024433157));
    switch u32(quarter) & 3u {
        case 0u: { return vec2<f32>(s, c); }
        case 1u: { return vec2<f32>(c, -s); }
        case 2u: { return vec2<f32>(-s, -c); }
        default: { return vec2<f32>(-c, s); }
    }
}

// Four independent standard normal numbers (Box and Muller) for one counter.
fn normal4(seed: u32, stream: u32, step: u32, element: u32) -> vec4<f32> {
    let bits = pcg4d(vec4<u32>(seed, stream, step, element));
    let radius = sqrt(-2.0 * vec2<f32>(accurate_log(unit(bits.x)), accurate_log(unit(bits.z))));
    let first = sin_cos_turns(unit(bits.y));
    let second = sin_cos_turns(unit(bits.w));
    return vec4<f32>(radius.x * first.y, radius.x * first.x, radius.y * second.y, radius.y * second.x);
}

// Four independent uniform numbers in (0, 1) for one counter.
fn uniform4(seed: u32, stream: u32, step: u32, element: u32) -> vec4<f32> {
    let bits = pcg4d(vec4<u32>(seed, stream, step, element));
    return vec4<f32>(unit(bits.x), unit(bits.y), unit(bits.z), unit(bits.w));
}
