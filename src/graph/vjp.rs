//! One reverse rule an op: what the way back asks of the device.

use super::dims::Dims;
use super::kernel::Kernel;
use super::{Buffer, BufferId, Graph, Op, Storage, as_u32};
use super::program::Call;

/// The calls of the way back, the loss first; adds the gradient buffers to the graph's table.
pub(super) fn backward(graph: &mut Graph) -> Vec<Call> {
    let loss = graph.loss.clone().expect("a graph to differentiate has a loss");
    let mut gradient = Gradients { of: vec![None; graph.buffers.len()] };
    let prediction = loss.inputs[0].id();
    let (seed, _) = gradient.of(graph, prediction);
    let mut calls = vec![Call::new(loss.kernel, loss.dims, vec![loss.args[0], loss.args[1], loss.output, seed])];
    for op in graph.ops.clone().iter().rev() {
        let arrived = gradient.of.get(op.output.0).copied().flatten();
        if let Some(arrived) = arrived.filter(|_| !graph.data.contains(&op.output)) {
            reverse(graph, &mut gradient, op, arrived, &mut calls);
        }
    }
    calls
}

/// Which buffer holds the gradient of which.
struct Gradients {
    of: Vec<Option<BufferId>>,
}

impl Gradients {
    /// The gradient buffer of `id`, and 1 if something was written to it already.
    fn of(&mut self, graph: &mut Graph, id: BufferId) -> (BufferId, u32) {
        if let Some(known) = self.of[id.0] {
            return (known, 1);
        }
        let Buffer { name, storage, len } = graph.buffers[id.0].clone();
        let fresh = graph.buffer(&format!("grad.{name}"), storage, len);
        self.of[id.0] = Some(fresh);
        (fresh, 0)
    }
}

fn reverse(graph: &mut Graph, gradient: &mut Gradients, op: &Op, dy: BufferId, calls: &mut Vec<Call>) {
    let flows = |graph: &Graph, id: BufferId| !graph.data.contains(&id);
    match op.kernel {
        Kernel::LinearForward => {
            let x = op.inputs[0].id();
            if flows(graph, x) {
                let (dx, accumulate) = gradient.of(graph, x);
                let dims = Dims { accumulate, ..op.dims };
                calls.push(Call::new(Kernel::LinearBackwardInput, dims, vec![Graph::PARAMETERS, dy, dx]));
            }
            calls.push(Call::new(Kernel::LinearBackwardWeight, op.dims, vec![x, dy, Graph::GRADIENTS]));
        }
        Kernel::BilinearForward => {
            let [_, x, sides, _] = op.args[..] else { unreachable!("bilinear has four arguments") };
            if flows(graph, x) {
                let (dx, accumulate) = gradient.of(graph, x);
                let dims = Dims { accumulate, ..op.dims };
                calls.push(Call::new(Kernel::BilinearBackwardInput, dims, vec![Graph::PARAMETERS, sides, dy, dx]));
            }
            calls.push(Call::new(Kernel::BilinearBackwardWeight, op.dims, vec![x, sides, dy, Graph::GRADIENTS]));
        }
        Kernel::LastForward => {
            let (dx, accumulate) = gradient.of(graph, op.inputs[0].id());
            let dims = Dims { accumulate, ..op.dims };
            calls.push(Call::new(Kernel::LastBackward, dims, vec![dy, dx]));
        }
        Kernel::HadamardForward => {
            let [a, b, _] = op.args[..] else { unreachable!("hadamard has three arguments") };
            let ((da, seen_a), (db, seen_b)) = (gradient.of(graph, a), gradient.of(graph, b));
            assert!(seen_a + seen_b == 0, "hadamard's inputs are used only once");
            calls.push(Call::new(Kernel::HadamardBackward, op.dims, vec![a, b, dy, da, db]));
        }
        Kernel::DiagonalScanForward => {
            let (du, seen) = gradient.of(graph, op.inputs[0].id());
            assert!(seen == 0, "a scan's input is used only once");
            let args = vec![Graph::PARAMETERS, op.output, dy, du, Graph::GRADIENTS];
            calls.push(Call::new(Kernel::DiagonalScanBackward, op.dims, args));
        }
        other => unreachable!("{other:?} is data: nothing flows back through it"),
    }
}

/// Gives the flat buffers their size once every parameter is declared.
pub(super) fn size_flat_buffers(graph: &mut Graph) {
    let parameters = graph.params.len();
    for buffer in &mut graph.buffers {
        match buffer.storage {
            Storage::Parameters | Storage::FirstMoment | Storage::SecondMoment | Storage::DecayMask => buffer.len = parameters,
            Storage::Gradients => buffer.len = parameters * graph.splits,
            _ => {}
        }
    }
    for op in &mut graph.ops {
        op.dims.parameters = as_u32(parameters);
    }
    if let Some(loss) = &mut graph.loss {
        loss.dims.parameters = as_u32(parameters);
    }
}
