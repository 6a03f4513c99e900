//! How much each neuron and gate weighs (paper.md, section 4.1), and what kind of neuron it is by
//! its λ.

use crate::math::matrix::{Matrix, norm};
use crate::model::network::{Gating, Network};
use serde::{Deserialize, Serialize};

/// What a neuron is by its λ and importance (paper.md, sections 4.1 and 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// λ > 0.9: remembers, holds key-value products.
    KeyValue,
    /// λ < 0.1: passes the current token on, the query.
    Query,
    /// Neither long nor short a memory.
    Between,
    /// Below the threshold: pruned without harm.
    Unused,
}

/// Each neuron and gate, measured from weights alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Importance {
    /// λ of each hidden neuron, in (0, 1).
    pub lambda: Vec<f64>,
    /// ‖row of W_m^in‖ · ‖row of W_x^in‖ · ‖column of [W_m^out; W_x^out]‖ (side gating: · ‖row of
    /// W^side‖ · ‖column of D‖) over its maximum.
    pub hidden: Vec<f64>,
    /// ‖row of W_m^out‖ · ‖row of W_x^out‖ · ‖column of D‖ over its maximum; empty with side
    /// gating.
    pub gates: Vec<f64>,
    /// Role of each hidden neuron.
    pub roles: Vec<Role>,
}

/// Neurons below this part of the most important one are unused.
pub const THRESHOLD: f64 = 0.01;

/// How many neurons have which role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Census {
    /// λ > 0.9.
    pub key_value: usize,
    /// λ < 0.1.
    pub query: usize,
    /// Neurons whose memory is neither long nor short.
    pub between: usize,
    /// Unused.
    pub unused: usize,
    /// Output gates in use.
    pub gates: usize,
}

/// Measures all neurons and gates of a network; `threshold` decides who is unused.
pub fn measure(network: &Network, threshold: f64) -> Importance {
    let (m, x) = (row_norms(&network.input_m), row_norms(&network.input_x));
    let readout = column_norms(&network.readout);
    let (outgoing, gates): (Vec<f64>, Vec<f64>) = match &network.gating {
        Gating::Output { m, x } => {
            let outgoing =
                column_norms(m).into_iter().zip(column_norms(x)).map(|(m, x)| m.hypot(x)).collect();
            let gates = row_norms(m)
                .into_iter()
                .zip(row_norms(x))
                .zip(readout)
                .map(|((m, x), d)| m * x * d)
                .collect();
            (outgoing, gates)
        }
        Gating::Side(side) => {
            (row_norms(side).into_iter().zip(readout).map(|(side, d)| side * d).collect(), vec![])
        }
    };
    let hidden =
        relative(m.into_iter().zip(x).zip(outgoing).map(|((m, x), out)| m * x * out).collect());
    let role = |(&lambda, &importance): (&f64, &f64)| match () {
        () if importance <= threshold => Role::Unused,
        () if lambda > 0.9 => Role::KeyValue,
        () if lambda < 0.1 => Role::Query,
        () => Role::Between,
    };
    let lambda = network.lambda.clone();
    let roles = lambda.iter().zip(&hidden).map(role).collect();
    Importance { lambda, hidden, gates: relative(gates), roles }
}

impl Importance {
    /// Counts the roles.
    pub fn census(&self, threshold: f64) -> Census {
        let count = |role: Role| self.roles.iter().filter(|&&r| r == role).count();
        Census {
            key_value: count(Role::KeyValue),
            query: count(Role::Query),
            between: count(Role::Between),
            unused: count(Role::Unused),
            gates: self.gates.iter().filter(|&&importance| importance > threshold).count(),
        }
    }

    /// Neurons sorted by role, then by falling importance.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.roles.len()).collect();
        order.sort_by(|&a, &b| {
            self.roles[a].cmp(&self.roles[b]).then(self.hidden[b].total_cmp(&self.hidden[a]))
        });
        order
    }

    /// Gates sorted by falling importance.
    pub fn gate_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.gates.len()).collect();
        order.sort_by(|&a, &b| self.gates[b].total_cmp(&self.gates[a]));
        order
    }
}

fn row_norms(matrix: &Matrix) -> Vec<f64> {
    matrix.iter_rows().map(norm).collect()
}

fn column_norms(matrix: &Matrix) -> Vec<f64> {
    let mut squares = vec![0.0; matrix.columns];
    for row in matrix.iter_rows() {
        squares.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
    }
    squares.into_iter().map(f64::sqrt).collect()
}

fn relative(values: Vec<f64>) -> Vec<f64> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 { values.into_iter().map(|v| v / largest).collect() } else { values }
}
