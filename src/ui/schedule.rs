//! Learning rate and weight decay over training: two small curves under the loss, on its axis.

use super::format;
use super::theme::{Palette, plain};
use crate::backend::cpu::clock;
use crate::graph::dims::Curve;
use crate::run::live::Live;
use eframe::egui;
use egui::{Align2, Color32, Rangef, Rect, Sense, Shape, Stroke, Ui, pos2};

/// Height of both.
pub const HEIGHT: f32 = 34.0;

/// Draws both in `rect`, over the steps 0 to `steps` that span `x`.
pub fn show(ui: &mut Ui, rect: Rect, x: Rangef, steps: f64, live: &Live) {
    let palette = Palette::of(ui);
    let plan = live.recipe.plan().optimizer;
    let (rate, decay) =
        (plan.rate_schedule.curve(plan.steps, |v| v), plan.decay_schedule.curve(plan.steps, |v| v));
    let warmup = f64::from(plan.warmup);
    let at = |curve: &Curve, step: f64| f64::from(clock::at::<f32>(curve, step as f32));
    let warm = |step: f64| if step < warmup { step / warmup } else { 1.0 };
    let rate_at = |step: f64| f64::from(plan.learning_rate) * at(&rate, step) * warm(step);
    let decay_at = |step: f64| f64::from(plan.weight_decay) * at(&decay, step);
    let half = rect.height() / 2.0;
    let row = |i: f32| {
        Rect::from_min_max(
            pos2(x.min, rect.top() + i * half + 2.0),
            pos2(x.max, rect.top() + (i + 1.0) * half - 2.0),
        )
    };
    let part = |curve: &Curve, step: f64| {
        if peak(curve) > 0.0 { at(curve, step) / peak(curve) } else { 0.0 }
    };
    name(ui, rect, row(0.0), "rate");
    curve(
        ui,
        row(0.0),
        palette.accent,
        steps,
        |step| part(&rate, step) * warm(step),
        live.step as f64,
    );
    name(ui, rect, row(1.0), "decay");
    curve(ui, row(1.0), palette.mute, steps, |step| part(&decay, step), live.step as f64);
    let response = ui.interact(
        Rect::from_x_y_ranges(x, rect.y_range()),
        ui.scope_id().with("schedule"),
        Sense::hover(),
    );
    if let Some(pointer) = response.hover_pos().filter(|_| x.span() > 0.0) {
        let step = (f64::from((pointer.x - x.min) / x.span()) * steps).round();
        ui.painter().vline(
            pointer.x,
            rect.y_range(),
            Stroke::new(1.0, palette.mute.gamma_multiply(0.5)),
        );
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(format!("step {}", format::thousands(step as u64)));
            ui.label(format!("learning rate {}", format::scientific(rate_at(step))));
            ui.label(format!("weight decay {:.3}", decay_at(step)));
        });
    }
}

/// What the row is, left of it, and its base line.
fn name(ui: &Ui, rect: Rect, row: Rect, text: &str) {
    let palette = Palette::of(ui);
    ui.painter().text(
        pos2(rect.left(), row.center().y),
        Align2::LEFT_CENTER,
        text,
        plain(10.5),
        palette.mute,
    );
    ui.painter().hline(row.x_range(), row.bottom(), Stroke::new(1.0, palette.line));
}

/// The curve's largest knot.
fn peak(curve: &Curve) -> f64 {
    curve.value.iter().take(curve.count as usize).copied().map(f64::from).fold(0.0, f64::max)
}

/// `value` in 0..=1 over `steps`; the part that is done stands out.
fn curve(ui: &Ui, row: Rect, color: Color32, steps: f64, value: impl Fn(f64) -> f64, now: f64) {
    let point = |step: f64| {
        let height = value(step).clamp(0.0, 1.0) as f32;
        pos2(row.left() + (step / steps) as f32 * row.width(), row.bottom() - height * row.height())
    };
    let samples = (row.width() / 2.0).clamp(2.0, 400.0) as usize;
    let points: Vec<_> = (0..=samples)
        .map(|i| point(steps * i as f64 / samples as f64))
        .filter(|p| p.x.is_finite() && p.y.is_finite())
        .collect();
    ui.painter().add(Shape::line(points, Stroke::new(1.3, color.gamma_multiply(0.75))));
    let here = point(now.min(steps));
    if here.x.is_finite() && here.y.is_finite() {
        ui.painter().circle_filled(here, 2.5, color);
    }
}
