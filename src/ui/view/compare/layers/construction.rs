//! The chosen layer made into linear attention: its equations, its sizes, its error at the chosen
//! ε, and where it goes from here.

use super::settings::exponents;
use super::state::State;
use super::work::{MEASURED_ON, Work};
use super::{equations, picture, work};
use crate::model::layer::Retention;
use crate::model::{Architecture, Sizes};
use crate::named::Named;
use crate::recipe::checkpoint;
use crate::recipe::specimen::Specimen;
use crate::run::inspection::Subject;
use crate::theory::layers::primitives::Shown;
use crate::theory::layers::{Built, Host, construct};
use crate::ui::Action;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::kit::{format, formula};
use eframe::egui;
use egui::{
    Align, Button, DragValue, Label, Layout, RichText, Role, Sense, Slider, Ui, WidgetInfo, vec2,
};

/// Height of the picture.
const PICTURE: f32 = 380.0;

/// Draws the part of the page below the table.
pub fn show(ui: &mut Ui, state: &mut State, narrow: bool, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    match state.entry().shown {
        Shown::Built(_) => {}
        Shown::Gated(variant) => {
            let text = "It multiplies outright, so that it is attention up to rounding, and there is no ε to choose.";
            ui.add(Label::new(text).wrap());
            if ui.link(format!("Build it step by step in Construct: {}", variant.title())).clicked()
            {
                actions.push(Action::Construct(variant));
            }
            return;
        }
        Shown::Said => {
            ui.add(
                Label::new(
                    RichText::new(
                        "Choose a layer with a construction to see its equations and its error.",
                    )
                    .color(palette.mute),
                )
                .wrap(),
            );
            return;
        }
    }
    let heading = ui.scope(|ui| heading(ui, "THE CONSTRUCTION")).response;
    if std::mem::take(&mut state.reveal) {
        heading.scroll_to_me(Some(Align::TOP));
    }
    if narrow {
        words(ui, state, actions);
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), PICTURE - 40.0), Sense::hover());
        picture::show(ui, rect, state, actions);
        return;
    }
    ui.horizontal_top(|ui| {
        let left = (ui.available_width() * 0.42).max(320.0);
        ui.allocate_ui_with_layout(vec2(left, PICTURE), Layout::top_down(Align::Min), |ui| {
            ui.set_width(left);
            words(ui, state, actions);
        });
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), PICTURE), Sense::hover());
        picture::show(ui, rect, state, actions);
    });
}

/// All but the picture.
fn words(ui: &mut Ui, state: &mut State, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let layer = state.settings.layer;
    ui.label(RichText::new(layer.title()).font(strong(16.0)));
    if matches!(layer, Host::GruBefore | Host::GruCurved) {
        ui.horizontal_wrapped(|ui| {
            for option in [Host::GruBefore, Host::GruCurved] {
                if ui
                    .add(
                        Button::selectable(option == layer, option.title())
                            .frame_when_inactive(true),
                    )
                    .on_hover_text(option.help())
                    .clicked()
                {
                    state.choose_layer(option);
                }
            }
        });
    }
    ui.add(Label::new(RichText::new(layer.help()).color(palette.mute)).wrap());
    for (equation, what) in equations::of(layer) {
        ui.add(Label::new(formula::job(equation, 13.0, palette.ink)).wrap());
        ui.add(Label::new(formula::job(what, 11.5, palette.mute)).wrap());
    }
    ui.add_space(4.0);
    settings(ui, state);
    let Some(work) = &state.work else { return };
    if let Some(error) = &work.failure {
        ui.add(Label::new(RichText::new(error.to_string()).color(palette.error)).wrap());
    }
    if let Some(built) = work.built() {
        ui.add(Label::new(sizes(built)).wrap());
    }
    errors(ui, work, state.settings.exponent);
    ui.add_space(2.0);
    then(ui, work, actions);
}

/// d, the teacher's seed, ε.
fn settings(ui: &mut Ui, state: &mut State) {
    let palette = Palette::of(ui);
    let settings = &mut state.settings;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Width d").color(palette.mute));
        ui.spacing_mut().slider_width = 70.0;
        let response = ui.add(Slider::new(&mut settings.dim, 2..=6).show_value(false));
        response.widget_info(|| WidgetInfo::slider(true, settings.dim as f64, "Width d"));
        ui.label(settings.dim.to_string());
        ui.add_space(10.0);
        ui.label(RichText::new("Teacher's seed").color(palette.mute));
        let response = ui.add(DragValue::new(&mut settings.seed).speed(0.1));
        response.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, "Teacher's seed"));
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("ε").color(palette.mute));
        ui.spacing_mut().slider_width = (ui.available_width() - 120.0).clamp(80.0, 260.0);
        // Small weights at the left, as in the picture.
        let mut power = -settings.exponent;
        let response = ui.add(
            Slider::new(&mut power, -exponents().end()..=-exponents().start()).show_value(false),
        );
        settings.exponent = -power;
        response.widget_info(|| {
            WidgetInfo::slider(true, f64::from(power), "Size of the weights ε, as a power of 2")
        });
        ui.label(format!(
            "{} = {}",
            work::power(power),
            format::scientific(work::epsilon(settings.exponent))
        ));
    });
}

/// "52 neurons …".
fn sizes(built: &Built) -> String {
    let (all, used) = built.parameter_count();
    let [all, used] = [all, used].map(|count| format::thousands(count as u64));
    let Architecture { layer, sizes: Sizes { hidden, embed, layers, .. } } = built.architecture;
    let is_complex =
        layer.memory.is_some_and(|memory| matches!(memory.kept, Retention::Phases(..)));
    let kind = if is_complex {
        let each = if layers > 1 { " per layer" } else { "" };
        format!("{hidden} complex neurons{each}, width {embed}")
    } else {
        format!("{hidden} neurons")
    };
    format!("{kind}; {all} parameters, {used} of them not 0.")
}

/// The error at the chosen ε.
fn errors(ui: &mut Ui, work: &Work, exponent: i32) {
    let palette = Palette::of(ui);
    let said = |value: Option<f64>| value.map_or_else(|| "…".into(), format::scientific);
    let point = work.point(exponent);
    let [sequences, time] = MEASURED_ON;
    let help = format!("‖ŷ − y‖ / ‖y‖ on {sequences} random sequences of {time} tokens");
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Error").color(palette.mute));
        ui.label(
            RichText::new(format!("f64 {}", said(point.map(|point| point.double))))
                .font(strong(13.0))
                .color(palette.series(0)),
        );
        ui.label(
            RichText::new(format!("f32 {}", said(point.map(|point| point.single))))
                .font(strong(13.0))
                .color(palette.series(1)),
        );
    })
    .response
    .on_hover_text(&help);
    let against = if work.curve().layer == Host::GruBefore {
        "against attention to the tokens before the current one"
    } else {
        "against attention"
    };
    ui.add(
        Label::new(RichText::new(format!("{against}: {help}")).size(11.5).color(palette.mute))
            .wrap(),
    );
}

/// Where it goes from here.
fn then(ui: &mut Ui, work: &Work, actions: &mut Vec<Action>) {
    let Some(built) = work.built() else { return };
    let given = |built: &Built| {
        let name = format!(
            "{} construction, d = {}, ε = {}",
            built.layer.title(),
            built.dim,
            work::power(-work::exponent_of(built.epsilon))
        );
        Box::new(Specimen::new(name, built.model(), Some(work.teacher.clone())))
    };
    ui.horizontal_wrapped(|ui| {
        if ui.button("Take it apart").on_hover_text("In Dissect: what its state and gates hold, and whether it is attention.").clicked() {
            actions.push(Action::Dissect(Subject::Specimen(given(built))));
        }
        let help =
            "In Discover, with these weights as the start, at the ε that is best in single precision, in which it trains. Does gradient descent stay there?";
        if ui.add_enabled(work.is_whole(), Button::new("Train from it")).on_hover_text(help).clicked()
            && let Ok(start) = construct(&work.teacher, built.layer, work.curve().best()[1].epsilon)
        {
            actions.push(Action::Train(given(&start)));
        }
        if ui
            .button("Save as file")
            .on_hover_text("Weights and teacher as safetensors in float64; every view, and analyze in the terminal, reads it.")
            .clicked()
            && let Ok(bytes) = checkpoint::write_weighed(&built.weighed(), &work.teacher)
        {
            actions.push(Action::Export(format!("gatelens-{}-d{}.safetensors", built.layer.key(), built.dim), bytes));
        }
    });
}
