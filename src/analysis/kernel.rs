//! Output gates as kernels: gate i adds `D[k,i]` · hᵀ sym(a_i b_iᵀ) h to output k, with rows a_i, b_i
//! of W_m^out and W_x^out.
//!
//! Rows are compared by what they read, not by their numbers: in [`Coordinates`] a row is the
//! function a · h on a batch of states, in an orthonormal basis of those functions. So scales and
//! linear dependence among neurons drop out, and lengths are root mean squares.

use crate::math::linear;
use crate::math::matrix::{Matrix, dot, norm};

/// Directions below this part of the largest state are dependence: above f64 rounding.
const DEPENDENT: f64 = 1e-11;
/// The same when a function is written as a row of weights again.
const LIFTED: f64 = 1e-9;
/// Above this size singular values are taken from squares (to 1e-8 of the largest), which is
/// quicker.
const MANY: usize = 48;

/// Rows of weights over n neurons ⇄ functions of the states.
pub struct Coordinates {
    /// Root mean square of each state, 1 for a silent one `[n]`.
    sizes: Vec<f64>,
    /// Each neuron, divided by its size, in the basis `[n, rank]`.
    neurons: Matrix,
}

impl Coordinates {
    /// From states `[samples, n]`.
    pub fn new(states: &Matrix) -> Self {
        let wanted = 4 * states.columns + 64;
        let step = (states.rows / wanted.max(1)).max(1) | 1; // odd, to meet all times
        let rows: Vec<usize> = (0..states.rows).step_by(step).collect();
        let mut functions = states.select_rows(&rows).transpose(); // [n, samples]
        let samples = (rows.len() as f64).sqrt();
        let mut sizes = vec![];
        for i in 0..functions.rows {
            let row = functions.row_mut(i);
            let size = norm(row) / samples;
            let size = if size > 0.0 { size } else { 1.0 };
            row.iter_mut().for_each(|v| *v /= size * samples);
            sizes.push(size);
        }
        let basis = linear::span(&functions, DEPENDENT, usize::MAX).basis;
        Self { sizes, neurons: functions.times_transposed(&basis) }
    }

    /// Rows `[r, n]` as functions `[r, rank]`.
    pub fn functions(&self, rows: &Matrix) -> Matrix {
        let scaled = Matrix::from_fn(rows.rows, rows.columns, |i, j| rows.at(i, j) * self.sizes[j]);
        scaled.times(&self.neurons)
    }

    /// The rows `[r, n]` of smallest norm (of contributions a_i · size_i) that are these functions
    /// `[r, rank]`.
    pub fn rows(&self, functions: &Matrix) -> Matrix {
        let scaled =
            linear::least_squares(&self.neurons.transpose(), &functions.transpose(), LIFTED); // [n, r]
        Matrix::from_fn(functions.rows, self.sizes.len(), |i, j| scaled.at(j, i) / self.sizes[j])
    }
}

/// One gate, or what several merged into: readout ⊗ sym(a bᵀ), a and b of length 1 (or 0).
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// What W_m^out reads `[rank]`.
    pub a: Vec<f64>,
    /// What W_x^out reads `[rank]`.
    pub b: Vec<f64>,
    /// Column of D, with the lengths of the two factors in it `[d_out]`.
    pub readout: Vec<f64>,
}

impl Product {
    /// With the lengths moved into the readout.
    pub fn new(a: &[f64], b: &[f64], readout: &[f64]) -> Self {
        let (p, q) = (norm(a), norm(b));
        let unit = |v: &[f64], size: f64| {
            v.iter().map(|v| if size > 0.0 { v / size } else { 0.0 }).collect()
        };
        Self { a: unit(a, p), b: unit(b, q), readout: readout.iter().map(|d| d * p * q).collect() }
    }

    /// The factors the other way round where that is more like `other`.
    #[must_use]
    pub fn oriented_as(mut self, other: &Self) -> Self {
        let square = |a: &[f64], b: &[f64]| dot(a, b).powi(2);
        let (straight, crossed) = (
            square(&self.a, &other.a) + square(&self.b, &other.b),
            square(&self.a, &other.b) + square(&self.b, &other.a),
        );
        if crossed > straight {
            std::mem::swap(&mut self.a, &mut self.b);
        }
        self
    }

    /// ⟨sym(a bᵀ), sym(a' b'ᵀ)⟩
    pub fn inner(&self, other: &Self) -> f64 {
        0.5 * (dot(&self.a, &other.a) * dot(&self.b, &other.b)
            + dot(&self.a, &other.b) * dot(&self.b, &other.a))
    }

    /// Frobenius norm of all its kernels together.
    pub fn norm(&self) -> f64 {
        self.inner(self).max(0.0).sqrt() * norm(&self.readout)
    }
}

/// Inner products of all pairs of gates.
pub struct Pairs {
    kernels: Matrix,
    readouts: Matrix,
}

impl Pairs {
    /// Of these gates `[gates, gates]`.
    pub fn of(products: &[&Product]) -> Self {
        let rows = |side: fn(&Product) -> &Vec<f64>| {
            Matrix::from_rows(&products.iter().map(|p| side(p)).collect::<Vec<_>>())
        };
        let (a, b, readout) = (rows(|p| &p.a), rows(|p| &p.b), rows(|p| &p.readout));
        let (aa, bb, ab) = (a.times_transposed(&a), b.times_transposed(&b), a.times_transposed(&b));
        let kernels = Matrix::from_fn(a.rows, a.rows, |i, j| {
            0.5 * (aa.at(i, j) * bb.at(i, j) + ab.at(i, j) * ab.at(j, i))
        });
        Self { kernels, readouts: readout.times_transposed(&readout) }
    }

    /// Frobenius norm of all kernels' sum.
    pub fn total(&self) -> f64 {
        dot(&self.kernels.data, &self.readouts.data).max(0.0).sqrt()
    }

    /// Sine of the angle between two kernels, their readouts apart; 0 for zero kernels.
    pub fn kernel_angle(&self, i: usize, j: usize) -> f64 {
        sine(&self.kernels, i, j)
    }

    /// Sine of the angle between two readouts; 0 for zero readouts.
    pub fn readout_angle(&self, i: usize, j: usize) -> f64 {
        sine(&self.readouts, i, j)
    }
}

fn sine(inner: &Matrix, i: usize, j: usize) -> f64 {
    let squares = inner.at(i, i) * inner.at(j, j);
    if squares > 0.0 { (1.0 - inner.at(i, j).powi(2) / squares).max(0.0).sqrt() } else { 0.0 }
}

/// The summed kernels of a set of gates, in a basis of what they read.
pub struct Sum {
    /// Orthonormal rows `[size, rank]`.
    basis: Matrix,
    /// Σ `D[k,i]` a_i b_iᵀ of each output `[size, size]`.
    oriented: Vec<Matrix>,
    /// Their symmetric parts, which act.
    kernels: Vec<Matrix>,
    /// Frobenius norm of all kernels together.
    pub norm: f64,
}

/// The best single gate for a [`Sum`].
pub struct Single {
    /// The gate.
    pub product: Product,
    /// What it leaves of the sum, as a part of the sum's norm; 0 for a sum of nothing.
    pub residual: f64,
}

impl Sum {
    /// Adds gates up.
    pub fn of(products: &[&Product]) -> Self {
        let rows: Vec<&[f64]> =
            products.iter().flat_map(|p| [p.a.as_slice(), p.b.as_slice()]).collect();
        let factors = Matrix::from_rows(&rows);
        let basis = linear::span(&factors, DEPENDENT, usize::MAX).basis;
        let within = factors.times_transposed(&basis);
        let (a, b) = (
            within.select_rows(&evens(products.len(), 0)),
            within.select_rows(&evens(products.len(), 1)),
        );
        let outputs = products.first().map_or(0, |p| p.readout.len());
        let kernel = |k: usize| {
            Matrix::from_fn(a.columns, a.rows, |i, j| a.at(j, i) * products[j].readout[k]).times(&b)
        };
        let oriented: Vec<Matrix> = (0..outputs).map(kernel).collect();
        let symmetric = |kernel: &Matrix| {
            Matrix::from_fn(kernel.rows, kernel.columns, |i, j| {
                0.5 * (kernel.at(i, j) + kernel.at(j, i))
            })
        };
        let kernels: Vec<Matrix> = oriented.iter().map(symmetric).collect();
        let norm = norm(&kernels.iter().map(Matrix::norm).collect::<Vec<_>>());
        Self { basis, oriented, kernels, norm }
    }

    /// Singular values of the kernels stacked over outputs, falling; those that are rounding are
    /// left out.
    pub fn singular_values(&self) -> Vec<f64> {
        let size = self.basis.rows;
        if size > MANY {
            let mut squares = Matrix::zeros(size, size);
            for kernel in &self.kernels {
                squares
                    .data
                    .iter_mut()
                    .zip(kernel.times(kernel).data)
                    .for_each(|(sum, value)| *sum += value);
            }
            let values = linear::eigen(&squares).values;
            let largest = values.first().copied().unwrap_or(0.0);
            return values
                .into_iter()
                .filter(|&value| value > f64::EPSILON * largest)
                .map(f64::sqrt)
                .collect();
        }
        let stacked = Matrix::new(
            size * self.kernels.len(),
            size,
            self.kernels.iter().flat_map(|kernel| kernel.data.clone()).collect(),
        );
        let values = if size == 0 { vec![] } else { linear::svd(&stacked).values };
        let largest = values.first().copied().unwrap_or(0.0);
        values.into_iter().filter(|&value| value > DEPENDENT * largest).collect()
    }

    /// How many directions the gates read.
    pub fn size(&self) -> usize {
        self.basis.rows
    }

    /// The readout direction `[d_out]` (length 1) that takes most of the kernels, and the kernel
    /// along it, symmetric and oriented.
    fn dominant(&self) -> (Vec<f64>, Matrix, Matrix) {
        let gram = Matrix::from_fn(self.kernels.len(), self.kernels.len(), |i, j| {
            dot(&self.kernels[i].data, &self.kernels[j].data)
        });
        let direction = linear::eigen(&gram).vectors.row(0).to_vec();
        let along = |kernels: &[Matrix]| {
            let mut sum = Matrix::zeros(self.basis.rows, self.basis.rows);
            for (part, weight) in kernels.iter().zip(&direction) {
                sum.data.iter_mut().zip(&part.data).for_each(|(sum, value)| *sum += weight * value);
            }
            sum
        };
        let (kernel, oriented) = (along(&self.kernels), along(&self.oriented));
        (direction, kernel, oriented)
    }

    /// One gate in place of all: a readout direction, and a product whose kernel has the kernel's
    /// largest eigenvalue of either sign.
    pub fn single(&self) -> Single {
        if self.norm == 0.0 {
            return Single {
                product: Product {
                    a: vec![0.0; self.basis.columns],
                    b: vec![0.0; self.basis.columns],
                    readout: vec![0.0; self.kernels.len()],
                },
                residual: 0.0,
            };
        }
        let (_, kernel, _) = self.dominant();
        let linear::Eigen { values, vectors } = linear::eigen(&kernel);
        let last = values.len() - 1;
        let (u, v) = factors(values[0], vectors.row(0), values[last], vectors.row(last));
        let shape =
            Matrix::from_fn(kernel.rows, kernel.columns, |i, j| 0.5 * (u[i] * v[j] + u[j] * v[i]));
        let size = dot(&shape.data, &shape.data);
        let readout: Vec<f64> =
            self.kernels.iter().map(|kernel| dot(&kernel.data, &shape.data) / size).collect();
        let rest = |k: usize| {
            norm(
                &self.kernels[k]
                    .data
                    .iter()
                    .zip(&shape.data)
                    .map(|(value, s)| value - readout[k] * s)
                    .collect::<Vec<_>>(),
            )
        };
        let residual = norm(&(0..readout.len()).map(rest).collect::<Vec<_>>()) / self.norm;
        Single { product: self.lifted(&u, &v, &readout), residual }
    }

    /// As few gates as possible for kernels that are proportional over outputs. p positive and q
    /// negative eigenvalues need max(p, q), because one product has one of each; if the rank of
    /// Σ a_i b_iᵀ is no larger, its singular vectors are taken instead: they keep a's and b's
    /// apart, so that one factor still reads memory and the other the query. Values are dropped,
    /// the smallest first, while what is left out stays below `tolerance` of the norm. `None`
    /// if the kernels are not proportional to that tolerance.
    pub fn fewest(&self, tolerance: f64) -> Option<Vec<Product>> {
        if self.norm == 0.0 {
            return None;
        }
        let (direction, kernel, oriented) = self.dominant();
        let along = kernel.norm();
        let allowed =
            (tolerance * self.norm).powi(2) - (self.norm.powi(2) - along.powi(2)).max(0.0);
        if allowed < 0.0 {
            return None;
        }
        let linear::Eigen { mut values, vectors } = linear::eigen(&kernel);
        drop_smallest(&mut values, allowed);
        let positive: Vec<usize> = (0..values.len()).filter(|&i| values[i] > 0.0).collect();
        let negative: Vec<usize> = (0..values.len()).rev().filter(|&i| values[i] < 0.0).collect();
        let count = positive.len().max(negative.len());
        let linear::Svd { u, values: mut singular, v_t } = linear::svd(&oriented);
        drop_smallest(&mut singular, allowed);
        let rank = singular.iter().filter(|&&value| value > 0.0).count();
        if rank <= count {
            let column = |i: usize| u.column(i).map(|v| v * singular[i]).collect::<Vec<_>>();
            return Some(
                (0..rank).map(|i| self.lifted(&column(i), v_t.row(i), &direction)).collect(),
            );
        }
        let nothing = vec![0.0; values.len()];
        let part = |list: &[usize], i: usize| {
            list.get(i).map_or((0.0, nothing.as_slice()), |&i| (values[i], vectors.row(i)))
        };
        let gates = (0..count).map(|i| {
            let ((p, plus), (q, minus)) = (part(&positive, i), part(&negative, i));
            let (u, v) = factors(p, plus, q, minus);
            self.lifted(&u, &v, &direction)
        });
        Some(gates.collect())
    }

    fn lifted(&self, u: &[f64], v: &[f64], readout: &[f64]) -> Product {
        let lift = |w: &[f64]| Matrix::new(1, w.len(), w.to_vec()).times(&self.basis).data;
        Product::new(&lift(u), &lift(v), readout)
    }
}

/// Sets the smallest values to zero while the sum of their squares is at most `allowed`.
fn drop_smallest(values: &mut [f64], mut allowed: f64) {
    let mut by_size: Vec<usize> = (0..values.len()).collect();
    by_size.sort_by(|&i, &j| values[i].abs().total_cmp(&values[j].abs()));
    for i in by_size {
        allowed -= values[i].powi(2);
        if allowed < 0.0 {
            break;
        }
        values[i] = 0.0;
    }
}

/// u, v with sym(u vᵀ) = p e₊e₊ᵀ + q e₋e₋ᵀ for p ≥ 0 ≥ q; values of the other sign count as 0.
fn factors(p: f64, plus: &[f64], q: f64, minus: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (p, q) = (p.max(0.0).sqrt(), (-q).max(0.0).sqrt());
    plus.iter().zip(minus).map(|(e, f)| (p * e + q * f, p * e - q * f)).unzip()
}

/// 0, 2, 4 … or 1, 3, 5 …
fn evens(count: usize, first: usize) -> Vec<usize> {
    (0..count).map(|i| 2 * i + first).collect()
}
