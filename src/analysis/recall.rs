//! How a network recalls (paper, appendix D.3 and Figure 7): the answer split by what meets in the
//! output gates.
//!
//! At the query the state is h = λ ⊙ h_before + u: what was stored, and the query's own. An output
//! ŷ = D ((W_m h) ⊙ (W_x h)) is then a sum of stored × stored, stored × query and query × query.
//! Attention is stored × query alone. Comparing, −(stored − query)², needs the squares as well:
//! without them the answer is lost.

use super::in_context::Sequences;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::model::network::Gating;
use serde::{Deserialize, Serialize};

/// What the answers rest on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecallReading {
    /// Part of the queries that are answered right.
    pub accuracy: f64,
    /// Mean cross-entropy of the answers, in nats.
    pub loss: f64,
    /// Accuracy of stored × query alone: what attention would have.
    pub attention_accuracy: f64,
    /// Accuracy of stored × stored alone.
    pub stored_accuracy: f64,
    /// Root mean square of each part over the classes, its mean over classes taken out: stored ×
    /// stored, stored × query, query × query.
    pub sizes: [f64; 3],
    /// Which algorithm these numbers show.
    pub algorithm: Algorithm,
    /// How many sequences.
    pub sequences: usize,
}

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Products of what was stored with the query answer alone.
    Attention,
    /// The answer needs the squares of what was stored.
    Comparison,
    /// It does not recall.
    None,
}

/// Accuracy from which on a network recalls.
pub const RECALLS: f64 = 0.9;
/// Stored × query alone answers "as well" if it loses at most this much accuracy.
pub const LOSES: f64 = 0.05;

/// Splits the answers of `network` to `sequences` of the recall task.
pub fn recalled(network: &Network, sequences: &Sequences) -> RecallReading {
    let last: Vec<usize> = (0..sequences.count()).map(|i| (i + 1) * sequences.time - 1).collect();
    let x = sequences.tokens.select_rows(&last);
    let h = network.states(&sequences.tokens, sequences.time).select_rows(&last);
    let tokens = x.with_ones();
    let own = tokens
        .times_transposed(&network.input_m)
        .hadamard(&tokens.times_transposed(&network.input_x));
    let stored = minus(&h, &own);
    let parts: [Matrix; 3] = match &network.gating {
        Gating::Output { m, x } => {
            let [(stored_m, stored_x), (own_m, own_x)] =
                [&stored, &own].map(|h| (h.times_transposed(m), h.times_transposed(x)));
            let cross = plus(&stored_m.hadamard(&own_x), &own_m.hadamard(&stored_x));
            [stored_m.hadamard(&stored_x), cross, own_m.hadamard(&own_x)]
        }
        Gating::Side(side) => {
            let side = tokens.times_transposed(side);
            [Matrix::zeros(h.rows, h.columns), side.hadamard(&stored), side.hadamard(&own)]
        }
    }
    .map(|gates| gates.times_transposed(&network.readout));
    let logits = plus(&plus(&parts[0], &parts[1]), &parts[2]);
    let accuracy = accuracy(&logits, &sequences.targets);
    let [stored_accuracy, attention_accuracy] =
        [0, 1].map(|part| self::accuracy(&parts[part], &sequences.targets));
    let algorithm = match () {
        () if accuracy < RECALLS => Algorithm::None,
        () if attention_accuracy >= accuracy - LOSES => Algorithm::Attention,
        () => Algorithm::Comparison,
    };
    RecallReading {
        accuracy,
        loss: cross_entropy(&logits, &sequences.targets),
        attention_accuracy,
        stored_accuracy,
        sizes: [0, 1, 2].map(|part| spread(&parts[part])),
        algorithm,
        sequences: sequences.count(),
    }
}

/// One sequence, as a picture shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// Key and value of each stored pair, in the order of their arrival.
    pub pairs: Vec<[usize; 2]>,
    /// The key that is asked for.
    pub query: usize,
    /// The value that is asked for.
    pub target: usize,
    /// ŷ `[V]`, before softmax.
    pub logits: Vec<f64>,
    /// What each gate (with side gating: neuron) adds to each class's logit `[V][m]`.
    pub shares: Vec<Vec<f64>>,
    /// The gate that most favours the right class over the mean of the others.
    pub answering: Option<usize>,
}

/// The first of `sequences`.
pub fn episode(network: &Network, sequences: &Sequences) -> Episode {
    let classes = network.outputs();
    let width = sequences.tokens.columns;
    let hot = |part: &[f64]| part.iter().position(|v| *v > 0.5).unwrap_or(0);
    let tokens: Vec<&[f64]> = sequences.sequence(0).chunks_exact(width).collect();
    let (query, stored) = tokens.split_last().expect("a sequence has a query");
    let target = sequences.targets.at(0, 0) as usize;
    let x = Matrix::new(1, width, query.to_vec());
    let states = network.states(
        &Matrix::new(sequences.time, width, sequences.sequence(0).to_vec()),
        sequences.time,
    );
    let gates = network.gated(&x, &states.select_rows(&[sequences.time - 1]));
    let shares: Vec<Vec<f64>> = network
        .readout
        .iter_rows()
        .map(|row| row.iter().zip(gates.row(0)).map(|(d, g)| d * g).collect())
        .collect();
    let favour = |gate: usize| {
        let others = shares
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != target)
            .map(|(_, row)| row[gate])
            .sum::<f64>();
        shares[target][gate] - others / (classes - 1).max(1) as f64
    };
    Episode {
        pairs: stored
            .iter()
            .map(|token| [hot(&token[..classes]), hot(&token[classes..])])
            .collect(),
        query: hot(&query[..classes]),
        target,
        logits: shares.iter().map(|row| row.iter().sum()).collect(),
        answering: (0..network.gates())
            .max_by(|&a, &b| favour(a).total_cmp(&favour(b)))
            .filter(|&gate| favour(gate) > 0.0),
        shares,
    }
}

fn plus(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::new(a.rows, a.columns, a.data.iter().zip(&b.data).map(|(a, b)| a + b).collect())
}

fn minus(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::new(a.rows, a.columns, a.data.iter().zip(&b.data).map(|(a, b)| a - b).collect())
}

/// Part of the rows whose largest entry, alone, is at their class.
fn accuracy(logits: &Matrix, classes: &Matrix) -> f64 {
    let right = |(row, class): (&[f64], f64)| {
        let own = row[class as usize];
        row.iter().enumerate().all(|(k, &other)| k == class as usize || other < own)
    };
    logits.iter_rows().zip(classes.column(0)).filter(|pair| right(*pair)).count() as f64
        / logits.rows as f64
}

fn cross_entropy(logits: &Matrix, classes: &Matrix) -> f64 {
    let loss = |row: &[f64], class: f64| {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter().map(|v| (v - largest).exp()).sum::<f64>().ln() - (row[class as usize] - largest)
    };
    logits.iter_rows().zip(classes.column(0)).map(|(row, class)| loss(row, class)).sum::<f64>()
        / logits.rows as f64
}

/// Root mean square of the entries once each row's mean is taken out, to which softmax is blind.
fn spread(logits: &Matrix) -> f64 {
    let row = |row: &[f64]| {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    (logits.iter_rows().map(row).sum::<f64>() / logits.data.len() as f64).sqrt()
}
