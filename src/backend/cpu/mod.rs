//! The CPU engine: each kernel's twin, run split by split so that a block of sequences stays in one
//! core's cache from its samples to its gradients. Generic over `f32` (the app) and `f64` (gradient checks).
//!
//! The splits and the order of all sums are the program's, so any number of threads gives the same bits.

pub mod activation;
pub mod adamw;
pub mod add;
pub mod attention;
pub mod attention_teacher;
pub mod bilinear;
pub mod channel;
pub mod clock;
pub mod complex_readout;
pub mod complex_scan;
pub mod contract;
pub mod dense_scan;
pub mod diagonal_scan;
pub mod gather;
pub mod gru;
pub mod hadamard;
pub mod last;
pub mod linear;
pub mod loss;
pub mod lstm;
pub mod recall;
pub mod reduce;
pub mod regression;
pub mod sample;
pub mod selective_scan;
mod lane;

use super::{Backend, Device, DeviceKind, Progress, StepLoss};
use crate::graph::dims::{self, Clock};
use crate::graph::kernel::{Kernel, Scope};
use crate::graph::program::{Call, Program};
use crate::graph::{BufferId, Graph, Storage};
use crate::math::float::Float;
use crate::{Error, Result};
use rayon::prelude::*;
pub use lane::{Block, Lane};

/// A program on the processor.
pub struct Cpu<F> {
    program: Program,
    device: Device,
    clock: clock::State<F>,
    shared: Shared<F>,
    first_moment: Vec<F>,
    second_moment: Vec<F>,
    decay_mask: Vec<F>,
    lanes: Vec<Lane<F>>,
    ring: Vec<StepLoss>,
    unread: u64,
    requested: Vec<BufferId>,
    /// Present with two threads or more; a browser has one.
    pool: Option<rayon::ThreadPool>,
}

/// What every split reads.
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

impl<F: Float> Cpu<F> {
    /// Allocates `program` for `threads` threads (0: all of the machine's).
    ///
    /// # Errors
    /// More memory than `memory_limit` bytes, or no thread could be started.
    pub fn new(program: Program, threads: usize, memory_limit: u64) -> Result<Self> {
        // Beside the buffers: the gradient of the widest gate's two sides.
        let sides = |call: &Call| if call.kernel == Kernel::BilinearBackwardWeight { 2 * u64::from(call.dims.width_out) } else { 0 };
        let scratch = program.calls.iter().map(sides).max().unwrap_or(0) * (program.batch * program.time) as u64;
        let needed = (program.bytes() / 4 + scratch) * std::mem::size_of::<F>() as u64;
        if needed > memory_limit {
            let (mib, device) = (|bytes: u64| bytes.div_ceil(1 << 20), "this machine's free memory".to_owned());
            return Err(Error::TooLarge { what: "all its buffers".into(), needed_mib: mib(needed), device, allowed_mib: mib(memory_limit) });
        }
        let threads = available_threads(threads).min(program.splits);
        let lanes = (0..program.splits).map(|split| Lane::new(&program, split)).collect();
        let zeros = |id: BufferId| vec![F::ZERO; program.buffers[id.0].len];
        let constant = |b: &crate::graph::Buffer| vec![F::ZERO; if b.storage == Storage::Constant { b.len } else { 0 }];
        let shared = Shared {
            parameters: zeros(Graph::PARAMETERS),
            constants: program.buffers.iter().map(constant).collect(),
            seed: 0,
            step: 0,
        };
        let mut cpu = Self {
            device: Device {
                kind: DeviceKind::Cpu,
                name: format!("{threads} thread{}", if threads == 1 { "" } else { "s" }),
                interface: String::new(),
                software: false,
            },
            clock: clock::State::default(),
            first_moment: zeros(Graph::FIRST_MOMENT),
            second_moment: zeros(Graph::SECOND_MOMENT),
            decay_mask: zeros(Graph::DECAY_MASK),
            shared,
            lanes,
            ring: vec![],
            unread: 0,
            requested: vec![],
            pool: pool(threads)?,
            program,
        };
        let mask = cpu.program.params.decay_mask();
        if cpu.decay_mask.len() == mask.len() {
            cpu.write(Graph::DECAY_MASK, &mask);
        }
        Ok(cpu)
    }

    /// Overwrites a buffer in the engine's own precision.
    pub fn write_exact(&mut self, buffer: BufferId, data: &[F]) {
        let Self { program, lanes, shared, .. } = self;
        assert!(data.len() <= program.buffers[buffer.0].len, "{} numbers are too many for {}", data.len(), program.buffers[buffer.0].name);
        match program.buffers[buffer.0].storage {
            Storage::Parameters => shared.parameters[..data.len()].copy_from_slice(data),
            Storage::FirstMoment => self.first_moment[..data.len()].copy_from_slice(data),
            Storage::SecondMoment => self.second_moment[..data.len()].copy_from_slice(data),
            Storage::DecayMask => self.decay_mask[..data.len()].copy_from_slice(data),
            Storage::Constant => shared.constants[buffer.0][..data.len()].copy_from_slice(data),
            Storage::Activation { .. } => lanes.iter_mut().for_each(|lane| lane.write(buffer, data)),
            Storage::Gradients | Storage::LossRows | Storage::Clock | Storage::Ring => {
                unreachable!("{} is the engine's own", program.buffers[buffer.0].name)
            }
        }
    }

    /// A buffer's content in the engine's own precision; gradients are summed over the splits.
    pub fn read_exact(&self, buffer: BufferId) -> Vec<F> {
        match self.program.buffers[buffer.0].storage {
            Storage::Parameters => self.shared.parameters.clone(),
            Storage::FirstMoment => self.first_moment.clone(),
            Storage::SecondMoment => self.second_moment.clone(),
            Storage::DecayMask => self.decay_mask.clone(),
            Storage::Constant => self.shared.constants[buffer.0].clone(),
            Storage::Gradients => self.lanes.iter().flat_map(|lane| lane.gradients.iter().copied()).collect(),
            Storage::Activation { .. } | Storage::LossRows => self.lanes.iter().flat_map(|lane| lane.buffers[buffer.0].iter().copied()).collect(),
            Storage::Ring => self.ring.iter().flat_map(|s| [F::of(s.loss.into()), F::of(s.power.into())]).collect(),
            Storage::Clock => vec![],
        }
    }

    /// Runs one call on all it owns: what the tests of single kernels use.
    pub fn run_call(&mut self, call: &Call) {
        match call.kernel.scope() {
            Scope::Sequences => self.lanes.iter_mut().for_each(|lane| lane.run(call, &self.shared)),
            Scope::Before | Scope::After => self.whole(call),
        }
    }

    /// Runs the calls that work on sequences once: a forward program's whole work.
    pub fn forward(&mut self) {
        let calls = std::mem::take(&mut self.program.calls);
        self.sequences(&calls);
        self.program.calls = calls;
    }

    fn step(&mut self) {
        let calls = std::mem::take(&mut self.program.calls);
        calls.iter().filter(|call| call.kernel.scope() == Scope::Before).for_each(|call| self.whole(call));
        self.sequences(&calls);
        calls.iter().filter(|call| call.kernel.scope() == Scope::After).for_each(|call| self.whole(call));
        self.program.calls = calls;
    }

    fn sequences(&mut self, calls: &[Call]) {
        let Self { shared, lanes, .. } = self;
        let work = |lane: &mut Lane<F>| {
            calls.iter().filter(|call| call.kernel.scope() == Scope::Sequences).for_each(|call| lane.run(call, shared));
        };
        if let Some(pool) = &self.pool {
            return pool.install(|| lanes.par_iter_mut().with_max_len(1).for_each(work));
        }
        lanes.iter_mut().for_each(work);
    }

    fn whole(&mut self, call: &Call) {
        match call.kernel {
            Kernel::ClockAdvance => {
                self.clock.advance();
                (self.shared.seed, self.shared.step) = (self.clock.seed, self.clock.step);
            }
            Kernel::ReduceLoss => {
                let loss = reduce::loss(&call.dims, self.lanes.iter().map(|lane| lane.buffers[Graph::LOSS_ROWS.0].as_slice()));
                self.clock.note(loss);
                self.ring.push(loss);
                self.unread += 1;
            }
            Kernel::AdamwUpdate => self.adamw(),
            other => unreachable!("{other:?} works on sequences"),
        }
    }

    fn adamw(&mut self) {
        if self.clock.halted_at != dims::RUNNING {
            return;
        }
        let Self { clock, lanes, first_moment, second_moment, decay_mask, shared, .. } = self;
        let gradients: Vec<&[F]> = lanes.iter().map(|lane| lane.gradients.as_slice()).collect();
        let update = |first: usize, p: &mut [F], m: &mut [F], v: &mut [F]| adamw::update(clock, decay_mask, &gradients, first, p, m, v);
        if let Some(pool) = self.pool.as_ref().filter(|_| shared.parameters.len() >= PARALLEL_PARAMETERS) {
            const CHUNK: usize = 4096;
            let chunks = shared.parameters.par_chunks_mut(CHUNK).zip(first_moment.par_chunks_mut(CHUNK)).zip(second_moment.par_chunks_mut(CHUNK));
            return pool.install(|| chunks.enumerate().for_each(|(i, ((p, m), v))| update(i * CHUNK, p, m, v)));
        }
        update(0, &mut shared.parameters, first_moment, second_moment);
    }
}

impl<F: Float> Backend for Cpu<F> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn program(&self) -> &Program {
        &self.program
    }

    fn write(&mut self, buffer: BufferId, data: &[f32]) {
        let exact: Vec<F> = data.iter().map(|&v| F::of(v.into())).collect();
        self.write_exact(buffer, &exact);
    }

    fn set_clock(&mut self, clock: &Clock) {
        self.clock = clock::State::new(clock);
        (self.shared.seed, self.shared.step) = (self.clock.seed, self.clock.step);
        self.ring.clear();
        self.unread = 0;
    }

    fn set_rates(&mut self, peak_rate: f32, base_decay: f32) {
        self.clock.set_rates(peak_rate, base_decay);
    }

    fn advance(&mut self, steps: u32) -> Result<()> {
        if !self.program.calls.iter().any(|call| call.kernel == Kernel::ClockAdvance) {
            self.forward();
            return Ok(());
        }
        for _ in 0..steps {
            if self.clock.halted_at != dims::RUNNING {
                break;
            }
            self.step();
        }
        Ok(())
    }

    fn busy(&self) -> bool {
        false
    }

    fn request(&mut self, buffer: BufferId) {
        if !self.requested.contains(&buffer) {
            self.requested.push(buffer);
        }
    }

    #[allow(clippy::cast_possible_truncation)]
    fn poll(&mut self) -> Result<Option<Progress>> {
        if self.unread == 0 && self.requested.is_empty() {
            return Ok(None);
        }
        self.unread = 0;
        let narrow = |data: Vec<F>| data.into_iter().map(|v| v.wide() as f32).collect();
        let requested = std::mem::take(&mut self.requested);
        Ok(Some(Progress {
            step: self.clock.step.into(),
            losses: std::mem::take(&mut self.ring),
            halted_at: (self.clock.halted_at != dims::RUNNING).then_some(self.clock.halted_at.into()),
            tensors: requested.into_iter().map(|id| (id, narrow(self.read_exact(id)))).collect(),
        }))
    }
}

/// Runs `work` compiled for the widest vectors that this processor has.
#[inline(always)]
pub(crate) fn simd<R>(work: impl FnOnce() -> R) -> R {
    struct Work<W>(W);
    impl<R, W: FnOnce() -> R> pulp::WithSimd for Work<W> {
        type Output = R;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    pulp::Arch::new().dispatch(Work(work))
}

fn available_threads(asked: usize) -> usize {
    if asked > 0 { asked } else { std::thread::available_parallelism().map_or(1, std::num::NonZero::get) }
}

fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>> {
    if threads < 2 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Some).map_err(|e| Error::System { what: format!("starting {threads} threads"), problem: e.to_string() })
}
