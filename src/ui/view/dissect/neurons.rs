//! Importance of each neuron against its λ, of each gate beside them, and the threshold: a line to
//! be dragged.

use super::answer::Answer;
use super::export;
use crate::analysis::dissection::Settings;
use crate::analysis::importance::Role;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain, role_name, strong};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{
    Align2, CursorIcon, EventFilter, Key, Modifiers, Rect, RichText, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

/// Between frames.
#[derive(Default)]
pub struct State {
    /// The threshold under the pointer, and when it was last asked about.
    dragged: Option<(f64, f64)>,
}

/// While the line is dragged, questions come at most this often.
const ASK_SECS: f64 = 0.12;
/// The least threshold.
const LEAST: f64 = 1e-6;
/// A key moves the threshold by this part of a decade.
const KEY: f64 = 0.1;

/// Where values stand.
struct Axes {
    /// Of the neurons; the gates have a lane of their own right of it.
    frame: Rect,
    lane: Rect,
    /// log10 of the least importance shown; smaller ones lie on it.
    floor: f64,
}

impl Axes {
    fn new(rect: Rect, threshold: f64, gates: bool) -> Self {
        let lane = if gates { 30.0 } else { 0.0 };
        let frame = Rect::from_min_max(
            rect.min + vec2(34.0, 8.0),
            pos2(rect.right() - lane - 8.0, rect.bottom() - 20.0),
        );
        let lane = Rect::from_min_max(
            pos2(frame.right() + 8.0, frame.top()),
            pos2(rect.right(), frame.bottom()),
        );
        Self { frame, lane, floor: if threshold < 2e-4 { -6.0 } else { -4.0 } }
    }

    fn x(&self, lambda: f64) -> f32 {
        self.frame.left() + 8.0 + (self.frame.width() - 16.0) * lambda.clamp(0.0, 1.0) as f32
    }

    fn y(&self, importance: f64) -> f32 {
        let log =
            if importance > 0.0 { importance.log10().clamp(self.floor, 0.0) } else { self.floor };
        self.frame.top() + self.frame.height() * (log / self.floor) as f32
    }

    fn importance(&self, y: f32) -> f64 {
        let part = f64::from((y - self.frame.top()) / self.frame.height().max(1.0));
        10f64.powf(part.clamp(0.0, 1.0) * self.floor)
    }
}

/// Two digits that matter: what is shown is what is asked.
fn rounded(threshold: f64) -> f64 {
    format!("{threshold:.1e}").parse().unwrap_or(threshold).clamp(LEAST, 1.0)
}

/// The next threshold up or down.
fn stepped(threshold: f64, up: bool) -> f64 {
    let place = (threshold.max(LEAST).log10() / KEY).round() + if up { 1.0 } else { -1.0 };
    rounded(10f64.powf(place * KEY).clamp(LEAST, 1.0))
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let mut saved = false;
    let inner = card::show(ui, rect, "Which neurons matter", "drag the line", |ui| {
        saved = export::button(ui, "Which neurons matter")
    });
    if saved {
        actions.push(export::svg(ui, "dissect-neurons.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, &mut State::default(), answer, &mut vec![])
        }));
    }
    if inner.width() < 90.0 || inner.height() < 90.0 {
        return;
    }
    let importance = &answer.dissection.importance;
    let threshold = state.dragged.map_or(answer.settings.threshold, |(threshold, _)| threshold);
    let axes = Axes::new(inner, threshold, !importance.gates.is_empty());
    grid(ui, &axes, inner);
    if !importance.hidden.iter().any(|&value| value > 0.0) {
        card::empty(ui, axes.frame, "no neuron has any weight");
    }
    points(ui, &axes, answer, threshold);
    line(ui, &axes, state, answer, threshold, actions);
}

fn grid(ui: &Ui, axes: &Axes, rect: Rect) {
    let palette = Palette::of(ui);
    let text =
        |at, align, text: &str| ui.painter().text(at, align, text, plain(10.5), palette.mute);
    for decade in 0..=(-axes.floor) as i32 {
        let y = axes.y(10f64.powi(-decade));
        ui.painter().hline(
            axes.frame.left()..=axes.lane.right().max(axes.frame.right()),
            y,
            Stroke::new(1.0, palette.line),
        );
        let last = f64::from(-decade) <= axes.floor;
        let label = match decade {
            0 => "1".to_owned(),
            _ if last => format!("≤ 1e−{decade}"),
            _ => format!("1e−{decade}"),
        };
        text(pos2(axes.frame.left() - 4.0, y), Align2::RIGHT_CENTER, &label);
    }
    let below = axes.frame.bottom() + 5.0;
    text(pos2(axes.x(0.0), below), Align2::CENTER_TOP, "λ 0");
    text(pos2(axes.x(0.5), below), Align2::CENTER_TOP, "0.5");
    text(pos2(axes.x(1.0), below), Align2::CENTER_TOP, "1");
    if axes.lane.width() > 10.0 {
        text(pos2(rect.right(), below), Align2::RIGHT_TOP, "gates");
    }
}

/// The neurons as discs, the gates as bars; what the threshold takes away is hollow.
fn points(ui: &mut Ui, axes: &Axes, answer: &Answer<'_>, threshold: f64) {
    let palette = Palette::of(ui);
    let importance = &answer.dissection.importance;
    let hover =
        ui.interact(axes.frame.union(axes.lane), ui.scope_id().with("neurons"), Sense::hover());
    let name = format!("{} neurons by λ and importance", importance.lambda.len());
    hover.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &name));
    let pointer = hover.hover_pos();
    let mut nearest: Option<(f32, usize)> = None;
    let mut shapes = vec![];
    for (i, (&lambda, &value)) in importance.lambda.iter().zip(&importance.hidden).enumerate() {
        if !(lambda.is_finite() && value.is_finite()) {
            continue;
        }
        let at = pos2(axes.x(lambda), axes.y(value));
        shapes.push(if value <= threshold {
            Shape::circle_stroke(at, 3.0, Stroke::new(1.3, palette.unused))
        } else {
            Shape::circle_filled(at, 3.8, palette.role(role(lambda)).gamma_multiply(0.85))
        });
        let distance = pointer.map_or(f32::INFINITY, |pointer| at.distance(pointer));
        if distance < nearest.map_or(14.0, |(best, _)| best) {
            nearest = Some((distance, i));
        }
    }
    for value in importance.gates.iter().filter(|value| value.is_finite()) {
        let color = if *value <= threshold { palette.unused } else { palette.ink };
        let y = axes.y(*value);
        shapes.push(Shape::hline(
            axes.lane.left() + 6.0..=axes.lane.right() - 4.0,
            y,
            Stroke::new(1.3, color.gamma_multiply(0.75)),
        ));
    }
    ui.painter().extend(shapes);
    let Some((_, i)) = nearest else { return };
    let (lambda, value) = (importance.lambda[i], importance.hidden[i]);
    let kind = if value <= threshold { Role::Unused } else { role(lambda) };
    ui.painter().circle_stroke(
        pos2(axes.x(lambda), axes.y(value)),
        5.5,
        Stroke::new(1.5, palette.accent),
    );
    hover.on_hover_ui_at_pointer(|ui| {
        ui.label(
            RichText::new(format!("neuron {i}, {}", role_name(kind)))
                .font(strong(12.5))
                .color(palette.role(kind)),
        );
        ui.label(format!("λ = {}", format::lambda(lambda)));
        ui.label(format!("importance = {} of the largest", format::scientific(value)));
    });
}

fn role(lambda: f64) -> Role {
    match lambda {
        l if l > 0.9 => Role::KeyValue,
        l if l < 0.1 => Role::Query,
        _ => Role::Between,
    }
}

/// The threshold: dragged, or moved by the arrow keys when it has the keyboard.
fn line(
    ui: &mut Ui,
    axes: &Axes,
    state: &mut State,
    answer: &Answer<'_>,
    threshold: f64,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let right = axes.lane.right().max(axes.frame.right());
    let y = axes.y(threshold);
    let grip = Rect::from_min_max(pos2(axes.frame.left() - 30.0, y - 7.0), pos2(right, y + 7.0));
    let response = ui
        .interact(grip, ui.scope_id().with("threshold"), Sense::click_and_drag())
        .on_hover_cursor(CursorIcon::ResizeVertical);
    response.widget_info(|| WidgetInfo::slider(true, threshold, "Threshold"));
    let ask = |threshold: f64| Action::Inspect(Settings { threshold, ..answer.settings.clone() });
    let now = ui.input(|input| input.time);
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        let wanted = rounded(axes.importance(pointer.y));
        let asked = state.dragged.map_or(f64::NEG_INFINITY, |(_, at)| at);
        let due = wanted.to_bits() != threshold.to_bits() && now - asked >= ASK_SECS;
        if due {
            actions.push(ask(wanted));
        }
        state.dragged = Some((wanted, if due { now } else { asked }));
    } else if let Some((wanted, _)) = state.dragged.take() {
        actions.push(ask(wanted));
    }
    if response.clicked() {
        response.request_focus();
    }
    if response.has_focus() {
        let arrows = EventFilter { vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
        for (key, up) in [(Key::ArrowUp, true), (Key::ArrowDown, false)] {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                actions.push(ask(stepped(threshold, up)));
            }
        }
    }
    let lively = response.hovered() || response.dragged() || response.has_focus();
    let stroke = Stroke::new(if lively { 2.0 } else { 1.4 }, palette.accent);
    ui.painter().extend(Shape::dashed_line(
        &[pos2(axes.frame.left(), y), pos2(right, y)],
        stroke,
        5.0,
        3.0,
    ));
    let above = y - axes.frame.top() > 16.0;
    let (at, align) = if above {
        (pos2(axes.frame.center().x, y - 2.0), Align2::CENTER_BOTTOM)
    } else {
        (pos2(axes.frame.center().x, y + 2.0), Align2::CENTER_TOP)
    };
    let text = format!("threshold {threshold}");
    let back = ui.painter().layout_no_wrap(text.clone(), strong(11.0), palette.accent).size();
    ui.painter().rect_filled(
        align.anchor_size(at, back + vec2(6.0, 0.0)),
        3.0,
        palette.background.gamma_multiply(0.85),
    );
    ui.painter().text(at, align, text, strong(11.0), palette.accent);
    if response.has_focus() {
        ui.painter().rect_stroke(
            grip,
            4.0,
            Stroke::new(1.5, palette.accent),
            egui::StrokeKind::Inside,
        );
    }
    if !response.dragged() {
        response.on_hover_text(
            "Neurons and gates below this part of the most important one are pruned. Drag it, or use ↑ and ↓.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_up_and_down_the_same_steps() {
        let mut threshold = 0.01;
        for expected in [0.013, 0.016, 0.02, 0.025, 0.032] {
            threshold = stepped(threshold, true);
            assert!((threshold - expected).abs() < 1e-12, "{threshold} for {expected}");
        }
        for _ in 0..5 {
            threshold = stepped(threshold, false);
        }
        assert!(
            (threshold - 0.01).abs() < 1e-12
                && stepped(1.0, true) == 1.0
                && stepped(LEAST, false) <= LEAST * 1.001
        );
    }

    #[test]
    fn axes_go_there_and_back() {
        let axes = Axes::new(Rect::from_min_size(pos2(0.0, 0.0), vec2(200.0, 300.0)), 0.01, true);
        for value in [1.0, 0.03, 1e-4] {
            assert!((axes.importance(axes.y(value)) / value - 1.0).abs() < 1e-4, "{value}");
        }
        assert!(axes.y(0.0) == axes.y(1e-9) && axes.y(f64::NAN) == axes.frame.bottom());
    }
}
