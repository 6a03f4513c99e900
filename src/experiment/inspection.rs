//! Taking a network apart off the window's thread: what is asked of the runner, what it answers, what the window knows of it.

use crate::analysis::dissection::{Dissection, Settings, dissect};
use crate::graph::params::ParamTable;
use crate::model::Network;
use crate::task::Teacher;
use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

/// A question to the runner; the last one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspect {
    /// Comes back with the answer, so that late ones of an earlier question are known.
    pub id: u32,
    /// Which network.
    pub subject: Subject,
    /// What to look for.
    pub settings: Settings,
}

/// A network to take apart.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Subject {
    /// The one that is being trained; answers keep coming as it changes.
    #[default]
    Live,
    /// Another one.
    Given(Box<Given>),
}

/// A network from a file, or a construction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The file's name, or what else names it.
    pub name: String,
    /// Its weights.
    pub network: Network,
    /// What it imitates, if that is known.
    pub teacher: Option<Teacher>,
}

/// The runner's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspected {
    /// That of the question.
    pub id: u32,
    /// Steps that the network was trained for, if it is the live one.
    pub step: Option<u64>,
    /// What was found.
    pub dissection: Dissection,
    /// How long it took.
    pub took_ms: f64,
}

/// The live network as the runner has it.
#[derive(Debug, Clone, Copy)]
pub struct Trained<'a> {
    /// Steps done.
    pub step: u64,
    /// All parameters, flat, as in `table`.
    pub parameters: &'a [f32],
    /// Their names and places.
    pub table: &'a ParamTable,
    /// What it imitates, if it imitates something.
    pub teacher: Option<&'a Teacher>,
}

/// The runner's side: answers the last question, again whenever the live network changes, but not all the time.
#[derive(Debug, Default)]
pub struct Inspector {
    asked: Option<Inspect>,
    /// There is something new to say.
    stale: bool,
    due: Option<Instant>,
}

/// Looking takes at most one part in this many of the time.
const SHARE: u32 = 5;
/// Answers do not come faster than this.
const PAUSE: Duration = Duration::from_millis(100);

impl Inspector {
    /// Takes a question, which is answered at once; `None` ends the answers.
    pub fn ask(&mut self, asked: Option<Inspect>) {
        (self.stale, self.due) = (asked.is_some(), None);
        self.asked = asked;
    }

    /// The live network is another one now.
    pub fn live_changed(&mut self) {
        self.stale |= self.asked.as_ref().is_some_and(|asked| asked.subject == Subject::Live);
    }

    /// The answer, if one is due.
    pub fn answer(&mut self, live: Option<Trained<'_>>) -> Option<Inspected> {
        let Inspect { id, subject, settings } = self.asked.as_ref().filter(|_| self.stale && self.wait_ms() == 0)?;
        let begun = Instant::now();
        let (step, dissection) = match subject {
            Subject::Given(given) => (None, dissect(&given.network, given.teacher.as_ref(), settings)),
            Subject::Live => {
                let Some(Trained { step, parameters, table, teacher }) = live else {
                    self.stale = false; // until there is one
                    return None;
                };
                let Some(network) = Network::from_parameters(table, parameters) else {
                    self.stale = false; // only gated networks can be dissected
                    return None;
                };
                (Some(step), dissect(&network, teacher, settings))
            }
        };
        let took = begun.elapsed();
        let inspected = Inspected { id: *id, step, dissection, took_ms: took.as_secs_f64() * 1e3 };
        (self.stale, self.due) = (false, Some(begun + PAUSE.max(took * SHARE)));
        Some(inspected)
    }

    /// Milliseconds until there may be an answer; `u32::MAX` while there is nothing new to say.
    pub fn wait_ms(&self) -> u32 {
        if !self.stale {
            return u32::MAX;
        }
        let left = self.due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()));
        u32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(u32::MAX)
    }
}

/// What the window knows.
#[derive(Debug, Default)]
pub struct Bench {
    /// Which network is on it.
    pub subject: Subject,
    /// What to look for.
    pub settings: Settings,
    /// The newest answer about it; it may belong to an earlier question until the next arrives.
    pub inspected: Option<Inspected>,
    id: u32,
    /// The first question about this subject.
    since: u32,
}

impl Bench {
    /// The next question.
    pub fn ask(&mut self) -> Inspect {
        self.id += 1;
        Inspect { id: self.id, subject: self.subject.clone(), settings: self.settings.clone() }
    }

    /// Puts another network on the bench; the old answer, and those that are still to come about the old network, go.
    pub fn put(&mut self, subject: Subject) {
        (self.subject, self.inspected, self.since) = (subject, None, self.id + 1);
        self.settings.picked.clear();
    }

    /// Takes in an answer about this subject; those of earlier subjects are dropped.
    pub fn answer(&mut self, inspected: Inspected) {
        if inspected.id >= self.since {
            self.inspected = Some(inspected);
        }
    }

    /// Whether the newest answer is to the newest question.
    pub fn is_current(&self) -> bool {
        self.inspected.as_ref().is_some_and(|inspected| inspected.id == self.id)
    }
}
