//! λ of each neuron over training, coloured by what the neuron is now, and the histogram of now on
//! the same axis.

use crate::analysis::importance::{Importance, Role};
use crate::run::live::Live;
use crate::ui::kit::theme::{Palette, role_name};
use crate::ui::kit::{axes, card, format};
use eframe::egui;
use egui::{Color32, Rect, Stroke, Ui, pos2};
use egui_plot::{GridMark, Line, PlotPoints, PlotTransform};

/// Width of the histogram.
const HISTOGRAM: f32 = 62.0;
/// Bins of the histogram.
const BINS: usize = 20;
/// Points drawn at most, of all neurons together.
const POINTS: usize = 16_000;

/// Draws the card.
pub fn show(ui: &mut Ui, rect: Rect, live: &Live) {
    let rect = card::show(ui, rect, "Memory λ of each neuron", "over training · now", |_| ());
    let Some(weights) = live.weights.as_ref().filter(|_| live.recipe.is_gated()) else {
        return card::waiting(ui, rect, live);
    };
    let palette = Palette::of(ui);
    let steps = axes::steps_shown(live.step, u64::from(live.recipe.steps));
    let importance = &weights.importance;
    let lines = lines(live, importance);
    let vertical = axes::Vertical {
        range: [-0.03, 1.03],
        marks: quarter_marks,
        label: |value| value.to_string(),
    };
    let left = Rect::from_min_max(rect.min, pos2(rect.right() - HISTOGRAM, rect.bottom()));
    let (transform, response) = axes::plot(ui, left, "lambdas", steps, vertical, move |plot| {
        for (role, points) in lines {
            let faint = matches!(role, Role::Between | Role::Unused);
            let color: Color32 = palette.role(role).gamma_multiply(if faint { 0.55 } else { 0.9 });
            plot.line(
                Line::new("", PlotPoints::from(points))
                    .stroke(Stroke::new(1.2, color))
                    .allow_hover(false),
            );
        }
    });
    let frame = *transform.frame();
    histogram(
        ui,
        Rect::from_min_max(
            pos2(rect.right() - HISTOGRAM + 6.0, frame.top()),
            pos2(rect.right(), frame.bottom()),
        ),
        &transform,
        importance,
    );
    hover(ui, live, importance, &transform, response);
}

fn quarter_marks(_: egui_plot::GridInput) -> Vec<GridMark> {
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|value| GridMark { value, step_size: 0.25 }).into()
}

/// A line a neuron, the most telling on top; thinned so that their number stays bounded.
fn lines(live: &Live, importance: &Importance) -> Vec<(Role, Vec<[f64; 2]>)> {
    let (steps, values) = (live.lambdas.steps(), live.lambdas.values());
    let allowed = (POINTS / importance.roles.len().max(1)).max(24);
    let stride = steps.len().div_ceil(allowed).next_power_of_two();
    let kept: Vec<usize> =
        (0..steps.len()).filter(|i| i % stride == 0 || i + 1 == steps.len()).collect();
    let mut lines: Vec<(Role, Vec<[f64; 2]>)> = importance
        .roles
        .iter()
        .enumerate()
        .map(|(neuron, &role)| {
            let at = |&i: &usize| Some([steps[i] as f64, f64::from(*values[i].get(neuron)?)]);
            (role, kept.iter().filter_map(at).filter(|p| p[1].is_finite()).collect())
        })
        .collect();
    lines.sort_by_key(|(role, _)| std::cmp::Reverse(*role));
    lines
}

/// Neurons a bin, stacked by role, beside the curves' own axis.
fn histogram(ui: &mut Ui, rect: Rect, transform: &PlotTransform, importance: &Importance) {
    const ROLES: [Role; 4] = [Role::KeyValue, Role::Query, Role::Between, Role::Unused];
    let palette = Palette::of(ui);
    let mut bins = [[0usize; 4]; BINS];
    for (&lambda, &role) in importance.lambda.iter().zip(&importance.roles) {
        if let Some(place) = ROLES.iter().position(|&r| r == role).filter(|_| lambda.is_finite()) {
            bins[((lambda * BINS as f64) as usize).min(BINS - 1)][place] += 1;
        }
    }
    let largest = bins.iter().map(|bin| bin.iter().sum::<usize>()).max().unwrap_or(0).max(1);
    let response = ui.interact(rect, ui.scope_id().with("histogram"), egui::Sense::hover());
    let y = |value: f64| transform.position_from_point_y(value);
    ui.painter().vline(rect.left(), rect.y_range(), Stroke::new(1.0, palette.line));
    for (i, bin) in bins.iter().enumerate() {
        let (bottom, top) =
            (y(i as f64 / BINS as f64) - 0.5, y((i + 1) as f64 / BINS as f64) + 0.5);
        let mut x = rect.left() + 1.0;
        for (&count, role) in bin.iter().zip(ROLES) {
            let width = count as f32 / largest as f32 * (rect.width() - 4.0);
            ui.painter().rect_filled(
                Rect::from_min_max(pos2(x, top), pos2(x + width, bottom)),
                0.0,
                palette.role(role),
            );
            x += width;
        }
    }
    let Some(pointer) = response.hover_pos() else { return };
    let bin =
        ((transform.value_from_position(pointer).y * BINS as f64).max(0.0) as usize).min(BINS - 1);
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(format!(
            "λ from {:.2} to {:.2}",
            bin as f64 / BINS as f64,
            (bin + 1) as f64 / BINS as f64
        ));
        for (count, role) in bins[bin].iter().zip(ROLES).filter(|(count, _)| **count > 0) {
            ui.colored_label(palette.role(role), format!("{count} {}", role_name(role)));
        }
    });
}

/// Names the neuron whose line is nearest to the pointer.
fn hover(
    ui: &Ui,
    live: &Live,
    importance: &Importance,
    transform: &PlotTransform,
    response: egui::Response,
) {
    let Some(pointer) = response.hover_pos().filter(|pointer| transform.frame().contains(*pointer))
    else {
        return;
    };
    let at = transform.value_from_position(pointer);
    let steps = live.lambdas.steps();
    let moment =
        steps.partition_point(|&step| (step as f64) < at.x).min(steps.len().saturating_sub(1));
    let Some(values) = live.lambdas.values().get(moment) else { return };
    let nearest = (0..values.len()).min_by(|&a, &b| {
        let distance = |i: usize| (f64::from(values[i]) - at.y).abs();
        distance(a).total_cmp(&distance(b))
    });
    let Some((neuron, role)) =
        nearest.and_then(|neuron| Some((neuron, *importance.roles.get(neuron)?)))
    else {
        return;
    };
    let palette = Palette::of(ui);
    let spot = pos2(
        transform.position_from_point_x(steps[moment] as f64),
        transform.position_from_point_y(f64::from(values[neuron])),
    );
    if (spot.y - pointer.y).abs() > 24.0 || !spot.x.is_finite() || !spot.y.is_finite() {
        return;
    }
    ui.painter().circle(spot, 3.5, palette.role(role), Stroke::new(1.0, palette.background));
    response.on_hover_ui_at_pointer(|ui| {
        ui.colored_label(palette.role(role), format!("neuron {neuron}, {}", role_name(role)));
        ui.label(format!(
            "λ = {} at step {}",
            format::lambda(values[neuron]),
            format::thousands(steps[moment])
        ));
        ui.label("h = λ ⊙ h + u: λ = 1 keeps everything, λ = 0 nothing");
    });
}
