//! Score KV and Score Q for any layer (paper, section 4.3): how well a linear map with intercept
//! reads the teacher's key-value matrix S_t = Σ v_s k_sᵀ and query q_t off all that the layer
//! carries from token to token (LSTM: h and c; LRU: real and imaginary parts of every layer). 1 −
//! R², pooled over entries, on sequences that the map was not fitted on: 0 is perfect.
//!
//! A query need not be in any state: an LSTM's output gate, a GRU's reset gate, an LRU's GLU and a
//! side gate read it from the token. So it is looked for there too. As in [`super::scores`], linear
//! decoding can't tell S_t from Σ (W_V x)(W_V x)ᵀ where all of the teacher's matrices are
//! invertible.

use super::least_squares::{Fit, unexplained};
use super::subject::Subject;
use crate::math::matrix::Matrix;
use crate::model::run::ModelWeights;
use crate::theory::attention;
use serde::{Deserialize, Serialize};

/// Sequences to fit on, unless the states are many; and as many to try on.
const SEQUENCES: usize = 64;
/// Rows to fit on for each number that is fitted with.
const ROWS: usize = 4;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Decoding {
    /// 1 − R² of S_t from the states; `None` where it does not vary.
    pub key_value: Option<f64>,
    /// 1 − R² of q_t from the states.
    pub query: Option<f64>,
    /// 1 − R² of q_t from the gates that read the token; `None` where there are none.
    pub query_in_gates: Option<f64>,
    /// Numbers in the states.
    pub states: usize,
    /// How many of them are linearly independent.
    pub independent: usize,
    /// Tokens that were fitted on, and as many that were tried.
    pub tokens: usize,
}

/// Runs `network` on sequences of the subject and fits; `None` for attention, which keeps no state.
pub fn decode(network: &ModelWeights<'_>, subject: &Subject<'_>, seed: u32) -> Option<Decoding> {
    let (states, gates) =
        (network.architecture.state_buffers(), network.architecture.gate_buffers());
    if states.is_empty() {
        return None;
    }
    let names: Vec<String> = states.iter().chain(&gates).cloned().collect();
    let time = subject.time();
    let numbers: usize = network
        .buffers::<f64>(&Matrix::zeros(time, network.inputs), time, &names)
        .iter()
        .map(|buffer| buffer.columns)
        .sum();
    let sequences = SEQUENCES.max((ROWS * (numbers + 1)).div_ceil(time));
    let x = subject.tokens(2 * sequences, seed);
    let mut buffers = network.buffers::<f64>(&x, time, &names);
    let gates = beside(&buffers.split_off(states.len()));
    let states = beside(&buffers);
    let teacher = subject.teacher();
    let moments: Vec<_> = (0..2 * sequences)
        .flat_map(|i| {
            attention::unroll(
                &teacher,
                &x.select_rows(&(i * time..(i + 1) * time).collect::<Vec<_>>()),
            )
        })
        .collect();
    let memory = Matrix::from_rows(
        &moments.iter().map(|moment| &moment.memory.data[..]).collect::<Vec<_>>(),
    );
    let query =
        Matrix::from_rows(&moments.iter().map(|moment| &moment.query[..]).collect::<Vec<_>>());
    let fitted = sequences * time;
    let from_states = Fit::new(&half(&states, fitted, 0), true);
    Some(Decoding {
        key_value: tried(&from_states, &states, &memory, fitted),
        query: tried(&from_states, &states, &query, fitted),
        query_in_gates: (gates.columns > 0).then(|| held_out(&gates, &query, fitted)).flatten(),
        states: states.columns,
        independent: from_states.rank(),
        tokens: fitted,
    })
}

/// 1 − R² of `targets [rows, entries]` from `features [rows, columns]` on the rows from `fitted`
/// on, by the map that is best on those before; `None` where the targets do not vary.
pub fn held_out(features: &Matrix, targets: &Matrix, fitted: usize) -> Option<f64> {
    tried(&Fit::new(&half(features, fitted, 0), true), features, targets, fitted)
}

fn tried(fit: &Fit, features: &Matrix, targets: &Matrix, fitted: usize) -> Option<f64> {
    unexplained(
        &fit.solve(&half(targets, fitted, 0)).of(&half(features, fitted, 1)),
        &half(targets, fitted, 1),
    )
}

/// The rows before `at`, or those from it on.
fn half(matrix: &Matrix, at: usize, part: usize) -> Matrix {
    let range = if part == 0 { 0..at } else { at..matrix.rows };
    Matrix::new(
        range.len(),
        matrix.columns,
        matrix.data[range.start * matrix.columns..range.end * matrix.columns].to_vec(),
    )
}

/// The columns of all of them, one after another.
fn beside(matrices: &[Matrix]) -> Matrix {
    let rows = matrices.first().map_or(0, |matrix| matrix.rows);
    let data = (0..rows)
        .flat_map(|row| matrices.iter().flat_map(move |matrix| matrix.row(row)))
        .copied()
        .collect();
    Matrix::new(rows, matrices.iter().map(|matrix| matrix.columns).sum(), data)
}
