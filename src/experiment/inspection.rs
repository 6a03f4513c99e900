//! Taking a network apart off the window's thread: what is asked of the runner, what it answers, what the window knows of it.

use crate::analysis::dissection::{Dissection, Settings};
use crate::model::Network;
use crate::task::Teacher;
use serde::{Deserialize, Serialize};

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

/// What the window knows.
#[derive(Debug, Default)]
pub struct Bench {
    /// Which network is on it.
    pub subject: Subject,
    /// What to look for.
    pub settings: Settings,
    /// The newest answer; it may belong to an earlier question until the next arrives.
    pub inspected: Option<Inspected>,
    id: u32,
}

impl Bench {
    /// The next question.
    pub fn ask(&mut self) -> Inspect {
        self.id += 1;
        Inspect { id: self.id, subject: self.subject.clone(), settings: self.settings.clone() }
    }

    /// Puts another network on the bench; the old answer goes.
    pub fn put(&mut self, subject: Subject) {
        (self.subject, self.inspected) = (subject, None);
        self.settings.picked.clear();
    }

    /// Takes in an answer; late ones of an earlier question are dropped.
    pub fn answer(&mut self, inspected: Inspected) {
        if inspected.id == self.id {
            self.inspected = Some(inspected);
        }
    }

    /// Whether the newest answer is to the newest question.
    pub fn is_current(&self) -> bool {
        self.inspected.as_ref().is_some_and(|inspected| inspected.id == self.id)
    }
}
