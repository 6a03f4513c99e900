//! PyTorch's GRU.

use super::Kernel;
use super::dense_scan::recurrent_weight;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// PyTorch's GRU on z; parameters `weight_ih` `[3n, width of z]`, `bias_ih` `[3n]`, `weight_hh`
    /// `[3n, n]`, `bias_hh` `[3n]` with `prefix` before their names, in the order r, z, n:
    /// n = tanh(W_in z_t + b_in + r ⊙ (W_hn h_{t−1} + b_hn)), h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}.
    /// `weight_hh` starts orthogonal.
    pub fn gru(&mut self, prefix: &str, z: Var, n: usize) -> Var {
        let u = self.linear(&format!("{prefix}weight_ih"), z, 3 * n);
        let u = self.bias(&format!("{prefix}bias_ih"), u, Init::Constant(0.0));
        let orthogonal = Init::Orthogonal { size: n };
        let weight =
            self.params.declare(&format!("{prefix}weight_hh"), &[3 * n, n], orthogonal, true);
        self.params.declare(&format!("{prefix}bias_hh"), &[3 * n], Init::Constant(0.0), true); // follows `weight_hh`, as the kernels expect
        let time = self.time_of(z);
        let [gates, h] = [("gates", 4 * n), ("h", n)]
            .map(|(name, width)| self.activation(&format!("{prefix}{name}"), time, width));
        let dims = Dims { weight, constant: 1, ..self.square_dims(z, n) };
        let args = [Self::PARAMETERS, u.id, gates.id, h.id];
        self.record(Kernel::GruForward, dims, args, &[u], h)
    }
}

/// Back through time; dq is the gradient of W_hh h + b_hh.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [_, u, gates, h] = op.args();
    let du = gradients.part(u);
    let dq = gradients.like(u, "grad.recurrent");
    gradients.call(Kernel::GruBackward, op.dims, [Graph::PARAMETERS, gates, h, dy, du, dq]);
    recurrent_weight(gradients, op, 3, dq);
}
