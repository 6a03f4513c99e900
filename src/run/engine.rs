//! Which engine trains: the GPU, or the CPU engine where there is none or it refuses.

use super::notice::Notice;
#[cfg(feature = "gpu")]
use crate::backend::gpu::{Context, Gpu};
use crate::backend::{Backend, cpu::Cpu};
use crate::graph::program::Program;
use crate::recipe::Engine;
use crate::train::session::{Member, Session};
use crate::{Error, Result};

/// What a training may use.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// Which engine it asks for.
    pub engine: Engine,
    /// CPU threads, 0 for all.
    pub threads: usize,
    /// Bytes that the CPU engine may take.
    pub memory_limit: u64,
}

/// Trainings that are loaded.
pub struct Trainings {
    /// Ready to advance.
    pub session: Session,
    /// What the user should know of the choice.
    pub notice: Option<Notice>,
    /// The GPU that it runs on.
    #[cfg(feature = "gpu")]
    pub gpu: Option<Context>,
}

/// Milliseconds of work between two looks at the commands.
const PIECE_MS: f64 = 12.0;

/// Loads `members`, which are of one shape, where `means` wants them.
///
/// # Errors
/// No device of the kind that was asked for, or not enough memory.
pub async fn open(members: &[Member<'_>], means: Resources) -> Result<Trainings> {
    let on_cpu = |notice: Option<Notice>| -> Result<Trainings> {
        let open = |program: Program| -> Result<Box<dyn Backend>> {
            Ok(Box::new(Cpu::<f32>::new(program, means.threads, means.memory_limit)?))
        };
        let session = Session::together(members, PIECE_MS, open)?;
        Ok(Trainings {
            session,
            notice,
            #[cfg(feature = "gpu")]
            gpu: None,
        })
    };
    if means.engine == Engine::Cpu {
        return on_cpu(None);
    }
    match on_gpu(members, means.engine).await {
        Err(error) if means.engine == Engine::Auto => {
            on_cpu(cfg!(feature = "gpu").then_some(Notice::OnCpu(error)))
        }
        opened => opened,
    }
}

#[cfg(feature = "gpu")]
async fn on_gpu(members: &[Member<'_>], engine: Engine) -> Result<Trainings> {
    let context = Context::open().await?;
    if engine == Engine::Auto && context.device().software {
        return Err(Error::NoGpu(format!(
            "{} only simulates a GPU, which is slower than the CPU engine",
            context.device().name
        )));
    }
    let session =
        Session::together(members, PIECE_MS, |program: Program| -> Result<Box<dyn Backend>> {
            Ok(Box::new(Gpu::new(&context, program)?))
        })?;
    Ok(Trainings { session, notice: None, gpu: Some(context) })
}

#[cfg(not(feature = "gpu"))]
#[allow(clippy::unused_async, reason = "with a GPU it waits")]
async fn on_gpu(_: &[Member<'_>], _: Engine) -> Result<Trainings> {
    Err(Error::NoGpu("this build has no GPU engine".into()))
}
