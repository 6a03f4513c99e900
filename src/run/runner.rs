//! A training off the window's thread: commands in, updates out. The same code runs on a thread
//! natively and in a Web Worker on the page; [`crate::platform`] makes the [`Port`].

use super::engine::{self, Resources};
use super::group::{self, Group};
use super::inspection::{Inspector, LiveNetwork};
pub use super::messages::{Command, Start, Update};
use super::notice::Notice;
use crate::analysis::contribution;
use crate::analysis::finding;
use crate::analysis::test_set::{self, Sets};
use crate::math::random;
use crate::model::Network;
use crate::task::{Arrays, Source, Teacher};
use crate::train::pacer::Speed;
use crate::train::session::{Event, Member, Session, Snapshot};
use crate::{Error, Result};
use web_time::{Duration, Instant};

/// How a runner is reached.
#[expect(async_fn_in_trait, reason = "used within this crate, on one thread")]
pub trait Port {
    /// Sends an update of the training `run`.
    fn send(&self, run: u32, update: Update);
    /// The next command, if there is one.
    fn receive(&mut self) -> Option<Command>;
    /// Returns after `ms`, or when a command arrives; 0 only lets others run.
    async fn wait(&mut self, ms: u32);
    /// Nobody listens any more.
    fn closed(&self) -> bool;
}

/// Tokens of the probe sequence, at most.
const PROBE_TIME: usize = 32;
/// Sequences that a live network is measured on in context.
const FOUND_SEQUENCES: usize = 512;
/// Times that a lost device is opened again.
const RETRIES: u32 = 3;
/// A loss that many times the best one is not a state to go back to.
const SOUND: f32 = 100.0;

/// Serves commands until the port closes.
pub async fn serve(mut port: impl Port) {
    let mut runner = Runner {
        port: &mut port,
        training: None,
        speed: Speed::Full,
        inspector: Inspector::default(),
        groups: vec![],
    };
    while !runner.port.closed() {
        while let Some(command) = runner.port.receive() {
            runner.command(command).await;
        }
        let wait = match runner.work() {
            Ok(wait) => wait,
            Err(error) => runner.recover(error).await,
        };
        let wait = wait.min(runner.inspect()).min(runner.work_on_groups().await);
        runner.port.wait(wait).await;
    }
}

struct Runner<'a, P> {
    port: &'a mut P,
    training: Option<Training>,
    speed: Speed,
    inspector: Inspector,
    /// Runs of sweeps, and whether they go on or rest.
    groups: Vec<(Group, bool)>,
}

struct Training {
    start: Start,
    session: Session,
    teacher: Option<Teacher>,
    /// Sequences of the file task that are not trained on, and the first of those that are.
    measured: Option<(Arrays, Arrays)>,
    running: bool,
    /// Steps left of a `Steps` command.
    budget: Option<u64>,
    /// The newest state that has proved sound.
    good: Snapshot,
    /// A newer one, until a step taken from it shows whether it is.
    candidate: Option<Snapshot>,
    best: f32,
    /// The newest weights that are known, and the step they are from.
    newest: (u64, Vec<f32>),
    probe_due: Instant,
    retries: u32,
    #[cfg(feature = "gpu")]
    gpu: Option<crate::backend::gpu::Context>,
}

impl<P: Port> Runner<'_, P> {
    async fn command(&mut self, command: Command) {
        match command {
            Command::Start(start) => {
                let run = start.run;
                self.training = None; // frees the old one's memory first
                if let Err(error) = self.start(*start, 0).await {
                    self.port.send(run, Update::Failed(error));
                }
            }
            Command::Run(running) => self.run(running, None),
            Command::Steps(steps) => self.run(true, Some(steps)),
            Command::Speed(speed) => self.speed = speed,
            Command::Group(start) => self.start_group(*start).await,
            Command::RunGroups(numbers, runs) => self
                .groups
                .iter_mut()
                .filter(|(group, _)| numbers.contains(&group.number()))
                .for_each(|group| group.1 = runs),
            Command::EndGroups(numbers) => {
                self.groups.retain(|(group, _)| !numbers.contains(&group.number()))
            }
            Command::Inspect(asked) => self.inspector.ask(asked.map(|asked| *asked)),
            Command::Rates(peaks) => {
                if let Some(training) = &mut self.training {
                    training.session.set_rates(peaks);
                    training.start.recipe.set_rates(peaks);
                }
            }
            Command::Snapshot => {
                if let Some(training) = &mut self.training {
                    training.session.request_snapshot();
                }
            }
            #[cfg(feature = "gpu")]
            Command::LoseDevice => {
                if let Some(gpu) = self.training.as_ref().and_then(|training| training.gpu.as_ref())
                {
                    gpu.destroy();
                }
            }
            #[cfg(not(feature = "gpu"))]
            Command::LoseDevice => {}
        }
    }

    async fn start_group(&mut self, start: group::Start) {
        let number = start.group;
        match Group::open(start).await {
            Ok((group, told)) => {
                self.groups.push((group, true));
                self.tell(number, told);
            }
            Err(error) => self.port.send(number, Update::GroupFailed(number, error)),
        }
    }

    fn tell(&self, number: u32, told: Vec<group::GroupEvent>) {
        told.into_iter()
            .for_each(|told| self.port.send(number, Update::Group(number, Box::new(told))));
    }

    /// Does a piece of work on runs of sweeps; returns how long to wait before the next, in
    /// milliseconds. Groups on a GPU all go on; of the others the one that is least far, so
    /// that they stay side by side.
    async fn work_on_groups(&mut self) -> u32 {
        let running = || {
            self.groups
                .iter()
                .enumerate()
                .filter(|(_, (_, runs))| *runs)
                .map(|(place, (group, _))| (place, group))
        };
        let least = running()
            .filter(|(_, group)| !group.is_asynchronous())
            .min_by(|a, b| a.1.progress().total_cmp(&b.1.progress()))
            .map(|(place, _)| place);
        let due: Vec<usize> = running()
            .filter(|(place, group)| group.is_asynchronous() || Some(*place) == least)
            .map(|(place, _)| place)
            .collect();
        let wait = if due.is_empty() { 1000 } else { u32::from(least.is_none()) };
        for place in due.into_iter().rev() {
            let group = &mut self.groups[place].0;
            let number = group.number();
            let (told, over) = match group.work().await {
                Ok(told) => (told, group.is_over()),
                Err(error) => {
                    self.port.send(number, Update::GroupFailed(number, error));
                    (vec![], true)
                }
            };
            if over {
                self.groups.remove(place);
            }
            self.tell(number, told);
        }
        wait
    }

    fn run(&mut self, running: bool, budget: Option<u64>) {
        let Some(training) = &mut self.training else { return };
        (training.running, training.budget) = (running && !training.session.ended(), budget);
        training.session.rest();
        if !training.running {
            training.session.request_snapshot();
        }
        self.port.send(training.start.run, Update::Running(training.running));
    }

    async fn start(&mut self, start: Start, retries: u32) -> Result<()> {
        start.recipe.check_arrays(start.data.as_deref())?;
        let (run, plan) = (start.run, start.recipe.plan());
        let teacher = start.teacher.clone().or_else(|| plan.teacher());
        let (data, test) = start.data.as_ref().map(|data| start.recipe.split(data)).unzip();
        let source = Source { teacher: teacher.as_ref(), data: data.as_ref() };
        let member = Member { plan, start: start.from.as_ref(), source };
        let means = Resources {
            engine: start.recipe.backend,
            threads: start.threads,
            memory_limit: start.memory_limit,
        };
        let mut opened = engine::open(&[member], means).await?;
        let session = opened.session;
        let backend = session.backend();
        let ready = Update::Ready {
            device: backend.device().clone(),
            bytes: backend.program().bytes(),
            step: session.step(),
        };
        let good = start.from.clone().unwrap_or_else(|| {
            let parameters = backend.program().params.initial(session.plan().seed);
            let zeros = vec![0.0; parameters.len()];
            Snapshot { step: 0, parameters, first_moment: zeros.clone(), second_moment: zeros }
        });
        self.port.send(run, ready);
        self.port.send(run, Update::Snapshot { snapshot: good.clone(), good: true });
        if let Some(notice) = opened.notice.take() {
            self.port.send(run, Update::Notice(notice));
        }
        let running = start.running && session.left() > 0;
        self.port.send(run, Update::Running(running));
        self.inspector.live_changed();
        self.training = Some(Training {
            newest: (good.step, good.parameters.clone()),
            good,
            candidate: None,
            start,
            session,
            teacher,
            measured: test.zip(data).map(|(test, train)| {
                let train = train.first(test.sequences.min(test_set::MOST));
                (test, train)
            }),
            running,
            budget: None,
            best: f32::INFINITY,
            probe_due: Instant::now(),
            retries,
            #[cfg(feature = "gpu")]
            gpu: opened.gpu,
        });
        Ok(())
    }

    /// Does a piece of work; returns how long to wait before the next, in milliseconds.
    fn work(&mut self) -> Result<u32> {
        let Some(training) = &mut self.training else { return Ok(1000) };
        let mut started = 0;
        if training.running {
            started = training.session.advance(self.speed, training.budget.unwrap_or(u64::MAX))?;
            if let Some(budget) = &mut training.budget {
                *budget -= started;
            }
        }
        for event in training.session.poll()? {
            let run = training.start.run;
            if training.remember(&event) {
                self.inspector.live_changed();
            }
            for update in training.updates(event) {
                self.port.send(run, update);
            }
        }
        let over = training.budget == Some(0) && training.session.idle();
        if training.running && (over || training.session.ended()) {
            self.run(false, None);
            return Ok(0);
        }
        let asynchronous =
            training.session.backend().device().kind == crate::backend::DeviceKind::Gpu;
        Ok(match (training.running, training.session.idle()) {
            (false, true) => 1000,
            (true, _) if started > 0 && !asynchronous => 0,
            (true, _) if asynchronous => 1,
            _ => 4,
        })
    }

    /// Answers the question if there is something new to say; returns how long until the next look,
    /// in milliseconds.
    fn inspect(&mut self) -> u32 {
        let training = self.training.as_ref();
        let live = training.map(|training| LiveNetwork {
            step: training.newest.0,
            parameters: &training.newest.1,
            teacher: training.teacher.as_ref(),
            plan: training.session.plan(),
        });
        if let Some(inspected) = self.inspector.answer(live) {
            self.port.send(
                training.map_or(0, |training| training.start.run),
                Update::Inspected(Box::new(inspected)),
            );
        }
        self.inspector.wait_ms()
    }

    /// A lost device is opened again and the training goes on from its last good state; other
    /// errors end it.
    async fn recover(&mut self, error: Error) -> u32 {
        let Some(training) = self.training.take() else { return 0 };
        let Training { mut start, good, retries, running, budget, session, .. } = training;
        let run = start.run;
        if matches!(error, Error::DeviceLost(_)) && retries < RETRIES {
            let step = good.step;
            let lost = session.step().saturating_sub(step);
            drop(session); // frees what the old device held
            (start.from, start.running) = (Some(good), running);
            match self.start(start, retries + 1).await {
                Ok(()) => {
                    if let Some(training) = &mut self.training {
                        training.budget = budget.map(|steps| steps + lost);
                    }
                    self.port.send(run, Update::Notice(Notice::TrainingResumed(error, step)));
                }
                Err(second) => self.port.send(run, Update::Failed(second)),
            }
        } else {
            self.port.send(run, Update::Failed(error));
        }
        0
    }
}

impl Training {
    /// Keeps the weights that come with `event`; returns whether there were any.
    fn remember(&mut self, event: &Event) -> bool {
        match event {
            Event::Weights { step, parameters }
            | Event::Snapshot(Snapshot { step, parameters, .. }) => {
                self.newest = (*step, parameters.clone());
                true
            }
            _ => false,
        }
    }

    /// What the window hears of an event, with a probe when one is due.
    fn updates(&mut self, event: Event) -> Vec<Update> {
        match event {
            Event::Losses { first, ref losses } => {
                self.best = losses.iter().fold(self.best, |best, step| best.min(step.loss));
                // The first loss after the candidate is the first that its weights made.
                let after = |candidate: &Snapshot| {
                    losses.get(usize::try_from((candidate.step + 1).checked_sub(first)?).ok()?)
                };
                let loss = self.candidate.as_ref().and_then(after).map(|step| step.loss);
                let mut updates = vec![Update::Event(event)];
                if let Some(loss) = loss
                    && let Some(candidate) =
                        self.candidate.take().filter(|_| loss <= SOUND * self.best)
                {
                    updates.push(Update::Sound(candidate.step));
                    self.good = candidate;
                }
                updates
            }
            Event::Snapshot(snapshot) => {
                self.candidate = Some(snapshot.clone());
                vec![Update::Snapshot { snapshot, good: false }]
            }
            Event::Weights { step, ref parameters } => {
                let probe = self.probe(step, parameters);
                [Update::Event(event)].into_iter().chain(probe).collect()
            }
            event => vec![Update::Event(event)],
        }
    }

    fn probe(&mut self, step: u64, parameters: &[f32]) -> Option<Update> {
        let started = Instant::now();
        if started < self.probe_due {
            return None;
        }
        let plan = self.session.plan();
        let table = &self.session.backend().program().params;
        let network = Network::from_parameters(table, parameters)?; // no other is looked into
        let update = match &self.teacher {
            Some(teacher) => {
                let x =
                    random::normals(plan.seed, "probe", plan.time.min(PROBE_TIME) * teacher.dim);
                Update::Probe(contribution::probe(table, parameters, teacher, &x, step))
            }
            None => {
                let found = match &self.measured {
                    Some((test, train)) => finding::test(
                        &network,
                        Sets { test, train, in_order: plan.task.is_in_order() },
                    ),
                    None => finding::find(&network, plan.task, FOUND_SEQUENCES, plan.seed),
                };
                Update::Found(step, Box::new(found?))
            }
        };
        // Looking must not cost more than a tenth of the time.
        self.probe_due = started + Duration::from_millis(80).max(started.elapsed() * 10);
        Some(update)
    }
}
