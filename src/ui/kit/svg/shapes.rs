//! Shapes as SVG elements; heatmaps as the rectangles of their cells, so that they stay sharp
//! everywhere.

use super::{Writer, number, paint};
use eframe::egui;
use egui::epaint::{ClippedShape, ColorMode, Mesh, PathShape, PathStroke, RectShape, Vertex};
use egui::{Color32, Pos2, Rect, Shape, Stroke, StrokeKind, TextureId, pos2};
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl Writer {
    pub(super) fn clipped(&mut self, clipped: &ClippedShape) {
        let ClippedShape { clip_rect, shape, .. } = clipped;
        let bounds = shape.visual_bounding_rect();
        if !bounds.intersects(*clip_rect) {
            return;
        }
        if clip_rect.contains_rect(bounds) {
            return self.shape(shape);
        }
        let index = self.clips.iter().position(|clip| clip == clip_rect).unwrap_or_else(|| {
            let _ = writeln!(
                self.out,
                "<clipPath id=\"clip{}\"><rect{}/></clipPath>",
                self.clips.len(),
                place(*clip_rect)
            );
            self.clips.push(*clip_rect);
            self.clips.len() - 1
        });
        let _ = writeln!(self.out, "<g clip-path=\"url(#clip{index})\">");
        self.shape(shape);
        self.out.push_str("</g>\n");
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| self.shape(shape)),
            Shape::Circle(circle) => {
                let [x, y, r] = [circle.center.x, circle.center.y, circle.radius].map(number);
                let _ = writeln!(
                    self.out,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{}{}/>",
                    paint("fill", circle.fill),
                    stroke(circle.stroke)
                );
            }
            Shape::Ellipse(ellipse) => {
                let [x, y, a, b] =
                    [ellipse.center.x, ellipse.center.y, ellipse.radius.x, ellipse.radius.y]
                        .map(number);
                let look = paint("fill", ellipse.fill) + &stroke(ellipse.stroke);
                let _ = writeln!(
                    self.out,
                    "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{a}\" ry=\"{b}\"{look}/>"
                );
            }
            Shape::LineSegment { points: [a, b], stroke: line } => {
                let [x1, y1, x2, y2] = [a.x, a.y, b.x, b.y].map(number);
                let _ = writeln!(
                    self.out,
                    "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"{}/>",
                    stroke(*line)
                );
            }
            Shape::Path(path) => self.path(path),
            Shape::Rect(rect) => self.rect(rect),
            Shape::Text(text) => self.text(text),
            Shape::Mesh(mesh) => self.mesh(mesh),
            Shape::QuadraticBezier(curve) => {
                self.curve(&curve.points, curve.closed, curve.fill, &curve.stroke)
            }
            Shape::CubicBezier(curve) => {
                self.curve(&curve.points, curve.closed, curve.fill, &curve.stroke)
            }
            Shape::Noop | Shape::Band(_) | Shape::Callback(_) => {}
        }
    }

    fn path(&mut self, path: &PathShape) {
        let name = if path.closed { "polygon" } else { "polyline" };
        let points: Vec<String> = path.points.iter().map(point).collect();
        let look = paint("fill", path.fill) + &path_stroke(&path.stroke);
        let _ = writeln!(self.out, "<{name} points=\"{}\"{look}/>", points.join(" "));
    }

    /// Three points are a quadratic curve, four a cubic one.
    fn curve(&mut self, points: &[Pos2], closed: bool, fill: Color32, line: &PathStroke) {
        let Some((first, rest)) = points.split_first() else { return };
        let (letter, end) =
            (if rest.len() == 2 { 'Q' } else { 'C' }, if closed { "Z" } else { "" });
        let rest: Vec<String> = rest.iter().map(point).collect();
        let look = paint("fill", fill) + &path_stroke(line);
        let _ = writeln!(
            self.out,
            "<path d=\"M{} {letter}{}{end}\"{look}/>",
            point(first),
            rest.join(" ")
        );
    }

    fn rect(&mut self, shape: &RectShape) {
        let texture = shape.fill_texture_id();
        if let Some(brush) = shape.brush.as_ref().filter(|_| self.textures.contains_key(&texture)) {
            return self.image(texture, shape.rect, brush.uv, shape.fill);
        }
        // SVG's strokes lie on the edge.
        let shift = match shape.stroke_kind {
            StrokeKind::Inside => -shape.stroke.width / 2.0,
            StrokeKind::Middle => 0.0,
            StrokeKind::Outside => shape.stroke.width / 2.0,
        };
        let visible = shape.stroke.width > 0.0 && shape.stroke.color.a() > 0;
        if shape.fill.a() == 0 && !visible {
            return;
        }
        let rect = if visible { shape.rect.expand(shift) } else { shape.rect };
        let round = match shape.corner_radius.nw {
            0 => String::new(),
            radius => format!(" rx=\"{radius}\""),
        };
        let _ = writeln!(
            self.out,
            "<rect{}{round}{}{}/>",
            place(rect),
            paint("fill", shape.fill),
            stroke(shape.stroke)
        );
    }

    fn mesh(&mut self, mesh: &Mesh) {
        for six in mesh.indices.chunks(6) {
            let corners: Vec<&Vertex> =
                six.iter().filter_map(|&i| mesh.vertices.get(i as usize)).collect();
            let bounds = Rect::from_points(&corners.iter().map(|v| v.pos).collect::<Vec<_>>());
            let on_edge = |v: &&Vertex| {
                (v.pos.x == bounds.left() || v.pos.x == bounds.right())
                    && (v.pos.y == bounds.top() || v.pos.y == bounds.bottom())
            };
            let Some(first) = corners.first() else { continue };
            if six.len() == 6 && corners.iter().all(on_edge) {
                let uv = Rect::from_points(&corners.iter().map(|v| v.uv).collect::<Vec<_>>());
                if self.textures.contains_key(&mesh.texture_id) {
                    self.image(mesh.texture_id, bounds, uv, first.color);
                } else {
                    let _ = writeln!(
                        self.out,
                        "<rect{}{}/>",
                        place(bounds),
                        paint("fill", first.color)
                    );
                }
                continue;
            }
            for triangle in corners.chunks_exact(3) {
                let points: Vec<String> = triangle.iter().map(|v| point(&v.pos)).collect();
                let _ = writeln!(
                    self.out,
                    "<polygon points=\"{}\"{}/>",
                    points.join(" "),
                    paint("fill", triangle[0].color)
                );
            }
        }
    }

    /// The part `uv` of a texture in `rect`: a path a colour, of runs of cells.
    fn image(&mut self, texture: TextureId, rect: Rect, uv: Rect, tint: Color32) {
        let Some(image) = self.textures.get(&texture) else { return };
        let [columns, rows] = image.size;
        let cell = |part: f32, of: usize| ((part * of as f32).round().max(0.0) as usize).min(of);
        let (left, right) = (cell(uv.left(), columns), cell(uv.right(), columns));
        let (top, bottom) = (cell(uv.top(), rows), cell(uv.bottom(), rows));
        if left >= right || top >= bottom {
            return;
        }
        let mut colors: BTreeMap<[u8; 4], String> = BTreeMap::new();
        for row in top..bottom {
            let pixels = &image.pixels[row * columns + left..row * columns + right];
            let mut column = 0;
            for run in pixels.chunk_by(|a, b| a == b) {
                let path = colors.entry((run[0] * tint).to_array()).or_default();
                let _ = write!(path, "M{column} {}h{}v1h-{}z", row - top, run.len(), run.len());
                column += run.len();
            }
        }
        let scale = [rect.width() / (right - left) as f32, rect.height() / (bottom - top) as f32];
        let [x, y] = [rect.left(), rect.top()].map(number);
        let [a, b] = scale.map(|scale| {
            format!("{scale:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
        });
        let _ = writeln!(
            self.out,
            "<g transform=\"translate({x} {y}) scale({a} {b})\" shape-rendering=\"crispEdges\">"
        );
        for ([r, g, b, a], path) in colors {
            let _ = writeln!(
                self.out,
                "<path{} d=\"{path}\"/>",
                paint("fill", Color32::from_rgba_premultiplied(r, g, b, a))
            );
        }
        self.out.push_str("</g>\n");
    }
}

fn place(rect: Rect) -> String {
    let [x, y, w, h] =
        [rect.left(), rect.top(), rect.width().max(0.0), rect.height().max(0.0)].map(number);
    format!(" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
}

fn point(at: &Pos2) -> String {
    let pos2 = pos2(at.x, at.y);
    format!("{},{}", number(pos2.x), number(pos2.y))
}

fn stroke(stroke: Stroke) -> String {
    if stroke.width <= 0.0 || stroke.color.a() == 0 {
        return String::new();
    }
    format!("{} stroke-width=\"{}\"", paint("stroke", stroke.color), number(stroke.width))
}

fn path_stroke(line: &PathStroke) -> String {
    match &line.color {
        ColorMode::Solid(color) => {
            stroke(Stroke::new(line.width, *color)) + " stroke-linejoin=\"round\""
        }
        ColorMode::UV(_) => String::new(),
    }
}
