//! Words: headings, links, and text with coloured parts.

use super::theme::{Palette, plain, strong};
use crate::ui::Action;
use eframe::egui;
use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, FontId, RichText, Ui};

/// A small heading in capitals.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(
        RichText::new(text)
            .font(strong(10.5))
            .color(Palette::of(ui).mute)
            .extra_letter_spacing(0.8),
    );
    ui.add_space(1.0);
}

/// Something to try.
pub fn link(ui: &mut Ui, text: &str, help: &str, action: Action, actions: &mut Vec<Action>) {
    if ui.link(format!("{text} →")).on_hover_text(help).clicked() {
        actions.push(action);
    }
}

/// Text with coloured parts.
pub struct Text {
    /// As far as it is written.
    pub job: LayoutJob,
    ink: Color32,
    size: f32,
}

impl Text {
    /// Empty.
    pub fn new(palette: &Palette) -> Self {
        Self::sized(12.5, palette.ink)
    }

    /// Empty, for text of that size and colour.
    pub fn sized(size: f32, ink: Color32) -> Self {
        Self { job: LayoutJob::default(), ink, size }
    }

    fn add(&mut self, text: &str, font: FontId, color: Color32) -> &mut Self {
        self.job.append(text, 0.0, TextFormat { font_id: font, color, ..TextFormat::default() });
        self
    }

    /// Adds text.
    pub fn plain(&mut self, text: &str) -> &mut Self {
        self.add(text, plain(self.size), self.ink)
    }

    /// Adds semibold text.
    pub fn strong(&mut self, text: &str) -> &mut Self {
        self.add(text, strong(self.size), self.ink)
    }

    /// Adds semibold text of that colour.
    pub fn marked(&mut self, text: &str, color: Color32) -> &mut Self {
        self.add(text, strong(self.size), color)
    }
}
