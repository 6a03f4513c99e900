//! What the guides of all tasks say.

use crate::analysis::importance::Census;
use crate::recipe::{Gating, TaskName, preset};
use crate::run::live::Live;
use crate::ui::kit::text::{Text, link};
use crate::ui::kit::theme::Palette;
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::Ui;

/// Links to the other presets, those of the same kind of task first.
pub fn presets(ui: &mut Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let names: &[&str] = match scene.live.recipe.task {
        TaskName::Attention => {
            &["quick", "discover", "low-rank", "side", "paper", "regression", "recall"]
        }
        TaskName::Regression => &["regression", "recall", "discover", "quick"],
        TaskName::Recall => &["recall", "regression", "discover", "quick"],
        TaskName::File => &["discover", "regression", "recall"],
    };
    for preset in
        names.iter().filter(|name| **name != scene.preset).filter_map(|name| preset::find(name))
    {
        link(ui, &preset.title, &preset.about, Action::Preset(preset.name), actions);
    }
}

/// What the pictures are not drawn of.
pub fn other_layer(live: &Live) -> String {
    format!(
        "Layer: {}. Neurons, weights and contributions are drawn of the gated RNN; of other layers the loss is shown here, their insides in Dissect.",
        live.recipe.model.title
    )
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

/// "1 neuron", "2 neurons".
pub(super) fn neurons(count: usize) -> String {
    format!("{count} {}", if count == 1 { "neuron" } else { "neurons" })
}

/// The verb that goes with the number.
pub(super) fn verb<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
