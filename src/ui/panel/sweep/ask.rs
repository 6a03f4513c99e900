//! A question before something large or final is done.

use super::Action;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{SweepAction, Which};
use eframe::egui;
use egui::{Button, Context, Id, Label, Modal, RichText, Ui, vec2};

/// The question.
pub struct Ask {
    /// What would happen.
    pub question: String,
    /// What the button that does it says.
    pub yes: String,
    /// What it does.
    pub action: SweepAction,
}

/// Draws the question if there is one; puts it away when it is answered.
pub fn show(ctx: &Context, which: Which, ask: &mut Option<Ask>, actions: &mut Vec<Action>) {
    let Some(asked) = ask else { return };
    let mut answer = None;
    let modal = Modal::new(Id::unique("sweep question")).show(ctx, |ui| {
        ui.set_width(300.0f32.min(ctx.content_rect().width() - 60.0));
        ui.spacing_mut().item_spacing.y = 12.0;
        ui.add(Label::new(&asked.question).wrap());
        ui.horizontal(|ui| buttons(ui, &asked.yes, &mut answer));
    });
    if answer.is_none() && !modal.should_close() {
        return;
    }
    if let Some(Ask { action, .. }) = ask.take()
        && answer == Some(true)
    {
        actions.push(Action::Sweep(which, action));
    }
}

fn buttons(ui: &mut Ui, yes: &str, answer: &mut Option<bool>) {
    let palette = Palette::of(ui);
    let size = vec2(0.0, ui.spacing().interact_size.y.max(28.0));
    let button = Button::new(RichText::new(yes).font(strong(12.5)).color(palette.on_accent))
        .fill(palette.accent);
    if ui.add(button.min_size(size)).clicked() {
        *answer = Some(true);
    }
    let no = ui.add(Button::new("Leave it").min_size(size));
    if ui.memory(|memory| memory.focused().is_none()) {
        no.request_focus(); // Enter does no harm
    }
    if no.clicked() {
        *answer = Some(false);
    }
}
