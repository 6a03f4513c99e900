//! Why a GRU's gates have no product of three readings: the products in its update beside an
//! LSTM's.

use crate::theory::layers::expansion::{GRU, LSTM, Term, Update};
use crate::theory::layers::primitives::Ability;
use crate::ui::kit::formula;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{Align, Label, Layout, RichText, Sense, Slider, Ui, WidgetInfo, pos2, vec2};

/// The free biases.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Biases {
    /// b_z, b_r
    gru: [f64; 2],
    /// b_f
    lstm: [f64; 1],
}

/// A bias moves from minus to plus this.
const RANGE: f64 = 4.0;

pub fn show(ui: &mut Ui, biases: &mut Biases, narrow: bool) {
    let palette = Palette::of(ui);
    heading(ui, "WHY A GRU'S GATES HAVE NO SUCH PRODUCT");
    let text = "Attention's own term, v (k · q) of the current token, multiplies three readings of one token. Below are the products in one update, \
                for small readings; whatever its biases, a GRU's has none of three, as its reset gate multiplies only what was in the state and nothing \
                comes after the state. An LSTM's output gate does.";
    ui.add(Label::new(text).wrap());
    let text = "This holds of the gates and of tanh in its linear range only. Outside it tanh's curvature makes cubes, and cubes make products: \
                \"GRU with curvature\" above is linear attention.";
    ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap());
    ui.add_space(4.0);
    let Biases { gru, lstm } = biases;
    if narrow {
        one(ui, &GRU, "h' = (1 − σ(a_z + b_z)) tanh(a_n + σ(a_r + b_r) w) + σ(a_z + b_z) h", gru);
        ui.add_space(8.0);
        one(ui, &LSTM, "h' = σ(a_o) tanh(σ(b_f) c + σ(a_i) tanh(a_g))", lstm);
    } else {
        ui.spacing_mut().item_spacing.x = 24.0;
        ui.columns(2, |columns| {
            columns.iter_mut().for_each(|column| column.spacing_mut().item_spacing.x = 6.0);
            one(
                &mut columns[0],
                &GRU,
                "h' = (1 − σ(a_z + b_z)) tanh(a_n + σ(a_r + b_r) w) + σ(a_z + b_z) h",
                gru,
            );
            one(&mut columns[1], &LSTM, "h' = σ(a_o) tanh(σ(b_f) c + σ(a_i) tanh(a_g))", lstm);
        });
    }
}

/// A layer's update: its biases, its products.
fn one(ui: &mut Ui, update: &Update, equation: &str, biases: &mut [f64]) {
    let palette = Palette::of(ui);
    ui.label(RichText::new(update.layer).font(strong(14.0)));
    ui.add(Label::new(formula::job(equation, 12.5, palette.ink)).wrap());
    let what = if update.layer == GRU.layer {
        "a: readings of the token; w: a reading of all states; h: the neuron's own state"
    } else {
        "a: readings of the token; c: the cell"
    };
    ui.add(Label::new(RichText::new(what).color(palette.mute)).wrap());
    for (name, bias) in update.biases.iter().zip(biases.iter_mut()) {
        ui.horizontal(|ui| {
            ui.add(Label::new(formula::job(name, 12.5, palette.mute)));
            ui.spacing_mut().slider_width = (ui.available_width() - 60.0).clamp(60.0, 220.0);
            let response = ui.add(Slider::new(bias, -RANGE..=RANGE).step_by(0.1).show_value(false));
            response.widget_info(|| {
                WidgetInfo::slider(true, *bias, format!("Bias {name} of the {}", update.layer))
            });
            ui.label(format::fixed(*bias, 1));
        });
    }
    ui.add_space(2.0);
    for term in update.terms(biases) {
        product(ui, &term);
    }
}

/// A product: its factors and coefficient, what it is for.
fn product(ui: &mut Ui, term: &Term) {
    let palette = Palette::of(ui);
    let missing = term.coefficient == 0.0;
    let color = if missing { palette.error } else { palette.ink };
    let by_formula = format::fixed(term.coefficient, 4);
    let measured = format::fixed(term.measured, 4);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if missing {
            let (rect, _) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
            super::ability::draw(ui.painter(), rect.center(), Ability::Missing, palette);
        }
        ui.add(Label::new(formula::job(&term.factors.join(" · "), 13.0, color)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(format!("measured {measured}")).size(11.5).color(palette.mute))
                .on_hover_text("By differences of the update itself");
            ui.label(RichText::new(by_formula).font(strong(12.5)).color(color))
                .on_hover_text("By the formula");
        });
    });
    ui.add(
        Label::new(RichText::new(&term.purpose).size(11.5).color(if missing {
            palette.error
        } else {
            palette.mute
        }))
        .wrap(),
    );
    let y = ui.cursor().top() - 1.0;
    let x = ui.max_rect().x_range();
    card::rule(ui, pos2(x.min, y), pos2(x.max, y));
    ui.add_space(1.0);
}
