//! What a window and a runner say to each other; the same across a thread and across a Web Worker.

use super::group;
use super::inspection::{Inspect, Inspected};
use super::notice::Notice;
use crate::Error;
use crate::analysis::contribution::Probe;
use crate::analysis::finding::Finding;
use crate::backend::Device;
use crate::graph::dims::Rates;
use crate::recipe::Recipe;
use crate::task::{Arrays, Teacher};
use crate::train::pacer::Speed;
use crate::train::session::{Event, Snapshot};
use serde::{Deserialize, Serialize};

/// What the window asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Command {
    /// Replaces the training by another one.
    Start(Box<Start>),
    /// Plays or pauses.
    Run(bool),
    /// Does that many steps, then pauses.
    Steps(u64),
    /// Full speed or slow motion.
    Speed(Speed),
    /// Changes peak learning rate and base weight decay at once.
    Rates(Rates),
    /// Asks for a snapshot now.
    Snapshot,
    /// Takes a network apart, and again whenever it changes; `None`: nobody looks any more.
    Inspect(Option<Box<Inspect>>),
    /// Trains runs of a sweep beside the training and beside other groups.
    Group(Box<group::Start>),
    /// The groups of these numbers go on, or rest.
    RunGroups(Vec<u32>, bool),
    /// The groups of these numbers are given up.
    EndGroups(Vec<u32>),
    /// Destroys the GPU device, to see what happens (tests).
    LoseDevice,
}

/// A training to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// Comes back with each update, so that late ones of an earlier training are known.
    pub run: u32,
    /// What to train.
    pub recipe: Recipe,
    /// From where; `None` is the recipe's own beginning.
    pub from: Option<Snapshot>,
    /// The teacher, if not the recipe's own.
    pub teacher: Option<Teacher>,
    /// The user's arrays, of the file task.
    pub data: Option<Box<Arrays>>,
    /// Whether to play at once.
    pub running: bool,
    /// CPU threads, 0 for all.
    pub threads: usize,
    /// Bytes that the CPU engine may take.
    pub memory_limit: u64,
}

/// What the window hears.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Update {
    /// A training is loaded.
    Ready {
        /// What it runs on.
        device: Device,
        /// Bytes that it takes there.
        bytes: u64,
        /// Steps done.
        step: u64,
    },
    /// From the session.
    Event(Event),
    /// A state to go back to.
    Snapshot {
        /// The state.
        snapshot: Snapshot,
        /// It is known to be sound: the beginning, or where a training was taken up.
        good: bool,
    },
    /// The snapshot of this step has proved sound: training went on from it and the loss stayed
    /// low.
    Sound(u64),
    /// Teacher and student on one sequence.
    Probe(Probe),
    /// What the network does in context, at that step.
    Found(u64, Box<Finding>),
    /// A network taken apart.
    Inspected(Box<Inspected>),
    /// The runs of a sweep that train together, by the group's number.
    Group(u32, Box<group::GroupEvent>),
    /// They could not be loaded, or had to stop.
    GroupFailed(u32, Error),
    /// Plays or pauses now.
    Running(bool),
    /// Something that the user should know.
    Notice(Notice),
    /// The training could not start, or had to stop.
    Failed(Error),
}
