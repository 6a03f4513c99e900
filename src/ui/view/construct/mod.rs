//! The Construct view: linear attention built out of a gated RNN, step by step (paper, appendix A).
//!
//! [`built`] is what there is to show; [`controls`] choose it, [`sequence`] feeds it, [`steps`] and
//! [`picture`] show the network, [`attention`] and [`cost`] compare, [`guide`] says what to look
//! at. [`State::prepare`] comes first in a frame.

mod attention;
mod built;
mod controls;
mod cost;
mod guide;
mod keys;
mod numbers;
mod picture;
mod sequence;
mod state;
mod steps;

use super::descriptor::View;
use crate::Error;
use crate::named::Named;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format, formula};
use crate::ui::panel::{banner, network};
use crate::ui::{Action, Scene, Tab};
use eframe::egui;
use egui::text::{LayoutJob, TextFormat};
use egui::{CentralPanel, Frame, Margin, Panel, Rect, RichText, ScrollArea, Sense, Ui, pos2, vec2};

pub use state::State;

/// Below this width the middle is too small for the guide beside it.
const GUIDE: f32 = 1120.0;
/// Least height of the middle.
const MIDDLE: f32 = 620.0;

/// Draws the view between the top bar and the status line.
fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    state.prepare(ui);
    keys::read(ui, state);
    if narrow {
        return one_column(ui, state, scene, actions);
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
        banner::messages(ui, scene);
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
        "one row per neuron, all weights"
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
    let mut child = card::inside(ui, "refusal", rect.shrink(8.0));
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
fn one_column(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::messages(ui, scene);
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
fn status(ui: &mut Ui, state: &State) {
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
                let color = if built.is_exact(error) { palette.teacher } else { palette.error };
                field(ui, "error", &numbers::error(error), color);
            }
            Err(_) => field(ui, state.settings.variant.title(), "does not apply", palette.error),
        }
    });
}

/// The view.
pub const VIEW: View = View {
    tab: Tab::CONSTRUCT,
    name: "Construct",
    sentence: "Build linear attention out of a gated RNN, and step a sequence through it.",
    keys: &[
        ("← → Home End", "From token to token"),
        ("↑ ↓", "From neuron to neuron"),
        ("W", "Weights or steps"),
    ],
    show: |ui, memory, scene, narrow, actions| show(ui, memory.of(), scene, narrow, actions),
    status: |ui, memory, _, _| status(ui, memory.of()),
};
