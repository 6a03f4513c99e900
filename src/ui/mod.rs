//! The window's content: egui only. It draws what it is given and returns [`Action`]s; it changes
//! only its own [`State`] and the draft recipe. Imports `platform` and what is left of it.
//!
//! Start with [`State::show`], then [`VIEWS`]. What app and window say to each other, [`Scene`] and
//! [`Action`], is leftmost; [`kit`] imports that, [`panel`] the kit, [`view`] both, and the top bar
//! and the help read the list of views. Before the first frame the app calls
//! [`theme::install`].

mod action;
mod draft;
mod help;
pub mod kit;
mod memory;
mod message;
pub mod panel;
mod scene;
mod tab;
mod topbar;
pub mod view;
mod which;

pub use action::{Action, SweepAction};
pub use draft::{AxisText, Draft};
pub use kit::theme;
pub use memory::Memory;
pub use message::{Help, Message, ResumeOffer, Severity, Unread};
pub use scene::{InsideInput, Scene, SweepInput};
pub use tab::Tab;
pub use view::compare::Page;
pub use view::{VIEWS, View};
pub use which::{Each, Which};

use crate::theory::Variant;
use eframe::egui;
use egui::{Frame, Margin, Panel};
use view::{compare, construct, sweep};

/// Below this width all stands in one column.
const NARROW: f32 = 900.0;

/// What the window remembers between frames.
#[derive(Default)]
pub struct State {
    help_open: bool,
    memory: Memory,
}

impl State {
    /// Shows another construction in Construct.
    pub fn show_variant(&mut self, variant: Variant) {
        self.memory.of::<construct::State>().show_variant(variant);
    }

    /// Asks before something is done to a sweep.
    pub fn ask(&mut self, which: Which, question: String, yes: &str, action: SweepAction) {
        match which {
            Which::Sweep => self.memory.of::<sweep::State>().0.ask(question, yes, action),
            Which::Compare => self.memory.of::<compare::State>().ask(question, yes, action),
        }
    }

    /// Whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.memory.get::<sweep::State>().is_some_and(|state| state.0.asks())
            || self.memory.get::<compare::State>().is_some_and(compare::State::asks)
    }

    /// The page of Compare.
    pub fn page(&self) -> Page {
        self.memory.get::<compare::State>().map_or_else(Page::default, |state| state.page)
    }

    /// Shows another page of Compare.
    pub fn show_page(&mut self, page: Page) {
        self.memory.of::<compare::State>().page = page;
    }

    /// Draws a frame; returns what the user asked for.
    pub fn show(&mut self, ui: &mut egui::Ui, mut scene: Scene<'_>) -> Vec<Action> {
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
        help::keys(ui, &scene, &mut self.help_open, &mut actions);
        let view = View::of(scene.tab);
        let narrow = size.x < NARROW;
        if narrow {
            ui.spacing_mut().interact_size.y = 32.0; // for fingers
        }
        let bar =
            Frame::new().fill(theme::Palette::of(ui).panel).inner_margin(Margin::symmetric(14, 0));
        Panel::top("top").exact_size(44.0).frame(bar).show(ui, |ui| {
            topbar::show(ui, &mut self.help_open, view, narrow, &mut actions);
        });
        let height = if narrow { 54.0 } else { 28.0 };
        Panel::bottom("status").exact_size(height).frame(bar).show(ui, |ui| {
            (view.status)(ui, &mut self.memory, &scene, narrow);
        });
        (view.show)(ui, &mut self.memory, &mut scene, narrow, &mut actions);
        help::window(ui, &mut self.help_open);
        actions
    }
}
