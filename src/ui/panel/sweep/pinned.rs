//! What both guides say: how far it is, and of one run.

use super::card;
use super::state::{Derived, State};
use crate::sweep::measure::Measure;
use crate::sweep::queue::Queue;
use crate::ui::kit::format;
use crate::ui::kit::text::heading;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, SweepAction, Which};
use eframe::egui;
use egui::{Button, RichText, Ui, vec2};

/// The chosen run, and what can be done with it.
pub fn pinned(
    ui: &mut Ui,
    state: &mut State,
    (queue, run): (&Queue, usize),
    measure: Measure,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    heading(ui, "THIS RUN");
    ui.scope(|ui| card::show(ui, queue, run, measure));
    ui.horizontal_wrapped(|ui| {
        let text =
            RichText::new("Train this in Discover").font(strong(12.5)).color(palette.on_accent);
        if ui
            .add(Button::new(text).fill(palette.accent).min_size(vec2(0.0, 28.0)))
            .on_hover_text("Starts its recipe in Discover, from its first step")
            .clicked()
        {
            actions.push(Action::Sweep(state.which, SweepAction::Open(run)));
        }
        if state.which == Which::Compare
            && ui
                .add(Button::new("Look inside").min_size(vec2(0.0, 28.0)))
                .on_hover_text("Its memory, its gates and its state, on the page Inside")
                .clicked()
        {
            actions.push(Action::Sweep(state.which, SweepAction::Inside(run)));
        }
        if ui
            .add(Button::new("Let go").min_size(vec2(0.0, 28.0)))
            .on_hover_text("Show none (Escape in the picture)")
            .clicked()
        {
            state.select(None);
        }
    });
    ui.add_space(6.0);
}

pub fn headline(shown: &Derived) -> String {
    let counts = &shown.counts;
    match () {
        () if counts.over() == 0 => "The first runs are being trained.".into(),
        () if counts.over() < counts.all => format!(
            "{} of {} runs are over.",
            format::thousands(counts.over() as u64),
            format::thousands(counts.all as u64)
        ),
        () if counts.all == 1 => "The run is over.".into(),
        () => format!("All {} runs are over.", format::thousands(counts.all as u64)),
    }
}
