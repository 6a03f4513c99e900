//! The view while another kind of task trains: what it is for, and two trainings that fill it.

use super::Action;
use crate::recipe::preset;
use crate::ui::kit::theme::{Palette, strong};
use eframe::egui;
use egui::{Button, Label, RichText, Ui, vec2};

/// What each preset shows, in a sentence.
const OFFERS: [(&str, &str); 2] = [
    (
        "regression",
        "Each sequence shows examples of a linear map of its own, then asks. Does the network do a step of gradient descent within the sequence?",
    ),
    (
        "recall",
        "Each sequence pairs keys with values, then asks for one. Does the network attend, or does it compare?",
    ),
];

/// Draws the words in the middle of `height`.
pub fn show(ui: &mut Ui, height: f32, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let width = (ui.available_width() - 40.0).clamp(1.0, 460.0);
    ui.vertical_centered(|ui| {
        ui.add_space(((height - 300.0) * 0.4).max(16.0));
        ui.set_max_width(width);
        ui.spacing_mut().item_spacing.y = 8.0;
        ui.add(Label::new(RichText::new("Learning within a sequence").font(strong(17.0))).wrap());
        let text = "This scene shows networks that learn from examples in the sequence itself. In the training that runs \
                    there are none: its sequences are all of one kind.";
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap());
        for (name, sentence) in OFFERS {
            let Some(preset) = preset::find(name) else { continue };
            ui.add_space(10.0);
            let title = RichText::new(&preset.title).font(strong(12.5)).color(palette.on_accent);
            let button = Button::new(title).fill(palette.accent).min_size(vec2(0.0, 32.0)).wrap();
            if ui.add(button).on_hover_text(&preset.about).clicked() {
                actions.push(Action::Preset(preset.name));
            }
            ui.add(Label::new(RichText::new(sentence).color(palette.mute)).wrap());
        }
    });
}
