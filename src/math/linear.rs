//! Dense decompositions in f64 by nalgebra; matrices are row-major `[rows, columns]` slices outside.

use super::jacobi;
use super::matrix::Matrix;
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
    let Svd { u, values, v_t } = svd(&Matrix::new(d, d, a.to_vec()));
    let kept = Matrix::from_fn(d, rank, |i, j| u.at(i, j) * values[j]);
    let rows: Vec<usize> = (0..rank).collect();
    kept.times(&v_t.select_rows(&rows)).data
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

    /// U diag(values) Vᵀ.
    pub fn product(&self) -> Matrix {
        let scaled = Matrix::from_fn(self.u.rows, self.values.len(), |i, j| self.u.at(i, j) * self.values[j]);
        scaled.times(&self.v_t)
    }
}

/// The singular value decomposition.
///
/// nalgebra's is fast, but on some matrices without full rank its factors do not multiply back to the matrix
/// (dimforge/nalgebra#1172): that is checked, and such a matrix goes to [`jacobi::svd`].
pub fn svd(a: &Matrix) -> Svd {
    let svd = dense(a).svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { unreachable!("both factors were asked for") };
    let svd = Svd { u: matrix(&u), values: svd.singular_values.as_slice().to_vec(), v_t: matrix(&v_t) };
    if svd.product().relative_change(a) < 1e-13 { svd } else { jacobi::svd(a) }
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
