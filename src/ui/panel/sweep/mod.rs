//! The Sweep view: one recipe over a grid of settings and seeds, and what becomes of its loss. It
//! draws a [`SweepInput`](crate::ui::SweepInput) and asks by
//! [`SweepAction`](crate::ui::SweepAction)s; nothing is trained here.
//!
//! Start with [`show`]; [`state`] keeps what it works out. [`definition`] is what is written on the
//! left, [`run`] the buttons, [`plot`] and [`picture`] the dots, [`race`] what a comparison has
//! besides, [`card`] one run, [`table`] and [`order`] all of them, [`guide`] what to look at.

mod ask;
mod card;
mod contest;
mod definition;
mod empty;
mod guide;
mod line;
mod order;
mod picture;
mod pinned;
mod plot;
mod race;
mod run;
mod size;
mod state;
mod table;
mod variants;

use super::banner;
use crate::ui::kit::format;
use crate::ui::kit::theme::Palette;
use crate::ui::{Action, Scene, Which};
use eframe::egui;
use egui::{
    CentralPanel, Frame, Key, Margin, Modifiers, Panel, Rect, ScrollArea, Sense, Ui, pos2, vec2,
};

pub use state::State;
use state::{Derived, card_of};

/// From this width on the column on the right stands there.
const ASIDE: f32 = 1120.0;
/// Least height of the pictures in the middle.
const MIDDLE: f32 = 560.0;

/// Draws the view between the top bar and the status line.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    state.refresh(&scene.sweeps[state.which]);
    keys(ui, state, scene, actions);
    if narrow {
        one_column(ui, state, scene, actions);
    } else {
        let wide = ui.max_rect().width() >= ASIDE;
        let bar = Frame::new().fill(palette.panel);
        let column = Panel::left("sweep definition").exact_size(272.0).resizable(false).frame(bar);
        column.show(ui, |ui| definition::column(ui, state, scene, actions));
        if wide {
            let frame = bar.inner_margin(Margin::symmetric(14, 0));
            Panel::right("sweep guide").exact_size(236.0).resizable(false).frame(frame).show(
                ui,
                |ui| {
                    ScrollArea::vertical()
                        .auto_shrink(false)
                        .show(ui, |ui| guide::show(ui, state, scene, actions));
                },
            );
        }
        CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
            banner::messages(ui, scene);
            let height = ui.available_height();
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                match scene.sweeps[state.which].queue {
                    None => empty::show(ui, height, state, scene, actions),
                    Some(queue) => {
                        let (rect, _) = ui.allocate_exact_size(
                            vec2(ui.available_width(), height.max(MIDDLE)),
                            Sense::hover(),
                        );
                        if state.which == Which::Compare {
                            return race::middle(ui, rect, state, queue, actions);
                        }
                        let split = rect.top() + (rect.height() * 0.58).round();
                        let [above, below] = [
                            Rect::from_min_max(rect.min, pos2(rect.right(), split)),
                            Rect::from_min_max(pos2(rect.left(), split), rect.max),
                        ];
                        card_of(ui, above, state, |ui, rect, state, shown| {
                            picture::show(ui, rect, state, shown, queue, actions)
                        });
                        card_of(ui, below, state, |ui, rect, state, shown| {
                            table::show(ui, rect, state, shown, queue, actions)
                        });
                    }
                }
                if !wide {
                    Frame::new().fill(palette.panel).inner_margin(Margin::same(14)).show(
                        ui,
                        |ui| {
                            ui.set_width(ui.available_width());
                            guide::show(ui, state, scene, actions);
                        },
                    );
                }
            });
        });
    }
    ask::show(ui.ctx(), state.which, &mut state.ask, actions);
}

/// For a phone: buttons stay in reach, the rest scrolls.
fn one_column(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let panel = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 8));
    Panel::top("sweep run").frame(panel).show(ui, |ui| run::show(ui, state, scene, actions));
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::messages(ui, scene);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let queue = scene.sweeps[state.which].queue;
            let part = |ui: &mut Ui, height: f32| {
                ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover()).0
            };
            match queue {
                Some(queue) => {
                    if state.which == Which::Compare {
                        let rect = part(ui, 320.0);
                        card_of(ui, rect, state, |ui, rect, state, shown| {
                            race::curves::show(ui, rect, state, shown, queue, actions)
                        });
                        let height = state
                            .shown
                            .as_ref()
                            .map_or(0.0, |shown| race::rates::height(ui, shown));
                        let rect = part(ui, height);
                        card_of(ui, rect, state, |ui, rect, state, shown| {
                            race::rates::show(ui, rect, state, shown, queue)
                        });
                    }
                    let rect = part(ui, 380.0);
                    card_of(ui, rect, state, |ui, rect, state, shown| {
                        picture::show(ui, rect, state, shown, queue, actions)
                    });
                }
                None => empty::show(ui, 0.0, state, scene, actions),
            }
            let fill = |ui: &mut Ui, draw: &mut dyn FnMut(&mut Ui)| {
                panel.show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    draw(ui);
                });
            };
            fill(ui, &mut |ui| guide::show(ui, state, scene, actions));
            if let Some(queue) = queue {
                let rect = part(ui, 320.0);
                card_of(ui, rect, state, |ui, rect, state, shown| {
                    table::show(ui, rect, state, shown, queue, actions)
                });
            }
            fill(ui, &mut |ui| definition::show(ui, state, scene, actions));
        });
    });
}

/// Space pauses and goes on, unless something else has the keyboard.
fn keys(ui: &Ui, state: &mut State, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let free = !ui.ctx().text_edit_focused()
        && ui.memory(|memory| memory.focused().is_none())
        && state.ask.is_none();
    if free && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Space)) {
        run::main(state, scene, actions);
    }
}

/// Draws the status line.
pub fn status(ui: &mut Ui, state: &mut State, scene: &Scene<'_>) {
    state.refresh(&scene.sweeps[state.which]);
    let palette = Palette::of(ui);
    let Some(Derived { counts, .. }) = &state.shown else {
        ui.horizontal_centered(|ui| {
            ui.label(
                egui::RichText::new(if state.which == Which::Compare {
                    "no race yet"
                } else {
                    "no sweep yet"
                })
                .size(12.0)
                .color(palette.mute),
            )
        });
        return;
    };
    let part = |ui: &mut Ui, label: &str, value: String, color: egui::Color32| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            ui.label(egui::RichText::new(label).size(12.0).color(palette.mute));
            ui.label(
                egui::RichText::new(value).font(crate::ui::kit::theme::strong(12.0)).color(color),
            );
        });
    };
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        let (word, color) = run::condition(counts, scene.sweeps[state.which].running, palette);
        part(ui, "", word.into(), color);
        part(
            ui,
            "over",
            format!(
                "{} of {}",
                format::thousands(counts.over() as u64),
                format::thousands(counts.all as u64)
            ),
            palette.ink,
        );
        for (name, count) in [("diverged", counts.diverged), ("failed", counts.failed)] {
            if count > 0 {
                part(ui, name, format::thousands(count as u64), palette.error);
            }
        }
        if !counts.training.is_empty() {
            part(ui, "in training", counts.training.len().to_string(), palette.ink);
        }
    });
}
