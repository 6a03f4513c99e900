//! One network's insides, whatever its layer: on one fixed sequence the state and the gates over
//! time ([`trace`]), what its recurrence keeps ([`memory`]), and whether it is attention
//! ([`super::probe`]). [`look`] is quick; the probe takes longer and comes after.

pub mod memory;
pub mod trace;

use super::in_context::Sequences;
use super::probe::{self, Probe};
use super::subject::Subject;
use crate::math::matrix::Matrix;
use crate::math::random;
use crate::model::{Architecture, Model};
use crate::task::{Task, Teacher};
use crate::train::plan::Plan;
use memory::Memory;
use serde::{Deserialize, Serialize};
use trace::Trace;

/// Tokens of the sequence where the task does not say how many, and at most where it has no end of
/// its own.
pub const TIME: usize = 32;
/// Draws the sequence, and what is probed with, where no training's seed is known.
const SEED: u32 = 1;
/// Sequences on which all numbers must be finite before anything is fitted to them.
const TRIED: usize = 4;

/// The training that a network comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// What it was trained on.
    pub task: Task,
    /// Tokens a sequence.
    pub time: usize,
    /// Of the initial weights.
    pub seed: u32,
}

impl From<&Plan> for Origin {
    fn from(plan: &Plan) -> Self {
        Self { task: plan.task, time: plan.time, seed: plan.seed }
    }
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Insides {
    /// Kind and sizes.
    pub architecture: Architecture,
    /// Numbers in all parameters.
    pub parameters: usize,
    /// Which sequence, in words.
    pub sequence: String,
    /// T, tokens in the sequence.
    pub time: usize,
    /// The seed whose untrained network `initial` of each memory is; `None` where it is not known.
    pub seed: Option<u32>,
    /// What each recurrence keeps; none of attention.
    pub memories: Vec<Memory>,
    /// The states over time; none of attention.
    pub states: Vec<Trace>,
    /// Gates and gated products over time; of attention its weights.
    pub gates: Vec<Trace>,
    /// Whether it is attention.
    pub probe: Probing,
}

/// How far the probe is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Probing {
    /// It is still to come.
    Pending,
    /// It was done.
    Done {
        /// What was measured.
        probe: Box<Probe>,
        /// Steps that the network had then been trained for, if it is one that trains.
        step: Option<u64>,
    },
    /// It can't be done, and why.
    Impossible(String),
}

/// Everything but the probe, which is pending where there is something to probe for.
pub fn look(model: &Model, teacher: Option<&Teacher>, origin: Option<Origin>) -> Insides {
    let (x, sequence) = tokens(model, origin);
    let initial = origin.map(|origin| {
        Model::new(
            model.architecture,
            [model.inputs, model.outputs],
            &model.table().initial(origin.seed),
        )
    });
    let (states, gates) = trace::traces(model, &x);
    let probe = match reason(model, subject(teacher, origin.as_ref()).as_ref()) {
        Some(reason) => Probing::Impossible(reason),
        None => Probing::Pending,
    };
    Insides {
        architecture: model.architecture,
        parameters: model.parameters.len(),
        sequence,
        time: x.rows,
        seed: origin.map(|origin| origin.seed),
        memories: memory::memories(model, initial.as_ref(), &x),
        states,
        gates,
        probe,
    }
}

/// The probe, of a network that has been trained for `step` steps if it is one that trains.
pub fn probe(
    model: &Model,
    teacher: Option<&Teacher>,
    origin: Option<Origin>,
    step: Option<u64>,
) -> Probing {
    let subject = subject(teacher, origin.as_ref());
    let (Some(subject), None) = (&subject, reason(model, subject.as_ref())) else {
        return Probing::Impossible(reason(model, subject.as_ref()).unwrap_or_default());
    };
    let x = subject.tokens(TRIED, SEED);
    let names =
        [model.architecture.state_buffers(), vec![crate::model::run::OUTPUT.into()]].concat();
    let numbers = model.weighed().buffers::<f64>(&x, subject.time(), &names);
    if numbers.iter().any(|buffer| buffer.data.iter().any(|v| !v.is_finite())) {
        return Probing::Impossible(
            "Its states or answers grow beyond all numbers, so nothing can be measured on them."
                .into(),
        );
    }
    match probe::probe(&model.weighed(), subject, SEED) {
        Ok(probe) => Probing::Done { probe: Box::new(probe), step },
        Err(error) => Probing::Impossible(error.to_string()),
    }
}

/// What a network is probed for: its teacher's attention, or a step of gradient descent on its
/// regression.
fn subject<'a>(teacher: Option<&'a Teacher>, origin: Option<&Origin>) -> Option<Subject<'a>> {
    match (teacher, origin.map(|origin| origin.task)) {
        (Some(teacher), _) => Some(Subject::Attention(teacher)),
        (None, Some(Task::Regression(task))) => Some(Subject::Regression(task)),
        _ => None,
    }
}

/// Why there is nothing to probe.
fn reason(model: &Model, subject: Option<&Subject<'_>>) -> Option<String> {
    let Some(subject) = subject else {
        return Some("Only a network that imitates a known attention layer, or that was trained on the regression, can be compared with attention.".into());
    };
    let [inputs, outputs] = subject.sizes();
    if [model.inputs, model.outputs] != [inputs, outputs] {
        let Model { inputs: wide, outputs: narrow, .. } = model;
        return Some(format!(
            "It reads {wide} values per token and gives {narrow}; {} here has {inputs} and {outputs}, so they can't be compared.",
            subject.name()
        ));
    }
    (!model.is_finite()).then(|| "Some of its weights are not numbers.".into())
}

/// One sequence x `[time, d]`, always the same for the same network, and what it is in words.
fn tokens(model: &Model, origin: Option<Origin>) -> (Matrix, String) {
    let seed = origin.map_or(SEED, |origin| origin.seed);
    if let Some(Origin { task, .. }) = origin
        && task.widths().0 == model.inputs
    {
        match task {
            Task::Regression(regression) => {
                let words = format!("{} examples (x, y), then the question", regression.pairs);
                return (Sequences::draw(task, 1, seed, 0).tokens, words);
            }
            Task::Recall(recall) => {
                return (
                    Sequences::draw(task, 1, seed, 0).tokens,
                    format!("{} pairs of key and value, then a key", recall.pairs),
                );
            }
            Task::Attention(_) | Task::File(_) => {}
        }
    }
    let time = origin.map_or(TIME, |origin| origin.time.clamp(1, TIME));
    let numbers =
        random::normals(seed, "insides", time * model.inputs).into_iter().map(f64::from).collect();
    (Matrix::new(time, model.inputs, numbers), format!("{time} random tokens, x ~ N(0, 1)"))
}

impl Insides {
    /// What the probe says in a sentence; what it waits for, or why there is none, else.
    pub fn headline(&self) -> String {
        match &self.probe {
            Probing::Done { probe, .. } => probe.headline(),
            Probing::Pending => "Is it attention? That is being measured.".into(),
            Probing::Impossible(_) => "There is no attention to compare it with.".into(),
        }
    }
}
