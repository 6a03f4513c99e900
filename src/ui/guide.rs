//! "What to look at": sentences about what was measured just now, and nothing else.

use super::controls::heading;
use super::theme::{Palette, plain, strong};
use super::{Action, Tab, View, context, format};
use crate::analysis::importance::Census;
use crate::recipe::preset;
use crate::recipe::{Gating, Recipe, TaskName};
use crate::run::live::{End, Live};
use crate::theory::cost;
use eframe::egui;
use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, FontId, Label, RichText, Ui};

/// Draws the column.
pub fn show(ui: &mut Ui, view: &mut View<'_>, actions: &mut Vec<Action>) {
    if view.live.recipe.task != TaskName::Attention {
        return context::guide::show(ui, view, actions);
    }
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    heading(ui, "WHAT TO LOOK AT");
    let gated = view.live.recipe.is_gated();
    ui.add(Label::new(RichText::new(headline(view.live)).font(strong(16.0))).wrap());
    if let Some(counts) = counts(view.live, palette).filter(|_| gated) {
        ui.add(Label::new(counts).wrap());
    }
    ui.add(Label::new(fit(view.live, palette)).wrap());
    let mute = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap())
    };
    if gated {
        mute(ui, meaning(&view.live.recipe));
    } else {
        mute(ui, &other_layer(view.live));
        link(
            ui,
            "What this layer keeps, and whether it is attention",
            "Its memory, gates and state over one sequence, in Dissect (3)",
            Action::Tab(Tab::Dissect),
            actions,
        );
    }
    if view.live.probe.is_some() {
        mute(
            ui,
            "The two contribution maps agree where the student takes from each earlier token what attention takes.",
        );
    }
    ui.add_space(4.0);
    heading(ui, "TRY NEXT");
    if let Some(before) = view.undo {
        link(
            ui,
            &format!("Undo: back to {before}"),
            "Takes up the training that was replaced last (Ctrl+Z)",
            Action::Undo,
            actions,
        );
    }
    if matches!(view.live.end, Some(End::Finished)) {
        link(
            ui,
            "Another seed: are the counts the same?",
            "Reseed (Shift+R)",
            Action::Reseed,
            actions,
        );
    }
    presets(ui, view, actions);
    ui.add_space(10.0);
}

/// Links to the other presets, those of the same kind of task first.
pub fn presets(ui: &mut Ui, view: &View<'_>, actions: &mut Vec<Action>) {
    let names: &[&str] = match view.live.recipe.task {
        TaskName::Attention => {
            &["quick", "discover", "low-rank", "side", "paper", "regression", "recall"]
        }
        TaskName::Regression => &["regression", "recall", "discover", "quick"],
        TaskName::Recall => &["recall", "regression", "discover", "quick"],
        TaskName::File => &["discover", "regression", "recall"],
    };
    for preset in
        names.iter().filter(|name| **name != view.preset).filter_map(|name| preset::find(name))
    {
        link(ui, &preset.title, &preset.about, Action::Preset(preset.name), actions);
    }
}

/// Something to try.
pub fn link(ui: &mut Ui, text: &str, help: &str, action: Action, actions: &mut Vec<Action>) {
    if ui.link(format!("{text} →")).on_hover_text(help).clicked() {
        actions.push(action);
    }
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

/// What the pictures are not drawn of.
pub fn other_layer(live: &Live) -> String {
    format!(
        "Layer: {}. Neurons, weights and contributions are drawn of the gated RNN; of other layers the loss is shown here, their insides in Dissect.",
        live.recipe.model.title
    )
}

/// Key-value and query neurons that are known to do for the recipe's attention.
fn construction(recipe: &Recipe) -> (usize, usize) {
    cost::fewest(recipe.dim, recipe.ranks(), recipe.gating == Gating::Side)
}

/// What there is now, if that can be counted: neurons by their kind, and gates.
pub fn counted(live: &Live, palette: &Palette) -> Option<Text> {
    let mut text = Text::new(palette);
    let Census { key_value, query, between, unused, gates } = live.weights.as_ref()?.census()?;
    text.plain("Right now ").marked(&neurons(key_value), palette.key_value).plain(verb(
        key_value,
        " remembers",
        " remember",
    ));
    text.plain(" (λ\u{a0}>\u{a0}0.9) and ")
        .marked(&query.to_string(), palette.query)
        .plain(verb(query, " passes", " pass"));
    text.plain(" the current token on (λ\u{a0}<\u{a0}0.1). ");
    if between > 0 {
        text.plain(&format!("{between} {} between. ", verb(between, "is", "are")));
    }
    if unused > 0 {
        text.plain(&format!(
            "{unused} {} under 1 % of the largest importance. ",
            verb(unused, "is", "are")
        ));
    }
    if live.recipe.gating == Gating::Output {
        text.plain(&format!("{gates} of {} output gates are in use. ", live.recipe.gates));
    }
    Some(text)
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

/// "1 neuron", "2 neurons".
fn neurons(count: usize) -> String {
    format!("{count} {}", if count == 1 { "neuron" } else { "neurons" })
}

/// The verb that goes with the number.
fn verb<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// Text with coloured parts.
pub struct Text {
    /// As far as it is written.
    pub job: LayoutJob,
    ink: Color32,
    size: f32,
}

impl Text {
    /// Empty.
    pub fn new(palette: &Palette) -> Self {
        Self::sized(12.5, palette.ink)
    }

    /// Empty, for text of that size and colour.
    pub fn sized(size: f32, ink: Color32) -> Self {
        Self { job: LayoutJob::default(), ink, size }
    }

    fn add(&mut self, text: &str, font: FontId, color: Color32) -> &mut Self {
        self.job.append(text, 0.0, TextFormat { font_id: font, color, ..TextFormat::default() });
        self
    }

    /// Adds text.
    pub fn plain(&mut self, text: &str) -> &mut Self {
        self.add(text, plain(self.size), self.ink)
    }

    /// Adds semibold text.
    pub fn strong(&mut self, text: &str) -> &mut Self {
        self.add(text, strong(self.size), self.ink)
    }

    /// Adds semibold text of that colour.
    pub fn marked(&mut self, text: &str, color: Color32) -> &mut Self {
        self.add(text, strong(self.size), color)
    }
}
