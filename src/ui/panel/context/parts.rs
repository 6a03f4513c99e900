//! What the answers of a network that recalls rest on: sizes and accuracies of the parts that meet
//! in its gates.

use super::cells::{largest, narrow};
use crate::analysis::finding::Finding;
use crate::analysis::recall::{LOSES, RECALLS, RecallReading};
use crate::run::live::Live;
use crate::task::Task;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Color32, Rect, Sense, Stroke, Ui, pos2, vec2};

/// Room for the number behind a bar.
const VALUE: f32 = 54.0;

pub fn show(ui: &mut Ui, rect: Rect, live: &Live, actions: &mut Vec<Action>) {
    let (size, mut saved) = (rect.size(), false);
    let rect = card::show(
        ui,
        rect,
        "What the answer rests on",
        "split by what meets in the gates",
        |ui| saved = export::button(ui, "What the answer rests on"),
    );
    if saved {
        actions.push(export::svg(ui, "context-parts.svg", size, &mut |ui, rect| {
            show(ui, rect, live, &mut vec![])
        }));
    }
    let (Some(Finding::Recall { recalled, .. }), Task::Recall(task)) =
        (live.found(), live.recipe.task())
    else {
        return card::waiting(ui, rect, live);
    };
    if rect.width() < 130.0 || rect.height() < 80.0 {
        return;
    }
    let palette = Palette::of(ui);
    let ui = &mut card::inside(ui, "parts", rect);
    let RecallReading {
        accuracy,
        attention_accuracy,
        stored_accuracy,
        sizes: [stored, cross, own],
        ..
    } = *recalled;
    let rows = [
        ("all together", None, Some(accuracy), palette.ink, "the network as it is"),
        (
            "memory × query",
            Some(cross),
            Some(attention_accuracy),
            palette.key_value,
            "all that attention has",
        ),
        (
            "memory × memory",
            Some(stored),
            Some(stored_accuracy),
            palette.between,
            "squares of what was stored: comparing needs them",
        ),
        (
            "query × query",
            Some(own),
            None,
            palette.query,
            "it knows nothing of the pairs, and cannot answer alone",
        ),
    ];
    let head = 17.0;
    let row = ((rect.height() - head - 34.0) / 4.0).clamp(8.0, 26.0);
    let name = (rect.width() * 0.34).clamp(60.0, 116.0);
    let (left, right) = (rect.left() + name, rect.right());
    let middle = left + (right - left) * 0.5;
    let (sizes, accuracies) = (left..=(middle - 16.0), middle..=right);
    for (x, text) in [(*sizes.start(), "size in the logits"), (*accuracies.start(), "right, alone")]
    {
        ui.painter().text(
            pos2(x, rect.top() + head - 3.0),
            Align2::LEFT_BOTTOM,
            text,
            plain(11.0),
            palette.mute,
        );
    }
    let full = largest(&recalled.sizes).max(1e-12);
    let end = rect.top() + head + 4.0 * row;
    for (i, (text, size, accuracy, color, help)) in rows.into_iter().enumerate() {
        let y = rect.top() + head + (i as f32 + 0.5) * row;
        ui.painter().text(
            pos2(rect.left(), y),
            Align2::LEFT_CENTER,
            text,
            if i == 0 { strong(11.5) } else { plain(11.5) },
            palette.ink,
        );
        let bar =
            |span: &std::ops::RangeInclusive<f32>, part: f64, text: String, color: Color32| {
                let room = span.end() - span.start() - VALUE;
                let length =
                    if part.is_finite() { narrow(part.clamp(0.0, 1.0)) * room } else { 0.0 };
                let rect = Rect::from_min_max(
                    pos2(*span.start(), y - row * 0.28),
                    pos2(span.start() + length.max(1.0), y + row * 0.28),
                );
                ui.painter().rect_filled(rect, 2.0, color);
                ui.painter().text(
                    pos2(rect.right() + 5.0, y),
                    Align2::LEFT_CENTER,
                    text,
                    plain(11.5),
                    palette.ink,
                );
            };
        if let Some(size) = size {
            bar(
                &sizes,
                size / full,
                if (1e-9..0.01).contains(&size) {
                    format::scientific(size)
                } else {
                    format::fixed(size, 2)
                },
                color,
            );
        }
        match accuracy {
            Some(accuracy) => {
                bar(&accuracies, accuracy, format!("{:.1}\u{a0}%", 100.0 * accuracy), color)
            }
            None => {
                ui.painter().text(
                    pos2(middle, y),
                    Align2::LEFT_CENTER,
                    "–",
                    plain(11.5),
                    palette.mute,
                );
            }
        }
        let line =
            Rect::from_min_max(pos2(rect.left(), y - row / 2.0), pos2(rect.right(), y + row / 2.0));
        let response = ui.interact(line, ui.scope_id().with(("part", i)), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(format!("{text}: {help}"));
            ui.label("The state at the query is what was stored plus the query's own; a product of two readings of it splits into these parts.");
            if let Some(size) = size {
                ui.label(format!("root mean square in the logits {}, without what is the same for all classes", format::signed(size)));
            }
        });
    }
    let chance = 1.0 / task.pairs.max(1) as f64;
    let x = middle + narrow(chance) * (right - middle - VALUE);
    ui.painter().vline(
        x,
        (rect.top() + head)..=end,
        Stroke::new(1.0, palette.mute.gamma_multiply(0.6)),
    );
    let text = decided(accuracy);
    let galley = ui.painter().layout(text, plain(11.0), palette.mute, rect.width());
    ui.painter().galley(pos2(rect.left(), end + 5.0), galley, palette.mute);
    let line = Rect::from_center_size(pos2(x, end - 2.0 * row), vec2(8.0, 4.0 * row));
    ui.interact(line, ui.scope_id().with("chance"), Sense::hover()).on_hover_text(format!(
        "chance: one in {} = {:.1}\u{a0}%",
        task.pairs,
        100.0 * chance
    ));
}

/// How the verdict is decided, in a sentence.
fn decided(accuracy: f64) -> String {
    let (recalls, loses) = (100.0 * RECALLS, 100.0 * LOSES);
    if accuracy < RECALLS {
        return format!("Below {recalls:.0}\u{a0}% right it does not count as recall.");
    }
    format!(
        "Like attention: if memory × query alone loses at most {loses:.0} points of accuracy. By comparing: if it loses more."
    )
}
