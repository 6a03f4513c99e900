//! The user's test sequences: what a network gets wrong on data that it was not trained on, beside
//! what it gets wrong on as many sequences that it was trained on, in all, at each output and at
//! each time step.

use super::words::part;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::task::Arrays;
use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Sets<'a> {
    /// Never trained on.
    pub test: &'a Arrays,
    /// Trained on: the same number of these is measured.
    pub train: &'a Arrays,
    /// The test is the file's end, not a part drawn at random.
    pub in_order: bool,
}

/// Squared errors and what they are measured against.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Size {
    /// Mean (weighted, where time steps have weights) squared error.
    pub loss: f64,
    /// Mean squared target, likewise.
    pub power: f64,
}

/// Errors on a set of sequences.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Errors {
    /// Over all of them.
    pub size: Size,
    /// How many sequences.
    pub sequences: usize,
    /// Standard error of the loss, from how it differs between sequences; `None` of fewer than
    /// [`FEW`] sequences.
    pub standard_error: Option<f64>,
}

/// A test sequence and the network's answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// `[T, d]`
    pub x: Vec<f32>,
    /// `[steps, d_out]`, of the last time steps.
    pub y: Vec<f32>,
    /// ŷ `[T, d_out]`
    pub answers: Vec<f32>,
    /// `[steps]`; `None` where all count the same.
    pub weight: Option<Vec<f32>>,
}

/// All that is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestReport {
    /// On the test sequences.
    pub test: Errors,
    /// On as many of the sequences that it was trained on.
    pub train: Errors,
    /// Of each output, on the test.
    pub outputs: Vec<Size>,
    /// Of each of the T time steps, over the test sequences where it counts; `None` where it
    /// counts in none.
    pub steps: Vec<Option<Size>>,
    /// The first test sequences.
    pub shown: Vec<Example>,
    /// As in [`Sets`].
    pub in_order: bool,
}

/// Sequences that are run at most.
pub const MOST: usize = 1024;
/// Multiplications for them, about.
const WORK: f64 = 1e9;
/// Numbers in a matrix while they run.
const PIECE: usize = 1 << 20;
/// Numbers in the sequences that are shown.
const SHOWN: usize = 1 << 15;
/// Fewer sequences say nothing about chance.
pub const FEW: usize = 8;
/// Differences of up to so many standard errors are what chance makes, and those of so many are not
/// chance.
const CHANCE: [f64; 2] = [2.0, 3.0];

/// Runs `network` on the first sequences of each set; `None` if there is none for the test, or they
/// do not fit.
pub fn measure(network: &Network, sets: Sets<'_>) -> Option<TestReport> {
    let Arrays { time, inputs, outputs, .. } = *sets.test;
    let count = sets.test.sequences.min(affordable(network, sets.test));
    if count == 0 || (network.inputs(), network.outputs()) != (inputs, outputs) {
        return None;
    }
    let test = Sums::of(network, sets.test, count);
    let train = Sums::of(network, sets.train, count.min(sets.train.sequences));
    Some(TestReport {
        test: test.errors(),
        train: train.errors(),
        outputs: test.outputs.iter().map(|sum| sum.over(count * sets.test.steps)).collect(),
        steps: (0..time).map(|t| test.step(t + sets.test.steps, time, outputs)).collect(),
        shown: shown(network, sets.test, count),
        in_order: sets.in_order,
    })
}

/// How many sequences are run: at least one.
fn affordable(network: &Network, arrays: &Arrays) -> usize {
    let (n, m) = (network.hidden() as f64, network.gates() as f64);
    let each = arrays.time as f64 * 2.0 * n * (network.inputs() + 1) as f64
        + arrays.steps as f64 * m * (2.0 * n + network.outputs() as f64);
    ((WORK / each.max(1.0)) as usize).clamp(1, MOST)
}

/// Sums over sequences.
struct Sums {
    /// The mean over steps and outputs of each sequence.
    sequences: Vec<Size>,
    outputs: Vec<Size>,
    /// Of the steps that count.
    steps: Vec<Size>,
    /// Sum of the weights of those.
    weights: Vec<f64>,
}

impl Size {
    fn add(&mut self, other: Self) {
        self.loss += other.loss;
        self.power += other.power;
    }

    fn over(self, count: usize) -> Self {
        Self { loss: self.loss / count as f64, power: self.power / count as f64 }
    }

    /// The loss as a part of the targets' mean square; `None` where those are all zero.
    pub fn nmse(&self) -> Option<f64> {
        (self.power > 0.0).then(|| self.loss / self.power)
    }
}

impl Sums {
    fn of(network: &Network, arrays: &Arrays, count: usize) -> Self {
        let Arrays { time, inputs, outputs, steps, .. } = *arrays;
        let mut sums = Self {
            sequences: vec![],
            outputs: vec![Size::default(); outputs],
            steps: vec![Size::default(); steps],
            weights: vec![0.0; steps],
        };
        let widest = network.hidden().max(network.gates()).max(inputs + 1);
        let piece = (PIECE / (time * widest).max(1)).max(1);
        for first in (0..count).step_by(piece) {
            let here = piece.min(count - first);
            let x = tokens(arrays, first, here);
            let kept: Vec<usize> =
                (0..here * time).filter(|row| row % time >= time - steps).collect();
            let answers = network
                .readout_of(&x.select_rows(&kept), &network.states(&x, time).select_rows(&kept));
            for sequence in 0..here {
                let mut own = Size::default();
                for step in 0..steps {
                    let row = (first + sequence) * steps + step;
                    let weight =
                        arrays.weight.as_ref().map_or(1.0, |weight| f64::from(weight[row]));
                    sums.weights[step] += weight;
                    for (k, (answer, y)) in answers
                        .row(sequence * steps + step)
                        .iter()
                        .zip(&arrays.y[row * outputs..])
                        .enumerate()
                    {
                        let y = f64::from(*y);
                        let size =
                            Size { loss: weight * (answer - y).powi(2), power: weight * y * y };
                        own.add(size);
                        sums.outputs[k].add(size);
                        sums.steps[step].add(size);
                    }
                }
                sums.sequences.push(own.over(steps * outputs));
            }
        }
        sums
    }

    fn errors(&self) -> Errors {
        let count = self.sequences.len();
        let mut sum = Size::default();
        self.sequences.iter().for_each(|size| sum.add(*size));
        let size = sum.over(count.max(1));
        let squares: f64 = self.sequences.iter().map(|own| (own.loss - size.loss).powi(2)).sum();
        let standard_error =
            (count >= FEW).then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        Errors { size, sequences: count, standard_error }
    }

    /// Of time step `later` − steps of `time`, where all before the last `steps` count nowhere.
    fn step(&self, later: usize, time: usize, outputs: usize) -> Option<Size> {
        let step = later.checked_sub(time)?;
        let weight = self.weights[step] * outputs as f64;
        (weight > 0.0).then(|| Size {
            loss: self.steps[step].loss / weight,
            power: self.steps[step].power / weight,
        })
    }
}

/// x of `count` sequences `[count · T, d]`.
fn tokens(arrays: &Arrays, first: usize, count: usize) -> Matrix {
    let each = arrays.time * arrays.inputs;
    Matrix::new(
        count * arrays.time,
        arrays.inputs,
        arrays.x[first * each..(first + count) * each].iter().copied().map(f64::from).collect(),
    )
}

fn shown(network: &Network, arrays: &Arrays, count: usize) -> Vec<Example> {
    let Arrays { time, inputs, outputs, steps, .. } = *arrays;
    let each = time * (inputs + outputs) + steps * (outputs + 1);
    let count = count.min((SHOWN / each.max(1)).max(1));
    let part = |all: &[f32], i: usize, each: usize| all[i * each..(i + 1) * each].to_vec();
    let one = |i: usize| Example {
        x: part(&arrays.x, i, time * inputs),
        y: part(&arrays.y, i, steps * outputs),
        answers: network
            .outputs_of(&tokens(arrays, i, 1), time)
            .data
            .iter()
            .map(|&v| v as f32)
            .collect(),
        weight: arrays.weight.as_ref().map(|weight| part(weight, i, steps)),
    };
    (0..count).map(one).collect()
}

impl Example {
    /// How much time step `t` of `time` counts, 0 for not at all.
    pub fn weight_at(&self, t: usize, [time, steps]: [usize; 2]) -> f32 {
        match (t + steps).checked_sub(time) {
            None => 0.0,
            Some(step) => {
                self.weight.as_ref().map_or(1.0, |weight| weight.get(step).copied().unwrap_or(0.0))
            }
        }
    }
}

impl TestReport {
    /// The numbers in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let Errors { size, sequences, .. } = self.test;
        if !size.loss.is_finite() {
            return vec![format!("On {sequences} test sequences its loss is not a number.")];
        }
        let nmse = size.nmse().map_or_else(String::new, |nmse| format!(", nMSE {nmse:.2e}"));
        [format!("On {sequences} test sequences its loss is {:.3e}{nmse}.", size.loss)]
            .into_iter()
            .chain(self.overfitting())
            .collect()
    }

    /// How the training sequences compare; `None` where their loss is not a number.
    fn overfitting(&self) -> Option<String> {
        let Errors { size: Size { loss, .. }, sequences, .. } = self.train;
        let difference = self.test.size.loss - loss;
        if !loss.is_finite() || sequences == 0 {
            return None;
        }
        let said = format!("On {sequences} of its training sequences it is {loss:.3e}");
        let (Some(a), Some(b)) = (self.test.standard_error, self.train.standard_error) else {
            return Some(format!(
                "{said}; of so few sequences that does not tell over-fitting from chance."
            ));
        };
        let errors = difference / a.hypot(b);
        Some(match () {
            () if difference == 0.0
                || errors.abs() < CHANCE[0]
                || -CHANCE[1] < errors && errors < 0.0 =>
            {
                format!(
                    "{said}, no further apart than by chance ({:.1} standard errors): no sign of over-fitting.",
                    if difference == 0.0 { 0.0 } else { errors.abs() }
                )
            }
            () if errors.abs() < CHANCE[1] => format!(
                "{said}, less than on the test's by {errors:.1} standard errors: that can be over-fitting, or chance."
            ),
            () if difference < 0.0 => {
                format!(
                    "{said}, more than on the test's ({:.0} standard errors): the test's are easier for it, and over-fitting does not show.",
                    -errors
                )
            }
            () => {
                let why = if self.in_order {
                    "it over-fits, or the end of the file is harder"
                } else {
                    "it over-fits by that much"
                };
                format!(
                    "{said}, {} less than on the test's ({errors:.0} standard errors): {why}.",
                    part(difference / self.test.size.loss)
                )
            }
        })
    }
}
