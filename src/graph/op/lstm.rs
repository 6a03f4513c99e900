//! PyTorch's LSTM.

use super::Kernel;
use super::dense_scan::recurrent_weight;
use crate::graph::dims::Dims;
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// PyTorch's LSTM on z; parameters `weight_ih` [4n, width of z], `weight_hh` [4n, n], `bias`
    /// `[4n]` with `prefix` before their names, in the order i, f, g, o:
    /// c_t = σ(f) ⊙ c_{t−1} + σ(i) ⊙ tanh(g), h_t = σ(o) ⊙ tanh(c_t). `weight_hh` starts
    /// orthogonal, the bias of f at 1.
    pub fn lstm(&mut self, prefix: &str, z: Var, n: usize) -> Var {
        let u = self.linear(&format!("{prefix}weight_ih"), z, 4 * n);
        let orthogonal = Init::Orthogonal { size: n };
        let weight =
            self.params.declare(&format!("{prefix}weight_hh"), &[4 * n, n], orthogonal, true);
        self.params.declare(&format!("{prefix}bias"), &[4 * n], Init::ForgetBias, true); // follows `weight_hh`, as the kernels expect
        let time = self.time_of(z);
        let [gates, c, h] = [("gates", 4 * n), ("c", n), ("h", n)]
            .map(|(name, width)| self.activation(&format!("{prefix}{name}"), time, width));
        let dims = Dims { weight, constant: 1, ..self.square_dims(z, n) };
        let args = [Self::PARAMETERS, u.id, gates.id, c.id, h.id];
        self.record(Kernel::LstmForward, dims, args, &[u], h)
    }
}

/// Back through time; du is also the gradient of W_hh h + b.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [_, u, gates, c, _] = op.args();
    let du = gradients.part(u);
    gradients.call(Kernel::LstmBackward, op.dims, [Graph::PARAMETERS, gates, c, dy, du]);
    recurrent_weight(gradients, op, 4, du);
}
