//! The Compare view: several layers, side by side. Each [`Page`] is a file or a folder: [`race`]
//! trains them, [`inside`] opens one, [`layers`] says which can hold attention.
//!
//! Start with [`show`].

mod inside;
mod layers;
mod race;

pub use inside::Input as InsideInput;

use super::sweep::SweepAction;
use super::theme::{Palette, plain, strong};
use super::{Action, Tab, View};
use eframe::egui;
use egui::{Button, Frame, Margin, Panel, RichText, Ui, vec2};

/// What fills the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// Models trained side by side.
    #[default]
    Race,
    /// One model's insides.
    Inside,
    /// Which layer can hold attention.
    Layers,
}

impl Page {
    /// All of them, as they stand in the view: page, its word in the address, its name, what it is
    /// for.
    pub const ALL: [(Self, &'static str, &'static str, &'static str); 3] = [
        (Self::Race, "race", "Race", "Train several models on one task, side by side."),
        (
            Self::Inside,
            "inside",
            "Inside",
            "Look into one model: what its state holds, what its gates do.",
        ),
        (Self::Layers, "layers", "Layers", "Which layer can hold attention, and how."),
    ];

    /// In the address.
    pub fn key(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("race", |entry| entry.1)
    }

    /// Of that word in the address.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == key).map(|entry| entry.0)
    }
}

/// Between frames.
#[derive(Default)]
pub struct State {
    /// What fills the view.
    pub page: Page,
    race: race::State,
    inside: inside::State,
    layers: layers::State,
}

impl State {
    /// Asks before something is done to the race.
    pub fn ask(&mut self, question: String, yes: &str, action: SweepAction) {
        self.race.ask(question, yes, action);
        self.page = Page::Race;
    }

    /// Whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.race.asks()
    }
}

/// Draws the view between the top bar and the status line.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    view: &mut View<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let frame = Frame::new().fill(Palette::of(ui).panel).inner_margin(Margin::symmetric(14, 4));
    Panel::top("compare pages").frame(frame).show(ui, |ui| chooser(ui, state, narrow, actions));
    match state.page {
        Page::Race => race::show(ui, &mut state.race, view, narrow, actions),
        Page::Inside => inside::show(ui, &mut state.inside, view, narrow, actions),
        Page::Layers => layers::show(ui, &mut state.layers, view, narrow, actions),
    }
}

/// One button a page, and what the chosen one is for.
fn chooser(ui: &mut Ui, state: &mut State, narrow: bool, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    ui.horizontal(|ui| {
        for (page, _, name, help) in Page::ALL {
            let chosen = page == state.page;
            let (font, color) =
                if chosen { (strong(12.5), palette.accent) } else { (plain(12.5), palette.ink) };
            let height = if narrow { 32.0 } else { 26.0 };
            let button = Button::selectable(chosen, RichText::new(name).font(font).color(color))
                .frame_when_inactive(true)
                .min_size(vec2(76.0, height));
            if ui.add(button).on_hover_text(help).clicked() {
                state.page = page;
                actions.push(Action::Tab(Tab::Compare)); // the address names the page
            }
        }
        if !narrow && let Some((.., help)) = Page::ALL.iter().find(|entry| entry.0 == state.page) {
            ui.add_space(8.0);
            ui.label(RichText::new(*help).color(palette.mute));
        }
    });
}

/// Draws the status line.
pub fn status(ui: &mut Ui, state: &mut State, view: &View<'_>) {
    match state.page {
        Page::Race => race::status(ui, &mut state.race, view),
        Page::Inside => inside::status(ui, view),
        Page::Layers => layers::status(ui, &state.layers),
    }
}
