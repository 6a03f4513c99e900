//! The network that the page Inside of Compare looks into: a run of the race, or the training in
//! Discover.

mod look;

use crate::run::inspection::{Bench, Look};
use crate::ui::InsideInput;

/// What is looked into.
pub struct Inside {
    bench: Bench,
    /// The key of the run; `None` for the training in Discover.
    run: Option<String>,
    /// Steps that the weights on the bench were trained for.
    step: Option<u64>,
}

impl Default for Inside {
    fn default() -> Self {
        Self { bench: Bench::numbered(1, Look::Insides), run: None, step: None }
    }
}

impl Inside {
    /// The bench, to ask and to answer.
    pub fn bench(&mut self) -> &mut Bench {
        &mut self.bench
    }

    /// There is something to ask about: the training in Discover, or a run whose weights are known.
    pub fn has_network(&self) -> bool {
        self.run.is_none() || self.step.is_some()
    }

    /// What the page draws.
    pub fn input(&self, run: Option<usize>) -> InsideInput<'_> {
        InsideInput { bench: &self.bench, run, step: self.step }
    }
}
