//! "What to look at" for regression and recall, in both views that show their training: sentences
//! about what was measured just now.

use super::shared;
use crate::analysis::finding::Finding;
use crate::analysis::recall::Algorithm;
use crate::recipe::{Gating, TaskName};
use crate::run::live::{End, Live};
use crate::task::{Recall, Regression, Task};
use crate::theory::gradient_step;
use crate::ui::kit::format;
use crate::ui::kit::text::Text;
use crate::ui::kit::text::heading;
use crate::ui::kit::text::link;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, Scene, Tab};
use eframe::egui;
use egui::text::LayoutJob;
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    heading(ui, "WHAT TO LOOK AT");
    // In context has the verdict above its pictures.
    if scene.tab != Tab::CONTEXT {
        ui.add(Label::new(RichText::new(headline(scene.live)).font(strong(16.0))).wrap());
    }
    let mute = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).color(palette.mute)).wrap())
    };
    let gated = scene.live.recipe.is_gated();
    let jobs = match scene.live.recipe.task() {
        Task::Attention(_) => vec![],
        Task::Regression(task) if !gated => {
            vec![fit(scene.live, task, palette), step(task, palette)]
        }
        _ if !gated => vec![],
        Task::File(_) => {
            shared::counted(scene.live, palette).map(|text| text.job).into_iter().collect()
        }
        Task::Regression(task) => vec![
            fit(scene.live, task, palette),
            counts(scene.live, regression_needs(scene.live, task), palette),
            step(task, palette),
        ],
        Task::Recall(task) => {
            vec![
                answers(scene.live, task, palette),
                counts(scene.live, recall_needs(scene.live, task), palette),
            ]
        }
    };
    for job in jobs.into_iter().filter(|job| !job.text.is_empty()) {
        ui.add(Label::new(job).wrap());
    }
    mute(ui, &if gated { meaning(scene).to_owned() } else { shared::other_layer(scene.live) });
    ui.add_space(4.0);
    heading(ui, "TRY NEXT");
    if !gated {
        link(
            ui,
            "What this layer keeps",
            "Its memory, gates and state over one sequence, in Dissect (3)",
            Action::Tab(Tab::DISSECT),
            actions,
        );
    }
    if scene.tab == Tab::CONTEXT {
        let (text, help) = if gated {
            ("Its neurons and gates, in Discover", "λ over training and every weight (1)")
        } else {
            ("Its loss, in Discover", "The Discover view (1)")
        };
        link(ui, text, help, Action::Tab(Tab::DISCOVER), actions);
    } else if gated {
        let text = if scene.live.recipe.task.in_context() {
            "What it does with its examples"
        } else {
            "Its test sequences, and where it errs"
        };
        link(ui, text, "The In context view (4)", Action::Tab(Tab::CONTEXT), actions);
    }
    if scene.live.recipe.task.in_context() && gated {
        other_gating(ui, scene, actions);
    }
    if matches!(scene.live.end, Some(End::Finished)) {
        link(ui, "Another seed: is it the same?", "Reseed (Shift+R)", Action::Reseed, actions);
    }
    shared::presets(ui, scene, actions);
    ui.add_space(10.0);
}

/// The same training with the other gating.
fn other_gating(ui: &mut Ui, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let (text, gating) = match scene.live.recipe.gating {
        Gating::Output => ("The same with side gating", Gating::Side),
        Gating::Side => ("The same with output gating", Gating::Output),
    };
    let mut wanted = vec![];
    link(
        ui,
        text,
        "Starts this training again with the other gating.",
        Action::Restart,
        &mut wanted,
    );
    if !wanted.is_empty() {
        scene.draft.clone_from(&scene.live.recipe);
        scene.draft.gating = gating;
        actions.append(&mut wanted);
    }
}

fn headline(live: &Live) -> &'static str {
    if live.failure.is_some() {
        return "Training has stopped.";
    }
    if matches!(live.end, Some(End::Diverged(_))) {
        return "The loss is no longer a number.";
    }
    match live.recipe.task {
        TaskName::File => live.found().map_or("Training on your own sequences.", Finding::headline),
        _ if !live.recipe.is_gated() => "Compare its loss.",
        _ => live.found().map_or("Getting ready to train.", Finding::headline),
    }
}

/// The loss beside a gradient step's.
fn fit(live: &Live, task: Regression, palette: &Palette) -> LayoutJob {
    let mut text = Text::new(palette);
    let Some((loss, _)) = live.history.smooth().filter(|(loss, _)| loss.is_finite()) else {
        text.plain("The first numbers come with the first steps.");
        return text.job;
    };
    let best = gradient_step::expected_loss(task, gradient_step::best_step_size(task));
    text.plain("Over the last steps its loss is ")
        .strong(&format::fixed(loss, 4))
        .plain("; one step of gradient descent on the examples has ");
    text.strong(&format::fixed(best, 4))
        .plain(&format!(" on average: {}.", format::percent(loss / best - 1.0)));
    text.job
}

/// The formulas behind the step, with their numbers.
fn step(task: Regression, palette: &Palette) -> LayoutJob {
    let Regression { inputs, pairs, noise, variance, .. } = task;
    let best = gradient_step::best_step_size(task);
    let mut text = Text::new(palette);
    text.plain("A step from zero answers ŷ = η Σ yₜ (xₜ · x_q). Best is ")
        .marked("η*", palette.teacher)
        .plain(" = 1 / (T + dₓ − 1/5");
    if noise > 0.0 {
        text.plain(" + σ² dₓ / v");
    }
    text.plain(&format!(") with T = {pairs}, dₓ = {inputs}"));
    if noise > 0.0 {
        text.plain(&format!(", noise σ = {noise}, variance v = {variance}"));
    }
    text.plain(": ").marked(&format::fixed(best, 5), palette.teacher);
    let half = if variance == 1.0 { "½".to_owned() } else { format!("½ · {variance}") };
    text.plain(&format!(
        ". Its loss is {half} (1 − T η*) = {}.",
        format::fixed(gradient_step::expected_loss(task, best), 5)
    ));
    text.job
}

/// What a step, or attention, can be built from: neurons with λ = 1, with λ = 0, and the words for
/// it.
struct Needs {
    key_value: usize,
    query: usize,
    what: String,
    /// More to say.
    also: String,
}

fn regression_needs(live: &Live, task: Regression) -> Needs {
    let side = live.recipe.gating == Gating::Side;
    let query = if side { 0 } else { task.inputs };
    Needs {
        key_value: task.inputs * task.outputs,
        query,
        what: "A gradient step".into(),
        also: String::new(),
    }
}

fn recall_needs(live: &Live, task: Recall) -> Needs {
    let v = task.pairs;
    let side = live.recipe.gating == Gating::Side;
    let query = if side { 0 } else { v };
    // Neuron v holds the number of the key that came with value v, one more the number that is
    // asked for: −(held − asked)² is largest for the right one.
    let also = if side {
        String::new()
    } else {
        format!(" Comparing keys as numbers can be done with {v} and 1.")
    };
    Needs {
        key_value: v * v,
        query,
        what: "Attention over all pairs of a key and a value".into(),
        also,
    }
}

fn counts(live: &Live, needs: Needs, palette: &Palette) -> LayoutJob {
    let Some(mut text) = shared::counted(live, palette) else { return LayoutJob::default() };
    text.plain(&format!("{} can be built from ", needs.what))
        .marked(&needs.key_value.to_string(), palette.key_value);
    if needs.query == 0 {
        text.plain(" with λ\u{a0}=\u{a0}1 and no query neurons.");
    } else {
        text.plain(" with λ\u{a0}=\u{a0}1 and ")
            .marked(&needs.query.to_string(), palette.query)
            .plain(" with λ\u{a0}=\u{a0}0.");
    }
    text.plain(&needs.also);
    text.job
}

/// How recall answers.
fn answers(live: &Live, task: Recall, palette: &Palette) -> LayoutJob {
    let mut text = Text::new(palette);
    let percent = |part: f64| format!("{:.1}\u{a0}%", 100.0 * part);
    let Some(Finding::Recall { recalled, .. }) = live.found() else {
        text.plain("The first numbers come with the first steps.");
        return text.job;
    };
    text.strong(&percent(recalled.accuracy)).plain(&format!(
        " right, where guessing has {}. ",
        percent(1.0 / task.pairs.max(1) as f64)
    ));
    text.plain("Only products of memory and query: ")
        .marked(&percent(recalled.attention_accuracy), palette.key_value)
        .plain(". ");
    text.plain(match recalled.algorithm {
        Algorithm::Attention => "They are enough: that is attention.",
        Algorithm::Comparison => {
            "They are not enough: it needs the squares of what it stored, as in −(stored − asked)²."
        }
        Algorithm::None => "There is no answer to explain yet.",
    });
    text.job
}

fn meaning(scene: &Scene<'_>) -> &'static str {
    let context = scene.tab == Tab::CONTEXT;
    match (scene.live.recipe.task(), scene.live.recipe.gating) {
        (Task::Regression(_), Gating::Output) if !context => {
            "A neuron with λ = 1 adds up products y x over the examples: the gradient at zero. One with λ = 0 holds the question's \
             x. Each output gate multiplies one by the other."
        }
        (Task::Regression(_), Gating::Side) if !context => {
            "A neuron with λ = 1 adds up products y x over the examples: the gradient at zero. The side gate multiplies each by \
             the question's x."
        }
        (Task::Regression(_), _) => {
            "In a gradient step one example adds η* xᵢ² yₖ to the answer about itself, and nothing else. The implied map is read \
             off the answers to other questions after the same examples."
        }
        (Task::Recall(_), Gating::Output) => {
            "A gate squares or multiplies two readings of the state. Attention multiplies what was stored by the question; \
             the gates may also compare the two."
        }
        (Task::Recall(_), Gating::Side) => {
            "The side gate multiplies what was stored by a reading of the question: it can attend, but not compare."
        }
        (Task::File(_), _) if context => {
            "A step or an output with a larger error than the others is where the network lacks something: memory, neurons, or \
             sequences to learn from. Click into a picture to read it off; the arrows move."
        }
        (Task::File(_), _) => {
            "It imitates the targets of your own sequences. Dissect says what became of its neurons."
        }
        (Task::Attention(_), _) => "",
    }
}
