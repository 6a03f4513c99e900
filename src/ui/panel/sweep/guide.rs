//! "What to look at": the chosen run, and what the dots say, with their own numbers.

use super::pinned::{headline, pinned};
use super::plot::{Kind, Picture};
use super::state::State;
use super::{card, plot, race};
use crate::sweep::measure::Measure;
use crate::sweep::queue::Queue;
use crate::ui::kit::format;
use crate::ui::kit::text::{Text, heading};
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, Scene, Which};
use eframe::egui;
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, state: &mut State, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    if state.which == Which::Compare {
        return race::guide::show(ui, state, scene, actions);
    }
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    if let (Some(queue), Some(run), Some(measure)) = (
        scene.sweeps[state.which].queue,
        state.selected,
        state.shown.as_ref().map(|shown| shown.picture.measure),
    ) {
        pinned(ui, state, (queue, run), measure, actions);
    }
    heading(ui, "WHAT TO LOOK AT");
    let muted = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap())
    };
    let Some((queue, shown)) = scene.sweeps[state.which].queue.zip(state.shown.as_ref()) else {
        ui.add(
            Label::new(RichText::new("How many neurons does it take?").font(strong(16.0))).wrap(),
        );
        let text = "Attention of width d can be built from d(d+1)/2 + d neurons. Training finds it with about twice as many: \
                    with fewer the loss stays high, from there on it falls by orders of magnitude. A sweep over the number \
                    of neurons shows where.";
        muted(ui, text);
        muted(
            ui,
            "Several seeds of each size tell chance from effect. Finished runs stay when you add values later.",
        );
        return;
    };
    ui.add(Label::new(RichText::new(headline(shown)).font(strong(16.0))).wrap());
    if !queue.sweep.about.is_empty() {
        ui.add(Label::new(&queue.sweep.about).wrap());
    }
    for text in sentences(queue, &shown.picture, palette) {
        ui.add(Label::new(text.job).wrap());
    }
    muted(ui, how_to_read(&shown.picture));
    muted(
        ui,
        "Point at a dot for its numbers and its curve; click it to keep them here. The arrows go from dot to dot.",
    );
    ui.add_space(10.0);
}

/// Where the loss falls, where it is least, beside what theory says.
fn sentences(queue: &Queue, picture: &Picture, palette: &Palette) -> Vec<Text> {
    const TOLD: usize = 3;
    let mut texts = vec![];
    let title = picture.x_axis.map_or_else(String::new, |i| {
        queue.sweep.axes[i].keys.iter().map(|key| plot::short(key)).collect::<Vec<_>>().join(" = ")
    });
    let numbers = matches!(picture.scale, crate::ui::kit::chart::scale::Scale::Numbers { .. });
    for (i, series) in picture.series.iter().enumerate().take(TOLD) {
        let mut text = Text::new(palette);
        if !series.name.is_empty() {
            text.marked(&series.name, palette.series(i)).plain(": ");
        }
        if let Some((from, to, factor)) = picture.largest_drop(i).filter(|_| numbers) {
            let [from, to] = [from, to].map(|place| picture.scale.text(place));
            text.plain("The median falls most between ")
                .strong(&format!("{title} = {from} and {to}"))
                .plain(&format!(", to {} of what it was. ", fraction(factor)));
        }
        if let Some((place, value)) = picture.least(i) {
            text.plain("The least median is ")
                .strong(&format::scientific(value))
                .plain(&format!(", at {}. ", card::at(&picture.scale, &title, place)));
            if let Some(reference) = picture.reference {
                text.plain(&format!(
                    "One gradient step has {} on average: {}. ",
                    format::fixed(reference, 4),
                    format::percent(value / reference - 1.0)
                ));
            }
        }
        if let Some(minimum) = series.minimum {
            text.plain("It can be built from ").strong(&minimum.to_string()).plain(" neurons.");
        }
        if !text.job.text.is_empty() {
            texts.push(text);
        }
    }
    texts
}

/// "1/130", or "62 %" of what was not much more.
fn fraction(factor: f64) -> String {
    if factor < 0.1 {
        format!("1/{}", format::thousands(two_digits(1.0 / factor)))
    } else {
        format!("{:.0}\u{a0}%", 100.0 * factor)
    }
}

/// A number above 1 to two digits.
fn two_digits(value: f64) -> u64 {
    let unit = 10f64.powf(value.log10().floor() - 1.0).max(1.0);
    ((value / unit).round() * unit) as u64
}

fn how_to_read(picture: &Picture) -> &'static str {
    let diverged = picture.points.iter().any(|point| point.kind == Kind::Diverged);
    match (picture.measure, diverged) {
        (Measure::Nmse, false) => {
            "Each dot is a run: the mean of its last 64th of steps. An nMSE of 1 is as good as answering 0. The line joins the medians of the seeds."
        }
        (Measure::Nmse, true) => {
            "Each dot is a run; crosses at the top diverged, and count as infinite in the medians that the line joins. An nMSE of 1 is as good as answering 0."
        }
        (Measure::Loss, false) => {
            "Each dot is a run: the mean of its last 64th of steps. The line joins the medians of the seeds."
        }
        (Measure::Loss, true) => {
            "Each dot is a run; crosses at the top diverged, and count as infinite in the medians that the line joins."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_read_well() {
        assert_eq!((fraction(1.0 / 130.0), fraction(0.62)), ("1/130".into(), "62\u{a0}%".into()));
        assert_eq!(
            (fraction(1.0 / 12.4), fraction(1.0 / 44_911.0)),
            ("1/12".into(), format!("1/{}", format::thousands(45_000)))
        );
    }
}
