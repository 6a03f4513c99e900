//! The one-token polynomial beside a gradient step's, which has η* in front of each x_i² y_k of
//! output k and nothing else (the paper's Table 2).

use super::cells::narrow;
use crate::analysis::finding::Finding;
use crate::analysis::in_context::{Coefficients, MOST_INPUTS};
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::readout::{Readout, cell_at, cell_rect};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};

/// Room for the outputs' names.
const NAMES: f32 = 52.0;
/// Room for the columns' names.
const HEAD: f32 = 18.0;
/// Room for the largest other terms.
const OTHERS: f32 = 50.0;

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    readout: &mut Readout,
    live: &Live,
    actions: &mut Vec<Action>,
) {
    let (size, mut saved) = (rect.size(), false);
    let best = match live.found() {
        Some(Finding::Regression { coefficients: Some(coefficients), .. }) => {
            format!("η* = {}", format::fixed(coefficients.best_step_size, 5))
        }
        _ => String::new(),
    };
    let rect = card::show(ui, rect, "What one example adds", "coefficient of xᵢ² yₖ", |ui| {
        saved = export::button(ui, "What one example adds");
        ui.label(egui::RichText::new(best).font(strong(12.0)).color(Palette::of(ui).teacher));
    });
    if saved {
        actions.push(export::svg(ui, "context-coefficients.svg", size, &mut |ui, rect| {
            show(ui, rect, &mut Readout::default(), live, &mut vec![])
        }));
    }
    let Some(Finding::Regression { coefficients, .. }) = live.found() else {
        return card::waiting(ui, rect, live);
    };
    let Some(coefficients) = coefficients else {
        return card::empty(ui, rect, &format!("for tokens of at most {MOST_INPUTS} numbers"));
    };
    let (outputs, inputs) =
        (coefficients.wanted.len(), coefficients.wanted.first().map_or(0, Vec::len));
    if rect.width() < 130.0 || rect.height() < 70.0 || outputs * inputs == 0 {
        return;
    }
    let ui = &mut card::inside(ui, "coefficients", rect);
    let others = if rect.height() > 140.0 { OTHERS } else { 0.0 };
    let row = ((rect.height() - HEAD - others) / outputs as f32).min(46.0);
    let rest = (rect.width() * 0.2).clamp(40.0, 92.0);
    let table = Rect::from_min_max(
        rect.min + vec2(NAMES, HEAD),
        pos2(rect.right() - rest - 10.0, rect.top() + HEAD + row * outputs as f32),
    );
    let rest = Rect::from_min_max(
        pos2(table.right() + 10.0, table.top()),
        pos2(rect.right(), table.bottom()),
    );
    heads(ui, rect, table, rest, inputs);
    let cell = vec2(table.width() / inputs as f32, row);
    for (k, wanted) in coefficients.wanted.iter().enumerate() {
        let y = table.top() + k as f32 * row;
        if row >= 11.0 {
            let text = if rect.width() > 300.0 {
                format!("output {}", k + 1)
            } else {
                format!("ŷ{}", format::subscript(k + 1))
            };
            ui.painter().text(
                pos2(rect.left(), y + row / 2.0),
                Align2::LEFT_CENTER,
                text,
                plain(11.0),
                Palette::of(ui).mute,
            );
        }
        for (i, &value) in wanted.iter().enumerate() {
            let place = Rect::from_min_size(pos2(table.left() + i as f32 * cell.x, y), cell);
            gauge(ui, place, value, coefficients.best_step_size);
        }
        others_of(
            ui,
            Rect::from_min_max(pos2(rest.left(), y), pos2(rest.right(), y + row)),
            coefficients,
            k,
        );
    }
    if others > 0.0 {
        largest_others(
            ui,
            Rect::from_min_max(pos2(rect.left(), table.bottom() + 8.0), rect.max),
            coefficients,
            inputs,
        );
    }
    explain(ui, table, rest, readout, coefficients, inputs);
}

fn heads(ui: &Ui, rect: Rect, table: Rect, rest: Rect, inputs: usize) {
    let palette = Palette::of(ui);
    let width = table.width() / inputs as f32;
    let every = (34.0 / width).ceil().max(1.0) as usize;
    for i in (0..inputs).step_by(every) {
        let text = if width > 44.0 {
            format!("x{}² yₖ", format::subscript(i + 1))
        } else {
            format!("x{}²", format::subscript(i + 1))
        };
        let at = pos2(table.left() + i as f32 * width + 4.0, rect.top() + HEAD - 3.0);
        ui.painter().text(at, Align2::LEFT_BOTTOM, text, plain(11.0), palette.mute);
    }
    let text = if rest.width() > 70.0 { "all others" } else { "others" };
    ui.painter().text(
        pos2(rest.left(), rect.top() + HEAD - 3.0),
        Align2::LEFT_BOTTOM,
        text,
        plain(11.0),
        palette.mute,
    );
}

/// The value, how far it is off, and a bar from 0 to 2 η* with a tick at η*.
fn gauge(ui: &Ui, cell: Rect, value: f64, best: f64) {
    let palette = Palette::of(ui);
    let cell = cell.shrink2(vec2((cell.width() * 0.06).min(4.0), 0.0));
    let room = cell.width() > 44.0 && cell.height() >= 18.0;
    let both = room && cell.height() >= 34.0;
    let bar = bar(cell);
    if room {
        let number = if both { cell.top() + 7.0 } else { f32::midpoint(cell.top(), bar.top()) };
        ui.painter().text(
            pos2(cell.left(), number),
            Align2::LEFT_CENTER,
            format::fixed(value, if cell.width() > 52.0 { 5 } else { 4 }),
            strong(12.0),
            palette.ink,
        );
        if both {
            ui.painter().text(
                pos2(cell.left(), cell.top() + 20.5),
                Align2::LEFT_CENTER,
                format::percent(value / best - 1.0),
                plain(10.5),
                palette.mute,
            );
        }
    }
    ui.painter().rect_filled(bar, 1.0, palette.line);
    let part = value / (2.0 * best);
    if part.is_finite() {
        let color = if part < 0.0 { palette.negative } else { palette.positive };
        let filled = Rect::from_min_size(
            bar.min,
            vec2(bar.width() * narrow(part.abs().min(1.0)), bar.height()),
        );
        ui.painter().rect_filled(filled, 1.0, color);
    }
    ui.painter().vline(
        bar.center().x,
        (bar.top() - 2.0)..=(bar.bottom() + 2.0),
        Stroke::new(2.0, palette.teacher),
    );
}

/// Where a cell's bar stands.
fn bar(cell: Rect) -> Rect {
    let bottom = cell.bottom() - (cell.height() * 0.12).min(4.0);
    Rect::from_min_max(
        pos2(cell.left(), bottom - (cell.height() * 0.2).clamp(1.0, 4.0)),
        pos2(cell.right(), bottom),
    )
}

/// The norm of all other terms of output k, as a part of the norm of a gradient step's.
fn others_of(ui: &Ui, cell: Rect, coefficients: &Coefficients, k: usize) {
    let palette = Palette::of(ui);
    let (Some(&part), Some(&norm)) = (coefficients.rest_part.get(k), coefficients.rest.get(k))
    else {
        return;
    };
    let bar = bar(cell);
    if cell.height() >= 18.0 {
        let both = cell.height() >= 34.0;
        let number = if both { cell.top() + 7.0 } else { f32::midpoint(cell.top(), bar.top()) };
        ui.painter().text(
            pos2(cell.left(), number),
            Align2::LEFT_CENTER,
            format::percent(part).trim_start_matches('+'),
            strong(12.0),
            palette.ink,
        );
        if both && cell.width() > 60.0 {
            ui.painter().text(
                pos2(cell.left(), cell.top() + 20.5),
                Align2::LEFT_CENTER,
                format!("norm {}", format::fixed(norm, 4)),
                plain(10.5),
                palette.mute,
            );
        }
    }
    ui.painter().rect_filled(bar, 1.0, palette.line);
    if part.is_finite() {
        ui.painter().rect_filled(
            Rect::from_min_size(
                bar.min,
                vec2(bar.width() * narrow(part.clamp(0.0, 1.0)), bar.height()),
            ),
            1.0,
            palette.between,
        );
    }
}

/// x₁ x₃ y₂ of its exponents; "constant" for none.
fn monomial(exponents: &[u8], inputs: usize) -> String {
    let factor = |(i, &exponent): (usize, &u8)| {
        let name = if i < inputs {
            format!("x{}", format::subscript(i + 1))
        } else {
            format!("y{}", format::subscript(i + 1 - inputs))
        };
        match exponent {
            0 => None,
            1 => Some(name),
            2 => Some(format!("{name}²")),
            3 => Some(format!("{name}³")),
            _ => Some(format!("{name}⁴")), // a token's polynomial has degree 4 at most
        }
    };
    let name = exponents.iter().enumerate().filter_map(factor).collect::<Vec<_>>().join(" ");
    if name.is_empty() { "the constant".into() } else { name }
}

fn largest_others(ui: &Ui, rect: Rect, coefficients: &Coefficients, inputs: usize) {
    let palette = Palette::of(ui);
    let head = ui.painter().text(
        rect.left_top(),
        Align2::LEFT_TOP,
        "Largest others",
        plain(11.0),
        palette.mute,
    );
    let mut at = pos2(head.right() + 10.0, rect.top());
    for (k, exponents, value) in &coefficients.largest_others {
        let text = format!(
            "{} in ŷ{}  {}",
            monomial(exponents, inputs),
            format::subscript(k + 1),
            format::fixed(*value, 4)
        );
        let words = ui.painter().layout_no_wrap(text, plain(11.0), palette.ink);
        let size = words.size();
        if at.x + size.x > rect.right() {
            at = pos2(rect.left(), at.y + 17.0);
        }
        if at.y + size.y > rect.bottom() || at.x + size.x > rect.right() {
            return;
        }
        ui.painter().galley(at, words, palette.ink);
        at.x += size.x + 14.0;
    }
}

/// Reads off a cell of the table; the last column is that of all others.
fn explain(
    ui: &Ui,
    table: Rect,
    rest: Rect,
    readout: &mut Readout,
    coefficients: &Coefficients,
    inputs: usize,
) {
    let response = ui.interact(table.union(rest), ui.scope_id().with("table"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::Role::Table,
            true,
            "Coefficients of the one-token polynomial",
        )
    });
    let outputs = coefficients.wanted.len();
    let hit = response.hover_pos().and_then(|pointer| {
        let others = || cell_at(rest, outputs, 1, pointer).map(|(k, _)| [k, inputs]);
        cell_at(table, outputs, inputs, pointer).map(|(k, i)| [k, i]).or_else(others)
    });
    let chosen = readout.choose(ui, &response, [outputs, inputs + 1], hit);
    let [k, i] = readout.cell;
    let place = if i == inputs {
        cell_rect(rest, [outputs, 1], [k, 0])
    } else {
        cell_rect(table, [outputs, inputs], [k, i])
    };
    readout.explain(ui, response, chosen, hit, place, |ui, [k, i]| {
        said(ui, coefficients, k, (i < inputs).then_some(i))
    });
}

/// The coefficient of x_i² y_k, or the norm of all others.
fn said(ui: &mut Ui, coefficients: &Coefficients, k: usize, i: Option<usize>) {
    let best = coefficients.best_step_size;
    if let Some(i) = i {
        let value = coefficients.wanted[k][i];
        ui.label(format!(
            "output {}: coefficient of x{}² y{} = {}",
            k + 1,
            format::subscript(i + 1),
            format::subscript(k + 1),
            format::fixed(value, 6)
        ));
        ui.colored_label(
            Palette::of(ui).teacher,
            format!("a gradient step: η* = {}", format::fixed(best, 6)),
        );
        ui.label(format!("{} off", format::percent(value / best - 1.0)));
        ui.label(
            "From the weights alone: the answer to a single token (x, y) is a polynomial of it. The bar ends at 2 η*.",
        );
    } else {
        ui.label(format!(
            "output {}: norm of all other coefficients {}",
            k + 1,
            format::fixed(coefficients.rest[k], 6)
        ));
        ui.label(format!(
            "= {} of √dₓ η*, the norm that a gradient step's have",
            format::percent(coefficients.rest_part[k]).trim_start_matches('+')
        ));
        ui.label("Terms with y of the query cannot show in the loss, as y is 0 there: only weight decay removes them.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monomials_have_names() {
        assert_eq!(monomial(&[1, 0, 2, 0, 1], 3), "x₁ x₃² y₂");
        assert_eq!(
            (monomial(&[0, 0], 1), monomial(&[0, 4], 1)),
            ("the constant".into(), "y₁⁴".into())
        );
    }
}
