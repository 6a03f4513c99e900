//! y = f(x), number by number.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};

/// An elementwise nonlinearity; the numbers are `kind` in `activation.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Function {
    /// σ(x) = 1 / (1 + e⁻ˣ)
    Sigmoid = 0,
    /// x σ(2a), a = √(2/π) (x + 0.044715 x³): GELU in its tanh form.
    Gelu = 1,
    /// x σ(x)
    Silu = 2,
    /// ln(1 + eˣ)
    Softplus = 3,
}

impl Function {
    /// The function of that `kind`.
    pub fn of(kind: u32) -> Self {
        match kind {
            0 => Self::Sigmoid,
            1 => Self::Gelu,
            2 => Self::Silu,
            3 => Self::Softplus,
            other => unreachable!("no nonlinearity {other}"),
        }
    }
}

impl Graph {
    /// y = f(x), number by number.
    pub fn apply(&mut self, name: &str, f: Function, x: Var) -> Var {
        let dims = Dims { kind: f as u32, ..self.rows_of(x) };
        self.elementwise(Kernel::ActivationForward, dims, name, [x])
    }
}

/// dx = dy ⊙ f′(x).
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [x] = op.inputs();
    let dx = gradients.part(x);
    gradients.call(Kernel::ActivationBackward, op.dims, [x, dy, dx]);
}
