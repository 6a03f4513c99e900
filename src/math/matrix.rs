//! A dense matrix of doubles, row-major: what constructions and analyses are written in.

use super::gemm::{self, View};
use serde::{Deserialize, Serialize};

/// Numbers in rows and columns; either count may be 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Matrix {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// Row by row.
    pub data: Vec<f64>,
}

impl Matrix {
    /// From its numbers, row by row.
    pub fn new(rows: usize, columns: usize, data: Vec<f64>) -> Self {
        assert_eq!(
            data.len(),
            rows * columns,
            "a matrix of {rows} × {columns} from {} numbers",
            data.len()
        );
        Self { rows, columns, data }
    }

    /// All zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, data: vec![0.0; rows * columns] }
    }

    /// From a function of row and column.
    pub fn from_fn(rows: usize, columns: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        let data = (0..rows * columns).map(|i| f(i / columns, i % columns)).collect();
        Self { rows, columns, data }
    }

    /// From rows of equal length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        Self::new(rows.len(), columns, rows.iter().flat_map(AsRef::as_ref).copied().collect())
    }

    /// 1 on the diagonal.
    pub fn identity(size: usize) -> Self {
        Self::from_fn(size, size, |i, j| f64::from(u8::from(i == j)))
    }

    /// The number in that row and column.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    /// Replaces a number.
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.row_mut(row)[column] = value;
    }

    /// Row `row`, `[columns]`.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// A row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// The rows, one after another.
    pub fn iter_rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.rows).map(|row| self.row(row))
    }

    /// A column's numbers.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        (0..self.rows).map(move |row| self.at(row, column))
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, j| self.at(j, i))
    }

    /// `self [r, k] · other [k, c]`.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(
            self.columns, other.rows,
            "a product of {} columns with {} rows",
            self.columns, other.rows
        );
        self.product(View::rows(&other.data, other.columns), other.columns)
    }

    /// `self [r, k] · otherᵀ` for other `[c, k]`: x Wᵀ.
    #[must_use]
    pub fn times_transposed(&self, other: &Self) -> Self {
        assert_eq!(
            self.columns, other.columns,
            "a product of {} columns with {} columns transposed",
            self.columns, other.columns
        );
        self.product(View::rows(&other.data, other.columns).t(), other.rows)
    }

    fn product(&self, right: View<'_, f64>, columns: usize) -> Self {
        let mut out = Self::zeros(self.rows, columns);
        if self.columns > 0 {
            gemm::product(
                [self.rows, self.columns, columns],
                View::rows(&self.data, self.columns),
                right,
                &mut out.data,
                columns,
                false,
            );
        }
        out
    }

    /// These rows, in this order; a row may come twice.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        Self::new(
            rows.len(),
            self.columns,
            rows.iter().flat_map(|&row| self.row(row)).copied().collect(),
        )
    }

    /// These columns, in this order; a column may come twice.
    #[must_use]
    pub fn select_columns(&self, columns: &[usize]) -> Self {
        Self::from_fn(self.rows, columns.len(), |i, j| self.at(i, columns[j]))
    }

    /// Elementwise `self ⊙ other`.
    #[must_use]
    pub fn hadamard(&self, other: &Self) -> Self {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "shapes differ");
        Self::new(
            self.rows,
            self.columns,
            self.data.iter().zip(&other.data).map(|(a, b)| a * b).collect(),
        )
    }

    /// The same with a column of ones at the right: x̃ = [x; 1].
    #[must_use]
    pub fn with_ones(&self) -> Self {
        Self::from_fn(self.rows, self.columns + 1, |i, j| {
            if j < self.columns { self.at(i, j) } else { 1.0 }
        })
    }

    /// Square root of the sum of squares (Frobenius).
    pub fn norm(&self) -> f64 {
        norm(&self.data)
    }

    /// ‖self − other‖ / ‖other‖; 0 if both are zero.
    pub fn relative_change(&self, other: &Self) -> f64 {
        relative_change(&self.data, &other.data)
    }
}

/// Euclidean norm.
pub fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The sum of products.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// ‖a − b‖ / ‖b‖; 0 if both are zero, infinite if only b is.
pub fn relative_change(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "lengths differ");
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    if difference == 0.0 { 0.0 } else { difference / norm(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_selections_are_what_they_say() {
        let a = Matrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let b = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]);
        assert_eq!(a.times(&b).data, [7.0, -1.0, 16.0, -1.0]);
        assert_eq!(a.times_transposed(&b.transpose()), a.times(&b));
        assert_eq!(a.select_columns(&[2, 0]).select_rows(&[1]).data, [6.0, 4.0]);
        assert_eq!(a.with_ones().row(1), [4.0, 5.0, 6.0, 1.0]);
        assert_eq!(Matrix::zeros(2, 0).times(&Matrix::zeros(0, 3)), Matrix::zeros(2, 3));
        assert_eq!(
            (a.relative_change(&a), Matrix::zeros(1, 1).relative_change(&Matrix::zeros(1, 1))),
            (0.0, 0.0)
        );
    }
}
