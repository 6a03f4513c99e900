//! What a recipe makes: the task, the network, the plan of a training.

use super::names::{Gating, Switch, TaskName};
use super::settings::Recipe;
use crate::graph::dims::Rates;
use crate::model::{Architecture, Size, Sizes};
use crate::task::{File, Recall, Regression, Task, attention::TeacherKind};
use crate::train::optimizer::Optimizer;
use crate::train::plan::{Mask, Plan};

impl Recipe {
    /// The settings that may change while it trains: those that the table calls live.
    pub fn rates(&self) -> Rates {
        Rates { learning_rate: self.learning_rate, weight_decay: self.weight_decay }
    }

    /// Changes them.
    pub fn set_rates(&mut self, peaks: Rates) {
        Rates { learning_rate: self.learning_rate, weight_decay: self.weight_decay } = peaks;
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
            recipe.gating = if sizes.side { Gating::Side } else { Gating::Output };
        }
        for (size, place) in recipe.sizes_mut() {
            if architecture.has(size) {
                *place = sizes.get(size);
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
        let Self { hidden, gates, embed, layers, state, .. } = *self;
        let side = self.gating == Gating::Side;
        self.model.of(Sizes { hidden, gates, embed, layers, state, width: embed, side })
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
                let (steps, is_weighted) =
                    data.as_ref().map_or((1, false), |data| (data.steps, data.is_weighted));
                Task::File(File {
                    inputs,
                    outputs,
                    sequences: self.train_sequences(),
                    steps,
                    is_weighted,
                    in_order: self.shuffle == Switch::Off,
                })
            }
        }
    }
}
