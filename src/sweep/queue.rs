//! The runs of a sweep: which are over, which are being trained, which are next.

use super::record::{Curve, Record};
use super::shard::{self, Shard};
use super::{Run, Sweep};
use crate::Result;
use crate::recipe::{Recipe, TaskName};
use std::collections::HashMap;

/// A sweep and how far it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    /// The definition.
    pub sweep: Sweep,
    runs: Vec<Run>,
    records: HashMap<String, Record>,
    current: HashMap<usize, (u64, Curve)>,
    /// The number of each run's program.
    programs: Vec<usize>,
    /// Whether each run is of this process's part.
    mine: Vec<bool>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State<'a> {
    /// Not started.
    Waiting,
    /// Being trained: steps done, and the curve so far.
    Training(u64, &'a Curve),
    /// Finished, diverged or failed.
    Over(&'a Record),
}

impl Queue {
    /// No run is started.
    ///
    /// # Errors
    /// As [`Sweep::runs`].
    pub fn new(sweep: Sweep) -> Result<Self> {
        let base = sweep.base()?;
        Self::on(sweep, &base)
    }

    /// The same on a base with what comes beside the definition.
    ///
    /// # Errors
    /// As [`Sweep::runs_on`].
    pub fn on(sweep: Sweep, base: &Recipe) -> Result<Self> {
        let runs = sweep.runs_on(base)?;
        let (programs, mine) = (shard::programs(&runs), vec![true; runs.len()]);
        Ok(Self { sweep, runs, records: HashMap::new(), current: HashMap::new(), programs, mine })
    }

    /// The same for the arrays, of the file task, that the first of these recipes with some is
    /// about.
    ///
    /// # Errors
    /// As [`Sweep::runs_on`].
    pub fn like<'a>(sweep: Sweep, mut recipes: impl Iterator<Item = &'a Recipe>) -> Result<Self> {
        let base = sweep.base()?;
        let is_on_file = base.task == TaskName::File;
        let of_file = recipes.find(|recipe| is_on_file && recipe.data.is_some());
        let base = of_file.map_or_else(|| base.clone(), |other| base.with_data_of(other));
        Self::on(sweep, &base)
    }

    /// Only the runs of that part are next; runs of one program stay in one part where the parts'
    /// work allows it.
    #[must_use]
    pub fn of_shard(self, shard: Shard) -> Self {
        let parts = shard::divide(&self.runs, &self.programs, shard.count);
        Self { mine: parts.into_iter().map(|part| part == shard.index).collect(), ..self }
    }

    /// Whether run `index` is of this process's part.
    pub fn is_mine(&self, index: usize) -> bool {
        self.mine[index]
    }

    /// Whether two runs are one compiled program, and so can train together: they agree in the
    /// network and its sizes, the task and its sizes, batch, time, steps, the mask's step and
    /// the engine.
    pub fn same_program(&self, a: usize, b: usize) -> bool {
        self.programs[a] == self.programs[b]
    }

    /// The first waiting run of this process's part, and those after it of the same program, at
    /// most `most` (and at least one).
    pub fn next(&self, most: usize) -> Option<Vec<usize>> {
        let waiting =
            |&index: &usize| self.mine[index] && matches!(self.state(index), State::Waiting);
        let first = (0..self.runs.len()).find(waiting)?;
        let alike = (first..self.runs.len())
            .filter(|&index| self.same_program(first, index))
            .filter(waiting);
        Some(alike.take(most.max(1)).collect())
    }

    /// All runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// How far run `index` is.
    pub fn state(&self, index: usize) -> State<'_> {
        match (self.records.get(&self.runs[index].key), self.current.get(&index)) {
            (Some(record), _) => State::Over(record),
            (None, Some((step, curve))) => State::Training(*step, curve),
            (None, None) => State::Waiting,
        }
    }

    /// The curve of run `index` so far, and how many points are missing at its beginning; `None`
    /// before the first point.
    pub fn curve(&self, index: usize) -> Option<(usize, &Curve)> {
        match self.state(index) {
            State::Waiting => None,
            State::Training(_, curve) => Some((0, curve)),
            State::Over(record) => Some((record.missing(), &record.curve)),
        }
        .filter(|(_, curve)| !curve.0.is_empty())
    }

    /// Takes in what was trained of another form of the sweep, and what that had taken in itself.
    pub fn take_over(&mut self, other: &Self) {
        other
            .records
            .values()
            .filter(|record| record.is_tried())
            .cloned()
            .for_each(|record| self.finish(record));
    }

    /// The record of that key, if such a run is over.
    pub fn record(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// Takes in a run that is over, of this sweep or of an earlier form of it.
    pub fn finish(&mut self, record: Record) {
        self.current.retain(|&index, _| self.runs[index].key != record.key);
        self.records.insert(record.key.clone(), record);
    }

    /// Run `index` has done `step` steps.
    pub fn progress(&mut self, index: usize, step: u64, curve: Curve) {
        self.current.insert(index, (step, curve));
    }

    /// Run `index` is not in training after all.
    pub fn give_back(&mut self, index: usize) {
        self.current.remove(&index);
    }

    /// What is in training is given up; it starts from its beginning next time.
    pub fn drop_current(&mut self) {
        self.current.clear();
    }

    /// Runs of this process's part that are not over.
    pub fn left(&self) -> usize {
        (0..self.runs.len())
            .filter(|&index| self.mine[index] && !matches!(self.state(index), State::Over(_)))
            .count()
    }

    /// Runs that are over.
    pub fn over(&self) -> usize {
        (0..self.runs.len()).filter(|&index| matches!(self.state(index), State::Over(_))).count()
    }
}
