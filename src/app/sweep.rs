//! The sweep that the window holds: its definition, its runs, and those of them that train.

use super::App;
use super::files::Purpose;
use crate::experiment::recipe::{Recipe, TaskName};
use crate::experiment::runner::Command;
use crate::experiment::sweep::group::{self, Told};
use crate::experiment::sweep::partial::Partial;
use crate::experiment::sweep::queue::{Queue, State};
use crate::experiment::sweep::record::{Outcome, Record};
use crate::experiment::sweep::{Sweep, presets, results};
use crate::platform::{self, OpenedFile};
use crate::ui::sweep::{Draft, SweepAction, SweepInput};
use crate::ui::{Message, Tab};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A sweep, as far as there is one.
pub struct Sweeping {
    queue: Option<Queue>,
    /// Counts the changes of the queue.
    revision: u64,
    draft: Draft,
    running: bool,
    presets: Vec<Sweep>,
    /// The number of the newest group.
    group: u32,
    /// The runs that train together now: the group's members.
    training: Vec<usize>,
    /// The revision that was kept for the next visit.
    kept: Option<u64>,
    /// The newest states of runs in training, by their keys: what a new group goes on from.
    states: HashMap<String, Partial>,
}

/// What is kept from visit to visit.
#[derive(Serialize, Deserialize)]
struct Kept {
    sweep: Sweep,
    records: Vec<Record>,
}

/// A sweep that takes more as text is kept without its curves: a browser's storage holds about 5 MB.
const STORED_BYTES: usize = 1_500_000;

impl Sweeping {
    /// That of the last visit, at rest, or none; a definition to be written starts from the recipe.
    pub fn new(recipe: &Recipe, preset: &str, kept: Option<&str>) -> Self {
        let presets = presets::all().into_iter().map(|(_, sweep)| sweep).collect();
        let draft = Draft::of_recipe(recipe, preset);
        let mut new = Self { queue: None, revision: 0, draft, running: false, presets, group: 0, training: vec![], kept: None, states: HashMap::new() };
        let kept = kept.and_then(|text| serde_json::from_str::<Kept>(text).ok());
        if let Some((kept, Ok(mut queue))) = kept.map(|kept| (kept.records, Queue::new(kept.sweep))) {
            kept.into_iter().for_each(|record| queue.finish(record));
            new.draft = Draft::of(&queue.sweep);
            new.queue = Some(queue);
        }
        new
    }

    /// What the view draws.
    pub fn input(&mut self) -> SweepInput<'_> {
        let Self { queue, revision, draft, running, presets, .. } = self;
        SweepInput { queue: queue.as_ref(), revision: *revision, draft, running: *running, presets }
    }

    /// The sweep as text for the next visit, empty without one; `None` if nothing has changed since the last call.
    pub fn changed(&mut self) -> Option<String> {
        (self.kept.replace(self.revision) != Some(self.revision)).then(|| self.to_store().unwrap_or_default())
    }

    /// What could not be trained is tried again at the next visit.
    fn to_store(&self) -> Option<String> {
        let queue = self.queue.as_ref()?;
        let mut records: Vec<Record> = over(queue).cloned().collect();
        let text = |records: &[Record]| serde_json::to_string(&Kept { sweep: queue.sweep.clone(), records: records.to_vec() }).ok();
        let whole = text(&records)?;
        if whole.len() <= STORED_BYTES {
            return Some(whole);
        }
        records.iter_mut().for_each(|record| record.curve.0 = record.curve.0.split_off(record.curve.0.len().saturating_sub(1)));
        text(&records).filter(|text| text.len() <= STORED_BYTES)
    }

    /// (runs that are over, all runs, whether the others are being trained).
    pub fn progress(&self) -> Option<(usize, usize, bool)> {
        self.queue.as_ref().map(|queue| (queue.over(), queue.runs().len(), self.running))
    }

    /// The runner is gone, and the runs that it trained with it.
    pub fn lost(&mut self) {
        (self.running, self.training) = (false, vec![]);
        self.revision += 1;
    }

    fn replace(&mut self, queue: Option<Queue>) {
        (self.queue, self.training) = (queue, vec![]);
        self.revision += 1;
    }

    /// The next group to train, if there is none and the sweep is not at rest.
    fn next_group(&mut self) -> Option<group::Start> {
        let queue = self.queue.as_ref().filter(|_| self.running && self.training.is_empty())?;
        let Some((runs, members)) = group::next(queue, group::most_together(), |run| self.states.get(&run.key).cloned()) else {
            self.running = false;
            return None;
        };
        (self.training, self.group) = (runs, self.group + 1);
        Some(group::Start { group: self.group, members, data: None, threads: 0, memory_limit: platform::memory_limit(), states_every_ms: group::STATES_EVERY_MS })
    }

    /// Takes in what the group tells; returns what the user should know.
    pub fn told(&mut self, number: u32, told: Told) -> Option<String> {
        let queue = self.queue.as_mut().filter(|_| number == self.group && !self.training.is_empty())?;
        self.revision += 1;
        match told {
            Told::Ready(_) => {}
            Told::Fewer(fit) => self.training.truncate(fit),
            Told::Point(member, step, curve) => queue.progress(self.training[member], step, curve),
            Told::States(states) => {
                self.states.extend(states.into_iter().map(|(member, state)| (queue.runs()[self.training[member]].key.clone(), state)));
            }
            Told::Over(_, record) => {
                self.states.remove(&record.key);
                queue.finish(*record);
            }
            Told::Note(note) => return Some(note),
        }
        if self.training.iter().all(|&run| matches!(queue.state(run), State::Over(_))) {
            self.training.clear();
        }
        None
    }

    /// The group could not be trained: its runs are recorded as failed, the others go on.
    pub fn failed(&mut self, number: u32, error: &Error) {
        let Some(queue) = self.queue.as_mut().filter(|_| number == self.group) else { return };
        for run in std::mem::take(&mut self.training) {
            if !matches!(queue.state(run), State::Over(_)) {
                let recipe = queue.runs()[run].recipe.clone();
                queue.finish(group::failed(recipe, error));
            }
        }
        self.revision += 1;
    }
}

/// Records of runs that were trained, whatever came of it.
fn over(queue: &Queue) -> impl Iterator<Item = &Record> {
    let record = |run| if let State::Over(record) = queue.state(run) { Some(record) } else { None };
    (0..queue.runs().len()).filter_map(record).filter(|record| !matches!(record.outcome, Outcome::Failed(_)))
}

impl App {
    /// Carries out what was asked of the sweep.
    pub(super) fn sweep(&mut self, action: SweepAction) {
        match action {
            SweepAction::Start(sweep) => {
                self.sweeping.states.clear();
                self.begin(sweep, false);
            }
            SweepAction::Extend(sweep) => self.begin(sweep, true),
            SweepAction::Pause => self.run_sweep(false),
            SweepAction::Resume => self.run_sweep(true),
            SweepAction::Clear => {
                self.sweeping.states.clear();
                self.sweeping.replace(None);
                self.sweeping.running = false;
                self.send(Command::Group(None));
            }
            SweepAction::Load => self.open(Purpose::Sweep),
            SweepAction::Save(sweep) => self.export("sweep.json", sweep.to_json().as_bytes()),
            SweepAction::Open(run) => {
                let Some(recipe) = self.sweeping.queue.as_ref().and_then(|queue| queue.runs().get(run)).map(|run| run.recipe.clone()) else { return };
                self.keep();
                self.start(recipe, None, None, true);
                self.show_tab(Tab::Discover);
            }
        }
    }

    /// Trains the runs of `sweep`; records that are there already are kept with `extends`.
    fn begin(&mut self, sweep: Sweep, extends: bool) {
        match self.queue_of(sweep) {
            Ok(mut queue) => {
                if let Some(old) = self.sweeping.queue.as_ref().filter(|_| extends) {
                    over(old).cloned().for_each(|record| queue.finish(record));
                }
                self.sweeping.replace(Some(queue));
                self.send(Command::Group(None));
                self.run_sweep(true);
            }
            Err(error) => self.messages.push(Message::warning(error.to_string())),
        }
    }

    /// The sweep's runs; those of the file task are about the arrays that are open.
    fn queue_of(&self, sweep: Sweep) -> Result<Queue> {
        let base = sweep.base()?;
        let base = match (&self.data, &self.live.recipe.data) {
            (Some(arrays), Some(shape)) if base.task == TaskName::File => base.with_data(&shape.name, arrays),
            _ => base,
        };
        Queue::on(sweep, &base)
    }

    fn run_sweep(&mut self, running: bool) {
        if !self.revive() {
            return;
        }
        self.sweeping.running = running;
        self.sweeping.revision += 1;
        self.send(Command::RunGroup(running));
        self.train_sweep();
    }

    /// Starts the next runs when there is nothing in training.
    pub(super) fn train_sweep(&mut self) {
        if let Some(mut start) = self.sweeping.next_group() {
            start.data = self.data.clone().map(Box::new).filter(|_| start.members[0].0.task == TaskName::File);
            self.send(Command::Group(Some(Box::new(start))));
        }
    }

    /// Starts the sweep that is written in `text`, for the page's script.
    pub(super) fn sweep_text(&mut self, text: &str) {
        match Sweep::read("the page's script", text) {
            Ok(sweep) => {
                self.sweeping.draft = Draft::of(&sweep);
                self.sweep(SweepAction::Start(sweep));
            }
            Err(error) => self.messages.push(Message::warning(error.to_string())),
        }
    }

    /// A definition's file, or results with their definition: they are shown, nothing is started. A bad one changes nothing.
    pub(super) fn load_sweep(&mut self, file: &OpenedFile) {
        let text = std::str::from_utf8(&file.bytes).map_err(|_| Error::file(&file.name, "is not text; expected a sweep's JSON file"));
        let read = text.and_then(|text| match results::read(&file.name, text)? {
            Some(queue) => Ok((queue.sweep.clone(), Some(queue))),
            None => Ok((Sweep::read(&file.name, text)?, None)),
        });
        match read {
            Ok((sweep, queue)) => {
                self.sweeping.draft = Draft::of(&sweep);
                if queue.is_some() {
                    self.run_sweep(false);
                    self.send(Command::Group(None));
                    self.sweeping.states.clear();
                    self.sweeping.replace(queue);
                }
            }
            Err(error) => self.messages.push(Message::warning(format!("{error}. The definition was left as it is."))),
        }
    }
}
