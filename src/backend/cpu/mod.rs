//! The CPU engine: each kernel's twin, run split by split so that a block of sequences stays in one
//! core's cache from its samples to its gradients. Generic over `f32` (the app) and `f64` (gradient
//! checks).
//!
//! The splits and the order of all sums are the program's, so any number of threads gives the same
//! bits.

mod memory;
mod replica;
mod twin;

macro_rules! modules {
    ($($file:ident [$($shared:ident)*] { $($row:tt)* })*) => { $(pub mod $file;)* };
}
// The twins: a file for each shader. `cargo fmt` does not find them; `tests/rooms.rs` looks at them.
kernels!(modules);

use super::{Backend, Device, DeviceKind, Progress};
use crate::graph::call::Call;
use crate::graph::dims::{Clock, Rates};
use crate::graph::op::{Kernel, kernels};
use crate::graph::program::Program;
use crate::graph::{BufferId, numbers};
use crate::math::float::Float;
use crate::{Error, Result};
pub use memory::Block;
use rayon::prelude::*;
use replica::Replica;

/// A program on the processor.
pub struct Cpu<F> {
    program: Program,
    device: Device,
    replicas: Vec<Replica<F>>,
    requested: Vec<BufferId>,
    /// Present with two threads or more; a browser has one.
    pool: Option<rayon::ThreadPool>,
}

impl<F: Float> Cpu<F> {
    /// Allocates `program` for `threads` threads (0: all of the machine's).
    ///
    /// # Errors
    /// More memory than `memory_limit` bytes, or no thread could be started.
    pub fn new(program: Program, threads: usize, memory_limit: u64) -> Result<Self> {
        let needed = bytes(&program, size_of::<F>());
        if needed > memory_limit {
            let (mib, device) =
                (|bytes: u64| bytes.div_ceil(1 << 20), "this machine's free memory".to_owned());
            return Err(Error::TooLarge {
                what: "all its buffers".into(),
                needed_mib: mib(needed),
                device,
                allowed_mib: mib(memory_limit),
            });
        }
        let threads = available_threads(threads).min(program.replicas * program.splits);
        let device = Device {
            kind: DeviceKind::Cpu,
            name: format!("{threads} thread{}", if threads == 1 { "" } else { "s" }),
            interface: String::new(),
            software: false,
        };
        let replicas = (0..program.replicas).map(|_| Replica::new(&program)).collect();
        Ok(Self { device, replicas, requested: vec![], pool: pool(threads)?, program })
    }

    /// Overwrites a buffer of the first replica in the engine's own precision.
    pub fn write_exact(&mut self, buffer: BufferId, data: &[F]) {
        self.replicas[0].memory.write(&self.program, buffer, data);
    }

    /// A buffer's content in the engine's own precision, of the first replica; gradients split by
    /// split.
    pub fn read_exact(&self, buffer: BufferId) -> Vec<F> {
        self.replicas[0].memory.read(&self.program, buffer)
    }

    /// Runs one call on all it owns: what the tests of single kernels use.
    pub fn run_call(&mut self, call: &Call) {
        self.replicas.iter_mut().for_each(|replica| replica.run_call(call));
    }

    /// Runs the calls that work on sequences once: a forward program's whole work.
    pub fn forward(&mut self) {
        let Self { program, replicas, pool, .. } = self;
        each(pool.as_ref(), replicas, |replica, spread| replica.sequences(&program.calls, spread));
    }
}

/// Bytes of all buffers, and beside them of what a gate's reverse kernels keep: the gradient of its
/// two sides.
fn bytes(program: &Program, size: usize) -> u64 {
    let widest = program
        .calls
        .iter()
        .filter(|call| call.kernel == Kernel::BilinearBackwardWeight)
        .map(|call| 2 * call.dims.width_out as usize)
        .max();
    let kept = numbers(&[widest.unwrap_or(0), program.replicas, program.batch, program.time, size]);
    (program.bytes() / 4).saturating_mul(size as u64).saturating_add(kept)
}

/// Does `work` on every replica, on the pool's threads if there is one: those that have none left
/// to begin help the others.
fn each<F: Float>(
    pool: Option<&rayon::ThreadPool>,
    replicas: &mut [Replica<F>],
    work: impl Fn(&mut Replica<F>, bool) + Send + Sync,
) {
    match pool {
        Some(pool) => pool.install(|| {
            replicas.par_iter_mut().with_max_len(1).for_each(|replica| work(replica, true))
        }),
        None => replicas.iter_mut().for_each(|replica| work(replica, false)),
    }
}

impl<F: Float> Backend for Cpu<F> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn program(&self) -> &Program {
        &self.program
    }

    fn write_to(&mut self, replica: usize, buffer: BufferId, data: &[f32]) {
        let exact: Vec<F> = data.iter().map(|&v| F::of(v.into())).collect();
        self.replicas[replica].memory.write(&self.program, buffer, &exact);
    }

    fn set_clocks(&mut self, clocks: &[Clock]) {
        assert_eq!(clocks.len(), self.replicas.len(), "a clock a replica");
        self.replicas.iter_mut().zip(clocks).for_each(|(replica, clock)| replica.set_clock(clock));
    }

    fn set_rates(&mut self, peaks: Rates) {
        self.replicas.iter_mut().for_each(|replica| replica.set_rates(peaks));
    }

    fn advance(&mut self, steps: u32) -> Result<()> {
        if !self.program.calls.iter().any(|call| call.kernel == Kernel::ClockAdvance) {
            self.forward();
            return Ok(());
        }
        let Self { program, replicas, pool, .. } = self;
        each(pool.as_ref(), replicas, |replica, spread| {
            for _ in 0..steps {
                if replica.halted() {
                    break;
                }
                replica.step(&program.calls, spread);
            }
        });
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

    fn poll_all(&mut self) -> Result<Vec<Progress>> {
        let Self { program, replicas, requested, .. } = self;
        if requested.is_empty() && !replicas.iter().any(Replica::has_news) {
            return Ok(vec![]);
        }
        let requested = std::mem::take(requested);
        Ok(replicas.iter_mut().map(|replica| replica.progress(program, &requested)).collect())
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
    if asked > 0 {
        asked
    } else {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }
}

fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>> {
    if threads < 2 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Some).map_err(|e| Error::System {
        what: format!("starting {threads} threads"),
        problem: e.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// A program of so many numbers that their product wraps, in the 32 bits of wasm or in 64.
    #[test]
    fn too_large_is_refused_whatever_its_product_wraps_to() {
        for [batch, time, width] in [[1 << 10, 1 << 10, 1 << 12], [1 << 31, 1 << 31, 4]] {
            let mut graph = Graph::new(batch, time);
            let x = graph.input("x", width);
            graph.linear("y", x, 1);
            let program = Program::forward(graph);
            assert_eq!(batch.wrapping_mul(time).wrapping_mul(width) as u32, 0, "it wraps");
            let (name, bytes) = program.largest();
            assert!(name == "x" && bytes >= 1 << 34, "{name}: {bytes}");
            let refused = Cpu::<f32>::new(program.replicated(3), 1, 1 << 32).map(|_| ());
            assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
        }
    }
}
