//! y = Re(C h).

use super::Kernel;
use crate::graph::dims::{Dims, as_u32};
use crate::graph::gradients::Gradients;
use crate::graph::params::Init;
use crate::graph::{BufferId, Graph, Op, Var};

impl Graph {
    /// Re(C h) for h in halves [re, im]: parameters `name_re` and `name_im` [width, n], N(0, 1/n)
    /// each.
    pub fn complex_readout(&mut self, name: &str, h: Var, width: usize) -> Var {
        let (time, n) = (self.time_of(h), self.width(h) / 2);
        let init = Init::Normal { fan_in: n };
        let weight = self.params.declare(&format!("{name}_re"), &[width, n], init, true);
        self.params.declare(&format!("{name}_im"), &[width, n], init, true); // follows `_re`, as the kernels expect
        let y = self.activation(name, time, width);
        let dims = Dims { weight, width_in: as_u32(n), ..self.rows_of(y) };
        self.record(Kernel::ComplexReadoutForward, dims, [Self::PARAMETERS, h.id, y.id], &[h], y)
    }
}

/// dh = [dy C_re, −dy C_im]; dC_re = dyᵀ h_re, dC_im = −dyᵀ h_im.
pub fn reverse(gradients: &mut Gradients<'_>, op: &Op, dy: BufferId) {
    let [h] = op.inputs();
    let dh = gradients.part(h);
    gradients.call(Kernel::ComplexReadoutBackwardInput, op.dims, [Graph::PARAMETERS, dy, dh]);
    gradients.call(Kernel::ComplexReadoutBackwardWeight, op.dims, [h, dy, Graph::GRADIENTS]);
}
