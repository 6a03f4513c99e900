//! Matrices of signed numbers as textures: sent to the GPU only when they change, drawn in pieces.

use super::theme::Palette;
use eframe::egui;
use egui::{
    Color32, ColorImage, Context, Mesh, Rect, TextureFilter, TextureHandle, TextureOptions, Ui,
    pos2, vec2,
};

/// Sharp cells when they are large; averaged when several fall on one pixel.
const OPTIONS: TextureOptions = TextureOptions {
    magnification: TextureFilter::Nearest,
    minification: TextureFilter::Linear,
    ..TextureOptions::NEAREST
};

/// The diverging colours, worked out once a theme.
pub struct Colors {
    palette: &'static Palette,
    /// From −1 to 1.
    table: Vec<Color32>,
}

/// Steps from 0 to 1.
const SHADES: usize = 255;

impl Colors {
    /// Of that theme.
    pub fn new(palette: &'static Palette) -> Self {
        let shade = |i: usize| palette.signed((i as f32 - SHADES as f32) / SHADES as f32);
        Self { palette, table: (0..=2 * SHADES).map(shade).collect() }
    }

    /// Colour of `value` in −1..=1, more is cut off.
    pub fn of(&self, value: f32) -> Color32 {
        if value.is_nan() {
            return self.palette.error;
        }
        let place = (value.clamp(-1.0, 1.0) + 1.0) * SHADES as f32;
        self.table[((place + 0.5) as usize).min(2 * SHADES)] // rounded; without a call, this runs for each weight
    }
}

/// A matrix on the GPU.
#[derive(Default)]
pub struct Heatmap {
    texture: Option<TextureHandle>,
    rows: usize,
    columns: usize,
}

impl Heatmap {
    /// Sends `rows` × `columns` colours, row by row.
    pub fn set(
        &mut self,
        ctx: &Context,
        name: &str,
        rows: usize,
        columns: usize,
        colors: Vec<Color32>,
    ) {
        (self.rows, self.columns) = (rows, columns);
        if rows == 0 || columns == 0 || colors.len() != rows * columns {
            self.texture = None;
            return;
        }
        let image = ColorImage::new([columns, rows], colors);
        match &mut self.texture {
            Some(texture) => texture.set(image, OPTIONS),
            None => self.texture = Some(ctx.load_texture(name, image, OPTIONS)),
        }
    }

    /// Draws the part `rows` × `columns` of the matrix in `rect`.
    pub fn paint(
        &self,
        ui: &Ui,
        rect: Rect,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
    ) {
        let Some(mut mesh) = self.mesh() else { return };
        self.add(&mut mesh, rect, rows, columns, Color32::WHITE);
        ui.painter().add(mesh);
    }

    /// An empty mesh for [`Heatmap::add`]; `None` for a matrix without cells.
    pub fn mesh(&self) -> Option<Mesh> {
        self.texture.as_ref().map(|texture| Mesh::with_texture(texture.id()))
    }

    /// Adds the part `rows` × `columns` of the matrix, in `rect` and as opaque as `tint`, to a mesh
    /// of it.
    pub fn add(
        &self,
        mesh: &mut Mesh,
        rect: Rect,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        tint: Color32,
    ) {
        let part = |i: usize, of: usize| i as f32 / of.max(1) as f32;
        let uv = Rect::from_min_max(
            pos2(part(columns.start, self.columns), part(rows.start, self.rows)),
            pos2(part(columns.end, self.columns), part(rows.end, self.rows)),
        );
        mesh.add_rect_with_uv(rect, uv, tint);
    }
}

/// A bar of the colours from −1 to 1 with its labels; returns the width that it took.
pub fn legend(ui: &mut Ui, meaning: &str) {
    let palette = Palette::of(ui);
    let font = super::theme::plain(10.5);
    let (rect, response) = ui.allocate_exact_size(vec2(116.0, 16.0), egui::Sense::hover());
    let bar = Rect::from_center_size(rect.center(), vec2(72.0, 8.0));
    for i in 0..36u8 {
        let left = bar.left() + f32::from(i) * 2.0;
        let color = palette.signed(f32::from(i) / 17.5 - 1.0);
        ui.painter().rect_filled(
            Rect::from_min_size(pos2(left, bar.top()), vec2(2.0, bar.height())),
            0.0,
            color,
        );
    }
    ui.painter().text(
        pos2(bar.left() - 4.0, rect.center().y),
        egui::Align2::RIGHT_CENTER,
        "−1",
        font.clone(),
        palette.mute,
    );
    ui.painter().text(
        pos2(bar.right() + 4.0, rect.center().y),
        egui::Align2::LEFT_CENTER,
        "+1",
        font,
        palette.mute,
    );
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Label, true, "Colours from −1 to +1")
    });
    response.on_hover_text(meaning);
}
