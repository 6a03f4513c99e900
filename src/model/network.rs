//! A gated diagonal network by its weights, in f64 and apart from any training: what constructions
//! make and analyses read. The equations are those of [`super::gated_diagonal`].

use super::gated_diagonal::GATED;
use super::{Architecture, Sizes};
use crate::graph::params::ParamTable;
use crate::math::matrix::Matrix;
use serde::{Deserialize, Serialize};

/// The weights; x̃ = [x; 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// W_m^in `[n, d+1]`
    pub input_m: Matrix,
    /// W_x^in `[n, d+1]`
    pub input_x: Matrix,
    /// λ `[n]`, each in 0..=1
    pub lambda: Vec<f64>,
    /// What the readout reads.
    pub gating: Gating,
    /// D `[d_out, m]`; with side gating `[d_out, n]`
    pub readout: Matrix,
}

/// What gates the output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Gating {
    /// g = (W_m^out h) ⊙ (W_x^out h)
    Output {
        /// W_m^out `[m, n]`
        m: Matrix,
        /// W_x^out `[m, n]`
        x: Matrix,
    },
    /// g = (W^side x̃) ⊙ h, W^side `[n, d+1]`
    Side(Matrix),
}

/// ν that stands for λ = 1 and for λ = 0: exact in f32 and f64.
const NU_ONE: f64 = -40.0;
const NU_ZERO: f64 = 8.0;

impl Network {
    /// From a flat parameter array whose places `table` knows; `None` if it is of another kind of
    /// network.
    pub fn from_parameters<F: Copy + Into<f64>>(
        table: &ParamTable,
        parameters: &[F],
    ) -> Option<Self> {
        let numbers = |name: &str| -> Option<(Vec<f64>, &[usize])> {
            let param = table.get(name)?;
            Some((parameters[param.range()].iter().map(|&v| v.into()).collect(), &param.shape))
        };
        let matrix = |name: &str| {
            let (data, shape) = numbers(name)?;
            Some(Matrix::new(shape[0], shape[1], data))
        };
        let gating = match matrix("side_gate") {
            Some(side) => Gating::Side(side),
            None => Gating::Output { m: matrix("output_gate.m")?, x: matrix("output_gate.x")? },
        };
        let lambda = numbers("nu")?.0.into_iter().map(|nu| (-nu.exp()).exp()).collect();
        Some(Self {
            input_m: matrix("input_gate.m")?,
            input_x: matrix("input_gate.x")?,
            lambda,
            gating,
            readout: matrix("readout")?,
        })
    }

    /// The parameter of that name, flat, as in a weights file.
    pub fn parameter(&self, name: &str) -> Option<Vec<f64>> {
        Some(match (name, &self.gating) {
            ("input_gate.m", _) => self.input_m.data.clone(),
            ("input_gate.x", _) => self.input_x.data.clone(),
            ("nu", _) => self.lambda.iter().map(|&lambda| nu(lambda)).collect(),
            ("output_gate.m", Gating::Output { m, .. }) => m.data.clone(),
            ("output_gate.x", Gating::Output { x, .. }) => x.data.clone(),
            ("side_gate", Gating::Side(side)) => side.data.clone(),
            ("readout", _) => self.readout.data.clone(),
            _ => return None,
        })
    }

    /// Where the engine has its parameters.
    pub fn table(&self) -> ParamTable {
        self.architecture().table(self.inputs(), self.outputs())
    }

    /// All parameters, flat, in the order of [`Network::table`], rounded to the engine's precision.
    pub fn to_parameters(&self) -> Vec<f32> {
        let flat = |name: &str| {
            self.parameter(name).unwrap_or_else(|| panic!("a gated network has no {name}"))
        };
        self.table().iter().flat_map(|param| flat(&param.name)).map(|v| v as f32).collect()
    }

    /// The network's kind and sizes.
    pub fn architecture(&self) -> Architecture {
        let (gates, side) = match &self.gating {
            Gating::Output { m, .. } => (m.rows, false),
            Gating::Side(_) => (0, true),
        };
        GATED.of(Sizes { hidden: self.hidden(), gates, side, ..Sizes::NONE })
    }

    /// d, values per token.
    pub fn inputs(&self) -> usize {
        self.input_m.columns - 1
    }

    /// d_out, values per output.
    pub fn outputs(&self) -> usize {
        self.readout.rows
    }

    /// n
    pub fn hidden(&self) -> usize {
        self.lambda.len()
    }

    /// m; with side gating there is one product per neuron.
    pub fn gates(&self) -> usize {
        self.readout.columns
    }

    /// Numbers in all parameters: n + 2n(d+1) + 2mn + m·d_out, with side gating n + 3n(d+1) +
    /// n·d_out.
    pub fn parameter_count(&self) -> usize {
        let gating = match &self.gating {
            Gating::Output { m, x } => m.data.len() + x.data.len(),
            Gating::Side(side) => side.data.len(),
        };
        self.hidden()
            + self.input_m.data.len()
            + self.input_x.data.len()
            + gating
            + self.readout.data.len()
    }

    /// h `[batch · time, n]` for x `[batch · time, d]`: sequences of `time` tokens, one after
    /// another.
    pub fn states(&self, x: &Matrix, time: usize) -> Matrix {
        let tokens = x.with_ones();
        let mut h = tokens
            .times_transposed(&self.input_m)
            .hadamard(&tokens.times_transposed(&self.input_x)); // u
        let n = self.hidden();
        for row in 0..h.rows {
            if row % time != 0 {
                let (before, now) = h.data.split_at_mut(row * n);
                let (before, now) = (&before[(row - 1) * n..], &mut now[..n]);
                now.iter_mut()
                    .zip(before)
                    .zip(&self.lambda)
                    .for_each(|((now, before), lambda)| *now += lambda * before);
            }
        }
        h
    }

    /// ŷ `[batch · time, d_out]` from the states h `[batch · time, n]` (and, with side gating, from
    /// x).
    pub fn readout_of(&self, x: &Matrix, h: &Matrix) -> Matrix {
        self.gated(x, h).times_transposed(&self.readout)
    }

    /// g `[batch · time, m]`, likewise; with side gating `[batch · time, n]`.
    pub fn gated(&self, x: &Matrix, h: &Matrix) -> Matrix {
        match &self.gating {
            Gating::Output { m, x } => h.times_transposed(m).hadamard(&h.times_transposed(x)),
            Gating::Side(side) => x.with_ones().times_transposed(side).hadamard(h),
        }
    }

    /// ŷ `[batch · time, d_out]` for x `[batch · time, d]`: sequences of `time` tokens, one after
    /// another.
    pub fn outputs_of(&self, x: &Matrix, time: usize) -> Matrix {
        self.readout_of(x, &self.states(x, time))
    }

    /// The network of these neurons and, with output gating, these gates, in this order.
    #[must_use]
    pub fn select(&self, neurons: &[usize], gates: &[usize]) -> Self {
        let (gating, readout) = match &self.gating {
            Gating::Output { m, x } => {
                let part = |matrix: &Matrix| matrix.select_rows(gates).select_columns(neurons);
                (Gating::Output { m: part(m), x: part(x) }, self.readout.select_columns(gates))
            }
            Gating::Side(side) => {
                (Gating::Side(side.select_rows(neurons)), self.readout.select_columns(neurons))
            }
        };
        Self {
            input_m: self.input_m.select_rows(neurons),
            input_x: self.input_x.select_rows(neurons),
            lambda: neurons.iter().map(|&i| self.lambda[i]).collect(),
            gating,
            readout,
        }
    }
}

/// ν = ln(−ln λ), at the ends the values that stand for exactly 1 and 0.
pub fn nu(lambda: f64) -> f64 {
    if lambda >= 1.0 {
        NU_ONE
    } else if lambda <= 0.0 {
        NU_ZERO
    } else {
        (-lambda.ln()).ln().clamp(NU_ONE, NU_ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::super::gated_dense::DENSE;
    use super::*;

    #[test]
    fn parameters_go_there_and_back_and_the_outputs_are_the_equation() {
        let table = GATED.of(Sizes { hidden: 2, gates: 1, ..Sizes::NONE }).table(1, 1);
        // u = (2x + 1, x²); λ = (1, 0); g = (h₁ + h₂) · h₂; ŷ = 3 g
        let network = Network {
            input_m: Matrix::from_rows(&[[2.0, 1.0], [1.0, 0.0]]),
            input_x: Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]),
            lambda: vec![1.0, 0.0],
            gating: Gating::Output {
                m: Matrix::from_rows(&[[1.0, 1.0]]),
                x: Matrix::from_rows(&[[0.0, 1.0]]),
            },
            readout: Matrix::from_rows(&[[3.0]]),
        };
        assert_eq!(network.table(), table);
        assert_eq!(
            Network::from_parameters(&table, &network.to_parameters()).as_ref(),
            Some(&network)
        );
        let dense = DENSE.of(Sizes { hidden: 2, gates: 1, ..Sizes::NONE }).table(1, 1);
        assert_eq!(Network::from_parameters(&dense, &dense.initial(1)), None, "no λ to analyse");
        let y = network.outputs_of(&Matrix::new(4, 1, vec![1.0, 2.0, 1.0, 2.0]), 2);
        assert_eq!(
            y.data,
            [3.0 * 4.0, 3.0 * (8.0 + 4.0) * 4.0, 12.0, 144.0],
            "two sequences of two tokens"
        );
        assert_eq!(
            network.select(&[1], &[0]).outputs_of(&Matrix::new(1, 1, vec![2.0]), 1).data,
            [3.0 * 16.0]
        );
        assert!((network.parameter_count(), network.hidden(), network.gates()) == (15, 2, 1));
        for lambda in [0.0, 1e-9, 0.3, 0.999_999, 1.0] {
            assert!(((-nu(lambda).exp()).exp() - lambda).abs() < 1e-15, "{lambda}");
        }
    }
}
