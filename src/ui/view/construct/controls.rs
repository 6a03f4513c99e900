//! The left column: which construction, of which attention, what is broken, where it goes next.

use super::built::{LARGEST_DIM, NOISE, Running, Settings};
use super::numbers;
use super::state::State;
use crate::named::Named;
use crate::run::inspection::Subject;
use crate::task::attention::Spectrum;
use crate::theory::Variant;
use crate::theory::ablation::Ablation;
use crate::ui::Action;
use crate::ui::kit::choice;
use crate::ui::kit::choice::Row;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, plain};
use eframe::egui;
use egui::{
    Align, Align2, Button, ComboBox, DragValue, Layout, Response, RichText, Role, Slider, Ui,
    WidgetInfo, vec2,
};

/// The five constructions, each with its counts.
pub fn variants(ui: &mut Ui, state: &mut State) {
    heading(ui, "CONSTRUCTION");
    let palette = Palette::of(ui);
    for &variant in Variant::ALL {
        let chosen = state.settings.variant == variant;
        let counts = state.built.as_ref().map(|built| built.cost(variant));
        let applies = state.built.as_ref().is_none_or(|built| built.applicable.contains(&variant));
        let Row { rect, response, font, color } = choice::row(ui, chosen, variant.title());
        let color = if applies { color } else { palette.mute };
        ui.painter().text(
            rect.left_center() + vec2(8.0, 0.0),
            Align2::LEFT_CENTER,
            variant.title(),
            font,
            color,
        );
        if let Some(cost) = counts {
            let text = if !applies {
                "does not apply".into()
            } else if cost.queries == 0 {
                format!("{} · no queries", cost.accumulators)
            } else {
                format!("{} + {} · m {}", cost.accumulators, cost.queries, cost.gates)
            };
            ui.painter().text(
                rect.right_center() - vec2(8.0, 0.0),
                Align2::RIGHT_CENTER,
                text,
                plain(11.0),
                palette.mute,
            );
        }
        if response
            .on_hover_text(format!("{} Accumulators + queries · output gates.", variant.help()))
            .clicked()
        {
            state.settings.variant = variant;
            state.settings.ablation.dropped = None; // it is numbered otherwise there
        }
    }
}

/// Everything else.
pub fn rest(ui: &mut Ui, state: &mut State, actions: &mut Vec<Action>) {
    ui.add_space(8.0);
    heading(ui, "ATTENTION TO BUILD");
    attention(ui, state);
    ui.add_space(8.0);
    heading(ui, "BREAK IT");
    ablation(ui, state);
    ui.add_space(8.0);
    heading(ui, "THEN");
    then(ui, state, actions);
}

/// A label at the left, an editor at the right.
fn row(ui: &mut Ui, label: &str, help: &str, editor: impl FnOnce(&mut Ui) -> Response) {
    let palette = Palette::of(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new(label).color(palette.mute)).on_hover_text(help);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| editor(ui).on_hover_text(help));
    });
}

fn named(response: Response, role: Role, name: &str) -> Response {
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
    response
}

const EDITOR: f32 = 98.0;

fn attention(ui: &mut Ui, state: &mut State) {
    let before = (state.settings.ranks, state.settings.spectrum);
    let Settings { dim, ranks, spectrum, seed, .. } = &mut state.settings;
    let full = ranks.map(|rank| rank >= *dim);
    let size = vec2(EDITOR, ui.spacing().interact_size.y);
    let mut redrawn = false;
    row(ui, "Width d", "Numbers in a token, 1 to 8.", |ui| {
        let response = ui.add_sized(size, DragValue::new(dim).range(1..=LARGEST_DIM).speed(0.05));
        redrawn |= response.changed();
        named(response, Role::SpinButton, "Width d")
    });
    for (rank, full) in ranks.iter_mut().zip(full) {
        *rank = if full { *dim } else { (*rank).min(*dim) };
    }
    row(
        ui,
        "Rank",
        "Singular values kept in W_V, W_K and W_Q. Below d, W_V can't be inverted: the symmetric constructions do not apply, and low rank saves neurons.",
        |ui| {
            let (mut all, is_mixed) = (ranks[0], ranks.iter().any(|rank| *rank != ranks[0]));
            let drag =
                DragValue::new(&mut all).range(1..=*dim).speed(0.05).custom_formatter(|rank, _| {
                    if is_mixed { "mixed".into() } else { format!("{rank:.0}") }
                });
            let response = ui.add_sized(size, drag.custom_parser(|text| text.trim().parse().ok()));
            if response.changed() {
                *ranks = [all; 3];
            }
            named(response, Role::SpinButton, "Rank")
        },
    );
    row(
        ui,
        "of V, K, Q",
        "The same, for each matrix. W_Kᵀ W_Q has the smaller of the last two ranks.",
        |ui| {
            let gap = 3.0;
            let small = vec2((EDITOR - 2.0 * gap) / 3.0, size.y);
            ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
                (
                    ui.spacing_mut().item_spacing.x,
                    ui.spacing_mut().button_padding.x,
                    ui.spacing_mut().interact_size.x,
                ) = (gap, 2.0, small.x);
                for (rank, name) in
                    ranks.iter_mut().zip(["Rank of W_V", "Rank of W_K", "Rank of W_Q"])
                {
                    let drag = DragValue::new(rank).range(1..=*dim).speed(0.05);
                    named(ui.add_sized(small, drag), Role::SpinButton, name).on_hover_text(name);
                }
            })
            .response
        },
    );
    row(ui, "Teacher", "Orthogonal: all singular values 1. Gaussian: entries N(0, 1/d).", |ui| {
        let combo = ComboBox::from_id_salt("spectrum")
            .width(EDITOR)
            .selected_text(spectrum.key())
            .show_ui(ui, |ui| {
                for &option in Spectrum::ALL {
                    ui.selectable_value(spectrum, option, option.key());
                }
            });
        named(combo.response, Role::ComboBox, "Teacher")
    });
    row(ui, "Seed", "Draws the teacher, the tokens and the noise.", |ui| {
        let response = ui.add_sized(size, DragValue::new(seed).speed(0.1));
        redrawn |= response.changed();
        named(response, Role::SpinButton, "Seed")
    });
    let other_teacher = (state.settings.ranks, state.settings.spectrum) != before;
    if redrawn || other_teacher {
        state.settings.ablation.dropped = None; // the neurons are others
    }
    if redrawn {
        state.redraw();
    }
}

fn ablation(ui: &mut Ui, state: &mut State) {
    let names: Vec<String> = running(state)
        .map(|running| {
            running.construction.neurons.iter().map(|neuron| neuron.name.clone()).collect()
        })
        .unwrap_or_default();
    let has_queries = state.settings.variant != Variant::Side;
    let ablation = &mut state.settings.ablation;
    slider(
        ui,
        "λ of accumulators",
        "1: what was added stays for ever. Below 1 it fades with each token.",
        &mut ablation.accumulator_lambda,
        true,
    );
    slider(
        ui,
        "λ of queries",
        "0: each token replaces the query before. Above 0 old queries mix in.",
        &mut ablation.query_lambda,
        has_queries,
    );
    let palette = Palette::of(ui);
    row(
        ui,
        "Constant input",
        "The 1 appended to each token; it lets a product be linear in the token.",
        |ui| {
            let mut on = ablation.constant;
            let said = if on { "on" } else { "off" };
            let response = ui.checkbox(&mut on, RichText::new(said).color(palette.ink));
            ablation.constant = on;
            response
                .widget_info(|| WidgetInfo::selected(Role::CheckBox, true, on, "Constant input"));
            response
        },
    );
    row(ui, "Drop a neuron", "Its state is 0 from now on.", |ui| {
        let said =
            ablation.dropped.and_then(|neuron| names.get(neuron)).map_or("none", String::as_str);
        let combo =
            ComboBox::from_id_salt("dropped").width(EDITOR).selected_text(said).show_ui(ui, |ui| {
                ui.selectable_value(&mut ablation.dropped, None, "none");
                for (neuron, name) in names.iter().enumerate() {
                    ui.selectable_value(&mut ablation.dropped, Some(neuron), name);
                }
            });
        named(combo.response, Role::ComboBox, "Drop a neuron")
    });
    if *ablation != Ablation::default()
        && ui
            .add(Button::new(RichText::new("Mend it").color(palette.accent)))
            .on_hover_text("λ = 1 and 0, the constant on, all neurons.")
            .clicked()
    {
        *ablation = Ablation::default();
    }
}

fn slider(ui: &mut Ui, name: &str, help: &str, value: &mut f64, enabled: bool) {
    let palette = Palette::of(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(palette.mute)).on_hover_text(help);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = if enabled { numbers::lambda(*value) } else { "no queries".into() };
            ui.label(RichText::new(text).color(if enabled { palette.ink } else { palette.mute }));
        });
    });
    ui.spacing_mut().slider_width = ui.available_width() - 4.0;
    let response =
        ui.add_enabled(enabled, Slider::new(value, 0.0..=1.0).step_by(0.01).show_value(false));
    response.widget_info(|| WidgetInfo::slider(enabled, *value, name));
    response.on_hover_text(help);
}

fn then(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let Some((built, running)) =
        state.built.as_ref().and_then(|built| Some((built, built.network.as_ref().ok()?)))
    else {
        ui.label(
            RichText::new("Nothing to go on with: this construction does not apply.")
                .color(Palette::of(ui).mute),
        );
        return;
    };
    let train = |noise: bool| Action::Train(Box::new(built.given(running, noise)));
    let noise = format!(
        "Every weight matrix gets normal noise of {:.0} % of its root mean square; λ stays. Does training find the way back?",
        NOISE * 100.0
    );
    if ui
        .link("Train from here →")
        .on_hover_text(
            "In Discover, with these weights as the start. Does gradient descent stay here?",
        )
        .clicked()
    {
        actions.push(train(false));
    }
    if ui
        .link(format!("Train from here + {:.0} % noise →", NOISE * 100.0))
        .on_hover_text(noise)
        .clicked()
    {
        actions.push(train(true));
    }
    if ui
        .link("Dissect it →")
        .on_hover_text("Does the reverse engineering find what was put in?")
        .clicked()
    {
        actions.push(Action::Dissect(Subject::Specimen(Box::new(built.given(running, false)))));
    }
}

fn running(state: &State) -> Option<&Running> {
    state.built.as_ref()?.network.as_ref().ok()
}
