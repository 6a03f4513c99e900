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
use egui::{Align2, Color32, Rect, Sense, Stroke, Ui, pos2};
use std::ops::RangeInclusive;

/// Room for the number behind a bar.
const VALUE: f32 = 54.0;
/// Rows.
const PARTS: usize = 4;

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
    let table = Table::of(rect);
    for (x, text) in
        [(*table.sizes.start(), "size in the logits"), (*table.accuracies.start(), "right, alone")]
    {
        let at = pos2(x, table.top - 3.0);
        ui.painter().text(at, Align2::LEFT_BOTTOM, text, plain(11.0), palette.mute);
    }
    let full = largest(&recalled.sizes).max(1e-12);
    for (i, part) in parts(recalled, palette).iter().enumerate() {
        table.row(ui, i, part, full);
    }
    table.chance(ui, task.pairs);
    let text = decided(recalled.accuracy);
    let galley = ui.painter().layout(text, plain(11.0), palette.mute, rect.width());
    ui.painter().galley(pos2(rect.left(), table.end() + 5.0), galley, palette.mute);
}

/// What a part of the answer is, and what is known of it.
struct Part {
    name: &'static str,
    /// Its root mean square in the logits.
    size: Option<f64>,
    /// What it gets right alone.
    accuracy: Option<f64>,
    color: Color32,
    help: &'static str,
}

/// The whole, then the parts that meet in the gates.
fn parts(recalled: &RecallReading, palette: &Palette) -> [Part; PARTS] {
    let [stored, cross, own] = recalled.sizes;
    [
        Part {
            name: "all together",
            size: None,
            accuracy: Some(recalled.accuracy),
            color: palette.ink,
            help: "the network as it is",
        },
        Part {
            name: "memory × query",
            size: Some(cross),
            accuracy: Some(recalled.attention_accuracy),
            color: palette.key_value,
            help: "all that attention has",
        },
        Part {
            name: "memory × memory",
            size: Some(stored),
            accuracy: Some(recalled.stored_accuracy),
            color: palette.between,
            help: "squares of what was stored: comparing needs them",
        },
        Part {
            name: "query × query",
            size: Some(own),
            accuracy: None,
            color: palette.query,
            help: "it knows nothing of the pairs, and cannot answer alone",
        },
    ]
}

/// Where names and bars stand.
struct Table {
    rect: Rect,
    /// Of the first row.
    top: f32,
    /// Height of a row.
    row: f32,
    sizes: RangeInclusive<f32>,
    accuracies: RangeInclusive<f32>,
}

impl Table {
    fn of(rect: Rect) -> Self {
        let head = 17.0;
        let left = rect.left() + (rect.width() * 0.34).clamp(60.0, 116.0);
        let middle = left + (rect.right() - left) * 0.5;
        Self {
            rect,
            top: rect.top() + head,
            row: ((rect.height() - head - 34.0) / PARTS as f32).clamp(8.0, 26.0),
            sizes: left..=(middle - 16.0),
            accuracies: middle..=rect.right(),
        }
    }

    /// Below the last row.
    fn end(&self) -> f32 {
        self.top + PARTS as f32 * self.row
    }

    /// Draws row `i`; a bar of the size `full` fills its column.
    fn row(&self, ui: &Ui, i: usize, part: &Part, full: f64) {
        let palette = Palette::of(ui);
        let y = self.top + (i as f32 + 0.5) * self.row;
        let font = if i == 0 { strong(11.5) } else { plain(11.5) };
        let at = pos2(self.rect.left(), y);
        ui.painter().text(at, Align2::LEFT_CENTER, part.name, font, palette.ink);
        if let Some(size) = part.size {
            let text = if (1e-9..0.01).contains(&size) {
                format::scientific(size)
            } else {
                format::fixed(size, 2)
            };
            self.bar(ui, &self.sizes, y, size / full, text, part.color);
        }
        if let Some(accuracy) = part.accuracy {
            let text = format!("{:.1}\u{a0}%", 100.0 * accuracy);
            self.bar(ui, &self.accuracies, y, accuracy, text, part.color);
        } else {
            let at = pos2(*self.accuracies.start(), y);
            ui.painter().text(at, Align2::LEFT_CENTER, "–", plain(11.5), palette.mute);
        }
        let half = self.row / 2.0;
        let line = Rect::from_x_y_ranges(self.rect.x_range(), (y - half)..=(y + half));
        let response = ui.interact(line, ui.scope_id().with(("part", i)), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, part.name));
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(format!("{}: {}", part.name, part.help));
            ui.label("The state at the query is what was stored plus the query's own; a product of two readings of it splits into these parts.");
            if let Some(size) = part.size {
                ui.label(format!("root mean square in the logits {}, without what is the same for all classes", format::signed(size)));
            }
        });
    }

    /// A bar over that part of its column, and its number behind it.
    fn bar(
        &self,
        ui: &Ui,
        column: &RangeInclusive<f32>,
        y: f32,
        part: f64,
        text: String,
        color: Color32,
    ) {
        let room = column.end() - column.start() - VALUE;
        let length = if part.is_finite() { narrow(part.clamp(0.0, 1.0)) * room } else { 0.0 };
        let half = self.row * 0.28;
        let right = column.start() + length.max(1.0);
        let bar = Rect::from_x_y_ranges(*column.start()..=right, (y - half)..=(y + half));
        ui.painter().rect_filled(bar, 2.0, color);
        let at = pos2(right + 5.0, y);
        ui.painter().text(at, Align2::LEFT_CENTER, text, plain(11.5), Palette::of(ui).ink);
    }

    /// Marks what guessing gets right.
    fn chance(&self, ui: &Ui, pairs: usize) {
        let chance = 1.0 / pairs.max(1) as f64;
        let (left, right) = (self.accuracies.start(), self.accuracies.end());
        let x = left + narrow(chance) * (right - left - VALUE);
        let stroke = Stroke::new(1.0, Palette::of(ui).mute.gamma_multiply(0.6));
        ui.painter().vline(x, self.top..=self.end(), stroke);
        let line = Rect::from_x_y_ranges((x - 4.0)..=(x + 4.0), self.top..=self.end());
        ui.interact(line, ui.scope_id().with("chance"), Sense::hover())
            .on_hover_text(format!("chance: one in {pairs} = {:.1}\u{a0}%", 100.0 * chance));
    }
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
