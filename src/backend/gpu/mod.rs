//! The GPU engine: WGSL compute shaders over wgpu, natively (Vulkan, Metal, DX12) and in the
//! browser (WebGPU). Imports `math` and `graph`; the only room, with `app`, that knows wgpu.
//!
//! - [`device`]: an adapter and what went wrong with it
//! - `setup`: whether a program fits, and whether the device accepted it
//! - [`pipeline`]: a program's calls as pipelines, bind groups and dispatch sizes, made once
//! - [`run`]: [`Gpu`], the [`super::Backend`]: many steps per submit, no upload per step, never waits
//! - [`readback`]: one asynchronous copy back at a time: losses, clock, requested buffers

pub mod device;
pub mod pipeline;
pub mod readback;
pub mod run;
mod setup;

#[cfg(not(target_arch = "wasm32"))]
pub use device::enumerate;
pub use device::{Context, wanted_limits};
pub use run::Gpu;

/// What the engine has asked of the device so far; tests hold it to the promises of [`run`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Steps started.
    pub steps: u64,
    /// Kernels started.
    pub dispatches: u64,
    /// Writes from the host, setting up included.
    pub uploads: u64,
    /// Submits.
    pub submits: u64,
    /// Mappings asked for.
    pub maps: u64,
    /// Mappings finished.
    pub maps_done: u64,
    /// The most mappings that were ever in flight together.
    pub most_maps_in_flight: u64,
}
