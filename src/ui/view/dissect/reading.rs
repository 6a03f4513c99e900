//! Key-value matrix and query, read off the states by least squares: true against reconstructed,
//! and 1 − R².

use super::answer::Answer;
use super::export;
use crate::analysis::scores::{Basis, Fit, Score, Scores};
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format, svg};
use eframe::egui;
use egui::{Align2, Color32, Rect, RichText, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Between frames.
#[derive(Clone, Default)]
pub struct State {
    hide_key_value: bool,
    hide_query: bool,
}

/// The targets that the states are read as: S and q, unless only the symmetric ones fit.
pub fn basis(scores: &Scores) -> &Basis {
    match (&scores.symmetric, scores.fits) {
        (Some(symmetric), Fit::Symmetric) => symmetric,
        _ => &scores.attention,
    }
}

/// The basis in words.
pub fn fit(fits: Fit) -> &'static str {
    match fits {
        Fit::Attention => "S and q",
        Fit::Symmetric => "symmetric",
        Fit::Both => "both",
        Fit::Neither => "neither",
    }
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let mut saved = false;
    let inner = card::show(ui, rect, "Read off the states", "", |ui| {
        if !svg::is_for_file(ui) {
            saved = export::button(ui, "Read off the states");
        }
    });
    if saved {
        let chosen = state.clone();
        actions.push(export::svg(ui, "dissect-scores.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, &mut chosen.clone(), answer, &mut vec![])
        }));
    }
    let Some(scores) = &answer.dissection.scores else {
        let text = if answer.teacher {
            answer
                .dissection
                .no_scores
                .as_deref()
                .unwrap_or("No neuron is left to read a key–value matrix or a query from.")
        } else {
            "Scores need the teacher. Open a file that holds teacher.value, teacher.key and teacher.query beside the weights."
        };
        return super::quiet(ui, inner, text);
    };
    if inner.width() < 90.0 || inner.height() < 120.0 {
        return;
    }
    let basis = basis(scores);
    let mut row =
        |i: usize, name: &str, score: Option<&Score>, color: Color32, hidden: &mut bool| {
            let line = Rect::from_min_size(
                inner.min + vec2(0.0, 18.0 * i as f32),
                vec2(inner.width(), 18.0),
            );
            legend(ui, line, name, score, color, hidden);
        };
    row(0, "key–values", basis.key_value.as_ref(), palette.key_value, &mut state.hide_key_value);
    row(1, "queries", basis.query.as_ref(), palette.query, &mut state.hide_query);
    let kinds = [
        (basis.key_value.as_ref(), palette.key_value, state.hide_key_value),
        (basis.query.as_ref(), palette.query, state.hide_query),
    ];
    let shown: Vec<(&Score, Color32)> = kinds
        .into_iter()
        .filter_map(|(score, color, hidden)| Some((score.filter(|_| !hidden)?, color)))
        .collect();
    scatter(ui, Rect::from_min_max(inner.min + vec2(0.0, 42.0), inner.max), &shown, scores.fits);
}

/// A kind's colour, name and score; a click hides or shows its points.
fn legend(
    ui: &mut Ui,
    line: Rect,
    name: &str,
    score: Option<&Score>,
    color: Color32,
    hidden: &mut bool,
) {
    let palette = Palette::of(ui);
    let response = ui.interact(line, ui.scope_id().with(name), Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(
            egui::Role::CheckBox,
            score.is_some(),
            !*hidden,
            format!("Show {name}"),
        )
    });
    if response.clicked() {
        *hidden = !*hidden;
    }
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(line, 3.0, palette.accent.gamma_multiply(0.08));
    }
    let middle = line.left_center() + vec2(5.0, 0.0);
    if *hidden || score.is_none() {
        ui.painter().circle_stroke(middle, 3.5, Stroke::new(1.3, color));
    } else {
        ui.painter().circle_filled(middle, 4.0, color);
    }
    ui.painter().text(
        middle + vec2(10.0, 0.0),
        Align2::LEFT_CENTER,
        format!("1 − R², {name}"),
        plain(11.5),
        palette.mute,
    );
    let value = score.map_or_else(|| "none".into(), |score| format::scientific(score.value));
    ui.painter().text(line.right_center(), Align2::RIGHT_CENTER, value, strong(11.5), palette.ink);
    response.on_hover_ui(|ui| {
        ui.label(RichText::new(match name {
            "queries" => "How much of the query is not a linear image of the neurons with λ near 0. 0 is perfect.",
            _ => "How much of the key–value matrix is not a linear image of the neurons with λ near 1. 0 is perfect.",
        }));
        ui.label("Click to hide or show the points.");
    });
}

fn scatter(ui: &mut Ui, rect: Rect, shown: &[(&Score, Color32)], fits: Fit) {
    let palette = Palette::of(ui);
    let side = (rect.width() - 22.0).min(rect.height() - 40.0);
    if side < 40.0 {
        return;
    }
    let frame = Rect::from_min_size(pos2(rect.left() + 20.0, rect.top() + 4.0), vec2(side, side));
    // Each kind by its own largest number.
    let half = side / 2.0 - 6.0;
    let scale = |score: &Score| {
        score
            .points
            .iter()
            .flatten()
            .filter(|v| v.is_finite())
            .fold(0.0f32, |most, v| most.max(v.abs()))
            .max(f32::MIN_POSITIVE)
    };
    let place = |value: f32, largest: f32| (value / largest).clamp(-1.0, 1.0) * half;
    let painter = ui.painter();
    painter.rect(
        frame,
        2.0,
        palette.panel,
        Stroke::new(1.0, palette.line),
        egui::StrokeKind::Inside,
    );
    let center = frame.center();
    painter.hline(frame.x_range(), center.y, Stroke::new(1.0, palette.line));
    painter.vline(center.x, frame.y_range(), Stroke::new(1.0, palette.line));
    painter.line_segment(
        [frame.left_bottom(), frame.right_top()],
        Stroke::new(1.0, palette.mute.gamma_multiply(0.7)),
    );
    for (score, color) in shown {
        let points =
            score.points.iter().filter(|point| point.iter().all(|value| value.is_finite()));
        let largest = scale(score);
        let dot = |[x, y]: &[f32; 2]| {
            Shape::circle_filled(
                center + vec2(place(*x, largest), -place(*y, largest)),
                1.9,
                color.gamma_multiply(0.7),
            )
        };
        painter.extend(points.map(dot).collect::<Vec<_>>());
    }
    let text = |at, align, text: String| painter.text(at, align, text, plain(10.5), palette.mute);
    text(frame.center_bottom() + vec2(0.0, 3.0), Align2::CENTER_TOP, "true".into());
    text(frame.right_bottom() + vec2(0.0, 3.0), Align2::RIGHT_TOP, "max".into());
    text(frame.left_bottom() + vec2(0.0, 3.0), Align2::LEFT_TOP, "−max".into());
    card::upright(ui, pos2(frame.left() - 17.0, center.y), "read off the states");
    let below = frame.bottom() + 20.0;
    if rect.bottom() - below > 12.0 {
        let words = match fits {
            Fit::Attention => "They are S = Σ v kᵀ and q themselves.",
            Fit::Symmetric => "They are the symmetric ones: Σ (W_V x)(W_V x)ᵀ and its query.",
            Fit::Both => {
                "S = Σ v kᵀ and q, and the symmetric ones, are linear images of each other: both fit."
            }
            Fit::Neither => "Neither S = Σ v kᵀ and q nor the symmetric ones are there.",
        };
        super::note(ui, Rect::from_min_max(pos2(rect.left(), below), rect.max), words);
    }
    let response = ui.interact(frame, ui.scope_id().with("reconstructed"), Sense::hover());
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Reconstructed against true"));
    response.on_hover_text("Each point is one number of one token: what it is, and what a linear map of the states makes of it. On the diagonal both agree. Each kind is drawn by its own largest number.");
}
