//! The Construct view: linear attention built out of a gated RNN, step by step (paper, appendix A).
//!
//! [`built`] is what there is to show; [`controls`] choose it, [`sequence`] feeds it, [`steps`] and
//! [`picture`] show the network, [`attention`] and [`cost`] compare, [`guide`] says what to look
//! at. [`State::prepare`] comes first in a frame.

mod attention;
mod built;
mod controls;
mod cost;
pub(super) mod formula;
mod guide;
mod keys;
mod numbers;
mod picture;
mod sequence;
mod steps;

use super::theme::{Palette, plain, strong};
use super::{Action, View, banner, card, format, network};
use crate::Error;
use crate::math::matrix::Matrix;
use crate::theory::Variant;
use crate::theory::ablation::Ablation;
use built::{Built, Settings};
use eframe::egui;
use egui::text::{LayoutJob, TextFormat};
use egui::{CentralPanel, Frame, Margin, Panel, Rect, RichText, ScrollArea, Sense, Ui, pos2, vec2};

/// Between frames.
pub struct State {
    settings: Settings,
    /// All tokens that there can be `[LONGEST, d]`; the first `time` are used.
    x: Matrix,
    time: usize,
    /// How often tokens were drawn anew.
    draw: u32,
    /// The chosen token.
    token: usize,
    /// The chosen neuron.
    neuron: usize,
    /// What is being typed into a token's numbers.
    edits: sequence::Edits,
    /// The weights in place of the steps.
    whole: bool,
    /// Neurons in place of parameters in the cost chart.
    count_neurons: bool,
    built: Option<Built>,
    /// How often it was built: the weights' picture follows.
    version: u32,
    /// The chosen neuron was changed by a key: scroll to it.
    follow: bool,
    /// The token that was chosen when the cards were drawn last: another one is scrolled to.
    shown_token: Option<usize>,
    network: network::State,
}

/// Longest sequence.
const LONGEST: usize = 32;

impl Default for State {
    fn default() -> Self {
        let settings = Settings::default();
        Self {
            x: built::tokens(settings.seed, 0, LONGEST, settings.dim),
            settings,
            time: 8,
            draw: 0,
            token: 4,
            neuron: 1,
            edits: sequence::Edits::default(),
            whole: false,
            count_neurons: false,
            built: None,
            version: 0,
            follow: false,
            shown_token: None,
            network: network::State::default(),
        }
    }
}

impl State {
    /// Shows another construction, whole.
    pub fn show_variant(&mut self, variant: Variant) {
        if self.settings.variant != variant {
            (self.settings.variant, self.settings.ablation) = (variant, Ablation::default());
        }
    }

    /// Brings everything up to date with the settings; what was already drawn in this frame (the
    /// status line) is drawn again.
    fn prepare(&mut self, ui: &Ui) {
        self.time = self.time.clamp(1, LONGEST);
        if self.x.columns != self.settings.dim {
            self.redraw();
        }
        self.token = self.token.min(self.time - 1);
        let x = self.x.select_rows(&(0..self.time).collect::<Vec<_>>());
        if !self.built.as_ref().is_some_and(|built| built.is_of(&self.settings, &x)) {
            let built = Built::new(&self.settings, &x);
            let neurons =
                built.network.as_ref().map_or(0, |running| running.construction.neurons.len());
            self.neuron = self.neuron.min(neurons.saturating_sub(1));
            self.built = Some(built);
            self.version = self.version.wrapping_add(1);
            ui.ctx().request_repaint();
        }
    }

    /// Draws the tokens, all of them.
    fn redraw(&mut self) {
        self.x = built::tokens(self.settings.seed, self.draw, LONGEST, self.settings.dim);
        self.edits = sequence::Edits::default();
    }

    /// Shows another token.
    fn show_token(&mut self, token: usize) {
        self.token = token.min(self.time - 1);
        self.edits = sequence::Edits::default();
    }
}

/// Below this width the middle is too small for the guide beside it.
const GUIDE: f32 = 1120.0;
/// Least height of the middle.
const MIDDLE: f32 = 620.0;

/// Draws the view between the top bar and the status line.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    view: &mut View<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    state.prepare(ui);
    keys::read(ui, state);
    if narrow {
        return one_column(ui, state, view, actions);
    }
    let side = |x: i8| Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(x, 0));
    let guide_aside = ui.max_rect().width() >= GUIDE;
    Panel::left("construct-controls").exact_size(258.0).resizable(false).frame(side(0)).show(
        ui,
        |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                Frame::new().inner_margin(Margin { left: 14, right: 14, top: 8, bottom: 8 }).show(
                    ui,
                    |ui| {
                        controls::variants(ui, state);
                        controls::rest(ui, state, actions);
                    },
                );
            });
        },
    );
    if guide_aside {
        Panel::right("construct-guide").exact_size(236.0).resizable(false).frame(side(14)).show(
            ui,
            |ui| {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| guide::show(ui, state));
            },
        );
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::messages(ui, view);
        let height = ui.available_height();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let (rect, _) = ui.allocate_exact_size(
                vec2(ui.available_width(), height.max(MIDDLE)),
                Sense::hover(),
            );
            middle(ui, rect, state);
            if !guide_aside {
                Frame::new()
                    .fill(palette.panel)
                    .inner_margin(Margin::same(14))
                    .show(ui, |ui| guide::show(ui, state));
            }
        });
    });
    state.prepare(ui);
}

/// The sequence above, the network in the middle, comparisons below.
fn middle(ui: &mut Ui, rect: Rect, state: &mut State) {
    let top = rect.top() + sequence::height(state.settings.dim);
    // Few neurons leave room that the comparisons can have.
    let room = rect.bottom() - top - steps::height(state) - 40.0;
    let least =
        (104.0 + 31.0 * state.settings.dim as f32).clamp(186.0, 250.0).min(rect.height() * 0.36);
    let bottom = rect.bottom() - room.clamp(least, least.max(rect.height() * 0.42));
    let split = rect.left() + rect.width() * 0.62;
    let corner =
        |x0: f32, y0: f32, x1: f32, y1: f32| Rect::from_min_max(pos2(x0, y0), pos2(x1, y1));
    sequence::show(ui, corner(rect.left(), rect.top(), rect.right(), top), state);
    the_network(ui, corner(rect.left(), top, rect.right(), bottom), state);
    attention::show(ui, corner(rect.left(), bottom, split, rect.bottom()), state);
    cost::show(ui, corner(split, bottom, rect.right(), rect.bottom()), state);
    for y in [top, bottom] {
        card::rule(ui, pos2(rect.left(), y), pos2(rect.right(), y));
    }
}

/// Step by step, or as a picture of all weights.
fn the_network(ui: &mut Ui, rect: Rect, state: &mut State) {
    let subtitle = if state.whole {
        "one row a neuron, all weights"
    } else {
        "what every neuron and gate does with this token"
    };
    let title = if state.whole { "The network" } else { "Step by step" };
    let narrow = rect.width() < 520.0;
    let rect = card::show(ui, rect, title, subtitle, |ui| {
        for (whole, name, help) in [
            (true, "Weights", "All weights in one picture, in named blocks (W)."),
            (false, "Steps", "The numbers of this token, from left to right (W)."),
        ] {
            if ui
                .selectable_label(state.whole == whole, RichText::new(name).size(11.5))
                .on_hover_text(help)
                .clicked()
            {
                state.whole = whole;
            }
        }
        if state.whole && !narrow {
            network::tools(ui, &mut state.network, false);
        }
    });
    if let Some(Err(error)) = state.built.as_ref().map(|built| &built.network) {
        return refusal(ui, rect, error);
    }
    if state.whole {
        picture::show(ui, rect, state);
    } else {
        steps::show(ui, rect, state);
    }
}

/// Why this variant does not apply.
fn refusal(ui: &mut Ui, rect: Rect, error: &Error) {
    let text = match error {
        Error::Setting { found, expected, .. } => {
            format!("{}. Expected: {expected}.", capitalised(found))
        }
        error => error.to_string(),
    };
    let mut child = super::layout::inside(ui, "refusal", rect.shrink(8.0));
    let palette = Palette::of(ui);
    child.add_space(12.0);
    child.label(RichText::new("This construction does not apply here.").font(strong(14.0)));
    child.add_space(4.0);
    child.add(egui::Label::new(formula::job(&text, 13.0, palette.error)).wrap());
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// For a phone: everything below everything else.
fn one_column(ui: &mut Ui, state: &mut State, view: &mut View<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::messages(ui, view);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let panel = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 8));
            panel.show(ui, |ui| {
                ui.set_width(ui.available_width());
                controls::variants(ui, state);
            });
            let width = ui.available_width();
            let part = |ui: &mut Ui, height: f32| {
                let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
                card::rule(ui, rect.left_bottom(), rect.right_bottom());
                rect
            };
            let rect = part(ui, sequence::height(state.settings.dim) + 24.0);
            sequence::show(ui, rect, state);
            let height = if state.whole { 420.0 } else { steps::stacked_height(state) + 40.0 };
            let rect = part(ui, height);
            the_network(ui, rect, state);
            let rect = part(ui, 236.0);
            attention::show(ui, rect, state);
            let rect = part(ui, 236.0);
            cost::show(ui, rect, state);
            panel.show(ui, |ui| {
                ui.set_width(ui.available_width());
                guide::show(ui, state);
                controls::rest(ui, state, actions);
            });
        });
    });
    state.prepare(ui);
}

/// Draws its status line.
pub fn status(ui: &mut Ui, state: &State) {
    let palette = Palette::of(ui);
    let Some(built) = &state.built else { return };
    let cost = built.cost(state.settings.variant);
    // A label and its value in one, so that they are not parted where the line wraps.
    let field = |ui: &mut Ui, label: &str, value: &str, color: egui::Color32| {
        let mut job = LayoutJob::default();
        for (text, font, color) in [
            (label, plain(12.0), palette.mute),
            ("  ", plain(9.0), color),
            (value, strong(12.0), color),
        ] {
            job.append(text, 0.0, TextFormat { font_id: font, color, ..TextFormat::default() });
        }
        ui.add(egui::Label::new(job).extend());
    };
    ui.spacing_mut().interact_size.y = 20.0;
    let two_lines = ui.available_height() > 40.0;
    ui.add_space(if two_lines { 6.0 } else { 4.0 });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(14.0, 1.0);
        field(ui, "d", &state.settings.dim.to_string(), palette.ink);
        match &built.network {
            Ok(running) => {
                field(
                    ui,
                    "neurons",
                    &format!("{} + {}", cost.accumulators, cost.queries),
                    palette.ink,
                );
                field(ui, "gates", &cost.gates.to_string(), palette.ink);
                field(ui, "parameters", &format::thousands(cost.parameters as u64), palette.ink);
                field(
                    ui,
                    "attention",
                    &format::thousands(crate::theory::cost::attention(state.settings.dim) as u64),
                    palette.teacher,
                );
                let error = built.largest_error(running);
                let color =
                    if guide::is_exact(built, error) { palette.teacher } else { palette.error };
                field(ui, "error", &numbers::error(error), color);
            }
            Err(_) => field(ui, state.settings.variant.title(), "does not apply", palette.error),
        }
    });
}
