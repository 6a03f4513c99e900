//! What all panels draw with: colours and fonts, cards, numbers, axes, icons, pictures for files.
//! Knows no view and no panel.

pub mod axes;
pub mod card;
pub mod chart;
pub mod choice;
pub mod export;
pub mod format;
pub mod formula;
pub mod heatmap;
pub mod icon;
pub mod readout;
pub mod setting;
pub mod svg;
pub mod text;
pub mod theme;
pub mod tokens;
