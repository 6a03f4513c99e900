//! The number type of the CPU engine: `f32` in the app, `f64` in gradient checks.

use super::quick;
use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A real number that the engine can compute with.
pub trait Float:
    Copy
    + Debug
    + Display
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// Rounds a double.
    fn of(value: f64) -> Self;
    /// Widens to a double.
    fn wide(self) -> f64;
    /// e to the power of `self`.
    fn exp(self) -> Self;
    /// ln(1 + `self`).
    fn ln_1p(self) -> Self;
    /// e to the power of `self`, to single precision's accuracy, in loops that vectorise; stays
    /// finite.
    fn quick_exp(self) -> Self;
    /// Hyperbolic tangent, likewise.
    fn tanh(self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Square root.
    fn sqrt(self) -> Self;
    /// The SIMD matrix product for this processor; [`super::gemm`] gives it a safe face.
    fn gemm() -> Gemm<Self>;
}

/// m, n, k; output with its column and row strides, and whether to add to it; left matrix and its
/// strides; right matrix and its strides; factors of the old output and of the product;
/// conjugations; parallelism.
pub type Gemm<F> = unsafe fn(
    usize,
    usize,
    usize,
    *mut F,
    isize,
    isize,
    bool,
    *const F,
    isize,
    isize,
    *const F,
    isize,
    isize,
    F,
    F,
    bool,
    bool,
    bool,
    gemm_common::Parallelism,
);

macro_rules! float {
    ($type:ty, $exp:path, $tanh:path, $gemm:path) => {
        impl Float for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn of(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                self.exp()
            }
            #[inline(always)]
            fn ln_1p(self) -> Self {
                self.ln_1p()
            }
            #[inline(always)]
            fn quick_exp(self) -> Self {
                $exp(self)
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                $tanh(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                self.sin_cos()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn gemm() -> Gemm<Self> {
                $gemm()
            }
        }
    };
}
float!(f32, quick::exp, quick::tanh, gemm_f32::gemm::f32::get_gemm_fn);
float!(f64, f64::exp, f64::tanh, gemm_f64::gemm::f64::get_gemm_fn);
