//! Twin of `shaders/activation.wgsl`: y = f(x), f chosen by `kind`.

use super::{Block, simd};
use crate::graph::dims::Dims;
use crate::graph::op::activation::Function;
use crate::math::float::Float;

/// y = f(x).
pub fn forward<F: Float>(dims: &Dims, _: &mut Block<F>, [x]: [&[F]; 1], [y]: [&mut [F]; 1]) {
    match Function::of(dims.kind) {
        Function::Sigmoid => each(x, y, sigmoid),
        Function::Gelu => each(
            x,
            y,
            #[inline(always)]
            |x| x * sigmoid(gelu_argument(x).0),
        ),
        Function::Silu => each(
            x,
            y,
            #[inline(always)]
            |x| x * sigmoid(x),
        ),
        Function::Softplus => each(x, y, |x| {
            (if x > F::ZERO { x } else { F::ZERO })
                + (if x > F::ZERO { -x } else { x }).exp().ln_1p()
        }),
    }
}

/// dx = dy ⊙ f′(x).
pub fn backward<F: Float>(dims: &Dims, _: &mut Block<F>, [x, dy]: [&[F]; 2], [dx]: [&mut [F]; 1]) {
    match Function::of(dims.kind) {
        Function::Sigmoid => each(x, dx, sigmoid_slope),
        Function::Gelu => each(
            x,
            dx,
            #[inline(always)]
            |x| {
                let (argument, slope) = gelu_argument(x);
                sigmoid(argument) + x * sigmoid_slope(argument) * slope
            },
        ),
        Function::Silu => each(
            x,
            dx,
            #[inline(always)]
            |x| sigmoid(x) + x * sigmoid_slope(x),
        ),
        Function::Softplus => each(x, dx, sigmoid),
    }
    dx.iter_mut().zip(dy).for_each(|(dx, &dy)| *dx = dy * *dx);
}

fn each<F: Float>(x: &[F], y: &mut [F], f: impl Fn(F) -> F) {
    simd(
        #[inline(always)]
        || y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x)),
    );
}

/// 1 / (1 + e⁻ˣ), without overflow.
#[inline(always)]
pub fn sigmoid<F: Float>(x: F) -> F {
    let small = (if x < F::ZERO { x } else { -x }).quick_exp(); // in (0, 1]
    (if x < F::ZERO { small } else { F::ONE }) / (F::ONE + small)
}

/// σ′(x) = σ(x) σ(−x).
#[inline(always)]
fn sigmoid_slope<F: Float>(x: F) -> F {
    sigmoid(x) * sigmoid(-x)
}

/// 2a with a = √(2/π) (x + 0.044715 x³), and its slope; past ±20 as there, where σ is 0 or 1.
#[inline(always)]
fn gelu_argument<F: Float>(x: F) -> (F, F) {
    let (scale, cubic, bound) =
        (F::of(2.0 * (2.0 / std::f64::consts::PI).sqrt()), F::of(0.044_715), F::of(20.0));
    let x = if x > bound {
        bound
    } else if x < -bound {
        -bound
    } else {
        x
    };
    (scale * (x + cubic * x * x * x), scale * (F::ONE + F::of(3.0) * cubic * x * x))
}
