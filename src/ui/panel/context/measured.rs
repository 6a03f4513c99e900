//! Losses on the same unseen sequences, the network's beside one gradient step's: as in training,
//! and with maps of twice the variance.

use super::cells::{Mark, largest, narrow};
use crate::analysis::finding::Finding;
use crate::analysis::in_context::Losses;
use crate::run::live::Live;
use crate::task::{Regression, Task};
use crate::theory::gradient_step;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};

pub fn show(ui: &mut Ui, rect: Rect, live: &Live, actions: &mut Vec<Action>) {
    let (size, mut saved) = (rect.size(), false);
    let rect =
        card::show(ui, rect, "On unseen sequences", "loss beside one gradient step's", |ui| {
            saved = export::button(ui, "On unseen sequences")
        });
    if saved {
        actions.push(export::svg(ui, "context-losses.svg", size, &mut |ui, rect| {
            show(ui, rect, live, &mut vec![])
        }));
    }
    let (Some(Finding::Regression { losses, doubled, .. }), Task::Regression(task)) =
        (live.found(), live.recipe.task())
    else {
        return card::waiting(ui, rect, live);
    };
    if rect.width() < 120.0 || rect.height() < 80.0 {
        return;
    }
    let twice = Regression { variance: 2.0 * task.variance, ..task };
    let both = [("as in training", losses, task), ("maps of twice the variance", doubled, twice)];
    let full = both
        .iter()
        .map(|(_, losses, _)| largest([&losses.network, &losses.gradient_step]))
        .fold(0.0, f64::max);
    let step_size = gradient_step::best_step_size(task); // the same for both: it is what the network was trained to do
    let height = (rect.height() / 2.0).min(90.0);
    for (i, (name, losses, task)) in both.into_iter().enumerate() {
        let group = Rect::from_min_size(
            rect.min + vec2(0.0, i as f32 * height),
            vec2(rect.width(), height),
        );
        pair(ui, group, name, losses, (task, step_size), full.max(1e-12));
    }
}

/// Name and difference above two bars.
fn pair(
    ui: &Ui,
    rect: Rect,
    name: &str,
    losses: &Losses,
    (task, step_size): (Regression, f64),
    full: f64,
) {
    let palette = Palette::of(ui);
    let row = ((rect.height() - 6.0) / 3.0).min(22.0);
    let y = |i: f32| rect.top() + (i + 0.5) * row;
    let error = losses.standard_error / losses.gradient_step;
    let mut difference = format::percent(losses.excess());
    if losses.excess().abs() < 10.0 {
        difference += &format!(" ± {:.2}\u{a0}%", 100.0 * error);
    }
    let end = ui
        .painter()
        .text(pos2(rect.left(), y(0.0)), Align2::LEFT_CENTER, name, plain(12.0), palette.mute)
        .right();
    let words = ui.painter().layout_no_wrap(difference, strong(12.5), palette.ink);
    if rect.right() - words.size().x > end + 8.0 {
        ui.painter().galley(
            pos2(rect.right() - words.size().x, y(0.0) - words.size().y / 2.0),
            words,
            palette.ink,
        );
    }
    let (left, right) = (rect.left() + 78.0, rect.right() - 62.0);
    let x = |loss: f64| left + narrow((loss / full).clamp(0.0, 1.0)) * (right - left);
    for (i, (mark, loss)) in [(Mark::Network, losses.network), (Mark::Step, losses.gradient_step)]
        .into_iter()
        .enumerate()
    {
        let y = y(1.0 + i as f32);
        mark.legend(ui, pos2(rect.left(), y));
        let bar = Rect::from_x_y_ranges(
            left..=x(if loss.is_finite() { loss } else { 0.0 }),
            (y - row * 0.28)..=(y + row * 0.28),
        );
        if mark == Mark::Network {
            ui.painter().rect_filled(bar, 2.0, mark.color(palette));
        } else {
            ui.painter().rect_stroke(
                bar,
                2.0,
                Stroke::new(1.4, mark.color(palette)),
                egui::StrokeKind::Inside,
            );
        }
        ui.painter().text(
            pos2(rect.right(), y),
            Align2::RIGHT_CENTER,
            format::fixed(loss, if loss < 10.0 { 5 } else { 2 }),
            plain(12.0),
            palette.ink,
        );
    }
    let response = ui.interact(rect, ui.scope_id().with(("losses", name)), Sense::hover());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::Role::Label,
            true,
            format!("{name}: {}", format::fixed(losses.network, 5)),
        )
    });
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(format!(
            "loss = ½ mean (ŷ − W x_q)², over {} sequences",
            format::thousands(losses.sequences as u64)
        ));
        ui.label(format!("network {}", format::fixed(losses.network, 6)));
        ui.label(format!(
            "one gradient step with η* on the same sequences {}",
            format::fixed(losses.gradient_step, 6)
        ));
        ui.label(format!(
            "on average over all sequences: {}",
            format::fixed(gradient_step::expected_loss(task, step_size), 6)
        ));
        ui.label(format!(
            "difference {} with a standard error of {:.2}\u{a0}%",
            format::percent(losses.excess()),
            100.0 * error
        ));
        ui.label(format!(
            "always answering 0 has {} on average",
            format::fixed(gradient_step::expected_loss(task, 0.0), 4)
        ));
    });
}
