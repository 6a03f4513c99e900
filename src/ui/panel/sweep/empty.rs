//! The view before the first sweep: what a sweep is, and three to start from.

use super::state::State;
use super::{definition, run, size};
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, Scene, Which};
use eframe::egui;
use egui::{Button, Label, RichText, Ui, vec2};

const GRID: (&str, &str) = (
    "One training is an anecdote",
    "A sweep trains one recipe over and over, with other sizes and other seeds, and draws the loss at the end of each run. \
     So it shows how many neurons a network needs to become attention.",
);
const COMPARISON: (&str, &str) = (
    "Which layer finds attention?",
    "A comparison trains several layers side by side, on the same sequences and under the same schedule, each with several learning rates. \
     It shows which of them learn what linear attention does, how fast, and with how many parameters.",
);

/// Draws the words in the middle of `height`.
pub fn show(
    ui: &mut Ui,
    height: f32,
    state: &mut State,
    scene: &mut Scene<'_>,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let width = (ui.available_width() - 40.0).clamp(1.0, 480.0);
    ui.vertical_centered(|ui| {
        ui.add_space(((height - 460.0) * 0.4).max(16.0));
        ui.set_max_width(width);
        ui.spacing_mut().item_spacing.y = 8.0;
        let (title, text) = if state.which == Which::Compare { COMPARISON } else { GRID };
        ui.add(Label::new(RichText::new(title).font(strong(17.0))).wrap());
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap());
        ui.add_space(4.0);
        for preset in scene.sweeps[state.which].presets {
            let chosen = scene.sweeps[state.which].draft.title == preset.title;
            let color = if chosen { palette.accent } else { palette.ink };
            let button = Button::new(RichText::new(&preset.title).font(strong(12.5)).color(color))
                .selected(chosen)
                .min_size(vec2(width, 32.0))
                .wrap();
            if ui.add(button).clicked() {
                *scene.sweeps[state.which].draft = crate::ui::draft::Draft::of(preset);
            }
            if !preset.about.is_empty() {
                ui.add(Label::new(RichText::new(&preset.about).color(palette.mute)).wrap());
            }
            ui.add_space(4.0);
        }
        if ui
            .link(if state.which == Which::Compare {
                "Or take the task in Discover"
            } else {
                "Or vary the recipe in Discover"
            })
            .on_hover_text(definition::from_discover(state.which))
            .clicked()
        {
            *scene.sweeps[state.which].draft =
                crate::ui::draft::Draft::from_discover(state.which, scene.draft, scene.preset);
        }
        ui.add_space(6.0);
        let Some(sweep) = state.check.as_ref().and_then(|check| check.sweep.as_ref().ok()) else {
            return;
        };
        let text = RichText::new(format!("Start {}", size::of(sweep)))
            .font(strong(12.5))
            .color(palette.on_accent);
        if ui
            .add(Button::new(text).fill(palette.accent).min_size(vec2(0.0, 34.0)).wrap())
            .on_hover_text(&scene.sweeps[state.which].draft.title)
            .clicked()
        {
            run::main(state, scene, actions);
        }
        ui.add_space(16.0);
    });
}
