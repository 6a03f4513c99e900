//! Laid-out text as SVG text: a run of letters of one look after another, each where it stood, as
//! wide as it was.

use super::{Writer, number, paint};
use eframe::egui;
use egui::epaint::TextShape;
use egui::epaint::text::{ByteIndex, Glyph, LayoutJob, TextFormat};
use egui::{Color32, FontFamily};
use std::fmt::Write as _;

impl Writer {
    pub(super) fn text(&mut self, shape: &TextShape) {
        let galley = &shape.galley;
        if shape.angle != 0.0 {
            let [x, y] = [shape.pos.x, shape.pos.y].map(number);
            let _ = writeln!(
                self.out,
                "<g transform=\"rotate({} {x} {y})\">",
                number(shape.angle.to_degrees())
            );
        }
        let mut byte = 0; // of the job's text
        for row in &galley.rows {
            let mut first = 0;
            let format_at = |byte: usize| format_of(&galley.job, byte);
            let mut started = byte;
            for (i, glyph) in row.row.glyphs.iter().enumerate() {
                if format_at(byte) != format_at(started) {
                    self.run(shape, format_at(started), &row.row.glyphs[first..i], row.pos);
                    (first, started) = (i, byte);
                }
                byte += glyph.chr.len_utf8();
            }
            self.run(shape, format_at(started), &row.row.glyphs[first..], row.pos);
            byte += usize::from(row.ends_with_newline);
        }
        if shape.angle != 0.0 {
            self.out.push_str("</g>\n");
        }
    }

    fn run(
        &mut self,
        shape: &TextShape,
        format: Option<&TextFormat>,
        glyphs: &[Glyph],
        row: egui::Pos2,
    ) {
        // Spaces at the ends are dropped by some readers, so they are by this writer.
        let ink = |glyph: &Glyph| !glyph.chr.is_whitespace();
        let (Some(begin), Some(end)) = (glyphs.iter().position(ink), glyphs.iter().rposition(ink))
        else {
            return;
        };
        let glyphs = &glyphs[begin..=end];
        let text: String = glyphs.iter().map(|glyph| glyph.chr).collect();
        let (Some(format), Some(first), Some(last)) = (format, glyphs.first(), glyphs.last())
        else {
            return;
        };
        let color = match shape.override_text_color {
            Some(color) => color,
            None if format.color == Color32::PLACEHOLDER => shape.fallback_color,
            None => format.color,
        };
        let color = color.gamma_multiply(shape.opacity_factor);
        if color.a() == 0 {
            return;
        }
        let at = shape.pos + row.to_vec2() + first.pos.to_vec2();
        let weight = if format.font_id.family == FontFamily::Name("strong".into()) {
            " font-weight=\"600\""
        } else {
            ""
        };
        let [x, y, size, width] =
            [at.x, at.y, format.font_id.size, last.max_x() - first.pos.x].map(number);
        let _ = writeln!(
            self.out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight} textLength=\"{width}\"{}>{}</text>",
            paint("fill", color),
            escaped(&text)
        );
        if shape.underline.width > 0.0 {
            let below = at.y + 2.0;
            let [y, end] = [below, at.x + last.max_x() - first.pos.x].map(number);
            let _ = writeln!(
                self.out,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\"{}/>",
                paint("stroke", color)
            );
        }
    }
}

/// The look of the letter at `byte`.
fn format_of(job: &LayoutJob, byte: usize) -> Option<&TextFormat> {
    let section = job.sections.iter().find(|section| section.byte_range.end > ByteIndex(byte));
    section.or(job.sections.last()).map(|section| &section.format)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
