//! What to look at, the scores as numbers, what can be done with the result: sentences from
//! measured numbers.

use super::answer::Answer;
use super::{export, reading};
use crate::analysis::stage::Stage;
use crate::model::network::Gating;
use crate::recipe::specimen::Specimen;
use crate::run::inspection::Subject;
use crate::ui::kit::format;
use crate::ui::kit::text::{Text, heading};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{Align, Color32, Label, Layout, RichText, Ui};

/// Outputs that move by less than this are called unchanged.
const UNCHANGED: f64 = 1e-3;

pub fn show(ui: &mut Ui, scene: &Scene<'_>, answer: &Answer<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    heading(ui, "WHAT TO LOOK AT");
    let stages = &answer.dissection.stages;
    if let (Some(raw), Some(minimal)) = (stages.first(), stages.last()) {
        let pruned = stages.get(1).map_or(0, |stage| stage.neurons.len());
        ui.add(Label::new(RichText::new(headline(raw, pruned, minimal)).font(strong(16.0))).wrap());
    }
    let output =
        stages.first().is_some_and(|stage| matches!(stage.network.gating, Gating::Output { .. }));
    ui.add(
        Label::new("Each stage removes what the function does not need, and says how much the outputs moved.").wrap(),
    );
    let mut text = Text::sized(12.5, palette.mute);
    text.marked("Prune", palette.ink).plain(if output {
        " neurons and gates under the threshold. "
    } else {
        " neurons under the threshold. "
    });
    text.marked("Sort", palette.ink).plain(" by λ: blocks appear. ");
    if output {
        text.marked("Merge", palette.ink).plain(" gates whose kernels are parts of one product. ");
    }
    text.marked("Minimal", palette.ink)
        .plain(": λ becomes 1 or 0, and only neurons stay that the others do not span.");
    ui.add(Label::new(text.job).wrap());
    if answer.dissection.snapping > 0.0 {
        let snapping = format!(
            "Making each λ exactly 1 or 0 alone moves the outputs by {}.",
            format::scientific(answer.dissection.snapping)
        );
        ui.add(Label::new(RichText::new(snapping).color(palette.mute)).wrap());
    }
    ui.add_space(4.0);
    heading(ui, "SCORES");
    scores(ui, answer);
    ui.add_space(4.0);
    heading(ui, "USE IT");
    use_it(ui, scene, answer, actions);
    if !answer.dissection.notes.is_empty() {
        ui.add_space(4.0);
        heading(ui, "GOOD TO KNOW");
        for note in &answer.dissection.notes {
            ui.add(Label::new(RichText::new(note).color(palette.mute)).wrap());
        }
    }
    ui.add_space(10.0);
}

fn headline(raw: &Stage, pruned: usize, minimal: &Stage) -> String {
    let (before, after) = (raw.neurons.len(), minimal.neurons.len());
    match minimal.change {
        0.0 if after == 0 => "It answers 0 to everything: no neuron is needed.".into(),
        _ if after == 0 && pruned > 0 => {
            "What pruning leaves answers 0: lower the threshold.".into()
        }
        _ if after == 0 => "All neurons are under the threshold: lower it.".into(),
        change if !change.is_finite() => "The outputs are not numbers.".into(),
        change if change < UNCHANGED && after < before => {
            format!("From {before} neurons to {after}, and nothing changes.")
        }
        _ if after == before => format!("None of the {before} neurons can go."),
        change => {
            format!("From {before} neurons to {after}; the outputs move by {}.", percent(change))
        }
    }
}

fn percent(part: f64) -> String {
    if part >= 0.1 {
        format!("{:.0}\u{a0}%", part * 100.0)
    } else {
        format!("{:.1}\u{a0}%", part * 100.0)
    }
}

fn scores(ui: &mut Ui, answer: &Answer<'_>) {
    let palette = Palette::of(ui);
    let dissection = answer.dissection;
    let number = |value: Option<f64>| value.map_or_else(|| "–".into(), format::scientific);
    let basis = dissection.scores.as_ref().map(reading::basis);
    let of =
        |score: Option<&crate::analysis::scores::Score>| number(score.map(|score| score.value));
    row(
        ui,
        "1 − R² key–values",
        &of(basis.and_then(|basis| basis.key_value.as_ref())),
        palette.key_value,
        "How much of the key–value matrix can't be read off the neurons with λ near 1",
    );
    row(
        ui,
        "1 − R² queries",
        &of(basis.and_then(|basis| basis.query.as_ref())),
        palette.query,
        "How much of the query can't be read off the neurons with λ near 0",
    );
    let distance = dissection.polynomial.as_ref().and_then(|polynomial| polynomial.distance);
    row(
        ui,
        "Polynomial distance",
        &number(distance),
        palette.ink,
        "Student's coefficients for one token against the teacher's, relative",
    );
    row(
        ui,
        "Two-token distance",
        &number(dissection.two_token_distance),
        palette.ink,
        "The same with an earlier token, which sees λ too: 0 means the same function of sequences",
    );
    row(
        ui,
        "Three-token distance",
        &number(dissection.three_token_distance),
        palette.ink,
        "With two earlier tokens: the first that sees products of two different ones",
    );
    let fits = dissection.scores.as_ref().map_or("–", |scores| reading::fit(scores.fits));
    row(
        ui,
        "Basis that fits",
        fits,
        palette.ink,
        "Whether the states hold S and q themselves, or the symmetric form of the same layer",
    );
    if !answer.teacher {
        ui.add(
            Label::new(
                RichText::new("This file names no teacher, so there is nothing to compare with.")
                    .color(palette.mute),
            )
            .wrap(),
        );
    }
}

fn row(ui: &mut Ui, name: &str, value: &str, color: Color32, help: &str) {
    let palette = Palette::of(ui);
    let drawn = ui.horizontal(|ui| {
        ui.label(RichText::new(name).font(plain(12.5)).color(palette.mute));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(value).font(strong(12.5)).color(color))
        });
    });
    drawn.response.on_hover_text(help);
}

fn use_it(ui: &mut Ui, scene: &Scene<'_>, answer: &Answer<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let minimal = answer.dissection.stages.last().filter(|stage| !stage.neurons.is_empty());
    if let Some(stage) = minimal {
        let help = "Puts the minimal network in Discover in place of the one that is trained there, ready to be trained on. It can be undone.";
        if ui.link("Apply the reduction").on_hover_text(help).clicked() {
            let given = Specimen::new("the reduced network", &stage.network, teacher(scene));
            actions.push(Action::Train(Box::new(given)));
        }
    }
    undo(ui, scene, actions);
    if ui
        .link("Save analysis.json")
        .on_hover_text("All that was found, as gatelens analyze writes it")
        .clicked()
    {
        actions.extend(export::json(&answer.dissection.report()));
    }
    ui.add(
        Label::new(
            RichText::new("SVG at a picture's title saves that picture.").color(palette.mute),
        )
        .wrap(),
    );
}

/// Back to the training that was replaced, if there is one.
pub fn undo(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    if let Some(before) = scene.undo
        && ui.link(format!("Undo: back to {before}")).clicked()
    {
        actions.push(Action::Undo);
    }
}

/// What the network on the bench imitates.
fn teacher(scene: &Scene<'_>) -> Option<crate::task::Teacher> {
    match &scene.bench.subject {
        Subject::Specimen(given) => given.teacher.clone(),
        Subject::Live => scene.live.teacher.clone(),
    }
}
