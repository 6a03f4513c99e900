//! What was found, in words, above the pictures that show it.

use crate::analysis::finding::Finding;
use crate::recipe::TaskName;
use crate::run::live::{End, Live};
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, strong};
use eframe::egui;
use egui::{Frame, Label, Margin, RichText, Ui};

/// Signs as they are on the screen: real subscripts and minus signs, and numbers that keep their
/// unit.
pub fn pretty(sentence: &str) -> String {
    format::sentence(sentence).replace("x_i", "xᵢ").replace("y_k", "yₖ")
}

/// Draws the headline, the numbers that it rests on, and when they were measured.
pub fn show(ui: &mut Ui, live: &Live) {
    let palette = Palette::of(ui);
    let frame = Frame::new().fill(palette.panel).inner_margin(Margin {
        left: 12,
        right: 12,
        top: 9,
        bottom: 9,
    });
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 3.0;
        let mute = |ui: &mut Ui, text: String| ui.add(Label::new(RichText::new(text).size(11.5).color(palette.mute)).wrap());
        let Some((step, finding)) = &live.finding else {
            if live.recipe.task == TaskName::File && live.recipe.test_sequences() == 0 {
                ui.add(Label::new(RichText::new("No sequences were kept for a test.").font(strong(17.0))).wrap());
                mute(ui, "What the network makes of unseen sequences shows once the test fraction is above 0, after a restart.".into());
                return;
            }
            if !live.recipe.is_gated() {
                ui.add(Label::new(RichText::new("What it does in context is measured for the gated RNN.").font(strong(17.0))).wrap());
                mute(ui, format!("The loss of this layer ({}) is shown below. Dissect (3) shows what it keeps and, in the regression, how near it is to a step of gradient descent.", live.recipe.model.title));
                return;
            }
            let text = if live.failure.is_some() || matches!(live.end, Some(End::Diverged(_))) { "Nothing was measured." } else { "Nothing is measured yet." };
            ui.add(Label::new(RichText::new(text).font(strong(17.0))).wrap());
            mute(ui, "The network is tested on sequences that it never sees in training, several times a second.".into());
            return;
        };
        let sentences = finding.sentences();
        ui.add(Label::new(RichText::new(finding.headline()).font(strong(17.0))).wrap());
        for sentence in sentences.iter().skip(1) {
            ui.add(Label::new(RichText::new(pretty(sentence))).wrap());
        }
        let count = match finding {
            Finding::Regression { losses, .. } => losses.sequences,
            Finding::Recall { recalled, .. } => recalled.sequences,
            Finding::Test(tested) => tested.test.sequences,
        };
        mute(ui, format!("Measured at step {} on {} unseen sequences.", format::thousands(*step), format::thousands(count as u64)));
    });
    let bottom = ui.min_rect().bottom();
    super::card::rule(
        ui,
        egui::pos2(ui.min_rect().left(), bottom),
        egui::pos2(ui.min_rect().right(), bottom),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_those_of_the_screen() {
        assert_eq!(
            pretty("x_i² y_k is -0.5 (-2 %) or 2e-5, half-way"),
            "xᵢ² yₖ is −0.5 (−2\u{a0}%) or 2e−5, half-way"
        );
    }
}
