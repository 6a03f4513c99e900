//! The runs of a sweep: which are over, which are being trained, which are next.

use super::record::{Curve, Record};
use super::{Run, Sweep};
use crate::Result;
use std::collections::HashMap;

/// A sweep and how far it is.
#[derive(Debug, Clone)]
pub struct Queue {
    /// The definition.
    pub sweep: Sweep,
    runs: Vec<Run>,
    records: HashMap<String, Record>,
    current: HashMap<usize, (u64, Curve)>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State<'a> {
    /// Not begun.
    Waiting,
    /// Being trained: steps done, and the curve so far.
    Training(u64, &'a Curve),
    /// Over.
    Over(&'a Record),
}

impl Queue {
    /// No run is begun.
    ///
    /// # Errors
    /// As [`Sweep::runs`].
    pub fn new(sweep: Sweep) -> Result<Self> {
        Ok(Self { runs: sweep.runs()?, sweep, records: HashMap::new(), current: HashMap::new() })
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

    /// Takes in a run that is over, of this sweep or of an earlier form of it.
    pub fn finish(&mut self, record: Record) {
        self.current.retain(|&index, _| self.runs[index].key != record.key);
        self.records.insert(record.key.clone(), record);
    }

    /// Run `index` has done `step` steps.
    pub fn progress(&mut self, index: usize, step: u64, curve: Curve) {
        self.current.insert(index, (step, curve));
    }

    /// What is in training is given up; it starts from its beginning next time.
    pub fn drop_current(&mut self) {
        self.current.clear();
    }

    /// Runs that are over.
    pub fn over(&self) -> usize {
        (0..self.runs.len()).filter(|&index| matches!(self.state(index), State::Over(_))).count()
    }
}
