// Nonlinearities that stay finite for any finite argument, whatever a driver makes of exp and tanh far out.
// Appended to the shaders that use them.

// 1 / (1 + e⁻ˣ)
fn sigmoid(x: f32) -> f32 {
    return 1.0 / (1.0 + exp(clamp(-x, -80.0, 80.0)));
}

// σ′(x) = σ(x) σ(−x)
fn sigmoid_slope(x: f32) -> f32 {
    return sigmoid(x) * sigmoid(-x);
}

// tanh x; near 0 a polynomial in x (Cephes), because the difference below loses small numbers.
fn tangent(x: f32) -> f32 {
    let size = min(abs(x), 15.0);
    if size < 0.625 {
        let z = x * x;
        let series = -0.333332819422 + z * (0.133314422036 + z * (-0.0537397155531 + z * (0.0206390887954 - z * 0.00570498872745)));
        return x + x * z * series;
    }
    return sign(x) * (1.0 - 2.0 / (exp(2.0 * size) + 1.0));
}

// ln(1 + eˣ) = max(x, 0) + ln(1 + e), e = exp(−|x|); with s = e / (2 + e), ln(1 + e) = 2 artanh s, accurate for small e too.
fn softplus(x: f32) -> f32 {
    let e = exp(max(-abs(x), -80.0));
    let s = e / (2.0 + e);
    let z = s * s;
    let series = 1.0 + z * (0.33333333 + z * (0.2 + z * (0.14285714 + z * (0.11111111 + z * (0.09090909 + z * 0.07692308)))));
    return max(x, 0.0) + 2.0 * s * series;
}
