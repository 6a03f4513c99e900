//! What a copy of a program has in memory: arrays that all of it shares, and for each split of the
//! batch a lane of its own.

use crate::backend::StepLoss;
use crate::graph::call::Call;
use crate::graph::dims::Dims;
use crate::graph::program::Program;
use crate::graph::{Buffer, BufferId, Graph, Storage};
use crate::math::float::Float;

/// A lane's sequences, and what a twin may keep from one call to the next.
#[derive(Debug, Clone, Default)]
pub struct Block<F> {
    /// The first of its sequences.
    pub first: usize,
    /// How many it has.
    pub sequences: usize,
    /// Seed of the data.
    pub seed: u32,
    /// The step that runs, from 1.
    pub step: u32,
    /// The gradient of the two sides of the gate whose weights start at `kept_of`.
    pub kept: Vec<F>,
    /// See `kept`.
    pub kept_of: Option<u32>,
}

impl<F> Block<F> {
    /// Rows that it owns of a call's input or output.
    pub fn rows(&self, dims: &Dims) -> usize {
        self.sequences * dims.time as usize
    }

    /// The number of its first sequence in the batch, as the random numbers count.
    pub fn first(&self) -> u32 {
        crate::graph::dims::as_u32(self.first)
    }
}

/// One split's memory.
pub struct Lane<F> {
    block: Block<F>,
    /// By buffer: activations and the loss of each row of its sequences, its row of the gradients;
    /// others are empty.
    pub buffers: Vec<Vec<F>>,
}

impl<F: Float> Lane<F> {
    /// The memory of split `split`.
    fn new(program: &Program, split: usize) -> Self {
        let first = split * program.batch / program.splits;
        let sequences = (split + 1) * program.batch / program.splits - first;
        let count = |buffer: &Buffer| match buffer.storage {
            Storage::Activation { .. } | Storage::LossRows => {
                buffer.count() / program.batch * sequences
            }
            Storage::Gradients => buffer.count() / program.splits,
            _ => 0,
        };
        let buffers = program.buffers.iter().map(|buffer| vec![F::ZERO; count(buffer)]).collect();
        let block = Block { first, sequences, seed: 0, step: 0, kept: vec![], kept_of: None };
        Self { block, buffers }
    }

    /// Takes its own sequences out of a whole batch's activation.
    fn write(&mut self, id: BufferId, batch: &[F]) {
        let own = &mut self.buffers[id.0];
        let first = self.block.first * (own.len() / self.block.sequences);
        let end = batch.len().min(first + own.len());
        if first < end {
            own[..end - first].copy_from_slice(&batch[first..end]);
        }
    }

    /// Runs a kernel's twin with the call's arguments: the `READS` that it reads, then those that
    /// it writes. The clock, which no array of numbers holds, is read as an empty one.
    #[inline(always)]
    pub fn run<const READS: usize, const WRITES: usize>(
        &mut self,
        shared: &[Vec<F>],
        call: &Call,
        twin: impl FnOnce(&Dims, &mut Block<F>, [&[F]; READS], [&mut [F]; WRITES]),
    ) {
        let Self { block, buffers } = self;
        let (reads, writes) = call.args.split_at(READS);
        let mut written: [Vec<F>; WRITES] =
            std::array::from_fn(|i| std::mem::take(&mut buffers[writes[i].0]));
        let read = std::array::from_fn(|i| {
            let id = reads[i].0;
            let own = &buffers[id];
            if own.is_empty() { &shared[id][..] } else { own }
        });
        twin(&call.dims, block, read, written.each_mut().map(Vec::as_mut_slice));
        writes.iter().zip(written).for_each(|(id, buffer)| buffers[id.0] = buffer);
    }
}

/// A copy's memory.
pub struct Memory<F> {
    /// By buffer: parameters, the optimiser's state, constants; others are empty.
    pub shared: Vec<Vec<F>>,
    /// One per split.
    pub lanes: Vec<Lane<F>>,
    /// Losses that nobody has read, the newest last.
    pub ring: Vec<StepLoss>,
}

impl<F: Float> Memory<F> {
    /// All zeros but for the mask of weight decay.
    pub fn new(program: &Program) -> Self {
        let count = |buffer: &Buffer| match buffer.storage {
            Storage::Parameters
            | Storage::FirstMoment
            | Storage::SecondMoment
            | Storage::DecayMask
            | Storage::Constant => buffer.count(),
            _ => 0,
        };
        let mut shared: Vec<Vec<F>> =
            program.buffers.iter().map(|buffer| vec![F::ZERO; count(buffer)]).collect();
        let mask = program.params.decay_mask();
        let place = &mut shared[Graph::DECAY_MASK.0];
        if place.len() == mask.len() {
            *place = mask.into_iter().map(|v| F::of(v.into())).collect();
        }
        let lanes = (0..program.splits).map(|split| Lane::new(program, split)).collect();
        Self { shared, lanes, ring: vec![] }
    }

    /// Overwrites a buffer from its start.
    pub fn write(&mut self, program: &Program, id: BufferId, data: &[F]) {
        let Buffer { name, storage, len } = &program.buffers[id.0];
        assert!(data.len() as u64 <= *len, "{} numbers are too many for {name}", data.len());
        match storage {
            Storage::Activation { .. } => {
                self.lanes.iter_mut().for_each(|lane| lane.write(id, data));
            }
            Storage::Gradients | Storage::LossRows | Storage::Clock | Storage::Ring => {
                unreachable!("{name} is the engine's own")
            }
            _ => self.shared[id.0][..data.len()].copy_from_slice(data),
        }
    }

    /// A buffer's content.
    pub fn read(&self, program: &Program, id: BufferId) -> Vec<F> {
        match program.buffers[id.0].storage {
            Storage::Activation { .. } | Storage::LossRows | Storage::Gradients => {
                self.lanes.iter().flat_map(|lane| lane.buffers[id.0].iter().copied()).collect()
            }
            Storage::Ring => {
                let pairs = self.ring.iter().flat_map(|step| [step.loss, step.power]);
                pairs.map(|v| F::of(v.into())).collect()
            }
            _ => self.shared[id.0].clone(),
        }
    }

    /// Each split's row of the gradients.
    pub fn gradients(&self) -> Vec<&[F]> {
        self.lanes.iter().map(|lane| &lane.buffers[Graph::GRADIENTS.0][..]).collect()
    }

    /// Begins the data of a step.
    pub fn begin(&mut self, seed: u32, step: u32) {
        for lane in &mut self.lanes {
            (lane.block.seed, lane.block.step) = (seed, step);
        }
    }
}
