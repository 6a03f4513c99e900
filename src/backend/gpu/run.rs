//! [`Gpu`]: a program on a device. The training loop lives there: samples, step counter, schedules and losses
//! need nothing from the host, so every step is the same commands and one submit holds many of them.

use super::device::Context;
use super::pipeline::{self, MAX_TEACHER_DIM, Ready};
use super::readback::{self, Readback};
use super::Counters;
use crate::backend::{Backend, Device, Progress};
use crate::graph::dims::{Clock, RING, RUNNING};
use crate::graph::kernel::Kernel;
use crate::graph::program::Program;
use crate::graph::{BufferId, Graph, Storage};
use crate::{Error, Result};
use std::future::Future;
use std::mem::offset_of;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task;

/// Submits that may be in flight together: one that runs, one that waits, so the device is never idle.
const MAX_SUBMITS: u64 = 2;
/// More than any sensible run needs; an allocation of this size would rather stall the machine than fail.
const MAX_BYTES: u64 = 8 << 30;

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
    begun: u64,
    read: u64,
    halted: bool,
    submits: u64,
    submits_done: Arc<AtomicU64>,
    counters: Counters,
}

trait Caught: Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend {}
impl<T: Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend> Caught for T {}

/// Whether everything that the engine made was accepted; natively known at once, in the browser later.
enum Setup {
    Pending(Vec<Pin<Box<dyn Caught>>>),
    Done,
    Failed(Error),
}

impl Gpu {
    /// Allocates and compiles `program`. All buffers start as zeros, but for the mask of weight decay and a clock that runs.
    ///
    /// # Errors
    /// More memory than the device allows, or a device that refuses a buffer or a shader.
    pub fn new(context: Context, program: Program) -> Result<Self> {
        context.check()?;
        fits(&context, &program)?;
        let (device, queue) = (&context.device, &context.queue);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let allocate = |buffer: &crate::graph::Buffer| {
            let size = 4 * buffer.len.max(1) as u64;
            device.create_buffer(&wgpu::BufferDescriptor { label: Some(&buffer.name), size, usage, mapped_at_creation: false })
        };
        let buffers: Vec<wgpu::Buffer> = program.buffers.iter().map(allocate).collect();
        let dims = pipeline::dims_buffer(device, queue, &program);
        let calls = pipeline::prepare(device, &program, &dims, &buffers);
        let setup = Setup::Pending(vec![Box::pin(validation.pop()), Box::pin(internal.pop()), Box::pin(memory.pop())]);
        let uploads = program.calls.len() as u64;
        let mut gpu = Self {
            trains: [Kernel::ClockAdvance, Kernel::ReduceLoss].iter().all(|kernel| program.calls.iter().any(|call| call.kernel == *kernel)),
            context,
            buffers,
            dims,
            calls,
            setup,
            readback: Readback::default(),
            requested: vec![],
            begun: 0,
            read: 0,
            halted: false,
            submits: 0,
            submits_done: Arc::default(),
            counters: Counters { uploads, ..Counters::default() },
            program,
        };
        gpu.check()?;
        let running = bytemuck::bytes_of(&RUNNING);
        gpu.context.queue.write_buffer(&gpu.buffers[Graph::CLOCK.0], offset_of!(Clock, halted_at) as u64, running);
        gpu.counters.uploads += 1;
        let mask = gpu.program.params.decay_mask();
        if gpu.program.buffers[Graph::DECAY_MASK.0].len == mask.len() {
            gpu.write(Graph::DECAY_MASK, &mask);
        }
        Ok(gpu)
    }

    /// What was asked of the device so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Fills what kernels write (activations, gradients, rows of the loss) with `value`: tests find what was not written.
    pub fn fill(&mut self, value: f32) {
        for i in 0..self.buffers.len() {
            let buffer = &self.program.buffers[i];
            if matches!(buffer.storage, Storage::Activation { .. } | Storage::Gradients | Storage::LossRows) {
                let values = vec![value; buffer.len];
                self.write(BufferId(i), &values);
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
        self.calls[index].encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        self.counters.dispatches += 1;
        self.submit(encoder);
        Ok(())
    }

    /// Waits for everything that was begun or requested: for tests and the terminal.
    ///
    /// # Errors
    /// As [`Backend::poll`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&mut self) -> Result<Option<Progress>> {
        let mut all: Option<Progress> = None;
        loop {
            if let Some(mut next) = self.poll()? {
                if let Some(earlier) = all.take() {
                    next.losses.splice(0..0, earlier.losses);
                    next.tensors.splice(0..0, earlier.tensors);
                }
                all = Some(next);
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
        self.begun > self.read || !self.requested.is_empty()
    }

    fn check(&mut self) -> Result<()> {
        if let Setup::Pending(scopes) = &mut self.setup {
            let mut waker = task::Context::from_waker(task::Waker::noop());
            let mut caught = None;
            scopes.retain_mut(|scope| match scope.as_mut().poll(&mut waker) {
                task::Poll::Pending => true,
                task::Poll::Ready(error) => {
                    caught = caught.take().or(error);
                    false
                }
            });
            let done = scopes.is_empty();
            if let Some(error) = caught {
                self.setup = Setup::Failed(refusal(&error, &self.program));
            } else if done {
                self.setup = Setup::Done;
            }
        }
        self.context.check()?;
        if let Setup::Failed(error) = &self.setup { Err(error.clone()) } else { Ok(()) }
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
        self.readback.record(&self.context, encoder, &self.buffers, [self.read, self.begun], &mut self.requested);
        self.counters.maps += 1;
        self.counters.most_maps_in_flight = self.counters.most_maps_in_flight.max(self.counters.maps - self.counters.maps_done);
        true
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("steps") })
    }
}

impl Backend for Gpu {
    fn device(&self) -> &Device {
        self.context.info()
    }

    fn program(&self) -> &Program {
        &self.program
    }

    fn write(&mut self, buffer: BufferId, data: &[f32]) {
        let Self { program, buffers, .. } = self;
        assert!(data.len() <= program.buffers[buffer.0].len, "{} numbers are too many for {}", data.len(), program.buffers[buffer.0].name);
        self.context.queue.write_buffer(&buffers[buffer.0], 0, bytemuck::cast_slice(data));
        self.counters.uploads += 1;
    }

    fn set_clock(&mut self, clock: &Clock) {
        self.context.queue.write_buffer(&self.buffers[Graph::CLOCK.0], 0, bytemuck::bytes_of(clock));
        self.counters.uploads += 1;
        self.readback.outdate();
        (self.begun, self.read, self.halted) = (clock.step.into(), clock.step.into(), false);
    }

    fn set_rates(&mut self, peak_rate: f32, base_decay: f32) {
        const { assert!(offset_of!(Clock, base_decay) == offset_of!(Clock, peak_rate) + 4) }
        let at = offset_of!(Clock, peak_rate) as u64;
        self.context.queue.write_buffer(&self.buffers[Graph::CLOCK.0], at, bytemuck::bytes_of(&[peak_rate, base_decay]));
        self.counters.uploads += 1;
    }

    fn advance(&mut self, steps: u32) -> Result<()> {
        self.check()?;
        let room = RING as u64 - (self.begun - self.read); // losses that nobody has read are not overwritten
        let steps = if self.trains { u64::from(steps).min(room) } else { steps.into() };
        if steps == 0 || self.halted || self.busy() {
            return Ok(());
        }
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for _ in 0..steps {
            self.calls.iter().for_each(|call| call.encode(&mut pass));
        }
        drop(pass);
        self.counters.steps += steps;
        self.counters.dispatches += steps * self.calls.len() as u64;
        self.begun += if self.trains { steps } else { 0 };
        let reads = self.record_readback(&mut encoder);
        self.submit(encoder);
        if reads {
            self.readback.map();
        }
        Ok(())
    }

    fn busy(&self) -> bool {
        let in_flight = self.submits - self.submits_done.load(Ordering::Acquire);
        let full = self.begun - self.read >= RING as u64;
        in_flight >= MAX_SUBMITS || full || matches!(self.setup, Setup::Pending(_))
    }

    fn request(&mut self, buffer: BufferId) {
        if !self.requested.contains(&buffer) {
            self.requested.push(buffer);
        }
    }

    fn poll(&mut self) -> Result<Option<Progress>> {
        let _ = self.context.device.poll(wgpu::PollType::Poll);
        self.check()?;
        let arrived = self.readback.take(&self.context)?;
        if let Some(arrived) = &arrived {
            self.counters.maps_done += 1;
            arrived.again.iter().for_each(|id| self.request(*id));
            if !arrived.stale && self.trains {
                self.read = arrived.progress.step;
                self.begun = self.begun.max(self.read);
                self.halted = arrived.progress.halted_at.is_some();
            }
        }
        if self.halted {
            self.begun = self.read; // what was begun after the halt did nothing
        }
        if !self.readback.in_flight() && self.has_news() {
            let mut encoder = self.encoder();
            self.record_readback(&mut encoder);
            self.submit(encoder);
            self.readback.map();
        }
        Ok(arrived.filter(|arrived| !arrived.stale).map(|arrived| arrived.progress))
    }
}

impl Drop for Gpu {
    /// In the browser, buffers that are only dropped live until its garbage collector runs.
    fn drop(&mut self) {
        self.buffers.iter().chain([&self.dims]).for_each(wgpu::Buffer::destroy);
        self.readback.destroy();
    }
}

/// Refuses what the device cannot hold before anything is allocated.
fn fits(context: &Context, program: &Program) -> Result<()> {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let too_large = |what: &str, needed: u64, allowed: u64| Error::TooLarge {
        what: what.into(),
        needed_mib: mib(needed),
        device: context.info().name.clone(),
        allowed_mib: allowed >> 20,
    };
    let limits = &context.limits;
    let (name, largest) = program.largest();
    let allowed = u64::from(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size.saturating_sub(readback::FIXED_BYTES));
    if largest > allowed {
        return Err(too_large(&format!("the buffer \"{name}\""), largest, allowed));
    }
    if program.bytes() > MAX_BYTES {
        return Err(too_large("all its buffers", program.bytes(), MAX_BYTES));
    }
    let wide = |call: &&crate::graph::program::Call| call.kernel == Kernel::AttentionTeacher && call.dims.width_in > MAX_TEACHER_DIM;
    match program.calls.iter().find(wide) {
        Some(call) => Err(Error::setting("d", call.dims.width_in, format!("at most {MAX_TEACHER_DIM} for an attention teacher on the GPU"))),
        None => Ok(()),
    }
}

fn refusal(error: &wgpu::Error, program: &Program) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => {
            Error::Device(format!("its memory is too small for the {} MiB of this run; lower batch, T, n or m", program.bytes().div_ceil(1 << 20)))
        }
        other => Error::Device(other.to_string()),
    }
}
