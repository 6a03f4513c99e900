//! Least squares in many columns, some of them dependent, some large and some small: fitted on some
//! rows, tried on others.

use crate::math::linear::{self, Span};
use crate::math::matrix::{Matrix, dot, norm};

/// Columns of which less than this part is not a combination of the others are left out; above f64
/// rounding of a few thousand rows.
const DEPENDENT: f64 = 1e-12;
/// Columns that vary less than this part of the one that varies most are left out.
const SILENT: f64 = 1e-12;

/// Columns to fit with: an orthonormal basis of them.
#[derive(Debug, Clone)]
pub struct Fit {
    columns: usize,
    has_intercept: bool,
    /// What is taken from each column first, `[columns]`: its mean, or 0 without an intercept.
    centres: Vec<f64>,
    /// Independent columns, by number, in the order of the basis.
    kept: Vec<usize>,
    /// `[rank, rows]`
    basis: Matrix,
    /// The kept columns, centred, in that basis: `[rank, rank]`, upper triangular.
    triangle: Matrix,
}

/// A linear map, or an affine one.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// `[columns, targets]`; 0 for columns that were left out.
    pub weights: Matrix,
    /// What is added, `[targets]`.
    pub intercept: Vec<f64>,
}

impl Fit {
    /// With `features [rows, columns]`, and an intercept or none.
    pub fn new(features: &Matrix, has_intercept: bool) -> Self {
        let mut columns = features.transpose();
        let mut centres = vec![0.0; columns.rows];
        for (i, centre) in centres.iter_mut().enumerate().filter(|_| has_intercept) {
            *centre = mean(columns.row(i));
            columns.row_mut(i).iter_mut().for_each(|v| *v -= *centre);
        }
        let sizes: Vec<f64> = columns.iter_rows().map(norm).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let audible: Vec<usize> =
            (0..columns.rows).filter(|&i| sizes[i] > SILENT * largest).collect();
        let mut columns = columns.select_rows(&audible);
        for (row, &i) in audible.iter().enumerate() {
            columns.row_mut(row).iter_mut().for_each(|v| *v /= sizes[i]);
        }
        let Span { kept, basis } =
            linear::span(&columns, DEPENDENT, columns.rows.min(features.rows.saturating_sub(1)));
        let mut triangle = basis.times_transposed(&columns.select_rows(&kept));
        let kept: Vec<usize> = kept.into_iter().map(|row| audible[row]).collect();
        for row in 0..kept.len() {
            kept.iter().enumerate().for_each(|(column, &i)| {
                triangle.set(row, column, triangle.at(row, column) * sizes[i])
            });
        }
        Self { columns: features.columns, has_intercept, centres, kept, basis, triangle }
    }

    /// Independent columns.
    pub fn rank(&self) -> usize {
        self.kept.len()
    }

    /// The map with the least squared error to `targets [rows, targets]` on the rows of the
    /// features.
    pub fn solve(&self, targets: &Matrix) -> Map {
        let means: Vec<f64> = targets
            .transpose()
            .iter_rows()
            .map(|target| if self.has_intercept { mean(target) } else { 0.0 })
            .collect();
        let centred =
            Matrix::from_fn(targets.rows, targets.columns, |i, j| targets.at(i, j) - means[j]);
        let along = self.basis.times(&centred); // [rank, targets]
        let rank = self.rank();
        let mut solved = Matrix::zeros(rank, targets.columns);
        for row in (0..rank).rev() {
            for target in 0..targets.columns {
                let known: f64 =
                    (row + 1..rank).map(|k| self.triangle.at(row, k) * solved.at(k, target)).sum();
                solved.set(
                    row,
                    target,
                    (along.at(row, target) - known) / self.triangle.at(row, row),
                );
            }
        }
        let mut weights = Matrix::zeros(self.columns, targets.columns);
        self.kept
            .iter()
            .enumerate()
            .for_each(|(row, &column)| weights.row_mut(column).copy_from_slice(solved.row(row)));
        let transposed = weights.transpose();
        let intercept = means
            .iter()
            .zip(transposed.iter_rows())
            .map(|(mean, weights)| mean - dot(weights, &self.centres))
            .collect();
        Map { weights, intercept }
    }
}

impl Map {
    /// Of `features [rows, columns]`: `[rows, targets]`.
    pub fn of(&self, features: &Matrix) -> Matrix {
        let linear = features.times(&self.weights);
        Matrix::from_fn(linear.rows, linear.columns, |i, j| linear.at(i, j) + self.intercept[j])
    }
}

/// 1 − R² of `found` against `targets`, pooled over the targets' columns, each about its own mean;
/// `None` where none varies.
pub fn unexplained(found: &Matrix, targets: &Matrix) -> Option<f64> {
    let means: Vec<f64> = targets.transpose().iter_rows().map(mean).collect();
    let total: f64 = (0..targets.rows)
        .map(|i| targets.row(i).iter().zip(&means).map(|(v, mean)| (v - mean).powi(2)).sum::<f64>())
        .sum();
    let rest: f64 = found.data.iter().zip(&targets.data).map(|(a, b)| (a - b).powi(2)).sum();
    (total > 0.0).then(|| rest / total)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(name: &str, rows: usize, columns: usize) -> Matrix {
        Matrix::new(
            rows,
            columns,
            crate::math::random::normals(3, name, rows * columns)
                .into_iter()
                .map(f64::from)
                .collect(),
        )
    }

    #[test]
    fn an_affine_map_is_found_through_dependent_and_tiny_columns() {
        let x = numbers("x", 60, 3);
        // A copy, a sum, a tiny column, one that is always 5.
        let features = Matrix::from_fn(60, 7, |i, j| match j {
            0..3 => x.at(i, j) + 2.0,
            3 => x.at(i, 0),
            4 => x.at(i, 1) + x.at(i, 2),
            5 => 1e-9 * x.at(i, 2).powi(2),
            _ => 5.0,
        });
        let targets = Matrix::from_fn(60, 2, |i, j| {
            if j == 0 { 1.0 + 2.0 * x.at(i, 0) - x.at(i, 2) } else { x.at(i, 2).powi(2) }
        });
        let rows = |range: std::ops::Range<usize>| range.collect::<Vec<_>>();
        let (seen, unseen) = (rows(0..40), rows(40..60));
        let fit = Fit::new(&features.select_rows(&seen), true);
        assert_eq!(fit.rank(), 4);
        let found = fit.solve(&targets.select_rows(&seen)).of(&features.select_rows(&unseen));
        assert!(unexplained(&found, &targets.select_rows(&unseen)).unwrap() < 1e-20);
        // Without an intercept the constant column takes its place; without both nothing does.
        let bare = Fit::new(&x, false).solve(&targets).of(&x);
        assert!(unexplained(&bare, &targets).unwrap() > 0.1);
        let noise = numbers("noise", 60, 1);
        let noise_map =
            Fit::new(&features.select_rows(&seen), true).solve(&noise.select_rows(&seen));
        assert!(
            unexplained(&noise_map.of(&features.select_rows(&unseen)), &noise.select_rows(&unseen))
                .unwrap()
                > 0.9,
            "held out, nothing is read off noise"
        );
        assert_eq!(unexplained(&Matrix::zeros(3, 1), &Matrix::from_fn(3, 1, |_, _| 2.0)), None);
    }
}
