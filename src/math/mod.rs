//! Numbers only: no model, no device, no file. Imports nothing of this crate but [`crate::error`].
//!
//! Start with [`float::Float`], the number type the CPU engine is generic over; [`random`] is the
//! counter-based generator that the shaders share, [`linear`] the decompositions (nalgebra),
//! [`matrix`] what analyses are written in.

pub mod float;
pub mod gemm;
mod jacobi;
pub mod linear;
pub mod matrix;
pub mod quick;
pub mod random;

/// The largest of sizes, which are at least 0; 0 if there are none, NaN if one is NaN: an error that
/// is no number must not look like none.
pub fn largest<F: float::Float>(sizes: impl IntoIterator<Item = F>) -> F {
    let is_nan = |size: F| size.partial_cmp(&size).is_none();
    let larger = |most: F, size: F| if size <= most || is_nan(most) { most } else { size };
    sizes.into_iter().fold(F::ZERO, larger)
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn a_size_that_is_no_number_is_the_largest() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        assert_eq!(largest([1.0, 3.0, 2.0]), 3.0);
        assert_eq!((largest::<f64>([]), largest([1.0, infinity])), (0.0, infinity));
        for sizes in [[nan, 1.0, 2.0], [1.0, nan, infinity], [1.0, 2.0, nan]] {
            assert!(largest(sizes).is_nan(), "{sizes:?}");
        }
        assert!(largest([0.0, f32::NAN]).is_nan());
    }
}
