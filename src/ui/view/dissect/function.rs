//! The one-token function as a polynomial: student's coefficients against the teacher's, the
//! largest first.

use super::answer::{Answer, Stamp};
use super::export;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::words::significant;
use crate::ui::Action;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, format, svg};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    key: Option<(Stamp, usize)>,
    rows: Vec<Row>,
    /// How many of them are large enough to be shown.
    telling: usize,
    /// The largest coefficient, at least.
    range: [f64; 2],
}

/// A monomial and its coefficients.
struct Row {
    label: String,
    student: f64,
    teacher: Option<f64>,
}

impl Row {
    fn size(&self) -> f64 {
        self.student.abs().max(self.teacher.map_or(0.0, f64::abs))
    }
}

/// Least and largest height of a row.
const ROW: [f32; 2] = [17.0, 24.0];
/// Coefficients below this part of the largest are only counted.
const SMALL: f64 = 1e-3;
/// Room for the monomials' names.
const NAMES: f32 = 54.0;

impl State {
    fn update(&mut self, stamp: Stamp, output: usize, polynomial: &Polynomial) {
        if self.key == Some((stamp, output)) {
            return;
        }
        self.key = Some((stamp, output));
        let teacher = polynomial.teacher.get(output);
        let coefficient =
            |values: Option<&Vec<f64>>, i: usize| values.and_then(|values| values.get(i).copied());
        let row = |(i, exponents): (usize, &Vec<u8>)| Row {
            label: monomial(exponents),
            student: coefficient(polynomial.student.get(output), i).unwrap_or(0.0),
            teacher: coefficient(teacher, i),
        };
        self.rows = polynomial.monomials.iter().enumerate().map(row).collect();
        let size = |row: &Row| (row.teacher.map_or(0.0, f64::abs), row.student.abs());
        self.rows.sort_by(|a, b| {
            let (a, b) = (size(a), size(b));
            // Teachers' zeros are of the order of rounding: they do not decide.
            if (a.0 - b.0).abs() > 1e-9 { b.0.total_cmp(&a.0) } else { b.1.total_cmp(&a.1) }
        });
        let largest =
            self.rows.iter().map(Row::size).filter(|size| size.is_finite()).fold(0.0, f64::max);
        self.telling = self
            .rows
            .iter()
            .rposition(|row| row.size() > SMALL * largest)
            .map_or(1, |last| last + 1);
        let ends = |row: &Row| [row.student, row.teacher.unwrap_or(0.0)];
        let finite = self.rows.iter().flat_map(ends).filter(|value| value.is_finite());
        self.range =
            finite.fold([-1e-9, 1e-9], |[low, high], value| [low.min(value), high.max(value)]);
    }
}

/// x₁x₂²; the constant is 1.
fn monomial(exponents: &[u8]) -> String {
    let factor = |(i, &exponent): (usize, &u8)| {
        let power = match exponent {
            0 => return String::new(),
            1 => "",
            2 => "²",
            3 => "³",
            _ => "⁴",
        };
        format!("x{}{power}", format::subscript(i + 1))
    };
    let text: String = exponents.iter().enumerate().map(factor).collect();
    if text.is_empty() { "1".into() } else { text }
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    output: &mut usize,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let polynomial = answer.dissection.polynomial.as_ref();
    let outputs = polynomial.map_or(0, |polynomial| polynomial.student.len());
    let mut saved = false;
    let title = if svg::is_for_file(ui) {
        format!("The function, output {}", *output + 1)
    } else {
        "The function".into()
    };
    let inner = card::show(ui, rect, &title, "of one token, by monomial", |ui| {
        if !svg::is_for_file(ui) {
            saved = export::button(ui, "The function");
            super::answer::output_chooser(ui, "The function", output, outputs);
        }
    });
    if saved {
        let mut chosen = *output;
        actions.push(export::svg(ui, "dissect-function.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, &mut State::default(), &mut chosen, answer, &mut vec![])
        }));
    }
    let Some(polynomial) = polynomial.filter(|_| outputs > 0) else {
        return super::quiet(
            ui,
            inner,
            answer
                .dissection
                .no_polynomial
                .as_deref()
                .unwrap_or("The polynomial of this network was not worked out."),
        );
    };
    *output = (*output).min(outputs - 1);
    state.update(answer.stamp, *output, polynomial);
    if inner.width() < 120.0 || inner.height() < 70.0 {
        return;
    }
    let below = if polynomial.teacher.is_empty() { 58.0 } else { 34.0 };
    let mut bars = Rect::from_min_max(
        inner.min + vec2(NAMES, 2.0),
        pos2(inner.right() - 4.0, (inner.bottom() - below).max(inner.top() + 20.0)),
    );
    let shown = ((bars.height() / ROW[0]).floor().max(1.0) as usize).min(state.telling);
    let row = (bars.height() / shown.max(1) as f32).clamp(ROW[0], ROW[1]);
    bars.max.y = bars.top() + row * shown as f32;
    draw(ui, bars, state, shown);
    let y = bars.bottom() + 4.0;
    legend(ui, pos2(inner.left(), y), state, shown, polynomial, inner);
    if polynomial.teacher.is_empty() {
        let text = "No teacher is known, so there is nothing to compare with.";
        super::note(ui, Rect::from_min_max(pos2(inner.left(), y + 16.0), inner.max), text);
    }
}

fn draw(ui: &mut Ui, bars: Rect, state: &State, shown: usize) {
    let palette = Palette::of(ui);
    let [low, high] = state.range;
    let x = |value: f64| {
        bars.left() + bars.width() * ((value.clamp(low, high) - low) / (high - low)) as f32
    };
    let zero = x(0.0);
    let step = bars.height() / shown.max(1) as f32;
    ui.painter().vline(zero, bars.y_range(), Stroke::new(1.0, palette.line));
    let whole = Rect::from_min_max(pos2(bars.left() - NAMES, bars.top()), bars.max);
    let response = ui.interact(whole, ui.scope_id().with("coefficients"), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Image, true, "Coefficients, student and teacher")
    });
    let hovered =
        response.hover_pos().map(|pointer| ((pointer.y - bars.top()) / step).max(0.0) as usize);
    for (i, row) in state.rows.iter().take(shown).enumerate() {
        let middle = bars.top() + step * (i as f32 + 0.5);
        if hovered == Some(i) {
            ui.painter().rect_filled(
                Rect::from_center_size(pos2(whole.center().x, middle), vec2(whole.width(), step)),
                2.0,
                palette.accent.gamma_multiply(0.08),
            );
        }
        ui.painter().text(
            pos2(bars.left() - 8.0, middle),
            Align2::RIGHT_CENTER,
            &row.label,
            plain(11.5),
            palette.mute,
        );
        let bar = |value: f64, height: f32| {
            let end = if value.is_finite() { x(value) } else { zero };
            Rect::from_min_max(
                pos2(zero.min(end), middle - height / 2.0),
                pos2(zero.max(end), middle + height / 2.0),
            )
        };
        if let Some(teacher) = row.teacher {
            ui.painter().rect_filled(
                bar(teacher, step - 4.0),
                1.0,
                palette.teacher.gamma_multiply(0.5),
            );
        }
        let student = if row.teacher.is_some() {
            bar(row.student, 2.4)
        } else {
            bar(row.student, step - 7.0)
        };
        ui.painter().rect_filled(
            student,
            0.0,
            if row.student.is_finite() { palette.ink } else { palette.error },
        );
    }
    let Some(row) = hovered.and_then(|i| state.rows.iter().take(shown).nth(i)) else { return };
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(format!("coefficient of {}", row.label));
        if let Some(teacher) = row.teacher {
            ui.colored_label(palette.teacher, format!("teacher {}", format::signed(teacher)));
        }
        ui.label(format!("student {}", format::signed(row.student)));
        if let Some(teacher) = row.teacher {
            ui.label(format!("difference {}", format::signed(row.student - teacher)));
        }
    });
}

/// Which bar is whose, what is not shown, the distance.
fn legend(
    ui: &Ui,
    at: egui::Pos2,
    state: &State,
    shown: usize,
    polynomial: &Polynomial,
    card: Rect,
) {
    let palette = Palette::of(ui);
    let middle = at.y + 7.0;
    let compared = !polynomial.teacher.is_empty();
    let mut x = at.x;
    if compared {
        ui.painter().rect_filled(
            Rect::from_min_size(pos2(x, middle - 4.0), vec2(10.0, 8.0)),
            1.0,
            palette.teacher.gamma_multiply(0.5),
        );
        let word = ui.painter().text(
            pos2(x + 14.0, middle),
            Align2::LEFT_CENTER,
            "teacher",
            plain(11.0),
            palette.teacher,
        );
        x = word.right() + 10.0;
    }
    ui.painter().hline(
        x..=x + 12.0,
        middle,
        Stroke::new(if compared { 2.4 } else { 6.0 }, palette.ink),
    );
    x += 16.0;
    let mut say = |text: String, color| {
        let width = ui.painter().layout_no_wrap(text.clone(), plain(11.0), color).size().x;
        if x + width <= card.right() + 4.0 {
            ui.painter().text(pos2(x, middle), Align2::LEFT_CENTER, text, plain(11.0), color);
        } else {
            ui.painter().text(
                pos2(card.left(), middle + 15.0),
                Align2::LEFT_CENTER,
                text,
                plain(11.0),
                color,
            );
        }
        x += width + 12.0;
    };
    say("student".into(), palette.ink);
    let rest = state.rows.iter().skip(shown).map(Row::size).fold(0.0, f64::max);
    let hidden = state.rows.len() - shown;
    let rest = significant(rest).replace('-', "−");
    let others = match hidden {
        0 => String::new(),
        1 => format!("the other ≤ {rest}"),
        _ => format!("all {hidden} others ≤ {rest}"),
    };
    let distance = polynomial
        .distance
        .map_or_else(String::new, |distance| format!("distance {}", format::scientific(distance)));
    let both: Vec<String> =
        [others, distance].into_iter().filter(|text| !text.is_empty()).collect();
    say(both.join(" · "), palette.mute);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monomials_are_written_as_on_paper() {
        assert_eq!(
            [&[0, 0][..], &[1, 2], &[0, 3], &[4, 0]].map(monomial),
            ["1", "x₁x₂²", "x₂³", "x₁⁴"]
        );
    }
}
