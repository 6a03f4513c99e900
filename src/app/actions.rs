//! What the user asked for, done.

use super::arrival::Purpose;
use super::history::FormerTraining;
use super::{App, session, spawn};
use crate::named::Named;
use crate::platform::{self, OpenedFile};
use crate::recipe::preset;
use crate::recipe::specimen::Specimen;
use crate::recipe::{Engine, Recipe, TaskName};
use crate::run::inspection::Subject;
use crate::run::runner::Command;
use crate::task::Teacher;
use crate::train::session::Snapshot;
use crate::ui::{Action, Message, Page, Tab, VIEWS};
use web_time::Instant;

/// Trainings that are kept to be had back.
const KEPT: usize = 5;

impl App {
    /// Carries out what the user asked for.
    pub(super) fn apply(&mut self, action: Action) {
        match action {
            Action::Run(running) => self.send(Command::Run(running)),
            Action::Steps(steps) => self.send(Command::Steps(steps)),
            Action::Restart => {
                let teacher =
                    self.teacher.clone().filter(|_| self.draft.same_teacher(&self.live.recipe));
                self.start(self.draft.clone(), None, teacher, true);
            }
            Action::Reseed => {
                self.draft.seed = self.draft.seed.wrapping_add(1);
                self.start(self.draft.clone(), None, None, true);
            }
            Action::Speed(speed) => {
                self.speed = speed;
                self.send(Command::Speed(speed));
            }
            Action::Rates => {
                let peaks = self.draft.rates();
                self.live.recipe.set_rates(peaks);
                self.send(Command::Rates(peaks));
                // Browsers allow an address only so many changes a second, and a dragged number
                // makes many.
                self.hash_due = Some(Instant::now() + std::time::Duration::from_millis(500));
            }
            Action::Preset(name) => {
                if let Some(preset) = preset::find(&name) {
                    self.keep();
                    self.preset = name;
                    self.start(preset.recipe, None, None, true);
                }
            }
            Action::CopyLink => self.copy_link(),
            Action::Save => self.save(),
            Action::Open => self.open(Purpose::Train),
            Action::OpenToDissect => self.open(Purpose::Dissect),
            Action::Tab(tab) => self.show_tab(tab),
            Action::Construct(variant) => {
                self.panels.show_variant(variant);
                self.show_tab(Tab::CONSTRUCT);
            }
            Action::Dissect(subject) => self.dissect(subject),
            Action::Inspect(settings) => {
                self.bench.settings = settings;
                self.inspect();
            }
            Action::Train(given) => self.train(*given),
            Action::Inside(run) => self.look_inside(run),
            Action::Sweep(which, action) => self.sweep(which, action),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Export(name, bytes) => self.export(&name, &bytes),
            Action::Rescue => {
                let recipe = Recipe {
                    learning_rate: self.live.recipe.learning_rate / 10.0,
                    ..self.live.recipe.clone()
                };
                self.start(recipe, self.live.good.clone(), self.teacher.clone(), true);
            }
            Action::OnCpu => self.start(
                Recipe { backend: Engine::Cpu, ..self.live.recipe.clone() },
                self.live.good.clone(),
                self.teacher.clone(),
                true,
            ),
            Action::Retry => self.start(
                self.live.recipe.clone(),
                self.live.good.clone(),
                self.teacher.clone(),
                true,
            ),
            Action::Resume(false) => self.resume = None,
            Action::Resume(true) => {
                let bytes = self.resume.as_ref().map(|stored| stored.bytes.clone());
                let file = bytes.map(|bytes| OpenedFile { name: "last session".into(), bytes });
                if file.is_some_and(|file| self.load_file(&file, true)) {
                    self.resume = None; // else it stays on offer
                }
            }
            Action::Forget(key) => self.unread.retain(|unread| unread.key != key),
        }
    }

    /// Replaces the training.
    pub(super) fn start(
        &mut self,
        recipe: Recipe,
        from: Option<Snapshot>,
        teacher: Option<Teacher>,
        running: bool,
    ) {
        let recipe = match &self.data {
            // Of a link, which knows of no arrays.
            Some((name, arrays)) if recipe.task == TaskName::File && recipe.data.is_none() => {
                recipe.with_data(name, arrays).with_fitting_batch()
            }
            _ => recipe,
        };
        if let Err(error) = recipe.check() {
            return self.messages.push(Message::warning(error.to_string()));
        }
        if !self.revive() {
            return;
        }
        let run = self.live.run + 1;
        self.live = session::successor(&mut self.live, run, &recipe, from.as_ref());
        self.draft = recipe.clone();
        if teacher.is_some() {
            self.live.teacher.clone_from(&teacher);
        }
        self.teacher.clone_from(&teacher);
        let data = self.arrays().filter(|_| recipe.task == TaskName::File).cloned();
        self.send(session::start(run, recipe, from, teacher, data, running));
        self.send(Command::Speed(self.speed));
        if self.bench.subject == Subject::Live {
            self.bench.put(Subject::Live); // what was said of the old network is not said of this one
        }
        self.inspect();
        self.show_hash();
    }

    /// Makes a new runner where the old one is gone; false if there can be none.
    pub(super) fn revive(&mut self) -> bool {
        if self.dead {
            match spawn(&self.ctx) {
                Ok(link) => (self.link, self.dead) = (link, false),
                Err(error) => self.lost_link(error),
            }
        }
        !self.dead
    }

    pub(super) fn show_hash(&mut self) {
        self.hash = self.live.recipe.to_hash(&self.preset);
        if self.tab != VIEWS[0].tab {
            self.hash += &format!("&view={}", self.tab.0);
        }
        if self.tab == Tab::COMPARE && self.panels.page() != Page::default() {
            self.hash += &format!("&page={}", self.panels.page().key());
        }
        platform::set_hash(&self.hash);
        self.seen_hash = platform::hash();
        self.hash_due = None;
    }

    /// Shows a view.
    pub(super) fn show_tab(&mut self, tab: Tab) {
        self.tab = tab;
        self.inspect();
        self.show_hash();
    }

    /// Puts a network on the bench and shows it.
    pub(super) fn dissect(&mut self, subject: Subject) {
        if self.bench.subject != subject {
            self.bench.put(subject);
        }
        self.show_tab(Tab::DISSECT);
    }

    /// Tells the runner what to take apart: nothing while nobody looks.
    pub(super) fn inspect(&mut self) {
        let asked = match () {
            () if self.tab == Tab::DISSECT => Some(Box::new(self.bench.ask())),
            () if self.looks_inside() && self.inside.has_network() => {
                Some(Box::new(self.inside.bench().ask()))
            }
            () => None,
        };
        self.send(Command::Inspect(asked));
    }

    /// Trains from a network on; the training until now can be had back.
    fn train(&mut self, given: Specimen) {
        let Specimen { name, network, teacher, .. } = given;
        let teacher_known = teacher.is_some();
        let (dim, outputs) = (network.inputs, network.outputs);
        // A network without a teacher that fits the task at hand goes on with that; others imitate
        // a teacher.
        let goes_on = !teacher_known && self.live.recipe.task().widths() == (dim, outputs);
        if !goes_on && dim != outputs {
            let text = format!(
                "{name} reads {dim} values per token and gives {outputs}; training on attention needs as many out as in."
            );
            return self.messages.push(Message::warning(text));
        }
        let architecture = network.architecture;
        let recipe = if goes_on {
            self.live.recipe.with_architecture(architecture)
        } else {
            self.live.recipe.with_sizes(architecture, dim)
        };
        if let Err(error) = recipe.check() {
            return self
                .messages
                .push(Message::warning(format!("{name} can't be trained here: {error}")));
        }
        if recipe.architecture() != architecture {
            let text = format!(
                "{name} can't be trained here: its MLPs are not as wide as its embedding, which no recipe describes."
            );
            return self.messages.push(Message::warning(text));
        }
        self.keep();
        let snapshot = Snapshot {
            step: 0,
            parameters: network.to_parameters(),
            first_moment: vec![],
            second_moment: vec![],
        };
        self.start(recipe, Some(snapshot), teacher, false);
        let unknown = if teacher_known || goes_on {
            ""
        } else {
            " No teacher came with it: it will be trained towards one that its seed draws."
        };
        self.messages.push(Message::info(format!(
            "{name} is in Discover: press play to train it.{unknown}"
        )));
        self.bench.put(Subject::Live);
        self.show_tab(Tab::DISCOVER);
    }

    /// Keeps the training, which another one is about to replace, to be had back.
    pub(super) fn keep(&mut self) {
        if let Some(replaced) = self.replaced() {
            self.history.undo.push(replaced);
            self.history.redo.clear();
            let over = self.history.undo.len().saturating_sub(KEPT);
            self.history.undo.drain(..over);
        }
    }

    /// The training as it can be had back, if it has done a step.
    fn replaced(&self) -> Option<FormerTraining> {
        let snapshot = self.live.snapshot.clone().filter(|snapshot| snapshot.step > 0)?;
        Some(FormerTraining {
            name: format!(
                "{} ({}) at step {}",
                self.live.recipe.model.title,
                self.live.recipe.architecture().sizes_in_words(),
                snapshot.step
            ),
            recipe: self.live.recipe.clone(),
            snapshot,
            teacher: self.teacher.clone(),
            data: self.data.clone().filter(|_| self.live.recipe.task == TaskName::File),
            preset: self.preset.clone(),
        })
    }

    fn undo(&mut self) {
        let Some(back) = self.history.undo.pop() else { return };
        self.history.redo.extend(self.replaced());
        self.take_up(back, "Ctrl+Shift+Z goes forward again.");
    }

    fn redo(&mut self) {
        let Some(forward) = self.history.redo.pop() else { return };
        self.history.undo.extend(self.replaced());
        self.take_up(forward, "Ctrl+Z goes back again.");
    }

    fn take_up(&mut self, replaced: FormerTraining, way_back: &str) {
        let FormerTraining { name, recipe, snapshot, teacher, data, preset } = replaced;
        (self.preset, self.data) = (preset, data.or(self.data.take()));
        self.start(recipe, Some(snapshot), teacher, false);
        self.messages
            .push(Message::info(format!("Back at {name}: press play to go on. {way_back}")));
    }
}
