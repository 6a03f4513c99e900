//! The sequence: a card a token; the chosen token's numbers can be typed.

use super::state::{LONGEST, State};
use super::{built, numbers};
use crate::ui::kit::card;
use crate::ui::kit::format::subscript;
use crate::ui::kit::theme::{Palette, plain, strong};
use eframe::egui;
use egui::{
    Align2, DragValue, Rect, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, TextEdit, Ui,
    WidgetInfo, pos2, vec2,
};

/// Height of a token's number in its card.
fn line(dim: usize) -> f32 {
    if dim <= 4 { 13.0 } else { 10.0 }
}

fn card_height(dim: usize) -> f32 {
    18.0 + line(dim) * dim as f32 + 5.0
}

/// Height of the whole part.
pub fn height(dim: usize) -> f32 {
    card_height(dim) + 78.0
}

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State) {
    let subtitle = format!("token {} of {} · ← → step through it", state.token + 1, state.time);
    let rect = card::show(ui, rect, "Sequence", &subtitle, |ui| {
        let count = ui
            .add(DragValue::new(&mut state.time).range(1..=LONGEST).speed(0.05).suffix(" tokens"))
            .on_hover_text("Length of the sequence, 1 to 32");
        count.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, "Tokens"));
        if ui.button("New numbers").on_hover_text("Draw all tokens anew, from N(0, I).").clicked() {
            state.draw += 1;
            state.redraw();
        }
    });
    // Less than `state.token` only until the next frame.
    state.token = state.token.min(state.time.max(1) - 1);
    let cards =
        Rect::from_min_size(rect.min, vec2(rect.width(), card_height(state.settings.dim) + 8.0));
    let mut child = card::inside(ui, "tokens", cards);
    ScrollArea::horizontal()
        .auto_shrink(false)
        .show(&mut child, |ui| tokens(ui, cards.width(), state));
    let row = Rect::from_min_max(pos2(rect.left(), cards.bottom()), rect.max);
    editors(&mut card::inside(ui, "editors", row), state);
}

fn tokens(ui: &mut Ui, room: f32, state: &mut State) {
    let (dim, time) = (state.settings.dim, state.time.max(1));
    let gap = 6.0;
    let width = ((room - gap * (time - 1) as f32) / time as f32).clamp(76.0, 150.0);
    let largest = state.x.data[..time * dim].iter().map(|v| v.abs()).fold(1e-9, f64::max);
    let mut chosen = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for token in 0..time {
            let (rect, response) =
                ui.allocate_exact_size(vec2(width, card_height(dim)), Sense::click());
            let now = token == state.token;
            response.widget_info(|| {
                WidgetInfo::selected(Role::Button, true, now, format!("Token {}", token + 1))
            });
            if now && state.shown_token != Some(token) {
                ui.scroll_to_rect(rect, None);
                state.shown_token = Some(token);
            }
            token_card(
                ui,
                rect,
                token,
                state.x.row(token),
                (largest, state.token),
                response.hovered() || response.has_focus(),
            );
            if response.clicked() {
                chosen = Some(token);
            }
        }
    });
    if let Some(token) = chosen {
        state.show_token(token);
    }
}

/// The token's numbers as bars from the middle; those to come are faint.
fn token_card(
    ui: &Ui,
    rect: Rect,
    token: usize,
    x: &[f64],
    (largest, now): (f64, usize),
    hovered: bool,
) {
    let palette = Palette::of(ui);
    let (ink, bar) = match token.cmp(&now) {
        std::cmp::Ordering::Less => (palette.ink, palette.mute),
        std::cmp::Ordering::Equal => (palette.accent, palette.accent),
        std::cmp::Ordering::Greater => (palette.mute, palette.unused),
    };
    let border = if token == now {
        Stroke::new(2.0, palette.accent)
    } else {
        Stroke::new(1.0, if hovered { palette.accent.gamma_multiply(0.6) } else { palette.line })
    };
    ui.painter().rect(rect, 6.0, palette.panel, border, StrokeKind::Inside);
    ui.painter().text(
        rect.min + vec2(8.0, 4.0),
        Align2::LEFT_TOP,
        format!("x{}", subscript(token + 1)),
        if token == now { strong(11.5) } else { plain(11.5) },
        ink,
    );
    let (line, numbers_width) = (line(x.len()), 36.0);
    let bars = rect.x_range().shrink(8.0);
    let middle = bars.min + (bars.max - bars.min - numbers_width) / 2.0;
    let half = (middle - bars.min).max(1.0);
    for (i, &value) in x.iter().enumerate() {
        let y = rect.top() + 19.0 + line * (i as f32 + 0.5);
        let end = middle + half * (value / largest) as f32;
        let band = Rect::from_min_max(
            pos2(middle.min(end), y - line * 0.3),
            pos2(middle.max(end).max(middle.min(end) + 1.0), y + line * 0.3),
        );
        ui.painter().rect_filled(band, 1.0, bar);
        ui.painter().text(
            pos2(bars.max, y),
            Align2::RIGHT_CENTER,
            numbers::fixed(value),
            plain((line - 1.5).min(11.0)),
            ink,
        );
    }
}

/// A field for each number of the chosen token.
fn editors(ui: &mut Ui, state: &mut State) {
    let palette = Palette::of(ui);
    let token = state.token;
    let numbers: Vec<f64> = state.x.row(token).to_vec();
    if state.edits.0 != token || state.edits.1.len() != numbers.len() {
        state.edits = (token, numbers.iter().copied().map(plainly).collect());
    }
    let mut changed = None;
    ScrollArea::horizontal().id_salt("fields").auto_shrink(false).show(ui, |ui| {
        ui.horizontal_centered(|ui| {
            ui.label(RichText::new(format!("x{} =", subscript(token + 1))).font(strong(12.0)));
            for (i, text) in state.edits.1.iter_mut().enumerate() {
                let wrong = built::number(text).is_err();
                let mut field =
                    TextEdit::singleline(text).desired_width(54.0).align(Align2::LEFT_CENTER);
                if wrong {
                    field = field.text_color(palette.error);
                }
                let response = ui.add(field);
                response.widget_info(|| {
                    WidgetInfo::labeled(
                        Role::TextInput,
                        true,
                        format!("Number {} of token {}", i + 1, token + 1),
                    )
                });
                if response.changed() {
                    changed = Some(i);
                }
            }
            let wrong = state
                .edits
                .1
                .iter()
                .zip(&numbers)
                .find_map(|(text, kept)| Some((built::number(text).err()?, kept)));
            let (note, color) = match wrong {
                Some((error, &kept)) => (
                    format!(
                        "{}; it stays {}",
                        error.to_string().trim_start_matches("number: "),
                        plainly(kept)
                    ),
                    palette.error,
                ),
                None => ("type your own numbers".into(), palette.mute),
            };
            ui.label(RichText::new(note).size(11.5).color(color));
        });
    });
    if let Some((i, Ok(value))) = changed.map(|i| (i, built::number(&state.edits.1[i]))) {
        state.x.set(token, i, value);
    }
}

/// As it would be typed.
fn plainly(value: f64) -> String {
    value.to_string().replace('-', "−")
}
