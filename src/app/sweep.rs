//! The sweeps that the window holds, that of the view Sweep and that of Compare: definition, runs,
//! and those of them that train.

mod control;
pub(super) mod kept;

use crate::Error;
use crate::platform;
use crate::recipe::Recipe;
use crate::run::group::{self, GroupEvent};
use crate::run::notice::Notice;
use crate::run::runner::Command;
use crate::sweep::partial::Partial;
use crate::sweep::queue::{Queue, State};
use crate::sweep::{Run, Sweep, presets};
use crate::task::Arrays;
use crate::ui::{Draft, SweepInput, Which};
use std::collections::HashMap;

/// A sweep, as far as there is one.
pub struct Sweeping {
    which: Which,
    queue: Option<Queue>,
    /// Counts the changes of the queue.
    revision: u64,
    draft: Draft,
    running: bool,
    presets: Vec<Sweep>,
    /// The number of the next group: the two sweeps count in turns.
    group: u32,
    /// The groups that train now, and the runs that are their members.
    training: Vec<(u32, Vec<usize>)>,
    /// The revision that was kept for the next visit.
    kept: Option<u64>,
    /// The newest states of runs in training, by their keys: what a new group goes on from.
    states: HashMap<String, Partial>,
    /// The weights of finished runs, by their keys: kept where they are looked into.
    weights: HashMap<String, Vec<f32>>,
    /// What its runs of the file task are trained on: another file may be opened meanwhile.
    data: Option<Arrays>,
    /// It was said that the sweep is too large to be kept for the next visit.
    told_too_large: bool,
}

/// Groups of runs that train at the same time: one where all of its cores are busy with it, several
/// to be watched side by side.
const fn side_by_side(which: Which) -> usize {
    match which {
        Which::Sweep => 1,
        Which::Compare => 4,
    }
}
/// Milliseconds between two states of runs that are looked into.
const LOOKED_AT_EVERY_MS: u32 = 1000;
/// Numbers that are kept of finished runs' weights, at most.
const KEPT_WEIGHTS: usize = 16 << 20;

impl Sweeping {
    /// That of the last visit, at rest, or none; a definition to be written starts from the recipe.
    pub fn new(which: Which, recipe: &Recipe, preset: &str, kept: Option<Queue>) -> Self {
        let compares = |sweep: &Sweep| !sweep.variants.is_empty();
        let presets: Vec<Sweep> = presets::all()
            .into_iter()
            .map(|(_, sweep)| sweep)
            .filter(|sweep| compares(sweep) == (which == Which::Compare))
            .collect();
        let draft = Draft::from_discover(which, recipe, preset);
        let mut new = Self {
            which,
            queue: None,
            revision: 0,
            draft,
            running: false,
            presets,
            group: u32::from(which == Which::Compare),
            training: vec![],
            kept: None,
            states: HashMap::new(),
            weights: HashMap::new(),
            data: None,
            told_too_large: false,
        };
        if let Some(queue) = kept {
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

    /// The sweep as text for the next visit, empty without one; `None` if nothing has changed since
    /// the last call. What was kept before stays where there is no room for it, which is said
    /// once.
    pub fn changed(&mut self) -> Option<Result<String, String>> {
        if self.kept.replace(self.revision) == Some(self.revision) {
            return None;
        }
        let Some(queue) = &self.queue else { return Some(Ok(String::new())) };
        if let Some(text) = kept::write(queue) {
            return Some(Ok(text));
        }
        let text = format!(
            "The records of {} runs are too many to be kept for the next visit: save them as JSON before this closes.",
            queue.over()
        );
        (!std::mem::replace(&mut self.told_too_large, true)).then_some(Err(text))
    }

    /// For the page's script: runs that are over, all runs, those in training, whether the others
    /// are to be trained.
    pub fn progress(&self) -> Option<serde_json::Value> {
        let queue = self.queue.as_ref()?;
        let training: usize = self.training.iter().map(|(_, runs)| runs.len()).sum();
        Some(
            serde_json::json!({ "over": queue.over(), "runs": queue.runs().len(), "training": training, "running": self.running }),
        )
    }

    /// Runs are in training.
    pub fn trains(&self) -> bool {
        !self.training.is_empty()
    }

    /// Runs that are over or in training: what would be lost with the queue.
    fn started(&self) -> usize {
        let started = |queue: &Queue| {
            (0..queue.runs().len()).filter(|&run| queue.state(run) != State::Waiting).count()
        };
        self.queue.as_ref().map_or(0, started)
    }

    /// The runner is gone, and the runs that it trained with it.
    pub fn lost(&mut self) {
        (self.running, self.training) = (false, vec![]);
        if let Some(queue) = &mut self.queue {
            queue.drop_current();
        }
        self.revision += 1;
    }

    /// The groups that train now, which are not those of the new runs.
    fn replace(&mut self, queue: Option<Queue>) -> Command {
        let groups = self.groups();
        (self.queue, self.training) = (queue, vec![]);
        self.revision += 1;
        Command::EndGroups(groups)
    }

    /// Weights, states and arrays of the runs that were there: others have none yet.
    fn forget(&mut self) {
        self.states.clear();
        self.weights.clear();
        self.data = None;
    }

    fn groups(&self) -> Vec<u32> {
        self.training.iter().map(|(group, _)| *group).collect()
    }

    /// The steps that run `index` was trained for, its settings, its newest weights.
    pub fn weights(&self, index: usize) -> Option<(u64, &Recipe, &[f32])> {
        let queue = self.queue.as_ref()?;
        let Run { key, recipe, .. } = queue.runs().get(index)?;
        if let State::Over(_) = queue.state(index) {
            return self
                .weights
                .get(key)
                .map(|weights| (recipe.steps.into(), recipe, weights.as_slice()));
        }
        self.states
            .get(key)
            .map(|state| (state.snapshot.step, recipe, state.snapshot.parameters.as_slice()))
    }

    /// The key of run `index`.
    pub fn key(&self, index: usize) -> Option<String> {
        self.queue.as_ref()?.runs().get(index).map(|run| run.key.clone())
    }

    /// The name of run `index`.
    pub fn name(&self, index: usize) -> String {
        self.queue
            .as_ref()
            .and_then(|queue| queue.runs().get(index))
            .map_or_else(String::new, |run| run.name.clone())
    }

    /// The run of that key.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.queue.as_ref()?.runs().iter().position(|run| run.key == key)
    }

    fn keep_weights(&mut self, key: &str, parameters: Vec<f32>) {
        let kept: usize = self.weights.values().map(Vec::len).sum();
        if self.which == Which::Compare && kept + parameters.len() <= KEPT_WEIGHTS {
            self.weights.insert(key.to_owned(), parameters);
        }
    }

    /// The next group to train, if there are not enough and the sweep is not at rest.
    fn next_group(&mut self) -> Option<group::Start> {
        let queue = self
            .queue
            .as_mut()
            .filter(|_| self.running && self.training.len() < side_by_side(self.which))?;
        let Some((runs, members)) =
            group::next(queue, group::most_together(), |run| self.states.get(&run.key).cloned())
        else {
            self.running = !self.training.is_empty();
            return None;
        };
        for (&run, (_, from)) in runs.iter().zip(&members) {
            let (step, curve) = from
                .as_ref()
                .map(|from| (from.snapshot.step, from.curve.clone()))
                .unwrap_or_default();
            queue.progress(run, step, curve);
        }
        let group = self.group;
        self.training.push((group, runs));
        self.group += 2;
        let states_every_ms =
            if self.which == Which::Compare { LOOKED_AT_EVERY_MS } else { group::STATES_EVERY_MS };
        Some(group::Start {
            group,
            members,
            data: None,
            threads: 0,
            memory_limit: platform::memory_limit(),
            states_every_ms,
        })
    }

    /// Takes in what the group tells; returns what the user should know.
    pub fn told(&mut self, number: u32, told: GroupEvent) -> Option<Notice> {
        let (place, queue) = self
            .training
            .iter()
            .position(|(group, _)| *group == number)
            .zip(self.queue.as_mut())?;
        let members = &mut self.training[place].1;
        self.revision += 1;
        match told {
            GroupEvent::Ready(_) => {}
            GroupEvent::Fewer(fit) => members.drain(fit..).for_each(|run| queue.give_back(run)),
            GroupEvent::Point(member, step, curve) => queue.progress(members[member], step, curve),
            GroupEvent::States(states) => {
                self.states.extend(
                    states
                        .into_iter()
                        .map(|(member, state)| (queue.runs()[members[member]].key.clone(), state)),
                );
            }
            GroupEvent::Over(_, record, parameters) => {
                self.states.remove(&record.key);
                let key = record.key.clone();
                queue.finish(*record);
                if members.iter().all(|&run| matches!(queue.state(run), State::Over(_))) {
                    self.training.remove(place);
                }
                parameters.into_iter().for_each(|parameters| self.keep_weights(&key, parameters));
            }
            GroupEvent::Notice(notice) => return Some(notice),
        }
        None
    }

    /// The group could not be trained: its runs are recorded as failed, the others go on.
    pub fn failed(&mut self, number: u32, error: &Error) {
        let found =
            self.training.iter().position(|(group, _)| *group == number).zip(self.queue.as_mut());
        let Some((place, queue)) = found else { return };
        for run in self.training.remove(place).1 {
            if !matches!(queue.state(run), State::Over(_)) {
                let recipe = queue.runs()[run].recipe.clone();
                queue.finish(group::failed(recipe, error));
            }
        }
        self.revision += 1;
    }
}

/// Which sweep the group of that number is of.
pub fn of_group(number: u32) -> Which {
    if number.is_multiple_of(2) { Which::Sweep } else { Which::Compare }
}
