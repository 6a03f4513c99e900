//! The list of views.

use super::descriptor::View;
use super::{compare, construct, context, discover, dissect, sweep};
use crate::ui::Tab;

/// As they stand in the top bar; the first is where the window opens. Their keys are 1, 2, ….
pub const VIEWS: &[&View] = &[
    &discover::VIEW,
    &construct::VIEW,
    &dissect::VIEW,
    &context::VIEW,
    &sweep::VIEW,
    &compare::VIEW,
];

impl View {
    /// The view of that word; the first one if there is none.
    pub fn of(tab: Tab) -> &'static Self {
        Self::from_word(tab.0).unwrap_or(VIEWS[0])
    }

    /// That of a word in the address.
    pub fn from_word(word: &str) -> Option<&'static Self> {
        VIEWS.iter().copied().find(|view| view.tab.0 == word)
    }
}
