//! The table of settings: a row makes the recipe's field, its default and range, the control, the
//! flag, the link and the line in the README.

use super::kind::Field;
pub use super::kind::{Kind, Value};
use super::names::{Engine, Gating, Switch, TaskName};
use crate::model::list::{LAYERS, WORDS};
use crate::model::{Layer, Size};
use crate::named::Named;
use crate::task::attention::Spectrum;
use crate::train::schedule::Schedule;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What a recipe knows of the user's arrays; the arrays themselves travel beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataShape {
    /// The file's name.
    pub name: String,
    /// Sequences, those of the test included.
    pub sequences: usize,
    /// Time steps, at the end, that count.
    pub steps: usize,
    /// Not all of those count the same.
    pub is_weighted: bool,
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
    /// Every layer.
    Any,
    /// Those of which it is a size.
    Sized,
    /// Those that the input can gate with its gate.
    SideGated,
    /// Those that can be taken apart.
    Reducible,
}

/// All there is to say of a setting.
#[derive(Clone, Copy)]
pub struct Setting {
    /// In URL, JSON and (with dashes) on the command line.
    pub key: &'static str,
    /// Another name on the command line, if it has one.
    pub alias: Option<&'static str>,
    /// The name in the window.
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

/// `key or "alias": type = default, kind, group live, tasks, layers, "label", "help";`, where
/// `or "alias"` and `live` may be missing. JSON has the order of the rows.
macro_rules! settings {
    ($($key:ident $(or $alias:literal)?: $type:ty = $default:expr, $kind:expr,
        $group:ident $($live:ident)?, $tasks:expr, $layers:ident, $label:literal,
        $help:literal;)*) => {
        /// A run's settings.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Recipe {
            $(#[doc = $help] pub $key: $type,)*
            /// Of the file task.
            pub data: Option<DataShape>,
        }

        impl Default for Recipe {
            /// The preset `discover`, and what other presets change.
            fn default() -> Self {
                Self { $($key: $default,)* data: None }
            }
        }

        const ROWS: &[Setting] = &[$(Setting {
            key: stringify!($key),
            alias: settings!(@option $($alias)?),
            label: $label,
            group: Group::$group,
            tasks: $tasks,
            layers: Layers::$layers,
            kind: $kind,
            live: settings!(@is $($live)?),
            help: $help,
            get: |recipe| recipe.$key.to_value(),
            write: |recipe, value| {
                if let Some(value) = Field::from_value(value) {
                    recipe.$key = value;
                }
            },
        }),*];
    };
    (@option) => { None };
    (@option $alias:literal) => { Some($alias) };
    (@is) => { false };
    (@is live) => { true };
}

/// Every setting, in the order of the controls: by group, then as in the table.
pub const SETTINGS: &[Setting] = &by_group::<{ ROWS.len() }>(ROWS);

const fn by_group<const N: usize>(rows: &[Setting]) -> [Setting; N] {
    let mut sorted = [rows[0]; N];
    let (mut group, mut next) = (0, 0);
    while group <= Group::Run as usize {
        let mut row = 0;
        while row < N {
            if rows[row].group as usize == group {
                sorted[next] = rows[row];
                next += 1;
            }
            row += 1;
        }
        group += 1;
    }
    sorted
}

const fn whole(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max }
}

const fn size(size: Size) -> Kind {
    whole(1, size.most() as u64)
}

const fn real(min: f64, max: f64) -> Kind {
    Kind::Number { min, max }
}

fn schedule(text: &str) -> Schedule {
    text.parse().expect("the table's schedules parse")
}

const ALL: &[TaskName] = TaskName::ALL;
const ATTENTION: &[TaskName] = &[TaskName::Attention];
const REGRESSION: &[TaskName] = &[TaskName::Regression];
const FILE: &[TaskName] = &[TaskName::File];
const PAIRED: &[TaskName] = &[TaskName::Regression, TaskName::Recall];
const WIDE: &[TaskName] = &[TaskName::Attention, TaskName::Regression];

settings! {
    task: TaskName = TaskName::Attention, Kind::Choice(TaskName::WORDS), Task, ALL, Any, "Task",
        "Attention: imitate a linear self-attention layer. Regression: learn a linear map from \
         examples in the sequence. Recall: remember pairs. File: your own arrays.";
    dim: usize = 4, whole(1, 64), Task, WIDE, Any, "Input width d",
        "Numbers in a token; the teacher's matrices are d × d. For regression d_x, the width of \
         x.";
    outputs: usize = 3, whole(1, 32), Task, REGRESSION, Any, "Output width d_y",
        "Numbers in y = W x; a token is (x, y).";
    pairs: usize = 12, whole(1, 256), Task, PAIRED, Any, "Pairs",
        "Regression: T examples before the query. Recall: V keys and as many values, at most 32.";
    noise: f32 = 0.0, real(0.0, 10.0), Task, REGRESSION, Any, "Noise",
        "Standard deviation of what is added to each example's y.";
    weight_variance: f32 = 1.0, real(0.01, 100.0), Task, REGRESSION, Any, "Variance of W",
        "The map's entries are N(0, variance / d_x).";
    time: usize = 32, whole(1, 1024), Task, ATTENTION, Any, "Sequence length T",
        "Tokens in a sequence.";
    batch: usize = 64, whole(1, 1024), Task, ALL, Any, "Batch",
        "Sequences per step, drawn afresh each time, or taken from your file.";
    rank: usize = 0, whole(0, 64), Task, ATTENTION, Any, "Teacher rank",
        "Singular values kept in each of the teacher's matrices; 0 keeps all.";
    value_rank: usize = 0, whole(0, 64), Task, ATTENTION, Any, "Rank of W_V",
        "Singular values kept in the teacher's W_V; 0 for as many as the teacher rank says.";
    key_rank: usize = 0, whole(0, 64), Task, ATTENTION, Any, "Rank of W_K",
        "Singular values kept in the teacher's W_K; 0 for as many as the teacher rank says. Only \
         the smaller of this and W_Q's counts.";
    query_rank: usize = 0, whole(0, 64), Task, ATTENTION, Any, "Rank of W_Q",
        "Singular values kept in the teacher's W_Q; 0 for as many as the teacher rank says. Only \
         the smaller of this and W_K's counts.";
    teacher: Spectrum = Spectrum::Orthogonal,
        Kind::Choice(Spectrum::WORDS),
        Task, ATTENTION, Any, "Teacher",
        "Orthogonal: well-conditioned matrices, all singular values 1. Gaussian: entries N(0, \
         1/d), now and then nearly singular.";
    gain: f32 = 1.0, real(1e-4, 1e4), Task, ATTENTION, Any, "Teacher gain",
        "The teacher's W_V, and so its outputs, are multiplied by it: 0.045 brings them to about \
         unit variance at d = 6 and T = 32.";
    model: &'static Layer = LAYERS[0],
        Kind::Choice(&WORDS),
        Network, ALL, Any, "Layer",
        "The gated RNN, or a layer to compare it with: gated with a dense matrix, LSTM, GRU, LRU \
         (a GLU behind, before and behind, or MLPs), Mamba-like, softmax or linear attention.";
    gating: Gating = Gating::Output, Kind::Choice(Gating::WORDS), Network, ALL, SideGated, "Gating",
        "Output: the state gates itself. Side: the input gates the state, as in Mamba.";
    hidden: usize = 32, size(Size::Hidden), Network, ALL, Sized, "Hidden neurons n",
        "In the gated RNN each keeps a running sum with its own λ. Attention of width d needs \
         d(d+1)/2 + d of them; twice that learns well.";
    gates: usize = 32, size(Size::Gates), Network, ALL, Sized, "Output gates m",
        "Products of two readings of the state (output gating only).";
    embed: usize = 32, size(Size::Embed), Network, ALL, Sized, "Embedding width e",
        "Width between the linear embedding and the readout; of an LRU's GLUs and MLPs, of \
         attention's queries, keys and values.";
    layers: usize = 1, size(Size::Layers), Network, ALL, Sized, "Layers L",
        "Linear recurrent units, one after another.";
    state: usize = 8, size(Size::State), Network, ALL, Sized, "Values per channel N",
        "What each channel of the selective layer keeps.";
    steps: u32 = 24_000, whole(1, 10_000_000), Optimiser, ALL, Any, "Steps",
        "Training stops by itself after that many; the schedules stretch over them.";
    learning_rate or "lr": f32 = 1e-2, real(1e-7, 10.0), Optimiser live, ALL, Any, "Learning rate",
        "AdamW's peak rate. Takes effect at once.";
    rate_schedule or "schedule": Schedule = schedule("0:1,0.4:1,1:0"),
        Kind::Schedule(&["constant", "linear", "cosine", "0:1,0.4:1,1:0"]),
        Optimiser, ALL, Any, "Rate schedule",
        "The learning rate over training as a factor of the peak: constant, linear, cosine, or \
         knots like 0:1,0.5:0.1.";
    warmup: u32 = 0, whole(0, 1_000_000), Optimiser, ALL, Any, "Warm-up steps",
        "Steps over which the rate rises from 0.";
    weight_decay: f32 = 0.1, real(0.0, 10.0), Optimiser live, ALL, Any, "Weight decay",
        "Pulls every weight towards 0 but those that set how long a neuron remembers (ν and its \
         like): this is what makes spare neurons vanish. Takes effect at once.";
    decay_schedule: Schedule = schedule("0:1,0.12:3.5,0.27:5,0.4:5,0.4:0"),
        Kind::Schedule(&["constant", "linear", "0:1,0.12:3.5,0.27:5,0.4:5,0.4:0"]),
        Optimiser, ALL, Any, "Decay schedule",
        "Weight decay over training as a factor: mild first, then strong to prune, then none to \
         fit.";
    beta2: Schedule = schedule("0:0.999,0.4:0.999,0.4:0.99"),
        Kind::Schedule(&["0:0.999", "0:0.99", "0:0.999,0.4:0.999,0.4:0.99"]),
        Optimiser, ALL, Any, "β₂ schedule",
        "AdamW's memory of squared gradients over training.";
    clip: f32 = 0.0, real(0.0, 1e6), Optimiser, ALL, Any, "Gradient clip",
        "Gradients whose norm, over all weights, is larger are scaled down to it; 0 never. It \
         tames layers with a full recurrent matrix.";
    mask_at: f32 = 0.4, real(0.0, 1.0), Optimiser, ALL, Reducible, "Mask unused at",
        "Fraction of training after which unused neurons and gates are set to zero for good; 0 \
         for never.";
    mask_threshold: f32 = 0.01, real(0.0, 0.5), Optimiser, ALL, Reducible, "Mask threshold",
        "Unused: activity times outgoing weight below this part of the largest.";
    seed: u32 = 1, whole(0, 4_294_967_295), Run, ALL, Any, "Seed",
        "Draws the teacher, the initial weights and every batch: the same seed gives the same \
         run.";
    backend: Engine = Engine::Auto, Kind::Choice(Engine::WORDS), Run, ALL, Any, "Engine",
        "Auto takes the GPU if there is a real one. GPU insists, even on a simulated one. CPU is \
         our own engine.";
    shuffle: Switch = Switch::On, Kind::Choice(Switch::WORDS), Task, FILE, Any, "Shuffle",
        "On: batches and the test sequences are drawn at random. Off: batch after batch as in the \
         file, the test at its end.";
    test_fraction: f32 = 0.1, real(0.0, 0.9), Task, FILE, Any, "Test fraction",
        "Part of the sequences that is never trained on, but measured.";
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
                Layers::Sized => {
                    Size::from_key(self.key).is_some_and(|size| recipe.architecture().has(size))
                }
                Layers::SideGated => recipe.model.side_gating,
                Layers::Reducible => recipe.model.reducible,
            }
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
        let value = self.kind.read(text).ok_or_else(|| {
            let found = if text.is_empty() { "nothing" } else { text };
            Error::setting(self.key, found, self.accepted())
        })?;
        (self.write)(recipe, &value);
        Ok(())
    }

    /// What is accepted, in words.
    pub fn accepted(&self) -> String {
        self.kind.accepted()
    }
}

/// Sets `key` from text.
///
/// # Errors
/// No such setting, or a value out of range.
pub fn set(recipe: &mut Recipe, key: &str, text: &str) -> Result<()> {
    Setting::known(key)?.set(recipe, text)
}
