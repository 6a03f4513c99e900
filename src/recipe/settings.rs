//! Each setting of a recipe, described once: the controls, the terminal's help, the URL and the
//! README's table come from here.

use super::{Engine, Gating, Recipe, Switch, TaskName};
use crate::model::list::WORDS;
use crate::model::{LAYERS, Layer};
use crate::task::attention::Spectrum;
use crate::train::schedule::Schedule;
use crate::{Error, Result};
use std::fmt;

/// What a setting can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A real number, best moved on a logarithmic scale.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A [`Schedule`]; the words are offered, knots can be typed.
    Schedule(&'static [&'static str]),
}

/// A setting's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A real number.
    Number(f64),
    /// A word, or a schedule's text.
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Word(value) => f.write_str(value),
        }
    }
}

/// The part of the controls that a setting stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The data.
    Task,
    /// The student.
    Network,
    /// How it is trained.
    Optimiser,
    /// Seed and engine.
    Run,
}

/// Which layers look at a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layers {
    /// Every one.
    Any,
    /// Those of which it is a size.
    Sized,
    /// Those that the input can gate with its gate.
    SideGated,
    /// Those that can be taken apart.
    Reducible,
}

/// All there is to say of a setting.
pub struct Setting {
    /// In URL, JSON and (with dashes) on the command line.
    pub key: &'static str,
    /// For people.
    pub label: &'static str,
    /// Where it stands.
    pub group: Group,
    /// The tasks that look at it.
    pub tasks: &'static [TaskName],
    /// The layers that do.
    pub layers: Layers,
    /// Type and range.
    pub kind: Kind,
    /// Takes effect while training, without a restart.
    pub live: bool,
    /// One sentence.
    pub help: &'static str,
    /// Reads it.
    pub get: fn(&Recipe) -> Value,
    /// Writes it; the value was checked against `kind`.
    write: fn(&mut Recipe, &Value),
}

macro_rules! settings {
    ($($key:ident, $label:literal, $group:ident, $tasks:expr, $layers:ident, $live:literal, $kind:expr, $read:expr, $write:expr, $help:literal;)*) => {
        /// Every setting, in the order of the controls.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            key: stringify!($key),
            label: $label,
            group: Group::$group,
            tasks: $tasks,
            layers: Layers::$layers,
            kind: $kind,
            live: $live,
            help: $help,
            get: |recipe| $read(&recipe.$key),
            write: |recipe, value| { if let Some(value) = $write(value) { recipe.$key = value; } },
        }),*];
    };
}

const ALL: &[TaskName] =
    &[TaskName::Attention, TaskName::Regression, TaskName::Recall, TaskName::File];
const ATTENTION: &[TaskName] = &[TaskName::Attention];
const REGRESSION: &[TaskName] = &[TaskName::Regression];
const FILE: &[TaskName] = &[TaskName::File];
const PAIRED: &[TaskName] = &[TaskName::Regression, TaskName::Recall];
const WIDE: &[TaskName] = &[TaskName::Attention, TaskName::Regression];

settings! {
    task, "Task", Task, ALL, Any, false, Kind::Choice(&["attention", "regression", "recall", "file"]),
        |v: &TaskName| word(match v { TaskName::Attention => "attention", TaskName::Regression => "regression", TaskName::Recall => "recall", TaskName::File => "file" }),
        |v: &Value| Some(if is(v, "regression") { TaskName::Regression } else if is(v, "recall") { TaskName::Recall } else if is(v, "file") { TaskName::File } else { TaskName::Attention }),
        "Attention: imitate a linear self-attention layer. Regression: learn a linear map from examples in the sequence. Recall: remember pairs. File: your own arrays.";
    dim, "Input width d", Task, WIDE, Any, false, Kind::Integer { min: 1, max: 64 }, from_size, size,
        "Numbers in a token; the teacher's matrices are d × d. For regression d_x, the width of x.";
    outputs, "Output width d_y", Task, REGRESSION, Any, false, Kind::Integer { min: 1, max: 32 }, from_size, size,
        "Numbers in y = W x; a token is (x, y).";
    pairs, "Pairs", Task, PAIRED, Any, false, Kind::Integer { min: 1, max: 256 }, from_size, size,
        "Regression: T examples before the query. Recall: V keys and as many values, at most 32.";
    noise, "Noise", Task, REGRESSION, Any, false, Kind::Number { min: 0.0, max: 10.0 }, from_real, real,
        "Standard deviation of what is added to each example's y.";
    weight_variance, "Variance of W", Task, REGRESSION, Any, false, Kind::Number { min: 0.01, max: 100.0 }, from_real, real,
        "The map's entries are N(0, variance / d_x).";
    time, "Sequence length T", Task, ATTENTION, Any, false, Kind::Integer { min: 1, max: 1024 }, from_size, size,
        "Tokens in a sequence.";
    batch, "Batch", Task, ALL, Any, false, Kind::Integer { min: 1, max: 1024 }, from_size, size,
        "Sequences a step, drawn afresh each time, or taken from your file.";
    rank, "Teacher rank", Task, ATTENTION, Any, false, Kind::Integer { min: 0, max: 64 }, from_size, size,
        "Singular values kept in each of the teacher's matrices; 0 keeps all.";
    value_rank, "Rank of W_V", Task, ATTENTION, Any, false, Kind::Integer { min: 0, max: 64 }, from_size, size,
        "Singular values kept in the teacher's W_V; 0 for as many as the teacher rank says.";
    key_rank, "Rank of W_K", Task, ATTENTION, Any, false, Kind::Integer { min: 0, max: 64 }, from_size, size,
        "Singular values kept in the teacher's W_K; 0 for as many as the teacher rank says. Only the smaller of this and W_Q's counts.";
    query_rank, "Rank of W_Q", Task, ATTENTION, Any, false, Kind::Integer { min: 0, max: 64 }, from_size, size,
        "Singular values kept in the teacher's W_Q; 0 for as many as the teacher rank says. Only the smaller of this and W_K's counts.";
    teacher, "Teacher", Task, ATTENTION, Any, false, Kind::Choice(&["orthogonal", "gaussian"]),
        |v: &Spectrum| word(match v { Spectrum::Orthogonal => "orthogonal", Spectrum::Gaussian => "gaussian" }),
        |v: &Value| Some(if is(v, "gaussian") { Spectrum::Gaussian } else { Spectrum::Orthogonal }),
        "Orthogonal: well-conditioned matrices, all singular values 1. Gaussian: entries N(0, 1/d), now and then nearly singular.";
    gain, "Teacher gain", Task, ATTENTION, Any, false, Kind::Number { min: 1e-4, max: 1e4 }, from_real, real,
        "The teacher's W_V, and so its outputs, are multiplied by it: 0.045 brings them to about unit variance at d = 6 and T = 32.";
    shuffle, "Shuffle", Task, FILE, Any, false, Kind::Choice(&["on", "off"]),
        |v: &Switch| word(match v { Switch::On => "on", Switch::Off => "off" }),
        |v: &Value| Some(if is(v, "off") { Switch::Off } else { Switch::On }),
        "On: batches and the test sequences are drawn at random. Off: batch after batch as in the file, the test at its end.";
    test_fraction, "Test fraction", Task, FILE, Any, false, Kind::Number { min: 0.0, max: 0.9 }, from_real, real,
        "Part of the sequences that is never trained on, but measured.";
    model, "Layer", Network, ALL, Any, false, Kind::Choice(&WORDS),
        |v: &&'static Layer| word(v.word), |v: &Value| LAYERS.iter().copied().find(|layer| is(v, layer.word)),
        "The gated RNN, or a layer to compare it with: gated with a dense matrix, LSTM, GRU, LRU (a GLU behind, before and behind, or MLPs), Mamba-like, softmax or linear attention.";
    gating, "Gating", Network, ALL, SideGated, false, Kind::Choice(&["output", "side"]),
        |v: &Gating| word(match v { Gating::Output => "output", Gating::Side => "side" }),
        |v: &Value| Some(if is(v, "side") { Gating::Side } else { Gating::Output }),
        "Output: the state gates itself. Side: the input gates the state, as in Mamba.";
    hidden, "Hidden neurons n", Network, ALL, Sized, false, Kind::Integer { min: 1, max: 512 }, from_size, size,
        "In the gated RNN each keeps a running sum with its own λ. Attention of width d needs d(d+1)/2 + d of them; twice that learns well.";
    gates, "Output gates m", Network, ALL, Sized, false, Kind::Integer { min: 1, max: 512 }, from_size, size,
        "Products of two readings of the state (output gating only).";
    embed, "Embedding width e", Network, ALL, Sized, false, Kind::Integer { min: 1, max: 256 }, from_size, size,
        "Width between the linear embedding and the readout; of an LRU's GLUs and MLPs, of attention's queries, keys and values.";
    layers, "Layers L", Network, ALL, Sized, false, Kind::Integer { min: 1, max: 8 }, from_size, size,
        "Linear recurrent units, one after another.";
    state, "Numbers a channel N", Network, ALL, Sized, false, Kind::Integer { min: 1, max: 64 }, from_size, size,
        "What each channel of the selective layer keeps.";
    steps, "Steps", Optimiser, ALL, Any, false, Kind::Integer { min: 1, max: 10_000_000 }, |v: &u32| Value::Integer(u64::from(*v)), short,
        "Training stops by itself after that many; the schedules stretch over them.";
    learning_rate, "Learning rate", Optimiser, ALL, Any, true, Kind::Number { min: 1e-7, max: 10.0 }, from_real, real,
        "AdamW's peak rate. Takes effect at once.";
    rate_schedule, "Rate schedule", Optimiser, ALL, Any, false, Kind::Schedule(&["constant", "linear", "cosine", "0:1,0.4:1,1:0"]), from_schedule, schedule,
        "The learning rate over training as a factor of the peak: constant, linear, cosine, or knots like 0:1,0.5:0.1.";
    warmup, "Warm-up steps", Optimiser, ALL, Any, false, Kind::Integer { min: 0, max: 1_000_000 }, |v: &u32| Value::Integer(u64::from(*v)), short,
        "Steps over which the rate rises from 0.";
    weight_decay, "Weight decay", Optimiser, ALL, Any, true, Kind::Number { min: 0.0, max: 10.0 }, from_real, real,
        "Pulls every weight towards 0 but those that set how long a neuron remembers (ν and its like): this is what makes spare neurons vanish. Takes effect at once.";
    decay_schedule, "Decay schedule", Optimiser, ALL, Any, false,
        Kind::Schedule(&["constant", "linear", "0:1,0.12:3.5,0.27:5,0.4:5,0.4:0"]), from_schedule, schedule,
        "Weight decay over training as a factor: mild first, then strong to prune, then none to fit.";
    beta2, "β₂ schedule", Optimiser, ALL, Any, false, Kind::Schedule(&["0:0.999", "0:0.99", "0:0.999,0.4:0.999,0.4:0.99"]), from_schedule, schedule,
        "AdamW's memory of squared gradients over training.";
    clip, "Gradient clip", Optimiser, ALL, Any, false, Kind::Number { min: 0.0, max: 1e6 }, from_real, real,
        "Gradients whose norm, over all weights, is larger are scaled down to it; 0 never. It tames layers with a full recurrent matrix.";
    mask_at, "Mask unused at", Optimiser, ALL, Reducible, false, Kind::Number { min: 0.0, max: 1.0 }, from_real, real,
        "Fraction of training after which unused neurons and gates are set to zero for good; 0 for never.";
    mask_threshold, "Mask threshold", Optimiser, ALL, Reducible, false, Kind::Number { min: 0.0, max: 0.5 }, from_real, real,
        "Unused: activity times outgoing weight below this part of the largest.";
    seed, "Seed", Run, ALL, Any, false, Kind::Integer { min: 0, max: 4_294_967_295 }, |v: &u32| Value::Integer(u64::from(*v)), short,
        "Draws the teacher, the initial weights and every batch: the same seed gives the same run.";
    backend, "Engine", Run, ALL, Any, false, Kind::Choice(&["auto", "gpu", "cpu"]),
        |v: &Engine| word(match v { Engine::Auto => "auto", Engine::Gpu => "gpu", Engine::Cpu => "cpu" }),
        |v: &Value| Some(if is(v, "gpu") { Engine::Gpu } else if is(v, "cpu") { Engine::Cpu } else { Engine::Auto }),
        "Auto takes the GPU if there is a real one. GPU insists, even on a simulated one. CPU is our own engine.";
}

impl Setting {
    /// The setting of that key.
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// The setting of that key.
    ///
    /// # Errors
    /// There is none; says which there are.
    pub fn known(key: &str) -> Result<&'static Self> {
        let all = || SETTINGS.iter().map(|setting| setting.key).collect::<Vec<_>>().join(", ");
        Self::find(key)
            .ok_or_else(|| Error::setting(key, "unknown setting", format!("one of {}", all())))
    }

    /// Whether a recipe's task and model look at it.
    pub fn counts_for(&self, recipe: &Recipe) -> bool {
        self.tasks.contains(&recipe.task)
            && match self.layers {
                Layers::Any => true,
                Layers::Sized => recipe.model.reads(self.key),
                Layers::SideGated => recipe.model.side_gating,
                Layers::Reducible => recipe.model.reducible,
            }
            && !(self.key == "gates" && recipe.architecture().is_side_gated())
    }

    /// Why it does not count for a recipe that [`Self::counts_for`] denies, in words.
    pub fn unseen_by(&self, recipe: &Recipe) -> String {
        let word = |key| {
            Self::find(key).map(|setting| (setting.get)(recipe).to_string()).unwrap_or_default()
        };
        let gating =
            if self.key == "gates" && recipe.is_gated() { " with side gating" } else { "" };
        if self.tasks.contains(&recipe.task) {
            format!("the layer {}{gating} does not look at it", word("model"))
        } else {
            format!("the task {} does not look at it", word("task"))
        }
    }

    /// Sets it from text.
    ///
    /// # Errors
    /// Says what was given and what is accepted.
    pub fn set(&self, recipe: &mut Recipe, text: &str) -> Result<()> {
        let wrong = || {
            Error::setting(
                self.key,
                if text.is_empty() { "nothing" } else { text },
                self.accepted(),
            )
        };
        let value = match self.kind {
            Kind::Integer { min, max } => {
                let value = text.trim().parse::<u64>().map_err(|_| wrong())?;
                if !(min..=max).contains(&value) {
                    return Err(wrong());
                }
                Value::Integer(value)
            }
            Kind::Number { min, max } => {
                let value = text.trim().parse::<f64>().map_err(|_| wrong())?;
                if !(min..=max).contains(&value) {
                    return Err(wrong());
                }
                Value::Number(value)
            }
            Kind::Choice(words) => {
                word(words.iter().find(|word| **word == text.trim()).ok_or_else(wrong)?)
            }
            Kind::Schedule(_) => {
                Value::Word(text.parse::<Schedule>().map_err(|_| wrong())?.to_string())
            }
        };
        (self.write)(recipe, &value);
        Ok(())
    }

    /// What is accepted, in words.
    pub fn accepted(&self) -> String {
        match self.kind {
            Kind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Schedule(_) => {
                "constant, linear, cosine, or up to 8 knots fraction:value like 0:1,0.5:0.1".into()
            }
        }
    }
}

/// Sets `key` from text.
///
/// # Errors
/// No such setting, or a value out of range.
pub fn set(recipe: &mut Recipe, key: &str, text: &str) -> Result<()> {
    Setting::known(key)?.set(recipe, text)
}

fn word(text: &str) -> Value {
    Value::Word(text.into())
}

fn is(value: &Value, text: &str) -> bool {
    matches!(value, Value::Word(word) if word == text)
}

fn from_size(value: &usize) -> Value {
    Value::Integer(*value as u64)
}

fn size(value: &Value) -> Option<usize> {
    short(value).map(|v| v as usize)
}

fn short(value: &Value) -> Option<u32> {
    match value {
        Value::Integer(value) => u32::try_from(*value).ok(),
        _ => None,
    }
}

/// The decimal number that the f32 was written as.
fn from_real(value: &f32) -> Value {
    Value::Number(value.to_string().parse().unwrap_or(f64::from(*value)))
}

#[allow(clippy::cast_possible_truncation)]
fn real(value: &Value) -> Option<f32> {
    match value {
        Value::Number(value) => Some(*value as f32),
        _ => None,
    }
}

fn from_schedule(value: &Schedule) -> Value {
    Value::Word(value.to_string())
}

fn schedule(value: &Value) -> Option<Schedule> {
    match value {
        Value::Word(text) => text.parse().ok(),
        _ => None,
    }
}
