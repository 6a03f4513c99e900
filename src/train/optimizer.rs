//! AdamW's settings and the clock that they make (paper.md, section 3).

use super::schedule::Schedule;
use crate::backend::cpu::clock::State;
use crate::graph::dims::{Clock, RUNNING};
use serde::{Deserialize, Serialize};

/// AdamW with decoupled weight decay on every parameter but ν.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimizer {
    /// Steps in all.
    pub steps: u32,
    /// Peak learning rate.
    pub learning_rate: f32,
    /// Learning rate over training, as a factor of the peak.
    pub rate_schedule: Schedule,
    /// Steps of linear warm-up.
    pub warmup: u32,
    /// Base weight decay.
    pub weight_decay: f32,
    /// Weight decay over training, as a factor of the base.
    pub decay_schedule: Schedule,
    /// β₁.
    pub beta1: f32,
    /// β₂ over training.
    pub beta2: Schedule,
    /// ε.
    pub epsilon: f32,
    /// Largest norm of all gradients together; 0 for any.
    #[serde(default)]
    pub clip: f32,
}

impl Optimizer {
    /// The clock after `step` steps, with the data seed `seed`.
    pub fn clock(&self, seed: u32, step: u32) -> Clock {
        let start = Clock {
            step: 0,
            halted_at: RUNNING,
            seed,
            warmup: self.warmup,
            peak_rate: self.learning_rate,
            base_decay: self.weight_decay,
            one_minus_beta1: complement(self.beta1),
            epsilon: self.epsilon,
            rate: 0.0,
            decay: 0.0,
            one_minus_beta2: 0.0,
            correction1: 0.0,
            correction2: 0.0,
            clip: self.clip,
            excess: 0.0,
            rate_curve: self.rate_schedule.curve(self.steps, |v| v),
            decay_curve: self.decay_schedule.curve(self.steps, |v| v),
            beta2_curve: self.beta2.curve(self.steps, complement),
        };
        let mut state = State::<f32>::new(&start);
        (0..step).for_each(|_| state.advance()); // replays the bias corrections, as β₂ may have changed
        Clock {
            step,
            rate: state.rate,
            decay: state.decay,
            one_minus_beta2: state.one_minus_beta2,
            correction1: state.correction1,
            correction2: state.correction2,
            ..start
        }
    }
}

/// A clock that only draws data: that of `step` with `seed`; nothing is trained.
pub fn data_clock(seed: u32, step: u32) -> Clock {
    Clock { step, seed, halted_at: RUNNING, ..bytemuck::Zeroable::zeroed() }
}

/// 1 − β of the decimal number that was written, rounded once (0.001 for 0.999).
fn complement(beta: f32) -> f32 {
    let written: f64 = beta.to_string().parse().unwrap_or(f64::from(beta));
    ((1.0 - written) * 1e9).round() as f32 / 1e9
}
