//! Causal self-attention with one head.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::{BufferId, Graph, Op, Var};
use serde::{Deserialize, Serialize};

/// What attention makes of its scores a_ts = q_t · k_s, s ≤ t; the numbers are `kind` in
/// `attention.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u32)]
pub enum Scores {
    /// Weights that add up to 1: the softmax of a / √E over s.
    Softmax = 0,
    /// The scores themselves: linear attention.
    Linear = 1,
}

impl Graph {
    /// Causal self-attention with one head, y_t = Σ_{s≤t} p_ts v_s, for q, k, v of equal width.
    pub fn attention(&mut self, name: &str, [q, k, v]: [Var; 3], scores: Scores) -> Var {
        let (time, width) = self.shape(q);
        assert!(
            self.shape(k) == (time, width) && self.shape(v) == (time, width),
            "{name}: queries, keys and values have equal shapes"
        );
        let dims = Dims { kind: scores as u32, ..self.rows_of(q) };
        let p = self.activation(&format!("{name}.weights"), time, time);
        let y = self.activation(name, time, width);
        self.record(Kernel::AttentionWeights, dims, [q.id, k.id, p.id], &[], p);
        self.record(Kernel::AttentionForward, dims, [p.id, v.id, y.id], &[q, k, v], y)
    }
}

/// Through the values and, together with them, through the weights that both calls share.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let ([p, v, _], [q, k, _]) = (op.args(), op.inputs());
    let [dq, dk, dv] = [q, k, v].map(|input| gradients.part(input));
    let da = gradients.like(p, "grad.scores");
    gradients.call(Kernel::AttentionBackwardWeights, op.dims, [p, v, dy, da]);
    gradients.call(Kernel::AttentionBackward, op.dims, [q, k, p, da, dy, dq, dk, dv]);
}
