//! "What to look at" in a comparison: the order of the layers, with their numbers.

use super::leaders::leaders;
use crate::sweep::contest::Contender;
use crate::sweep::measure::Measure;
use crate::ui::kit::chart::scale;
use crate::ui::kit::format;
use crate::ui::kit::text::{Text, heading};
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::panel::sweep::pinned::{headline, pinned};
use crate::ui::panel::sweep::state::{Derived, State};
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, state: &mut State, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    let queue = scene.sweeps[state.which].queue;
    if let (Some(queue), Some(run), Some(measure)) =
        (queue, state.selected, state.shown.as_ref().map(|shown| shown.picture.measure))
    {
        pinned(ui, state, (queue, run), measure, actions);
    }
    heading(ui, "WHAT TO LOOK AT");
    let muted = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap())
    };
    let Some((queue, shown)) = queue.zip(state.shown.as_ref()) else {
        ui.add(Label::new(RichText::new("Which layer finds attention?").font(strong(16.0))).wrap());
        muted(
            ui,
            "Linear attention needs a product of two readings of the token, a memory that loses nothing, and a product of that memory with the query. Some layers have all three, some come close, some have to find another way.",
        );
        muted(
            ui,
            "All layers see the same sequences in the same order, under the same schedule. Each gets the best of its learning rates.",
        );
        return;
    };
    ui.add(Label::new(RichText::new(headline(shown)).font(strong(16.0))).wrap());
    if !queue.sweep.about.is_empty() {
        ui.add(Label::new(&queue.sweep.about).wrap());
    }
    order(ui, shown, palette);
    for text in sentences(shown) {
        ui.add(Label::new(text).wrap());
    }
    muted(
        ui,
        "Bold curves and lines are medians of the seeds. Small dots are runs at other learning rates. Point at a curve or a dot for its numbers; click to keep them here.",
    );
    ui.add_space(10.0);
}

/// The layers, the least first.
fn order(ui: &mut Ui, shown: &Derived, palette: &Palette) {
    let mut leaders = leaders(&shown.contenders, shown.picture.series.len());
    leaders.sort_by(|a, b| {
        a.value().unwrap_or(f64::INFINITY).total_cmp(&b.value().unwrap_or(f64::INFINITY))
    });
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        for (place, contender) in leaders.iter().enumerate() {
            let mut text = Text::new(palette);
            text.plain(&format!("{}. ", place + 1))
                .marked(&name(contender), palette.series(contender.variant));
            let value = contender.value().filter(|value| value.is_finite());
            text.plain(" ").strong(&value.map_or_else(|| "diverged".into(), format::scientific));
            if !contender.is_over() {
                text.plain(" so far");
            }
            ui.add(Label::new(text.job).wrap());
        }
    });
}

/// Which one it is, and its size.
fn name(contender: &Contender) -> String {
    format!("{} ({} parameters)", contender.name, format::thousands(contender.parameters as u64))
}

/// What stands out.
fn sentences(shown: &Derived) -> Vec<String> {
    let mut sentences = vec![];
    let over: Vec<&Contender> = leaders(&shown.contenders, shown.picture.series.len())
        .into_iter()
        .filter(|contender| contender.is_over())
        .collect();
    if let Some(reference) = shown.picture.reference.filter(|_| !over.is_empty()) {
        let below: Vec<&str> = over
            .iter()
            .filter(|contender| contender.value().is_some_and(|value| value < 0.98 * reference))
            .map(|contender| contender.name.as_str())
            .collect();
        let line =
            format!("One step of gradient descent has {} on average", format::fixed(reference, 4));
        sentences.push(match below.as_slice() {
            [] => format!("{line}; none is clearly below it."),
            [one] => format!(
                "{line}; {one} is below it: attention is enough for this task, not the best."
            ),
            several => {
                format!(
                    "{line}; {} are below it: attention is enough for this task, not the best.",
                    several.join(", ")
                )
            }
        });
    } else if shown.picture.measure == Measure::Nmse && !over.is_empty() {
        sentences.push("An nMSE of 1 is as good as answering 0.".into());
    }
    let edge: Vec<String> = over
        .iter()
        .filter(|contender| contender.at_edge())
        .filter_map(|contender| {
            Some(format!("{} ({})", contender.name, scale::plain(contender.best()?.rate)))
        })
        .collect();
    if !edge.is_empty() {
        sentences.push(format!(
            "At the edge of the learning rates tried: {}. A better one may lie beyond.",
            edge.join(", ")
        ));
    }
    sentences
}
