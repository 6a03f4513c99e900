//! Input functions u_i(x) = (m_i · x̃)(x_i · x̃) as vectors, with the inner product E[u v] for x ~
//! N(0, I).
//!
//! Quadratic forms in x̃ = [x; 1], in an orthonormal basis (Hermite): 1; x_a; (x_a² − 1)/√2; x_a x_b
//! for a < b. So a vector's length is the root mean square of the function, and linear dependence
//! of vectors is linear dependence of functions.

use crate::math::matrix::Matrix;
use crate::model::Network;
use std::f64::consts::SQRT_2;

/// The neurons' functions `[n, (d+1)(d+2)/2]`.
pub fn input_functions(network: &Network) -> Matrix {
    let d = network.inputs();
    let mut rows = Matrix::zeros(network.hidden(), (d + 1) * (d + 2) / 2);
    for neuron in 0..network.hidden() {
        let (m, x) = (network.input_m.row(neuron), network.input_x.row(neuron));
        let row = rows.row_mut(neuron);
        row[0] = m.iter().zip(x).map(|(m, x)| m * x).sum(); // E[u]
        let mut place = 1 + d;
        for a in 0..d {
            row[1 + a] = m[a] * x[d] + m[d] * x[a];
            row[place] = SQRT_2 * m[a] * x[a];
            place += 1;
            for b in a + 1..d {
                row[place] = m[a] * x[b] + m[b] * x[a];
                place += 1;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::matrix::dot;
    use crate::math::random::normals;
    use crate::model::network::Gating;

    #[test]
    fn inner_products_are_means_over_normal_tokens() {
        let numbers = |name: &str, rows: usize, columns: usize| {
            Matrix::new(
                rows,
                columns,
                normals(3, name, rows * columns).into_iter().map(f64::from).collect(),
            )
        };
        let (input_m, input_x) = (numbers("m", 2, 3), numbers("x", 2, 3));
        let network = Network {
            input_m,
            input_x,
            lambda: vec![0.0; 2],
            gating: Gating::Side(Matrix::zeros(2, 3)),
            readout: Matrix::zeros(1, 2),
        };
        let u = network.states(&numbers("tokens", 200_000, 2), 1);
        let functions = input_functions(&network);
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let mean = u.iter_rows().map(|u| u[i] * u[j]).sum::<f64>() / u.rows as f64;
            let exact = dot(functions.row(i), functions.row(j));
            assert!((mean - exact).abs() < 0.02 * functions.norm().powi(2), "{mean} {exact}");
        }
    }
}
