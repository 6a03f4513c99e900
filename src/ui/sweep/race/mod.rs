//! What the page Race of Compare draws in place of a sweep's middle: curves side by side, the loss
//! over the number of parameters, the search for each layer's learning rate, all runs.

pub mod curves;
pub mod guide;
pub mod rates;

use super::{State, card_of, picture, table};
use crate::sweep::contest::Contender;
use crate::sweep::queue::Queue;
use crate::ui::{Action, card};
use eframe::egui;
use egui::{Rect, Ui, pos2};

/// Draws the four cards.
pub fn middle(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    queue: &Queue,
    actions: &mut Vec<Action>,
) {
    let (middle, half) = (rect.top() + (rect.height() * 0.54).round(), rect.center().x.round());
    let corner =
        |x0: f32, y0: f32, x1: f32, y1: f32| Rect::from_min_max(pos2(x0, y0), pos2(x1, y1));
    let (left, right, top, bottom) = (rect.left(), rect.right(), rect.top(), rect.bottom());
    card_of(ui, corner(left, top, half, middle), state, |ui, rect, state, shown| {
        curves::show(ui, rect, state, shown, queue, actions)
    });
    card_of(ui, corner(half, top, right, middle), state, |ui, rect, state, shown| {
        picture::show(ui, rect, state, shown, queue, actions)
    });
    card_of(ui, corner(left, middle, half, bottom), state, |ui, rect, state, shown| {
        rates::show(ui, rect, state, shown, queue)
    });
    card_of(ui, corner(half, middle, right, bottom), state, |ui, rect, state, shown| {
        table::show(ui, rect, state, shown, queue, actions)
    });
    card::rule(ui, pos2(half, top), pos2(half, bottom));
}

/// The best contender of each variant that has something to show.
fn leaders(contenders: &[Contender], variants: usize) -> Vec<&Contender> {
    let best = |variant: usize| {
        let known = contenders
            .iter()
            .filter(move |contender| contender.variant == variant)
            .filter_map(|contender| Some((contender, contender.value()?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(contender, _)| contender)
    };
    (0..variants).filter_map(best).collect()
}
