//! Dense decompositions in f64 by nalgebra; matrices are row-major `[rows, columns]` slices outside.

use super::matrix::{Matrix, norm};
use nalgebra::DMatrix;

/// `a [rows, inner] · b [inner, columns]`, all row-major.
pub fn product(a: &[f64], b: &[f64], [rows, inner, columns]: [usize; 3]) -> Vec<f64> {
    row_major(&(DMatrix::from_row_slice(rows, inner, a) * DMatrix::from_row_slice(inner, columns, b)))
}

/// The transpose of `a [rows, columns]`.
pub fn transpose(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    row_major(&DMatrix::from_row_slice(rows, columns, a).transpose())
}

/// The orthogonal factor of `a [d, d]` (QR), with signs such that R's diagonal is positive.
pub fn orthogonal(a: &[f64], d: usize) -> Vec<f64> {
    let qr = DMatrix::from_row_slice(d, d, a).qr();
    let (mut q, r) = (qr.q(), qr.r());
    for (mut column, diagonal) in q.column_iter_mut().zip(r.diagonal().iter()) {
        column *= diagonal.signum();
    }
    row_major(&q)
}

/// `a [d, d]` with all but its `rank` largest singular values set to zero.
pub fn truncate_rank(a: &[f64], d: usize, rank: usize) -> Vec<f64> {
    if rank >= d {
        return a.to_vec();
    }
    let svd = DMatrix::from_row_slice(d, d, a).svd(true, true); // singular values in falling order
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { unreachable!("both factors were asked for") };
    let mut kept = svd.singular_values;
    for value in kept.iter_mut().skip(rank) {
        *value = 0.0;
    }
    row_major(&(u * DMatrix::from_diagonal(&kept) * v_t))
}

/// a = U diag(values) Vᵀ.
#[derive(Debug, Clone, PartialEq)]
pub struct Svd {
    /// `[rows, k]`, k = the smaller of rows and columns.
    pub u: Matrix,
    /// Falling, `[k]`.
    pub values: Vec<f64>,
    /// Vᵀ `[k, columns]`
    pub v_t: Matrix,
}

impl Svd {
    /// How many values are above `tolerance` times the largest.
    pub fn rank(&self, tolerance: f64) -> usize {
        let largest = self.values.first().copied().unwrap_or(0.0);
        self.values.iter().filter(|&&value| value > tolerance * largest).count()
    }
}

/// The singular value decomposition.
pub fn svd(a: &Matrix) -> Svd {
    let svd = dense(a).svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { unreachable!("both factors were asked for") };
    Svd { u: matrix(&u), values: svd.singular_values.as_slice().to_vec(), v_t: matrix(&v_t) }
}

/// The inverse; `None` where the smallest singular value is below 1e-12 of the largest.
pub fn inverse(a: &Matrix) -> Option<Matrix> {
    let Svd { u, values, v_t } = svd(a);
    let (first, last) = (values.first()?, values.last()?);
    if a.rows != a.columns || *last <= 1e-12 * first {
        return None;
    }
    let scaled = Matrix::from_fn(v_t.columns, v_t.rows, |i, j| v_t.at(j, i) / values[j]);
    Some(scaled.times_transposed(&u))
}

/// A symmetric a = V diag(values) Vᵀ.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    /// Falling, `[size]`.
    pub values: Vec<f64>,
    /// The vector of each value in a row, `[size, size]`: Vᵀ.
    pub vectors: Matrix,
}

/// The eigenvalues and orthonormal eigenvectors of a symmetric `a`; what is above its diagonal is taken as below it.
pub fn eigen(a: &Matrix) -> Eigen {
    let eigen = dense(a).symmetric_eigen();
    let mut order: Vec<usize> = (0..a.rows).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    Eigen {
        values: order.iter().map(|&i| eigen.eigenvalues[i]).collect(),
        vectors: Matrix::from_fn(a.rows, a.rows, |row, column| eigen.eigenvectors[(column, order[row])]),
    }
}

/// Rows of a matrix that span all of them, by Gram-Schmidt with pivoting (each vector is made orthogonal twice, which is enough
/// for orthogonality to rounding).
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The rows that were taken, the longest remainder first; as many as the rank.
    pub kept: Vec<usize>,
    /// Orthonormal rows with the same span, `[rank, columns]`.
    pub basis: Matrix,
}

/// Takes row after row of `a [rows, columns]`, always the one of which most is left, until no row keeps more than `tolerance` times
/// the longest row of `a`, or `most` rows are taken.
pub fn span(a: &Matrix, tolerance: f64, most: usize) -> Span {
    let mut rest = a.clone();
    let mut sizes: Vec<f64> = rest.iter_rows().map(norm).collect();
    let longest = sizes.iter().copied().fold(0.0, f64::max);
    let (mut kept, mut basis) = (vec![], Matrix::zeros(0, a.columns));
    while kept.len() < most.min(a.rows).min(a.columns) {
        let Some((pivot, size)) = (0..a.rows).map(|i| (i, sizes[i])).max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        if size <= tolerance * longest || size == 0.0 {
            break;
        }
        let mut direction: Vec<f64> = rest.row(pivot).iter().map(|v| v / size).collect();
        for row in basis.iter_rows() {
            subtract(&mut direction, row);
        }
        let length = norm(&direction);
        direction.iter_mut().for_each(|v| *v /= length);
        for i in 0..a.rows {
            if sizes[i] > 0.0 {
                let row = rest.row_mut(i);
                subtract(row, &direction);
                sizes[i] = norm(row);
            }
        }
        sizes[pivot] = 0.0;
        kept.push(pivot);
        basis.data.extend(direction);
        basis.rows += 1;
    }
    Span { kept, basis }
}

/// row − (row · direction) direction
fn subtract(row: &mut [f64], direction: &[f64]) {
    let along = quick_dot(row, direction);
    row.iter_mut().zip(direction).for_each(|(r, d)| *r -= along * d);
}

/// The sum of products in eight lanes, which the compiler can keep in SIMD registers.
fn quick_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// X `[k, c]` with the smallest ‖A X − B‖ for A `[rows, k]`, B `[rows, c]`; of the many where A has not full rank, the smallest.
/// Directions below `tolerance` of A's largest singular value count as zero.
pub fn least_squares(a: &Matrix, b: &Matrix, tolerance: f64) -> Matrix {
    if a.rows == 0 || a.columns == 0 {
        return Matrix::zeros(a.columns, b.columns);
    }
    let decomposed = svd(a);
    let rank = decomposed.rank(tolerance);
    let along = decomposed.u.transpose().times(b); // [k, c]
    let scaled = Matrix::from_fn(decomposed.values.len(), b.columns, |i, j| if i < rank { along.at(i, j) / decomposed.values[i] } else { 0.0 });
    decomposed.v_t.transpose().times(&scaled)
}

fn dense(a: &Matrix) -> DMatrix<f64> {
    DMatrix::from_row_slice(a.rows, a.columns, &a.data)
}

fn matrix(a: &DMatrix<f64>) -> Matrix {
    Matrix::new(a.nrows(), a.ncols(), row_major(a))
}

fn row_major(a: &DMatrix<f64>) -> Vec<f64> {
    a.transpose().as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decompositions_give_the_matrix_back() {
        let a = Matrix::new(3, 3, crate::math::random::normals(4, "a", 9).into_iter().map(f64::from).collect());
        assert!(a.times(&inverse(&a).unwrap()).relative_change(&Matrix::identity(3)) < 1e-12);
        assert_eq!(inverse(&Matrix::from_fn(3, 3, |i, j| (i + j) as f64)), None, "rank 2");
        let tall = Matrix::from_fn(5, 3, |i, j| (i * i + 2 * i * j) as f64);
        let Svd { u, values, v_t } = svd(&tall);
        let scaled = Matrix::from_fn(5, 3, |i, j| u.at(i, j) * values[j]);
        assert!(scaled.times(&v_t).relative_change(&tall) < 1e-12);
        assert_eq!(svd(&tall).rank(1e-9), 2);
    }

    #[test]
    fn a_span_keeps_what_is_independent() {
        let a = Matrix::new(4, 6, crate::math::random::normals(8, "a", 24).into_iter().map(f64::from).collect());
        let mixed = Matrix::from_rows(&[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1e-5, 0.0], [0.0, 0.0, 0.0, 0.0]]).times(&a);
        assert_eq!(span(&mixed, 1e-9, 9).kept.len(), 3);
        assert_eq!(span(&mixed, 1e-3, 9).kept.len(), 2);
        assert_eq!(span(&mixed, 0.0, 1).kept, [2], "the longest first");
        let Span { basis, .. } = span(&mixed, 1e-9, 9);
        assert!(basis.times_transposed(&basis).relative_change(&Matrix::identity(3)) < 1e-14);
        assert!(mixed.times_transposed(&basis).times(&basis).relative_change(&mixed) < 1e-14);
        assert!(span(&Matrix::zeros(3, 2), 1e-9, 9).kept.is_empty() && span(&Matrix::zeros(0, 2), 1e-9, 9).kept.is_empty());
    }

    #[test]
    fn least_squares_and_eigenvalues() {
        let a = Matrix::from_rows(&[[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]); // rank 1
        let x = least_squares(&a, &Matrix::from_rows(&[[5.0], [7.0], [3.0]]), 1e-12);
        assert!((x.at(0, 0) - 1.2).abs() < 1e-12 && (x.at(1, 0) - 2.4).abs() < 1e-12, "{x:?}");
        let Eigen { values, vectors } = eigen(&Matrix::from_rows(&[[0.0, 2.0], [2.0, 3.0]]));
        assert!((values[0] - 4.0).abs() < 1e-12 && (values[1] + 1.0).abs() < 1e-12);
        let ratio = vectors.at(0, 1) / vectors.at(0, 0);
        assert!((ratio - 2.0).abs() < 1e-12);
    }

    #[test]
    fn orthogonal_is_orthogonal_and_rank_is_cut() {
        let a: Vec<f64> = crate::math::random::normals(3, "a", 25).into_iter().map(f64::from).collect();
        let q = orthogonal(&a, 5);
        let identity = product(&transpose(&q, 5, 5), &q, [5, 5, 5]);
        for (i, value) in identity.iter().enumerate() {
            let expected = f64::from(u8::from(i % 6 == 0));
            assert!((value - expected).abs() < 1e-12, "{i}: {value}");
        }
        let low = truncate_rank(&a, 5, 2);
        let values = DMatrix::from_row_slice(5, 5, &low).singular_values();
        assert!(values[1] > 1e-3 && values[2] < 1e-12, "{values}");
        assert_eq!(truncate_rank(&a, 5, 5), a, "full rank is left alone");
    }
}
