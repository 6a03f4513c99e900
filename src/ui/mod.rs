//! The window's content: egui only. It draws what it is given and returns [`Action`]s; it changes
//! only its own [`State`] and the draft recipe. Imports `platform` and what is left of it.
//!
//! Start with [`State::show`], then [`layout`] (which panel stands where in Discover and In
//! context; the others lay out themselves) and [`network`] (the aligned picture); each panel is a
//! file. Before the first frame the app calls [`theme::install`].

pub mod action;
mod axes;
mod banner;
mod card;
mod choice;
pub mod compare;
mod construct;
mod context;
mod contributions;
mod controls;
mod dissect;
mod export;
mod format;
mod guide;
mod heatmap;
mod help;
mod icon;
mod insides;
mod lambdas;
mod layout;
mod loss;
mod network;
mod outputs;
mod readout;
mod schedule;
mod setting;
mod status;
mod svg;
pub mod sweep;
pub mod theme;
mod tokens;
mod topbar;

pub use action::Action;
pub use compare::Page;

use crate::recipe::Recipe;
use crate::run::inspection::Bench;
use crate::run::live::Live;
use crate::theory::Variant;
use crate::train::pacer::Speed;
use eframe::egui;

/// A view: what fills the window between the top bar and the status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    /// A training, live.
    #[default]
    Discover,
    /// Attention built by hand.
    Construct,
    /// What a trained network turned out to be.
    Dissect,
    /// Learning from the examples in a sequence.
    Context,
    /// One recipe over a grid of settings and seeds.
    Sweep,
    /// Several layers, side by side.
    Compare,
}

impl Tab {
    /// All of them, as they stand in the top bar: tab, its word in the address, its name, what it
    /// is for.
    pub const ALL: [(Self, &'static str, &'static str, &'static str); 6] = [
        (
            Self::Discover,
            "discover",
            "Discover",
            "Train a gated RNN and watch it become linear attention.",
        ),
        (
            Self::Construct,
            "construct",
            "Construct",
            "Build linear attention out of a gated RNN, and step a sequence through it.",
        ),
        (Self::Dissect, "dissect", "Dissect", "Take a trained network apart: is it attention?"),
        (
            Self::Context,
            "context",
            "In context",
            "Learn from the examples in a sequence: regression by a step of gradient descent, and associative recall. Your own sequences, one by one.",
        ),
        (
            Self::Sweep,
            "sweep",
            "Sweep",
            "Train one recipe with many sizes and seeds: how many neurons does it take?",
        ),
        (
            Self::Compare,
            "compare",
            "Compare",
            "Compare layers: race them, look inside one, see which can hold attention.",
        ),
    ];

    /// In the address.
    pub fn key(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("discover", |entry| entry.1)
    }

    /// Of that word in the address.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == key).map(|entry| entry.0)
    }
}

/// What a frame shows.
pub struct View<'a> {
    /// Which view.
    pub tab: Tab,
    /// The network that is taken apart.
    pub bench: &'a Bench,
    /// The network that the page Inside of Compare looks into.
    pub inside: compare::InsideInput<'a>,
    /// What [`Action::Undo`] would bring back, in a few words.
    pub undo: Option<&'a str>,
    /// One recipe with many settings, and several layers side by side: [`sweep::SWEEP`] and
    /// [`sweep::COMPARE`].
    pub sweeps: [sweep::SweepInput<'a>; 2],
    /// The training.
    pub live: &'a Live,
    /// The settings as the user left them; they take effect with [`Action::Restart`] or
    /// [`Action::Rates`].
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

/// The training of the last visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeOffer {
    /// Steps done.
    pub step: u64,
    /// Its preset's title, or what else names it.
    pub title: String,
    /// The file that has to be opened first, where it was trained on the user's own.
    pub file: Option<String>,
}

/// What the last visit kept and does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Where it is kept.
    pub key: &'static str,
    /// What it should be, for people.
    pub name: &'static str,
    /// Why it does not read.
    pub problem: String,
    /// As it was kept.
    pub text: String,
}

/// A sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// What it says.
    pub text: String,
}

/// How bad a [`Message`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something was skipped or is slower than it could be.
    Warning,
    /// Something failed.
    Error,
}

impl Message {
    /// Good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self { severity: Severity::Info, text: text.into() }
    }

    /// Something was skipped or is slower than it could be.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, text: text.into() }
    }

    /// Something failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self { severity: Severity::Error, text: text.into() }
    }
}

/// What the panels remember between frames. One a window.
#[derive(Default)]
pub struct State {
    help_open: bool,
    link_dismissed: Option<String>,
    compare: compare::State,
    construct: construct::State,
    context: context::State,
    controls: controls::State,
    dissect: dissect::State,
    loss: loss::State,
    network: network::State,
    outputs: outputs::State,
    sweep: sweep::State,
    contributions: contributions::State,
}

impl State {
    /// Shows another construction in Construct.
    pub fn show_variant(&mut self, variant: Variant) {
        self.construct.show_variant(variant);
    }

    /// Asks before something is done to a sweep.
    pub fn ask(
        &mut self,
        which: sweep::Which,
        question: String,
        yes: &str,
        action: sweep::SweepAction,
    ) {
        if which == sweep::COMPARE {
            self.compare.ask(question, yes, action)
        } else {
            self.sweep.ask(question, yes, action)
        }
    }

    /// Whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.sweep.asks() || self.compare.asks()
    }

    /// The page of Compare.
    pub fn page(&self) -> Page {
        self.compare.page
    }

    /// Shows another page of Compare.
    pub fn show_page(&mut self, page: Page) {
        self.compare.page = page;
    }

    /// Draws a frame; returns what the user asked for.
    pub fn show(&mut self, ui: &mut egui::Ui, mut view: View<'_>) -> Vec<Action> {
        let mut actions = vec![];
        if !theme::is_installed(ui.ctx()) {
            theme::install(ui.ctx());
            ui.ctx().request_repaint();
            return actions;
        }
        let size = ui.max_rect().size();
        if !(size.x >= 1.0 && size.y >= 1.0) {
            return actions; // a window resized to nothing
        }
        help::keys(ui, &view, &mut self.help_open, &mut actions);
        layout::show(ui, self, &mut view, &mut actions);
        help::window(ui, &mut self.help_open);
        actions
    }
}
