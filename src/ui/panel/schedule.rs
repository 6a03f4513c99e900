//! Learning rate and weight decay over training: two small curves under the loss, on its axis.

use crate::backend::cpu::clock;
use crate::graph::dims::{Clock, Curve, Rates};
use crate::run::live::Live;
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, plain};
use eframe::egui;
use egui::{Align2, Color32, Rangef, Rect, Sense, Shape, Stroke, Ui, pos2};

/// Height of both.
pub const HEIGHT: f32 = 34.0;

/// Draws both in `rect`, over the steps 0 to `steps` that span `x`.
pub fn show(ui: &mut Ui, rect: Rect, x: Rangef, steps: f64, live: &Live) {
    let palette = Palette::of(ui);
    let settings = live.recipe.plan().optimizer.clock(0, 0);
    let [rate_at, decay_at] = [0, 1].map(|which| move |step: f64| drawn(&settings, step)[which]);
    let rate_peak = f64::from(settings.peak_rate) * peak(&settings.rate_curve);
    let decay_peak = f64::from(settings.base_decay) * peak(&settings.decay_curve);
    let part = |value: f64, peak: f64| if peak > 0.0 { value / peak } else { 0.0 };
    let half = rect.height() / 2.0;
    let row = |i: f32| {
        Rect::from_min_max(
            pos2(x.min, rect.top() + i * half + 2.0),
            pos2(x.max, rect.top() + (i + 1.0) * half - 2.0),
        )
    };
    name(ui, rect, row(0.0), "rate");
    curve(
        ui,
        row(0.0),
        palette.accent,
        steps,
        |step| part(rate_at(step), rate_peak),
        live.step as f64,
    );
    name(ui, rect, row(1.0), "decay");
    curve(
        ui,
        row(1.0),
        palette.mute,
        steps,
        |step| part(decay_at(step), decay_peak),
        live.step as f64,
    );
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

/// Learning rate and weight decay at a step, as the engine has them; before the first, those of the
/// first.
fn drawn(settings: &Clock, step: f64) -> [f64; 2] {
    let Rates { learning_rate, weight_decay } = clock::rates::<f32>(settings, step.max(1.0) as f32);
    [learning_rate, weight_decay].map(f64::from)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::clock::State;
    use crate::recipe::Recipe;

    #[test]
    fn what_is_drawn_is_what_the_engine_does_at_every_step() {
        for (rate, decay, warmup) in [
            ("0:1,0.4:1,1:0", "0:1,0.12:3.5,0.27:5,0.4:5,0.4:0", 0),
            ("cosine", "linear", 7),
            ("constant", "0:1,0.5:1,0.5:0", 40),
        ] {
            let [rate_schedule, decay_schedule] = [rate, decay].map(|text| text.parse().unwrap());
            let recipe =
                Recipe { steps: 40, warmup, rate_schedule, decay_schedule, ..Recipe::default() };
            let settings = recipe.plan().optimizer.clock(0, 0);
            let mut engine = State::<f32>::new(&settings);
            for step in 1..=40 {
                engine.advance();
                let done = [engine.rate, engine.decay].map(f64::from);
                assert_eq!(drawn(&settings, step.into()), done, "{rate}, {decay}, step {step}");
                let told = clock::rates::<f64>(&settings, step.into());
                let told = [told.learning_rate, told.weight_decay];
                let peaks = [settings.peak_rate, settings.base_decay].map(f64::from);
                let near = |i: usize| (told[i] - done[i]).abs() <= 1e-6 * peaks[i];
                assert!(near(0) && near(1), "{rate}, {decay}, step {step}: {told:?} {done:?}");
            }
        }
    }
}
