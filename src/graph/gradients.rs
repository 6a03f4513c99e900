//! The way back while it is written down: which buffer holds the gradient of which, and the calls
//! so far. What a reverse rule ([`Rule`]) works with.

use super::call::Call;
use super::dims::{Dims, as_u32};
use super::op::Kernel;
use super::{Buffer, BufferId, Graph, Op, Storage};

/// Appends the calls that take the gradient of an op's output to those of its inputs and
/// parameters.
pub type Rule = fn(&mut Gradients<'_>, &Op, BufferId);

/// Gradients so far.
pub struct Gradients<'a> {
    graph: &'a mut Graph,
    of: Vec<Option<BufferId>>,
    calls: Vec<Call>,
    /// What follows an op's own calls.
    sums: Vec<Call>,
}

impl<'a> Gradients<'a> {
    /// None yet.
    pub fn new(graph: &'a mut Graph) -> Self {
        Self { of: vec![None; graph.buffers.len()], graph, calls: vec![], sums: vec![] }
    }

    /// The gradient of `id`, if it has one: nothing flows into data.
    pub fn arrived(&self, id: BufferId) -> Option<BufferId> {
        self.of.get(id.0).copied().flatten().filter(|_| self.flows(id))
    }

    /// Whether a gradient of `id` is wanted.
    pub fn flows(&self, id: BufferId) -> bool {
        !self.graph.data.contains(&id)
    }

    /// The gradient buffer of `id`, and 1 if something was written to it already.
    pub fn of(&mut self, id: BufferId) -> (BufferId, u32) {
        if let Some(known) = self.of[id.0] {
            return (known, 1);
        }
        let fresh = self.like(id, &format!("grad.{}", self.graph.buffers[id.0].name));
        self.of[id.0] = Some(fresh);
        (fresh, 0)
    }

    /// A buffer that a kernel may overwrite with a gradient of `id`: its own, or, where something
    /// was written to that already, another one that is added to it afterwards.
    pub fn part(&mut self, id: BufferId) -> BufferId {
        let (own, seen) = self.of(id);
        if seen == 0 {
            return own;
        }
        let part = self.like(own, &format!("{}.part", self.graph.buffers[own.0].name));
        let sum = self.added(part, own, 1);
        self.sums.push(sum);
        part
    }

    /// A new buffer of the shape of `id`.
    pub fn like(&mut self, id: BufferId, name: &str) -> BufferId {
        let Buffer { storage, len, .. } = self.graph.buffers[id.0];
        self.graph.buffer(name, storage, len)
    }

    /// Appends a call.
    pub fn call<const N: usize>(&mut self, kernel: Kernel, dims: Dims, args: [BufferId; N]) {
        self.calls.push(Call::new(kernel, dims, args.to_vec()));
    }

    /// Appends `from` to the gradient of `id`.
    pub fn add(&mut self, from: BufferId, id: BufferId) {
        let (to, accumulate) = self.of(id);
        let call = self.added(from, to, accumulate);
        self.calls.push(call);
    }

    /// Ends an op's calls.
    pub fn finish(&mut self) {
        self.calls.append(&mut self.sums);
    }

    /// All calls, the loss first.
    pub fn into_calls(self) -> Vec<Call> {
        self.calls
    }

    /// to = from, or += with `accumulate`.
    fn added(&self, from: BufferId, to: BufferId, accumulate: u32) -> Call {
        let Storage::Activation { time, width } = self.graph.buffers[to.0].storage else {
            unreachable!("gradients are of activations")
        };
        let dims =
            Dims { time: as_u32(time), width_out: as_u32(width), accumulate, ..self.graph.dims() };
        Call::new(Kernel::AddBackward, dims, vec![from, to])
    }
}
