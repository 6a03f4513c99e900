//! The line at the bottom: where training is, how fast, on what. Each number has its own place, so
//! nothing moves.

use crate::analysis::finding::Finding;
use crate::backend::DeviceKind;
use crate::recipe::TaskName;
use crate::run::live::{End, Live};
use crate::task::Task;
use crate::theory::gradient_step;
use crate::ui::Scene;
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, plain, strong};
use eframe::egui;
use egui::{Align, Align2, Color32, Layout, RichText, Sense, Ui, vec2};

/// Draws the line, or two of them in a narrow window.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, narrow: bool) {
    if narrow {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.allocate_ui(vec2(ui.available_width(), 21.0), |ui| {
                ui.horizontal_centered(|ui| numbers(ui, scene.live, true))
            });
            ui.allocate_ui(vec2(ui.available_width(), 32.0), |ui| {
                ui.horizontal_centered(|ui| engine(ui, scene, true))
            });
        });
    } else {
        ui.horizontal_centered(|ui| {
            numbers(ui, scene.live, false);
            engine(ui, scene, false);
        });
    }
}

fn numbers(ui: &mut Ui, live: &Live, narrow: bool) {
    let palette = Palette::of(ui);
    ui.spacing_mut().item_spacing.x = if narrow { 8.0 } else { 14.0 };
    let (word, color) = condition(live, palette);
    field(ui, "", "diverged", word, color, "");
    let steps = u64::from(live.recipe.steps);
    let total = format::thousands(steps);
    let step = format!("{} / {total}", format::thousands(live.step));
    field(
        ui,
        "step",
        &format!("{total} / {total}"),
        &step,
        palette.ink,
        "Steps done, and steps that this run has",
    );
    let smooth = live.history.smooth();
    let number = |value: Option<f64>| value.map_or_else(|| "–".into(), format::scientific);
    if !narrow {
        let speed = live
            .steps_per_second()
            .map_or_else(|| "–".into(), |speed| format::thousands(speed.round() as u64));
        field(
            ui,
            "steps/s",
            "99 999",
            &speed,
            palette.ink,
            "Steps per second, over the last 1.5 s",
        );
        field(
            ui,
            "loss",
            "8.8e−88",
            &number(smooth.map(|s| s.0)),
            palette.ink,
            loss_help(live.recipe.task),
        );
    } else if live.recipe.task == TaskName::Recall {
        field(
            ui,
            "loss",
            "8.8e−88",
            &number(smooth.map(|s| s.0)),
            palette.ink,
            loss_help(live.recipe.task),
        );
    }
    match (live.recipe.task(), &live.finding) {
        (Task::Attention(_) | Task::File(_), _) => {}
        (Task::Regression(regression), _) => {
            let best =
                gradient_step::expected_loss(regression, gradient_step::best_step_size(regression));
            let excess =
                smooth.map_or_else(|| "–".into(), |(loss, _)| format::percent(loss / best - 1.0));
            return field(
                ui,
                "to one step",
                "+88.88 %",
                &excess,
                palette.ink,
                "Loss above what one step of gradient descent has on average",
            );
        }
        (Task::Recall(_), finding) => {
            let right = match finding {
                Some((_, Finding::Recall { recalled, .. })) => {
                    format!("{:.1}\u{a0}%", 100.0 * recalled.accuracy)
                }
                _ => "–".into(),
            };
            return field(
                ui,
                "right",
                "100.0 %",
                &right,
                palette.ink,
                "Queries answered right, of unseen sequences",
            );
        }
    }
    field(
        ui,
        "nMSE",
        "8.8e−88",
        &number(smooth.map(|s| s.1)),
        palette.ink,
        "Loss over the mean square of the targets: 1 is as good as answering 0; smoothed",
    );
}

fn loss_help(task: TaskName) -> &'static str {
    match task {
        TaskName::Attention | TaskName::File => {
            "Mean squared error (ŷ − y)², smoothed over about 50 steps"
        }
        TaskName::Regression => {
            "Half the mean squared error ½ (ŷ − y)² at the query, smoothed over about 50 steps"
        }
        TaskName::Recall => "Cross-entropy of the answer in nats, smoothed over about 50 steps",
    }
}

fn engine(ui: &mut Ui, scene: &Scene<'_>, narrow: bool) {
    let palette = Palette::of(ui);
    let live = scene.live;
    if let Some(device) = &live.device {
        let name = match device.kind {
            DeviceKind::Cpu => format!("CPU · {}", device.name),
            DeviceKind::Gpu => format!("{} · {}", device.interface, device.name),
        };
        let width = (ui.available_width() - if narrow { 210.0 } else { 240.0 }).max(40.0);
        let height = ui.available_height();
        ui.allocate_ui(vec2(width.min(330.0), height), |ui| {
            ui.add(
                egui::Label::new(RichText::new(&name).size(12.0).color(palette.mute)).truncate(),
            )
            .on_hover_text(&name);
        });
        if device.software {
            let help = "This adapter only simulates a GPU on the processor. The CPU engine is much faster: choose Engine: cpu and restart.";
            ui.label(RichText::new("simulated GPU").size(12.0).color(palette.warning))
                .on_hover_text(help);
        }
        if scene.web && device.kind == DeviceKind::Cpu {
            super::banner::gpu_help(ui);
        }
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let memory = if live.bytes > 0 { format::bytes(live.bytes) } else { String::new() };
        ui.label(RichText::new(memory).size(12.0).color(palette.mute))
            .on_hover_text("Memory that this training takes on its device");
    });
}

/// What the training does, in a word.
fn condition(live: &Live, palette: &Palette) -> (&'static str, Color32) {
    match (&live.failure, &live.end) {
        (Some(_), _) => ("stopped", palette.error),
        (_, Some(End::Diverged(_))) => ("diverged", palette.error),
        (_, Some(End::Finished)) => ("finished", palette.teacher),
        _ if live.device.is_none() => ("preparing", palette.mute),
        _ if live.running => ("training", palette.accent),
        _ => ("paused", palette.mute),
    }
}

/// A label and a value in the place that `widest` needs.
fn field(ui: &mut Ui, label: &str, widest: &str, value: &str, color: Color32, help: &str) {
    let palette = Palette::of(ui);
    let (small, bold) = (plain(12.0), strong(12.0));
    let width = |text: &str, font: &egui::FontId| {
        ui.painter().layout_no_wrap(text.into(), font.clone(), color).size().x
    };
    let gap = if label.is_empty() { 0.0 } else { 5.0 };
    let (before, room) = (width(label, &small), width(widest, &bold).max(width(value, &bold)));
    let (rect, response) = ui.allocate_exact_size(vec2(before + gap + room, 20.0), Sense::hover());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{label} {value}").trim())
    });
    ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, label, small, palette.mute);
    ui.painter().text(
        rect.left_center() + vec2(before + gap, 0.0),
        Align2::LEFT_CENTER,
        value,
        bold,
        color,
    );
    if !help.is_empty() {
        response.on_hover_text(help);
    }
}
