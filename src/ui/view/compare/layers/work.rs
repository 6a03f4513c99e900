//! What is measured of a construction: its error against ε, a few milliseconds per frame, the chosen
//! ε first.

use super::settings::Settings;
use crate::Error;
use crate::task::Teacher;
use crate::task::attention::{Spectrum, TeacherKind};
use crate::theory::layers::curve::{self, Curve, Point};
use crate::theory::layers::{Built, Host, construct};
use web_time::{Duration, Instant};

/// Random sequences that errors are measured on, and tokens in each.
pub const MEASURED_ON: [usize; 2] = [4, 16];
pub const SEED: u32 = 1;
/// A frame's share; one point may take longer.
const SHARE: Duration = Duration::from_millis(4);

/// A construction's errors, as far as they are measured.
pub struct Work {
    of: (Host, usize, u32),
    /// What is built.
    pub teacher: Teacher,
    /// Errors, by the exponent of ε.
    points: Vec<Option<Point>>,
    /// Why there are no more.
    pub failure: Option<Error>,
    /// The newest that was asked for, and its exponent.
    built: Option<(i32, Built)>,
}

impl Work {
    /// Nothing is measured yet.
    pub fn new(&Settings { layer, dim, seed, .. }: &Settings) -> Self {
        let teacher = Teacher::draw(
            TeacherKind { dim, ranks: [dim; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
            seed,
        );
        Self {
            of: (layer, dim, seed),
            teacher,
            points: vec![None; super::settings::exponents().count()],
            failure: None,
            built: None,
        }
    }

    /// Whether it belongs to these, whatever their ε.
    pub fn is_of(&self, settings: &Settings) -> bool {
        self.of == (settings.layer, settings.dim, settings.seed)
    }

    /// Measures on, at 2^−`first` first; returns whether there is more to do.
    pub fn advance(&mut self, first: i32) -> bool {
        let started = Instant::now();
        if self.built.as_ref().is_none_or(|(exponent, _)| *exponent != first) {
            match construct(&self.teacher, self.of.0, epsilon(first)) {
                Ok(built) => self.built = Some((first, built)),
                Err(error) => self.failure = Some(error),
            }
        }
        while let Some(exponent) = self.next(first) {
            match curve::point(&self.teacher, self.of.0, exponent, SEED, MEASURED_ON) {
                Ok(point) => self.points[exponent.unsigned_abs() as usize] = Some(point),
                Err(error) => self.failure = Some(error),
            }
            if started.elapsed() >= SHARE {
                break;
            }
        }
        self.next(first).is_some()
    }

    /// The exponent to be measured next.
    fn next(&self, first: i32) -> Option<i32> {
        let missing = |exponent: &i32| self.points[exponent.unsigned_abs() as usize].is_none();
        std::iter::once(first)
            .chain(super::settings::exponents())
            .find(missing)
            .filter(|_| self.failure.is_none())
    }

    /// The errors at ε = 2^−`exponent`, once they are measured.
    pub fn point(&self, exponent: i32) -> Option<Point> {
        self.points.get(usize::try_from(exponent).ok()?).copied().flatten()
    }

    /// What is measured until now, ε falling.
    pub fn curve(&self) -> Curve {
        Curve { layer: self.of.0, points: self.points.iter().copied().flatten().collect() }
    }

    /// Whether all is measured.
    pub fn is_whole(&self) -> bool {
        self.points.iter().all(Option::is_some)
    }

    /// The construction at the chosen ε.
    pub fn built(&self) -> Option<&Built> {
        self.built.as_ref().map(|(_, built)| built)
    }
}

/// 2^−`exponent`
pub fn epsilon(exponent: i32) -> f64 {
    2f64.powi(-exponent)
}

/// The exponent whose ε that is, the nearest one.
pub fn exponent_of(epsilon: f64) -> i32 {
    (-epsilon.log2()).round() as i32
}

/// 2⁻¹³
pub fn power(exponent: i32) -> String {
    if exponent == 0 {
        return "1".into();
    }
    let raised = |digit: char| match digit {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']
            [digit.to_digit(10).unwrap_or(0) as usize],
    };
    format!("2{}", exponent.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_read_well() {
        assert_eq!([0, -1, -13, 4].map(power), ["1", "2⁻¹", "2⁻¹³", "2⁴"]);
        assert_eq!((epsilon(13), epsilon(0)), (1.0 / 8192.0, 1.0));
    }

    #[test]
    fn the_chosen_point_comes_first_and_all_come_in_the_end() {
        let settings = Settings { layer: Host::Lstm, dim: 2, seed: 3, exponent: 9 };
        let mut work = Work::new(&settings);
        let _ = work.advance(9);
        let built = work.built().unwrap().clone();
        let point = work.point(9).unwrap();
        assert_eq!(
            (point.double, point.single),
            (
                built.error::<f64>(&work.teacher, SEED, MEASURED_ON),
                built.error::<f32>(&work.teacher, SEED, MEASURED_ON)
            )
        );
        while work.advance(9) {}
        assert!(
            work.is_whole()
                && work.curve()
                    == curve::epsilon_curve(&work.teacher, Host::Lstm, SEED, MEASURED_ON).unwrap()
        );
        assert!(
            work.is_of(&Settings { exponent: 2, ..settings })
                && !work.is_of(&Settings { seed: 4, ..settings })
        );
    }
}
