//! Formulas as text: W_V with its V lowered.

use super::theme::plain;
use eframe::egui;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32};

/// `text` with each character that follows a `_` as a subscript.
pub fn job(text: &str, size: f32, color: Color32) -> LayoutJob {
    let mut job = LayoutJob::default();
    let normal = TextFormat { font_id: plain(size), color, ..TextFormat::default() };
    let lowered = TextFormat {
        font_id: plain(size * 0.72),
        color,
        valign: Align::BOTTOM,
        ..TextFormat::default()
    };
    let mut parts = text.split('_');
    job.append(parts.next().unwrap_or_default(), 0.0, normal.clone());
    for part in parts {
        let end = part.chars().next().map_or(0, char::len_utf8);
        job.append(&part[..end], 0.0, lowered.clone());
        job.append(&part[end..], 0.0, normal.clone());
    }
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscripts_are_small() {
        let job = job("q = W_Q x", 12.0, Color32::BLACK);
        assert_eq!((job.text.as_str(), job.sections.len()), ("q = WQ x", 3));
        assert!(job.sections[1].format.font_id.size < 10.0);
        assert_eq!(super::job("_", 12.0, Color32::BLACK).text, "");
    }
}
