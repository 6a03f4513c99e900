//! What is trained: network, task, sizes, seed and optimiser; enough to build the program.

use super::optimizer::Optimizer;
use crate::backend::Backend;
use crate::graph::{Graph, program::Program};
use crate::model::Architecture;
use crate::task::{Source, Task, Teacher};
use serde::{Deserialize, Serialize};

/// The data seed of sequences that training with `seed` does not see.
pub fn unseen(seed: u32) -> u32 {
    seed ^ 0x5eed_0ff5
}

/// When the mask falls, and on whom.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mask {
    /// Fraction of all steps.
    pub at: f32,
    /// Neurons and gates below this part of the largest are set to zero.
    pub threshold: f32,
}

/// One training, in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The student.
    pub architecture: Architecture,
    /// Where sequences come from.
    pub task: Task,
    /// Sequences per step.
    pub batch: usize,
    /// Tokens a sequence.
    pub time: usize,
    /// Of the initial weights, the teacher and the data.
    pub seed: u32,
    /// How it is trained.
    pub optimizer: Optimizer,
    /// When unused neurons are set to zero, if at all.
    pub mask: Option<Mask>,
}

impl Plan {
    /// The training program.
    pub fn program(&self) -> Program {
        let mut graph = Graph::new(self.batch, self.time);
        let (x, y) = self.task.record(&mut graph);
        let steps = graph.time_of(y);
        let prediction = self.architecture.forward(&mut graph, x, self.task.widths().1, steps);
        self.task.record_loss(&mut graph, prediction, y);
        let program = Program::training(graph);
        if self.optimizer.clip > 0.0 { program.clipped() } else { program }
    }

    /// What its program and the mask's step depend on: plans that agree in it can train together.
    pub fn shape(&self) -> (Architecture, Task, [usize; 2], u32, Option<f32>, bool) {
        let Self { architecture, task, batch, time, optimizer, mask, .. } = self;
        (
            *architecture,
            task.without_constants(),
            [*batch, *time],
            optimizer.steps,
            mask.map(|mask| mask.at),
            optimizer.clip > 0.0,
        )
    }

    /// The student on `batch` sequences that the task draws, without training: `x`, `y`, `h`,
    /// `readout`.
    pub fn sampled_program(&self, batch: usize) -> Program {
        let mut graph = Graph::new(batch, self.time);
        let (x, y) = self.task.record(&mut graph);
        let steps = graph.time_of(y);
        self.architecture.forward(&mut graph, x, self.task.widths().1, steps);
        Program::forward(graph)
    }

    /// The student alone on `batch` sequences of `time` tokens: input `x`, output `readout`.
    pub fn forward_program(&self, batch: usize, time: usize) -> Program {
        let mut graph = Graph::new(batch, time);
        let (inputs, outputs) = self.task.widths();
        let x = graph.input("x", inputs);
        self.architecture.forward(&mut graph, x, outputs, time);
        Program::forward(graph)
    }

    /// Gives a replica on `backend` the constants that the task's kernels read.
    pub fn write_constants(&self, backend: &mut dyn Backend, replica: usize, source: Source<'_>) {
        for (name, numbers) in self.task.constants(self.seed, source) {
            if let Some(buffer) = backend.program().find(name) {
                backend.write_to(replica, buffer, &numbers);
            }
        }
    }

    /// The teacher that the seed draws, if the task has one.
    pub fn teacher(&self) -> Option<Teacher> {
        match self.task {
            Task::Attention(kind) => Some(Teacher::draw(kind, self.seed)),
            _ => None,
        }
    }
}
