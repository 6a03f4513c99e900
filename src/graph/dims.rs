//! The structs that Rust and WGSL share: `shaders/shared/dims.wgsl` declares the same members in
//! the same order, and `tests/shaders.rs` compares the two. All members are 4-byte scalars, so
//! there is no padding.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// Steps whose losses the device keeps until they are read.
pub const RING: usize = 4096;
/// Knots of a schedule.
pub const KNOTS: usize = 8;
/// Numbers in [`Clock`].
pub const CLOCK_LEN: usize = size_of::<Clock>() / 4;
/// [`Clock::halted_at`] of a run whose losses are all finite.
pub const RUNNING: u32 = u32::MAX;

/// What one kernel call needs to know of its sizes: the uniform at binding 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Dims {
    /// Sequences.
    pub batch: u32,
    /// Tokens a sequence.
    pub time: u32,
    /// Numbers a row of the input, without the constant 1.
    pub width_in: u32,
    /// Numbers a row of the output.
    pub width_out: u32,
    /// 1 if the input's rows are seen with a constant 1 appended.
    pub constant: u32,
    /// Rows of the gradient buffer; split s owns sequences `s·batch/splits .. (s+1)·batch/splits`.
    pub splits: u32,
    /// Where this call's weight starts in the parameters (and in each row of the gradients).
    pub weight: u32,
    /// Parameters in all.
    pub parameters: u32,
    /// The random stream.
    pub stream: u32,
    /// 1 to add to the output instead of overwriting it.
    pub accumulate: u32,
    /// The first time step that is kept.
    pub first: u32,
    /// 1 for half the squared error; for sequences in order.
    pub half: u32,
    /// Which of a kernel's variants: a nonlinearity.
    pub kind: u32,
}

/// A setting over training, on the device: value at `at[i]` steps is `value[i]`, between knots
/// linear or half a cosine.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Curve {
    /// Knots in use, at least 1.
    pub count: u32,
    /// 0: linear between knots; 1: half a cosine.
    pub cosine: u32,
    /// Steps, rising; equal neighbours make a jump.
    pub at: [f32; KNOTS],
    /// Values.
    pub value: [f32; KNOTS],
}

/// The state that the device advances by itself, so that a step uploads nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Clock {
    /// Steps started: 1 during the first step.
    pub step: u32,
    /// The first step whose loss was not finite, or [`RUNNING`]; once set, parameters no longer
    /// change.
    pub halted_at: u32,
    /// Seed of the data.
    pub seed: u32,
    /// Steps of linear warm-up of the learning rate.
    pub warmup: u32,
    /// Factor of the learning-rate curve (the peak rate); the user may change it while training.
    pub peak_rate: f32,
    /// Factor of the weight-decay curve; the user may change it while training.
    pub base_decay: f32,
    /// 1 − β₁.
    pub one_minus_beta1: f32,
    /// AdamW's ε.
    pub epsilon: f32,
    /// This step's learning rate.
    pub rate: f32,
    /// This step's weight decay.
    pub decay: f32,
    /// This step's 1 − β₂.
    pub one_minus_beta2: f32,
    /// 1 − Π β₁ over the steps so far.
    pub correction1: f32,
    /// 1 − Π β₂ over the steps so far.
    pub correction2: f32,
    /// Largest norm of all gradients together; 0 for any.
    pub clip: f32,
    /// By how much this step's norm is too large: norm / clip − 1, at least 0.
    pub excess: f32,
    /// Learning rate over training, as a factor.
    pub rate_curve: Curve,
    /// Weight decay over training, as a factor.
    pub decay_curve: Curve,
    /// 1 − β₂ over training.
    pub beta2_curve: Curve,
}

impl Curve {
    /// The same value at every step.
    pub fn constant(value: f32) -> Self {
        let mut curve = Self { count: 1, cosine: 0, at: [0.0; KNOTS], value: [0.0; KNOTS] };
        curve.value[0] = value;
        curve
    }
}

/// The rates that a user may change while a network trains: the peaks of their schedules, or what
/// they are in one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates<F = f32> {
    /// Learning rate.
    pub learning_rate: F,
    /// Weight decay.
    pub weight_decay: F,
}

/// A size as the device reads it.
pub(crate) fn as_u32(value: usize) -> u32 {
    u32::try_from(value).expect("sizes fit 32 bits")
}
