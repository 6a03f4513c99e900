//! The network that the page Inside of Compare looks into: a run of the race, or the training in
//! Discover.

use super::App;
use crate::recipe::specimen::Specimen;
use crate::run::inspection::{Bench, Look, Subject};
use crate::ui::compare;
use crate::ui::sweep::COMPARE;
use crate::ui::{Page, Tab};

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

impl App {
    /// What the page draws.
    pub(super) fn inside_run(&self) -> Option<usize> {
        self.sweeps[COMPARE].find(self.inside.run.as_deref()?)
    }

    /// Looks into that run of the race, or into the training in Discover.
    pub(super) fn look_inside(&mut self, run: Option<usize>) {
        self.inside.run = run.and_then(|run| self.sweeps[COMPARE].key(run));
        self.inside.step = None;
        self.inside.bench.put(Subject::Live);
        self.renew_inside();
        self.panels.show_page(Page::Inside);
        self.show_tab(Tab::Compare);
    }

    /// Takes newer weights of the run, if there are some, and asks about them; a run that is gone
    /// gives way to the training in Discover.
    pub(super) fn renew_inside(&mut self) {
        if self.inside.run.is_none() {
            return;
        }
        let Some(run) = self.inside_run() else {
            self.inside.run = None;
            self.inside.bench.put(Subject::Live);
            return self.inspect();
        };
        let Some((step, recipe, weights)) = self.sweeps[COMPARE].weights(run) else {
            self.inside.step = None;
            return;
        };
        if self.inside.step == Some(step) {
            return;
        }
        let name = self.sweeps[COMPARE].name(run);
        let subject =
            Subject::Specimen(Box::new(Specimen::trained(name, &recipe.plan(), step, weights)));
        match self.inside.step.replace(step) {
            None => self.inside.bench.put(subject),
            Some(_) => self.inside.bench.renew(subject),
        }
        if self.looks_inside() {
            self.inspect();
        }
    }

    /// Whether the page Inside is on show.
    pub(super) fn looks_inside(&self) -> bool {
        self.tab == Tab::Compare && self.panels.page() == Page::Inside
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
    pub fn input(&self, run: Option<usize>) -> compare::InsideInput<'_> {
        compare::InsideInput { bench: &self.bench, run, step: self.step }
    }
}
