//! Dissect for a layer that is not gated: the story at the top, its insides, and the column on the
//! right.

use super::state::ASIDE;
use super::story::Statement;
use super::{aside, insides, story};
use crate::analysis::insides::{Insides, Probing};
use crate::model::{Architecture, Model};
use crate::recipe::specimen::Specimen;
use crate::run::inspection::Subject;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::kit::{export, format};
use crate::ui::panel::banner;
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{CentralPanel, Frame, Label, Margin, Panel, RichText, ScrollArea, Ui};

pub fn show(
    ui: &mut Ui,
    state: &mut super::state::State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    let bench = scene.bench;
    let Some((inspected, found)) =
        bench.inspected.as_ref().and_then(|inspected| Some((inspected, inspected.insides()?)))
    else {
        return;
    };
    let is_attention = matches!(&found.probe, Probing::Done { probe, .. } if probe.is_subject());
    let said = Statement {
        headline: found.headline(),
        evidence: evidence(found),
        is_attention,
        current: bench.is_current(),
        threshold: None,
    };
    let beside = !narrow && ui.max_rect().width() >= ASIDE;
    if beside {
        let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 0));
        Panel::right("dissect aside").exact_size(236.0).resizable(false).frame(frame).show(
            ui,
            |ui| {
                ScrollArea::vertical()
                    .auto_shrink(false)
                    .show(ui, |ui| column(ui, scene, found, actions));
            },
        );
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        banner::show(ui, &mut state.link_dismissed, scene, actions);
        if !narrow {
            story::show(ui, scene, Some(&said), actions);
        }
        let height = ui.available_height();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if narrow {
                story::show(ui, scene, Some(&said), actions);
            }
            insides::show(ui, &mut state.insides, inspected, height, actions);
            if !beside {
                Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 10)).show(
                    ui,
                    |ui| {
                        ui.set_width(ui.available_width());
                        column(ui, scene, found, actions);
                    },
                );
            }
        });
    });
}

/// Kind and sizes; the probe's first number.
fn evidence(insides: &Insides) -> String {
    let measured = match &insides.probe {
        Probing::Done { probe, .. } => probe
            .sentences()
            .into_iter()
            .nth(1)
            .map(|sentence| format!(" {}", format::sentence(&sentence)))
            .unwrap_or_default(),
        Probing::Pending => String::new(),
        Probing::Impossible(reason) => format!(" {reason}"),
    };
    format!(
        "{}, {} parameters.{measured}",
        insides.architecture.layer.title,
        format::thousands(insides.parameters as u64)
    )
}

/// What to look at, and what can be done with it.
fn column(ui: &mut Ui, scene: &Scene<'_>, insides: &Insides, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    heading(ui, "WHAT TO LOOK AT");
    let say = |ui: &mut Ui, text: &str, mute: bool| {
        ui.add(
            Label::new(RichText::new(text).color(if mute { palette.mute } else { palette.ink }))
                .wrap(),
        )
    };
    ui.add(Label::new(RichText::new(question(insides.architecture)).font(strong(16.0))).wrap());
    say(ui, insides.architecture.layer.sentence, false);
    say(
        ui,
        "Linear attention needs a memory that adds up values times keys and forgets nothing, and two products: a value times a key, then what is stored times the query.",
        true,
    );
    say(
        ui,
        "Only a gated RNN can be reduced to its smallest form; other layers are looked into while they run, and probed from outside.",
        true,
    );
    ui.add_space(4.0);
    heading(ui, "USE IT");
    if let Subject::Specimen(given) = &scene.bench.subject {
        let help = "Puts this network in Discover in place of the one that is trained there, ready to be trained on. It can be undone.";
        if ui.link("Train this network").on_hover_text(help).clicked() {
            actions.push(Action::Train(Box::new(Specimen::clone(given))));
        }
    }
    aside::undo(ui, scene, actions);
    if ui.link("Save analysis.json").on_hover_text("All that is shown here, as numbers").clicked() {
        actions.extend(export::json(insides));
    }
    say(ui, "SVG at a picture's title saves that picture.", true);
    ui.add_space(10.0);
}

fn question(architecture: Architecture) -> &'static str {
    if architecture.layer.memory.is_none() {
        "Which tokens does it look at?"
    } else {
        "What does it keep, and what opens its gates?"
    }
}

/// Draws the status line.
pub fn status(ui: &mut Ui, scene: &Scene<'_>) {
    let Some((inspected, insides)) = scene
        .bench
        .inspected
        .as_ref()
        .and_then(|inspected| Some((inspected, inspected.insides()?)))
    else {
        return;
    };
    let known = match &scene.bench.subject {
        Subject::Live => scene.live.recipe.task().widths().into(),
        Subject::Specimen(given) => {
            let Model { inputs, outputs, .. } = given.network;
            [inputs, outputs]
        }
    };
    let parts = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        super::parts::part(
            ui,
            "layer",
            insides.architecture.layer.title,
            "What kind of network is on the bench",
        );
        super::parts::part(
            ui,
            "sizes",
            &insides.architecture.sizes_in_words(),
            "Of the layer: n neurons, m gates, e the embedding's width, N values per channel",
        );
    };
    let more = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        super::parts::part(
            ui,
            "numbers in, out",
            &format!("{}, {}", known[0], known[1]),
            "Of a token, and of an output",
        );
        super::parts::part(
            ui,
            "took",
            &format!("{:.0} ms", inspected.took_ms),
            "How long looking took, beside training",
        );
    };
    super::parts::in_rows(ui, parts, more);
}
