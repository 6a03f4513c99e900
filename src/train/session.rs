//! A live training: a program on a backend, its milestones, and what it tells. Several of one shape
//! train together.

use super::mask::{self, MaskedUnits};
use super::pacer::{Pacer, Speed};
use super::plan::Plan;
use crate::Result;
use crate::backend::{Backend, Progress, StepLoss};
use crate::graph::dims::Rates;
use crate::graph::program::Program;
use crate::graph::{BufferId, Graph};
use crate::task::{Arrays, Source};
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
        /// One per step.
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
    Masked(MaskedUnits),
    /// All steps are done.
    Finished,
    /// The loss is no longer a number, first at this step.
    Diverged(u64),
}

/// What one training starts from.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// What is trained.
    pub plan: Plan,
    /// Where it starts, if not at the plan's own beginning.
    pub start: Option<&'a Snapshot>,
    /// What the task reads beside its sizes.
    pub source: Source<'a>,
}

/// Trainings of one shape on a backend, each a replica of the program.
pub struct Session {
    trained: Vec<Training>,
    backend: Box<dyn Backend>,
    pacer: Pacer,
    /// Steps done, as far as is known here.
    done: u64,
    /// Steps started.
    started: u64,
    pieces: std::collections::VecDeque<(u64, Instant)>,
    mask_at: Option<u64>,
    masking: bool,
    want_snapshot: bool,
    last_weights: Option<Instant>,
    last_snapshot: Option<Instant>,
    /// The step of the newest weights that were told.
    told: Option<u64>,
    /// Tells weights and states only when asked for them.
    quiet: bool,
    ended: bool,
}

/// One of the trainings.
struct Training {
    plan: Plan,
    /// The user's sequences, for the mask.
    data: Option<Arrays>,
    /// What the mask took out, and at which step.
    masked: Option<(u64, MaskedUnits)>,
    diverged: bool,
}

/// Time between two sets of weights.
const WEIGHTS_EVERY: Duration = Duration::from_millis(100);
/// Time between two snapshots.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(1000);
const STATE: [BufferId; 3] = [Graph::PARAMETERS, Graph::FIRST_MOMENT, Graph::SECOND_MOMENT];

impl Session {
    /// Loads one training on the backend that `open` makes.
    ///
    /// # Errors
    /// What `open` says: no device, no memory.
    pub fn new(
        member: &Member<'_>,
        piece_ms: f64,
        open: impl FnOnce(Program) -> Result<Box<dyn Backend>>,
    ) -> Result<Self> {
        Self::together(std::slice::from_ref(member), piece_ms, open)
    }

    /// Loads trainings of one shape, all at the same step.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn together(
        members: &[Member<'_>],
        piece_ms: f64,
        open: impl FnOnce(Program) -> Result<Box<dyn Backend>>,
    ) -> Result<Self> {
        let step_of = |member: &Member<'_>| member.start.map_or(0, |snapshot| snapshot.step);
        let (plan, step) = (&members[0].plan, step_of(&members[0]));
        assert!(
            members
                .iter()
                .all(|member| member.plan.shape() == plan.shape() && step_of(member) == step),
            "trainings of one shape at one step"
        );
        let mut backend = open(plan.program().replicated(members.len()))?;
        let table = backend.program().params.clone();
        for (replica, Member { plan, start, source }) in members.iter().enumerate() {
            match start {
                Some(Snapshot { parameters, first_moment, second_moment, .. }) => {
                    backend.write_to(replica, Graph::PARAMETERS, parameters);
                    backend.write_to(replica, Graph::FIRST_MOMENT, first_moment);
                    backend.write_to(replica, Graph::SECOND_MOMENT, second_moment);
                }
                None => backend.write_to(replica, Graph::PARAMETERS, &table.initial(plan.seed)),
            }
            plan.write_constants(backend.as_mut(), replica, *source);
        }
        let clock = |member: &Member<'_>| {
            member.plan.optimizer.clock(member.plan.seed, u32::try_from(step).unwrap_or(u32::MAX))
        };
        backend.set_clocks(&members.iter().map(clock).collect::<Vec<_>>());
        let mask_at = plan
            .mask
            .map(|mask| (f64::from(mask.at) * f64::from(plan.optimizer.steps)).round() as u64);
        let trained = |member: &Member<'_>| Training {
            data: member.source.data.filter(|_| member.plan.mask.is_some()).cloned(),
            plan: member.plan.clone(),
            masked: None,
            diverged: false,
        };
        Ok(Self {
            trained: members.iter().map(trained).collect(),
            mask_at: mask_at.filter(|&at| at > step),
            backend,
            pacer: Pacer::new(piece_ms),
            done: step,
            started: step,
            pieces: std::collections::VecDeque::new(),
            masking: false,
            want_snapshot: true,
            last_weights: None,
            last_snapshot: None,
            told: None,
            quiet: false,
            ended: false,
        })
    }

    /// The same, but it tells weights and states only at the mask, at the end, and when asked for
    /// them.
    #[must_use]
    pub fn quiet(self) -> Self {
        Self { quiet: true, want_snapshot: false, ..self }
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.done
    }

    /// What is trained, the first of them.
    pub fn plan(&self) -> &Plan {
        &self.trained[0].plan
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }

    /// Steps of the plan that are left to start.
    pub fn left(&self) -> u64 {
        u64::from(self.plan().optimizer.steps).saturating_sub(self.started)
    }

    /// Whether all that was started has come back and been told.
    pub fn idle(&self) -> bool {
        self.done == self.started && !self.masking && !self.want_snapshot
    }

    /// Whether there will be no more steps: all are done, or every loss diverged.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Changes peak learning rate and base weight decay from the next step on.
    pub fn set_rates(&mut self, peaks: Rates) {
        for Training { plan, .. } in &mut self.trained {
            plan.optimizer.learning_rate = peaks.learning_rate;
            plan.optimizer.weight_decay = peaks.weight_decay;
        }
        self.backend.set_rates(peaks);
    }

    /// Asks for a snapshot; it comes as an event.
    pub fn request_snapshot(&mut self) {
        self.want_snapshot = true;
    }

    /// Forgets the time that passed, as after a pause.
    pub fn rest(&mut self) {
        self.pacer.rest();
    }

    /// Starts as many steps as a piece of work should hold at `speed`, at most `most`. Returns how
    /// many.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    pub fn advance(&mut self, speed: Speed, most: u64) -> Result<u64> {
        if self.ended || self.masking || self.backend.busy() {
            return Ok(0);
        }
        let now = Instant::now();
        let until_mask = self.mask_at.map_or(u64::MAX, |at| at.saturating_sub(self.started));
        let steps =
            u64::from(self.pacer.steps(speed, now)).min(most).min(self.left()).min(until_mask);
        if steps > 0 {
            self.backend.advance(u32::try_from(steps).unwrap_or(u32::MAX))?;
            self.started += steps;
            self.pieces.push_back((self.started, now));
        }
        Ok(steps)
    }

    /// What has happened since the last call, with the number of the training. Never waits.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    pub fn poll_all(&mut self) -> Result<Vec<(usize, Event)>> {
        self.ask();
        let mut events = vec![];
        let progress = self.backend.poll_all()?;
        if !progress.is_empty() {
            self.receive(progress, &mut events)?;
        }
        Ok(events)
    }

    /// The same for a single training.
    ///
    /// # Errors
    /// The device was lost or refused the work.
    pub fn poll(&mut self) -> Result<Vec<Event>> {
        Ok(self.poll_all()?.into_iter().map(|(_, event)| event).collect())
    }

    /// Requests weights and snapshots when they are due.
    fn ask(&mut self) {
        let now = Instant::now();
        let due = |last: Option<Instant>, every: Duration| {
            last.is_none_or(|last| now.duration_since(last) >= every)
        };
        if self.mask_at == Some(self.started) {
            self.masking = true;
        }
        let moved = self.told != Some(self.started) && !self.quiet;
        if self.masking
            || self.want_snapshot
            || (moved && !self.ended && due(self.last_snapshot, SNAPSHOT_EVERY))
        {
            self.last_snapshot = Some(now);
            STATE.into_iter().for_each(|id| self.backend.request(id));
        } else if moved && !self.ended && due(self.last_weights, WEIGHTS_EVERY) {
            self.last_weights = Some(now);
            self.backend.request(Graph::PARAMETERS);
        }
    }

    fn receive(&mut self, all: Vec<Progress>, events: &mut Vec<(usize, Event)>) -> Result<()> {
        let step = all.iter().map(|progress| progress.step).max().unwrap_or(self.done);
        while let Some(&(end, since)) = self.pieces.front().filter(|(end, _)| *end <= step) {
            let steps = u32::try_from(end.saturating_sub(self.done)).unwrap_or(u32::MAX);
            self.pacer.observe(steps, since.elapsed());
            self.done = end;
            self.pieces.pop_front();
        }
        self.done = step;
        for (replica, progress) in all.iter().enumerate() {
            let losses = &progress.losses;
            if !losses.is_empty() {
                events.push((
                    replica,
                    Event::Losses {
                        first: progress.step + 1 - losses.len() as u64,
                        losses: losses.clone(),
                    },
                ));
            }
            if let Some(at) = progress.halted_at.filter(|_| !self.trained[replica].diverged) {
                self.trained[replica].diverged = true;
                events.push((replica, Event::Diverged(at)));
            }
        }
        if self.trained.iter().all(|trained| trained.diverged) {
            (self.ended, self.masking, self.want_snapshot) = (true, false, false);
            self.started = self.done;
            return Ok(());
        }
        self.receive_states(&all, events)?;
        if !self.ended && self.left() == 0 && self.done == self.started && !self.masking {
            self.ended = true;
            self.want_snapshot = true; // the final state
            let sound = self.trained.iter().enumerate().filter(|(_, trained)| !trained.diverged);
            events.extend(sound.map(|(replica, _)| (replica, Event::Finished)));
        }
        Ok(())
    }

    /// The weights that came, of each training that goes on; the mask falls on a state that was
    /// copied at its step.
    fn receive_states(&mut self, all: &[Progress], events: &mut Vec<(usize, Event)>) -> Result<()> {
        let masks = self.masking && self.mask_at == Some(self.done);
        let mut whole = false;
        for (replica, progress) in all.iter().enumerate() {
            let Some(parameters) =
                progress.tensor(Graph::PARAMETERS).filter(|_| !self.trained[replica].diverged)
            else {
                continue;
            };
            self.told = Some(progress.step);
            // A copy that was made at the mask's step, but before it fell, is masked here.
            let masked =
                self.trained[replica].masked.as_ref().filter(|(step, _)| *step == progress.step);
            let seen = |flat: &[f32]| {
                let mut flat = flat.to_vec();
                if let Some((_, masked)) = masked {
                    mask::apply(&self.backend.program().params, masked, &mut flat);
                }
                flat
            };
            let parameters = seen(parameters);
            let [first, second] = [STATE[1], STATE[2]].map(|id| progress.tensor(id).map(seen));
            let (Some(first_moment), Some(second_moment)) = (first, second) else {
                events.push((replica, Event::Weights { step: progress.step, parameters }));
                continue;
            };
            whole = true;
            let mut snapshot =
                Snapshot { step: progress.step, parameters, first_moment, second_moment };
            if masks {
                events.push((replica, Event::Masked(self.mask(replica, &mut snapshot)?)));
            }
            events.push((
                replica,
                Event::Weights { step: snapshot.step, parameters: snapshot.parameters.clone() },
            ));
            events.push((replica, Event::Snapshot(snapshot)));
        }
        if whole && masks {
            (self.mask_at, self.masking) = (None, false);
        }
        self.want_snapshot &= !whole;
        Ok(())
    }

    fn mask(&mut self, replica: usize, snapshot: &mut Snapshot) -> Result<MaskedUnits> {
        let Training { plan, data, .. } = &self.trained[replica];
        let threshold = plan.mask.map_or(0.0, |mask| mask.threshold);
        let masked = mask::find(plan, data.as_ref(), &snapshot.parameters, threshold)?;
        let table = &self.backend.program().params;
        for flat in
            [&mut snapshot.parameters, &mut snapshot.first_moment, &mut snapshot.second_moment]
        {
            mask::apply(table, &masked, flat);
        }
        self.backend.write_to(replica, STATE[0], &snapshot.parameters);
        self.backend.write_to(replica, STATE[1], &snapshot.first_moment);
        self.backend.write_to(replica, STATE[2], &snapshot.second_moment);
        self.trained[replica].masked = Some((snapshot.step, masked.clone()));
        Ok(masked)
    }
}
