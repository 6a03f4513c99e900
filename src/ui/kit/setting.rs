//! One row of the controls: label, editor, way back to the default; built from the setting's own
//! description.

use super::format;
use super::theme::Palette;
use crate::recipe::Recipe;
use crate::recipe::settings::{Kind, Setting, Value};
use eframe::egui;
use egui::{
    Align, Button, ComboBox, DragValue, Layout, PopupCloseBehavior, Response, RichText, Role,
    TextEdit, Ui, WidgetInfo, vec2,
};
use std::collections::HashMap;

/// Width of an editor.
const EDITOR: f32 = 98.0;

/// Draws the row; returns whether the draft changed.
pub fn row(
    ui: &mut Ui,
    setting: &'static Setting,
    draft: &mut Recipe,
    default: &Recipe,
    edits: &mut HashMap<&'static str, String>,
) -> bool {
    let before = (setting.get)(draft);
    let default = (setting.get)(default);
    let differs = before != default;
    let palette = Palette::of(ui);
    let help = || explanation(setting, &default);
    ui.horizontal(|ui| {
        let color = if differs { palette.ink } else { palette.mute };
        ui.label(RichText::new(setting.label).color(color)).on_hover_text(help());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let response = editor(ui, setting, draft, edits);
            response.on_hover_text(help());
            if differs {
                let back = ui
                    .add(Button::new(RichText::new("↺").color(palette.accent)).frame(false))
                    .on_hover_text(format!("Back to {}", shown(&default)));
                back.widget_info(|| {
                    WidgetInfo::labeled(Role::Button, true, format!("Default {}", setting.label))
                });
                if back.clicked() {
                    edits.remove(setting.key);
                    let _ = setting.set(draft, &default.to_string()); // a preset's own value
                }
            }
        });
    });
    (setting.get)(draft) != before
}

fn explanation(setting: &Setting, default: &Value) -> String {
    format!("{}\n\nAccepted: {}. Default: {}.", setting.help, setting.accepted(), shown(default))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Integer(value) => format::thousands(*value),
        Value::Number(value) => number(*value),
        Value::Word(word) => word.clone(),
    }
}

/// A real number with all its digits.
fn number(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-2 { format!("{value:e}") } else { value.to_string() }
}

/// A real number without digits that nobody aims at with a pointer.
fn rounded(value: f64) -> String {
    if value.abs() < 1e-2 { format!("{value:.2e}") } else { format!("{value:.4}") }
}

fn editor(
    ui: &mut Ui,
    setting: &'static Setting,
    draft: &mut Recipe,
    edits: &mut HashMap<&'static str, String>,
) -> Response {
    let size = vec2(EDITOR, ui.spacing().interact_size.y);
    if let Kind::Schedule(words) = setting.kind {
        return schedule(ui, setting, words, draft, edits);
    }
    let value = (setting.get)(draft);
    // The editors keep to the range; what is still refused leaves the draft as it was.
    let mut apply = |text: &str| drop(setting.set(draft, text));
    match (setting.kind, value) {
        (Kind::Integer { min, max }, Value::Integer(mut value)) => {
            let speed = (value as f64 * 0.02).max(0.1);
            let drag = DragValue::new(&mut value)
                .range(min..=max)
                .speed(speed)
                .custom_formatter(|v, _| format::thousands(v as u64));
            let response = ui.add_sized(
                size,
                drag.custom_parser(|text| text.replace(['\u{202f}', ' ', ','], "").parse().ok()),
            );
            if response.changed() {
                apply(&value.to_string());
            }
            named(response, setting)
        }
        (Kind::Number { min, max }, Value::Number(mut value)) => {
            let speed = (value * 0.01).max(max * 1e-5);
            let drag = DragValue::new(&mut value).range(min..=max).speed(speed).max_decimals(9);
            let response = ui.add_sized(
                size,
                drag.custom_formatter(|v, _| number(v))
                    .custom_parser(|text| text.trim().parse().ok()),
            );
            if response.changed() {
                let aimed = response.dragged();
                apply(&if aimed { rounded(value) } else { value.to_string() });
            }
            named(response, setting)
        }
        (Kind::Choice(words), Value::Word(word)) => {
            let combo =
                ComboBox::from_id_salt(setting.key).width(EDITOR).selected_text(&word).truncate();
            let inner = combo.show_ui(ui, |ui| {
                for option in words {
                    if ui.selectable_label(*option == word, *option).clicked() {
                        apply(option);
                    }
                }
            });
            named(inner.response, setting)
        }
        _ => ui.label("?"),
    }
}

/// The words of the setting, and a line to type knots in.
fn schedule(
    ui: &mut Ui,
    setting: &'static Setting,
    words: &[&str],
    draft: &mut Recipe,
    edits: &mut HashMap<&'static str, String>,
) -> Response {
    let value = (setting.get)(draft).to_string();
    let palette = Palette::of(ui);
    let said = if value.contains(':') { "by knots" } else { value.as_str() };
    let combo = ComboBox::from_id_salt(setting.key).width(EDITOR).selected_text(said).truncate();
    let inner = combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
        ui.set_min_width(280.0);
        for word in words {
            if ui.selectable_label(*word == value, *word).clicked() {
                let _ = setting.set(draft, word);
                edits.remove(setting.key);
            }
        }
        ui.separator();
        ui.label(
            RichText::new("Or type knots, fraction of training : value")
                .size(11.0)
                .color(palette.mute),
        );
        let text = edits.entry(setting.key).or_insert_with(|| value.clone());
        let field = ui.add(TextEdit::singleline(text).desired_width(f32::INFINITY));
        field.widget_info(|| {
            WidgetInfo::labeled(Role::TextInput, true, format!("{} knots", setting.label))
        });
        match setting.set(&mut draft.clone(), text) {
            Ok(()) if field.changed() => {
                let _ = setting.set(draft, text); // the same was just accepted
            }
            Ok(()) => {}
            Err(error) => {
                ui.add(
                    egui::Label::new(
                        RichText::new(error.to_string()).size(11.0).color(palette.error),
                    )
                    .wrap(),
                );
            }
        }
    });
    named(inner.response, setting)
}

fn named(response: Response, setting: &Setting) -> Response {
    let role = if setting.kind.is_number() { Role::SpinButton } else { Role::ComboBox };
    response.widget_info(|| WidgetInfo::labeled(role, true, setting.label));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_read_back() {
        for (value, text) in [
            (0.01, "0.01"),
            (0.001, "1e-3"),
            (0.1, "0.1"),
            (2.5e-4, "2.5e-4"),
            (1.23456e-5, "1.23456e-5"),
            (0.0, "0"),
            (0.123_456_7, "0.1234567"),
            (123_456.7, "123456.7"),
        ] {
            assert_eq!((number(value), text.parse()), (text.to_owned(), Ok(value)));
        }
        for (value, text) in [(0.123_456, 0.1235), (1.23456e-5, 1.23e-5), (0.0, 0.0)] {
            assert_eq!(rounded(value).parse(), Ok(text));
        }
    }
}
