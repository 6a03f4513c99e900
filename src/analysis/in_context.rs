//! What a network trained on regression in context does (paper, section 5 and Table 2): its loss
//! beside that of one step of gradient descent on the same sequences, the coefficients of its
//! one-token polynomial beside η*, and the weights that it implies.

use super::polynomial::Places;
use crate::backend::{Backend as _, cpu::Cpu};
use crate::graph::{Graph, program::Program};
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::task::{Regression, Source, Task};
use crate::theory::gradient_step;
use crate::train::{optimizer, plan};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// Sequences of an in-context task.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequences {
    /// Tokens a sequence.
    pub time: usize,
    /// `[sequences · time, inputs]`
    pub tokens: Matrix,
    /// Of the query: `[sequences, d_y]`, or the class `[sequences, 1]`.
    pub targets: Matrix,
}

impl Sequences {
    /// Draws `count` sequences of `task`: number `part` of a series that training with `seed` never
    /// sees.
    pub fn draw(task: Task, count: usize, seed: u32, part: u32) -> Self {
        let time = task.tokens(0);
        let mut graph = Graph::new(count, time);
        let (x, y) = task.record(&mut graph);
        let (wide, narrow) = (graph.width(x), graph.width(y));
        let program = Program::forward(graph);
        let constants = task
            .constants(seed, Source::default())
            .into_iter()
            .filter_map(|(name, numbers)| Some((program.find(name)?, numbers)));
        let constants: Vec<_> = constants.collect();
        let mut cpu = Cpu::<f64>::new(program, 1, u64::MAX)
            .expect("one thread starts, and memory was not limited");
        constants.into_iter().for_each(|(buffer, numbers)| cpu.write(buffer, &numbers));
        cpu.set_clock(&optimizer::data_clock(plan::unseen(seed), part));
        cpu.forward();
        Self {
            time,
            tokens: Matrix::new(count * time, wide, cpu.read_exact(x.id())),
            targets: Matrix::new(count, narrow, cpu.read_exact(y.id())),
        }
    }

    /// N, the sequences.
    pub fn count(&self) -> usize {
        self.targets.rows
    }

    /// A sequence's tokens `[time, inputs]`, one after another.
    pub fn sequence(&self, index: usize) -> &[f64] {
        let len = self.time * self.tokens.columns;
        &self.tokens.data[index * len..(index + 1) * len]
    }

    /// The network's answers to the queries `[sequences, d_out]`.
    pub fn answers(&self, network: &Network) -> Matrix {
        let last: Vec<usize> = (0..self.count()).map(|i| (i + 1) * self.time - 1).collect();
        let states = network.states(&self.tokens, self.time).select_rows(&last);
        network.readout_of(&self.tokens.select_rows(&last), &states)
    }
}

/// Losses on the same sequences: half the mean squared error of an output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// The network's.
    pub network: f64,
    /// That of one step of gradient descent with the step size that is best for the training task.
    pub gradient_step: f64,
    /// That of answering 0.
    pub zero: f64,
    /// Standard error of the difference of the first two.
    pub standard_error: f64,
    /// How many sequences.
    pub sequences: usize,
}

/// Measures `network` on sequences of a regression, in parts; `trained_on` is the task that η* is
/// the best for.
pub fn losses<S: Borrow<Sequences>>(
    network: &Network,
    trained_on: Regression,
    parts: impl IntoIterator<Item = S>,
) -> Losses {
    let step_size = gradient_step::best_step_size(trained_on);
    let half_square = |a: &[f64], b: &[f64]| {
        0.5 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64
    };
    let (mut own, mut theirs, mut zero, mut squares, mut count) = (0.0, 0.0, 0.0, 0.0, 0);
    for part in parts {
        let sequences: &Sequences = part.borrow();
        let answers = sequences.answers(network);
        for i in 0..sequences.count() {
            let (target, tokens) = (sequences.targets.row(i), sequences.sequence(i));
            let weights = gradient_step::weights(trained_on, tokens, step_size);
            let (a, b) = (
                half_square(answers.row(i), target),
                half_square(&apply(&weights, query(trained_on, tokens)), target),
            );
            own += a;
            theirs += b;
            zero += half_square(&vec![0.0; target.len()], target);
            squares += (a - b) * (a - b);
        }
        count += sequences.count();
    }
    let n = count as f64;
    let mean = (own - theirs) / n;
    let variance = (squares / n - mean * mean).max(0.0);
    Losses {
        network: own / n,
        gradient_step: theirs / n,
        zero: zero / n,
        standard_error: (variance / n).sqrt(),
        sequences: count,
    }
}

/// The one-token polynomial of a regression network, like the paper's Table 2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficients {
    /// η*, what one step of gradient descent has in front of each x_i² y_k of output k, and
    /// nothing else.
    pub best_step_size: f64,
    /// The network's, `[d_y][d_x]`: of x_i² y_k in output k.
    pub wanted: Vec<Vec<f64>>,
    /// L2 norm of output k's other coefficients, `[d_y]`.
    pub rest: Vec<f64>,
    /// The same as a part of the norm that d_x coefficients η* have.
    pub rest_part: Vec<f64>,
    /// The largest of the others, over all outputs: output, exponents of (x, y), coefficient;
    /// falling, at most 12.
    pub largest_others: Vec<(usize, Vec<u8>, f64)>,
}

/// Most values per token for which the polynomial is worked out.
pub const MOST_INPUTS: usize = super::polynomial::MOST_INPUTS_ONE;

/// Collects the coefficients; `None` where the network is not one for `task`, or its tokens are
/// wider than [`MOST_INPUTS`].
pub fn coefficients(network: &Network, task: Regression) -> Option<Coefficients> {
    let Regression { inputs, outputs, .. } = task;
    if (network.inputs(), network.outputs()) != (inputs + outputs, outputs)
        || network.inputs() > MOST_INPUTS
    {
        return None;
    }
    let places = Places::new(inputs + outputs, &[0]);
    let polynomial = places.network(network);
    let best = gradient_step::best_step_size(task);
    let (mut wanted, mut rest, mut others) =
        (vec![vec![0.0; inputs]; outputs], vec![0.0; outputs], vec![]);
    for (k, row) in polynomial.iter_rows().enumerate() {
        for (monomial, &coefficient) in places.monomials.iter().zip(row) {
            let (x, y) = monomial.split_at(inputs);
            let is_answer = y.iter().enumerate().all(|(j, &e)| e == u8::from(j == k));
            match x.iter().position(|&e| e == 2) {
                Some(i) if is_answer && x.iter().sum::<u8>() == 2 => wanted[k][i] = coefficient,
                _ => {
                    rest[k] += coefficient * coefficient;
                    others.push((k, monomial.clone(), coefficient));
                }
            }
        }
    }
    others.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    others.truncate(12);
    let rest: Vec<f64> = rest.into_iter().map(f64::sqrt).collect();
    let rest_part = rest.iter().map(|norm| norm / (best * (inputs as f64).sqrt())).collect();
    Some(Coefficients { best_step_size: best, wanted, rest, rest_part, largest_others: others })
}

/// One sequence, as a picture shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// (x_t, y_t) of each pair, then (x_q, 0): `[T + 1][d_x + d_y]`.
    pub tokens: Vec<Vec<f64>>,
    /// W x_q
    pub target: Vec<f64>,
    /// The network's answer.
    pub answer: Vec<f64>,
    /// That of one step of gradient descent with η*.
    pub gradient_step_answer: Vec<f64>,
    /// The linear part, in the query, of the network's answer: `[d_y][d_x]`, from answers to ±
    /// each unit vector.
    pub implied_weights: Vec<Vec<f64>>,
    /// η* Σ y_t x_tᵀ `[d_y][d_x]`
    pub gradient_step_weights: Vec<Vec<f64>>,
}

/// The first of `sequences`; the weights are read off after its pairs.
pub fn episode(network: &Network, task: Regression, sequences: &Sequences) -> Episode {
    let (inputs, width) = (task.inputs, task.inputs + task.outputs);
    let tokens = sequences.sequence(0);
    let step = gradient_step::weights(task, tokens, gradient_step::best_step_size(task));
    // The pairs, each time followed by another query: its own, then ± each unit vector.
    let mut queries = vec![query(task, tokens).to_vec()];
    for i in 0..inputs {
        for sign in [1.0, -1.0] {
            queries.push((0..inputs).map(|j| if i == j { sign } else { 0.0 }).collect());
        }
    }
    let asked = |query: &Vec<f64>| -> Vec<f64> {
        [&tokens[..task.pairs * width], query, &vec![0.0; task.outputs]].concat()
    };
    let all: Vec<f64> = queries.iter().flat_map(asked).collect();
    let probes = Sequences {
        time: sequences.time,
        tokens: Matrix::new(queries.len() * sequences.time, width, all),
        targets: Matrix::zeros(queries.len(), task.outputs),
    };
    let answers = probes.answers(network);
    let implied = |k: usize| {
        (0..inputs).map(|i| 0.5 * (answers.at(1 + 2 * i, k) - answers.at(2 + 2 * i, k))).collect()
    };
    Episode {
        tokens: tokens.chunks_exact(width).map(<[f64]>::to_vec).collect(),
        target: sequences.targets.row(0).to_vec(),
        answer: answers.row(0).to_vec(),
        gradient_step_answer: apply(&step, query(task, tokens)),
        implied_weights: (0..task.outputs).map(implied).collect(),
        gradient_step_weights: step.chunks_exact(inputs).map(<[f64]>::to_vec).collect(),
    }
}

/// x_q of a sequence's tokens.
fn query(task: Regression, tokens: &[f64]) -> &[f64] {
    &tokens[task.pairs * (task.inputs + task.outputs)..][..task.inputs]
}

fn apply(weights: &[f64], x: &[f64]) -> Vec<f64> {
    weights.chunks_exact(x.len()).map(|row| crate::math::matrix::dot(row, x)).collect()
}
