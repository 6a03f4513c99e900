//! What each recurrence keeps: λ on the real line or in the complex unit disk, trained over
//! untrained.

use super::shown::Subject;
use crate::analysis::insides::memory::{Memory, Spectrum};
use crate::ui::Action;
use crate::ui::kit::readout::Readout;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Between frames.
#[derive(Clone, Default)]
pub struct State {
    layer: usize,
    readout: Readout,
}

/// Height in a column.
pub const HEIGHT: f32 = 380.0;
/// Room for the sentence below the picture.
const NOTE: f32 = 34.0;
/// A point is hit from this far.
const REACH: f32 = 12.0;

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    shown: &Subject<'_>,
    actions: &mut Vec<Action>,
) {
    let memories = &shown.insides.memories;
    let mut saved = false;
    let subtitle = memories
        .get(state.layer.min(memories.len().saturating_sub(1)))
        .map_or("", |memory| &memory.name);
    let inner = card::show(ui, rect, "Memory", subtitle, |ui| {
        saved = export::button(ui, "Memory");
        super::shown::chooser(
            ui,
            "Layer whose memory is shown",
            &mut state.layer,
            memories.iter().map(|memory| memory.name.as_str()),
        );
    });
    if saved {
        let chosen = state.clone();
        actions.push(export::svg(ui, "insides-memory.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, &mut chosen.clone(), shown, &mut vec![])
        }));
    }
    let Some(memory) = memories.get(state.layer) else {
        return card::quiet(
            ui,
            inner,
            "Attention has no memory of this kind: it keeps all tokens and looks at them again.",
        );
    };
    if inner.width() < 110.0 || inner.height() < 110.0 {
        return;
    }
    let picture = Rect::from_min_max(inner.min + vec2(0.0, 16.0), inner.max - vec2(0.0, NOTE));
    legend(ui, inner, shown, memory);
    match &memory.now {
        Spectrum::Line(now) => line(ui, picture, &mut state.readout, memory, now),
        Spectrum::Disk(now) => disk(ui, picture, &mut state.readout, memory, now),
    }
    card::note(
        ui,
        Rect::from_min_max(pos2(inner.left(), inner.bottom() - NOTE + 4.0), inner.max),
        &memory.about,
    );
}

/// What the two marks mean.
fn legend(ui: &Ui, inner: Rect, shown: &Subject<'_>, memory: &Memory) {
    let palette = Palette::of(ui);
    let entry = |at: Pos2, filled: bool, text: &str| {
        mark(ui, at + vec2(4.0, 0.0), filled, 3.2);
        ui.painter()
            .text(at + vec2(12.0, 0.0), Align2::LEFT_CENTER, text, plain(11.0), palette.mute)
            .right()
    };
    let now = shown.step.map_or_else(
        || "this network".into(),
        |step| format!("at step {}", format::thousands(step)),
    );
    let right = entry(inner.left_top() + vec2(0.0, 7.0), true, &now);
    if let Some(seed) = shown.insides.seed.filter(|_| memory.initial.is_some()) {
        entry(
            pos2(right + 14.0, inner.top() + 7.0),
            false,
            &format!("untrained, as seed {seed} starts"),
        );
    }
}

/// A filled dot is the network's, a ring the untrained one's.
fn mark(ui: &Ui, at: Pos2, filled: bool, radius: f32) {
    let palette = Palette::of(ui);
    ui.painter().add(if filled {
        Shape::circle_filled(at, radius, palette.accent)
    } else {
        Shape::circle_stroke(at, radius, Stroke::new(1.1, palette.query))
    });
}

/// A row per neuron, the longest memory on top.
fn line(ui: &mut Ui, rect: Rect, readout: &mut Readout, memory: &Memory, now: &[[f64; 3]]) {
    let palette = Palette::of(ui);
    let frame = Rect::from_min_max(rect.min + vec2(18.0, 4.0), rect.max - vec2(8.0, 28.0));
    let x = |value: f64| frame.left() + frame.width() * format::narrow(value.clamp(0.0, 1.0));
    let mut order: Vec<usize> = (0..now.len()).collect();
    order.sort_by(|&a, &b| now[b][1].total_cmp(&now[a][1]));
    let height = (frame.height() / order.len().max(1) as f32).min(18.0);
    let y = |row: usize| frame.top() + (row as f32 + 0.5) * height;
    for (value, label) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        ui.painter().vline(x(value), frame.y_range(), Stroke::new(1.0, palette.line));
        ui.painter().text(
            pos2(x(value), frame.bottom() + 1.0),
            Align2::CENTER_TOP,
            label,
            plain(10.5),
            palette.mute,
        );
    }
    let below = frame.bottom() + 14.0;
    ui.painter().text(
        pos2(frame.left(), below),
        Align2::LEFT_TOP,
        "forgets at once",
        plain(10.5),
        palette.mute,
    );
    ui.painter().text(
        pos2(frame.right(), below),
        Align2::RIGHT_TOP,
        "keeps everything",
        plain(10.5),
        palette.mute,
    );
    card::upright(
        ui,
        pos2(rect.left(), frame.center().y),
        &format!("{} numbers, sorted", order.len()),
    );
    let radius = (height * 0.42).clamp(1.2, 3.6);
    let initial =
        if let Some(Spectrum::Line(initial)) = &memory.initial { &initial[..] } else { &[] };
    for (row, &neuron) in order.iter().enumerate() {
        if let Some([_, mean, _]) = initial.get(neuron).filter(|range| range[1].is_finite()) {
            mark(ui, pos2(x(*mean), y(row)), false, radius);
        }
        let [least, mean, most] = now[neuron];
        if !mean.is_finite() {
            continue;
        }
        if most - least > 1e-6 {
            ui.painter().hline(
                x(least)..=x(most),
                y(row),
                Stroke::new((height * 0.3).clamp(0.5, 2.0), palette.accent.gamma_multiply(0.45)),
            );
        }
        mark(ui, pos2(x(mean), y(row)), true, radius);
    }
    let places: Vec<Pos2> =
        order.iter().enumerate().map(|(row, &neuron)| pos2(x(now[neuron][1]), y(row))).collect();
    let nearest = |pointer: Pos2| {
        let row = ((pointer.y - frame.top()) / height).max(0.0) as usize;
        (frame.expand(6.0).contains(pointer) && row < order.len()).then_some(row)
    };
    explain(ui, rect, readout, &places, nearest, |ui, row| {
        let neuron = order[row];
        let text = |[least, mean, most]: [f64; 3]| {
            let mean = format::lambda(mean);
            if most - least > 1e-6 {
                format!(
                    "{mean} on average, from {} to {} over the sequence",
                    format::lambda(least),
                    format::lambda(most)
                )
            } else {
                mean
            }
        };
        ui.label(format!("number {}: {}", neuron + 1, text(now[neuron])));
        if let Some(before) = initial.get(neuron) {
            ui.label(format!("untrained: {}", text(*before)));
        }
    });
}

/// The complex plane around the unit circle.
fn disk(ui: &mut Ui, rect: Rect, readout: &mut Readout, memory: &Memory, now: &[[f64; 2]]) {
    let palette = Palette::of(ui);
    let initial =
        if let Some(Spectrum::Disk(initial)) = &memory.initial { &initial[..] } else { &[] };
    let largest = now
        .iter()
        .chain(initial)
        .map(|[re, im]| re.hypot(*im))
        .filter(|size| size.is_finite())
        .fold(1.0, f64::max);
    let half = (rect.width().min(rect.height()) / 2.0 - 14.0).max(10.0);
    let radius = half / format::narrow(largest);
    let center = rect.center();
    let place =
        |[re, im]: [f64; 2]| center + vec2(format::narrow(re), -format::narrow(im)) * radius;
    let painter = ui.painter();
    painter.circle(
        center,
        radius,
        palette.panel,
        Stroke::new(1.2, palette.mute.gamma_multiply(0.7)),
    );
    painter.circle_stroke(center, radius / 2.0, Stroke::new(1.0, palette.line));
    painter.hline(center.x - half..=center.x + half, center.y, Stroke::new(1.0, palette.line));
    painter.vline(center.x, center.y - half..=center.y + half, Stroke::new(1.0, palette.line));
    let text =
        |at: Pos2, align, text: &str| painter.text(at, align, text, plain(10.5), palette.mute);
    text(center + vec2(radius + 3.0, -2.0), Align2::LEFT_BOTTOM, "1");
    text(center - vec2(radius + 3.0, 2.0), Align2::RIGHT_BOTTOM, "−1");
    text(center + vec2(3.0, -radius - 1.0), Align2::LEFT_BOTTOM, "i");
    text(center + vec2(3.0, radius + 1.0), Align2::LEFT_TOP, "−i");
    if rect.width() > 2.0 * half + 90.0 {
        text(pos2(center.x + radius + 16.0, center.y), Align2::LEFT_CENTER, "Re λ");
        text(pos2(center.x + 14.0, center.y - radius - 1.0), Align2::LEFT_BOTTOM, "Im λ");
        text(
            pos2(center.x - radius * 0.72 - 4.0, center.y - radius * 0.72),
            Align2::RIGHT_BOTTOM,
            "|λ| = 1",
        );
    }
    let finite = |values: &[[f64; 2]]| {
        values
            .iter()
            .copied()
            .filter(|value| value.iter().all(|v| v.is_finite()))
            .collect::<Vec<_>>()
    };
    finite(initial).into_iter().for_each(|value| mark(ui, place(value), false, 3.2));
    finite(now).into_iter().for_each(|value| mark(ui, place(value), true, 3.2));
    let places: Vec<Pos2> = now.iter().map(|value| place(*value)).collect();
    let nearest = |pointer: Pos2| {
        (0..places.len())
            .min_by(|&a, &b| places[a].distance(pointer).total_cmp(&places[b].distance(pointer)))
            .filter(|&i| places[i].distance(pointer) < REACH)
    };
    explain(ui, rect, readout, &places, nearest, |ui, i| {
        let said = |[re, im]: [f64; 2]| {
            format!(
                "{} {} {} i, |λ| = {}, turns by {}° a token",
                format::signed(re),
                if im < 0.0 { "−" } else { "+" },
                format::signed(im.abs()),
                format::lambda(re.hypot(im)),
                format::fixed(im.atan2(re).to_degrees(), 1)
            )
        };
        ui.label(format!("number {}: λ = {}", i + 1, said(now[i])));
        // Eigenvalues of a matrix are in no order: which was which is not known.
        if let Some(before) = initial.get(i).filter(|_| memory.name.starts_with('λ')) {
            ui.label(format!("untrained: λ = {}", said(*before)));
        }
    });
}

/// Reads off a point: under the pointer, or chosen by a click or the arrows.
fn explain(
    ui: &mut Ui,
    rect: Rect,
    readout: &mut Readout,
    places: &[Pos2],
    nearest: impl Fn(Pos2) -> Option<usize>,
    content: impl FnOnce(&mut Ui, usize),
) {
    let response = ui.interact(rect, ui.scope_id().with("memory"), Sense::click());
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Image, true, format!("Memory of {} numbers", places.len()))
    });
    let hit = response.hover_pos().and_then(nearest).map(|i| [i, 0]);
    let chosen = readout.choose(ui, &response, [places.len(), 1], hit);
    let Some(at) = places
        .get(if chosen { readout.cell[0] } else { hit.map_or(0, |hit| hit[0]) })
        .filter(|at| at.is_finite())
    else {
        return;
    };
    readout.explain(
        ui,
        response,
        chosen,
        hit,
        Rect::from_center_size(*at, vec2(11.0, 11.0)),
        |ui, [i, _]| content(ui, i),
    );
}
