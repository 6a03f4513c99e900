//! What the size ε of the weights into a nonlinearity does: the error of its curvature falls as ε²,
//! that of rounding grows as ε falls (as 1/ε where the halves of one product are taken away at a
//! time, as 1/ε² where those of two are). Between them is a best ε.

use super::{Host, construct, exp2};
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

/// What an error comes to on one side of the best ε: `scale` · ε^`power`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asymptote {
    /// 2 for curvature; −1 or −2 for rounding.
    pub power: i32,
    /// Its value at ε = 1.
    pub scale: f64,
}

impl Asymptote {
    /// The error at `epsilon`.
    pub fn at(self, epsilon: f64) -> f64 {
        self.scale * epsilon.powi(self.power)
    }
}

/// Errors at many ε, falling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The layer.
    pub layer: Host,
    /// One for each ε.
    pub points: Vec<Point>,
}

/// ε from 1 down to 2^−`SMALLEST`.
pub const SMALLEST: i32 = 26;

/// The errors of `layer` for `teacher` at ε = 1, 1/2, 1/4 … 2⁻²⁶ on `sequences` random sequences of
/// `time` tokens, the same at each.
///
/// # Errors
/// As [`construct`].
pub fn epsilon_curve(
    teacher: &Teacher,
    layer: Host,
    seed: u32,
    sizes: [usize; 2],
) -> Result<Curve> {
    Ok(Curve {
        layer,
        points: (0..=SMALLEST)
            .map(|exponent| point(teacher, layer, exponent, seed, sizes))
            .collect::<Result<_>>()?,
    })
}

/// The curve's point at ε = 2^−`exponent`.
///
/// # Errors
/// As [`construct`].
pub fn point(
    teacher: &Teacher,
    layer: Host,
    exponent: i32,
    seed: u32,
    sizes: [usize; 2],
) -> Result<Point> {
    let epsilon = exp2(-exponent);
    let built = construct(teacher, layer, epsilon)?;
    Ok(Point {
        epsilon,
        double: built.error::<f64>(teacher, seed, sizes),
        single: built.error::<f32>(teacher, seed, sizes),
    })
}

/// Points this near to the best ε, in powers of 2, belong to neither side; nor do the largest
/// weights, where more than the first term counts.
const NEITHER: f64 = 3.0;

impl Curve {
    /// What the error in double precision comes to: by curvature, by rounding. `None` while points
    /// of either side are missing.
    pub fn asymptotes(&self) -> Option<[Asymptote; 2]> {
        let best = self.best()[0].epsilon.log2();
        let rounding = if matches!(self.layer, Host::Lstm | Host::GruCurved) { -2 } else { -1 };
        let fit = |power: i32, belongs: &dyn Fn(f64) -> bool| {
            let logs: Vec<f64> = self
                .points
                .iter()
                .filter(|point| belongs(point.epsilon.log2()))
                .map(|point| (point.double / point.epsilon.powi(power)).ln())
                .collect();
            let scale = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
            (logs.len() > 1 && scale.is_finite()).then_some(Asymptote { power, scale })
        };
        Some([
            fit(2, &|at| at > best + NEITHER && at <= -NEITHER)?,
            fit(rounding, &|at| at < best - NEITHER)?,
        ])
    }

    /// The point of least error in double precision, and in single.
    pub fn best(&self) -> [Point; 2] {
        let least = |error: fn(&Point) -> f64| {
            self.points.iter().min_by(|a, b| error(a).total_cmp(&error(b))).copied()
        };
        [|point: &Point| point.double, |point: &Point| point.single].map(|error| {
            least(error).unwrap_or(Point { epsilon: 1.0, double: f64::NAN, single: f64::NAN })
        })
    }
}
