//! Dense decompositions in f64 by nalgebra; matrices are row-major `[rows, columns]` slices outside.

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

fn row_major(a: &DMatrix<f64>) -> Vec<f64> {
    a.transpose().as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

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
