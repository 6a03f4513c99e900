//! What the GPU tests share: a device or a visible skip, small programs, a comparator.

use gatelens::backend::cpu::Cpu;
use gatelens::backend::gpu::Context;
use gatelens::graph::dims::{Clock, Curve, RUNNING};
use gatelens::graph::program::Program;
use gatelens::graph::{Graph, Var};
use gatelens::model::Architecture;

/// A device, or a printed skip; with REQUIRE_GPU=1 a missing device fails the test.
pub fn context() -> Option<Context> {
    match Context::headless() {
        Ok(context) => Some(context),
        Err(error) => {
            assert!(std::env::var("REQUIRE_GPU").is_err(), "REQUIRE_GPU is set, but {error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// Sizes of a small training.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub batch: usize,
    pub time: usize,
    pub dim: usize,
}

/// The teacher-student training of `model`.
pub fn training(model: Architecture, sizes: Sizes) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let (x, y): (Var, Var) = gatelens::task::attention::record(&mut graph, sizes.dim);
    let prediction = model.forward(&mut graph, x, sizes.dim);
    graph.squared_error(prediction, y);
    Program::training(graph)
}

/// A clock at step 0 with constant rates.
pub fn clock(seed: u32, peak_rate: f32) -> Clock {
    Clock {
        step: 0,
        halted_at: RUNNING,
        seed,
        warmup: 10,
        peak_rate,
        base_decay: 1e-2,
        one_minus_beta1: 0.1,
        epsilon: 1e-8,
        rate: 0.0,
        decay: 0.0,
        one_minus_beta2: 0.0,
        correction1: 0.0,
        correction2: 0.0,
        rate_curve: Curve::constant(1.0),
        decay_curve: Curve::constant(1.0),
        beta2_curve: Curve::constant(1e-3),
    }
}

/// The twin of `program`.
pub fn cpu(program: &Program) -> Cpu<f32> {
    Cpu::new(program.clone(), 1, 1 << 30).expect("the CPU engine starts")
}
