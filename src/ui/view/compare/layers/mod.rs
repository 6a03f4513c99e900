//! The page Layers: which layer can hold linear attention (paper, Table 3), how, and with which
//! error.
//!
//! [`table`] is the paper's table, [`construction`] the chosen layer made into attention
//! ([`equations`]), [`work`] measures its error against ε, [`picture`] draws that, [`update`] shows
//! why a GRU's gates lack a product.

mod ability;
mod construction;
mod equations;
mod picture;
mod settings;
mod state;
mod table;
mod update;
mod work;

use crate::named::Named;
use crate::theory::layers::Host;
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::panel::banner;
use crate::ui::{Action, Scene};
use eframe::egui;
use egui::{CentralPanel, Frame, Key, Margin, Modifiers, RichText, ScrollArea, Ui};

pub use state::State;

pub fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    keys(ui, state);
    state.refresh(ui);
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::messages(ui, scene);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            Frame::new().inner_margin(Margin::symmetric(14, 10)).show(ui, |ui| {
                ui.set_width(ui.available_width());
                ui.spacing_mut().item_spacing.y = 6.0;
                table::show(ui, state, narrow, actions);
                ui.add_space(10.0);
                ui.separator();
                construction::show(ui, state, narrow, actions);
                if state.is_built()
                    && matches!(state.settings.layer, Host::GruBefore | Host::GruCurved)
                {
                    ui.add_space(10.0);
                    ui.separator();
                    update::show(ui, &mut state.biases, narrow);
                }
                ui.add_space(12.0);
            });
        });
    });
}

/// Arrows go from row to row, unless something has the keyboard.
fn keys(ui: &Ui, state: &mut State) {
    if ui.memory(|memory| memory.focused().is_some()) {
        return;
    }
    for (key, row) in
        [(Key::ArrowDown, Some(state.row + 1)), (Key::ArrowUp, state.row.checked_sub(1))]
    {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key))
            && let Some(row) = row
        {
            state.choose_row(row);
        }
    }
}

/// Draws the status line.
pub fn status(ui: &mut Ui, state: &State) {
    let palette = Palette::of(ui);
    let entry = state.entry();
    let fields = match state.work.as_ref().filter(|_| state.is_built()) {
        None => vec![
            ("layer", entry.layer.to_owned()),
            ("layers", entry.layers.map_or_else(|| "—".into(), |layers| layers.to_string())),
        ],
        Some(work) => {
            let error = |pick: fn(&crate::theory::layers::curve::Point) -> f64| {
                work.point(state.settings.exponent)
                    .map_or_else(|| "…".into(), |point| format::scientific(pick(&point)))
            };
            vec![
                ("layer", state.settings.layer.title().to_owned()),
                ("d", state.settings.dim.to_string()),
                ("ε", work::power(-state.settings.exponent)),
                ("error f64", error(|point| point.double)),
                ("f32", error(|point| point.single)),
            ]
        }
    };
    ui.spacing_mut().interact_size.y = 20.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(6.0, 1.0);
        ui.add_space(if ui.available_height() > 40.0 { 6.0 } else { 4.0 });
        for (label, value) in fields {
            ui.label(RichText::new(label).size(12.0).color(palette.mute));
            ui.label(RichText::new(value).font(strong(12.0)));
            ui.add_space(8.0);
        }
    });
}
