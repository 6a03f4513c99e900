//! Twin of `shaders/clock.wgsl`: the step counter, this step's rates, AdamW's bias corrections.

use super::memory::Memory;
use crate::backend::StepLoss;
use crate::graph::dims::{Clock, Curve, Dims, RUNNING, Rates};
use crate::math::float::Float;

/// [`Clock`] in the engine's precision.
#[derive(Debug, Clone)]
pub struct State<F> {
    /// Steps started.
    pub step: u32,
    /// The first step whose loss was not finite, or [`RUNNING`].
    pub halted_at: u32,
    /// Seed of the data.
    pub seed: u32,
    settings: Clock,
    /// This step's learning rate.
    pub rate: F,
    /// This step's weight decay.
    pub decay: F,
    /// 1 − β₁.
    pub one_minus_beta1: F,
    /// This step's 1 − β₂.
    pub one_minus_beta2: F,
    /// 1 − Π β₁.
    pub correction1: F,
    /// 1 − Π β₂.
    pub correction2: F,
    /// AdamW's ε.
    pub epsilon: F,
    /// Largest norm of all gradients together; 0 for any.
    pub clip: F,
    /// By how much this step's norm is too large: norm / clip − 1, at least 0.
    pub excess: F,
}

impl<F: Float> Default for State<F> {
    fn default() -> Self {
        Self { halted_at: RUNNING, ..Self::new(&bytemuck::Zeroable::zeroed()) }
    }
}

impl<F: Float> State<F> {
    /// From the shared struct.
    pub fn new(clock: &Clock) -> Self {
        let of = |v: f32| exact(v);
        Self {
            step: clock.step,
            halted_at: clock.halted_at,
            seed: clock.seed,
            settings: *clock,
            rate: of(clock.rate),
            decay: of(clock.decay),
            one_minus_beta1: of(clock.one_minus_beta1),
            one_minus_beta2: of(clock.one_minus_beta2),
            correction1: of(clock.correction1),
            correction2: of(clock.correction2),
            epsilon: of(clock.epsilon),
            clip: of(clock.clip),
            excess: of(clock.excess),
        }
    }

    /// Changes the peaks of both schedules.
    pub fn set_rates(&mut self, peaks: Rates) {
        self.settings.peak_rate = peaks.learning_rate;
        self.settings.base_decay = peaks.weight_decay;
    }

    /// Begins the next step.
    pub fn advance(&mut self) {
        let done = F::of(self.step.into());
        self.step += 1;
        Rates { learning_rate: self.rate, weight_decay: self.decay } =
            rates(&self.settings, F::of(self.step.into()));
        self.one_minus_beta2 = at(&self.settings.beta2_curve, done);
        // 1 − Π β without cancellation: c ← c β + (1 − β).
        self.correction1 =
            self.correction1 * (F::ONE - self.one_minus_beta1) + self.one_minus_beta1;
        self.correction2 =
            self.correction2 * (F::ONE - self.one_minus_beta2) + self.one_minus_beta2;
    }

    /// Remembers the first step whose loss is not finite.
    pub fn note(&mut self, loss: StepLoss) {
        if self.halted_at == RUNNING && !(loss.loss.is_finite() && loss.power.is_finite()) {
            self.halted_at = self.step;
        }
    }
}

/// Begins the next step.
pub fn advance<F: Float>(_: &Dims, clock: &mut State<F>, memory: &mut Memory<F>, _: bool) {
    clock.advance();
    memory.begin(clock.seed, clock.step);
}

/// In f64, a setting means the decimal number that was written (0.001, not its nearest f32).
fn exact<F: Float>(value: f32) -> F {
    if size_of::<F>() == 4 {
        F::of(value.into())
    } else {
        F::of(value.to_string().parse().unwrap_or(value.into()))
    }
}

/// The rates of the step of that number, from 1: the curves are read at the
/// steps that are done before it, the warm-up at the step itself.
pub fn rates<F: Float>(settings: &Clock, step: F) -> Rates<F> {
    let (done, warmup) = (step - F::ONE, F::of(settings.warmup.into()));
    let warm = if step < warmup { step / warmup } else { F::ONE };
    Rates {
        learning_rate: exact::<F>(settings.peak_rate) * warm * at(&settings.rate_curve, done),
        weight_decay: exact::<F>(settings.base_decay) * at(&settings.decay_curve, done),
    }
}

/// The curve's value after `done` steps.
pub fn at<F: Float>(curve: &Curve, done: F) -> F {
    let count = curve.count as usize;
    let passed = (0..count).take_while(|&i| exact::<F>(curve.at[i]) <= done).count();
    if passed == 0 || passed == count {
        return exact(curve.value[passed.max(1) - 1]);
    }
    let (start, end) = (exact::<F>(curve.at[passed - 1]), exact::<F>(curve.at[passed]));
    let (from, to) = (exact::<F>(curve.value[passed - 1]), exact::<F>(curve.value[passed]));
    let mut part = (done - start) / (end - start);
    if curve.cosine == 1 {
        part = F::of(0.5 - 0.5 * (std::f64::consts::PI * part.wide()).cos());
    }
    from + (to - from) * part
}
