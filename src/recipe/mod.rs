//! All that defines a run, flat and in readable words (⇄ JSON ⇄ URL); with its seed it reproduces
//! the run. Imports `analysis` and what is left of it.
//!
//! [`settings`] describes each setting once, [`preset`] has the experiments to start from,
//! [`checkpoint`] a training's file, [`data`] reads the user's own arrays, `fit`
//! is how they fit it, [`specimen`] is a network
//! to look into.

pub mod checkpoint;
pub mod data;
mod fit;
pub mod names;
pub mod preset;
pub mod settings;
pub mod specimen;

use crate::model::{Architecture, Layer, Size, Sizes};
use crate::task::{
    File, Recall, Regression, Task,
    attention::{Spectrum, TeacherKind},
};
use crate::train::{optimizer::Optimizer, plan::Mask, plan::Plan, schedule::Schedule};
use crate::{Error, Result};
pub use names::{Engine, Gating, Switch, TaskName};
use serde::{Deserialize, Serialize};
use settings::SETTINGS;

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

/// A run's settings; [`SETTINGS`] has label, range, default and help of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // documented, for people, in SETTINGS
pub struct Recipe {
    pub task: TaskName,
    pub dim: usize,
    pub outputs: usize,
    pub pairs: usize,
    pub noise: f32,
    pub weight_variance: f32,
    pub time: usize,
    pub batch: usize,
    pub rank: usize,
    pub value_rank: usize,
    pub key_rank: usize,
    pub query_rank: usize,
    pub teacher: Spectrum,
    pub gain: f32,
    pub model: &'static Layer,
    pub gating: Gating,
    pub hidden: usize,
    pub gates: usize,
    pub embed: usize,
    pub layers: usize,
    pub state: usize,
    pub steps: u32,
    pub learning_rate: f32,
    pub rate_schedule: Schedule,
    pub warmup: u32,
    pub weight_decay: f32,
    pub decay_schedule: Schedule,
    pub beta2: Schedule,
    pub clip: f32,
    pub mask_at: f32,
    pub mask_threshold: f32,
    pub seed: u32,
    pub backend: Engine,
    pub shuffle: Switch,
    pub test_fraction: f32,
    /// Of the file task.
    pub data: Option<DataShape>,
}

impl Default for Recipe {
    /// The preset `discover`.
    fn default() -> Self {
        preset::base()
    }
}

/// Most keys of the recall task.
const MOST_KEYS: usize = 32;

/// The URL format's version.
const VERSION: &str = "1";

impl Recipe {
    /// Checks each setting's range, and the settings that only together can be wrong.
    ///
    /// # Errors
    /// Says which setting, and what it should be.
    pub fn check(&self) -> Result<()> {
        let mut copy = self.clone();
        for setting in SETTINGS {
            setting.set(&mut copy, &(setting.get)(self).to_string())?;
        }
        self.check_together()
    }

    /// Checks the settings that only together can be wrong.
    ///
    /// # Errors
    /// Says which setting, and what it should be.
    pub fn check_together(&self) -> Result<()> {
        if self.task == TaskName::Attention {
            let all = [
                ("rank", self.rank, "full rank"),
                ("value_rank", self.value_rank, "the rank of all"),
                ("key_rank", self.key_rank, "the rank of all"),
                ("query_rank", self.query_rank, "the rank of all"),
            ];
            if let Some((key, rank, zero)) = all.into_iter().find(|(_, rank, _)| *rank > self.dim) {
                return Err(Error::setting(
                    key,
                    rank,
                    format!("at most d = {}, or 0 for {zero}", self.dim),
                ));
            }
        }
        if let (TaskName::File, Some(data)) = (self.task, &self.data)
            && (data.sequences == 0 || !(1..=self.time).contains(&data.steps))
        {
            let found = format!("{} sequences of which {} steps count", data.sequences, data.steps);
            return Err(Error::setting(
                "data",
                found,
                format!("at least one sequence, and from 1 to T = {} steps", self.time),
            ));
        }
        if let (TaskName::File, Some(data)) = (self.task, &self.data)
            && self.train_sequences() < self.batch
        {
            let expected = format!(
                "at most {} sequences, those of {} that are not for the test",
                self.train_sequences(),
                data.name
            );
            return Err(Error::setting("batch", self.batch, expected));
        }
        if self.task == TaskName::Recall && self.pairs > MOST_KEYS {
            return Err(Error::setting(
                "pairs",
                self.pairs,
                format!("at most {MOST_KEYS} keys for recall, as a token is 2 V wide"),
            ));
        }
        if self.warmup > self.steps {
            return Err(Error::setting(
                "warmup",
                self.warmup,
                format!("at most steps = {}", self.steps),
            ));
        }
        let (low, high) = self.beta2.range();
        if !(0.0..1.0).contains(&low) || !(0.0..1.0).contains(&high) {
            return Err(Error::setting("beta2", &self.beta2, "values from 0 to below 1"));
        }
        Ok(())
    }

    /// Whether the student is a gated diagonal network, whose weights can be read.
    pub fn is_gated(&self) -> bool {
        self.model.reducible
    }

    /// Whether both draw the same teacher.
    pub fn same_teacher(&self, other: &Self) -> bool {
        (self.task(), self.seed) == (other.task(), other.seed)
    }

    /// The same with the kind and sizes of a network.
    #[must_use]
    pub fn with_architecture(&self, architecture: Architecture) -> Self {
        let Architecture { layer, sizes } = architecture;
        let mut recipe = Self { model: layer, ..self.clone() };
        if layer.side_gating {
            let is_side = architecture.is_side_gated();
            recipe.gating = if is_side { Gating::Side } else { Gating::Output };
        }
        let places = recipe.sizes_mut();
        for (size, place) in places {
            let value = sizes.get(size);
            if value > 0 {
                *place = value;
            }
        }
        recipe
    }

    /// The settings that are sizes of layers.
    fn sizes_mut(&mut self) -> [(Size, &mut usize); 5] {
        let Self { hidden, gates, embed, layers, state, .. } = self;
        [
            (Size::Hidden, hidden),
            (Size::Gates, gates),
            (Size::Embed, embed),
            (Size::Layers, layers),
            (Size::State, state),
        ]
    }

    /// The same for an attention teacher of width `dim` that comes with a network.
    #[must_use]
    pub fn with_sizes(&self, architecture: Architecture, dim: usize) -> Self {
        Self {
            task: TaskName::Attention,
            dim,
            rank: 0,
            value_rank: 0,
            key_rank: 0,
            query_rank: 0,
            gain: 1.0,
            ..self.with_architecture(architecture)
        }
    }

    /// Singular values kept in the teacher's W_V, W_K and W_Q, each from 1 to d.
    pub fn ranks(&self) -> [usize; 3] {
        let all = if self.rank == 0 { self.dim } else { self.rank };
        [self.value_rank, self.key_rank, self.query_rank]
            .map(|rank| if rank == 0 { all } else { rank })
    }

    /// The student.
    pub fn architecture(&self) -> Architecture {
        let Self { hidden, embed, layers, state, .. } = *self;
        let is_side = self.model.side_gating && self.gating == Gating::Side;
        let gates = if is_side { 0 } else { self.gates };
        self.model.of(Sizes { hidden, gates, embed, layers, state, width: embed })
    }

    /// Numbers in all parameters of the student.
    pub fn parameters(&self) -> usize {
        let (inputs, outputs) = self.task().widths();
        self.architecture().table(inputs, outputs).len()
    }

    /// What the engine trains.
    pub fn plan(&self) -> Plan {
        let task = self.task();
        Plan {
            architecture: self.architecture(),
            task,
            batch: self.batch,
            time: task.tokens(self.time),
            seed: self.seed,
            optimizer: Optimizer {
                steps: self.steps,
                learning_rate: self.learning_rate,
                rate_schedule: self.rate_schedule.clone(),
                warmup: self.warmup,
                weight_decay: self.weight_decay,
                decay_schedule: self.decay_schedule.clone(),
                beta1: 0.9,
                beta2: self.beta2.clone(),
                epsilon: 1e-8,
                clip: self.clip,
            },
            mask: (self.mask_at > 0.0 && self.model.reducible)
                .then_some(Mask { at: self.mask_at, threshold: self.mask_threshold }),
        }
    }

    /// The task with its sizes.
    pub fn task(&self) -> Task {
        match self.task {
            TaskName::Attention => Task::Attention(TeacherKind {
                dim: self.dim,
                ranks: self.ranks(),
                spectrum: self.teacher,
                gain: self.gain,
            }),
            TaskName::Regression => {
                let Self { dim: inputs, outputs, pairs, noise, weight_variance: variance, .. } =
                    *self;
                Task::Regression(Regression { inputs, outputs, pairs, noise, variance })
            }
            TaskName::Recall => Task::Recall(Recall { pairs: self.pairs }),
            TaskName::File => {
                let Self { dim: inputs, outputs, ref data, .. } = *self;
                let (sequences, steps, is_weighted) = data.as_ref().map_or((1, 1, false), |data| {
                    (self.train_sequences(), data.steps, data.is_weighted)
                });
                Task::File(File {
                    inputs,
                    outputs,
                    sequences,
                    steps,
                    is_weighted,
                    in_order: self.shuffle == Switch::Off,
                })
            }
        }
    }

    /// The URL hash: version, preset, and the settings that differ from it.
    pub fn to_hash(&self, preset: &str) -> String {
        let base = preset::find(preset).map_or_else(Self::default, |preset| preset.recipe);
        let mut hash = format!("v={VERSION}");
        if preset != preset::DEFAULT {
            hash += &format!("&preset={preset}");
        }
        for setting in SETTINGS.iter().filter(|setting| (setting.get)(self) != (setting.get)(&base))
        {
            hash += &format!("&{}={}", setting.key, (setting.get)(self));
        }
        hash
    }

    /// Reads a URL hash: (preset, recipe, what was wrong). What is wrong is skipped, the rest is
    /// kept.
    pub fn from_hash(hash: &str) -> (String, Self, Vec<Error>) {
        let pairs: Vec<(String, String)> = hash
            .trim_start_matches(['#', '?'])
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(key, value)| (decode(key), decode(value)))
            .collect();
        let mut errors = vec![];
        let mut name = preset::DEFAULT.to_owned();
        if let Some((_, wanted)) = pairs.iter().find(|(key, _)| key == "preset") {
            match preset::find(wanted) {
                Some(_) => name.clone_from(wanted),
                None => errors.push(Error::setting(
                    "preset",
                    wanted,
                    format!("one of {}", preset::names().join(", ")),
                )),
            }
        }
        let mut recipe = preset::find(&name).map_or_else(Self::default, |preset| preset.recipe);
        for (key, value) in &pairs {
            match key.as_str() {
                "preset" | "view" | "page" => {} // the window reads which view, and which page of it
                "v" if value == VERSION => {}
                "v" => errors.push(Error::setting(
                    "v",
                    value,
                    format!("{VERSION}: this link comes from another version; what is known of it was read"),
                )),
                _ => errors.extend(settings::set(&mut recipe, key, value).err()),
            }
        }
        // What does not go together is set back, one setting at a time.
        while let Err(error) = recipe.check() {
            match &error {
                Error::Setting { key, .. } if key == "rank" => recipe.rank = 0,
                Error::Setting { key, .. } if key == "value_rank" => recipe.value_rank = 0,
                Error::Setting { key, .. } if key == "key_rank" => recipe.key_rank = 0,
                Error::Setting { key, .. } if key == "query_rank" => recipe.query_rank = 0,
                Error::Setting { key, .. } if key == "warmup" => recipe.warmup = 0,
                Error::Setting { key, .. } if key == "batch" => recipe.batch = 1,
                Error::Setting { key, .. } if key == "pairs" => recipe.pairs = MOST_KEYS,
                _ => recipe.beta2 = preset::base().beta2,
            }
            errors.push(error);
        }
        (name, recipe, errors)
    }
}

/// Percent decoding; what is not valid stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = vec![];
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%')
            .then(|| text.get(i + 1..i + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(hex.unwrap_or(bytes[i]));
        i += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}
