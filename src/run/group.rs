//! Runs of one program, trained together to their end: from recipes to records. A run that diverges
//! is over; the others go on.

use super::engine::{self, Resources};
use super::notice::Notice;
use crate::analysis::importance::{self, THRESHOLD};
use crate::backend::{Device, DeviceKind, StepLoss};
use crate::model::Network;
use crate::named::Named;
use crate::recipe::Recipe;
use crate::sweep::partial::Partial;
use crate::sweep::queue::Queue;
use crate::sweep::record::{Curve, Outcome, POINTS, Record, mark};
use crate::sweep::{Run, key};
use crate::task::{Arrays, Source};
use crate::train::pacer::Speed;
use crate::train::session::{Event, Member, Session, Snapshot};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

/// A run, and where it starts if not at its beginning.
pub type RunStart = (Recipe, Option<Partial>);

/// What a group starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// Comes back with all that is told of it.
    pub group: u32,
    /// Runs of one program, and where each one starts if not at its beginning: all at the same
    /// step.
    pub members: Vec<RunStart>,
    /// The user's arrays, of the file task.
    pub data: Option<Box<Arrays>>,
    /// CPU threads, 0 for all.
    pub threads: usize,
    /// Bytes that the CPU engine may take.
    pub memory_limit: u64,
    /// Milliseconds between two states that are told, at least.
    pub states_every_ms: u32,
}

/// What a group tells; a number is a member's place in [`Start::members`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum GroupEvent {
    /// It is loaded, on that device.
    Ready(Device),
    /// A member has done that many steps, with that curve.
    Point(usize, u64, Curve),
    /// The states of all members that go on: what it takes to start again from here.
    States(Vec<(usize, Partial)>),
    /// A member is over; with its parameters, if it finished.
    Over(usize, Box<Record>, Option<Vec<f32>>),
    /// Only so many members fit on the device together; the others are given back.
    Fewer(usize),
    /// Something that the user should know.
    Notice(Notice),
}

/// Milliseconds between two states that are told, where nothing else is wished.
pub const STATES_EVERY_MS: u32 = 5000;
/// Times that a lost device is opened again.
const RETRIES: u32 = 3;

/// A group at work.
pub struct Group {
    start: Start,
    members: Vec<Progress>,
    /// Which member each training of the session is.
    trained: Vec<usize>,
    session: Session,
    device: Device,
    /// Steps started, and points that all curves have.
    started: u64,
    points: u64,
    states_due: Instant,
    states_at: Option<u64>,
    retries: u32,
}

/// How far a member is.
struct Progress {
    curve: Curve,
    /// Sums of loss and power over the steps since the last point, and how many they are.
    sum: [f64; 2],
    count: u32,
    diverged: Option<u64>,
    over: bool,
}

impl Group {
    /// Loads as many of the members as fit together; says what it has to.
    ///
    /// # Errors
    /// Not one fits, or there is no such device.
    pub async fn open(mut start: Start) -> Result<(Self, Vec<GroupEvent>)> {
        let (session, device, notice) = loop {
            let all: Vec<usize> = (0..start.members.len()).collect();
            match load(&start, &all).await {
                Err(Error::TooLarge { .. }) if start.members.len() > 1 => {
                    start.members.truncate(start.members.len() / 2)
                }
                other => break other?,
            }
        };
        let members: Vec<Progress> =
            start.members.iter().map(|(_, from)| Progress::from(from.as_ref())).collect();
        let (started, points) = (session.step(), members[0].curve.0.len() as u64);
        let mut told = vec![GroupEvent::Fewer(members.len()), GroupEvent::Ready(device.clone())];
        told.extend(notice.map(GroupEvent::Notice));
        let trained = (0..members.len()).collect();
        let states_due = Instant::now() + Duration::from_millis(start.states_every_ms.into());
        let group = Self {
            start,
            members,
            trained,
            session,
            device,
            started,
            points,
            states_due,
            states_at: None,
            retries: 0,
        };
        Ok((group, told))
    }

    /// Its number.
    pub fn number(&self) -> u32 {
        self.start.group
    }

    /// Whether work goes on by itself between two pieces.
    pub fn is_asynchronous(&self) -> bool {
        self.device.kind == DeviceKind::Gpu
    }

    /// The part of its steps that is started; 0 once all are, as then only their end is to come.
    pub fn progress(&self) -> f64 {
        let part = self.started as f64 / self.steps() as f64;
        if part < 1.0 { part } else { 0.0 }
    }

    /// Whether every member is over.
    pub fn is_over(&self) -> bool {
        self.members.iter().all(|member| member.over)
    }

    /// Does a piece of work and tells what came of it. A lost device is opened again.
    ///
    /// # Errors
    /// The device refused the work, or was lost once too often.
    pub async fn work(&mut self) -> Result<Vec<GroupEvent>> {
        match self.piece() {
            Err(error @ Error::DeviceLost(_)) if self.retries < RETRIES => {
                self.reopen().await?;
                Ok(vec![GroupEvent::Notice(Notice::SweepResumed(error, self.session.step()))])
            }
            told => told,
        }
    }

    fn piece(&mut self) -> Result<Vec<GroupEvent>> {
        let steps = self.steps();
        let next = mark(steps, self.points + 1).min(steps);
        if self.states_at.is_none() {
            self.started += self.session.advance(Speed::Full, next - self.started)?;
        }
        let mut told = vec![];
        let mut states = vec![];
        for (replica, event) in self.session.poll_all()? {
            let member = self.trained[replica];
            match event {
                Event::Losses { first, losses } => {
                    let own = &mut self.members[member];
                    for (step, loss) in (first..).zip(losses) {
                        own.add(loss, step == mark(steps, own.curve.0.len() as u64 + 1));
                    }
                }
                Event::Diverged(step) => self.members[member].diverged = Some(step),
                Event::Snapshot(snapshot) => states.push((member, snapshot)),
                Event::Weights { .. } | Event::Masked(_) | Event::Finished => {}
            }
        }
        for member in 0..self.members.len() {
            if let Some(step) = self.members[member].diverged.filter(|_| !self.members[member].over)
            {
                told.push(self.over(member, Outcome::Diverged(step), None));
            }
        }
        if self.session.step() == next && self.points < mark_count(steps, next) {
            self.points = mark_count(steps, next);
            let going = self.members.iter().enumerate().filter(|(_, member)| !member.over);
            told.extend(going.map(|(i, member)| GroupEvent::Point(i, next, member.curve.clone())));
            if Instant::now() >= self.states_due && next < steps {
                self.session.request_snapshot();
                self.states_at = Some(next);
            }
        }
        self.take(states, &mut told);
        Ok(told)
    }

    /// States that came: at the end they make records, at a mark they are what a restart needs.
    fn take(&mut self, states: Vec<(usize, Snapshot)>, told: &mut Vec<GroupEvent>) {
        let steps = self.steps();
        let mut kept = vec![];
        for (member, snapshot) in states {
            if self.session.ended() && snapshot.step == steps {
                if !self.members[member].over {
                    told.push(self.over(member, Outcome::Finished, Some(&snapshot)));
                }
            } else if self.states_at == Some(snapshot.step) {
                kept.push((
                    member,
                    Partial { snapshot, curve: self.members[member].curve.clone() },
                ));
            }
        }
        if !kept.is_empty() {
            for (member, partial) in &kept {
                self.start.members[*member].1 = Some(partial.clone());
            }
            told.push(GroupEvent::States(kept));
            (self.states_at, self.states_due) =
                (None, Instant::now() + Duration::from_millis(self.start.states_every_ms.into()));
        }
    }

    fn steps(&self) -> u64 {
        self.start.members[0].0.steps.into()
    }

    fn over(&mut self, member: usize, outcome: Outcome, state: Option<&Snapshot>) -> GroupEvent {
        self.members[member].over = true;
        let recipe = self.start.members[member].0.clone();
        let table = &self.session.backend().program().params;
        let census = |state: &Snapshot| {
            Some(
                importance::measure(
                    &Network::from_parameters(table, &state.parameters)?,
                    THRESHOLD,
                )
                .census(THRESHOLD),
            )
        };
        GroupEvent::Over(
            member,
            Box::new(Record {
                key: key(&recipe),
                recipe,
                outcome,
                curve: self.members[member].curve.clone(),
                neurons: state.and_then(census),
                device: format!("{} {}", self.device.kind.key(), self.device.name),
            }),
            state.map(|state| state.parameters.clone()),
        )
    }

    /// Loads all that goes on again, from the newest states that were told.
    async fn reopen(&mut self) -> Result<()> {
        self.trained.retain(|&member| !self.members[member].over);
        (self.session, self.device, _) = load(&self.start, &self.trained).await?;
        for &member in &self.trained {
            self.members[member] = Progress::from(self.start.members[member].1.as_ref());
        }
        (self.started, self.points) =
            (self.session.step(), mark_count(self.steps(), self.session.step()));
        (self.states_at, self.retries) = (None, self.retries + 1);
        Ok(())
    }
}

/// The next runs to train together, at most `most`, and the state each goes on from: all at the
/// same step.
pub fn next(
    queue: &Queue,
    most: usize,
    state: impl Fn(&Run) -> Option<Partial>,
) -> Option<(Vec<usize>, Vec<RunStart>)> {
    let step = |partial: &Option<Partial>| partial.as_ref().map(|partial| partial.snapshot.step);
    let found = queue
        .next(most)?
        .into_iter()
        .map(|index| (index, (queue.runs()[index].recipe.clone(), state(&queue.runs()[index]))));
    let found: Vec<_> = found.collect();
    let first = step(&found[0].1.1);
    Some(found.into_iter().filter(|(_, (_, partial))| step(partial) == first).unzip())
}

/// The record of a run that can't be trained.
pub fn failed(recipe: Recipe, error: &Error) -> Record {
    let outcome = Outcome::Failed(error.to_string());
    Record {
        key: key(&recipe),
        recipe,
        outcome,
        curve: Curve::default(),
        neurons: None,
        device: String::new(),
    }
}

/// How many runs of one program should train together on this machine: one per core, so that none
/// waits for another.
pub fn most_together() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).clamp(4, 16)
}

/// Points of a curve after `step` steps.
fn mark_count(steps: u64, step: u64) -> u64 {
    (0..=POINTS).rev().find(|&points| mark(steps, points) <= step).unwrap_or(0)
}

/// The session of those members, what it runs on, and what the user should know of it.
async fn load(start: &Start, which: &[usize]) -> Result<(Session, Device, Option<Notice>)> {
    let recipe = &start.members[0].0;
    let chosen: Vec<&RunStart> = which.iter().map(|&member| &start.members[member]).collect();
    chosen.iter().try_for_each(|(recipe, _)| recipe.check_arrays(start.data.as_deref()))?;
    let data: Vec<Option<Arrays>> =
        chosen.iter().map(|(recipe, _)| Some(recipe.split(start.data.as_ref()?).0)).collect();
    let mut members = vec![];
    for ((recipe, from), data) in chosen.into_iter().zip(&data) {
        let source = Source { data: data.as_ref(), ..Source::default() };
        members.push(Member {
            plan: recipe.plan(),
            start: from.as_ref().map(|from| &from.snapshot),
            source,
        });
    }
    let means = Resources {
        engine: recipe.backend,
        threads: start.threads,
        memory_limit: start.memory_limit,
    };
    let opened = engine::open(&members, means).await?;
    let session = opened.session.quiet();
    let device = session.backend().device().clone();
    Ok((session, device, opened.notice))
}

impl Progress {
    fn from(partial: Option<&Partial>) -> Self {
        let curve = partial.map(|partial| partial.curve.clone()).unwrap_or_default();
        Self { curve, sum: [0.0; 2], count: 0, diverged: None, over: false }
    }

    /// Adds a step's loss; at a mark, the mean since the last one becomes a point, if it is a
    /// number.
    fn add(&mut self, StepLoss { loss, power }: StepLoss, at_mark: bool) {
        self.sum = [self.sum[0] + f64::from(loss), self.sum[1] + f64::from(power)];
        self.count += 1;
        if at_mark {
            let [loss, power] = self.sum.map(|sum| (sum / f64::from(self.count)) as f32);
            if loss.is_finite() && power.is_finite() {
                self.curve.0.push(StepLoss { loss, power });
            }
            (self.sum, self.count) = ([0.0; 2], 0);
        }
    }
}
