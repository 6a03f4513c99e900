//! A GPU that the engine may use, and what went wrong with it. Nothing here panics: a lost device
//! and an error that no one caught are remembered, and every later call of the engine reports them.

use crate::backend::{Device, DeviceKind};
use crate::{Error, Result};
use std::sync::{Arc, OnceLock};

/// A device and its queue, shared with the window or of its own.
#[derive(Debug, Clone)]
pub struct Context {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) limits: wgpu::Limits,
    info: Device,
    faults: Arc<Faults>,
}

/// Written by wgpu's handlers, from any thread.
#[derive(Debug, Default)]
struct Faults {
    lost: OnceLock<String>,
    refused: OnceLock<String>,
}

impl Context {
    /// The device that eframe made. Installs handlers for lost devices and uncaught errors in place
    /// of whatever was there, with nothing remembered: call it again to start anew after an
    /// error.
    ///
    /// # Errors
    /// The adapter cannot run compute shaders (WebGL, OpenGL).
    pub fn shared(
        adapter: &wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self> {
        let info = described(&adapter.get_info());
        usable(adapter)?;
        let faults = Arc::new(Faults::default());
        let (lost, refused) = (Arc::clone(&faults), Arc::clone(&faults));
        device.set_device_lost_callback(move |reason, message| {
            let what =
                if message.is_empty() { format!("{reason:?}").to_lowercase() } else { message };
            log::error!("the GPU was lost: {what}");
            let _ = lost.lost.set(what);
        });
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            log::error!("the GPU refused the work: {error}");
            let _ = refused.refused.set(error.to_string());
        }));
        Ok(Self { limits: device.limits(), device, queue, info, faults })
    }

    /// A device of its own on the best adapter: a real GPU before a simulated one.
    ///
    /// # Errors
    /// There is none, or it gives no device.
    pub async fn open() -> Result<Self> {
        let Some(adapter) = usable_adapters().await.into_iter().next() else {
            let reason = if cfg!(target_arch = "wasm32") {
                "this browser gives no WebGPU adapter"
            } else {
                "no adapter offers Vulkan, Metal or DX12 with compute shaders"
            };
            return Err(Error::NoGpu(reason.into()));
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gatelens"),
            required_limits: wanted_limits(&adapter),
            ..Default::default()
        };
        let made = adapter.request_device(&descriptor).await;
        let (device, queue) = made.map_err(|e| {
            Error::NoGpu(format!("{} gives no device: {e}", described(&adapter.get_info()).name))
        })?;
        Self::shared(&adapter, device, queue)
    }

    /// What it is.
    pub fn device(&self) -> &Device {
        &self.info
    }

    /// Whether the device still works.
    ///
    /// # Errors
    /// It was lost, or refused some work since this context was made.
    pub fn check(&self) -> Result<()> {
        if let Some(reason) = self.faults.lost.get() {
            return Err(Error::DeviceLost(reason.clone()));
        }
        self.faults.refused.get().map_or(Ok(()), |what| Err(Error::Device(what.clone())))
    }

    /// Remembers a loss that no handler was told of.
    pub(super) fn lose(&self, reason: &str) -> Error {
        let _ = self.faults.lost.set(reason.into());
        Error::DeviceLost(self.faults.lost.get().map_or(reason, String::as_str).into())
    }

    /// Takes the device away, as a driver's reset would: for tests of what follows.
    pub fn destroy(&self) {
        self.device.destroy();
        let _ = self.device.poll(wgpu::PollType::Poll);
    }
}

/// What to ask of an adapter: WebGPU's default limits, or less where it has less, and buffers as
/// large as it allows.
pub fn wanted_limits(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let allowed = adapter.limits();
    wgpu::Limits {
        max_storage_buffer_binding_size: allowed.max_storage_buffer_binding_size,
        max_buffer_size: allowed.max_buffer_size,
        ..wgpu::Limits::default().or_worse_values_from(&allowed)
    }
}

/// Every adapter that the engine could use, the best first.
#[cfg(not(target_arch = "wasm32"))]
pub fn enumerate() -> Vec<Device> {
    pollster::block_on(usable_adapters())
        .iter()
        .map(|adapter| described(&adapter.get_info()))
        .collect()
}

async fn usable_adapters() -> Vec<wgpu::Adapter> {
    let descriptor = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
    if adapters.iter().any(|adapter| adapter.get_info().backend == wgpu::Backend::BrowserWebGpu) {
        // A browser names one adapter, and not the fast one unless it is asked to.
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        adapters.splice(0..0, instance.request_adapter(&options).await);
    }
    adapters.retain(|adapter| usable(adapter).is_ok());
    adapters.sort_by_key(rank);
    adapters
}

fn rank(adapter: &wgpu::Adapter) -> u8 {
    match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn usable(adapter: &wgpu::Adapter) -> Result<()> {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let compute =
        adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    if info.backend == wgpu::Backend::Gl || !compute {
        return Err(Error::NoGpu(format!(
            "{} runs over {}, which has no compute shaders",
            info.name,
            interface(info.backend)
        )));
    }
    if limits.max_storage_buffers_per_shader_stage < 8
        || limits.max_compute_invocations_per_workgroup < 256
    {
        return Err(Error::NoGpu(format!("{} stays below WebGPU's default limits", info.name)));
    }
    Ok(())
}

fn described(info: &wgpu::AdapterInfo) -> Device {
    Device {
        kind: DeviceKind::Gpu,
        name: if info.name.is_empty() { "GPU".into() } else { info.name.clone() },
        interface: interface(info.backend).into(),
        software: info.device_type == wgpu::DeviceType::Cpu,
    }
}

fn interface(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Noop => "none",
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "DX12",
        wgpu::Backend::Gl => "OpenGL",
        wgpu::Backend::BrowserWebGpu => "WebGPU",
    }
}
