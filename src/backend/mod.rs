//! Runs a [`Program`]: [`cpu`] and, with the feature `gpu`, [`gpu`]. Imports `math` and `graph`.
//!
//! A backend is polled, never waited for: [`Backend::advance`] starts steps, a later
//! [`Backend::poll`] says how far they came and brings the tensors that were asked for.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::Result;
use crate::graph::dims::{Clock, Rates};
use crate::graph::{BufferId, program::Program};
use crate::named::named;
use serde::{Deserialize, Serialize};

/// A running program on some device.
pub trait Backend {
    /// What it runs on.
    fn device(&self) -> &Device;

    /// The program.
    fn program(&self) -> &Program;

    /// Overwrites a replica's part of a buffer from its start; takes effect before the next steps.
    fn write_to(&mut self, replica: usize, buffer: BufferId, data: &[f32]);

    /// [`Backend::write_to`] for the first replica.
    fn write(&mut self, buffer: BufferId, data: &[f32]) {
        self.write_to(0, buffer, data);
    }

    /// Overwrites the clocks: step, seed, schedules; one per replica, all at the same step.
    fn set_clocks(&mut self, clocks: &[Clock]);

    /// [`Backend::set_clocks`] with the same clock for all.
    fn set_clock(&mut self, clock: &Clock) {
        self.set_clocks(&vec![*clock; self.program().replicas]);
    }

    /// Changes the peak learning rate and the base weight decay of every replica, from the next
    /// step on.
    fn set_rates(&mut self, peaks: Rates);

    /// Starts `steps` steps (a forward program: evaluations). Does nothing while [`Backend::busy`].
    ///
    /// # Errors
    /// The device was lost or refused the work.
    fn advance(&mut self, steps: u32) -> Result<()>;

    /// Whether as much work is in flight as the device should hold.
    fn busy(&self) -> bool;

    /// Asks for a buffer's content; it comes with a later [`Progress`].
    fn request(&mut self, buffer: BufferId);

    /// What has happened since the last call, one per replica; empty if nothing arrived. Never
    /// blocks.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    fn poll_all(&mut self) -> Result<Vec<Progress>>;

    /// [`Backend::poll_all`] for the first replica.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    fn poll(&mut self) -> Result<Option<Progress>> {
        Ok(self.poll_all()?.into_iter().next())
    }
}

/// What a backend runs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// `cpu` or `gpu`.
    pub kind: DeviceKind,
    /// The processor's threads, or the adapter's name.
    pub name: String,
    /// The graphics interface: `Vulkan`, `Metal`, `WebGPU` …; empty for the CPU engine.
    pub interface: String,
    /// A GPU that is simulated by the processor (lavapipe, SwiftShader).
    pub software: bool,
}

named! {
    /// Which engine.
    pub enum DeviceKind {
        /// Our CPU engine.
        Cpu = "cpu";
        /// WGSL compute shaders.
        Gpu = "gpu";
    }
}

/// One step's loss and the mean square of its targets; their ratio is the nMSE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepLoss {
    /// Mean over batch, time and outputs of (ŷ − y)².
    pub loss: f32,
    /// Mean over batch, time and outputs of y².
    pub power: f32,
}

/// What came back from the device, of one replica.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Steps done.
    pub step: u64,
    /// Losses of the steps since the last progress, the newest last. Steps that left the ring
    /// unread are missing.
    pub losses: Vec<StepLoss>,
    /// The first step whose loss was not finite.
    pub halted_at: Option<u64>,
    /// Contents that were requested.
    pub tensors: Vec<(BufferId, Vec<f32>)>,
}

impl Progress {
    /// The content of `buffer`, if it came.
    pub fn tensor(&self, buffer: BufferId) -> Option<&[f32]> {
        self.tensors.iter().find(|(id, _)| *id == buffer).map(|(_, data)| data.as_slice())
    }
}
