//! What a line of the definition is made of.

use crate::ui::kit::theme::Palette;
use eframe::egui;
use egui::{Align2, Button, Label, Response, RichText, Role, TextEdit, Ui, WidgetInfo, vec2};

pub fn named(response: Response, role: Role, name: &str) -> Response {
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
    response
}

/// A line to type in.
pub fn line(ui: &mut Ui, text: &mut String, name: &str, hint: &str) -> Response {
    let edit = TextEdit::singleline(text)
        .desired_width(ui.available_width())
        .hint_text(hint.to_owned())
        .align(Align2::LEFT_CENTER);
    let response = ui.add(edit);
    let (typed, enabled) = (text.clone(), ui.is_enabled());
    response.widget_info(|| WidgetInfo {
        label: Some(name.into()),
        ..WidgetInfo::text_edit(enabled, &typed, &typed, hint)
    });
    response
}

/// What is wrong, or something to know.
pub fn note(ui: &mut Ui, text: &str, wrong: bool) {
    let palette = Palette::of(ui);
    ui.add(
        Label::new(RichText::new(text).size(11.0).color(if wrong {
            palette.error
        } else {
            palette.mute
        }))
        .wrap(),
    );
}

/// Width of [`remove`].
pub const REMOVE: f32 = 28.0;

/// A small button with one letter; returns whether it was pressed.
pub fn remove(ui: &mut Ui, name: &str) -> bool {
    let palette = Palette::of(ui);
    let size = vec2(REMOVE, ui.spacing().interact_size.y);
    let button = ui.add_sized(
        size,
        Button::new(RichText::new("×").size(15.0).color(palette.mute)).frame_when_inactive(false),
    );
    named(button, Role::Button, name).on_hover_text(name).clicked()
}
