//! Where sequences come from; each file a task, sampled on the device. Imports `model` and what is
//! left of it.

pub mod attention;
pub mod file;
pub mod recall;
pub mod regression;

pub use attention::Teacher;
pub use file::{Arrays, File};
pub use recall::Recall;
pub use regression::Regression;

use crate::graph::{Graph, Var};
use serde::{Deserialize, Serialize};

/// Which task, and its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Task {
    /// Imitate a random linear self-attention layer (sections 4.1 and 4.2).
    Attention(attention::TeacherKind),
    /// Learn a linear map from examples in the sequence (section 5).
    Regression(Regression),
    /// Remember pairs (appendix D.3).
    Recall(Recall),
    /// The user's own sequences.
    File(File),
}

/// What a task reads that its sizes do not say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// An attention teacher instead of the one that the seed draws.
    pub teacher: Option<&'a Teacher>,
    /// The sequences to train on, of the file task.
    pub data: Option<&'a Arrays>,
}

impl Task {
    /// Records inputs and targets: x `[batch, time, inputs]` and y, of the last time steps only
    /// where only those count.
    pub fn record(self, graph: &mut Graph) -> (Var, Var) {
        match self {
            Self::Attention(kind) => attention::record(graph, kind.dim),
            Self::Regression(regression) => regression.record(graph),
            Self::Recall(recall) => recall.record(graph),
            Self::File(file) => file.record(graph),
        }
    }

    /// Records the loss: mean squared error; half of it at the query; cross-entropy at the query.
    pub fn record_loss(self, graph: &mut Graph, prediction: Var, y: Var) {
        match self {
            Self::Attention(_) => graph.squared_error(prediction, y, false),
            Self::Regression(_) => graph.squared_error(prediction, y, true),
            Self::Recall(_) => graph.cross_entropy(prediction, y),
            Self::File(file) => file.record_loss(graph, prediction, y),
        }
    }

    /// Constants that the task's kernels read: the buffers' names and their numbers.
    pub fn constants(self, seed: u32, source: Source<'_>) -> Vec<(&'static str, Vec<f32>)> {
        match self {
            Self::Attention(kind) => {
                vec![(
                    "teacher",
                    source
                        .teacher
                        .cloned()
                        .unwrap_or_else(|| Teacher::draw(kind, seed))
                        .constants(),
                )]
            }
            Self::Regression(regression) => vec![("regression", regression.constants())],
            Self::Recall(_) => vec![],
            Self::File(_) => source.data.map(Arrays::constants).unwrap_or_default(),
        }
    }

    /// The same but for what only [`Self::constants`] say: tasks that agree in it are recorded as
    /// the same program.
    #[must_use]
    pub fn without_constants(self) -> Self {
        match self {
            Self::Attention(kind) => Self::Attention(attention::TeacherKind {
                ranks: [kind.dim; 3],
                spectrum: attention::Spectrum::Orthogonal,
                gain: 1.0,
                ..kind
            }),
            Self::Regression(regression) => {
                Self::Regression(Regression { noise: 0.0, variance: 1.0, ..regression })
            }
            Self::Recall(_) | Self::File(_) => self,
        }
    }

    /// Whether it takes the user's sequences in the file's order.
    pub fn is_in_order(self) -> bool {
        matches!(self, Self::File(File { in_order: true, .. }))
    }

    /// Tokens a sequence: `length` of them, or, for tasks that end with a query, as many pairs and
    /// the query.
    pub fn tokens(self, length: usize) -> usize {
        match self {
            Self::Attention(_) | Self::File(_) => length,
            Self::Regression(Regression { pairs, .. }) | Self::Recall(Recall { pairs }) => {
                pairs + 1
            }
        }
    }

    /// Values per token, and values per output.
    pub fn widths(self) -> (usize, usize) {
        match self {
            Self::Attention(kind) => (kind.dim, kind.dim),
            Self::Regression(regression) => {
                (regression.inputs + regression.outputs, regression.outputs)
            }
            Self::Recall(recall) => (2 * recall.pairs, recall.pairs),
            Self::File(file) => (file.inputs, file.outputs),
        }
    }
}
