//! The Compare view: several layers, side by side. Each [`Page`] is a file or a folder: [`race`]
//! trains them, [`inside`] opens one, [`layers`] says which can hold attention.
//!
//! Start with [`show`].

mod inside;
mod layers;
mod race;

use super::descriptor::View;
use crate::named::{Named, named};
use crate::ui::SweepAction;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::{Action, Scene, Tab};
use eframe::egui;
use egui::{Button, Frame, Margin, Panel, RichText, Ui, vec2};

named! {
    /// What fills the view.
    #[derive(Default)]
    pub enum Page {
        /// Models trained side by side.
        #[default]
        Race = "race", "Race", "Train several models on one task, side by side.";
        /// One model's insides.
        Inside = "inside", "Inside", "Look into one model: what its state holds, what its gates do.";
        /// Which layer can hold attention.
        Layers = "layers", "Layers", "Which layer can hold attention, and how.";
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
fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let frame = Frame::new().fill(Palette::of(ui).panel).inner_margin(Margin::symmetric(14, 4));
    Panel::top("compare pages").frame(frame).show(ui, |ui| chooser(ui, state, narrow, actions));
    match state.page {
        Page::Race => race::show(ui, &mut state.race, scene, narrow, actions),
        Page::Inside => inside::show(ui, &mut state.inside, scene, narrow, actions),
        Page::Layers => layers::show(ui, &mut state.layers, scene, narrow, actions),
    }
}

/// One button a page, and what the chosen one is for.
fn chooser(ui: &mut Ui, state: &mut State, narrow: bool, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    ui.horizontal(|ui| {
        for &page in Page::ALL {
            let chosen = page == state.page;
            let (font, color) =
                if chosen { (strong(12.5), palette.accent) } else { (plain(12.5), palette.ink) };
            let height = if narrow { 32.0 } else { 26.0 };
            let button =
                Button::selectable(chosen, RichText::new(page.title()).font(font).color(color))
                    .frame_when_inactive(true)
                    .min_size(vec2(76.0, height));
            if ui.add(button).on_hover_text(page.help()).clicked() {
                state.page = page;
                actions.push(Action::Tab(Tab::COMPARE)); // the address names the page
            }
        }
        if !narrow {
            ui.add_space(8.0);
            ui.label(RichText::new(state.page.help()).color(palette.mute));
        }
    });
}

/// Draws the status line.
fn status(ui: &mut Ui, state: &mut State, scene: &Scene<'_>) {
    match state.page {
        Page::Race => race::status(ui, &mut state.race, scene),
        Page::Inside => inside::status(ui, scene),
        Page::Layers => layers::status(ui, &state.layers),
    }
}

/// The view.
pub const VIEW: View = View {
    tab: Tab::COMPARE,
    name: "Compare",
    sentence: "Compare layers: race them, look inside one, see which can hold attention.",
    keys: &[
        ("Space", "Start, pause, go on, in Race"),
        ("← → ↑ ↓", "From dot to dot when the picture of final losses has the keyboard"),
        ("↑ ↓", "From row to row in the table of runs; from layer to layer, in Layers"),
    ],
    show: |ui, memory, scene, narrow, actions| show(ui, memory.of(), scene, narrow, actions),
    status: |ui, memory, scene, _| status(ui, memory.of(), scene),
};
