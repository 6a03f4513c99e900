//! Looking into a run, as long as it is there.

use crate::app::App;
use crate::recipe::specimen::Specimen;
use crate::run::inspection::Subject;
use crate::ui::Which;
use crate::ui::{Page, Tab};

impl App {
    /// What the page draws.
    pub(in crate::app) fn inside_run(&self) -> Option<usize> {
        self.sweeps[Which::Compare].find(self.inside.run.as_deref()?)
    }

    /// Looks into that run of the race, or into the training in Discover.
    pub(in crate::app) fn look_inside(&mut self, run: Option<usize>) {
        self.inside.run = run.and_then(|run| self.sweeps[Which::Compare].key(run));
        self.inside.step = None;
        self.inside.bench.put(Subject::Live);
        self.renew_inside();
        self.panels.show_page(Page::Inside);
        self.show_tab(Tab::COMPARE);
    }

    /// Takes newer weights of the run, if there are some, and asks about them; a run that is gone
    /// gives way to the training in Discover.
    pub(in crate::app) fn renew_inside(&mut self) {
        if self.inside.run.is_none() {
            return;
        }
        let Some(run) = self.inside_run() else {
            self.inside.run = None;
            self.inside.bench.put(Subject::Live);
            return self.inspect();
        };
        let Some((step, recipe, weights)) = self.sweeps[Which::Compare].weights(run) else {
            self.inside.step = None;
            return;
        };
        if self.inside.step == Some(step) {
            return;
        }
        let name = self.sweeps[Which::Compare].name(run);
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
    pub(in crate::app) fn looks_inside(&self) -> bool {
        self.tab == Tab::COMPARE && self.panels.page() == Page::Inside
    }
}
