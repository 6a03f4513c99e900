//! The error against ε: curvature on one side of the best ε, rounding on the other.

use super::settings::exponents;
use super::state::State;
use super::work;
use super::work::Work;
use crate::named::Named;
use crate::theory::layers::curve::{Curve, Point};
use crate::ui::Action;
use crate::ui::kit::chart::frame::{BELOW, Frame, LEFT};
use crate::ui::kit::chart::scale::Tick;
use crate::ui::kit::chart::{marks, scale};
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{
    Align2, Color32, EventFilter, Key, Modifiers, Painter, Pos2, Rect, Role, Sense, Shape, Stroke,
    Ui, WidgetInfo, pos2, vec2,
};

/// Height of the legend.
const LEGEND: f32 = 20.0;
/// Room for an asymptote's words.
const WORDS: f32 = 132.0;
/// A curve: its name, its error.
type Precision = (&'static str, fn(&Point) -> f64);
const PRECISIONS: [Precision; 2] = [
    ("double precision (f64)", |point| point.double),
    ("single precision (f32)", |point| point.single),
];

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, actions: &mut Vec<Action>) {
    let Some(work) = &state.work else { return };
    let subtitle = "size of the weights into the nonlinearity, log scales";
    let exponent = state.settings.exponent;
    let mut save = false;
    let inner = card::show(ui, rect, "Error against ε", subtitle, |ui| {
        save = export::button(ui, "Error against ε")
    });
    if save {
        let title = format!(
            "{}, d = {}: error against ε",
            state.settings.layer.title(),
            state.settings.dim
        );
        actions.push(export::svg(
            ui,
            &format!("gatelens-{}-epsilon.svg", state.settings.layer.key()),
            vec2(720.0, 440.0),
            &mut |ui, rect| {
                let inner = card::show(ui, rect, &title, "", |_| ());
                draw(ui, inner, work, exponent);
            },
        ));
    }
    let Some(frame) = draw(ui, inner, work, exponent) else { return };
    let response =
        ui.interact(inner, ui.scope_id().with("epsilon picture"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, said(work, exponent)));
    if response.clicked() || response.dragged() {
        response.request_focus();
        if let Some(pointer) = response.interact_pointer_pos() {
            state.settings.exponent = exponent_at(&frame, pointer);
        }
    }
    if response.has_focus() {
        ui.memory_mut(|memory| {
            memory.set_focus_lock_filter(
                response.id,
                EventFilter { horizontal_arrows: true, ..EventFilter::default() },
            )
        });
        ui.painter().rect_stroke(
            inner.expand2(vec2(6.0, 0.0)),
            4.0,
            Stroke::new(1.0, Palette::of(ui).accent),
            egui::StrokeKind::Inside,
        );
        for (key, step) in [(Key::ArrowLeft, 1), (Key::ArrowRight, -1)] {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                state.settings.exponent =
                    (exponent + step).clamp(*exponents().start(), *exponents().end());
            }
        }
    }
    let over = response
        .hover_pos()
        .filter(|pointer| frame.rect.contains(*pointer))
        .map(|pointer| exponent_at(&frame, pointer));
    if let Some(point) = over.and_then(|exponent| work.point(exponent)) {
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(format!("ε = {}", format::scientific(point.epsilon)));
            for (name, error) in PRECISIONS {
                ui.label(format!("{name}: {}", format::scientific(error(&point))));
            }
        });
    }
}

/// The picture in words.
fn said(work: &Work, exponent: i32) -> String {
    let Some(point) = work.point(exponent) else {
        return "Error against ε: being measured".into();
    };
    let [double, single] = PRECISIONS.map(|(_, error)| format::scientific(error(&point)));
    let mut text = format!(
        "Error against ε: at {} it is {double} in double precision, {single} in single",
        work::power(-exponent)
    );
    if work.is_whole() {
        let [double, single] =
            work.curve().best().map(|point| work::power(-work::exponent_of(point.epsilon)));
        text += &format!("; best at {double} in double precision, at {single} in single");
    }
    text
}

fn exponent_at(frame: &Frame, pointer: Pos2) -> i32 {
    let part = f64::from((pointer.x - frame.rect.left()) / frame.rect.width().max(1.0));
    let place = frame.x[0] + part * (frame.x[1] - frame.x[0]);
    (-place.round() as i32).clamp(*exponents().start(), *exponents().end())
}

/// Draws the plot without its title; returns where things are, if there is room.
fn draw(ui: &Ui, rect: Rect, work: &Work, exponent: i32) -> Option<Frame> {
    let palette = Palette::of(ui);
    let inner =
        Rect::from_min_max(rect.min + vec2(LEFT, LEGEND + 16.0), rect.max - vec2(8.0, BELOW));
    if inner.width() < 80.0 || inner.height() < 60.0 {
        return None;
    }
    let curve = work.curve();
    let errors = curve
        .points
        .iter()
        .flat_map(|point| PRECISIONS.map(|(_, error)| error(point).log10()))
        .filter(|level| level.is_finite());
    let [low, high] = scale::levels(errors);
    let y = [low - 1.0, high]; // room below the best ε
    let frame = Frame { rect: inner, x: [-f64::from(*exponents().end()) - 0.5, 0.5], y };
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let stride = if inner.width() > 420.0 { 2 } else { 4 };
    let below: Vec<Tick> = exponents()
        .filter(|exponent| exponent % stride == 0)
        .map(|exponent| Tick { place: -f64::from(exponent), text: work::power(-exponent) })
        .rev()
        .collect();
    frame.draw(
        &painter,
        palette,
        [&below, &scale::log_ticks(frame.y, (inner.height() / 26.0) as usize)],
        ["ε", "‖ŷ − y‖ / ‖y‖"],
    );
    legend(
        &painter,
        Rect::from_min_size(rect.min + vec2(LEFT, 0.0), vec2(inner.width(), LEGEND)),
        palette,
    );
    let clip = painter.with_clip_rect(inner.expand(6.0).intersect(painter.clip_rect()));
    if work.is_whole() {
        asymptotes(&clip, &frame, &curve, palette);
    } else {
        painter.text(
            inner.center_bottom() - vec2(0.0, 6.0),
            Align2::CENTER_BOTTOM,
            "measuring…",
            plain(11.0),
            palette.mute,
        );
    }
    clip.vline(
        frame.column(-f64::from(exponent)),
        inner.y_range(),
        Stroke::new(1.2, palette.accent),
    );
    let place = |point: &Point, error: f64| frame.at(point.epsilon.log2(), error.log10());
    for (i, (_, error)) in PRECISIONS.into_iter().enumerate() {
        let color = palette.series(i);
        let seen: Vec<Pos2> = curve
            .points
            .iter()
            .filter(|point| error(point) > 0.0 && error(point).is_finite())
            .map(|point| place(point, error(point)))
            .collect();
        clip.line(seen.clone(), Stroke::new(1.4, color.gamma_multiply(0.7)));
        clip.extend(seen.into_iter().map(|at| marks::filled(i, at, 2.8, color)));
        if let Some(point) = work.point(exponent) {
            clip.add(marks::filled(i, place(&point, error(&point)), 5.0, color));
            clip.circle_stroke(place(&point, error(&point)), 8.0, Stroke::new(1.6, palette.ink));
        }
    }
    if work.is_whole() {
        for (i, point) in curve.best().iter().enumerate() {
            let at = place(point, PRECISIONS[i].1(point));
            note(
                &painter,
                inner,
                at - vec2(0.0, 11.0),
                Align2::CENTER_BOTTOM,
                &format!("best {}", work::power(-work::exponent_of(point.epsilon))),
                palette.series(i),
                palette,
            );
        }
    }
    Some(frame)
}

/// What the error in double precision comes to on either side.
fn asymptotes(painter: &Painter, frame: &Frame, curve: &Curve, palette: &Palette) {
    let Some(both) = curve.asymptotes() else { return };
    let best = curve.best()[0].epsilon.log2();
    let smallest = -f64::from(*exponents().end());
    let texts = [
        "curvature: falls as ε²",
        if both[1].power == -1 { "rounding: grows as 1/ε" } else { "rounding: grows as 1/ε²" },
    ];
    for (asymptote, text, [from, to]) in
        [(both[0], texts[0], [best - 2.0, 0.0]), (both[1], texts[1], [smallest, best + 2.0])]
    {
        let at = |place: f64| frame.at(place, asymptote.at(place.exp2()).log10());
        painter.extend(Shape::dashed_line(
            &[at(from), at(to)],
            Stroke::new(1.3, palette.ink),
            5.0,
            4.0,
        ));
        // Below the line: rising, it leaves the words behind; falling, it comes nearest at their
        // end.
        let rect = frame.rect;
        let words = f64::from(WORDS / rect.width()) * (frame.x[1] - frame.x[0]);
        let corner = if asymptote.power > 0 {
            at((from + 0.62 * (to - from)).min(frame.x[1] - words)) + vec2(8.0, 4.0)
        } else {
            pos2(at(from).x, at(from + words).y + 4.0)
        };
        note(painter, rect, corner, Align2::LEFT_TOP, text, palette.ink, palette);
    }
}

/// Words over lines, kept inside.
fn note(
    painter: &Painter,
    inside: Rect,
    at: Pos2,
    anchor: Align2,
    text: &str,
    color: Color32,
    palette: &Palette,
) {
    let galley = painter.layout_no_wrap(text.into(), plain(11.0), color);
    let rect = anchor.anchor_size(at, galley.size());
    let x = rect.left().clamp(inside.left(), (inside.right() - galley.size().x).max(inside.left()));
    let y = rect.top().clamp(inside.top(), (inside.bottom() - galley.size().y).max(inside.top()));
    let rect = Rect::from_min_size(pos2(x, y), galley.size());
    painter.rect_filled(rect.expand2(vec2(2.0, 0.0)), 2.0, palette.background.gamma_multiply(0.85));
    painter.galley(rect.min, galley, color);
}

fn legend(painter: &Painter, rect: Rect, palette: &Palette) {
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    let mut x = rect.left() + 6.0;
    for (i, (name, _)) in PRECISIONS.into_iter().enumerate() {
        painter.add(marks::filled(i, pos2(x, rect.center().y), 3.4, palette.series(i)));
        let galley = painter.layout_no_wrap(name.into(), plain(11.0), palette.mute);
        let width = galley.size().x;
        painter.galley(
            pos2(x + 9.0, rect.center().y - galley.size().y / 2.0),
            galley,
            palette.mute,
        );
        x += width + 27.0;
    }
}
