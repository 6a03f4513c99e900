//! "What to look at": sentences about what was measured just now, and nothing else.

mod context;
mod shared;

use crate::recipe::{Gating, Recipe, TaskName};
use crate::run::live::{End, Live};
use crate::theory::cost;
use crate::ui::kit::format;
use crate::ui::kit::text::{Text, heading, link};
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, Scene, Tab};
use eframe::egui;
use egui::text::LayoutJob;
use egui::{Label, RichText, Ui};
use shared::{counted, other_layer, presets};

/// Draws the column.
pub fn show(ui: &mut Ui, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    if scene.live.recipe.task != TaskName::Attention {
        return context::show(ui, scene, actions);
    }
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    heading(ui, "WHAT TO LOOK AT");
    let gated = scene.live.recipe.is_gated();
    ui.add(Label::new(RichText::new(headline(scene.live)).font(strong(16.0))).wrap());
    if let Some(counts) = counts(scene.live, palette).filter(|_| gated) {
        ui.add(Label::new(counts).wrap());
    }
    ui.add(Label::new(fit(scene.live, palette)).wrap());
    let mute = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap())
    };
    if gated {
        mute(ui, meaning(&scene.live.recipe));
    } else {
        mute(ui, &other_layer(scene.live));
        link(
            ui,
            "What this layer keeps, and whether it is attention",
            "Its memory, gates and state over one sequence, in Dissect (3)",
            Action::Tab(Tab::DISSECT),
            actions,
        );
    }
    if scene.live.probe.is_some() {
        mute(
            ui,
            "The two contribution maps agree where the student takes from each earlier token what attention takes.",
        );
    }
    ui.add_space(4.0);
    heading(ui, "TRY NEXT");
    if let Some(before) = scene.undo {
        link(
            ui,
            &format!("Undo: back to {before}"),
            "Takes up the training that was replaced last (Ctrl+Z)",
            Action::Undo,
            actions,
        );
    }
    if matches!(scene.live.end, Some(End::Finished)) {
        link(
            ui,
            "Another seed: are the counts the same?",
            "Reseed (Shift+R)",
            Action::Reseed,
            actions,
        );
    }
    presets(ui, scene, actions);
    ui.add_space(10.0);
}

/// What the loss says, in a sentence.
fn headline(live: &Live) -> &'static str {
    if live.failure.is_some() {
        return "Training has stopped.";
    }
    if matches!(live.end, Some(End::Diverged(_))) {
        return "The loss is no longer a number.";
    }
    match live.history.smooth().map(|(_, nmse)| nmse) {
        None => "Getting ready to train.",
        Some(nmse) if nmse < 1e-4 => "It computes what linear attention computes.",
        Some(nmse) if nmse < 1e-2 => "It imitates linear attention closely.",
        Some(nmse) if nmse < 0.5 => "It is learning to imitate linear attention.",
        Some(_) => "It does not follow the teacher yet.",
    }
}

/// Key-value and query neurons that are known to do for the recipe's attention.
fn construction(recipe: &Recipe) -> (usize, usize) {
    cost::fewest(recipe.dim, recipe.ranks(), recipe.gating == Gating::Side)
}

fn counts(live: &Live, palette: &Palette) -> Option<LayoutJob> {
    let (recipe, mut text) = (&live.recipe, counted(live, palette)?);
    let (needs_key_value, needs_query) = construction(recipe);
    text.plain(&format!(
        "Linear attention of width {}{} can be built from ",
        recipe.dim,
        ranked(recipe)
    ));
    text.marked(&needs_key_value.to_string(), palette.key_value);
    if recipe.gating == Gating::Side {
        text.plain(" with λ = 1 and no query neurons.");
    } else {
        text.plain(" and ").marked(&needs_query.to_string(), palette.query).plain(".");
    }
    Some(text.job)
}

/// The ranks of the recipe's attention, where they are not all full.
fn ranked(recipe: &Recipe) -> String {
    match recipe.ranks() {
        ranks if ranks == [recipe.dim; 3] => String::new(),
        [value, key, query] if value == key && key == query => format!(" and rank {value}"),
        [value, key, query] => {
            format!(" with W_V of rank {value}, W_K of {key} and W_Q of {query}")
        }
    }
}

fn fit(live: &Live, palette: &Palette) -> LayoutJob {
    let mut text = Text::new(palette);
    let Some((_, nmse)) = live.history.smooth().filter(|(_, nmse)| nmse.is_finite()) else {
        text.plain("The first numbers come with the first steps.");
        return text.job;
    };
    let percent = 100.0 * nmse.max(0.0).sqrt();
    let percent = match percent {
        p if p >= 1.0 => format!("{p:.1}\u{a0}%"),
        p if p >= 0.001 => format!("{p:.3}\u{a0}%"),
        p => format!("{}\u{a0}%", format::scientific(p)),
    };
    text.plain("On sequences that it has never seen its outputs are off by ")
        .strong(&percent)
        .plain(" of their size");
    text.plain(&format!(" (root of nMSE {}).", format::scientific(nmse)));
    text.job
}

fn meaning(recipe: &Recipe) -> &'static str {
    match recipe.gating {
        Gating::Output => {
            "A neuron with λ = 1 never forgets: it adds up products of values and keys. One with λ = 0 holds only the \
             current token, the query. Each output gate multiplies two readings of the neurons: attention needs a memory \
             times a query."
        }
        Gating::Side => {
            "A neuron with λ = 1 never forgets: it adds up products of values and keys. The side gate multiplies each by a \
             reading of the current token, the query, so that no neuron has to carry it."
        }
    }
}
