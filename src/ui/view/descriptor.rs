//! What a view declares.

use crate::ui::{Action, Memory, Scene, Tab};
use eframe::egui::Ui;

/// What there is to say of a view.
#[derive(Debug)]
pub struct View {
    /// The word in addresses.
    pub tab: Tab,
    /// In the top bar.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub sentence: &'static str,
    /// Keys and what they do, for the window that lists them.
    pub keys: &'static [(&'static str, &'static str)],
    /// Draws it and reads its keys; `narrow` says that all stands in one column.
    pub show: fn(&mut Ui, &mut Memory, &mut Scene<'_>, narrow: bool, &mut Vec<Action>),
    /// Draws its status line, in two rows where it is narrow.
    pub status: fn(&mut Ui, &mut Memory, &Scene<'_>, narrow: bool),
}
