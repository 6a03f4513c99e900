//! What the GPU tests share: small programs, a comparator.

use gatelens::backend::cpu::Cpu;
use gatelens::graph::dims::{Clock, Curve, RUNNING};
use gatelens::graph::program::Program;
use gatelens::graph::{Graph, Var};
use gatelens::model::Architecture;

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
    let prediction = model.forward(&mut graph, x, sizes.dim, sizes.time);
    graph.squared_error(prediction, y, false);
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
        clip: 0.5,
        rate: 0.0,
        decay: 0.0,
        one_minus_beta2: 0.0,
        correction1: 0.0,
        correction2: 0.0,
        excess: 0.0,
        rate_curve: Curve::constant(1.0),
        decay_curve: Curve::constant(1.0),
        beta2_curve: Curve::constant(1e-3),
    }
}

/// The twin of `program`.
pub fn cpu(program: &Program) -> Cpu<f32> {
    Cpu::new(program.clone(), 1, 1 << 30).expect("the CPU engine starts")
}

/// What poisoned outputs hold before a kernel runs.
pub const POISON: f32 = -12345.0;

/// ‖actual − expected‖ / ‖expected‖, or why the two cannot be compared.
pub fn relative_error(actual: &[f32], expected: &[f32]) -> Result<f64, String> {
    if actual.len() != expected.len() {
        return Err(format!("{} numbers instead of {}", actual.len(), expected.len()));
    }
    if let Some(i) =
        actual.iter().zip(expected).position(|(a, e)| !(a.is_finite() && e.is_finite()))
    {
        return Err(format!("number {i} is {} instead of {}", actual[i], expected[i]));
    }
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
    let difference =
        square(&mut actual.iter().zip(expected).map(|(&a, &e)| f64::from(a) - f64::from(e)));
    let norm = square(&mut expected.iter().map(|&e| f64::from(e)));
    Ok(if difference == 0.0 { 0.0 } else { (difference / norm).sqrt() })
}

/// Fails unless both are equal to `tolerance`.
pub fn assert_close(what: &str, actual: &[f32], expected: &[f32], tolerance: f64) {
    match relative_error(actual, expected) {
        Ok(error) => {
            assert!(error <= tolerance, "{what}: relative error {error:e} is above {tolerance:e}")
        }
        Err(problem) => panic!("{what}: {problem}"),
    }
}
