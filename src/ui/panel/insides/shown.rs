//! What the cards draw, and how one of several is chosen.

use crate::analysis::insides::Insides;
use eframe::egui;
use egui::Ui;

/// Which answer, in which theme: what is worked out from it is kept as long as this stays.
pub(super) type Stamp = (u32, u32, Option<u64>, u64, bool);

/// What the cards draw.
pub(super) struct Subject<'a> {
    pub(super) insides: &'a Insides,
    pub(super) stamp: Stamp,
    /// Steps that the network was trained for, if it is one that trains.
    pub(super) step: Option<u64>,
}

/// Which of several, by a list in a card's title row; nothing to choose where there is one. `name`
/// is the list's own.
pub(super) fn chooser<'a>(
    ui: &mut Ui,
    name: &str,
    chosen: &mut usize,
    entries: impl ExactSizeIterator<Item = &'a str> + Clone,
) {
    let count = entries.len();
    *chosen = (*chosen).min(count.saturating_sub(1));
    if count < 2 || crate::ui::kit::svg::is_for_file(ui) {
        return;
    }
    let current = entries.clone().nth(*chosen).unwrap_or_default();
    let width = (ui.available_width() * 0.45).clamp(60.0, 150.0);
    let list = egui::ComboBox::from_id_salt(name)
        .width(width)
        .truncate()
        .selected_text(egui::RichText::new(current).size(11.5));
    let response = list.show_ui(ui, |ui| {
        entries.enumerate().for_each(|(i, entry)| {
            ui.selectable_value(chosen, i, entry);
        });
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, name));
}
