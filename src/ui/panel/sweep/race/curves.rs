//! The curves of a comparison, one over the other: each layer at the best of its learning rates,
//! the median of its seeds bold.

use super::bundles::Curves;
use crate::sweep::queue::Queue;
use crate::ui::Action;
use crate::ui::kit::chart::frame::{BELOW, Frame, LEFT};
use crate::ui::kit::chart::scale::Tick;
use crate::ui::kit::chart::{marks, scale};
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use crate::ui::panel::sweep::state::{Derived, State};
use crate::ui::panel::sweep::{card as run_card, picture};
use eframe::egui;
use egui::{Align2, PointerButton, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, vec2};

/// How near the pointer must be to a curve.
const NEAR: f32 = 10.0;

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    shown: &Derived,
    queue: &Queue,
    actions: &mut Vec<Action>,
) {
    let curves = &shown.curves;
    let subtitle = format!("{}, log scale", curves.measure.name());
    let mut save = false;
    let inner =
        card::show(ui, rect, "Training", &subtitle, |ui| save = export::button(ui, "Training"));
    if save {
        actions.push(export::svg(ui, "curves.svg", vec2(880.0, 500.0), &mut |ui, rect| {
            let inner = card::show(ui, rect, &queue.sweep.title, &subtitle, |_| ());
            draw(ui, inner, curves, shown, None);
        }));
    }
    let Some(frame) = draw(ui, inner, curves, shown, state.selected) else { return };
    let response = ui.interact(inner, ui.scope_id().with("race curves"), Sense::click());
    let over = response.hover_pos().and_then(|pointer| nearest(curves, &frame, pointer));
    if response.clicked_by(PointerButton::Primary) {
        state.select(over.map(|(run, ..)| run).filter(|run| state.selected != Some(*run)));
    }
    if response.has_focus() {
        picture::keys(ui, &response, state, &shown.picture);
    }
    let said = state.selected.map_or_else(
        || "No run is chosen".into(),
        |run| run_card::sentence(queue, run, curves.measure),
    );
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Image,
            true,
            format!("Training curves of {} layers. {said}", curves.bundles.len()),
        )
    });
    if let Some((run, step, level)) = over {
        ui.painter().circle_stroke(
            frame.at(step, level),
            5.0,
            Stroke::new(1.6, Palette::of(ui).ink),
        );
        response.on_hover_text_at_pointer(format!(
            "{}\n{} {} at step {}",
            queue.runs()[run].name,
            curves.measure.name(),
            format::scientific(10f64.powf(level)),
            format::thousands(step as u64)
        ));
    }
}

/// The run, and its point, that is nearest to the pointer.
fn nearest(curves: &Curves, frame: &Frame, pointer: Pos2) -> Option<(usize, f64, f64)> {
    let all = curves
        .bundles
        .iter()
        .flat_map(|bundle| &bundle.runs)
        .flat_map(|(run, points)| points.iter().map(|point| (*run, point[0], point[1])));
    let apart = |point: &(usize, f64, f64)| frame.at(point.1, point.2).distance(pointer);
    all.min_by(|a, b| apart(a).total_cmp(&apart(b))).filter(|point| apart(point) <= NEAR)
}

/// Draws the plot without its title; returns where things are, if there is room.
fn draw(
    ui: &Ui,
    rect: Rect,
    curves: &Curves,
    shown: &Derived,
    selected: Option<usize>,
) -> Option<Frame> {
    let palette = Palette::of(ui);
    let legend_height = picture::legend_height(ui.painter(), rect.width(), &shown.picture, palette);
    let inner = Rect::from_min_max(
        rect.min + vec2(LEFT, legend_height + 18.0),
        rect.max - vec2(12.0, BELOW),
    );
    if inner.width() < 60.0 || inner.height() < 50.0 {
        return None;
    }
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let frame = Frame { rect: inner, x: [0.0, curves.steps as f64], y: curves.levels };
    let step_ticks: Vec<Tick> = scale::linear_ticks(frame.x, (inner.width() / 70.0) as usize)
        .into_iter()
        .map(|tick| Tick { text: format::short(tick.place), ..tick })
        .collect();
    let level_ticks = scale::log_ticks(curves.levels, (inner.height() / 26.0) as usize);
    frame.draw(&painter, palette, [&step_ticks, &level_ticks], ["Step", curves.measure.name()]);
    picture::legend(
        &painter,
        Rect::from_min_size(rect.min, vec2(rect.width(), legend_height)),
        &shown.picture,
        palette,
    );
    picture::gradient_step(&painter, &frame, &shown.picture, palette);
    let line = |points: &[[f64; 2]], stroke: Stroke| {
        Shape::line(points.iter().map(|point| frame.at(point[0], point[1])).collect(), stroke)
    };
    for bundle in &curves.bundles {
        let color = palette.series(bundle.series);
        for (run, points) in &bundle.runs {
            let stroke = if selected == Some(*run) {
                Stroke::new(2.4, palette.ink)
            } else {
                Stroke::new(1.0, color.gamma_multiply(0.45))
            };
            painter.add(line(points, stroke));
        }
        if palette.is_again(bundle.series) {
            let places: Vec<Pos2> =
                bundle.median.iter().map(|point| frame.at(point[0], point[1])).collect();
            painter.extend(Shape::dashed_line(&places, Stroke::new(2.0, color), 6.0, 3.0));
        } else {
            painter.add(line(&bundle.median, Stroke::new(2.0, color)));
        }
        if let Some(last) = bundle.median.last() {
            painter.add(marks::filled(bundle.series, frame.at(last[0], last[1]), 3.6, color));
        }
    }
    if curves.bundles.is_empty() {
        painter.text(
            inner.center(),
            Align2::CENTER_CENTER,
            "the curves come with the first steps",
            plain(12.5),
            palette.mute,
        );
    }
    Some(frame)
}
