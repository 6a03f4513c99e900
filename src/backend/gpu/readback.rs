//! One asynchronous copy back at a time: the clock, the losses since the last one, and requested
//! buffers go into a staging buffer at the end of a submit; a later poll finds it mapped.

use super::device::Context;
use crate::Result;
use crate::backend::{Progress, StepLoss};
use crate::graph::dims::{Clock, RING, RUNNING};
use crate::graph::program::Program;
use crate::graph::{BufferId, Graph};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const CLOCK_BYTES: u64 = size_of::<Clock>() as u64;
const LOSS_BYTES: u64 = size_of::<[f32; 2]>() as u64;

/// What a readback holds besides requested buffers, at most.
pub(super) fn fixed_bytes(replicas: usize) -> u64 {
    replicas as u64 * (CLOCK_BYTES + RING as u64 * LOSS_BYTES)
}

const PENDING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// The staging buffer and what is on its way into it.
#[derive(Default)]
pub(super) struct Readback {
    staging: Option<wgpu::Buffer>,
    flight: Option<Flight>,
}

struct Flight {
    state: Arc<AtomicU8>,
    replicas: usize,
    /// Steps whose losses were known before.
    read: u64,
    /// Losses that were copied: those of steps `read + 1 ..= read + losses`.
    losses: u64,
    /// Buffers that follow, with their bytes.
    tensors: Vec<(BufferId, u64)>,
    bytes: u64,
    /// The clock was overwritten since: the losses are another run's.
    stale: bool,
}

/// What a finished readback brought.
pub(super) struct Delivery {
    /// One per replica.
    pub(super) progress: Vec<Progress>,
    /// Requests to repeat, because the run they were for is over.
    pub(super) again: Vec<BufferId>,
    pub(super) stale: bool,
}

impl Readback {
    /// Whether a copy is on its way.
    pub(super) fn in_flight(&self) -> bool {
        self.flight.is_some()
    }

    /// The clock is about to be overwritten.
    pub(super) fn outdate(&mut self) {
        if let Some(flight) = &mut self.flight {
            flight.stale = true;
        }
    }

    /// Appends the copies to `encoder`: clocks, losses of steps `read + 1 ..= started`, then
    /// `requested` as far as a buffer may hold them (taken out of the list).
    pub(super) fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        program: &Program,
        buffers: &[wgpu::Buffer],
        [read, started]: [u64; 2],
        requested: &mut Vec<BufferId>,
    ) {
        let (replicas, losses) = (program.replicas as u64, started - read);
        let fixed = replicas * (CLOCK_BYTES + losses * LOSS_BYTES);
        let mut bytes = fixed;
        let fitting = requested.iter().take_while(|id| {
            bytes += buffers[id.0].size();
            bytes <= context.limits.max_buffer_size
        });
        let count = fitting.count();
        let tensors: Vec<(BufferId, u64)> =
            requested.drain(..count).map(|id| (id, buffers[id.0].size())).collect();
        let bytes = fixed + tensors.iter().map(|(_, size)| size).sum::<u64>();
        let staging = self.staging(context, bytes);

        encoder.copy_buffer_to_buffer(
            &buffers[Graph::CLOCK.0],
            0,
            staging,
            0,
            replicas * CLOCK_BYTES,
        );
        let ring = RING as u64;
        let first = read % ring;
        let head = losses.min(ring - first);
        for replica in 0..replicas {
            for (from, to, count) in [(first, 0, head), (0, head, losses - head)] {
                if count > 0 {
                    let from = (replica * ring + from) * LOSS_BYTES;
                    let to = replicas * CLOCK_BYTES + (replica * losses + to) * LOSS_BYTES;
                    encoder.copy_buffer_to_buffer(
                        &buffers[Graph::RING.0],
                        from,
                        staging,
                        to,
                        count * LOSS_BYTES,
                    );
                }
            }
        }
        let mut at = fixed;
        for (id, size) in &tensors {
            encoder.copy_buffer_to_buffer(&buffers[id.0], 0, staging, at, *size);
            at += size;
        }
        self.flight = Some(Flight {
            state: Arc::new(AtomicU8::new(PENDING)),
            replicas: program.replicas,
            read,
            losses,
            tensors,
            bytes,
            stale: false,
        });
    }

    /// Asks for the mapping, once the copies are submitted.
    pub(super) fn map(&self) {
        let (Some(staging), Some(flight)) = (&self.staging, &self.flight) else { return };
        let state = Arc::clone(&flight.state);
        staging.map_async(wgpu::MapMode::Read, 0..flight.bytes, move |result| {
            state.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
    }

    /// What arrived, if the mapping is done.
    ///
    /// # Errors
    /// The mapping failed: the device is gone.
    pub(super) fn take(&mut self, context: &Context) -> Result<Option<Delivery>> {
        let (Some(staging), Some(flight)) = (&self.staging, &self.flight) else { return Ok(None) };
        match flight.state.load(Ordering::Acquire) {
            PENDING => return Ok(None),
            MAPPED => {}
            _ => return Err(context.lose("reading back failed")),
        }
        let view =
            staging.get_mapped_range(0..flight.bytes).map_err(|e| context.lose(&e.to_string()))?;
        let arrived = flight.decode(&view);
        drop(view);
        staging.unmap();
        self.flight = None;
        Ok(Some(arrived))
    }

    pub(super) fn destroy(&self) {
        if let Some(staging) = &self.staging {
            staging.destroy();
        }
    }

    fn staging(&mut self, context: &Context, bytes: u64) -> &wgpu::Buffer {
        if let Some(small) = self.staging.take_if(|staging| staging.size() < bytes) {
            small.destroy();
        }
        self.staging.get_or_insert_with(|| {
            let size = bytes.max(fixed_bytes(1));
            let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
            context.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("readback"),
                size,
                usage,
                mapped_at_creation: false,
            })
        })
    }
}

impl Flight {
    fn decode(&self, bytes: &[u8]) -> Delivery {
        let (clocks, rest) = bytes.split_at(self.replicas * size_of::<Clock>());
        let losses_bytes = self.losses as usize * size_of::<[f32; 2]>();
        let (losses, mut rest) = rest.split_at(self.replicas * losses_bytes);
        let progress = |replica: usize| {
            let clock: Clock = bytemuck::pod_read_unaligned(
                &clocks[replica * size_of::<Clock>()..][..size_of::<Clock>()],
            );
            let step = u64::from(clock.step);
            let known = step.saturating_sub(self.read) as usize; // a run that halted has fewer than were started
            let pair = |bytes: &[u8]| bytemuck::pod_read_unaligned::<[f32; 2]>(bytes);
            let losses = losses[replica * losses_bytes..][..losses_bytes]
                .chunks_exact(size_of::<[f32; 2]>())
                .take(known)
                .map(pair);
            Progress {
                step,
                losses: losses.map(|[loss, power]| StepLoss { loss, power }).collect(),
                halted_at: (clock.halted_at != RUNNING).then_some(clock.halted_at.into()),
                tensors: vec![],
            }
        };
        let mut progress: Vec<Progress> = (0..self.replicas).map(progress).collect();
        for (id, size) in &self.tensors {
            let (own, others) = rest.split_at(*size as usize);
            for (part, progress) in own.chunks_exact(own.len() / self.replicas).zip(&mut progress) {
                progress.tensors.push((*id, bytemuck::pod_collect_to_vec(part)));
            }
            rest = others;
        }
        let again =
            if self.stale { self.tensors.iter().map(|(id, _)| *id).collect() } else { vec![] };
        Delivery { progress, again, stale: self.stale }
    }
}
