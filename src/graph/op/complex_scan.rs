//! The LRU's recurrence.

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

/// Where λ of a complex scan starts: uniform by area in the sector of the unit disk with phases in
/// [0, π/10], Orvieto et al.'s choice for long memories. With phases up to 2π two stacked LRUs stay
/// on a plateau above 1e-2 in most runs of figure 4A: λ = 1 is then too far to turn to.
const RING: (f32, f32) = (0.0, 1.0);
const PHASE: f32 = std::f32::consts::PI / 10.0;

impl Graph {
    /// h_t = λ ⊙ h_{t−1} + γ ⊙ u_t, h_0 = 0, complex numbers as halves [re, im] of a row;
    /// parameters `nu`, `theta`, `gamma_log` `[n]` with `prefix` before their names: λ =
    /// exp(−exp(ν) + i exp(θ)), γ = exp(γ_log). λ starts uniform in the unit disk's sector of
    /// phases up to π/10, γ at √(1 − |λ|²).
    pub fn complex_scan(&mut self, prefix: &str, u: Var) -> Var {
        let (time, width) = self.shape(u);
        let n = width / 2;
        let (min, max) = RING;
        let inits = [
            ("nu", Init::Ring { min, max }),
            ("theta", Init::Phase { max: PHASE }),
            ("gamma_log", Init::RingNorm { min, max }),
        ];
        let [weight, ..] = inits
            .map(|(name, init)| self.params.declare(&format!("{prefix}{name}"), &[n], init, false));
        let h = self.activation(&format!("{prefix}h"), time, width);
        let dims = Dims { weight, width_out: as_u32(n), ..self.dims_of(u) };
        self.record(Kernel::ComplexScanForward, dims, [Self::PARAMETERS, u.id, h.id], &[u], h)
    }
}

/// The scan backwards in time, with λ̄.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [u] = op.inputs();
    let du = gradients.part(u);
    let args = [Graph::PARAMETERS, u, op.output, dy, du, Graph::GRADIENTS];
    gradients.call(Kernel::ComplexScanBackward, op.dims, args);
}
