//! [`Gpu`]: a program on a device. The training loop lives there: samples, step counter, schedules and losses
//! need nothing from the host, so every step is the same commands and one submit holds many of
//! them.

use super::Counters;
use super::device::Context;
use super::pipeline::{self, Ready};
use super::readback::Readback;
use super::setup::{Scopes, Setup, fits};
use crate::Result;
use crate::backend::{Backend, Device, Progress};
use crate::graph::dims::{Clock, RING, RUNNING, Rates};
use crate::graph::op::Kernel;
use crate::graph::program::Program;
use crate::graph::{BufferId, Graph, Storage};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Submits that may be in flight together: one that runs, one that waits, so the device is never
/// idle.
const MAX_SUBMITS: u64 = 2;

/// A program on a GPU.
pub struct Gpu {
    context: Context,
    program: Program,
    buffers: Vec<wgpu::Buffer>,
    dims: wgpu::Buffer,
    calls: Vec<Ready>,
    setup: Setup,
    readback: Readback,
    requested: Vec<BufferId>,
    /// Whether a step moves the clock and leaves a loss in the ring.
    trains: bool,
    /// The step that the submitted work reaches, and the one up to which losses were read.
    started: u64,
    read: u64,
    /// Steps asked for that wait until the ring has room for their losses.
    owed: u64,
    halted: bool,
    submits: u64,
    submits_done: Arc<AtomicU64>,
    counters: Counters,
}

impl Gpu {
    /// Allocates and compiles `program`. All buffers start as zeros, but for the mask of weight
    /// decay and a clock that runs.
    ///
    /// # Errors
    /// More memory than the device allows, or a device that refuses a buffer or a shader.
    pub fn new(context: &Context, program: Program) -> Result<Self> {
        context.check()?;
        fits(context, &program)?;
        let (device, queue) = (&context.device, &context.queue);
        let scopes = Scopes::open(device);
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let allocate = |buffer: &crate::graph::Buffer| {
            let size = program.bytes_of(buffer).max(4 * program.replicas as u64);
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&buffer.name),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let buffers: Vec<wgpu::Buffer> = program.buffers.iter().map(allocate).collect();
        let dims = pipeline::dims_buffer(device, queue, &program);
        let calls = pipeline::prepare(device, &program, &dims, &buffers);
        let setup = scopes.close();
        let uploads = program.calls.len() as u64;
        let mut gpu = Self {
            trains: [Kernel::ClockAdvance, Kernel::ReduceLoss]
                .iter()
                .all(|kernel| program.calls.iter().any(|call| call.kernel == *kernel)),
            context: context.clone(),
            buffers,
            dims,
            calls,
            setup,
            readback: Readback::default(),
            requested: vec![],
            started: 0,
            read: 0,
            owed: 0,
            halted: false,
            submits: 0,
            submits_done: Arc::default(),
            counters: Counters { uploads, ..Counters::default() },
            program,
        };
        gpu.check()?;
        let mask = gpu.program.params.decay_mask();
        for replica in 0..gpu.program.replicas {
            gpu.write_clock(replica, offset_of!(Clock, halted_at), bytemuck::bytes_of(&RUNNING));
            if gpu.program.buffers[Graph::DECAY_MASK.0].count() == mask.len() {
                gpu.write_to(replica, Graph::DECAY_MASK, &mask);
            }
        }
        Ok(gpu)
    }

    /// What was asked of the device so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Fills what kernels write (activations, gradients, rows of the loss) with `value`: tests find
    /// what was not written.
    pub fn fill(&mut self, value: f32) {
        for i in 0..self.buffers.len() {
            let buffer = &self.program.buffers[i];
            if matches!(
                buffer.storage,
                Storage::Activation { .. } | Storage::Gradients | Storage::LossRows
            ) {
                let values = vec![value; buffer.count()];
                (0..self.program.replicas)
                    .for_each(|replica| self.write_to(replica, BufferId(i), &values));
            }
        }
    }

    /// Runs one call of the program: what the tests of single kernels use.
    ///
    /// # Errors
    /// As [`Backend::advance`].
    pub fn run_call(&mut self, index: usize) -> Result<()> {
        self.check()?;
        let mut encoder = self.encoder();
        self.calls[index]
            .encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        self.counters.dispatches += 1;
        self.submit(encoder);
        Ok(())
    }

    /// Waits for everything that was started or requested: for tests and the terminal.
    ///
    /// # Errors
    /// As [`Backend::poll`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&mut self) -> Result<Vec<Progress>> {
        let mut all: Vec<Progress> = vec![];
        loop {
            let mut next = self.poll_all()?;
            if !next.is_empty() {
                for (next, earlier) in next.iter_mut().zip(all) {
                    next.losses.splice(0..0, earlier.losses);
                    next.tensors.splice(0..0, earlier.tensors);
                }
                all = next;
            }
            let working = self.submits_done.load(Ordering::Acquire) < self.submits;
            if !working && !self.readback.in_flight() && !self.has_news() {
                return Ok(all);
            }
            if self.context.device.poll(wgpu::PollType::wait_indefinitely()).is_err() {
                self.check()?;
                return Err(self.context.lose("it does not answer"));
            }
        }
    }

    /// Whether a readback would bring something.
    fn has_news(&self) -> bool {
        self.started > self.read || !self.requested.is_empty() || self.owed > 0
    }

    fn check(&mut self) -> Result<()> {
        self.setup.poll(&self.program);
        self.context.check()?;
        self.setup.check()
    }

    fn submit(&mut self, encoder: wgpu::CommandEncoder) {
        self.context.queue.submit([encoder.finish()]);
        self.submits += 1;
        self.counters.submits += 1;
        let (number, done) = (self.submits, Arc::clone(&self.submits_done));
        self.context.queue.on_submitted_work_done(move || {
            done.fetch_max(number, Ordering::AcqRel);
        });
    }

    /// Adds copies for a readback to `encoder` unless one is on its way; true if it did.
    fn record_readback(&mut self, encoder: &mut wgpu::CommandEncoder) -> bool {
        if self.readback.in_flight() || !self.has_news() {
            return false;
        }
        self.readback.record(
            &self.context,
            encoder,
            &self.program,
            &self.buffers,
            [self.read, self.started],
            &mut self.requested,
        );
        self.counters.maps += 1;
        self.counters.most_maps_in_flight =
            self.counters.most_maps_in_flight.max(self.counters.maps - self.counters.maps_done);
        true
    }

    /// Begins the steps that are owed, as far as the ring has room: losses that nobody has read are
    /// not overwritten.
    fn work(&mut self) {
        let room = RING as u64 - (self.started - self.read);
        let steps = if self.trains { self.owed.min(room) } else { self.owed };
        if steps == 0 {
            return;
        }
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for _ in 0..steps {
            self.calls.iter().for_each(|call| call.encode(&mut pass));
        }
        drop(pass);
        self.owed -= steps;
        self.started += if self.trains { steps } else { 0 };
        self.counters.steps += steps;
        self.counters.dispatches += steps * self.calls.len() as u64;
        let reads = self.record_readback(&mut encoder);
        self.submit(encoder);
        if reads {
            self.readback.map();
        }
    }

    /// Overwrites a part of a replica's clock.
    fn write_clock(&mut self, replica: usize, member: usize, bytes: &[u8]) {
        let at = replica * size_of::<Clock>() + member;
        self.context.queue.write_buffer(&self.buffers[Graph::CLOCK.0], at as u64, bytes);
        self.counters.uploads += 1;
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.context
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("steps") })
    }
}

impl Backend for Gpu {
    fn device(&self) -> &Device {
        self.context.device()
    }

    fn program(&self) -> &Program {
        &self.program
    }

    fn write_to(&mut self, replica: usize, buffer: BufferId, data: &[f32]) {
        let Self { program, buffers, .. } = self;
        let crate::graph::Buffer { name, len, .. } = &program.buffers[buffer.0];
        assert!(
            data.len() as u64 <= *len && replica < program.replicas,
            "{} numbers are too many for {name}",
            data.len()
        );
        self.context.queue.write_buffer(
            &buffers[buffer.0],
            4 * replica as u64 * len,
            bytemuck::cast_slice(data),
        );
        self.counters.uploads += 1;
    }

    fn set_clocks(&mut self, clocks: &[Clock]) {
        assert_eq!(clocks.len(), self.program.replicas, "a clock a replica");
        self.context.queue.write_buffer(
            &self.buffers[Graph::CLOCK.0],
            0,
            bytemuck::cast_slice(clocks),
        );
        self.counters.uploads += 1;
        self.readback.outdate();
        (self.started, self.read) = (clocks[0].step.into(), clocks[0].step.into());
        (self.owed, self.halted) = (0, false);
    }

    fn set_rates(&mut self, peaks: Rates) {
        const { assert!(offset_of!(Clock, base_decay) == offset_of!(Clock, peak_rate) + 4) }
        for replica in 0..self.program.replicas {
            self.write_clock(
                replica,
                offset_of!(Clock, peak_rate),
                bytemuck::bytes_of(&[peaks.learning_rate, peaks.weight_decay]),
            );
        }
    }

    fn advance(&mut self, steps: u32) -> Result<()> {
        self.check()?;
        if !self.halted && !self.busy() {
            self.owed = steps.into();
            self.work();
        }
        Ok(())
    }

    fn busy(&self) -> bool {
        let in_flight = self.submits - self.submits_done.load(Ordering::Acquire);
        in_flight >= MAX_SUBMITS || self.owed > 0 || self.setup.pending()
    }

    fn request(&mut self, buffer: BufferId) {
        if !self.requested.contains(&buffer) {
            self.requested.push(buffer);
        }
    }

    fn poll_all(&mut self) -> Result<Vec<Progress>> {
        let _ = self.context.device.poll(wgpu::PollType::Poll);
        self.check()?;
        let arrived = self.readback.take(&self.context)?;
        if let Some(arrived) = &arrived {
            self.counters.maps_done += 1;
            arrived.again.iter().for_each(|id| self.request(*id));
            if !arrived.stale && self.trains {
                self.read = arrived
                    .progress
                    .iter()
                    .map(|progress| progress.step)
                    .max()
                    .unwrap_or(self.read);
                self.started = self.started.max(self.read);
                self.halted = arrived.progress.iter().all(|progress| progress.halted_at.is_some());
            }
        }
        if self.halted {
            (self.started, self.owed) = (self.read, 0); // what was started after the halt did nothing
        }
        self.work();
        if !self.readback.in_flight() && self.has_news() {
            let mut encoder = self.encoder();
            self.record_readback(&mut encoder);
            self.submit(encoder);
            self.readback.map();
        }
        Ok(arrived.filter(|arrived| !arrived.stale).map_or(vec![], |arrived| arrived.progress))
    }
}

impl Drop for Gpu {
    /// In the browser, buffers that are only dropped live until its garbage collector runs.
    fn drop(&mut self) {
        self.buffers.iter().chain([&self.dims]).for_each(wgpu::Buffer::destroy);
        self.readback.destroy();
    }
}
