//! One copy of a program: its parameters, its clock, and the memory of its splits.

use super::{Lane, adamw, clock, reduce};
use crate::backend::{Progress, StepLoss};
use crate::graph::dims::{self, Clock};
use crate::graph::kernel::{Kernel, Scope};
use crate::graph::program::{Call, Program};
use crate::graph::{Buffer, BufferId, Graph, Storage};
use crate::math::float::Float;
use rayon::prelude::*;

/// A copy's memory.
pub(super) struct Replica<F> {
    clock: clock::State<F>,
    shared: Shared<F>,
    first_moment: Vec<F>,
    second_moment: Vec<F>,
    decay_mask: Vec<F>,
    lanes: Vec<Lane<F>>,
    ring: Vec<StepLoss>,
}

/// What every split of a copy reads.
pub struct Shared<F> {
    /// All parameters.
    pub parameters: Vec<F>,
    /// Constants, by buffer.
    pub constants: Vec<Vec<F>>,
    /// Data seed and step of the samples.
    pub seed: u32,
    /// The step that runs, from 1.
    pub step: u32,
}

/// Parameters from which on the optimiser is worth spreading over threads.
const PARALLEL_PARAMETERS: usize = 16_384;
/// Parameters that a thread then takes at once.
const CHUNK: usize = 4096;

impl<F: Float> Replica<F> {
    pub(super) fn new(program: &Program) -> Self {
        let zeros = |id: BufferId| vec![F::ZERO; program.buffers[id.0].len];
        let constant =
            |b: &Buffer| vec![F::ZERO; if b.storage == Storage::Constant { b.len } else { 0 }];
        let constants = program.buffers.iter().map(constant).collect();
        let mut replica = Self {
            clock: clock::State::default(),
            shared: Shared { parameters: zeros(Graph::PARAMETERS), constants, seed: 0, step: 0 },
            first_moment: zeros(Graph::FIRST_MOMENT),
            second_moment: zeros(Graph::SECOND_MOMENT),
            decay_mask: zeros(Graph::DECAY_MASK),
            lanes: (0..program.splits).map(|split| Lane::new(program, split)).collect(),
            ring: vec![],
        };
        let mask = program.params.decay_mask();
        if replica.decay_mask.len() == mask.len() {
            replica.decay_mask = mask.into_iter().map(|v| F::of(v.into())).collect();
        }
        replica
    }

    pub(super) fn write(&mut self, program: &Program, buffer: BufferId, data: &[F]) {
        let Buffer { name, storage, len } = &program.buffers[buffer.0];
        assert!(data.len() <= *len, "{} numbers are too many for {name}", data.len());
        match storage {
            Storage::Parameters => self.shared.parameters[..data.len()].copy_from_slice(data),
            Storage::FirstMoment => self.first_moment[..data.len()].copy_from_slice(data),
            Storage::SecondMoment => self.second_moment[..data.len()].copy_from_slice(data),
            Storage::DecayMask => self.decay_mask[..data.len()].copy_from_slice(data),
            Storage::Constant => {
                self.shared.constants[buffer.0][..data.len()].copy_from_slice(data)
            }
            Storage::Activation { .. } => {
                self.lanes.iter_mut().for_each(|lane| lane.write(buffer, data))
            }
            Storage::Gradients | Storage::LossRows | Storage::Clock | Storage::Ring => {
                unreachable!("{name} is the engine's own")
            }
        }
    }

    pub(super) fn read(&self, program: &Program, buffer: BufferId) -> Vec<F> {
        match program.buffers[buffer.0].storage {
            Storage::Parameters => self.shared.parameters.clone(),
            Storage::FirstMoment => self.first_moment.clone(),
            Storage::SecondMoment => self.second_moment.clone(),
            Storage::DecayMask => self.decay_mask.clone(),
            Storage::Constant => self.shared.constants[buffer.0].clone(),
            Storage::Gradients => {
                self.lanes.iter().flat_map(|lane| lane.gradients.iter().copied()).collect()
            }
            Storage::Activation { .. } | Storage::LossRows => {
                self.lanes.iter().flat_map(|lane| lane.buffers[buffer.0].iter().copied()).collect()
            }
            Storage::Ring => self
                .ring
                .iter()
                .flat_map(|s| [F::of(s.loss.into()), F::of(s.power.into())])
                .collect(),
            Storage::Clock => vec![],
        }
    }

    pub(super) fn set_clock(&mut self, clock: &Clock) {
        self.clock = clock::State::new(clock);
        (self.shared.seed, self.shared.step) = (self.clock.seed, self.clock.step);
        self.ring.clear();
    }

    pub(super) fn set_rates(&mut self, peak_rate: f32, base_decay: f32) {
        self.clock.set_rates(peak_rate, base_decay);
    }

    /// A loss was not finite: no more steps.
    pub(super) fn halted(&self) -> bool {
        self.clock.halted_at != dims::RUNNING
    }

    /// Whether losses wait to be read.
    pub(super) fn has_news(&self) -> bool {
        !self.ring.is_empty()
    }

    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn progress(&mut self, program: &Program, requested: &[BufferId]) -> Progress {
        let narrow = |data: Vec<F>| data.into_iter().map(|v| v.wide() as f32).collect();
        Progress {
            step: self.clock.step.into(),
            losses: std::mem::take(&mut self.ring),
            halted_at: self.halted().then_some(self.clock.halted_at.into()),
            tensors: requested.iter().map(|&id| (id, narrow(self.read(program, id)))).collect(),
        }
    }

    /// Runs a call on all that it owns.
    pub(super) fn run_call(&mut self, call: &Call) {
        match call.kernel.scope() {
            Scope::Sequences => self.lanes.iter_mut().for_each(|lane| lane.run(call, &self.shared)),
            Scope::Before | Scope::After => self.whole(call, false),
        }
    }

    /// One training step; `spread` over the threads of the pool that this runs in.
    pub(super) fn step(&mut self, calls: &[Call], spread: bool) {
        calls
            .iter()
            .filter(|call| call.kernel.scope() == Scope::Before)
            .for_each(|call| self.whole(call, spread));
        self.sequences(calls, spread);
        calls
            .iter()
            .filter(|call| call.kernel.scope() == Scope::After)
            .for_each(|call| self.whole(call, spread));
    }

    /// The calls that work on sequences, split by split.
    pub(super) fn sequences(&mut self, calls: &[Call], spread: bool) {
        let Self { shared, lanes, .. } = self;
        let work = |lane: &mut Lane<F>| {
            calls
                .iter()
                .filter(|call| call.kernel.scope() == Scope::Sequences)
                .for_each(|call| lane.run(call, shared));
        };
        if spread {
            lanes.par_iter_mut().with_max_len(1).for_each(work);
        } else {
            lanes.iter_mut().for_each(work);
        }
    }

    fn whole(&mut self, call: &Call, spread: bool) {
        match call.kernel {
            Kernel::ClockAdvance => {
                self.clock.advance();
                (self.shared.seed, self.shared.step) = (self.clock.seed, self.clock.step);
            }
            Kernel::ReduceLoss => {
                let loss = reduce::loss(
                    &call.dims,
                    self.lanes.iter().map(|lane| lane.buffers[Graph::LOSS_ROWS.0].as_slice()),
                );
                self.clock.note(loss);
                self.ring.push(loss);
            }
            Kernel::ReduceGradient => {
                let gradients: Vec<&[F]> =
                    self.lanes.iter().map(|lane| lane.gradients.as_slice()).collect();
                reduce::gradient(&mut self.clock, &gradients);
            }
            Kernel::AdamwUpdate => self.adamw(spread),
            other => unreachable!("{other:?} works on sequences"),
        }
    }

    fn adamw(&mut self, spread: bool) {
        if self.halted() {
            return;
        }
        let Self { clock, lanes, first_moment, second_moment, decay_mask, shared, .. } = self;
        let gradients: Vec<&[F]> = lanes.iter().map(|lane| lane.gradients.as_slice()).collect();
        let update = |first: usize, p: &mut [F], m: &mut [F], v: &mut [F]| {
            adamw::update(clock, decay_mask, &gradients, first, p, m, v)
        };
        if spread && shared.parameters.len() >= PARALLEL_PARAMETERS {
            let chunks = shared
                .parameters
                .par_chunks_mut(CHUNK)
                .zip(first_moment.par_chunks_mut(CHUNK))
                .zip(second_moment.par_chunks_mut(CHUNK));
            return chunks.enumerate().for_each(|(i, ((p, m), v))| update(i * CHUNK, p, m, v));
        }
        update(0, &mut shared.parameters, first_moment, second_moment);
    }
}
