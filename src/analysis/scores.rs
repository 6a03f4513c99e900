//! Score KV and Score Q (paper.md, section 4.3): how well the teacher's key-value matrix and query
//! are read off the states by a linear map with intercept. 1 − R², pooled over entries: 0 is
//! perfect.
//!
//! Two bases. Attention: S_t = Σ v_s k_sᵀ and q_t. Symmetric: Σ (W_V x_s)(W_V x_s)ᵀ and W_V^{-ᵀ}
//! W_Kᵀ W_Q x_t. Where all matrices are invertible each is a linear image of the other, so both fit
//! or neither: only the number of key-value neurons tells the codes apart.

use super::importance::Role;
use super::words::significant;
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::model::network::Gating;
use crate::task::Teacher;
use serde::{Deserialize, Serialize};

/// Reading the teacher's key-value matrix and query off the states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Targets S_t = Σ v kᵀ and q_t.
    pub attention: Basis,
    /// Targets Σ (W_V x)(W_V x)ᵀ and W_V^{-ᵀ} W_Kᵀ W_Q x; `None` where W_V is singular.
    pub symmetric: Option<Basis>,
    /// Which basis the states are in.
    pub fits: Fit,
}

/// Scores for one pair of targets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Basis {
    /// From the λ ≈ 1 neurons; `None` if there are none.
    pub key_value: Option<Score>,
    /// From the λ ≈ 0 neurons (side gating: from the side gates); `None` if there are none.
    pub query: Option<Score>,
}

/// A least-squares map with intercept.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Score {
    /// 1 − R², pooled over the entries; 0 is perfect.
    pub value: f64,
    /// (true, reconstructed) of some entries of some tokens, for a picture; at most 400.
    pub points: Vec<[f32; 2]>,
}

/// Which basis the states are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// S_t and q_t.
    Attention,
    /// The symmetric ones.
    Symmetric,
    /// Both: each is a linear image of the other.
    Both,
    /// Neither of the two.
    Neither,
}

/// A basis fits if both its scores are at most this.
pub const FITS: f64 = 1e-3;
/// Neurons whose remainder is below this part of the largest are combinations of the others; above
/// f64 rounding of a few thousand rows.
const DEPENDENT: f64 = 1e-12;
/// Points for the picture.
const POINTS: usize = 400;
/// Numbers in a target above which fewer sequences are used, if they are enough.
const MANY_NUMBERS: usize = 1 << 21;
/// Most numbers in a target.
const MOST_NUMBERS: usize = 1 << 22;
/// Rows for each thing that is fitted: below that a fit says little of what it was not fitted on,
/// and there is no score.
const ROWS: usize = 4;
/// A matrix whose smallest singular value is below this part of its largest is called nearly
/// singular.
const NEARLY_SINGULAR: f64 = 0.02;

/// Scores of `network`, whose neurons have these `roles` (unused ones are left out), on sequences x
/// `[batch · time, d]`. The states are those of the whole network: a diagonal recurrence keeps
/// neurons apart. With side gating the query is read from the side gates W^side x̃ of the neurons in
/// use.
pub fn score_on(
    network: &Network,
    roles: &[Role],
    teacher: &Teacher,
    x: &Matrix,
    time: usize,
) -> Scores {
    let d = teacher.dim;
    let sequences = sequences_for(roles, d, x.rows, time);
    let x = &Matrix::new(sequences * time, d, x.data[..sequences * time * d].to_vec());
    let states = network.states(x, time);
    let with_role =
        |role: Role| -> Vec<usize> { (0..roles.len()).filter(|&i| roles[i] == role).collect() };
    let memory = states.select_columns(&with_role(Role::KeyValue));
    let query = match &network.gating {
        Gating::Output { .. } => states.select_columns(&with_role(Role::Query)),
        Gating::Side(side) => {
            let used: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] != Role::Unused).collect();
            x.with_ones().times_transposed(&side.select_rows(&used))
        }
    };
    let (memory, query) = (Predictor::new(&memory), Predictor::new(&query));
    let square = |data: &[f64]| Matrix::new(d, d, data.to_vec());
    let (w_v, w_k, w_q) = (square(&teacher.value), square(&teacher.key), square(&teacher.query));
    let project = |weights: &Matrix| x.times_transposed(weights);
    let values = project(&w_v);
    let attention = Basis {
        key_value: memory.score(&sums_of_products(&values, &project(&w_k), time)),
        query: query.score(&project(&w_q)),
    };
    let symmetric = linear::inverse(&w_v).map(|inverse| Basis {
        key_value: memory.score(&sums_of_products(&values, &values, time)),
        query: query.score(&project(&inverse.transpose().times(&w_k.transpose()).times(&w_q))),
    });
    let fits = |basis: &Basis| {
        [&basis.key_value, &basis.query]
            .iter()
            .all(|score| score.as_ref().is_some_and(|score| score.value <= FITS))
    };
    let fits = match (fits(&attention), symmetric.as_ref().is_some_and(fits)) {
        (true, true) => Fit::Both,
        (true, false) => Fit::Attention,
        (false, true) => Fit::Symmetric,
        (false, false) => Fit::Neither,
    };
    Scores { attention, symmetric, fits }
}

/// How many of the sequences in `rows` are used: fewer for wide teachers, but [`ROWS`] rows for
/// each neuron where that is affordable.
fn sequences_for(roles: &[Role], d: usize, rows: usize, time: usize) -> usize {
    let numbers = time * d * d;
    let count = |role: Role| roles.iter().filter(|&&r| r == role).count();
    let wanted = (ROWS * (count(Role::KeyValue).max(count(Role::Query)) + 1)).div_ceil(time);
    (rows / time).min((MANY_NUMBERS / numbers).max(wanted.min(MOST_NUMBERS / numbers)).max(1))
}

/// Σ_{s≤t} a_s b_sᵀ, flattened: `[batch · time, d²]`.
fn sums_of_products(a: &Matrix, b: &Matrix, time: usize) -> Matrix {
    let d = a.columns;
    let mut sums = Matrix::from_fn(a.rows, d * d, |row, i| a.at(row, i / d) * b.at(row, i % d));
    for row in (0..a.rows).filter(|row| row % time != 0) {
        let (before, now) = sums.data.split_at_mut(row * d * d);
        now.iter_mut().zip(&before[(row - 1) * d * d..]).for_each(|(now, before)| *now += before);
    }
    sums
}

/// Neurons to read from: an orthonormal basis of their centred states.
struct Predictor {
    /// `[rank, rows]`; `None` without neurons.
    basis: Option<Matrix>,
}

impl Predictor {
    /// From states `[rows, neurons]`.
    fn new(states: &Matrix) -> Self {
        let mut rows = states.transpose();
        for i in 0..rows.rows {
            let row = rows.row_mut(i);
            let mean = mean(row);
            row.iter_mut().for_each(|v| *v -= mean);
            let size = crate::math::matrix::norm(row);
            row.iter_mut().for_each(|v| *v /= if size > 0.0 { size } else { 1.0 });
        }
        let most = rows.columns;
        Self { basis: (rows.rows > 0).then(|| linear::span(&rows, DEPENDENT, most).basis) }
    }

    /// 1 − R² of `targets [rows, entries]`; `None` without neurons, with less than [`ROWS`] rows
    /// for each of their directions (and the intercept), or if the targets do not vary.
    fn score(&self, targets: &Matrix) -> Option<Score> {
        let basis = self.basis.as_ref().filter(|basis| targets.rows >= ROWS * (basis.rows + 1))?;
        let means: Vec<f64> = targets.transpose().iter_rows().map(mean).collect();
        let centred =
            Matrix::from_fn(targets.rows, targets.columns, |i, j| targets.at(i, j) - means[j]);
        let total: f64 = centred.data.iter().map(|v| v * v).sum();
        if total == 0.0 {
            return None;
        }
        let fitted = basis.transpose().times(&basis.times(&centred)); // [rows, entries]
        let rest: f64 = centred.data.iter().zip(&fitted.data).map(|(c, f)| (c - f).powi(2)).sum();
        let step = targets.data.len().div_ceil(POINTS) | 1; // odd, to meet all entries
        let point =
            |i: usize| [targets.data[i], fitted.data[i] + means[i % targets.columns]].map(narrow);
        Some(Score {
            value: rest / total,
            points: (0..targets.data.len()).step_by(step).map(point).collect(),
        })
    }
}

/// What has to be known to read the scores, which were made of these `roles` on `rows` tokens in
/// sequences of `time`: in words, for [`super::dissection::Dissection::notes`].
pub fn notes(
    scores: &Scores,
    teacher: &Teacher,
    roles: &[Role],
    [rows, time]: [usize; 2],
    is_side: bool,
) -> Vec<String> {
    let mut notes = vec![];
    let count = |role: fn(Role) -> bool| roles.iter().filter(|&&r| role(r)).count();
    let run = sequences_for(roles, teacher.dim, rows, time) * time;
    let too_few = |count: usize| {
        (ROWS * (count + 1) > run).then(|| {
            format!(
                "reading it off {count} neurons takes {} tokens, and {run} were run: more sequences are needed",
                ROWS * (count + 1)
            )
        })
    };
    if scores.fits == Fit::Both {
        notes.push("Both bases fit: S_t is a linear image of Σ x xᵀ, so linear decoding cannot tell the naive from the symmetric code; the number of key-value neurons can.".into());
    }
    if scores.attention.key_value.is_none() {
        let why = too_few(count(|r| r == Role::KeyValue)).unwrap_or(
            "no neuron in use has λ above 0.9, or the teacher's key-value matrix does not vary"
                .into(),
        );
        notes.push(format!("There is no Score KV: {why}."));
    }
    if scores.attention.query.is_none() {
        let readers =
            if is_side { count(|r| r != Role::Unused) } else { count(|r| r == Role::Query) };
        let none =
            if is_side { "no side gate is in use" } else { "no neuron in use has λ below 0.1" };
        let why = too_few(readers)
            .unwrap_or_else(|| format!("{none}, or the teacher's query does not vary"));
        notes.push(format!("There is no Score Q: {why}."));
    }
    if scores.symmetric.is_none() {
        notes.push("W_V is singular: the symmetric basis does not exist.".into());
    }
    if is_side {
        notes.push(
            "Side gating: the query is read from the side gates' activations, not from states."
                .into(),
        );
    }
    let d = teacher.dim;
    let matrix = |data: &[f64]| Matrix::new(d, d, data.to_vec());
    let key_query = matrix(&teacher.key).transpose().times(&matrix(&teacher.query));
    for (name, matrix) in [
        ("W_V", matrix(&teacher.value)),
        ("W_K", matrix(&teacher.key)),
        ("W_Q", matrix(&teacher.query)),
        ("W_Kᵀ W_Q", key_query),
    ] {
        let values = linear::svd(&matrix).values;
        if values
            .last()
            .zip(values.first())
            .is_some_and(|(last, first)| *last <= NEARLY_SINGULAR * first)
        {
            let listed: Vec<String> = values.iter().map(|&v| significant(v)).collect();
            notes.push(format!("The teacher's {name} is nearly singular (singular values {}): the outputs need less than all of S_t and q_t, so a score can be bad in a perfect network.", listed.join(", ")));
        }
    }
    notes
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn narrow(value: f64) -> f32 {
    value as f32
}
