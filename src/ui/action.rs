//! What the user asked for while a frame was drawn; the app does it afterwards.

use super::{Tab, Which};
use crate::analysis::dissection::Settings;
use crate::recipe::specimen::Specimen;
use crate::run::inspection::Subject;
use crate::sweep::Sweep;
use crate::sweep::queue::Queue;
use crate::theory::Variant;
use crate::train::pacer::Speed;

/// What the user asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Play, or pause.
    Run(bool),
    /// Do that many steps, then pause.
    Steps(u64),
    /// Start again from the same initial weights, with the draft recipe's structural settings.
    Restart,
    /// The same with a new seed.
    Reseed,
    /// Full speed or slow motion.
    Speed(Speed),
    /// Peak learning rate and base weight decay of the draft take effect.
    Rates,
    /// Start the preset of that name.
    Preset(String),
    /// Put the link to this run on the clipboard.
    CopyLink,
    /// Save a checkpoint to a file.
    Save,
    /// Choose a checkpoint file and load it.
    Open,
    /// Go back to the last good snapshot with a tenth of the learning rate.
    Rescue,
    /// Go on from the last good snapshot on the CPU engine.
    OnCpu,
    /// Try the same engine again from the last good snapshot.
    Retry,
    /// Take up the training of the last visit, or (false) forget it.
    Resume(bool),
    /// Forget what the last visit kept under that key and does not read.
    Forget(&'static str),
    /// Show that view.
    Tab(Tab),
    /// Take that network apart, and show it.
    Dissect(Subject),
    /// Show that construction in Construct.
    Construct(Variant),
    /// Choose a weights file to take apart.
    OpenToDissect,
    /// Look for something else in the network on the bench.
    Inspect(Settings),
    /// Train from that network on, in Discover; the training until now can be had back.
    Train(Box<Specimen>),
    /// Back to the training that was replaced last: by a network, a file, a preset or a link.
    Undo,
    /// Forward again.
    Redo,
    /// Look into that run of the race, or (none) into the training in Discover.
    Inside(Option<usize>),
    /// Something about that sweep.
    Sweep(Which, SweepAction),
    /// Save a picture or a report: the file's name and content.
    Export(String, Vec<u8>),
}

/// A wish about a sweep.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepAction {
    /// Train its runs, in place of what is there.
    Start(Sweep),
    /// Stop after the steps in flight.
    Pause,
    /// Go on.
    Resume,
    /// The definition has changed: runs that both have are kept.
    Extend(Sweep),
    /// Forget all runs.
    Clear,
    /// Choose a file with a definition.
    Load,
    /// Show these runs, read from a file, in place of what is there.
    Show(Box<Queue>),
    /// Save that definition to a file.
    Save(Sweep),
    /// Train this run's recipe in Discover.
    Open(usize),
    /// Show this run's memory, gates and state.
    Inside(usize),
}
