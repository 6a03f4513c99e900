//! What is shown: the construction, broken or not, run over the sequence; worked out when a setting
//! or a token changes.

use crate::analysis::importance::{self, Importance, Role};
use crate::math::matrix::{Matrix, norm};
use crate::math::{largest, random};
use crate::model::Network;
use crate::model::network::Gating;
use crate::named::Named;
use crate::recipe::specimen::Specimen;
use crate::task::Teacher;
use crate::task::attention::{Spectrum, TeacherKind};
use crate::theory::ablation::Ablation;
use crate::theory::attention::{self, Moment};
use crate::theory::cost::{self, Cost, Ranks};
use crate::theory::{self, Construction, Part, Variant};
use crate::{Error, Result};

/// Errors below this part of the largest output are rounding.
const ROUNDING: f64 = 1e-9;

/// What the controls set.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which construction.
    pub variant: Variant,
    /// Width d, 1..=[`LARGEST_DIM`].
    pub dim: usize,
    /// Singular values kept in the teacher's W_V, W_K and W_Q, 1..=d each.
    pub ranks: [usize; 3],
    /// How the teacher is drawn.
    pub spectrum: Spectrum,
    /// Of the teacher, the tokens and the noise.
    pub seed: u32,
    /// What is broken.
    pub ablation: Ablation,
}

/// Wider ones have more neurons than a lecture has time for.
pub const LARGEST_DIM: usize = 8;
/// Standard deviation of the noise, as a part of the root mean square of each matrix.
pub const NOISE: f64 = 0.1;

impl Settings {
    /// Whether no matrix sends a direction to zero.
    pub fn is_full_rank(&self) -> bool {
        self.ranks == [self.dim; 3]
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            variant: Variant::default(),
            dim: 3,
            ranks: [3; 3],
            spectrum: Spectrum::Orthogonal,
            seed: 7,
            ablation: Ablation::default(),
        }
    }
}

/// Everything that the panels read.
pub struct Built {
    /// The settings and the tokens `[T, d]` that this belongs to.
    of: (Settings, Matrix),
    pub teacher: Teacher,
    pub ranks: Ranks,
    /// The network and what runs through it, or why this variant does not apply.
    pub network: Result<Running>,
    /// The variants that apply to it.
    pub applicable: Vec<Variant>,
    /// The attention over the sequence, token by token.
    pub moments: Vec<Moment>,
}

/// A construction over a sequence; all matrices have a row per token.
pub struct Running {
    /// The construction, whole.
    pub construction: Construction,
    /// Its network, with what is broken.
    pub network: Network,
    /// λ, importance and, by construction, role of each neuron.
    pub importance: Importance,
    /// W_m^in x̃ and W_x^in x̃ `[T, n]`
    pub readings: [Matrix; 2],
    /// u = their product `[T, n]`
    pub added: Matrix,
    /// h `[T, n]`
    pub states: Matrix,
    /// What each gate reads of the memory, and of the query `[T, m]`
    pub gate_readings: [Matrix; 2],
    /// ŷ `[T, d]`
    pub outputs: Matrix,
}

impl Built {
    /// For these settings and tokens `[T, d]`.
    pub fn new(settings: &Settings, x: &Matrix) -> Self {
        let kind = TeacherKind {
            dim: settings.dim,
            ranks: settings.ranks,
            spectrum: settings.spectrum,
            gain: 1.0,
        };
        let teacher = Teacher::draw(kind, settings.seed);
        let network = theory::construct(&teacher, settings.variant)
            .map(|construction| Running::new(construction, &settings.ablation, x));
        let applicable = Variant::ALL
            .iter()
            .copied()
            .filter(|&variant| theory::construct(&teacher, variant).is_ok())
            .collect();
        Self {
            of: (settings.clone(), x.clone()),
            applicable,
            ranks: theory::ranks(&teacher),
            network,
            moments: attention::unroll(&teacher, x),
            teacher,
        }
    }

    /// Whether it belongs to these.
    pub fn is_of(&self, settings: &Settings, x: &Matrix) -> bool {
        self.of.0 == *settings && self.of.1 == *x
    }

    /// What a variant takes for this attention.
    pub fn cost(&self, variant: Variant) -> Cost {
        cost::cost(variant, self.teacher.dim, self.ranks)
    }

    /// The largest |ŷ − y| at a token.
    pub fn error(&self, running: &Running, token: usize) -> f64 {
        let (ours, theirs) = (running.outputs.row(token), &self.moments[token].output);
        largest(ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()))
    }

    /// The largest |ŷ − y| of the sequence.
    pub fn largest_error(&self, running: &Running) -> f64 {
        largest((0..self.moments.len()).map(|token| self.error(running, token)))
    }

    /// Whether that difference is nothing but rounding.
    pub fn is_exact(&self, error: f64) -> bool {
        error <= ROUNDING * self.largest_output().max(1e-3)
    }

    /// The largest |y| of the sequence.
    pub fn largest_output(&self) -> f64 {
        largest(self.moments.iter().flat_map(|moment| &moment.output).map(|y| y.abs()))
    }

    /// The network as it is shown, for the other views; `noise` on every weight matrix.
    pub fn given(&self, running: &Running, noise: bool) -> Specimen {
        let Settings { seed, ablation, .. } = &self.of.0;
        let broken = if *ablation == Ablation::default() { "" } else { ", broken" };
        let with_noise = if noise { ", with noise" } else { "" };
        let name = format!(
            "{} construction, d = {}{broken}{with_noise}",
            running.construction.variant.title(),
            self.teacher.dim
        );
        let mut network = running.network.clone();
        if noise {
            add_noise(&mut network, *seed);
        }
        Specimen::new(name, network, Some(self.teacher.clone()))
    }
}

impl Running {
    fn new(construction: Construction, ablation: &Ablation, x: &Matrix) -> Self {
        let network = ablation.apply(&construction);
        let tokens = x.with_ones();
        let readings =
            [&network.input_m, &network.input_x].map(|rows| tokens.times_transposed(rows));
        let states = network.states(x, x.rows.max(1));
        let gate_readings = match &network.gating {
            Gating::Output { m, x } => [m, x].map(|rows| states.times_transposed(rows)),
            Gating::Side(side) => [states.clone(), tokens.times_transposed(side)],
        };
        let mut importance = importance::measure(&network, importance::THRESHOLD);
        importance.roles = construction.neurons.iter().map(|neuron| role(neuron.part)).collect();
        Self {
            added: readings[0].hadamard(&readings[1]),
            outputs: gate_readings[0]
                .hadamard(&gate_readings[1])
                .times_transposed(&network.readout),
            construction,
            network,
            importance,
            readings,
            states,
            gate_readings,
        }
    }

    /// What the neuron held before the token, 0 before the first.
    pub fn before(&self, token: usize, neuron: usize) -> f64 {
        if token == 0 { 0.0 } else { self.states.at(token - 1, neuron) }
    }

    /// What a gate's product is at a token.
    pub fn product(&self, token: usize, gate: usize) -> f64 {
        self.gate_readings[0].at(token, gate) * self.gate_readings[1].at(token, gate)
    }

    /// The accumulator of that entry of the key-value matrix, or of its mirror image where only a
    /// triangle is stored.
    pub fn accumulator(&self, row: usize, column: usize) -> Option<usize> {
        let find = |row, column| {
            self.construction
                .neurons
                .iter()
                .position(|neuron| neuron.part == Part::Accumulator { row, column })
        };
        let mirrored =
            matches!(self.construction.variant, Variant::Symmetric | Variant::SymmetricShared);
        find(row, column).or_else(|| find(column, row).filter(|_| mirrored))
    }

    /// Rows and columns of the key-value matrix.
    pub fn memory_shape(&self) -> [usize; 2] {
        let end = |pick: fn(usize, usize) -> usize| {
            let parts = self.construction.neurons.iter().filter_map(|neuron| match neuron.part {
                Part::Accumulator { row, column } => Some(pick(row, column) + 1),
                Part::Query(_) => None,
            });
            parts.max().unwrap_or(0)
        };
        // A triangle has all columns in its first row and all rows in its last column.
        [end(|row, _| row), end(|_, column| column)]
    }

    /// The query that the gates read at a token, entry by entry, by the names of its entries.
    pub fn query(&self, token: usize) -> Vec<(String, f64)> {
        let neurons = self.construction.neurons.iter().enumerate();
        let queries: Vec<(String, f64)> = neurons
            .filter(|(_, neuron)| matches!(neuron.part, Part::Query(_)))
            .map(|(i, neuron)| (neuron.name.clone(), self.states.at(token, i)))
            .collect();
        if !queries.is_empty() {
            return queries;
        }
        // With a side gate: what the gates of the first row read.
        let columns = self.memory_shape()[1];
        (0..columns)
            .map(|gate| {
                (self.construction.gates[gate].query.clone(), self.gate_readings[1].at(token, gate))
            })
            .collect()
    }
}

/// A part's kind, in the colours of all views.
pub fn role(part: Part) -> Role {
    match part {
        Part::Accumulator { .. } => Role::KeyValue,
        Part::Query(_) => Role::Query,
    }
}

/// Tokens `[count, d]` from N(0, I), to two decimals: what is read is what is computed with.
pub fn tokens(seed: u32, draw: u32, count: usize, dim: usize) -> Matrix {
    let numbers = random::normals(seed, &format!("construct.tokens.{draw}"), count * dim);
    Matrix::new(
        count,
        dim,
        numbers.into_iter().map(|v| (f64::from(v) * 100.0).round() / 100.0).collect(),
    )
}

/// Adds N(0, ([`NOISE`] · root mean square)²) to every number of each weight matrix; λ stays.
fn add_noise(network: &mut Network, seed: u32) {
    let noisy = |matrix: &mut Matrix, name: &str| {
        let scale = NOISE * norm(&matrix.data) / (matrix.data.len().max(1) as f64).sqrt();
        let numbers = random::normals(seed, name, matrix.data.len());
        matrix
            .data
            .iter_mut()
            .zip(numbers)
            .for_each(|(weight, noise)| *weight += scale * f64::from(noise));
    };
    noisy(&mut network.input_m, "noise.input_gate.m");
    noisy(&mut network.input_x, "noise.input_gate.x");
    match &mut network.gating {
        Gating::Output { m, x } => {
            noisy(m, "noise.output_gate.m");
            noisy(x, "noise.output_gate.x");
        }
        Gating::Side(side) => noisy(side, "noise.side_gate"),
    }
    noisy(&mut network.readout, "noise.readout");
}

/// Reads a number that was typed into a token.
///
/// # Errors
/// What is not one, or is too large.
pub fn number(text: &str) -> Result<f64> {
    let value = text.trim().replace('−', "-").replace(',', ".").parse::<f64>().ok();
    value.filter(|value| value.abs() <= LARGEST_NUMBER).ok_or_else(|| {
        let found = if text.trim().is_empty() {
            "nothing".into()
        } else {
            format!("“{}”", text.trim())
        };
        Error::setting(
            "number",
            found,
            format!("a number from −{LARGEST_NUMBER} to {LARGEST_NUMBER}"),
        )
    })
}

/// The largest number in a token.
const LARGEST_NUMBER: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_what_the_network_computes() {
        let settings = Settings::default();
        let x = tokens(7, 0, 8, 3);
        for &variant in Variant::ALL {
            let built = Built::new(&Settings { variant, ..settings.clone() }, &x);
            let running = built.network.as_ref().unwrap();
            assert!(running.outputs.relative_change(&running.network.outputs_of(&x, 8)) < 1e-14);
            assert!(built.largest_error(running) < 1e-13, "{variant:?}");
            for token in 0..8 {
                for (i, lambda) in running.network.lambda.iter().enumerate() {
                    let held = lambda * running.before(token, i) + running.added.at(token, i);
                    assert!((held - running.states.at(token, i)).abs() < 1e-14);
                }
            }
            let [rows, columns] = running.memory_shape();
            assert_eq!((rows, columns, running.query(0).len()), (3, 3, 3));
            assert!((0..9).all(|i| running.accumulator(i / 3, i % 3).is_some()));
        }
    }

    #[test]
    fn noise_is_a_tenth_of_each_matrix() {
        let built = Built::new(
            &Settings { dim: 6, ranks: [6; 3], ..Settings::default() },
            &tokens(7, 0, 4, 6),
        );
        let running = built.network.as_ref().unwrap();
        let noisy = built.given(running, true);
        let plain = built.given(running, false);
        for name in ["input_gate.m", "input_gate.x", "output_gate.m", "output_gate.x", "readout"] {
            let [a, b] = [&noisy, &plain]
                .map(|given| given.network.gated().unwrap().parameter(name).unwrap());
            let change = crate::math::matrix::relative_change(&a, &b);
            assert!((change / NOISE - 1.0).abs() < 0.25, "{name}: {change}");
        }
        let lambda = |given: &Specimen| given.network.gated().unwrap().lambda;
        assert_eq!(
            (lambda(&noisy), noisy.name.as_str()),
            (lambda(&plain), "Symmetric construction, d = 6, with noise")
        );
    }

    #[test]
    fn typed_numbers_are_read_or_refused() {
        assert_eq!(
            ["0.5", " −3 ", "1e-3", "2,5"].map(|text| number(text).unwrap()),
            [0.5, -3.0, 0.001, 2.5]
        );
        for text in ["", "abc", "NaN", "inf", "101", "1/2"] {
            assert!(
                number(text).unwrap_err().to_string().contains("a number from −100 to 100"),
                "{text}"
            );
        }
    }
}
