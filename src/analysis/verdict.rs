//! "Is this attention?", answered from measured numbers only: how far the function is from the teacher's, and how many neurons of which
//! kind carry it. Without a teacher, only the form of the polynomial can be judged.

use super::batch::Batch;
use super::dissection::{Stage, Verdict};
use super::functions::input_functions;
use super::importance::Role;
use super::words::{counted, part, sentence};
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::model::network::Gating;
use crate::task::Teacher;

/// Outputs on fresh sequences may differ from the teacher's by this much; relative RMS.
pub const SAME_OUTPUTS: f64 = 0.02;
/// Polynomials may differ from the teacher's by this much.
pub const SAME_POLYNOMIAL: f64 = 0.05;
/// Outputs that differ by no more than this are called close; likewise coefficients outside the form.
const CLOSE: f64 = 0.2;
/// Coefficients outside the form of attention may have this part of the norm.
pub const SAME_FORM: f64 = 0.02;
/// Singular values of the teacher below this part of the largest are not counted as needed.
const NEEDED: f64 = 0.02;

/// What is known of the function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    /// There is a teacher.
    Compared {
        /// Relative RMS of ŷ − y on fresh sequences; `None` if the teacher is zero.
        error: Option<f64>,
        /// The largest of the one-, two- and three-token distances, and how many tokens the last has; `None` where too large to compute.
        distance: Option<(f64, usize)>,
    },
    /// There is none; the part of the coefficients that is outside the form of attention, and in how many tokens; `None` where too large, or all zero.
    Alone(Option<(f64, usize)>),
}

/// Relative RMS of `outputs` against the teacher's on the batch; `None` if the teacher is zero there.
pub fn teacher_error(batch: &Batch, teacher: &Teacher) -> Option<f64> {
    let outputs: Vec<f64> = batch.x.data.chunks_exact(batch.time * teacher.dim).flat_map(|x| teacher_outputs(teacher, x)).collect();
    let outputs = Matrix::new(batch.outputs.rows, teacher.dim, outputs);
    (outputs.norm() > 0.0).then(|| batch.outputs.relative_change(&outputs))
}

/// y of one sequence x `[time, d]`, flat.
fn teacher_outputs(teacher: &Teacher, x: &[f64]) -> Vec<f64> {
    let (weights, values) = teacher.attention(x); // k_s · q_t [T, T]; v_s [T, d]
    let time = x.len() / teacher.dim;
    Matrix::new(time, time, weights).times(&Matrix::new(time, teacher.dim, values)).data
}

/// How many key-value and query neurons output gating needs for this teacher: the dimension of all (row of W_V)(left singular
/// vector of W_Kᵀ W_Q), which is d·r − r(r−1)/2 for an invertible W_V and rank r, and r. Singular values below 2 % are left out.
pub fn needed(teacher: &Teacher) -> (usize, usize) {
    let d = teacher.dim;
    let matrix = |data: &[f64]| Matrix::new(d, d, data.to_vec());
    let key_query = linear::svd(&matrix(&teacher.key).transpose().times(&matrix(&teacher.query)));
    let rank = key_query.rank(NEEDED);
    let value = linear::svd(&matrix(&teacher.value));
    let with_zero = |row: Vec<f64>| [row, vec![0.0]].concat();
    let pairs: Vec<(usize, usize)> = (0..value.rank(NEEDED)).flat_map(|a| (0..rank).map(move |b| (a, b))).collect();
    let rows = |f: &dyn Fn(&(usize, usize)) -> Vec<f64>| Matrix::new(pairs.len(), d + 1, pairs.iter().flat_map(|pair| with_zero(f(pair))).collect());
    let products = Network {
        input_m: rows(&|&(a, _)| value.v_t.row(a).to_vec()),
        input_x: rows(&|&(_, b)| key_query.u.column(b).collect()),
        lambda: vec![1.0; pairs.len()],
        gating: Gating::Side(Matrix::zeros(pairs.len(), d + 1)),
        readout: Matrix::zeros(d, pairs.len()),
    };
    (linear::span(&input_functions(&products), 1e-6, usize::MAX).kept.len(), rank)
}

/// The verdict; `stages` as in the dissection.
pub fn judge(stages: &[Stage], threshold: f64, function: Function, needed: Option<(usize, usize)>) -> Verdict {
    let (raw, minimal) = (&stages[0], &stages[stages.len() - 1]);
    let carried = carriers(raw, minimal, threshold);
    let short = needed.and_then(|needed| shortage(raw, minimal, needed));
    match function {
        Function::Compared { error: None, .. } => verdict(false, "The teacher's outputs are all zero: there is nothing to compare with.", format!("{carried}.")),
        Function::Compared { error: Some(error), distance } => compared(error, distance, carried, short),
        Function::Alone(outside) => alone(outside, carried),
    }
}

fn compared(error: f64, distance: Option<(f64, usize)>, carried: String, short: Option<String>) -> Verdict {
    let far = distance.map_or(0.0, |(distance, _)| distance);
    let is_attention = error <= SAME_OUTPUTS && far <= SAME_POLYNOMIAL;
    let headline = match () {
        () if is_attention => "This is linear attention.",
        () if error <= CLOSE => "This is close to linear attention, but not there.",
        () => "This is not linear attention (yet).",
    };
    let expanded = match distance {
        Some((distance, tokens)) => format!(", its polynomials in up to {} by {}", counted(tokens, "token"), part(distance)),
        None => String::new(),
    };
    let function = format!("the outputs differ from the teacher's by {} on fresh sequences{expanded}", part(error));
    let short = short.map(|text| if is_attention { String::new() } else { format!(" {text}") }).unwrap_or_default();
    verdict(is_attention, headline, format!("{carried}; {function}.{short}"))
}

fn alone(outside: Option<(f64, usize)>, carried: String) -> Verdict {
    match outside {
        None => verdict(false, "Without a teacher, nothing can be said about this function.", format!("{carried}; its polynomial is zero or too large to expand.")),
        Some((share, tokens)) => {
            let is_attention = share <= SAME_FORM;
            let headline = match () {
                () if is_attention => "This has the form of linear attention.",
                () if share <= CLOSE => "This is close to the form of linear attention, but not there.",
                () => "This does not have the form of linear attention.",
            };
            let seen = format!("no teacher is known, so only the form can be judged: of the polynomial in {}, {} of the norm is not two factors of one token times one of the current", counted(tokens, "token"), part(share));
            verdict(is_attention, headline, format!("{carried}; {seen}."))
        }
    }
}

fn verdict(is_attention: bool, headline: &str, evidence: String) -> Verdict {
    Verdict { is_attention, headline: headline.into(), evidence: sentence(&evidence) }
}

fn count(stage: &Stage, role: Role) -> usize {
    stage.roles.iter().filter(|&&r| r == role).count()
}

/// Who carries the function: "10 accumulators with λ = 1, 4 query neurons with λ = 0 and 10 gates".
fn carriers(raw: &Stage, minimal: &Stage, threshold: f64) -> String {
    if raw.network.readout.norm() == 0.0 {
        return "the readout is zero, so the network answers 0 to everything".into();
    }
    if minimal.neurons.is_empty() {
        return format!("at the threshold {threshold} no neuron is left to count");
    }
    let at = |role: Role, exact: f64| (0..minimal.neurons.len()).filter(|&i| minimal.roles[i] == role).all(|i| minimal.network.lambda[i] == exact);
    let memory = if at(Role::KeyValue, 1.0) { "λ = 1" } else { "λ > 0.9" };
    let query = if at(Role::Query, 0.0) { "λ = 0" } else { "λ < 0.1" };
    let [k, q, b] = [Role::KeyValue, Role::Query, Role::Between].map(|role| count(minimal, role));
    let mut list = vec![];
    if k > 0 {
        list.push(format!("{} with {memory}", counted(k, "accumulator")));
    }
    if q > 0 {
        list.push(format!("{} with {query}", if q == 1 { "1 query neuron".into() } else { format!("{q} query neurons") }));
    }
    if b > 0 {
        list.push(format!("{} with λ in between", counted(b, "neuron")));
    }
    if matches!(minimal.network.gating, Gating::Output { .. }) {
        list.push(counted(minimal.gates.len(), "gate"));
    }
    let last = list.pop().unwrap_or_default();
    let listed = if list.is_empty() { last } else { format!("{} and {last}", list.join(", ")) };
    if k == 0 { format!("{listed}, and none that accumulates") } else { listed }
}

/// What is missing for this teacher, if anything (output gating only: side gating has no query neurons and needs other numbers).
fn shortage(raw: &Stage, minimal: &Stage, (memory, query): (usize, usize)) -> Option<String> {
    if matches!(raw.network.gating, Gating::Side(_)) {
        return None;
    }
    let (k, q) = (count(minimal, Role::KeyValue), count(minimal, Role::Query));
    (k < memory || q < query).then(|| format!("This teacher needs at least {memory} accumulators and {query} query neurons."))
}
