//! Twin of `shaders/activation.wgsl`: y = f(x), f chosen by `kind`.

use crate::graph::dims::Dims;
use crate::graph::zoo::Function;
use crate::math::float::Float;

/// y = f(x).
pub fn forward<F: Float>(dims: &Dims, x: &[F], y: &mut [F]) {
    let each = |f: fn(F) -> F, y: &mut [F]| y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x));
    match Function::of(dims.kind) {
        Function::Sigmoid => each(sigmoid, y),
        Function::Gelu => each(|x| x * sigmoid(gelu_argument(x).0), y),
        Function::Silu => each(|x| x * sigmoid(x), y),
        Function::Softplus => each(|x| (if x > F::ZERO { x } else { F::ZERO }) + (if x > F::ZERO { -x } else { x }).exp().ln_1p(), y),
    }
}

/// dx = dy ⊙ f′(x).
pub fn backward<F: Float>(dims: &Dims, x: &[F], dy: &[F], dx: &mut [F]) {
    let each = |slope: fn(F) -> F, dx: &mut [F]| dx.iter_mut().zip(x).zip(dy).for_each(|((dx, &x), &dy)| *dx = dy * slope(x));
    match Function::of(dims.kind) {
        Function::Sigmoid => each(sigmoid_slope, dx),
        Function::Gelu => each(
            |x| {
                let (argument, slope) = gelu_argument(x);
                sigmoid(argument) + x * sigmoid_slope(argument) * slope
            },
            dx,
        ),
        Function::Silu => each(|x| sigmoid(x) + x * sigmoid_slope(x), dx),
        Function::Softplus => each(sigmoid, dx),
    }
}

/// 1 / (1 + e⁻ˣ), without overflow.
#[inline(always)]
pub fn sigmoid<F: Float>(x: F) -> F {
    let small = (if x < F::ZERO { x } else { -x }).exp(); // in (0, 1]
    (if x < F::ZERO { small } else { F::ONE }) / (F::ONE + small)
}

/// σ′(x) = σ(x) σ(−x).
fn sigmoid_slope<F: Float>(x: F) -> F {
    sigmoid(x) * sigmoid(-x)
}

/// 2a with a = √(2/π) (x + 0.044715 x³), and its slope; past ±20 as there, where σ is 0 or 1.
fn gelu_argument<F: Float>(x: F) -> (F, F) {
    let (scale, cubic, bound) = (F::of(2.0 * (2.0 / std::f64::consts::PI).sqrt()), F::of(0.044_715), F::of(20.0));
    let x = if x > bound { bound } else if x < -bound { -bound } else { x };
    (scale * (x + cubic * x * x * x), scale * (F::ONE + F::of(3.0) * cubic * x * x))
}
