//! Puts a construction together, neuron by neuron and gate by gate.

use super::construction::{Construction, Gate, Neuron, Part, Variant};
use crate::math::matrix::Matrix;
use crate::model::network::{Gating, Network};

/// The letters of a construction's quantities.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    /// Of a value.
    pub value: &'static str,
    /// Of a key.
    pub key: &'static str,
    /// Of a query.
    pub query: &'static str,
    /// Of an entry of the key-value matrix.
    pub memory: &'static str,
}

/// A construction in the making, d values per token.
pub struct Builder {
    letters: Letters,
    neurons: Vec<Neuron>,
    gates: Vec<Gate>,
    input_m: Vec<Vec<f64>>,
    input_x: Vec<Vec<f64>>,
    lambda: Vec<f64>,
    gate_m: Vec<Vec<f64>>,
    gate_x: Vec<Vec<f64>>,
    /// A column of D for each gate.
    readout: Vec<Vec<f64>>,
}

/// Neurons that a gate reads, each with its weight.
pub type Terms = [(usize, f64)];

impl Builder {
    /// Nothing yet.
    pub fn new(letters: Letters) -> Self {
        let none = || vec![];
        Self {
            letters,
            neurons: vec![],
            gates: vec![],
            input_m: none(),
            input_x: none(),
            lambda: vec![],
            gate_m: none(),
            gate_x: none(),
            readout: none(),
        }
    }

    /// λ = 1: adds up (value row · x)(key row · x); returns its number.
    pub fn accumulator(
        &mut self,
        (row, value): (usize, &[f64]),
        (column, key): (usize, &[f64]),
    ) -> usize {
        let Letters { value: v, key: k, memory, .. } = self.letters;
        let name = format!("{memory}{}", pair(row, column));
        let factors = [format!("{v}{}", subscript(row)), format!("{k}{}", subscript(column))];
        self.neuron(
            Neuron { name, factors, part: Part::Accumulator { row, column } },
            [extended(value, 0.0), extended(key, 0.0)],
            1.0,
        )
    }

    /// λ = 0: passes on (query row · x) · 1; returns its number.
    pub fn query(&mut self, index: usize, row: &[f64]) -> usize {
        let name = format!("{}{}", self.letters.query, subscript(index));
        let constant = extended(&vec![0.0; row.len()], 1.0);
        self.neuron(
            Neuron { factors: [name.clone(), "1".into()], name, part: Part::Query(index) },
            [extended(row, 0.0), constant],
            0.0,
        )
    }

    fn neuron(&mut self, neuron: Neuron, [m, x]: [Vec<f64>; 2], lambda: f64) -> usize {
        self.neurons.push(neuron);
        self.input_m.push(m);
        self.input_x.push(x);
        self.lambda.push(lambda);
        self.neurons.len() - 1
    }

    /// g = (terms of the memory) · (terms of the query), with its column of D. All neurons must be
    /// there.
    pub fn gate(&mut self, memory: &Terms, query: &Terms, readout: Vec<f64>) {
        let row = |terms: &Terms| {
            let mut row = vec![0.0; self.neurons.len()];
            terms.iter().for_each(|&(neuron, weight)| row[neuron] += weight);
            row
        };
        let (m, x) = (row(memory), row(query));
        let neurons = memory.iter().chain(query).map(|&(neuron, _)| neuron).collect();
        self.gates.push(Gate { memory: self.sum(memory), query: self.sum(query), neurons });
        self.gate_m.push(m);
        self.gate_x.push(x);
        self.readout.push(readout);
    }

    /// S₁₁ − S₁₂
    fn sum(&self, terms: &Terms) -> String {
        let term = |(i, &(neuron, weight)): (usize, &(usize, f64))| {
            let sign = match (i, weight < 0.0) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            format!("{sign}{}", self.neurons[neuron].name)
        };
        terms.iter().enumerate().map(term).collect()
    }

    /// The construction with output gating.
    pub fn output_gated(self, variant: Variant, meaning: &'static str) -> Construction {
        let gating = Gating::Output {
            m: Matrix::from_rows(&self.gate_m),
            x: Matrix::from_rows(&self.gate_x),
        };
        self.finish(variant, meaning, gating)
    }

    /// The construction with a side gate: for each neuron the query's number, its row, and the
    /// neuron's column of D.
    pub fn side_gated(
        mut self,
        variant: Variant,
        meaning: &'static str,
        side: Vec<(usize, &[f64], Vec<f64>)>,
    ) -> Construction {
        let rows: Vec<Vec<f64>> = side.iter().map(|(_, row, _)| extended(row, 0.0)).collect();
        for (neuron, (query, _, readout)) in side.into_iter().enumerate() {
            let query = format!("{}{}", self.letters.query, subscript(query));
            self.gates.push(Gate {
                memory: self.neurons[neuron].name.clone(),
                query,
                neurons: vec![neuron],
            });
            self.readout.push(readout);
        }
        self.finish(variant, meaning, Gating::Side(Matrix::from_rows(&rows)))
    }

    fn finish(self, variant: Variant, meaning: &'static str, gating: Gating) -> Construction {
        let network = Network {
            input_m: Matrix::from_rows(&self.input_m),
            input_x: Matrix::from_rows(&self.input_x),
            lambda: self.lambda,
            gating,
            readout: Matrix::from_rows(&self.readout).transpose(),
        };
        Construction { variant, network, neurons: self.neurons, gates: self.gates, meaning }
    }
}

/// A row for x̃ = [x; 1].
fn extended(row: &[f64], constant: f64) -> Vec<f64> {
    row.iter().copied().chain([constant]).collect()
}

/// The unit vector: a column of D that feeds one output.
pub fn unit(size: usize, place: usize) -> Vec<f64> {
    (0..size).map(|i| f64::from(u8::from(i == place))).collect()
}

/// ₁ for 0.
fn subscript(index: usize) -> String {
    (index + 1)
        .to_string()
        .chars()
        .filter_map(|digit| digit.to_digit(10).and_then(|d| char::from_u32(0x2080 + d)))
        .collect()
}

/// ₁₂ for (0, 1); beyond nine with a comma.
fn pair(row: usize, column: usize) -> String {
    let comma = if row.max(column) >= 9 { "," } else { "" };
    format!("{}{comma}{}", subscript(row), subscript(column))
}
