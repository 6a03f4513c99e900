//! Whether a program fits the device, and whether the device accepted all that was made for it.
//! Natively that is known at once; in the browser a later poll finds out.

use super::device::Context;
use super::pipeline::{MAX_STATE, MAX_TEACHER_DIM};
use super::readback;
use crate::graph::kernel::Grid;
use crate::graph::op::Kernel;
use crate::graph::program::Program;
use crate::{Error, Result};
use std::future::Future;
use std::pin::Pin;
use std::task;

/// More than any sensible run needs; an allocation of this size would rather stall the machine than
/// fail.
const MAX_BYTES: u64 = 8 << 30;

/// Refuses what the device cannot hold before anything is allocated.
pub(super) fn fits(context: &Context, program: &Program) -> Result<()> {
    let too_large = |what: &str, needed: u64, allowed: u64| Error::TooLarge {
        what: what.into(),
        needed_mib: needed.div_ceil(1 << 20),
        device: context.device().name.clone(),
        allowed_mib: allowed >> 20,
    };
    let limits = &context.limits;
    let (name, largest) = program.largest();
    let allowed = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size.saturating_sub(readback::fixed_bytes(program.replicas)));
    if largest > allowed {
        return Err(too_large(&format!("the buffer \"{name}\""), largest, allowed));
    }
    if program.bytes() > MAX_BYTES {
        return Err(too_large("all its buffers", program.bytes(), MAX_BYTES));
    }
    let widest = program
        .calls
        .iter()
        .filter(|call| call.kernel.grid() == Grid::Sequence)
        .map(|call| call.dims.width_out)
        .max()
        .unwrap_or(0);
    if widest > MAX_STATE {
        return Err(Error::setting(
            "n",
            widest,
            format!("at most {MAX_STATE} for this layer on the GPU"),
        ));
    }
    let teacher = program.calls.iter().find(|call| call.kernel == Kernel::AttentionTeacher);
    match teacher.map(|call| call.dims.width_in) {
        Some(d) if d > MAX_TEACHER_DIM => Err(Error::setting(
            "d",
            d,
            format!("at most {MAX_TEACHER_DIM} for an attention teacher on the GPU"),
        )),
        _ => Ok(()),
    }
}

pub(super) trait CaughtError:
    Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend
{
}
impl<T: Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend> CaughtError for T {}

/// Catches the errors of everything that is made between `open` and `close`.
pub(super) struct Scopes([wgpu::ErrorScopeGuard; 3]);

impl Scopes {
    pub(super) fn open(device: &wgpu::Device) -> Self {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        Self([OutOfMemory, Internal, Validation].map(|filter| device.push_error_scope(filter)))
    }

    pub(super) fn close(self) -> Setup {
        let [memory, internal, validation] = self.0;
        Setup::Pending(vec![
            Box::pin(validation.pop()),
            Box::pin(internal.pop()),
            Box::pin(memory.pop()),
        ])
    }
}

/// Whether everything that was made was accepted.
pub(super) enum Setup {
    Pending(Vec<Pin<Box<dyn CaughtError>>>),
    Done,
    Failed(Error),
}

impl Setup {
    /// Looks for answers, without waiting.
    pub(super) fn poll(&mut self, program: &Program) {
        let Self::Pending(scopes) = self else { return };
        let mut waker = task::Context::from_waker(task::Waker::noop());
        let mut caught = None;
        scopes.retain_mut(|scope| match scope.as_mut().poll(&mut waker) {
            task::Poll::Pending => true,
            task::Poll::Ready(error) => {
                caught = caught.take().or(error);
                false
            }
        });
        if let Some(error) = caught {
            *self = Self::Failed(refusal(&error, program));
        } else if scopes.is_empty() {
            *self = Self::Done;
        }
    }

    pub(super) fn pending(&self) -> bool {
        matches!(self, Self::Pending(_))
    }

    /// What was refused, if anything.
    pub(super) fn check(&self) -> Result<()> {
        if let Self::Failed(error) = self { Err(error.clone()) } else { Ok(()) }
    }
}

fn refusal(error: &wgpu::Error, program: &Program) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::Device(format!(
            "its memory is too small for the {} MiB of this run; lower batch, T or the sizes of the network",
            program.bytes().div_ceil(1 << 20)
        )),
        other => Error::Device(other.to_string()),
    }
}
