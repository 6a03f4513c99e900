//! The verdict, what it rests on, and which network it is about.

use super::answer::Answer;
use crate::run::inspection::Subject;
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{Frame, Label, Margin, RichText, Ui};

/// What was found, in words.
pub struct Statement {
    /// In one sentence.
    pub headline: String,
    /// What it rests on.
    pub evidence: String,
    /// Whether it is attention.
    pub is_attention: bool,
    /// To the newest question.
    pub current: bool,
    /// What was pruned by; none of layers that are not taken apart.
    pub threshold: Option<f64>,
}

impl Statement {
    /// Of a gated network.
    pub fn of(answer: &Answer<'_>) -> Self {
        let verdict = &answer.dissection.verdict;
        let (headline, threshold) = (headline(answer), Some(answer.settings.threshold));
        Self {
            headline,
            evidence: verdict.evidence.clone(),
            is_attention: verdict.is_attention,
            current: answer.current,
            threshold,
        }
    }
}

/// Draws the strip at the top.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, said: Option<&Statement>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let frame = Frame::new().fill(palette.panel).inner_margin(Margin {
        left: 16,
        right: 16,
        top: 10,
        bottom: 8,
    });
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 3.0;
        if let Some(said) = said {
            ui.horizontal_wrapped(|ui| {
                let color = if said.is_attention { palette.teacher } else { palette.ink };
                ui.label(RichText::new(&said.headline).font(strong(17.0)).color(color));
            });
            if !said.evidence.is_empty() {
                ui.add(Label::new(RichText::new(&said.evidence).color(palette.mute)).wrap());
            }
        }
        source(ui, scene, said, actions);
    });
}

fn headline(answer: &Answer<'_>) -> String {
    let given = &answer.dissection.verdict.headline;
    if !given.is_empty() {
        return given.clone();
    }
    let census = &answer.dissection.census;
    format!("{} neurons with λ near 1, {} with λ near 0.", census.key_value, census.query)
}

/// Where the network comes from, and how to take another.
fn source(ui: &mut Ui, scene: &Scene<'_>, said: Option<&Statement>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let step = scene.bench.inspected.as_ref().and_then(|inspected| inspected.step);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let mute = |ui: &mut Ui, text: &str| ui.label(RichText::new(text).color(palette.mute));
        let open = match &scene.bench.subject {
            Subject::Live => {
                let at = step
                    .map_or_else(String::new, |step| format!(", step {}", format::thousands(step)));
                mute(ui, &format!("From the running network{at}"));
                "load a file…"
            }
            Subject::Specimen(given) => {
                mute(ui, &format!("From {} · ", given.name));
                if ui.link("back to the running network").clicked() {
                    actions.push(Action::Dissect(Subject::Live));
                }
                "load another file…"
            }
        };
        let threshold = said
            .and_then(|said| said.threshold)
            .map_or_else(String::new, |threshold| format!("threshold {threshold} · "));
        mute(ui, &format!(" · {threshold}"));
        if ui
            .link(open)
            .on_hover_text("A safetensors file of weights; you can also drop one on the window")
            .clicked()
        {
            actions.push(Action::OpenToDissect);
        }
        if said.is_some_and(|said| !said.current) {
            mute(ui, " · working…");
        }
    });
}
