//! What a frame shows: the app fills it, views and panels draw it.

use super::draft::Draft;
use super::{Each, Message, ResumeOffer, Tab, Unread};
use crate::recipe::Recipe;
use crate::run::inspection::Bench;
use crate::run::live::Live;
use crate::sweep::Sweep;
use crate::sweep::queue::Queue;
use crate::train::pacer::Speed;

/// What a frame shows.
pub struct Scene<'a> {
    /// Which view.
    pub tab: Tab,
    /// The network that is taken apart.
    pub bench: &'a Bench,
    /// The network that the page Inside of Compare looks into.
    pub inside: InsideInput<'a>,
    /// What [`Action::Undo`](super::Action::Undo) would bring back, in a few words.
    pub undo: Option<&'a str>,
    /// What the views Sweep and Compare draw.
    pub sweeps: Each<SweepInput<'a>>,
    /// The training.
    pub live: &'a Live,
    /// The settings as the user left them; they take effect with
    /// [`Action::Restart`](super::Action::Restart) or [`Action::Rates`](super::Action::Rates).
    pub draft: &'a mut Recipe,
    /// The preset that the run came from; its recipe is what "default" means.
    pub preset: &'a str,
    /// How fast training should go.
    pub speed: Speed,
    /// The link to this run, to be shown as text because the clipboard was refused.
    pub link: Option<&'a str>,
    /// The training of the last visit, if one is offered.
    pub resume: Option<&'a ResumeOffer>,
    /// What the last visit kept and does not read.
    pub unread: &'a [Unread],
    /// A page in a browser, not a window.
    pub web: bool,
    /// What the user should know, the oldest first; dismissed ones are taken out.
    pub messages: &'a mut Vec<Message>,
}

/// What a sweep draws.
pub struct SweepInput<'a> {
    /// The sweep that is trained, or was.
    pub queue: Option<&'a Queue>,
    /// Counts up with every change of `queue`; what is worked out from it is kept until then.
    pub revision: u64,
    /// The definition as the user left it; it takes effect with an action.
    pub draft: &'a mut Draft,
    /// Whether runs are being trained.
    pub running: bool,
    /// Sweeps to start from.
    pub presets: &'a [Sweep],
}

/// What the page Inside of Compare draws.
pub struct InsideInput<'a> {
    /// The network that is looked into.
    pub bench: &'a Bench,
    /// Which run of the race that is; `None` for the training in Discover.
    pub run: Option<usize>,
    /// Steps that the run's weights were trained for; `None` where there are none to look at.
    pub step: Option<u64>,
}
