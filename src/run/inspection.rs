//! Looking into a network off the window's thread: what is asked of the runner, what it answers,
//! what the window knows of it.

use crate::analysis::dissection::{Dissection, Settings, dissect};
use crate::analysis::insides::{self, Insides, Origin, Probing};
use crate::model::Model;
use crate::recipe::specimen::Specimen;
use crate::task::Teacher;
use crate::train::plan::Plan;
use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

/// A question to the runner; the last one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspect {
    /// Who asks, of several benches.
    pub bench: u32,
    /// Comes back with the answer, so that late ones of an earlier question are known.
    pub id: u32,
    /// Which network.
    pub subject: Subject,
    /// How to look at it.
    pub look: Look,
    /// What to look for.
    pub settings: Settings,
    /// It is the same network with newer weights: the answer may wait for its share of the time.
    pub patient: bool,
}

/// How to look at a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Look {
    /// Gated diagonal networks are taken apart; others show their insides.
    #[default]
    Apart,
    /// All show their insides.
    Insides,
}

/// A network to look at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Subject {
    /// The one that is being trained; answers keep coming as it changes.
    #[default]
    Live,
    /// A network from a file, or built by hand.
    Specimen(Box<Specimen>),
}

/// The runner's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspected {
    /// The bench that asked.
    pub bench: u32,
    /// The question's number.
    pub id: u32,
    /// Steps that the network was trained for, of the live one and of a run of a race.
    pub step: Option<u64>,
    /// What was found.
    pub found: Found,
    /// How long it took.
    pub took_ms: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Found {
    /// A gated network, taken apart.
    Apart(Box<Dissection>),
    /// What is in a network of any kind.
    Insides(Box<Insides>),
}

impl Inspected {
    /// The gated network taken apart.
    pub fn dissection(&self) -> Option<&Dissection> {
        if let Found::Apart(dissection) = &self.found { Some(dissection) } else { None }
    }

    /// The network's insides.
    pub fn insides(&self) -> Option<&Insides> {
        if let Found::Insides(insides) = &self.found { Some(insides) } else { None }
    }
}

/// The live network as the runner has it.
#[derive(Debug, Clone, Copy)]
pub struct LiveNetwork<'a> {
    /// Steps done.
    pub step: u64,
    /// All parameters, flat, in the order of its table.
    pub parameters: &'a [f32],
    /// What it imitates, if it imitates something.
    pub teacher: Option<&'a Teacher>,
    /// What is trained.
    pub plan: &'a Plan,
}

/// The runner's side: answers the last question, again whenever the live network changes, but not
/// all the time.
///
/// Insides are answered twice: at once with what is quick, then with the probe.
#[derive(Debug, Default)]
pub struct Inspector {
    asked: Option<Inspect>,
    /// There is something new to say.
    stale: bool,
    due: Option<Instant>,
    /// Insides that were answered and are still to be probed.
    unprobed: Option<PendingProbe>,
    probe_due: Option<Instant>,
    /// The newest probe of this network.
    probed: Option<Probing>,
}

#[derive(Debug)]
struct PendingProbe {
    model: Model,
    teacher: Option<Teacher>,
    origin: Option<Origin>,
    inspected: Inspected,
}

/// Looking takes at most one part in this many of the time; so does the probe, which is the longer
/// part of looking inside.
const SHARE: u32 = 5;
/// Of insides, pictures and probe take half of that each.
const HALF_SHARE: u32 = 2 * SHARE;
/// Answers do not come faster than this.
const PAUSE: Duration = Duration::from_millis(100);

impl Inspector {
    /// Takes a question, which is answered at once unless it is patient; `None` ends the answers.
    pub fn ask(&mut self, asked: Option<Inspect>) {
        let goes_on = |asked: &Inspect, before: &Inspect| {
            asked.patient && (asked.bench, asked.look) == (before.bench, before.look)
        };
        if !asked
            .as_ref()
            .zip(self.asked.as_ref())
            .is_some_and(|(asked, before)| goes_on(asked, before))
        {
            (self.due, self.probe_due, self.probed) = (None, None, None);
        }
        (self.stale, self.unprobed) = (asked.is_some(), None);
        self.asked = asked;
    }

    /// The live network is another one now.
    pub fn live_changed(&mut self) {
        self.stale |= self.asked.as_ref().is_some_and(|asked| asked.subject == Subject::Live);
    }

    /// The answer, if one is due.
    pub fn answer(&mut self, live: Option<LiveNetwork<'_>>) -> Option<Inspected> {
        if self.stale && wait_ms(self.due) == 0 { self.look(live) } else { self.probe() }
    }

    fn look(&mut self, live: Option<LiveNetwork<'_>>) -> Option<Inspected> {
        let Inspect { bench, id, subject, look, settings, .. } = self.asked.as_ref()?;
        let started = Instant::now();
        let (step, model, teacher, origin) = match subject {
            Subject::Specimen(given) => {
                (given.step, given.network.clone(), given.teacher.as_ref(), given.origin)
            }
            Subject::Live => {
                let Some(LiveNetwork { step, parameters, teacher, plan, .. }) = live else {
                    self.stale = false; // until there is one
                    return None;
                };
                let (inputs, outputs) = plan.task.widths();
                (
                    Some(step),
                    Model::new(plan.architecture, [inputs, outputs], parameters),
                    teacher,
                    Some(plan.into()),
                )
            }
        };
        let network = (*look == Look::Apart).then(|| model.gated()).flatten();
        let found = match network {
            Some(network) => Found::Apart(Box::new(dissect(&network, teacher, settings))),
            None => {
                let mut insides = insides::look(&model, teacher, origin);
                if let (Probing::Pending, Some(probed)) = (&insides.probe, &self.probed) {
                    insides.probe = probed.clone();
                }
                Found::Insides(Box::new(insides))
            }
        };
        let took = started.elapsed();
        let inspected =
            Inspected { bench: *bench, id: *id, step, found, took_ms: took.as_secs_f64() * 1e3 };
        let unprobed = inspected
            .insides()
            .is_some_and(|insides| !matches!(insides.probe, Probing::Impossible(_)));
        self.unprobed = unprobed.then(|| PendingProbe {
            model,
            teacher: teacher.cloned(),
            origin,
            inspected: inspected.clone(),
        });
        let share = if inspected.insides().is_some() { HALF_SHARE } else { SHARE };
        (self.stale, self.due) = (false, Some(started + PAUSE.max(took * share)));
        Some(inspected)
    }

    /// The last answer again, with the probe.
    fn probe(&mut self) -> Option<Inspected> {
        if wait_ms(self.probe_due) > 0 {
            return None;
        }
        let PendingProbe { model, teacher, origin, mut inspected } = self.unprobed.take()?;
        let started = Instant::now();
        let probed = insides::probe(&model, teacher.as_ref(), origin, inspected.step);
        let took = started.elapsed();
        if let Found::Insides(insides) = &mut inspected.found {
            insides.probe = probed.clone();
        }
        inspected.took_ms += took.as_secs_f64() * 1e3;
        (self.probed, self.probe_due) = (Some(probed), Some(started + took * HALF_SHARE));
        Some(inspected)
    }

    /// Milliseconds until there may be an answer; `u32::MAX` while there is nothing new to say.
    pub fn wait_ms(&self) -> u32 {
        let look = if self.stale { wait_ms(self.due) } else { u32::MAX };
        let probe = if self.unprobed.is_some() { wait_ms(self.probe_due) } else { u32::MAX };
        look.min(probe)
    }
}

fn wait_ms(due: Option<Instant>) -> u32 {
    let left = due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()));
    u32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(u32::MAX)
}

/// What the window knows.
#[derive(Debug, Default)]
pub struct Bench {
    /// Which network is on it.
    pub subject: Subject,
    /// How it is looked at.
    pub look: Look,
    /// What to look for.
    pub settings: Settings,
    /// The newest answer about it; it may belong to an earlier question until the next arrives.
    pub inspected: Option<Inspected>,
    number: u32,
    id: u32,
    /// The first question about this subject.
    since: u32,
    /// The next question may wait.
    patient: bool,
}

impl Bench {
    /// One of several; answers carry its number. Dissect's is 0.
    pub fn numbered(number: u32, look: Look) -> Self {
        Self { number, look, ..Self::default() }
    }

    /// Its number.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The next question.
    pub fn ask(&mut self) -> Inspect {
        self.id += 1;
        let patient = std::mem::take(&mut self.patient);
        Inspect {
            bench: self.number,
            id: self.id,
            subject: self.subject.clone(),
            look: self.look,
            settings: self.settings.clone(),
            patient,
        }
    }

    /// Puts another network on the bench; the old answer, and those that are still to come about
    /// the old network, go.
    pub fn put(&mut self, subject: Subject) {
        (self.subject, self.inspected, self.since, self.patient) =
            (subject, None, self.id + 1, false);
        self.settings.picked.clear();
    }

    /// Puts the same network with newer weights on the bench: the old answer stays until the next
    /// one, which may take its time.
    pub fn renew(&mut self, subject: Subject) {
        (self.subject, self.patient) = (subject, true);
    }

    /// Takes in an answer about this subject; those of earlier subjects and of other benches are
    /// dropped.
    pub fn answer(&mut self, inspected: Inspected) {
        if inspected.bench == self.number && inspected.id >= self.since {
            self.inspected = Some(inspected);
        }
    }

    /// Whether the newest answer is to the newest question.
    pub fn is_current(&self) -> bool {
        self.inspected.as_ref().is_some_and(|inspected| inspected.id == self.id)
    }
}
