//! The network's matrices, sorted and coloured: worked out when the weights or an option change.

use super::subject::{Labels, Subject};
use crate::analysis::importance::{Importance, Role, THRESHOLD};
use crate::math::matrix;
use crate::model::Network;
use crate::model::network::Gating;
use crate::ui::kit::heatmap::{Colors, Heatmap};
use eframe::egui;
use egui::{Color32, Context};

/// How the picture is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Sorted by role and importance, not by number.
    pub sorted: bool,
    /// Each row (each gate's column) by its own largest weight.
    pub normalised: bool,
    /// Which theme.
    pub dark: bool,
}

/// A matrix of the picture.
pub struct Matrix {
    /// The parameter.
    pub name: &'static str,
    /// Its colours, rows and columns as drawn.
    pub heatmap: Heatmap,
}

/// All that is drawn.
#[derive(Default)]
pub struct Picture {
    key: Option<((u32, u64), Options)>,
    /// The weights that it shows.
    pub network: Option<Network>,
    /// Neuron of each row.
    pub neurons: Vec<usize>,
    /// Rows that are key-value, query, between, unused; one count if they are not sorted.
    pub neuron_counts: Vec<usize>,
    /// Gate of each column.
    pub gates: Vec<usize>,
    /// Columns that are used and unused.
    pub gate_counts: Vec<usize>,
    /// Gates whose two readings are shown the other way round.
    pub swapped: Vec<bool>,
    /// W_m^in, W_x^in, then W_m^outᵀ, W_x^outᵀ, D; with side gating W^side, Dᵀ.
    pub matrices: Vec<Matrix>,
}

/// An entry moves up only past one that it exceeds by this factor, so that the order is calm while
/// training runs.
const CALM: f64 = 1.25;
/// Normalised weights of what is unused would look as strong as the others: they are dimmed.
const DIMMED: f32 = 0.25;

impl Picture {
    /// Brings the picture up to date.
    pub fn update(
        &mut self,
        ctx: &Context,
        subject: &Subject<'_>,
        options: Options,
        colors: &Colors,
    ) {
        let key = (subject.key, options);
        if self.key == Some(key) {
            return;
        }
        let Some(network) = (subject.network)() else { return };
        if self.key.is_none_or(|((run, _), _)| run != subject.key.0) {
            (self.neurons, self.gates) = (vec![], vec![]);
        }
        self.key = Some(key);
        match subject.labels {
            Some(labels) => self.keep_order(labels, subject.importance),
            None => self.arrange(subject.importance, options.sorted),
        }
        self.find_swaps(&network, subject.importance, options.sorted && subject.labels.is_none());
        let source = Source {
            network: &network,
            importance: subject.importance,
            dims: options.normalised && subject.labels.is_none(),
            normalised: options.normalised,
            colors,
        };
        let plan: &[(&str, bool)] = match &network.gating {
            Gating::Output { .. } => &[
                ("input_gate.m", false),
                ("input_gate.x", false),
                ("output_gate.m", true),
                ("output_gate.x", true),
                ("readout", false),
            ],
            Gating::Side(_) => &[
                ("input_gate.m", false),
                ("input_gate.x", false),
                ("side_gate", false),
                ("readout", true),
            ],
        };
        if self.matrices.len() != plan.len() {
            self.matrices = plan
                .iter()
                .map(|&(name, _)| Matrix { name, heatmap: Heatmap::default() })
                .collect();
        }
        let mut matrices = std::mem::take(&mut self.matrices);
        for (matrix, &(name, transposed)) in matrices.iter_mut().zip(plan) {
            matrix.name = name;
            source.fill(ctx, matrix, transposed, self);
        }
        self.matrices = matrices;
        self.network = Some(network);
    }

    /// As the network has them, in the groups that the labels name.
    fn keep_order(&mut self, labels: &Labels, importance: &Importance) {
        let (n, m) = (importance.roles.len(), importance.gates.len());
        (self.neurons, self.gates) = ((0..n).collect(), (0..m).collect());
        self.neuron_counts = labels.groups.iter().map(|(count, ..)| *count).chain([0]).collect();
        self.gate_counts = vec![m, 0];
    }

    fn arrange(&mut self, importance: &Importance, sorted: bool) {
        let (n, m) = (importance.roles.len(), importance.gates.len());
        if !sorted {
            (self.neurons, self.gates) = ((0..n).collect(), (0..m).collect());
            // As one group that is "in use".
            (self.neuron_counts, self.gate_counts) = (vec![n, 0], vec![m, 0]);
            return;
        }
        if self.neurons.len() != n || self.gates.len() != m {
            (self.neurons, self.gates) = (importance.order(), importance.gate_order());
        }
        let unused = |gate: usize| u8::from(importance.gates[gate] <= THRESHOLD);
        calm_sort(&mut self.neurons, |i| importance.roles[i], |i| importance.hidden[i]);
        calm_sort(&mut self.gates, unused, |i| importance.gates[i]);
        let count = |role: Role| importance.roles.iter().filter(|&&r| r == role).count();
        self.neuron_counts =
            [Role::KeyValue, Role::Query, Role::Between, Role::Unused].map(count).into();
        let used = importance.gates.iter().filter(|&&importance| importance > THRESHOLD).count();
        self.gate_counts = vec![used, m - used];
    }

    /// A gate is a product, so its two readings can change places: the one that leans more on
    /// key-value neurons comes first.
    fn find_swaps(&mut self, network: &Network, importance: &Importance, sorted: bool) {
        self.swapped = vec![false; importance.gates.len()];
        let Gating::Output { m, x } = &network.gating else { return };
        if !sorted || importance.roles.is_empty() {
            return;
        }
        let roles = &importance.roles;
        for (swapped, (a, b)) in self.swapped.iter_mut().zip(m.iter_rows().zip(x.iter_rows())) {
            let norm = |row: &[f64], role: Role| {
                row.iter().zip(roles).filter(|(_, r)| **r == role).map(|(v, _)| v * v).sum::<f64>()
            };
            let straight = norm(a, Role::KeyValue) * norm(b, Role::Query);
            *swapped = norm(b, Role::KeyValue) * norm(a, Role::Query) > straight;
        }
    }

    fn is_swapped(&self, gate: usize) -> bool {
        self.swapped.get(gate).copied().unwrap_or(false)
    }

    /// The parameter that really stands in `matrix` at the column of `gate`.
    pub fn parameter(&self, matrix: &'static str, gate: usize) -> &'static str {
        if self.is_swapped(gate) { partner(matrix) } else { matrix }
    }
}

/// The other one of a gate's two readings; other matrices are their own partners.
fn partner(matrix: &'static str) -> &'static str {
    match matrix {
        "output_gate.m" => "output_gate.x",
        "output_gate.x" => "output_gate.m",
        _ => matrix,
    }
}

/// The matrix of that parameter.
pub fn matrix_of<'a>(network: &'a Network, name: &str) -> Option<&'a matrix::Matrix> {
    match (name, &network.gating) {
        ("input_gate.m", _) => Some(&network.input_m),
        ("input_gate.x", _) => Some(&network.input_x),
        ("output_gate.m", Gating::Output { m, .. }) => Some(m),
        ("output_gate.x", Gating::Output { x, .. }) => Some(x),
        ("side_gate", Gating::Side(side)) => Some(side),
        ("readout", _) => Some(&network.readout),
        _ => None,
    }
}

/// What a picture is made from.
struct Source<'a> {
    network: &'a Network,
    importance: &'a Importance,
    /// What is unused is dimmed.
    dims: bool,
    normalised: bool,
    colors: &'a Colors,
}

impl Source<'_> {
    /// Colours `matrix`; `transposed` when its columns are drawn as rows.
    fn fill(&self, ctx: &Context, matrix: &mut Matrix, transposed: bool, picture: &Picture) {
        let [Some(own), Some(other)] =
            [matrix.name, partner(matrix.name)].map(|name| matrix_of(self.network, name))
        else {
            return;
        };
        let (rows, columns) =
            if transposed { (own.columns, own.rows) } else { (own.rows, own.columns) };
        let rows_are_neurons = transposed || matrix.name != "readout";
        let columns_are_gates = matrix.name.starts_with("output_gate") || !rows_are_neurons;
        let row_of = |row: usize| if rows_are_neurons { picture.neurons[row] } else { row };
        let column_of =
            |column: usize| if columns_are_gates { picture.gates[column] } else { column };
        let mut weights = Vec::with_capacity(rows * columns); // as drawn
        for row in (0..rows).map(row_of) {
            weights.extend((0..columns).map(column_of).map(|column| {
                let from =
                    if columns_are_gates && picture.is_swapped(column) { other } else { own };
                from.data[if transposed {
                    column * from.columns + row
                } else {
                    row * from.columns + column
                }] as f32
            }));
        }
        let (by_row, by_column) = self.scales(&weights, columns, columns_are_gates);
        let strength = |unused: bool| if unused && self.dims { DIMMED } else { 1.0 };
        let neuron = |row: usize| {
            strength(rows_are_neurons && self.importance.roles[row_of(row)] == Role::Unused)
        };
        let gate = |column: usize| {
            strength(columns_are_gates && self.importance.gates[column_of(column)] <= THRESHOLD)
        };
        let row_factors: Vec<f32> =
            by_row.iter().enumerate().map(|(row, scale)| neuron(row) / scale).collect();
        let column_factors: Vec<f32> =
            by_column.iter().enumerate().map(|(column, scale)| gate(column) / scale).collect();
        let shade = |(weight, factor): (&f32, &f32), row: usize| {
            self.colors.of(weight * factor * row_factors[row])
        };
        let row_of_pixels = |(row, weights): (usize, &[f32])| -> Vec<Color32> {
            weights.iter().zip(&column_factors).map(|pair| shade(pair, row)).collect()
        };
        let pixels =
            weights.chunks_exact(columns.max(1)).enumerate().flat_map(row_of_pixels).collect();
        matrix.heatmap.set(ctx, matrix.name, rows, columns, pixels);
    }

    /// What each row and each column is divided by.
    fn scales(&self, weights: &[f32], columns: usize, by_gate: bool) -> (Vec<f32>, Vec<f32>) {
        let rows = weights.len() / columns.max(1);
        let size = |weight: &f32| if weight.is_finite() { weight.abs() } else { 0.0 };
        let safe = |scale: f32| if scale > 0.0 { scale } else { 1.0 };
        let row = |weights: &[f32]| safe(weights.iter().map(size).fold(0.0, f32::max));
        match (self.normalised, by_gate) {
            (false, _) => (vec![row(weights); rows], vec![1.0; columns]),
            (true, false) => {
                (weights.chunks_exact(columns.max(1)).map(row).collect(), vec![1.0; columns])
            }
            (true, true) => {
                let mut largest = vec![0.0f32; columns];
                for weights in weights.chunks_exact(columns.max(1)) {
                    largest
                        .iter_mut()
                        .zip(weights)
                        .for_each(|(largest, weight)| *largest = largest.max(size(weight)));
                }
                (vec![1.0; rows], largest.into_iter().map(safe).collect())
            }
        }
    }
}

/// Sorts by kind, then by falling size, but leaves neighbours of about the same size as they are.
fn calm_sort<K: Ord>(order: &mut [usize], kind: impl Fn(usize) -> K, size: impl Fn(usize) -> f64) {
    order.sort_by_key(|&i| kind(i)); // stable
    for end in 1..order.len() {
        let mut i = end;
        while i > 0
            && kind(order[i - 1]) == kind(order[i])
            && size(order[i]) > CALM * size(order[i - 1])
        {
            order.swap(i - 1, i);
            i -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_calm() {
        let mut order = vec![0, 1, 2, 3];
        let kind = |i: usize| usize::from(i == 0);
        calm_sort(&mut order, kind, |i| [9.0, 1.0, 1.1, 2.0][i]);
        assert_eq!(order, [3, 1, 2, 0], "1 and 2 are about equal");
        calm_sort(&mut order, kind, |i| [9.0, 1.1, 1.0, 2.0][i]);
        assert_eq!(order, [3, 1, 2, 0]);
    }
}
