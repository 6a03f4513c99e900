//! Reordering (paper.md, section 4.5): the same network, so that its block structure shows.
//! Key-value neurons first, then query, then between; in each gate W_m^out reads memory and W_x^out
//! the query; gates sorted by the query that they read, then by the memory. Only products are
//! swapped and sums reordered, so the function is unchanged.

use super::importance::{Importance, Role};
use super::stage::{Stage, StageKind};
use super::words::counted;
use crate::math::matrix::Matrix;
use crate::model::network::Gating;

/// The `pruned` network, sorted; `sizes` are the root mean squares of the raw network's states
/// `[n]`.
pub fn reorder(pruned: &Stage, importance: &Importance, sizes: &[f64]) -> Stage {
    let order = neuron_order(pruned, importance);
    let neurons: Vec<usize> = order.iter().map(|&i| pruned.neurons[i]).collect();
    let roles: Vec<Role> = order.iter().map(|&i| pruned.roles[i]).collect();
    let network = pruned.network.select(&order, &(0..pruned.gates.len()).collect::<Vec<_>>());
    let sizes: Vec<f64> = neurons.iter().map(|&i| sizes[i]).collect();
    let mut stage = Stage {
        kind: StageKind::Sorted,
        network,
        neurons,
        gates: pruned.gates.clone(),
        roles,
        change: pruned.change,
        note: String::new(),
    };
    let swapped = sort_gates(&mut stage, &sizes);
    let count = |role: Role| stage.roles.iter().filter(|&&r| r == role).count();
    let gated = match stage.gates.len() {
        0 => String::new(),
        m => format!(
            "; {} by the query that they read, the factors of {swapped} swapped",
            counted(m, "gate")
        ),
    };
    stage.note = format!(
        "{} key-value, {} query and {} in between, in this order{gated}. The same function.",
        count(Role::KeyValue),
        count(Role::Query),
        count(Role::Between)
    );
    stage
}

/// Puts each gate's memory side into W_m^out and sorts the gates by the query that they read, then
/// by the memory; `sizes` are the root mean squares of the stage's states `[n]`. Returns how many
/// gates had their factors swapped.
pub fn sort_gates(stage: &mut Stage, sizes: &[f64]) -> usize {
    let roles = &stage.roles;
    let Gating::Output { m, x } = &mut stage.network.gating else { return 0 };
    let weighed = |row: &[f64]| -> Vec<f64> {
        row.iter().zip(sizes).map(|(w, size)| (w * size).abs()).collect()
    };
    let (mut keys, mut swapped) = (vec![], 0);
    for gate in 0..m.rows {
        let (mut memory, mut query) = (weighed(m.row(gate)), weighed(x.row(gate)));
        if memory_share(&memory, roles) < memory_share(&query, roles) {
            m.row_mut(gate).swap_with_slice(x.row_mut(gate));
            std::mem::swap(&mut memory, &mut query);
            swapped += 1;
        }
        keys.push((
            strongest(&query, roles, Role::Query),
            strongest(&memory, roles, Role::KeyValue),
        ));
    }
    let mut order: Vec<usize> = (0..m.rows).collect();
    order.sort_by_key(|&gate| keys[gate]);
    let rows = |matrix: &Matrix| matrix.select_rows(&order);
    (*m, *x) = (rows(m), rows(x));
    stage.network.readout = stage.network.readout.select_columns(&order);
    stage.gates = order.iter().map(|&gate| stage.gates[gate].clone()).collect();
    swapped
}

/// Root mean square of each column.
pub fn sizes(values: &Matrix) -> Vec<f64> {
    let mut sums = vec![0.0; values.columns];
    for row in values.iter_rows() {
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
    }
    sums.into_iter().map(|sum: f64| (sum / values.rows.max(1) as f64).sqrt()).collect()
}

/// By role, then (side gating) by the input that the side gate reads most, then by falling
/// importance.
fn neuron_order(stage: &Stage, importance: &Importance) -> Vec<usize> {
    let read = |i: usize| match &stage.network.gating {
        Gating::Side(side) => largest(side.row(i).iter().map(|w| w.abs())),
        Gating::Output { .. } => 0,
    };
    let mut order: Vec<usize> = (0..stage.neurons.len()).collect();
    let weight = |i: usize| importance.hidden[stage.neurons[i]];
    order.sort_by(|&a, &b| {
        stage.roles[a]
            .cmp(&stage.roles[b])
            .then(read(a).cmp(&read(b)))
            .then(weight(b).total_cmp(&weight(a)))
    });
    order
}

/// How much of what a factor reads is memory, 0..=1.
fn memory_share(weights: &[f64], roles: &[Role]) -> f64 {
    let squares = |wanted: fn(Role) -> bool| {
        weights
            .iter()
            .zip(roles)
            .filter(|(_, role)| wanted(**role))
            .map(|(w, _)| w * w)
            .sum::<f64>()
    };
    let all = squares(|_| true);
    if all > 0.0 { squares(|role| role == Role::KeyValue) / all } else { 0.0 }
}

/// The neuron of that role that a factor reads most; of any role if there is none.
fn strongest(weights: &[f64], roles: &[Role], role: Role) -> usize {
    let any = !roles.contains(&role);
    largest(weights.iter().zip(roles).map(|(w, r)| if any || *r == role { *w } else { -1.0 }))
}

fn largest(values: impl Iterator<Item = f64>) -> usize {
    values
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |best, (i, v)| if v > best.1 { (i, v) } else { best })
        .0
}
