//! "Is it attention?": the probe's answer, the numbers that it rests on as bars, and the same in
//! sentences.

use super::shown::Subject;
use crate::analysis::content::Content;
use crate::analysis::insides::Probing;
use crate::analysis::probe::Probe;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Color32, Label, Rect, RichText, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

/// Height in a column.
pub const HEIGHT: f32 = 560.0;
/// From this width on numbers and sentences stand beside each other.
const WIDE: f32 = 500.0;
/// Height of a row.
const ROW: f32 = 21.0;
/// Degrees 0 to 4, of which attention has one.
const ATTENTION_DEGREE: usize = 3;

pub fn show(ui: &mut Ui, rect: Rect, shown: &Subject<'_>, actions: &mut Vec<Action>) {
    let mut saved = false;
    let measured = match &shown.insides.probe {
        Probing::Done { step: Some(step), .. } if shown.step != Some(*step) => {
            format!("measured at step {}", format::thousands(*step))
        }
        _ => String::new(),
    };
    let inner = card::show(ui, rect, "Is it attention?", &measured, |ui| {
        saved = export::button(ui, "Is it attention?")
    });
    if saved {
        actions.push(export::svg(ui, "insides-attention.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, shown, &mut vec![])
        }));
    }
    if inner.width() < 120.0 || inner.height() < 80.0 {
        return;
    }
    let probe = match &shown.insides.probe {
        Probing::Done { probe, .. } => probe,
        Probing::Pending => {
            return card::quiet(
                ui,
                inner,
                "Comparing its answers, states and polynomial with attention's…",
            );
        }
        Probing::Impossible(reason) => return card::quiet(ui, inner, reason),
    };
    let ui = &mut card::inside(ui, "is it attention", inner);
    let headline = Rect::from_min_size(inner.min, vec2(inner.width(), 24.0));
    let color = if probe.is_subject() { Palette::of(ui).teacher } else { Palette::of(ui).ink };
    let mut text = ui.new_child(egui::UiBuilder::new().id_salt("headline").max_rect(headline));
    text.add(Label::new(RichText::new(probe.headline()).font(strong(15.0)).color(color)).wrap());
    let top = text.min_rect().bottom().max(headline.top() + 20.0) + 6.0;
    let left = Rect::from_min_max(
        pos2(inner.left(), top),
        pos2(
            if inner.width() >= WIDE { inner.left() + inner.width() * 0.54 } else { inner.right() },
            inner.bottom(),
        ),
    );
    let bottom = numbers(ui, left, probe);
    let right = if inner.width() >= WIDE {
        Rect::from_min_max(pos2(left.right() + 18.0, top), inner.max)
    } else {
        Rect::from_min_max(pos2(inner.left(), bottom + 8.0), inner.max)
    };
    if right.height() < 30.0 {
        return;
    }
    let mut words = card::inside(ui, "words", right);
    ScrollArea::vertical().auto_shrink(false).show(&mut words, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        for sentence in probe.sentences().iter().skip(1) {
            ui.add(
                Label::new(
                    RichText::new(format::sentence(sentence))
                        .size(12.0)
                        .color(Palette::of(ui).mute),
                )
                .wrap(),
            );
        }
    });
}

/// All figures; returns where they end.
fn numbers(ui: &mut Ui, rect: Rect, probe: &Probe) -> f32 {
    let palette = Palette::of(ui);
    let decoded = probe.decoded.as_ref();
    let one = if probe.one_counts { probe.one.distance } else { None };
    let rows: [(&str, Option<f64>, Color32, &str); 7] = [
        (
            "answers differ by",
            probe.error,
            palette.ink,
            "‖ŷ − y‖ / ‖y‖ on fresh sequences, of attention always 32 tokens long, whatever length it was trained on. 0: the same answers.",
        ),
        (
            "key–values not in its state",
            decoded.and_then(|d| d.key_value),
            palette.key_value,
            "1 − R²: how much of the key–value matrix Σ v kᵀ no linear map reads off the states, on tokens that it was not fitted on. 0: all of it is there.",
        ),
        (
            "query not in its state",
            decoded.and_then(|d| d.query),
            palette.query,
            "1 − R²: how much of the query no linear map reads off the states. 0: all of it is there.",
        ),
        (
            "query not in its gates",
            decoded.and_then(|d| d.query_in_gates),
            palette.query,
            "The same read off the gates that see the token: a layer whose gates hold the query need not carry it in its state. 0: all of it is there.",
        ),
        (
            "one token: polynomial off by",
            one,
            palette.ink,
            "Coefficients of its answers to one token against attention's, relative. 0: the same polynomial.",
        ),
        (
            "two tokens: polynomial off by",
            probe.two.distance,
            palette.ink,
            "The same with an earlier token, one step before. 0: the same polynomial.",
        ),
        (
            "two tokens: no polynomial",
            probe.two.unexplained,
            palette.ink,
            "Variance of its answers that no polynomial of degree up to 4 explains. 0: it is such a polynomial.",
        ),
    ];
    let mut top = rect.top();
    let head = |ui: &Ui, at: egui::Pos2, align, text: &str| {
        ui.painter().text(at, align, text, plain(10.5), palette.mute)
    };
    head(
        ui,
        pos2(rect.left(), top + 6.0),
        Align2::LEFT_CENTER,
        "0 is perfect; the query may be in state or gates",
    );
    top += 15.0;
    for (name, value, color, help) in rows {
        let line = Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), ROW));
        bar(ui, line, name, value, color, help);
        top += ROW;
    }
    top += 10.0;
    head(
        ui,
        pos2(rect.left(), top + 6.0),
        Align2::LEFT_CENTER,
        "its polynomial by degree; attention is all 3",
    );
    top += 16.0;
    for (name, content) in [("one token", &probe.one), ("two tokens", &probe.two)] {
        degrees(
            ui,
            Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), ROW)),
            name,
            content,
        );
        top += ROW;
    }
    top
}

/// A part of a whole that should be 0.
fn bar(ui: &mut Ui, line: Rect, name: &str, value: Option<f64>, color: Color32, help: &str) {
    let palette = Palette::of(ui);
    let names = (line.width() * 0.56).min(172.0);
    let lane = Rect::from_min_max(
        pos2(line.left() + names, line.center().y - 4.0),
        pos2(line.right() - 52.0, line.center().y + 4.0),
    );
    ui.painter().text(line.left_center(), Align2::LEFT_CENTER, name, plain(11.5), palette.mute);
    if lane.width() > 8.0 && value.is_some() {
        ui.painter().rect_filled(lane, 2.0, palette.line.gamma_multiply(0.6));
        let part = value.map_or(0.0, |value| value.clamp(0.0, 1.0));
        let filled =
            Rect::from_min_size(lane.min, vec2(lane.width() * format::narrow(part), lane.height()));
        ui.painter().rect_filled(filled, 2.0, color);
    }
    let said = value.map_or_else(|| "–".into(), short);
    ui.painter().text(line.right_center(), Align2::RIGHT_CENTER, &said, strong(11.5), palette.ink);
    let response = ui.interact(line, ui.scope_id().with(name), Sense::hover());
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name}: {said}")));
    response.on_hover_ui(|ui| {
        ui.label(help);
        if value.is_none() {
            ui.label("Nothing to measure here.");
        }
    });
}

/// The parts of each degree, darker where there is more; they add up to 1.
fn degrees(ui: &mut Ui, line: Rect, name: &str, content: &Content) {
    let palette = Palette::of(ui);
    let names = (line.width() * 0.24).min(70.0);
    ui.painter().text(line.left_center(), Align2::LEFT_CENTER, name, plain(11.5), palette.mute);
    let width = (line.width() - names) / content.shares.len() as f32;
    for (degree, share) in content.shares.iter().enumerate() {
        let cell = Rect::from_min_size(
            pos2(line.left() + names + degree as f32 * width, line.top() + 1.0),
            vec2(width - 2.0, ROW - 2.0),
        );
        let color = if degree == ATTENTION_DEGREE { palette.teacher } else { palette.between };
        let filled = Rect::from_min_size(
            cell.min,
            vec2(cell.width() * format::narrow(share.clamp(0.0, 1.0)), cell.height()),
        );
        ui.painter().rect_filled(cell, 2.0, palette.line.gamma_multiply(0.5));
        ui.painter().rect_filled(filled, 2.0, color.gamma_multiply(0.45));
        let percent = 100.0 * share;
        let percent = if percent > 0.0 && percent < 0.1 {
            "< 0.1".into()
        } else {
            format::fixed(percent, if percent < 9.95 { 1 } else { 0 })
        };
        let text = if width >= 52.0 { format!("{degree}: {percent}\u{a0}%") } else { percent };
        ui.painter().text(cell.center(), Align2::CENTER_CENTER, text, plain(10.5), palette.ink);
    }
    let said: Vec<String> = content
        .shares
        .iter()
        .enumerate()
        .map(|(degree, share)| format!("{:.1}\u{a0}% of degree {degree}", 100.0 * share))
        .collect();
    let response = ui.interact(line, ui.scope_id().with(("degrees", name)), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Label, true, format!("{name}: {}", said.join(", ")))
    });
    response.on_hover_text(format!(
        "Mean squares of its polynomial's parts in {name}: {}.",
        said.join(", ")
    ));
}

/// Two digits, or a power of ten where it is small.
fn short(value: f64) -> String {
    if (0.01..1000.0).contains(&value) {
        format::fixed(value, if value < 10.0 { 2 } else { 0 })
    } else {
        format::scientific(value)
    }
}
