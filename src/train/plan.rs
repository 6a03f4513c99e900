//! What is trained: network, task, sizes, seed and optimiser; enough to build the program.

use super::mask::Mask;
use super::optimizer::Optimizer;
use crate::graph::{Graph, program::Program};
use crate::model::Architecture;
use crate::task::{Task, Teacher};
use serde::{Deserialize, Serialize};

/// One training, in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The student.
    pub architecture: Architecture,
    /// Where sequences come from.
    pub task: Task,
    /// Sequences a step.
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
        let prediction = self.architecture.forward(&mut graph, x, self.task.widths().1, self.time);
        graph.squared_error(prediction, y, false);
        Program::training(graph)
    }

    /// The student alone on `batch` sequences of `time` tokens: input `x`, output `readout`.
    pub fn forward_program(&self, batch: usize, time: usize) -> Program {
        let mut graph = Graph::new(batch, time);
        let (inputs, outputs) = self.task.widths();
        let x = graph.input("x", inputs);
        self.architecture.forward(&mut graph, x, outputs, time);
        Program::forward(graph)
    }

    /// The teacher that the seed draws.
    pub fn teacher(&self) -> Teacher {
        let Task::Attention(kind) = self.task;
        Teacher::draw(kind, self.seed)
    }
}
