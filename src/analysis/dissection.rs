//! A trained network taken apart, from weights alone (and a teacher where there is one): what the
//! Dissect view shows, `analyze` prints and `analysis.json` holds. Start with [`dissect`].

use super::batch::Batch;
use super::importance::{self, Census, Importance, Role};
use super::merge::{self, Group, Merging};
use super::minimal::{self, Minimal};
use super::polynomial::{Expansion, Memory, Polynomial};
use super::scores::{self, Scores};
use super::stage::{Stage, StageKind};
use super::verdict::{self, Function, Verdict};
use super::{prune, reorder};
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::model::network::Gating;
use crate::task::Teacher;
use serde::{Deserialize, Serialize};

/// What to look for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Neurons and gates below this part of the most important one are pruned; 0..1.
    pub threshold: f64,
    /// Distance of the two tokens of the two-token polynomial; at least 1.
    pub lag: usize,
    /// Gates of the raw network picked by hand, to be merged as one group if they can be; empty
    /// for none.
    pub picked: Vec<usize>,
    /// Draws the batch that output changes and scores are measured on.
    pub seed: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threshold: importance::THRESHOLD, lag: 1, picked: vec![], seed: 1 }
    }
}

/// All that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dissection {
    /// What was asked.
    pub settings: Settings,
    /// λ, importance and role of the raw network's neurons and gates.
    pub importance: Importance,
    /// How many neurons have which role.
    pub census: Census,
    /// Raw, pruned, sorted, merged, minimal: five, in this order.
    pub stages: Vec<Stage>,
    /// What snapping λ to 1 and 0 alone changes: relative RMS of the outputs.
    pub snapping: f64,
    /// How well key-value matrix and query are read off the states; `None` without a teacher (or
    /// survivors), see `notes`.
    pub scores: Option<Scores>,
    /// The one-token function as a polynomial; `None` where it would be too large, see `notes`.
    pub polynomial: Option<Polynomial>,
    /// The same with a second token `settings.lag` steps before.
    pub two_token_distance: Option<f64>,
    /// The same with tokens 2, 1 and 0 steps before the output's: the first that sees products of
    /// two different earlier tokens.
    pub three_token_distance: Option<f64>,
    /// How far the outputs are from the teacher's on the fresh batch, relative RMS; `None` without
    /// a teacher, or if it is zero.
    pub teacher_error: Option<f64>,
    /// The part of the coefficients' norm that is not of linear attention's form (two factors of
    /// one token times one of the current), in as many tokens, up to three, as could be
    /// expanded; `None` where none could, or all are zero.
    pub outside_attention: Option<f64>,
    /// Which gates merge.
    pub groups: Vec<Group>,
    /// What it is, in words, from these numbers.
    pub verdict: Verdict,
    /// What was assumed, and what could not be said and why.
    pub notes: Vec<String>,
    /// Why there are no scores, if they could have been expected; among the notes.
    pub no_scores: Option<String>,
    /// Why there is no polynomial; among the notes.
    pub no_polynomial: Option<String>,
    /// The numbers are too large or too small: nothing was measured, and what stands here in their
    /// place is 0.
    pub is_silenced: bool,
}

/// Largest output, state or weight that is analysed: products and squares of such numbers still fit
/// f64.
const LARGEST: f64 = 1e30;
/// Smallest outputs, but for 0.
const SMALLEST: f64 = 1e-100;
/// Largest product of a teacher's weights.
const LARGEST_TEACHER: f64 = 1e130;

/// Takes `network` apart; `teacher` is what it was trained to imitate.
pub fn dissect(network: &Network, teacher: Option<&Teacher>, settings: &Settings) -> Dissection {
    let batch = Batch::draw(network, settings.seed);
    let gating = match &network.gating {
        Gating::Output { m, x } => [m, x],
        Gating::Side(side) => [side, side],
    };
    if let Some((headline, reason)) = obstacle(network, gating, &batch) {
        return silenced(network, settings, headline, reason);
    }
    let importance = importance::measure(network, settings.threshold);
    let mut notes = vec![format!(
        "Everything is measured on {} fresh sequences of {} tokens, x ~ N(0, I).",
        batch.x.rows / batch.time,
        batch.time
    )];
    let (teacher, why_alone, no_scores) = match teacher.map(|teacher| compared(network, teacher)) {
        None => (None, "no teacher is known", None),
        Some(Ok(teacher)) => (Some(teacher), "", None),
        Some(Err((why, note))) => (None, why, Some(note)),
    };
    notes.extend(no_scores.clone());
    let raw = raw_stage(network, &importance);
    let pruned = prune::prune(&raw, &importance, settings.threshold, &batch);
    let batch = Batch {
        inexactness: pruned.change.max(batch.change(&minimal::snapped(&pruned.network))),
        ..batch
    };
    let sorted = reorder::reorder(&pruned, &importance, &reorder::sizes(&batch.states));
    let Merging { stage: merged, groups } = merge::merge(&sorted, &settings.picked, &batch);
    let Minimal { stage: minimal, snapping } = minimal::minimise(&merged, &batch);
    let stages = vec![raw, pruned, sorted, merged, minimal];
    let scores = teacher
        .map(|teacher| scores::score_on(network, &importance.roles, teacher, &batch.x, batch.time));
    if let Some((scores, teacher)) = scores.as_ref().zip(teacher) {
        notes.extend(scores::notes(
            scores,
            teacher,
            &importance.roles,
            [batch.x.rows, batch.time],
            matches!(network.gating, Gating::Side(_)),
        ));
    }
    let expanded = Expansion::of(network, teacher, settings.lag.max(1));
    notes.extend(expanded.impossible.iter().chain(&expanded.notes).cloned());
    let error = teacher.map(|teacher| verdict::teacher_error(&batch, teacher));
    let function = match error {
        Some(error) => Function::Compared { error, distance: expanded.worst },
        None => Function::Alone {
            outside: expanded.outside,
            memory: Memory::of(network),
            why: why_alone,
        },
    };
    Dissection {
        settings: settings.clone(),
        census: importance.census(settings.threshold),
        verdict: verdict::judge(
            &stages,
            settings.threshold,
            function,
            teacher.map(verdict::needed),
        ),
        stages,
        snapping,
        scores,
        polynomial: expanded.polynomial,
        two_token_distance: expanded.two,
        three_token_distance: expanded.three,
        teacher_error: error.flatten(),
        outside_attention: expanded.outside.map(|(share, _)| share),
        groups,
        notes,
        no_scores,
        no_polynomial: expanded.impossible,
        is_silenced: false,
        importance,
    }
}

/// The teacher, if its outputs can be compared with the network's; else why not, and a note of it.
fn compared<'a>(
    network: &Network,
    teacher: &'a Teacher,
) -> Result<&'a Teacher, (&'static str, String)> {
    let size = scale(&[&teacher.value, &teacher.key, &teacher.query], &[1, 1, 1]);
    if size.is_some_and(|size| !(SMALLEST..=LARGEST_TEACHER).contains(&size)) {
        return Err((
            "the teacher's outputs are too small or too large to be compared with",
            "There are no scores: the teacher's outputs are too small or too large to be compared with.".into(),
        ));
    }
    let [inputs, outputs] = [network.inputs(), network.outputs()];
    if (teacher.dim, teacher.dim) != (inputs, outputs) {
        return Err((
            "the teacher in the file does not fit this network",
            format!(
                "There are no scores: the teacher maps {0} numbers to {0}, the network {inputs} to {outputs}: they are not compared.",
                teacher.dim
            ),
        ));
    }
    Ok(teacher)
}

/// What stands in the way of an analysis: a headline, and the reason.
fn obstacle(
    network: &Network,
    gating: [&Matrix; 2],
    batch: &Batch,
) -> Option<(&'static str, String)> {
    let matrices = [
        &network.readout,
        &network.input_m,
        &network.input_x,
        gating[0],
        gating[1],
        &batch.outputs,
        &batch.states,
    ];
    if !matrices
        .iter()
        .flat_map(|matrix| &matrix.data)
        .chain(&network.lambda)
        .all(|v| v.abs() <= LARGEST)
    {
        return Some((
            "These weights are too large to take apart.",
            format!("Weights, states or outputs are above {LARGEST:e}, or no numbers."),
        ));
    }
    if is_too_small(network, gating)
        || (0.0..SMALLEST).contains(&largest(&batch.outputs.data))
            && largest(&batch.outputs.data) > 0.0
    {
        return Some((
            "These weights are too small to take apart.",
            format!(
                "The outputs, or products of the weights that they are made of, are below {SMALLEST:e}: their squares are no numbers any more."
            ),
        ));
    }
    None
}

fn largest(values: &[f64]) -> f64 {
    values.iter().map(|v| v.abs()).fold(0.0, f64::max)
}

/// The product of the largest numbers, each to its power, without underflow or overflow in it:
/// `None` if one is 0.
fn scale(parts: &[&[f64]], powers: &[i32]) -> Option<f64> {
    let logarithms =
        parts.iter().zip(powers).map(|(part, &power)| largest(part).log10() * f64::from(power));
    let sum: f64 = logarithms.sum();
    sum.is_finite().then(|| 10f64.powf(sum.clamp(-300.0, 300.0)))
}

/// Whether the outputs could at best be of a size that underflows in their squares, though no
/// factor is zero.
fn is_too_small(network: &Network, gating: [&Matrix; 2]) -> bool {
    let powers = if matches!(network.gating, Gating::Output { .. }) {
        [2, 2, 1, 1, 1]
    } else {
        [1, 1, 1, 0, 1]
    };
    let parts = [
        &network.input_m.data[..],
        &network.input_x.data,
        &gating[0].data,
        &gating[1].data,
        &network.readout.data,
    ];
    scale(&parts, &powers).is_some_and(|size| size < SMALLEST)
}

fn raw_stage(network: &Network, importance: &Importance) -> Stage {
    Stage {
        kind: StageKind::Raw,
        network: network.clone(),
        neurons: (0..network.hidden()).collect(),
        gates: (0..importance.gates.len()).map(|gate| vec![gate]).collect(),
        roles: importance.roles.clone(),
        change: 0.0,
        note: "As it came.".into(),
    }
}

/// For weights that no number can be trusted of: five times the raw network, and why.
fn silenced(network: &Network, settings: &Settings, headline: &str, reason: String) -> Dissection {
    let gates = if matches!(network.gating, Gating::Output { .. }) { network.gates() } else { 0 };
    let importance = Importance {
        lambda: network.lambda.clone(),
        hidden: vec![0.0; network.hidden()],
        gates: vec![0.0; gates],
        roles: vec![Role::Unused; network.hidden()],
    };
    let no_scores =
        format!("There are no scores and no changes: {}", super::words::lowered(&reason));
    let stage = |kind| Stage { kind, note: reason.clone(), ..raw_stage(network, &importance) };
    Dissection {
        settings: settings.clone(),
        census: importance.census(settings.threshold),
        stages: [
            StageKind::Raw,
            StageKind::Pruned,
            StageKind::Sorted,
            StageKind::Merged,
            StageKind::Minimal,
        ]
        .map(stage)
        .to_vec(),
        snapping: 0.0,
        scores: None,
        polynomial: None,
        two_token_distance: None,
        three_token_distance: None,
        teacher_error: None,
        outside_attention: None,
        groups: vec![],
        verdict: Verdict {
            is_attention: false,
            headline: headline.into(),
            evidence: reason.clone(),
        },
        notes: vec![no_scores.clone()],
        no_scores: Some(no_scores),
        no_polynomial: None,
        is_silenced: true,
        importance,
    }
}
