//! One copy of a program: its clock and its memory.

use super::clock::State;
use super::memory::Memory;
use super::twin::{self, Twin};
use crate::backend::Progress;
use crate::graph::BufferId;
use crate::graph::call::Call;
use crate::graph::dims::{self, Clock, Rates};
use crate::graph::kernel::Scope;
use crate::graph::program::Program;
use crate::math::float::Float;
use rayon::prelude::*;

/// A copy.
pub(super) struct Replica<F> {
    clock: State<F>,
    pub(super) memory: Memory<F>,
}

impl<F: Float> Replica<F> {
    pub(super) fn new(program: &Program) -> Self {
        Self { clock: State::default(), memory: Memory::new(program) }
    }

    pub(super) fn set_clock(&mut self, clock: &Clock) {
        self.clock = State::new(clock);
        self.memory.begin(self.clock.seed, self.clock.step);
        self.memory.ring.clear();
    }

    pub(super) fn set_rates(&mut self, peaks: Rates) {
        self.clock.set_rates(peaks);
    }

    /// A loss was not finite: no more steps.
    pub(super) fn halted(&self) -> bool {
        self.clock.halted_at != dims::RUNNING
    }

    /// Whether losses wait to be read.
    pub(super) fn has_news(&self) -> bool {
        !self.memory.ring.is_empty()
    }

    pub(super) fn progress(&mut self, program: &Program, requested: &[BufferId]) -> Progress {
        let narrow = |data: Vec<F>| data.into_iter().map(|v| v.wide() as f32).collect();
        let tensor = |id: BufferId| (id, narrow(self.memory.read(program, id)));
        let tensors = requested.iter().map(|&id| tensor(id)).collect();
        Progress {
            step: self.clock.step.into(),
            losses: std::mem::take(&mut self.memory.ring),
            halted_at: self.halted().then_some(self.clock.halted_at.into()),
            tensors,
        }
    }

    /// Runs a call on all that it owns.
    pub(super) fn run_call(&mut self, call: &Call) {
        let Self { clock, memory } = self;
        match twin::of::<F>(call.kernel) {
            Twin::Split(run) => {
                memory.lanes.iter_mut().for_each(|lane| run(lane, &memory.shared, call));
            }
            Twin::Whole(run) => run(&call.dims, clock, memory, false),
        }
    }

    /// One training step; `spread` over the threads of the pool that this runs in.
    pub(super) fn step(&mut self, calls: &[Call], spread: bool) {
        self.whole(calls, Scope::Before, spread);
        self.sequences(calls, spread);
        self.whole(calls, Scope::After, spread);
    }

    /// The calls that work on sequences, split by split.
    pub(super) fn sequences(&mut self, calls: &[Call], spread: bool) {
        let Memory { shared, lanes, .. } = &mut self.memory;
        let work = |lane: &mut _| {
            for call in calls {
                if let Twin::Split(run) = twin::of::<F>(call.kernel) {
                    run(lane, shared, call);
                }
            }
        };
        if spread {
            lanes.par_iter_mut().with_max_len(1).for_each(work);
        } else {
            lanes.iter_mut().for_each(work);
        }
    }

    fn whole(&mut self, calls: &[Call], scope: Scope, spread: bool) {
        let Self { clock, memory } = self;
        for call in calls.iter().filter(|call| call.kernel.scope() == scope) {
            if let Twin::Whole(run) = twin::of::<F>(call.kernel) {
                run(&call.dims, clock, memory, spread);
            }
        }
    }
}
