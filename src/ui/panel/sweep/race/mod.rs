//! What the page Race of Compare draws in place of a sweep's middle: curves side by side, the loss
//! over the number of parameters, the search for each layer's learning rate, all runs.

pub mod bundles;
pub mod curves;
pub mod guide;
mod leaders;
pub mod rates;

use super::state::{State, card_of};
use super::{picture, table};
use crate::sweep::queue::Queue;
use crate::ui::Action;
use crate::ui::kit::card;
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
