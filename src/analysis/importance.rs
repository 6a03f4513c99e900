//! How much each neuron and gate weighs (paper.md, section 4.1), and what kind of neuron it is by its λ.

use crate::graph::params::ParamTable;

/// What a neuron is by its λ and importance (paper.md, sections 4.1 and 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// λ > 0.9: remembers, holds key-value products.
    KeyValue,
    /// λ < 0.1: passes the current token on, the query.
    Query,
    /// In between.
    Between,
    /// Below the threshold: pruned without harm.
    Unused,
}

/// Each neuron and gate, measured from weights alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Importance {
    /// λ of each hidden neuron, in (0, 1).
    pub lambda: Vec<f32>,
    /// ‖row of W_m^in‖ · ‖row of W_x^in‖ · ‖column of [W_m^out; W_x^out]‖ (side gating: · ‖row of W^side‖ · ‖column of D‖) over its maximum.
    pub hidden: Vec<f32>,
    /// ‖row of W_m^out‖ · ‖row of W_x^out‖ · ‖column of D‖ over its maximum; empty with side gating.
    pub gates: Vec<f32>,
    /// Role of each hidden neuron.
    pub roles: Vec<Role>,
}

/// Neurons below this part of the most important one are unused.
pub const THRESHOLD: f32 = 0.01;

/// How many neurons have which role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Census {
    /// λ > 0.9.
    pub key_value: usize,
    /// λ < 0.1.
    pub query: usize,
    /// In between.
    pub between: usize,
    /// Unused.
    pub unused: usize,
    /// Output gates in use.
    pub gates: usize,
}

/// Measures all neurons and gates of a gated network; `threshold` decides who is unused.
pub fn measure(table: &ParamTable, parameters: &[f32], threshold: f32) -> Importance {
    let norms = |name: &str| Norms::of(table, parameters, name);
    let [m, x, side, out_m, out_x, readout] =
        ["input_gate.m", "input_gate.x", "side_gate", "output_gate.m", "output_gate.x", "readout"].map(norms);
    let lambda: Vec<f32> = table.slice(parameters, "nu").iter().map(|nu| (-nu.exp()).exp()).collect();
    let side_gated = !side.rows.is_empty();
    let outgoing = |i: usize| if side_gated { side.rows[i] * readout.columns[i] } else { out_m.columns[i].hypot(out_x.columns[i]) };
    let hidden = relative((0..lambda.len()).map(|i| m.rows[i] * x.rows[i] * outgoing(i)).collect());
    let gates = relative((0..out_m.rows.len()).map(|j| out_m.rows[j] * out_x.rows[j] * readout.columns[j]).collect());
    let role = |(&lambda, &importance): (&f32, &f32)| match () {
        () if importance <= threshold => Role::Unused,
        () if lambda > 0.9 => Role::KeyValue,
        () if lambda < 0.1 => Role::Query,
        () => Role::Between,
    };
    let roles = lambda.iter().zip(&hidden).map(role).collect();
    Importance { lambda, hidden, gates, roles }
}

impl Importance {
    /// Counts the roles.
    pub fn census(&self, threshold: f32) -> Census {
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
        order.sort_by(|&a, &b| self.roles[a].cmp(&self.roles[b]).then(self.hidden[b].total_cmp(&self.hidden[a])));
        order
    }

    /// Gates sorted by falling importance.
    pub fn gate_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.gates.len()).collect();
        order.sort_by(|&a, &b| self.gates[b].total_cmp(&self.gates[a]));
        order
    }
}

/// Euclidean norms of a matrix's rows and columns.
struct Norms {
    rows: Vec<f32>,
    columns: Vec<f32>,
}

impl Norms {
    fn of(table: &ParamTable, parameters: &[f32], name: &str) -> Self {
        let Some(param) = table.get(name) else { return Self { rows: vec![], columns: vec![] } };
        let width = param.shape[param.shape.len() - 1];
        let (mut rows, mut columns) = (vec![], vec![0.0f32; width]);
        for row in parameters[param.range()].chunks_exact(width) {
            rows.push(row.iter().map(|v| v * v).sum::<f32>().sqrt());
            columns.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
        }
        Self { rows, columns: columns.into_iter().map(f32::sqrt).collect() }
    }
}

fn relative(values: Vec<f32>) -> Vec<f32> {
    let largest = values.iter().copied().fold(0.0, f32::max);
    if largest > 0.0 { values.into_iter().map(|v| v / largest).collect() } else { values }
}
