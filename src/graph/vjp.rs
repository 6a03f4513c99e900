//! One reverse rule an op: what the way back asks of the device.

use super::dims::Dims;
use super::kernel::Kernel;
use super::program::Call;
use super::{Buffer, BufferId, Graph, Op, Storage, as_u32};

/// The calls of the way back, the loss first; adds the gradient buffers to the graph's table.
pub(super) fn backward(graph: &mut Graph) -> Vec<Call> {
    let loss = graph.loss.clone().expect("a graph to differentiate has a loss");
    let mut gradient = Gradients { of: vec![None; graph.buffers.len()] };
    let prediction = loss.inputs[0].id();
    let (seed, _) = gradient.of(graph, prediction);
    let mut calls = vec![Call::new(
        loss.kernel,
        loss.dims,
        vec![loss.args[0], loss.args[1], loss.output, seed],
    )];
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

    /// A buffer that a kernel may overwrite with a gradient of `id`: its own, or, where something
    /// was written to that already, another one, with the call that adds it afterwards.
    fn part(&mut self, graph: &mut Graph, id: BufferId, sums: &mut Vec<Call>) -> BufferId {
        let (own, seen) = self.of(graph, id);
        if seen == 0 {
            return own;
        }
        let Buffer { name, storage, len } = graph.buffers[own.0].clone();
        let part = graph.buffer(&format!("{name}.part"), storage, len);
        sums.push(added(graph, part, own, 1));
        part
    }
}

/// to = from, or += with `accumulate`.
fn added(graph: &Graph, from: BufferId, to: BufferId, accumulate: u32) -> Call {
    let Storage::Activation { time, width } = graph.buffers[to.0].storage else {
        unreachable!("gradients are of activations")
    };
    let dims = Dims { time: as_u32(time), width_out: as_u32(width), accumulate, ..graph.dims() };
    Call::new(Kernel::AddBackward, dims, vec![from, to])
}

fn reverse(
    graph: &mut Graph,
    gradient: &mut Gradients,
    op: &Op,
    dy: BufferId,
    calls: &mut Vec<Call>,
) {
    let flows = |graph: &Graph, id: BufferId| !graph.data.contains(&id);
    let mut sums = vec![]; // what follows the op's own calls
    match op.kernel {
        Kernel::LinearForward => {
            let x = op.inputs[0].id();
            if flows(graph, x) {
                let (dx, accumulate) = gradient.of(graph, x);
                let dims = Dims { accumulate, ..op.dims };
                calls.push(Call::new(
                    Kernel::LinearBackwardInput,
                    dims,
                    vec![Graph::PARAMETERS, dy, dx],
                ));
            }
            calls.push(Call::new(
                Kernel::LinearBackwardWeight,
                op.dims,
                vec![x, dy, Graph::GRADIENTS],
            ));
        }
        Kernel::BilinearForward => {
            let [_, x, sides, _] = op.args[..] else { unreachable!("bilinear has four arguments") };
            if flows(graph, x) {
                let (dx, accumulate) = gradient.of(graph, x);
                let dims = Dims { accumulate, ..op.dims };
                calls.push(Call::new(
                    Kernel::BilinearBackwardInput,
                    dims,
                    vec![Graph::PARAMETERS, sides, dy, dx],
                ));
            }
            calls.push(Call::new(
                Kernel::BilinearBackwardWeight,
                op.dims,
                vec![x, sides, dy, Graph::GRADIENTS],
            ));
        }
        Kernel::LastForward => {
            let (dx, accumulate) = gradient.of(graph, op.inputs[0].id());
            let dims = Dims { accumulate, ..op.dims };
            calls.push(Call::new(Kernel::LastBackward, dims, vec![dy, dx]));
        }
        Kernel::HadamardForward => {
            let [a, b, _] = op.args[..] else { unreachable!("hadamard has three arguments") };
            let (da, db) = (gradient.part(graph, a, &mut sums), gradient.part(graph, b, &mut sums));
            calls.push(Call::new(Kernel::HadamardBackward, op.dims, vec![a, b, dy, da, db]));
        }
        Kernel::DiagonalScanForward => {
            let du = gradient.part(graph, op.inputs[0].id(), &mut sums);
            let args = vec![Graph::PARAMETERS, op.output, dy, du, Graph::GRADIENTS];
            calls.push(Call::new(Kernel::DiagonalScanBackward, op.dims, args));
        }
        Kernel::ActivationForward => {
            let x = op.inputs[0].id();
            let dx = gradient.part(graph, x, &mut sums);
            calls.push(Call::new(Kernel::ActivationBackward, op.dims, vec![x, dy, dx]));
        }
        Kernel::AddForward => {
            for input in &op.inputs {
                let (dx, accumulate) = gradient.of(graph, input.id());
                calls.push(added(graph, dy, dx, accumulate));
            }
        }
        Kernel::BiasForward => {
            let (dx, accumulate) = gradient.of(graph, op.inputs[0].id());
            calls.push(added(graph, dy, dx, accumulate));
            calls.push(Call::new(Kernel::BiasBackward, op.dims, vec![dy, Graph::GRADIENTS]));
        }
        Kernel::ScaleForward => {
            let x = op.inputs[0].id();
            let dx = gradient.part(graph, x, &mut sums);
            calls.push(Call::new(
                Kernel::ScaleBackward,
                op.dims,
                vec![Graph::PARAMETERS, x, dy, dx, Graph::GRADIENTS],
            ));
        }
        Kernel::DenseScanForward => {
            let du = gradient.part(graph, op.inputs[0].id(), &mut sums);
            calls.push(Call::new(
                Kernel::DenseScanBackward,
                op.dims,
                vec![Graph::PARAMETERS, dy, du],
            ));
            calls.push(recurrent_weight(op, 1, du));
        }
        Kernel::LstmForward => {
            let [_, _, gates, c, _] = op.args[..] else { unreachable!("lstm has five arguments") };
            let du = gradient.part(graph, op.inputs[0].id(), &mut sums);
            calls.push(Call::new(
                Kernel::LstmBackward,
                op.dims,
                vec![Graph::PARAMETERS, gates, c, dy, du],
            ));
            calls.push(recurrent_weight(op, 4, du));
        }
        Kernel::GruForward => {
            let [_, u, gates, h] = op.args[..] else { unreachable!("gru has four arguments") };
            let du = gradient.part(graph, u, &mut sums);
            let Buffer { storage, len, .. } = graph.buffers[u.0];
            let dq = graph.buffer("grad.recurrent", storage, len);
            calls.push(Call::new(
                Kernel::GruBackward,
                op.dims,
                vec![Graph::PARAMETERS, gates, h, dy, du, dq],
            ));
            calls.push(recurrent_weight(op, 3, dq));
        }
        Kernel::ComplexScanForward => {
            let u = op.inputs[0].id();
            let du = gradient.part(graph, u, &mut sums);
            let args = vec![Graph::PARAMETERS, u, op.output, dy, du, Graph::GRADIENTS];
            calls.push(Call::new(Kernel::ComplexScanBackward, op.dims, args));
        }
        Kernel::ComplexReadoutForward => {
            let h = op.inputs[0].id();
            let dh = gradient.part(graph, h, &mut sums);
            calls.push(Call::new(
                Kernel::ComplexReadoutBackwardInput,
                op.dims,
                vec![Graph::PARAMETERS, dy, dh],
            ));
            calls.push(Call::new(
                Kernel::ComplexReadoutBackwardWeight,
                op.dims,
                vec![h, dy, Graph::GRADIENTS],
            ));
        }
        Kernel::SelectiveScanForward => {
            let [_, u, delta, b, h] = op.args[..] else {
                unreachable!("a selective scan has five arguments")
            };
            let [du, ddelta, db] =
                [u, delta, b].map(|input| gradient.part(graph, input, &mut sums));
            let Buffer { storage, len, .. } = graph.buffers[h.0];
            let s = graph.buffer("grad.state", storage, len);
            calls.push(Call::new(
                Kernel::SelectiveScanBackward,
                op.dims,
                vec![Graph::PARAMETERS, dy, delta, h, s, Graph::GRADIENTS],
            ));
            calls.push(Call::new(
                Kernel::SelectiveScanBackwardInput,
                op.dims,
                vec![Graph::PARAMETERS, u, delta, b, h, s, du, ddelta],
            ));
            calls.push(Call::new(Kernel::SelectiveScanBackwardB, op.dims, vec![s, u, delta, db]));
        }
        Kernel::ContractForward => {
            let [h, c, _] = op.args[..] else { unreachable!("contract has three arguments") };
            let [dh, dc] = [h, c].map(|input| gradient.part(graph, input, &mut sums));
            calls.push(Call::new(Kernel::ContractBackwardH, op.dims, vec![dy, c, dh]));
            calls.push(Call::new(Kernel::ContractBackwardC, op.dims, vec![h, dy, dc]));
        }
        Kernel::AttentionForward => {
            let [weights, v, _] = op.args[..] else {
                unreachable!("attention has three arguments")
            };
            let [q, k] = [op.inputs[0].id(), op.inputs[1].id()];
            let [dq, dk, dv] = [q, k, v].map(|input| gradient.part(graph, input, &mut sums));
            let Buffer { storage, len, .. } = graph.buffers[weights.0];
            let da = graph.buffer("grad.scores", storage, len);
            calls.push(Call::new(
                Kernel::AttentionBackwardWeights,
                op.dims,
                vec![weights, v, dy, da],
            ));
            calls.push(Call::new(
                Kernel::AttentionBackward,
                op.dims,
                vec![q, k, weights, da, dy, dq, dk, dv],
            ));
        }
        other => unreachable!("{other:?} is data: nothing flows back through it"),
    }
    calls.append(&mut sums);
}

/// The gradient of the recurrent matrix `[blocks · n, n]` of `op` (and of the bias behind it), from
/// that of its product with h_{t−1}.
fn recurrent_weight(op: &Op, blocks: u32, dy: BufferId) -> Call {
    let dims = Dims { width_out: blocks * op.dims.width_in, ..op.dims };
    Call::new(Kernel::DenseScanBackwardWeight, dims, vec![op.output, dy, Graph::GRADIENTS])
}

/// Gives the flat buffers their size once every parameter is declared.
pub(super) fn size_flat_buffers(graph: &mut Graph) {
    let parameters = graph.params.len();
    for buffer in &mut graph.buffers {
        match buffer.storage {
            Storage::Parameters
            | Storage::FirstMoment
            | Storage::SecondMoment
            | Storage::DecayMask => buffer.len = parameters,
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
