//! Any part of the window as an SVG file, by the code that draws it on the screen: it runs once
//! more in a window of its own that nobody sees, and the shapes that come out are written down.
//! Start with [`picture`]; [`shapes`] writes shapes, [`text`] writing.

mod shapes;
mod text;

use super::theme;
use super::theme::Palette;
use eframe::egui;
use egui::{
    ColorImage, Context, Id, ImageData, Pos2, RawInput, Rect, TextureId, Theme, Ui, Vec2,
    ViewportId,
};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Letters are laid out at this many pixels a point: their places are rounded to pixels.
const PIXELS_PER_POINT: f32 = 4.0;

/// What textures hold.
type Textures = HashMap<TextureId, Arc<ColorImage>>;

fn mark() -> Id {
    Id::unique("drawn for a file")
}

/// Whether `ui` is drawn for a file: buttons stay away then, and nothing moves.
pub fn is_for_file(ui: &Ui) -> bool {
    ui.ctx().data(|data| data.get_temp(mark())).unwrap_or(false)
}

/// What `draw` draws in a rectangle of `size`, as an SVG file.
pub fn picture(size: Vec2, dark: bool, draw: &mut dyn FnMut(&mut Ui, Rect)) -> Vec<u8> {
    let ctx = Context::default();
    theme::install(&ctx);
    ctx.set_theme(if dark { Theme::Dark } else { Theme::Light });
    ctx.data_mut(|data| data.insert_temp(mark(), true));
    let rect = Rect::from_min_size(Pos2::ZERO, size.max(Vec2::splat(1.0)));
    let mut textures = Textures::new();
    let (mut shapes, mut background) = (vec![], egui::Color32::WHITE);
    // The first time fonts are loaded; the second time all have their sizes.
    for pass in 0..2 {
        let mut input = RawInput {
            screen_rect: Some(rect),
            time: Some(f64::from(pass)),
            ..RawInput::default()
        };
        input.viewports.entry(ViewportId::ROOT).or_default().native_pixels_per_point =
            Some(PIXELS_PER_POINT);
        let mut output = ctx.run_ui(input, |ui| {
            background = Palette::of(ui).background;
            draw(ui, rect);
        });
        for (id, deltas) in std::mem::take(&mut output.textures_delta.set) {
            for delta in deltas.into_iter().filter(|delta| delta.pos.is_none()) {
                let ImageData::Color(image) = delta.image;
                textures.insert(id, image);
            }
        }
        output.textures_delta.clear();
        shapes = std::mem::take(&mut output.shapes);
    }
    textures.remove(&TextureId::default()); // the letters
    let mut writer = Writer { out: String::new(), clips: vec![], textures };
    let [w, h] = [rect.width(), rect.height()].map(number);
    let _ = write!(
        writer.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"Inter, 'Helvetica Neue', Arial, sans-serif\" xml:space=\"preserve\" style=\"white-space:pre\">\n<rect width=\"{w}\" height=\"{h}\"{}/>\n",
        paint("fill", background),
    );
    for shape in &shapes {
        writer.clipped(shape);
    }
    writer.out.push_str("</svg>\n");
    writer.out.into_bytes()
}

/// The file as it grows. Writing to a string can't fail, so results of `write!` are dropped.
struct Writer {
    out: String,
    clips: Vec<Rect>,
    textures: Textures,
}

/// At most two digits after the point.
fn number(value: f32) -> String {
    let text = format!("{:.2}", if value.is_finite() { value } else { 0.0 });
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// `fill="#aabbcc"`, with its opacity.
fn paint(what: &str, color: egui::Color32) -> String {
    let [r, g, b, a] = color.to_srgba_unmultiplied();
    match a {
        0 => format!(" {what}=\"none\""),
        255 => format!(" {what}=\"#{r:02x}{g:02x}{b:02x}\""),
        a => format!(
            " {what}=\"#{r:02x}{g:02x}{b:02x}\" {what}-opacity=\"{:.3}\"",
            f32::from(a) / 255.0
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::heatmap::Heatmap;
    use crate::ui::theme::{plain, strong};
    use egui::{Align2, Color32, Stroke, pos2, vec2};

    /// Panics unless every tag is closed and every `&` begins a known entity.
    pub fn assert_well_formed(xml: &str) {
        let mut open: Vec<&str> = vec![];
        for piece in xml.split('<').skip(1) {
            let (tag, text) = piece.split_once('>').expect("a tag ends");
            assert!(
                text.split('&').skip(1).all(|rest| ["amp;", "lt;", "gt;", "quot;"]
                    .iter()
                    .any(|known| rest.starts_with(known))),
                "{text}"
            );
            assert_eq!(tag.matches('"').count() % 2, 0, "quotes of {tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split([' ', '\n']).next().expect("a name"));
            }
        }
        assert!(open.is_empty(), "not closed: {open:?}");
    }

    #[test]
    fn shapes_text_and_heatmaps_are_written() {
        let mut heatmap = Heatmap::default();
        let [red, blue] = [Color32::from_rgb(255, 0, 0), Color32::from_rgb(0, 0, 255)];
        let bytes = picture(vec2(200.0, 100.0), false, &mut |ui, rect| {
            heatmap.set(ui.ctx(), "m", 2, 3, vec![red, red, blue, blue, blue, red]);
            heatmap.paint(ui, Rect::from_min_size(pos2(10.0, 20.0), vec2(30.0, 20.0)), 0..2, 0..3);
            ui.painter().circle_filled(rect.center(), 4.0, red);
            ui.painter()
                .line_segment([rect.left_top(), rect.right_bottom()], Stroke::new(1.0, blue));
            ui.painter().text(
                pos2(100.0, 50.0),
                Align2::LEFT_TOP,
                "1 − R² < 3 & more",
                strong(12.0),
                red,
            );
            ui.painter().text(
                pos2(100.0, 70.0),
                Align2::LEFT_TOP,
                "hidden",
                plain(12.0),
                Color32::TRANSPARENT,
            );
            assert!(is_for_file(ui));
        });
        let text = String::from_utf8(bytes).unwrap();
        assert_well_formed(&text);
        assert!(
            text.contains("1 − R² &lt; 3 &amp; more")
                && text.contains("font-weight=\"600\"")
                && !text.contains("hidden"),
            "{text}"
        );
        assert!(text.contains("<circle") && text.contains("<line"), "{text}");
        assert!(
            text.contains("translate(10 20) scale(10 10)")
                && text.contains("fill=\"#ff0000\" d=\"M0 0h2v1h-2zM2 1h1v1h-1z\""),
            "{text}"
        );
    }
}
