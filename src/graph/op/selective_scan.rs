//! Mamba's recurrence.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// Mamba's recurrence: `h_t[e, n]` = exp(`Δ_t[e]` `A[e, n]`) `h_{t−1}[e, n]` + `Δ_t[e]` `B_t[n]` `u_t[e]` for
    /// u, Δ `[.., E]` and B `[.., N]`: h `[.., E · N]`. Parameter `name` = a_log [E, N], A =
    /// −exp(a_log); A starts at −1, −2 … −N in each channel (S4D-real).
    pub fn selective_scan(&mut self, name: &str, [u, delta, b]: [Var; 3]) -> Var {
        let ((time, width), state) = (self.shape(u), self.width(b));
        assert_eq!(self.shape(u), self.shape(delta), "{name}: one Δ for each number of u");
        let init = Init::Ladder { steps: state };
        let weight = self.params.declare(name, &[width, state], init, false);
        let h = self.activation("h", time, width * state);
        let dims = Dims { weight, width_in: as_u32(state), ..self.rows_of(u) };
        let args = [Self::PARAMETERS, u.id, delta.id, b.id, h.id];
        self.record(Kernel::SelectiveScanForward, dims, args, &[u, delta, b], h)
    }
}

/// The scan backwards in time, which leaves the state's gradient s; from it those of u, Δ and B.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [w, u, delta, b, h] = op.args();
    let [du, ddelta, db] = [u, delta, b].map(|input| gradients.part(input));
    let s = gradients.like(h, "grad.state");
    let args = [w, dy, delta, h, s, Graph::GRADIENTS];
    gradients.call(Kernel::SelectiveScanBackward, op.dims, args);
    let args = [w, u, delta, b, h, s, du, ddelta];
    gradients.call(Kernel::SelectiveScanBackwardInput, op.dims, args);
    gradients.call(Kernel::SelectiveScanBackwardB, op.dims, [s, u, delta, db]);
}
