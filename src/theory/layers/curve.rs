//! What the size ε of the weights into a nonlinearity does: the error of its curvature falls as ε², that of rounding grows as ε falls
//! (as 1/ε where the halves of one product are taken away at a time, as 1/ε² where those of two are). Between them is a best ε.

use super::{Layer, construct, exp2};
use crate::Result;
use crate::task::Teacher;
use serde::{Deserialize, Serialize};

/// Errors at one ε: ‖ŷ − y‖ / ‖y‖.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// ε
    pub epsilon: f64,
    /// In double precision.
    pub double: f64,
    /// In single precision.
    pub single: f64,
}

/// Errors at many ε, falling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The layer.
    pub layer: Layer,
    /// One for each ε.
    pub points: Vec<Point>,
}

/// ε from 1 down to 2^−`SMALLEST`.
const SMALLEST: i32 = 26;

/// The errors of `layer` for `teacher` at ε = 1, 1/2, 1/4 … 2⁻²⁶ on `sequences` random sequences of `time` tokens, the same at each.
///
/// # Errors
/// As [`construct`].
pub fn epsilon_curve(teacher: &Teacher, layer: Layer, seed: u32, sizes: [usize; 2]) -> Result<Curve> {
    let point = |exponent: i32| {
        let epsilon = exp2(-exponent);
        let built = construct(teacher, layer, epsilon)?;
        Ok(Point { epsilon, double: built.error::<f64>(teacher, seed, sizes), single: built.error::<f32>(teacher, seed, sizes) })
    };
    Ok(Curve { layer, points: (0..=SMALLEST).map(point).collect::<Result<_>>()? })
}

impl Curve {
    /// The point of least error in double precision, and in single.
    pub fn best(&self) -> [Point; 2] {
        let least = |error: fn(&Point) -> f64| self.points.iter().min_by(|a, b| error(a).total_cmp(&error(b))).copied();
        [|point: &Point| point.double, |point: &Point| point.single].map(|error| least(error).unwrap_or(Point { epsilon: 1.0, double: f64::NAN, single: f64::NAN }))
    }
}
