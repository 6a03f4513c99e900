//! Teacher and student on one sequence that never changes: a row per output.

use crate::analysis::contribution::Probe;
use crate::run::live::Live;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    /// The output whose contributions are shown.
    pub chosen: usize,
}

/// Least height of a row.
const ROW: f32 = 22.0;

/// Draws the card.
pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, live: &Live) {
    let palette = Palette::of(ui);
    let rect = card::show(ui, rect, "Outputs on one sequence", "", |ui| {
        key(ui, "student ŷ", palette.ink, 1.2);
        key(ui, "teacher y", palette.teacher, 3.0);
    });
    let Some(probe) = live.probe.as_ref().filter(|probe| probe.time > 0 && probe.width > 0) else {
        return card::waiting(ui, rect, live);
    };
    if rect.width() < 60.0 || rect.height() < 40.0 {
        return;
    }
    state.chosen = state.chosen.min(probe.width - 1);
    let area = Rect::from_min_max(rect.min + vec2(26.0, 0.0), rect.max - vec2(36.0, 14.0));
    let rows = ((area.height() / ROW).floor().max(1.0) as usize).min(probe.width);
    let first = (state.chosen / rows * rows).min(probe.width - rows);
    let height = area.height() / rows as f32;
    for row in 0..rows {
        let strip = Rect::from_min_size(
            area.min + vec2(0.0, row as f32 * height),
            vec2(area.width(), height),
        );
        output(ui, rect, strip, probe, first + row, state);
    }
    time_axis(ui, area, probe.time);
}

fn key(ui: &mut Ui, text: &str, color: egui::Color32, width: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 12.0), Sense::hover());
    // Laid out from right to left: the line stands right of its word.
    ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(width, color));
    ui.label(egui::RichText::new(text).size(11.5).color(Palette::of(ui).mute));
}

/// One output: its two curves, its scale, and what the pointer is on.
fn output(ui: &mut Ui, card: Rect, strip: Rect, probe: &Probe, k: usize, state: &mut State) {
    let palette = Palette::of(ui);
    let of = |values: &[f32], t: usize| {
        values.get(t * probe.width + k).copied().filter(|v| v.is_finite()).unwrap_or(0.0)
    };
    let largest = (0..probe.time).map(|t| of(&probe.teacher, t).abs()).fold(1e-6, f32::max);
    let x = |t: usize| strip.left() + strip.width() * t as f32 / (probe.time - 1).max(1) as f32;
    let y = |value: f32| {
        strip.center().y - (value / largest).clamp(-1.15, 1.15) * (strip.height() * 0.42)
    };
    let line = |values: &[f32], stroke: Stroke| {
        Shape::line((0..probe.time).map(|t| pos2(x(t), y(of(values, t)))).collect(), stroke)
    };
    let whole = Rect::from_x_y_ranges(card.x_range(), strip.y_range());
    let response = ui.interact(whole, ui.scope_id().with(("output", k)), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::selected(
            egui::Role::ListBoxOption,
            true,
            k == state.chosen,
            format!("Output {}", k + 1),
        )
    });
    if response.clicked() {
        state.chosen = k;
    }
    let chosen = k == state.chosen && probe.width > 1;
    if chosen || response.hovered() {
        ui.painter().rect_filled(
            whole,
            4.0,
            palette.accent.gamma_multiply(if chosen { 0.08 } else { 0.04 }),
        );
    }
    ui.painter().hline(strip.x_range(), strip.center().y, Stroke::new(1.0, palette.line));
    ui.painter().add(line(&probe.teacher, Stroke::new(3.2, palette.teacher.gamma_multiply(0.65))));
    ui.painter().add(line(&probe.student, Stroke::new(1.2, palette.ink)));
    let label = format!("y{}", format::subscript(k + 1));
    ui.painter().text(
        pos2(card.left() + 4.0, strip.center().y),
        Align2::LEFT_CENTER,
        label,
        plain(11.0),
        if chosen { palette.accent } else { palette.mute },
    );
    ui.painter().text(
        pos2(strip.right() + 6.0, strip.center().y),
        Align2::LEFT_CENTER,
        format!("±{largest:.1}"),
        plain(10.0),
        palette.mute,
    );
    let Some(pointer) = response.hover_pos().filter(|pointer| strip.contains(*pointer)) else {
        return;
    };
    let t =
        (((pointer.x - strip.left()) / strip.width() * (probe.time - 1) as f32).round().max(0.0)
            as usize)
            .min(probe.time - 1);
    ui.painter().vline(x(t), strip.y_range(), Stroke::new(1.0, palette.mute.gamma_multiply(0.5)));
    response.on_hover_ui_at_pointer(|ui| {
        let (teacher, student) = (of(&probe.teacher, t), of(&probe.student, t));
        ui.label(format!("output {}, token t = {}", k + 1, t + 1));
        ui.colored_label(palette.teacher, format!("teacher y = S q = {}", format::signed(teacher)));
        ui.label(format!("student ŷ = D g = {}", format::signed(student)));
        ui.label(format!("difference {}", format::signed(student - teacher)));
    });
}

/// Ticks at the first, the last and round tokens.
fn time_axis(ui: &Ui, area: Rect, time: usize) {
    let palette = Palette::of(ui);
    let step = [1, 2, 4, 8, 16, 32].into_iter().find(|step| time / step <= 8).unwrap_or(64);
    for token in std::iter::once(1).chain((step..=time).step_by(step).filter(|token| *token > 1)) {
        let x = area.left() + area.width() * (token - 1) as f32 / (time - 1).max(1) as f32;
        ui.painter().text(
            pos2(x, area.bottom() + 1.0),
            Align2::CENTER_TOP,
            token.to_string(),
            plain(10.0),
            palette.mute,
        );
    }
    ui.painter().text(
        pos2(area.right() + 36.0, area.bottom() + 1.0),
        Align2::RIGHT_TOP,
        "t",
        plain(10.0),
        palette.mute,
    );
}
