//! What a layer is probed for: linear attention, or one step of gradient descent in context, which
//! is linear attention too: v = η* (y, 0), k = q = (x, 0), so S = η* Σ y xᵀ and ŷ = S x_q.

use super::in_context::Sequences;
use crate::math::matrix::Matrix;
use crate::math::random;
use crate::task::{Regression, Task, Teacher};
use crate::theory::gradient_step;
use std::borrow::Cow;

/// A teacher, or a task with a known answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject<'a> {
    /// Linear attention with this teacher's weights, on x ~ N(0, I).
    Attention(&'a Teacher),
    /// One step of gradient descent from zero on the task's pairs, with the step size that is best
    /// for it.
    Regression(Regression),
}

/// Tokens a sequence of attention, as in the paper's task.
const TIME: usize = 32;

impl Subject<'_> {
    /// As attention on whole tokens; of a regression's outputs only the first d_y are not silent.
    pub fn teacher(&self) -> Cow<'_, Teacher> {
        match self {
            Self::Attention(teacher) => Cow::Borrowed(teacher),
            Self::Regression(task) => {
                let (d, step_size) =
                    (task.inputs + task.outputs, gradient_step::best_step_size(*task));
                let matrix = |entry: &dyn Fn(usize, usize) -> f64| {
                    (0..d * d).map(|i| entry(i / d, i % d)).collect::<Vec<f64>>()
                };
                let inputs = matrix(&|row, column| {
                    if row == column && row < task.inputs { 1.0 } else { 0.0 }
                });
                let value = matrix(&|row, column| {
                    if row < task.outputs && column == task.inputs + row { step_size } else { 0.0 }
                });
                Cow::Owned(Teacher { dim: d, value, key: inputs.clone(), query: inputs })
            }
        }
    }

    /// Values per token, and values per output.
    pub fn sizes(&self) -> [usize; 2] {
        match self {
            Self::Attention(teacher) => [teacher.dim; 2],
            Self::Regression(task) => [task.inputs + task.outputs, task.outputs],
        }
    }

    /// Tokens a sequence.
    pub fn time(&self) -> usize {
        match self {
            Self::Attention(_) => TIME,
            Self::Regression(task) => task.pairs + 1,
        }
    }

    /// Whether the answer at a time step counts: of a regression only that to the query, the last.
    pub fn counts(&self, step: usize) -> bool {
        matches!(self, Self::Attention(_)) || step + 1 == self.time()
    }

    /// Numbers of a current token that are not always 0: of a query only x.
    pub fn query_width(&self) -> usize {
        match self {
            Self::Attention(teacher) => teacher.dim,
            Self::Regression(task) => task.inputs,
        }
    }

    /// Fresh sequences x `[sequences · time, d]`.
    pub fn tokens(&self, sequences: usize, seed: u32) -> Matrix {
        match self {
            Self::Attention(teacher) => {
                let rows = sequences * TIME;
                Matrix::new(
                    rows,
                    teacher.dim,
                    random::normals(seed, "probe", rows * teacher.dim)
                        .into_iter()
                        .map(f64::from)
                        .collect(),
                )
            }
            Self::Regression(task) => {
                Sequences::draw(Task::Regression(*task), sequences, seed, 0).tokens
            }
        }
    }

    /// What it is called in a sentence.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Attention(_) => "linear attention",
            Self::Regression(_) => "one step of gradient descent",
        }
    }
}
