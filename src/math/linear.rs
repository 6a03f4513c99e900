//! Dense decompositions in f64 by nalgebra; matrices are row-major `[rows, columns]` slices
//! outside.

pub use super::jacobi::Svd;

use super::jacobi;
use super::matrix::Matrix;
use super::random;
use nalgebra::DMatrix;

/// `a [rows, inner] · b [inner, columns]`, all row-major.
pub fn product(a: &[f64], b: &[f64], [rows, inner, columns]: [usize; 3]) -> Vec<f64> {
    row_major(
        &(DMatrix::from_row_slice(rows, inner, a) * DMatrix::from_row_slice(inner, columns, b)),
    )
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

/// The singular value decomposition.
///
/// nalgebra's is fast, but on some matrices without full rank its factors do not multiply back to
/// the matrix (dimforge/nalgebra#1172): that is checked, and such a matrix goes to [`jacobi::svd`].
pub fn svd(a: &Matrix) -> Svd {
    if a.rows == 0 || a.columns == 0 {
        return Svd {
            u: Matrix::zeros(a.rows, 0),
            values: vec![],
            v_t: Matrix::zeros(0, a.columns),
        };
    }
    let svd = dense(a).svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else {
        unreachable!("both factors were asked for")
    };
    let svd =
        Svd { u: matrix(&u), values: svd.singular_values.as_slice().to_vec(), v_t: matrix(&v_t) };
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

/// A symmetric a = V diag(values) Vᵀ.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    /// Falling, `[size]`.
    pub values: Vec<f64>,
    /// The vector of each value in a row, `[size, size]`: Vᵀ.
    pub vectors: Matrix,
}

/// The eigenvalues and orthonormal eigenvectors of a symmetric `a`; what is above its diagonal is
/// taken as below it.
pub fn eigen(a: &Matrix) -> Eigen {
    if a.rows == 0 {
        return Eigen { values: vec![], vectors: Matrix::zeros(0, 0) };
    }
    let eigen = dense(a).symmetric_eigen();
    let mut order: Vec<usize> = (0..a.rows).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    Eigen {
        values: order.iter().map(|&i| eigen.eigenvalues[i]).collect(),
        vectors: Matrix::from_fn(a.rows, a.rows, |row, column| {
            eigen.eigenvectors[(column, order[row])]
        }),
    }
}

/// Steps of the iteration for eigenvalues, at most, for each row.
const EIGENVALUE_STEPS: usize = 60;

/// The eigenvalues [re, im] of a square `a`, in no order; `None` where a number is not finite or
/// the iteration does not end.
///
/// The iteration stands still on some matrices, such as cyclic shifts; those are turned into
/// another basis first.
pub fn eigenvalues(a: &Matrix) -> Option<Vec<[f64; 2]>> {
    if a.rows != a.columns || a.data.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let n = a.rows;
    if n == 0 {
        return Some(vec![]);
    }
    let values = |a: DMatrix<f64>| {
        let schur = nalgebra::Schur::try_new(a, f64::EPSILON, EIGENVALUE_STEPS * n)?;
        Some(schur.complex_eigenvalues().iter().map(|value| [value.re, value.im]).collect())
    };
    values(dense(a)).or_else(|| {
        let normals: Vec<f64> =
            random::normals(1, "eigenvalues", n * n).into_iter().map(f64::from).collect();
        let turn = DMatrix::from_row_slice(n, n, &orthogonal(&normals, n));
        values(&turn * dense(a) * turn.transpose())
    })
}

/// Rows of a matrix that span all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The rows that were taken, the longest remainder first; as many as the rank.
    pub kept: Vec<usize>,
    /// Orthonormal rows with the same span, `[rank, columns]`.
    pub basis: Matrix,
}

/// Directions taken between two renewals of what is left of the rows.
const PANEL: usize = 32;
/// A squared length that fell below this part of itself by subtraction is measured anew.
const CANCELLED: f64 = 1e-4;

/// Takes row after row of `a [rows, columns]`, always the one of which most is left, until no row
/// keeps more than `tolerance` times the longest row of `a`, or `most` rows are taken: Gram-Schmidt
/// with pivoting, each direction made orthogonal twice, which is enough for orthogonality to
/// rounding. What is left of the rows is renewed a panel at a time, by matrix products; between,
/// only their lengths are.
pub fn span(a: &Matrix, tolerance: f64, most: usize) -> Span {
    let most = most.min(a.rows).min(a.columns);
    let mut rest = a.clone();
    let mut taken = vec![false; a.rows];
    let (mut kept, mut basis) = (vec![], Matrix::zeros(0, a.columns));
    let mut enough = 0.0; // squared length below which nothing is taken
    while kept.len() < most {
        let lengths: Vec<f64> = rest
            .iter_rows()
            .zip(&taken)
            .map(|(row, taken)| if *taken { 0.0 } else { row.iter().map(|v| v * v).sum() })
            .collect();
        if kept.is_empty() {
            enough = tolerance * tolerance * lengths.iter().copied().fold(0.0, f64::max);
        }
        let (mut left, mut panel) = (lengths.clone(), Matrix::zeros(0, a.columns));
        while kept.len() < most && panel.rows < PANEL {
            let Some(pivot) =
                (0..a.rows).filter(|&i| !taken[i]).max_by(|&i, &j| left[i].total_cmp(&left[j]))
            else {
                break;
            };
            if left[pivot] <= enough
                || left[pivot] == 0.0
                || left[pivot] < CANCELLED * lengths[pivot]
            {
                break;
            }
            let mut direction = Matrix::new(1, a.columns, rest.row(pivot).to_vec());
            for _ in 0..2 {
                direction = without(&direction, &basis);
            }
            let length = direction.norm();
            if length == 0.0 {
                break;
            }
            direction.data.iter_mut().for_each(|v| *v /= length);
            let along = rest.times_transposed(&direction);
            left.iter_mut().zip(&along.data).for_each(|(left, along)| *left -= along * along);
            taken[pivot] = true;
            kept.push(pivot);
            for grown in [&mut basis, &mut panel] {
                grown.data.extend_from_slice(&direction.data);
                grown.rows += 1;
            }
        }
        if panel.rows == 0 {
            break;
        }
        rest = without(&rest, &panel);
    }
    Span { kept, basis }
}

/// Rows without their parts along orthonormal `directions`.
fn without(rows: &Matrix, directions: &Matrix) -> Matrix {
    let parts = rows.times_transposed(directions).times(directions);
    Matrix::new(
        rows.rows,
        rows.columns,
        rows.data.iter().zip(&parts.data).map(|(row, part)| row - part).collect(),
    )
}

/// X `[k, c]` with the smallest ‖A X − B‖ for A `[rows, k]`, B `[rows, c]`; of the many where A has
/// not full rank, the smallest. Directions below `tolerance` of A's largest singular value count as
/// zero.
pub fn least_squares(a: &Matrix, b: &Matrix, tolerance: f64) -> Matrix {
    if a.rows == 0 || a.columns == 0 {
        return Matrix::zeros(a.columns, b.columns);
    }
    let decomposed = svd(a);
    let rank = decomposed.rank(tolerance);
    let along = decomposed.u.transpose().times(b); // [k, c]
    let scaled = Matrix::from_fn(decomposed.values.len(), b.columns, |i, j| {
        if i < rank { along.at(i, j) / decomposed.values[i] } else { 0.0 }
    });
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
        let a = Matrix::new(3, 3, random::normals(4, "a", 9).into_iter().map(f64::from).collect());
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
        let a = Matrix::new(4, 6, random::normals(8, "a", 24).into_iter().map(f64::from).collect());
        let mixed = Matrix::from_rows(&[
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1e-5, 0.0],
            [0.0, 0.0, 0.0, 0.0],
        ])
        .times(&a);
        assert_eq!(span(&mixed, 1e-9, 9).kept.len(), 3);
        assert_eq!(span(&mixed, 1e-3, 9).kept.len(), 2);
        assert_eq!(span(&mixed, 0.0, 1).kept, [2], "the longest first");
        let Span { basis, .. } = span(&mixed, 1e-9, 9);
        assert!(basis.times_transposed(&basis).relative_change(&Matrix::identity(3)) < 1e-14);
        assert!(mixed.times_transposed(&basis).times(&basis).relative_change(&mixed) < 1e-14);
        assert!(
            span(&Matrix::zeros(3, 2), 1e-9, 9).kept.is_empty()
                && span(&Matrix::zeros(0, 2), 1e-9, 9).kept.is_empty()
        );
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
    fn matrices_of_no_size_have_no_values() {
        assert!(eigen(&Matrix::zeros(0, 0)).values.is_empty());
        for (rows, columns) in [(0, 0), (0, 3), (3, 0)] {
            let Svd { u, values, v_t } = svd(&Matrix::zeros(rows, columns));
            assert_eq!(
                (u, values, v_t),
                (Matrix::zeros(rows, 0), vec![], Matrix::zeros(0, columns))
            );
        }
    }

    #[test]
    fn orthogonal_is_orthogonal_and_rank_is_cut() {
        let a: Vec<f64> = random::normals(3, "a", 25).into_iter().map(f64::from).collect();
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
