//! What the window knows of the training that runs: grown from the runner's updates, drawn by the
//! panels.

use super::notice::Notice;
use super::runner::Update;
use crate::Error;
use crate::analysis::contribution::Probe;
use crate::analysis::finding::Finding;
use crate::analysis::importance::{self, Census, Importance};
use crate::backend::Device;
use crate::graph::params::ParamTable;
use crate::model::Network;
use crate::recipe::Recipe;
use crate::task::Teacher;
use crate::train::history::{LossHistory, Traces};
use crate::train::mask::MaskedUnits;
use crate::train::session::{Event, Snapshot};
use web_time::{Duration, Instant};

/// How a training ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// All steps are done.
    Finished,
    /// The loss is no longer a number, first at this step.
    Diverged(u64),
}

/// The newest weights and what is read off them.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Steps done.
    pub step: u64,
    /// All parameters, flat, as in [`Live::table`].
    pub parameters: Vec<f32>,
    /// λ, importance and role of each neuron and gate; empty for a network that is not gated.
    pub importance: Importance,
}

impl Weights {
    /// How many neurons and gates do what, unless some of the weights are no numbers.
    pub fn census(&self) -> Option<Census> {
        let is_finite = self.parameters.iter().all(|v| v.is_finite());
        is_finite.then(|| self.importance.census(importance::THRESHOLD))
    }
}

/// A training as the window sees it.
pub struct Live {
    /// Which training this is; updates of others are ignored.
    pub run: u32,
    /// What is trained.
    pub recipe: Recipe,
    /// What it imitates: the recipe's teacher, or that of the file it came from; `None` for tasks
    /// without one.
    pub teacher: Option<Teacher>,
    /// Names and places of the parameters.
    pub table: ParamTable,
    /// What it runs on, once it is loaded.
    pub device: Option<Device>,
    /// Bytes that it takes there.
    pub bytes: u64,
    /// Steps done.
    pub step: u64,
    /// Whether it plays.
    pub running: bool,
    /// Loss over training.
    pub history: LossHistory,
    /// λ of each neuron over training.
    pub lambdas: Traces,
    /// The newest weights.
    pub weights: Option<Weights>,
    /// Teacher and student on one sequence.
    pub probe: Option<Probe>,
    /// How many times the weights were replaced: what is worked out from them is kept until then.
    pub weights_revision: u64,
    /// The same of the probe.
    pub probe_revision: u64,
    /// What it does in context, and the step that it was measured at.
    pub finding: Option<(u64, Finding)>,
    /// The newest state.
    pub snapshot: Option<Snapshot>,
    /// The newest state whose loss was sound.
    pub good: Option<Snapshot>,
    /// What the late mask took out.
    pub masked: Option<MaskedUnits>,
    /// How it ended, if it did.
    pub end: Option<End>,
    /// Why it could not start or had to stop.
    pub failure: Option<Error>,
    /// What the user should know; the window shows and clears them.
    pub notices: Vec<Notice>,
    meter: Vec<(Instant, u64)>,
}

/// Steps per second are measured over this long.
const METER: Duration = Duration::from_millis(1500);

impl Live {
    /// A training that was asked for and has not answered yet.
    pub fn new(run: u32, recipe: Recipe) -> Self {
        let plan = recipe.plan();
        let table = plan.program().params;
        Self {
            run,
            teacher: plan.teacher(),
            recipe,
            table,
            device: None,
            bytes: 0,
            step: 0,
            running: false,
            history: LossHistory::default(),
            lambdas: Traces::default(),
            weights: None,
            probe: None,
            weights_revision: 0,
            probe_revision: 0,
            finding: None,
            snapshot: None,
            good: None,
            masked: None,
            end: None,
            failure: None,
            notices: vec![],
            meter: vec![],
        }
    }

    /// What it does in context, as measured last.
    pub fn found(&self) -> Option<&Finding> {
        self.finding.as_ref().map(|(_, finding)| finding)
    }

    /// Takes in an update of the training `run` that arrived at `now`.
    pub fn apply(&mut self, run: u32, update: Update, now: Instant) {
        if run != self.run {
            return;
        }
        match update {
            Update::Ready { device, bytes, step } => {
                (self.device, self.bytes, self.step, self.failure, self.end) =
                    (Some(device), bytes, step, None, None);
                self.meter.clear();
            }
            Update::Event(event) => self.event(event, now),
            Update::Snapshot { snapshot, good } => {
                if good {
                    self.good = Some(snapshot.clone());
                }
                self.snapshot = Some(snapshot);
            }
            Update::Sound(step) => {
                self.good = self
                    .snapshot
                    .clone()
                    .filter(|snapshot| snapshot.step == step)
                    .or(self.good.take())
            }
            Update::Inspected(_) | Update::Group(..) | Update::GroupFailed(..) => {} /* the bench's and the sweep's, not the training's */
            Update::Probe(probe) => {
                self.probe = Some(probe);
                self.probe_revision += 1;
            }
            Update::Found(step, finding) => self.finding = Some((step, *finding)),
            Update::Running(running) => {
                self.running = running;
                self.meter.clear();
            }
            Update::Notice(notice) => self.notices.push(notice),
            Update::Failed(error) => (self.failure, self.running) = (Some(error), false),
        }
    }

    fn event(&mut self, event: Event, now: Instant) {
        match event {
            Event::Losses { first, losses } => {
                self.history.extend(first, &losses);
                self.step = self.history.steps();
                self.meter.push((now, self.step));
                self.meter.retain(|(at, _)| now.duration_since(*at) <= METER);
            }
            Event::Weights { step, parameters } => {
                let network = Network::from_parameters(&self.table, &parameters);
                let importance = network
                    .map(|network| importance::measure(&network, importance::THRESHOLD))
                    .unwrap_or_default();
                self.lambdas
                    .push(step, importance.lambda.iter().map(|&lambda| narrow(lambda)).collect());
                self.weights = Some(Weights { step, parameters, importance });
                self.weights_revision += 1;
            }
            Event::Snapshot(snapshot) => self.snapshot = Some(snapshot),
            Event::Masked(masked) => self.masked = Some(masked),
            Event::Finished => self.end = Some(End::Finished),
            Event::Diverged(step) => (self.end, self.running) = (Some(End::Diverged(step)), false),
        }
    }

    /// Steps per second, measured over the last 1.5 s; `None` while it rests.
    pub fn steps_per_second(&self) -> Option<f64> {
        let (&(from, first), &(to, last)) = (self.meter.first()?, self.meter.last()?);
        let seconds = to.duration_since(from).as_secs_f64();
        (self.running && seconds > 0.1).then(|| last.saturating_sub(first) as f64 / seconds)
    }
}

fn narrow(value: f64) -> f32 {
    value as f32
}
