//! The compiled form: a buffer table and a flat list of calls, the same every step.

use super::call::Call;
use super::dims::{Dims, as_u32};
use super::kernel::Access;
use super::op::Kernel;
use super::params::ParamTable;
use super::{Buffer, BufferId, Graph, Storage, numbers, vjp};
use std::fmt;

/// Most copies of a program that are trained together.
pub const MAX_REPLICAS: usize = 1024;

/// What a backend runs.
#[derive(Debug, Clone)]
pub struct Program {
    /// Sequences per step.
    pub batch: usize,
    /// Tokens a sequence.
    pub time: usize,
    /// Blocks of sequences with gradients of their own.
    pub splits: usize,
    /// The buffer table; [`Graph`]'s constants name the first eight.
    pub buffers: Vec<Buffer>,
    /// The calls of one step.
    pub calls: Vec<Call>,
    /// Names and places of the parameters.
    pub params: ParamTable,
    /// Copies that are trained together, each with its own parameters, data and clock. Every
    /// buffer holds their parts one after another; sizes in `buffers` and `calls` are those of
    /// one.
    pub replicas: usize,
}

impl Program {
    /// One training step: clock, forward, loss, backward, AdamW.
    pub fn training(mut graph: Graph) -> Self {
        size_flat_buffers(&mut graph);
        let dims = Dims { parameters: as_u32(graph.params.len()), ..graph.dims() };
        let Dims { width_out, time, .. } =
            graph.loss.as_ref().expect("a graph to train has a loss").dims;
        let mut calls = vec![Call::new(Kernel::ClockAdvance, dims, vec![Graph::CLOCK])];
        calls.extend(forward(&graph));
        calls.extend(vjp::backward(&mut graph));
        let reduce = vec![Graph::LOSS_ROWS, Graph::CLOCK, Graph::RING];
        calls.push(Call::new(Kernel::ReduceLoss, Dims { width_out, time, ..dims }, reduce));
        let adamw = [
            Graph::CLOCK,
            Graph::DECAY_MASK,
            Graph::GRADIENTS,
            Graph::PARAMETERS,
            Graph::FIRST_MOMENT,
            Graph::SECOND_MOMENT,
        ];
        calls.push(Call::new(Kernel::AdamwUpdate, dims, adamw.to_vec()));
        Self::of(graph, calls)
    }

    /// The forward pass alone (evaluation): no clock, no loss, nothing changes but activations.
    pub fn forward(mut graph: Graph) -> Self {
        size_flat_buffers(&mut graph);
        for buffer in &mut graph.buffers {
            // Buffers that only training touches shrink to one number.
            if !matches!(
                buffer.storage,
                Storage::Parameters
                    | Storage::Activation { .. }
                    | Storage::Constant
                    | Storage::Clock
            ) {
                buffer.len = 1;
            }
        }
        let calls = forward(&graph);
        Self::of(graph, calls)
    }

    fn of(graph: Graph, calls: Vec<Call>) -> Self {
        let Graph { batch, time, splits, params, buffers, .. } = graph;
        Self { batch, time, splits, buffers, calls, params, replicas: 1 }
    }

    /// The same training with gradients scaled down to the clock's `clip` where their norm is
    /// larger.
    #[must_use]
    pub fn clipped(mut self) -> Self {
        let last = self
            .calls
            .pop()
            .filter(|call| call.kernel == Kernel::AdamwUpdate)
            .expect("a training ends with AdamW");
        self.calls.push(Call::new(
            Kernel::ReduceGradient,
            last.dims,
            vec![Graph::GRADIENTS, Graph::CLOCK],
        ));
        self.calls.push(last);
        self
    }

    /// The same for `replicas` copies side by side.
    #[must_use]
    pub fn replicated(self, replicas: usize) -> Self {
        assert!((1..=MAX_REPLICAS).contains(&replicas), "{replicas} replicas");
        Self { replicas, ..self }
    }

    /// The buffer of that name.
    pub fn find(&self, name: &str) -> Option<BufferId> {
        self.buffers.iter().position(|buffer| buffer.name == name).map(BufferId)
    }

    /// Bytes of all buffers at 4 bytes per number, at most [`u64::MAX`].
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().fold(0, |sum, buffer| sum.saturating_add(self.bytes_of(buffer)))
    }

    /// The same of one buffer.
    pub fn bytes_of(&self, buffer: &Buffer) -> u64 {
        buffer.len.saturating_mul(numbers(&[4, self.replicas]))
    }

    /// The largest buffer's name and bytes.
    pub fn largest(&self) -> (&str, u64) {
        let largest =
            self.buffers.iter().max_by_key(|buffer| buffer.len).expect("a program has buffers");
        (&largest.name, self.bytes_of(largest))
    }
}

fn forward(graph: &Graph) -> Vec<Call> {
    graph.ops.iter().map(|op| Call::new(op.kernel, op.dims, op.args.clone())).collect()
}

/// Gives the flat buffers their size once every parameter is declared.
fn size_flat_buffers(graph: &mut Graph) {
    let parameters = graph.params.len();
    for buffer in &mut graph.buffers {
        match buffer.storage {
            Storage::Parameters
            | Storage::FirstMoment
            | Storage::SecondMoment
            | Storage::DecayMask => buffer.len = parameters as u64,
            Storage::Gradients => buffer.len = numbers(&[graph.splits, parameters]),
            _ => {}
        }
    }
    for op in graph.ops.iter_mut().chain(&mut graph.loss) {
        op.dims.parameters = as_u32(parameters);
    }
}

impl fmt::Display for Program {
    /// The listing: one call a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for call in &self.calls {
            let names = |access: Access| -> Vec<&str> {
                let used = call.args.iter().zip(call.kernel.access());
                used.filter(|(_, a)| *a == access)
                    .map(|(id, _)| self.buffers[id.0].name.as_str())
                    .collect()
            };
            let kernel = format!("{}.{}", call.kernel.file(), call.kernel.entry());
            writeln!(
                f,
                "{kernel:<28} {} -> {}",
                names(Access::Read).join(", "),
                names(Access::Write).join(", ")
            )?;
        }
        Ok(())
    }
}
