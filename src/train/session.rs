//! One live training: a program on a backend, its milestones, and what it tells.

use super::mask::{self, Masked};
use super::pacer::{Pacer, Speed};
use super::plan::Plan;
use crate::backend::{Backend, Progress, StepLoss};
use crate::graph::program::Program;
use crate::graph::{BufferId, Graph};
use crate::task::{Arrays, Source};
use crate::Result;
use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

/// A training's state between two steps: enough to go on exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Steps done.
    pub step: u64,
    /// All parameters, flat.
    pub parameters: Vec<f32>,
    /// AdamW's first moment; empty for weights that come without an optimiser.
    pub first_moment: Vec<f32>,
    /// AdamW's second moment; empty likewise.
    pub second_moment: Vec<f32>,
}

/// What a session tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The losses of the steps from `first` on.
    Losses {
        /// The first step.
        first: u64,
        /// One a step.
        losses: Vec<StepLoss>,
    },
    /// The newest weights, about ten times a second.
    Weights {
        /// Steps done.
        step: u64,
        /// All parameters, flat.
        parameters: Vec<f32>,
    },
    /// A state to go back to, about once a second and when asked for.
    Snapshot(Snapshot),
    /// The late mask has fallen.
    Masked(Masked),
    /// All steps are done.
    Finished,
    /// The loss is no longer a number, first at this step.
    Diverged(u64),
}

/// A training on a backend.
pub struct Session {
    plan: Plan,
    backend: Box<dyn Backend>,
    pacer: Pacer,
    /// Steps done, as far as is known here.
    done: u64,
    /// Steps started.
    started: u64,
    pieces: std::collections::VecDeque<(u64, Instant)>,
    /// The user's sequences, for the mask.
    data: Option<Arrays>,
    mask_at: Option<u64>,
    masking: bool,
    /// What the mask took out, and at which step.
    masked: Option<(u64, Masked)>,
    want_snapshot: bool,
    last_weights: Option<Instant>,
    last_snapshot: Option<Instant>,
    /// The step of the newest weights that were told.
    told: Option<u64>,
    ended: bool,
}

/// Time between two sets of weights.
const WEIGHTS_EVERY: Duration = Duration::from_millis(100);
/// Time between two snapshots.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(1000);
const STATE: [BufferId; 3] = [Graph::PARAMETERS, Graph::FIRST_MOMENT, Graph::SECOND_MOMENT];

impl Session {
    /// Loads `plan` on the backend that `open` makes, at `start` or at the plan's own beginning.
    ///
    /// # Errors
    /// What `open` says: no device, no memory.
    pub fn new(
        plan: Plan,
        start: Option<&Snapshot>,
        source: Source<'_>,
        piece_ms: f64,
        open: impl FnOnce(Program) -> Result<Box<dyn Backend>>,
    ) -> Result<Self> {
        let program = plan.program();
        let table = program.params.clone();
        let mut backend = open(program)?;
        let step = start.map_or(0, |snapshot| snapshot.step);
        match start {
            Some(Snapshot { parameters, first_moment, second_moment, .. }) => {
                backend.write(Graph::PARAMETERS, parameters);
                backend.write(Graph::FIRST_MOMENT, first_moment);
                backend.write(Graph::SECOND_MOMENT, second_moment);
            }
            None => backend.write(Graph::PARAMETERS, &table.initial(plan.seed)),
        }
        plan.write_constants(backend.as_mut(), source);
        backend.set_clock(&plan.optimizer.clock(plan.seed, u32::try_from(step).unwrap_or(u32::MAX)));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let mask_at = plan.mask.map(|mask| (f64::from(mask.at) * f64::from(plan.optimizer.steps)).round() as u64);
        Ok(Self {
            mask_at: mask_at.filter(|&at| at > step),
            data: source.data.filter(|_| plan.mask.is_some()).cloned(),
            plan,
            backend,
            pacer: Pacer::new(piece_ms),
            done: step,
            started: step,
            pieces: std::collections::VecDeque::new(),
            masking: false,
            masked: None,
            want_snapshot: true,
            last_weights: None,
            last_snapshot: None,
            told: None,
            ended: false,
        })
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.done
    }

    /// What is trained.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }

    /// Steps of the plan that are left to start.
    pub fn left(&self) -> u64 {
        u64::from(self.plan.optimizer.steps).saturating_sub(self.started)
    }

    /// Whether all that was started has come back and been told.
    pub fn idle(&self) -> bool {
        self.done == self.started && !self.masking && !self.want_snapshot
    }

    /// Whether there will be no more steps: all are done, or the loss diverged.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Changes peak learning rate and base weight decay from the next step on.
    pub fn set_rates(&mut self, learning_rate: f32, weight_decay: f32) {
        self.plan.optimizer.learning_rate = learning_rate;
        self.plan.optimizer.weight_decay = weight_decay;
        self.backend.set_rates(learning_rate, weight_decay);
    }

    /// Asks for a snapshot; it comes as an event.
    pub fn request_snapshot(&mut self) {
        self.want_snapshot = true;
    }

    /// Forgets the time that passed, as after a pause.
    pub fn rest(&mut self) {
        self.pacer.rest();
    }

    /// Starts as many steps as a piece of work should hold at `speed`, at most `most`. Returns how many.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    pub fn advance(&mut self, speed: Speed, most: u64) -> Result<u64> {
        if self.ended || self.masking || self.backend.busy() {
            return Ok(0);
        }
        let now = Instant::now();
        let until_mask = self.mask_at.map_or(u64::MAX, |at| at.saturating_sub(self.started));
        let steps = u64::from(self.pacer.steps(speed, now)).min(most).min(self.left()).min(until_mask);
        if steps > 0 {
            self.backend.advance(u32::try_from(steps).unwrap_or(u32::MAX))?;
            self.started += steps;
            self.pieces.push_back((self.started, now));
        }
        Ok(steps)
    }

    /// What has happened since the last call. Never waits.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    pub fn poll(&mut self) -> Result<Vec<Event>> {
        self.ask();
        let mut events = vec![];
        if let Some(progress) = self.backend.poll()? {
            self.receive(progress, &mut events)?;
        }
        Ok(events)
    }

    /// Requests weights and snapshots when they are due.
    fn ask(&mut self) {
        let now = Instant::now();
        let due = |last: Option<Instant>, every: Duration| last.is_none_or(|last| now.duration_since(last) >= every);
        if self.mask_at == Some(self.started) {
            self.masking = true;
        }
        let moved = self.told != Some(self.started);
        if self.masking || self.want_snapshot || (moved && !self.ended && due(self.last_snapshot, SNAPSHOT_EVERY)) {
            self.last_snapshot = Some(now);
            STATE.into_iter().for_each(|id| self.backend.request(id));
        } else if moved && !self.ended && due(self.last_weights, WEIGHTS_EVERY) {
            self.last_weights = Some(now);
            self.backend.request(Graph::PARAMETERS);
        }
    }

    fn receive(&mut self, progress: Progress, events: &mut Vec<Event>) -> Result<()> {
        let Progress { step, ref losses, halted_at, .. } = progress;
        while let Some(&(end, since)) = self.pieces.front().filter(|(end, _)| *end <= step) {
            let steps = u32::try_from(end.saturating_sub(self.done)).unwrap_or(u32::MAX);
            self.pacer.observe(steps, since.elapsed());
            self.done = end;
            self.pieces.pop_front();
        }
        self.done = step;
        if !losses.is_empty() {
            events.push(Event::Losses { first: step + 1 - losses.len() as u64, losses: losses.clone() });
        }
        if let Some(at) = halted_at {
            if !self.ended {
                events.push(Event::Diverged(at));
            }
            (self.ended, self.masking, self.want_snapshot) = (true, false, false);
            self.started = self.done;
            return Ok(());
        }
        self.receive_state(&progress, events)?;
        if !self.ended && self.left() == 0 && self.done == self.started && !self.masking {
            self.ended = true;
            self.want_snapshot = true; // the final state
            events.push(Event::Finished);
        }
        Ok(())
    }

    fn receive_state(&mut self, progress: &Progress, events: &mut Vec<Event>) -> Result<()> {
        let Some(parameters) = progress.tensor(Graph::PARAMETERS) else { return Ok(()) };
        // A copy that was made at the mask's step, but before it fell, is masked here.
        let seen = |flat: &[f32]| {
            let mut flat = flat.to_vec();
            if let Some((_, masked)) = self.masked.as_ref().filter(|(step, _)| *step == progress.step) {
                mask::apply(&self.backend.program().params, masked, &mut flat);
            }
            flat
        };
        let parameters = seen(parameters);
        let [first, second] = [STATE[1], STATE[2]].map(|id| progress.tensor(id));
        let (Some(first), Some(second)) = (first, second) else {
            self.told = Some(progress.step);
            events.push(Event::Weights { step: progress.step, parameters });
            return Ok(());
        };
        let mut snapshot = Snapshot { step: progress.step, parameters, first_moment: seen(first), second_moment: seen(second) };
        if self.masking && self.mask_at == Some(progress.step) {
            self.mask(&mut snapshot, events)?;
        }
        self.want_snapshot = false;
        self.told = Some(snapshot.step);
        events.push(Event::Weights { step: snapshot.step, parameters: snapshot.parameters.clone() });
        events.push(Event::Snapshot(snapshot));
        Ok(())
    }

    fn mask(&mut self, snapshot: &mut Snapshot, events: &mut Vec<Event>) -> Result<()> {
        let threshold = self.plan.mask.map_or(0.0, |mask| mask.threshold);
        let masked = mask::find(&self.plan, self.data.as_ref(), &snapshot.parameters, threshold)?;
        let table = self.backend.program().params.clone();
        for flat in [&mut snapshot.parameters, &mut snapshot.first_moment, &mut snapshot.second_moment] {
            mask::apply(&table, &masked, flat);
        }
        self.backend.write(STATE[0], &snapshot.parameters);
        self.backend.write(STATE[1], &snapshot.first_moment);
        self.backend.write(STATE[2], &snapshot.second_moment);
        (self.mask_at, self.masking) = (None, false);
        self.masked = Some((snapshot.step, masked.clone()));
        events.push(Event::Masked(masked));
        Ok(())
    }
}
