//! What the file holds, and the errors on the sequences that are trained on and on those that are
//! not, in a table.

use super::tested::tested;
use crate::analysis::test_set::Errors;
use crate::run::live::Live;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{Align2, Grid, Label, Rect, RichText, Sense, Ui, vec2};

pub fn show(ui: &mut Ui, rect: Rect, live: &Live) {
    let rect = card::show(ui, rect, "Your file", "what it holds, and the errors on it", |_| ());
    let recipe = &live.recipe;
    let Some(data) = &recipe.data else {
        return card::empty(ui, rect, "the file is not loaded: open it again");
    };
    let ui = &mut card::inside(ui, "file", rect);
    let palette = Palette::of(ui);
    ui.spacing_mut().item_spacing = vec2(0.0, 2.0);
    ui.spacing_mut().interact_size.y = 16.0;
    let test = recipe.test_sequences();
    let count = |value: usize| format::thousands(value as u64);
    let rows = [
        ("file", data.name.clone()),
        (
            "sequences N",
            format!(
                "{}: {} to train on, {} for the test, {}",
                count(data.sequences),
                count(data.sequences - test),
                count(test),
                if recipe.task().is_in_order() { "at the end" } else { "drawn at random" }
            ),
        ),
        (
            "time steps T",
            format!("{}; {}", count(recipe.time), mask(recipe.time, data.steps, data.is_weighted)),
        ),
        ("numbers", format!("d = {} in, d_out = {} out", recipe.dim, recipe.outputs)),
    ];
    for (name, value) in rows {
        ui.horizontal(|ui| {
            let (place, _) = ui.allocate_exact_size(vec2(84.0, 16.0), Sense::hover());
            ui.painter().text(
                place.left_center(),
                Align2::LEFT_CENTER,
                name,
                plain(11.5),
                palette.mute,
            );
            ui.add(Label::new(RichText::new(&value).size(11.5)).truncate()).on_hover_text(&value);
        });
    }
    ui.add_space(8.0);
    let Some(tested) = tested(live) else {
        let text = if test == 0 {
            "No sequences are kept for a test: the test fraction says how many are."
        } else {
            "Errors are measured while training runs."
        };
        ui.add(Label::new(RichText::new(text).size(11.5).color(palette.mute)).wrap());
        return;
    };
    Grid::new("errors").num_columns(4).min_col_width(48.0).spacing(vec2(16.0, 2.0)).show(
        ui,
        |ui| {
            let head = |ui: &mut Ui, text: &str, help: &str| {
                ui.label(RichText::new(text).font(plain(11.0)).color(palette.mute))
                    .on_hover_text(help)
            };
            head(ui, "", "");
            head(
                ui,
                "loss",
                "Mean squared error, and its standard error from how it differs between sequences",
            );
            head(
                ui,
                "nMSE",
                "Loss over the mean square of the targets: 1 is as good as answering 0",
            );
            head(ui, "sequences", "How many were run");
            ui.end_row();
            for (name, errors, help) in [
                ("test", &tested.test, "Sequences that it is never trained on"),
                ("training", &tested.train, "The same weights on sequences that it is trained on"),
            ] {
                row(ui, name, errors, help);
            }
        },
    );
}

/// A set's errors.
fn row(ui: &mut Ui, name: &str, errors: &Errors, help: &str) {
    let palette = Palette::of(ui);
    ui.label(RichText::new(name).size(11.5).color(palette.mute)).on_hover_text(help);
    let chance = errors
        .standard_error
        .map_or_else(String::new, |error| format!(" ± {}", format::scientific(error)));
    ui.label(
        RichText::new(format!("{}{chance}", format::scientific(errors.size.loss)))
            .font(strong(11.5)),
    );
    ui.label(
        RichText::new(errors.size.nmse().map_or_else(|| "–".into(), format::scientific))
            .font(strong(11.5)),
    );
    ui.label(RichText::new(format::thousands(errors.sequences as u64)).size(11.5));
    ui.end_row();
}

/// Which steps count, in words.
fn mask(time: usize, steps: usize, is_weighted: bool) -> String {
    match (steps == time, is_weighted) {
        (true, false) => "no mask, all count the same".into(),
        (true, true) => "its mask weighs them".into(),
        (false, false) if steps == 1 => "by its mask only the last counts".into(),
        (false, false) => format!("by its mask only the last {steps} count"),
        (false, true) => format!("by its mask only the last {steps} count, weighed"),
    }
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn masks_are_told() {
        assert_eq!(mask(8, 1, false), "by its mask only the last counts");
        assert_eq!(
            (mask(8, 8, false).as_str(), mask(8, 3, true).as_str()),
            ("no mask, all count the same", "by its mask only the last 3 count, weighed")
        );
    }
}
