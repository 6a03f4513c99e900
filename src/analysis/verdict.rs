//! "Is this attention?", answered from measured numbers only: how far the function is from the
//! teacher's, and how many neurons of which kind carry it. Without a teacher, only the form of the
//! polynomial can be judged: its products, and that it remembers them.

use super::batch::Batch;
use super::importance::Role;
use super::polynomial::Memory;
use super::stage::Stage;
use super::words::{counted, part, sentence};
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::model::network::Gating;
use crate::task::Teacher;
use crate::theory::attention;
use serde::{Deserialize, Serialize};

/// Outputs on fresh sequences may differ from the teacher's by this much; relative RMS.
pub const SAME_OUTPUTS: f64 = 0.02;
/// Polynomials may differ from the teacher's by this much.
pub const SAME_POLYNOMIAL: f64 = 0.05;
/// Outputs that differ by no more than this are called close; likewise coefficients outside the
/// form.
const CLOSE: f64 = 0.2;
/// Coefficients outside the form of attention may have this part of the norm.
pub const SAME_FORM: f64 = 0.02;
/// Singular values of the teacher below this part of the largest are not counted as needed.
const NEEDED: f64 = 0.02;

/// The answer to "is this attention?".
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// It computes what linear attention computes.
    pub is_attention: bool,
    /// In a short sentence.
    pub headline: String,
    /// The measured numbers that it rests on, in sentences.
    pub evidence: String,
}

/// What is known of the function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    /// There is a teacher.
    Compared {
        /// Relative RMS of ŷ − y on fresh sequences; `None` if the teacher is zero.
        error: Option<f64>,
        /// The largest of the one-, two- and three-token distances, and how many tokens the last
        /// has; `None` where too large to compute.
        distance: Option<(f64, usize)>,
    },
    /// There is none, or none that fits.
    Alone {
        /// The part of the coefficients that is outside the form of attention, and in how many
        /// tokens; `None` where too large, or all zero.
        outside: Option<(f64, usize)>,
        /// How it remembers; `None` where too large, or all zero.
        memory: Option<Memory>,
        /// Why there is none to compare with.
        why: &'static str,
    },
}

/// Relative RMS of `outputs` against the teacher's on the batch; `None` if the teacher is zero
/// there.
pub fn teacher_error(batch: &Batch, teacher: &Teacher) -> Option<f64> {
    let outputs = attention::outputs(teacher, &batch.x, batch.time);
    (outputs.norm() > 0.0).then(|| batch.outputs.relative_change(&outputs))
}

/// How many key-value and query neurons output gating needs for this teacher: the dimension of all
/// (row of W_V)(left singular vector of W_Kᵀ W_Q), and the rank r of the latter. That is r_V·r less
/// o(o − 1)/2 for the o directions that both read, so d·r − r(r−1)/2 for an invertible W_V.
/// Singular values below 2 % are left out.
pub fn needed(teacher: &Teacher) -> (usize, usize) {
    let d = teacher.dim;
    let matrix = |data: &[f64]| Matrix::new(d, d, data.to_vec());
    let key_query = linear::svd(&matrix(&teacher.key).transpose().times(&matrix(&teacher.query)));
    let value = linear::svd(&matrix(&teacher.value));
    let (values, rank) = (value.rank(NEEDED), key_query.rank(NEEDED));
    let directions: Vec<Vec<f64>> = (0..values)
        .map(|a| value.v_t.row(a).to_vec())
        .chain((0..rank).map(|b| key_query.u.column(b).collect()))
        .collect();
    let together = if directions.is_empty() {
        0
    } else {
        linear::span(&Matrix::from_rows(&directions), 1e-6, usize::MAX).kept.len()
    };
    let overlap = values + rank - together;
    (values * rank - overlap * overlap.saturating_sub(1) / 2, rank)
}

/// The verdict; `stages` as in the dissection.
pub fn judge(
    stages: &[Stage],
    threshold: f64,
    function: Function,
    needed: Option<(usize, usize)>,
) -> Verdict {
    let (raw, minimal) = (&stages[0], &stages[stages.len() - 1]);
    let carriers = Carriers::of(raw, minimal);
    let carried = carriers.sentence(minimal.change, threshold);
    let short = needed.and_then(|needed| carriers.shortage(needed));
    match function {
        Function::Compared { error: None, .. } => verdict(
            false,
            "The teacher's outputs are all zero: there is nothing to compare with.",
            format!("{carried}."),
        ),
        Function::Compared { error: Some(error), distance } => {
            compared(error, distance, carried, short)
        }
        Function::Alone { outside, memory, why } => alone(outside, memory, why, carried),
    }
}

fn compared(
    error: f64,
    distance: Option<(f64, usize)>,
    carried: String,
    short: Option<String>,
) -> Verdict {
    let far = distance.map_or(0.0, |(distance, _)| distance);
    let is_attention = error <= SAME_OUTPUTS && far <= SAME_POLYNOMIAL;
    let headline = match () {
        () if is_attention => "This is linear attention.",
        () if error <= CLOSE => "This is close to linear attention, but not there.",
        () => "This is not linear attention (yet).",
    };
    let expanded = match distance {
        Some((distance, tokens)) => {
            format!(", its polynomials in up to {} by {}", counted(tokens, "token"), part(distance))
        }
        None => String::new(),
    };
    let function = format!(
        "the outputs differ from the teacher's by {} on fresh sequences{expanded}",
        part(error)
    );
    let short = short
        .map(|text| if is_attention { String::new() } else { format!(" {text}") })
        .unwrap_or_default();
    verdict(is_attention, headline, format!("{carried}; {function}.{short}"))
}

fn alone(
    outside: Option<(f64, usize)>,
    memory: Option<Memory>,
    why: &str,
    carried: String,
) -> Verdict {
    let Some((share, tokens)) = outside else {
        return verdict(
            false,
            "Without a teacher, nothing can be said about this function.",
            format!("{carried}; its polynomial is zero or too large to expand."),
        );
    };
    let (has_form, is_near) = (share <= SAME_FORM, share <= CLOSE);
    let remembers = memory.map(|memory| memory.share > SAME_FORM && memory.drift <= SAME_FORM);
    let headline = match remembers {
        Some(true) if has_form => "This has the form of linear attention.",
        Some(true) if is_near => "This is close to the form of linear attention, but not there.",
        Some(false) if is_near => "This has products like linear attention's, but not its memory.",
        None if has_form => {
            "One token's answer has the form of linear attention; its memory is not tested."
        }
        _ => "This does not have the form of linear attention.",
    };
    let remembered = match memory {
        Some(memory) if memory.share <= SAME_FORM => {
            format!(
                "products with the token before have {} of the norm in two tokens, so it does not accumulate",
                part(memory.share)
            )
        }
        Some(memory) => format!(
            "the same products with a token 1, 2 or 4 steps back differ from each other, or from the current token's, by up to {} (accumulation leaves 0)",
            part(memory.drift)
        ),
        None => "whether it accumulates over tokens could not be tested".into(),
    };
    let seen = format!(
        "{why}, so only the form can be judged, and any products of that form pass: of the polynomial in {}, {} of the norm is not two factors of one token times one of the current; {remembered}",
        counted(tokens, "token"),
        part(share)
    );
    verdict(has_form && remembers == Some(true), headline, format!("{carried}; {seen}."))
}

fn verdict(is_attention: bool, headline: &str, evidence: String) -> Verdict {
    Verdict { is_attention, headline: headline.into(), evidence: sentence(&evidence) }
}

/// Who carries the function: the reduced network's neurons and gates, or the raw one's where the
/// reduced one computes something else.
struct Carriers<'a> {
    stage: &'a Stage,
    /// By λ alone.
    roles: Vec<Role>,
    is_reduced: bool,
}

impl<'a> Carriers<'a> {
    fn of(raw: &'a Stage, minimal: &'a Stage) -> Self {
        let is_reduced = minimal.change <= SAME_OUTPUTS;
        let stage = if is_reduced { minimal } else { raw };
        let role = |&lambda: &f64| {
            if lambda > 0.9 {
                Role::KeyValue
            } else if lambda < 0.1 {
                Role::Query
            } else {
                Role::Between
            }
        };
        // The reduced network's keep the roles that they had before λ was snapped.
        let roles = if is_reduced {
            stage.roles.clone()
        } else {
            stage.network.lambda.iter().map(role).collect()
        };
        Self { stage, roles, is_reduced }
    }

    fn count(&self, role: Role) -> usize {
        self.roles.iter().filter(|&&r| r == role).count()
    }

    /// "10 accumulators with λ = 1, 4 query neurons with λ = 0 and 10 gates", and whose they are if
    /// not the reduced network's.
    fn sentence(&self, change: f64, threshold: f64) -> String {
        let network = &self.stage.network;
        if self.is_reduced
            && (network.hidden() == 0 || network.gates() == 0 || network.readout.norm() == 0.0)
        {
            return "the network answers 0 to everything".into(); // nothing is left, and that changed nothing
        }
        let listed = self.listed();
        if self.is_reduced {
            return listed;
        }
        format!(
            "at the threshold {threshold} the reduced network no longer computes this function (the outputs change by {}), so the raw network is counted: {listed}",
            part(change)
        )
    }

    fn listed(&self) -> String {
        let network = &self.stage.network;
        let all = |role: Role, exact: f64| {
            (0..self.roles.len())
                .filter(|&i| self.roles[i] == role)
                .all(|i| network.lambda[i] == exact)
        };
        let memory = if all(Role::KeyValue, 1.0) { "λ = 1" } else { "λ > 0.9" };
        let query = if all(Role::Query, 0.0) { "λ = 0" } else { "λ < 0.1" };
        let [k, q, b] = [Role::KeyValue, Role::Query, Role::Between].map(|role| self.count(role));
        let mut list = vec![];
        if k > 0 {
            list.push(format!("{} with {memory}", counted(k, "accumulator")));
        }
        if q > 0 {
            list.push(format!("{} with {query}", counted(q, "query neuron")));
        }
        if b > 0 {
            list.push(format!("{} with λ in between", counted(b, "neuron")));
        }
        if matches!(network.gating, Gating::Output { .. }) {
            list.push(counted(self.stage.gates.len(), "gate"));
        }
        let last = list.pop().unwrap_or_default();
        let listed = if list.is_empty() { last } else { format!("{} and {last}", list.join(", ")) };
        if k == 0 { format!("{listed}, and none that accumulates") } else { listed }
    }

    /// What is missing for this teacher, if anything (output gating only: side gating has no query
    /// neurons and needs other numbers).
    fn shortage(&self, (memory, query): (usize, usize)) -> Option<String> {
        let is_side = matches!(self.stage.network.gating, Gating::Side(_));
        let is_short = self.count(Role::KeyValue) < memory || self.count(Role::Query) < query;
        (is_short && !is_side).then(|| {
            format!(
                "This teacher needs at least {} and {}.",
                counted(memory, "accumulator"),
                counted(query, "query neuron")
            )
        })
    }
}
