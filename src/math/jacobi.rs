//! The singular value decomposition by one-sided Jacobi rotations (Hestenes): slower than by
//! bidiagonal form, and exact to rounding for every matrix, with or without full rank.

use super::matrix::{Matrix, dot, norm};

/// Columns whose cosine is below this are orthogonal.
const ORTHOGONAL: f64 = 1e-15;
/// Rounds over all pairs; a handful suffices.
const SWEEPS: usize = 60;

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
        let scaled = Matrix::from_fn(self.u.rows, self.values.len(), |i, j| {
            self.u.at(i, j) * self.values[j]
        });
        scaled.times(&self.v_t)
    }
}

/// a = U diag(values) Vᵀ.
pub fn svd(a: &Matrix) -> Svd {
    if a.rows < a.columns {
        let Svd { u, values, v_t } = svd(&a.transpose());
        return Svd { u: v_t.transpose(), values, v_t: u.transpose() };
    }
    let n = a.columns;
    let mut columns: Vec<Vec<f64>> = (0..n).map(|j| a.column(j).collect()).collect(); // turn into U diag(values)
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let (p_size, q_size, shared) =
                (norm(&columns[p]), norm(&columns[q]), dot(&columns[p], &columns[q]));
            if shared.abs() > ORTHOGONAL * p_size * q_size {
                let zeta = (q_size - p_size) * (q_size + p_size) / (2.0 * shared);
                let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                rotate(&mut columns, [p, q], tangent);
                rotate(&mut v, [p, q], tangent);
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    let values: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    let values: Vec<f64> = order.iter().map(|&i| values[i]).collect();
    let tiny = values.first().map_or(0.0, |largest| largest * f64::EPSILON * a.rows as f64);
    let mut u: Vec<Vec<f64>> = vec![];
    for (&i, &value) in order.iter().zip(&values) {
        // The direction of a column that is nothing but rounding is noise: any orthogonal one does.
        let direction = if value > tiny {
            columns[i].iter().map(|x| x / value).collect()
        } else {
            orthogonal_to(&u, a.rows)
        };
        u.push(direction);
    }
    let v: Vec<Vec<f64>> = order.iter().map(|&i| v[i].clone()).collect();
    Svd {
        u: Matrix::new(n, a.rows, u.concat()).transpose(),
        values,
        v_t: Matrix::new(n, n, v.concat()),
    }
}

fn rotate(columns: &mut [Vec<f64>], [p, q]: [usize; 2], tangent: f64) {
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    let (before, after) = columns.split_at_mut(q);
    for (x, y) in before[p].iter_mut().zip(&mut after[0]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

/// A unit vector that all of `others` (orthonormal, fewer than `size`) are orthogonal to.
fn orthogonal_to(others: &[Vec<f64>], size: usize) -> Vec<f64> {
    let rest = |axis: usize| {
        let mut vector: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == axis))).collect();
        for other in others.iter().chain(others) {
            let share = dot(&vector, other);
            vector.iter_mut().zip(other).for_each(|(v, o)| *v -= share * o);
        }
        vector
    };
    let best = (0..size).map(rest).max_by(|a, b| norm(a).total_cmp(&norm(b))).unwrap_or_default();
    let length = norm(&best);
    best.into_iter().map(|v| v / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(rows: usize, columns: usize, seed: u32) -> Matrix {
        Matrix::new(
            rows,
            columns,
            crate::math::random::normals(seed, "jacobi", rows * columns)
                .into_iter()
                .map(f64::from)
                .collect(),
        )
    }

    fn check(a: &Matrix) {
        let svd = svd(a);
        let k = a.rows.min(a.columns);
        let error = |b: &Matrix, c: &Matrix| b.relative_change(c);
        assert!(
            a.norm() == 0.0 || error(&svd.product(), a) < 1e-14,
            "{:e}",
            error(&svd.product(), a)
        );
        assert!(error(&svd.u.transpose().times(&svd.u), &Matrix::identity(k)) < 1e-13);
        assert!(error(&svd.v_t.times_transposed(&svd.v_t), &Matrix::identity(k)) < 1e-13);
        assert!(svd.values.windows(2).all(|pair| pair[0] >= pair[1]));
    }

    #[test]
    fn factors_multiply_back_whatever_the_rank() {
        for (i, (rows, columns, rank)) in
            [(5, 5, 5), (5, 5, 2), (7, 3, 3), (3, 7, 2), (12, 12, 6), (1, 1, 1), (6, 6, 1)]
                .into_iter()
                .enumerate()
        {
            let a = random(rows, rank, i as u32).times(&random(rank, columns, 100 + i as u32));
            check(&a);
            assert_eq!(svd(&a).rank(1e-12), rank);
            assert!(crate::math::linear::svd(&a).product().relative_change(&a) < 1e-13);
        }
        check(&Matrix::zeros(3, 3));
        check(&Matrix::identity(4));
    }

    #[test]
    fn the_fast_one_is_checked() {
        // The matrix of dimforge/nalgebra#1172.
        let a = Matrix::from_rows(&[
            [0.247_779_766_566_469_27, 0.549_620_789_578_049_4, -0.740_358_352_872_713_6],
            [0.583_295_361_486_411_8, -0.380_156_958_264_198_54, -0.033_923_661_428_128_86],
            [-0.373_811_062_290_105_2, 0.359_160_059_894_174, -0.096_202_939_291_305_66],
        ]);
        let svd = crate::math::linear::svd(&a);
        assert!(svd.product().relative_change(&a) < 1e-13);
    }
}
