//! "What to look at": sentences about the chosen token and neuron, or about what is broken, with
//! their own numbers.

use super::built::{Built, Running, role};
use super::numbers;
use super::numbers::gate_name;
use super::state::State;
use crate::theory::ablation::Ablation;
use crate::theory::{Part, Variant, cost};
use crate::ui::kit::text::{Text, heading};
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::kit::{format, formula};
use eframe::egui;
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, state: &mut State) {
    let palette = Palette::of(ui);
    ui.add_space(10.0);
    ui.spacing_mut().item_spacing.y = 8.0;
    heading(ui, "WHAT TO LOOK AT");
    let muted =
        |ui: &mut Ui, text: &str| ui.add(Label::new(formula::job(text, 12.5, palette.mute)).wrap());
    let Some(built) = &state.built else { return };
    match &built.network {
        Err(_) => {
            ui.add(
                Label::new(
                    RichText::new("Not every construction fits every attention.")
                        .font(strong(16.0)),
                )
                .wrap(),
            );
            muted(
                ui,
                "The symmetric ones divide by W_V. A matrix without full rank sends a direction to zero, and nothing brings it back.",
            );
        }
        Ok(running) => {
            let token = state.token.min(built.moments.len() - 1);
            let error = built.largest_error(running);
            ui.add(Label::new(RichText::new(headline(built, error)).font(strong(16.0))).wrap());
            if state.settings.ablation != Ablation::default() {
                ui.add(
                    Label::new(broken(built, running, &state.settings.ablation, palette).job)
                        .wrap(),
                );
            }
            let neuron = state.neuron.min(running.construction.neurons.len() - 1);
            ui.add(Label::new(arrival(running, token, neuron, palette).job).wrap());
            ui.add(
                Label::new(readers(running, (token, neuron), built.is_exact(error), palette).job)
                    .wrap(),
            );
            muted(ui, running.construction.meaning);
        }
    }
    muted(ui, &advice(state));
    ui.add_space(4.0);
    heading(ui, "TRY");
    suggestions(ui, state);
    ui.add_space(10.0);
}

fn headline(built: &Built, error: f64) -> String {
    if built.is_exact(error) {
        return "A recurrent network that is attention.".into();
    }
    let largest = built.largest_output();
    if largest < 1e-9 {
        return "Broken: it is no longer attention.".into();
    }
    format!(
        "Broken: its outputs are off by up to {}\u{a0}% of the largest.",
        percent(error / largest)
    )
}

fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    match percent {
        p if p >= 10.0 => format!("{p:.0}"),
        p if p >= 0.1 => format!("{p:.1}"),
        p => format::scientific(p),
    }
}

/// What the token does to the chosen neuron.
fn arrival(running: &Running, token: usize, i: usize, palette: &Palette) -> Text {
    let neuron = &running.construction.neurons[i];
    let color = palette.role(role(neuron.part));
    let [a, b] = running.readings.each_ref().map(|readings| readings.at(token, i));
    let (lambda, before, added, held) = (
        running.network.lambda[i],
        running.before(token, i),
        running.added.at(token, i),
        running.states.at(token, i),
    );
    let mut text = Text::new(palette);
    text.plain(&format!("Token {} arrives. Neuron ", token + 1)).marked(&neuron.name, color);
    let [first, second] = &neuron.factors;
    let product =
        format!("{} · {} = {}", numbers::fixed(a), numbers::factor(b), numbers::fixed(added));
    match neuron.part {
        Part::Accumulator { row, column } => {
            text.plain(&format!(
                " multiplies two readings of it, {first} · {second} = {product}, and adds that to "
            ));
            match (token, lambda) {
                (0, _) => text.plain("nothing, as it is the first: "),
                (_, 1.0) => text.plain(&format!("the {} that it held: ", numbers::fixed(before))),
                _ => text.plain(&format!(
                    "{} of the {} that it held: ",
                    numbers::lambda(lambda),
                    numbers::fixed(before)
                )),
            };
            text.strong(&numbers::fixed(held)).plain(&format!(
                ", entry ({}, {}) of the key–value matrix",
                row + 1,
                column + 1
            ));
            text.plain(if lambda == 1.0 { ", and nothing of it will fade." } else { "." });
        }
        Part::Query(_) => {
            text.plain(&format!(" multiplies its reading of it by the constant: {product}. "));
            match lambda {
                0.0 => text.plain(
                    "What it held is forgotten: it is the query of this token and of no other.",
                ),
                _ => text.plain(&format!(
                    "It keeps {} of the {} it held, the queries of other tokens.",
                    numbers::lambda(lambda),
                    numbers::fixed(before)
                )),
            };
        }
    }
    text
}

/// The gates that read it.
fn readers(
    running: &Running,
    (token, neuron): (usize, usize),
    exact: bool,
    palette: &Palette,
) -> Text {
    let gates: Vec<usize> = (0..running.construction.gates.len())
        .filter(|&gate| running.construction.gates[gate].neurons.contains(&neuron))
        .collect();
    let mut text = Text::new(palette);
    let name = |gate: usize| {
        format!(
            "{} = {}",
            gate_name(&running.construction.gates[gate]),
            numbers::fixed(running.product(token, gate))
        )
    };
    match gates[..] {
        [] => text.plain("No gate reads it."),
        [gate] => text.plain(&format!("One gate reads it: {}.", name(gate))),
        [first, last] => {
            text.plain(&format!("Two gates read it: {} and {}.", name(first), name(last)))
        }
        [first, .., last] => text.plain(&format!(
            "{} gates read it, from {} to {}.",
            gates.len(),
            name(first),
            name(last)
        )),
    };
    text.plain(" The readout sums the gates: a matrix times a vector");
    text.plain(if exact { ", which is attention." } else { ", but not attention's." });
    text
}

/// What is broken, and why it shows.
fn broken(built: &Built, running: &Running, ablation: &Ablation, palette: &Palette) -> Text {
    let construction = &running.construction;
    let last = built.moments.len() - 1;
    let mut text = Text::new(palette);
    if ablation.accumulator_lambda < 1.0 {
        let lambda = ablation.accumulator_lambda;
        text.marked(&format!("λ = {} forgets. ", numbers::lambda(lambda)), palette.error);
        let left = lambda.powi(i32::try_from(last).unwrap_or(i32::MAX));
        text.plain(&format!(
            "Attention weighs all tokens alike; here token 1 counts only {}\u{a0}% at token {}. ",
            percent(left),
            last + 1
        ));
        let [begin, end] = [0, last].map(|token| built.error(running, token));
        if built.is_exact(begin) {
            text.plain(&format!(
                "At token 1 nothing is lost yet; at token {} the error is {}. ",
                last + 1,
                numbers::error(end)
            ));
        } else {
            text.plain(&format!(
                "The error is {} at token 1 and {} at token {}. ",
                numbers::error(begin),
                numbers::error(end),
                last + 1
            ));
        }
    }
    if ablation.query_lambda > 0.0 && construction.variant != Variant::Side {
        text.marked(
            &format!("λ = {} remembers queries. ", numbers::lambda(ablation.query_lambda)),
            palette.error,
        );
        text.plain(
            "A query must be the current token's alone; now those of earlier tokens are mixed in. ",
        );
    }
    if !ablation.constant {
        if construction.variant == Variant::Side {
            text.strong("No constant, no harm: ").plain("with a side gate no neuron needs it. ");
        } else {
            text.marked("No constant. ", palette.error);
            text.plain("A gate multiplies, so a query passes only as q · 1. Without the 1 it is q · 0: nothing is asked, and every output is 0. ");
        }
    }
    if let Some(neuron) = ablation.dropped.and_then(|neuron| construction.neurons.get(neuron)) {
        text.marked(&format!("Without {}. ", neuron.name), palette.error);
        match neuron.part {
            Part::Accumulator { row, column } => {
                let mirrored = row != column
                    && matches!(
                        construction.variant,
                        Variant::Symmetric | Variant::SymmetricShared
                    );
                let both = if mirrored {
                    format!(", which is also ({}, {}),", column + 1, row + 1)
                } else {
                    String::new()
                };
                text.plain(&format!(
                    "Entry ({}, {}) of the key–value matrix{both} is missing from every sum. ",
                    row + 1,
                    column + 1
                ));
            }
            Part::Query(j) => {
                text.plain(&format!("Column {} of the key–value matrix is never read. ", j + 1));
            }
        }
    }
    text
}

/// How large a network that is to be trained should be.
fn advice(state: &State) -> String {
    let (n, m) = cost::advice(state.settings.dim, state.settings.ranks);
    format!(
        "To find this by training, give it about twice what it needs: n = {n} neurons and m = {m} gates."
    )
}

/// Things to do, done by a click.
fn suggestions(ui: &mut Ui, state: &mut State) {
    let settings = &mut state.settings;
    let whole = settings.ablation == Ablation::default();
    let applies = state.built.as_ref().is_none_or(|built| built.network.is_ok());
    let mut link = |text: &str| ui.link(format!("{text} →")).clicked();
    if !applies {
        for (variant, text) in
            [(Variant::LowRank, "Build it at low rank"), (Variant::Naive, "Build it naively")]
        {
            if link(text) {
                (settings.variant, settings.ablation.dropped) = (variant, None);
            }
        }
        if link("Take a teacher of full rank") {
            settings.ranks = [settings.dim; 3];
        }
        return;
    }
    if !whole && link("Mend what is broken") {
        settings.ablation = Ablation::default();
    }
    if settings.ablation.accumulator_lambda == 1.0 && link("Let the accumulators forget: λ = 0.9")
    {
        settings.ablation.accumulator_lambda = 0.9;
    }
    if settings.ablation.constant && link("Take the constant input away") {
        settings.ablation.constant = false;
    }
    if settings.dim > 1
        && settings.variant != Variant::SymmetricShared
        && settings.ranks[0] == settings.dim
        && link("Let one gate serve two outputs")
    {
        (settings.variant, settings.ablation.dropped) = (Variant::SymmetricShared, None);
    }
    if settings.dim > 1 && settings.is_full_rank() && link("Take a teacher of half the rank") {
        settings.ranks = [settings.dim.div_ceil(2); 3];
        (settings.variant, settings.ablation.dropped) = (Variant::LowRank, None);
    }
}
