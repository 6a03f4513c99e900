//! How many steps to start now: a time budget at full speed, a rate in slow motion.

use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

/// How fast training should go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Speed {
    /// As fast as possible.
    Full,
    /// That many steps per second.
    Steps(f32),
}

/// Keeps a piece of work near its time budget.
#[derive(Debug)]
pub struct Pacer {
    budget_ms: f64,
    step_ms: Option<f64>,
    debt: f64,
    last: Option<Instant>,
}

/// At most this many steps at once, so that the ring of losses never overflows.
const MOST: f64 = 1024.0;

impl Pacer {
    /// For pieces of about `budget_ms`.
    pub fn new(budget_ms: f64) -> Self {
        Self { budget_ms, step_ms: None, debt: 0.0, last: None }
    }

    /// Steps to start now; 0 in slow motion when none is due.
    pub fn steps(&mut self, speed: Speed, now: Instant) -> u32 {
        let full = self.step_ms.map_or(1.0, |ms| (self.budget_ms / ms.max(1e-6)).clamp(1.0, MOST));
        let since =
            self.last.replace(now).map_or(0.0, |last| now.duration_since(last).as_secs_f64());
        match speed {
            Speed::Full => full as u32,
            Speed::Steps(rate) => {
                self.debt = (self.debt + since * f64::from(rate)).min(full.max(1.0) + 1.0);
                let due = self.debt.floor().min(full.max(1.0));
                self.debt -= due;
                due as u32
            }
        }
    }

    /// What `steps` steps took.
    pub fn observe(&mut self, steps: u32, took: Duration) {
        if steps > 0 {
            let ms = took.as_secs_f64() * 1e3 / f64::from(steps);
            // A first, cold measurement must not stick, and growth is limited to fourfold a piece.
            self.step_ms =
                Some(self.step_ms.map_or(ms, |old| (0.5 * old + 0.5 * ms).max(old / 4.0)));
        }
    }

    /// Forgets the time that passed, as after a pause.
    pub fn rest(&mut self) {
        (self.last, self.debt) = (None, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_speed_fills_the_budget() {
        let (mut pacer, now) = (Pacer::new(8.0), Instant::now());
        assert_eq!(pacer.steps(Speed::Full, now), 1, "the first piece is a probe");
        for _ in 0..20 {
            let steps = pacer.steps(Speed::Full, now);
            pacer.observe(steps, Duration::from_micros(u64::from(steps) * 100));
        }
        assert!((70..=80).contains(&pacer.steps(Speed::Full, now)));
    }

    #[test]
    fn slow_motion_keeps_its_rate() {
        let (mut pacer, start) = (Pacer::new(8.0), Instant::now());
        pacer.observe(1, Duration::from_micros(100));
        let done: u32 = (0..=600)
            .map(|i| pacer.steps(Speed::Steps(2.0), start + Duration::from_millis(i * 16)))
            .sum();
        assert!((18..=20).contains(&done), "{done} steps in 9.6 s at 2 a second");
    }
}
