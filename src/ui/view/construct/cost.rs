//! What attention costs as a recurrent network: parameters and neurons against d, both axes
//! logarithmic.

use super::state::State;
use crate::named::Named;
use crate::theory::Variant;
use crate::theory::cost::{self, Ranks};
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{Align2, Color32, Pos2, Rect, RichText, Sense, Stroke, Ui, pos2, vec2};

/// Widths shown, as powers of two.
const POWERS: f32 = 6.0;

/// A line of the chart.
struct Line {
    name: String,
    color: Color32,
    thick: bool,
    count: Box<dyn Fn(usize) -> usize>,
}

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State) {
    let subtitle = "against d, log scales";
    let rect = card::show(ui, rect, "What it costs", subtitle, |ui| {
        for (neurons, name, help) in [
            (true, "Neurons", "Hidden neurons n; for attention the d² numbers of its state Sₜ."),
            (false, "Parameters", "Numbers in all weight matrices; attention has 3d²."),
        ] {
            if ui
                .selectable_label(state.count_neurons == neurons, RichText::new(name).size(11.5))
                .on_hover_text(help)
                .clicked()
            {
                state.count_neurons = neurons;
            }
        }
    });
    if rect.width() < 120.0 || rect.height() < 60.0 {
        return;
    }
    let ui = &mut card::inside(ui, "cost", rect);
    let lines = lines(ui, state);
    let labels = 96.0f32.min(rect.width() * 0.36);
    let frame = Rect::from_min_max(rect.min + vec2(30.0, 6.0), rect.max - vec2(labels, 18.0));
    let top =
        lines.iter().map(|line| (line.count)(1 << POWERS as u32)).max().map_or(1.0, log10).ceil();
    let at = |d: usize, count: usize| {
        pos2(
            frame.left() + frame.width() * (d as f32).log2() / POWERS,
            frame.bottom() - frame.height() * log10(count) / top,
        )
    };
    axes(ui, frame, top, state.settings.dim);
    let mut names: Vec<(f32, usize)> = vec![];
    for (i, line) in lines.iter().enumerate() {
        let points: Vec<Pos2> = (1..=1usize << POWERS as u32)
            .filter(|d| *d == 1 || d.is_multiple_of(2))
            .map(|d| at(d, (line.count)(d)))
            .collect();
        names.push((points.last().map_or(0.0, |point| point.y), i));
        ui.painter().line(points, Stroke::new(if line.thick { 2.2 } else { 1.3 }, line.color));
        ui.painter().circle_filled(
            at(state.settings.dim, (line.count)(state.settings.dim)),
            if line.thick { 3.5 } else { 2.0 },
            line.color,
        );
    }
    // Names beside the lines' ends, in their order, without covering each other.
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let step = 12.5;
    let mut free = frame.top() - 4.0;
    let last = frame.bottom() + 10.0;
    for (place, &(y, i)) in names.iter().enumerate() {
        let line = &lines[i];
        let latest = last - step * (names.len() - 1 - place) as f32;
        let y = y.max(free).min(latest);
        free = y + step;
        let font = if line.thick { strong(10.5) } else { plain(10.5) };
        ui.painter().text(
            pos2(frame.right() + 6.0, y),
            Align2::LEFT_CENTER,
            &line.name,
            font,
            line.color,
        );
    }
    hover(ui, frame, &lines);
}

fn log10(count: usize) -> f32 {
    (count.max(1) as f64).log10() as f32
}

/// Attention and the five variants, the chosen one marked.
fn lines(ui: &Ui, state: &State) -> Vec<Line> {
    let palette = Palette::of(ui);
    let neurons = state.count_neurons;
    let ranks = Some(Ranks::from(state.settings.ranks))
        .filter(|ranks| *ranks != Ranks::from(state.settings.dim));
    let variant = |&variant: &Variant| {
        let chosen = state.settings.variant == variant;
        let name = match (variant, ranks) {
            (Variant::LowRank, Some(Ranks { value, key_query })) if value == key_query => {
                format!("low rank, r = {value}")
            }
            (Variant::LowRank, Some(Ranks { value, key_query })) => {
                format!("low rank, {value} × {key_query}")
            }
            (Variant::LowRank, None) => "low rank, r = d/2".into(),
            _ => variant.title().to_lowercase(),
        };
        let count = move |d: usize| {
            let cost = cost::cost(variant, d, ranks.unwrap_or(d.div_ceil(2).into()).within(d));
            if neurons { cost.hidden() } else { cost.parameters }
        };
        Line {
            name,
            color: if chosen { palette.accent } else { palette.between },
            thick: chosen,
            count: Box::new(count),
        }
    };
    let attention = move |d: usize| if neurons { d * d } else { cost::attention(d) };
    let name = if neurons { "attention's state" } else { "attention" };
    let attention =
        Line { name: name.into(), color: palette.teacher, thick: true, count: Box::new(attention) };
    let mut lines: Vec<Line> = Variant::ALL.iter().map(variant).chain([attention]).collect();
    lines.sort_by_key(|line| line.thick); // the chosen ones on top
    lines
}

fn axes(ui: &Ui, frame: Rect, top: f32, dim: usize) {
    let palette = Palette::of(ui);
    let grid = Stroke::new(1.0, palette.line);
    let decades = top as u32;
    let stride = decades.div_ceil(4).max(1);
    for decade in (0..=decades).step_by(stride as usize) {
        let y = frame.bottom() - frame.height() * decade as f32 / top;
        ui.painter().hline(frame.x_range(), y, grid);
        let text = if decade == 0 { "1".into() } else { format!("1e{decade}") };
        ui.painter().text(
            pos2(frame.left() - 5.0, y),
            Align2::RIGHT_CENTER,
            text,
            plain(10.5),
            palette.mute,
        );
    }
    for power in 0..=6u8 {
        let x = frame.left() + frame.width() * f32::from(power) / POWERS;
        ui.painter().text(
            pos2(x, frame.bottom() + 3.0),
            Align2::CENTER_TOP,
            (1u32 << power).to_string(),
            plain(10.5),
            palette.mute,
        );
    }
    ui.painter().text(
        pos2(frame.left() - 16.0, frame.bottom() + 3.0),
        Align2::RIGHT_TOP,
        "d",
        plain(10.5),
        palette.mute,
    );
    let x = frame.left() + frame.width() * (dim as f32).log2() / POWERS;
    ui.painter().vline(x, frame.y_range(), Stroke::new(1.0, palette.accent.gamma_multiply(0.4)));
}

/// All counts at the width under the pointer.
fn hover(ui: &Ui, frame: Rect, lines: &[Line]) {
    let response = ui.interact(frame, ui.scope_id().with("chart"), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Cost against d"));
    let Some(pointer) = response.hover_pos() else { return };
    let power = ((pointer.x - frame.left()) / frame.width()).clamp(0.0, 1.0) * POWERS;
    let d = (power.exp2().round() as usize).clamp(1, 64);
    let x = frame.left() + frame.width() * (d as f32).log2() / POWERS;
    ui.painter().vline(
        x,
        frame.y_range(),
        Stroke::new(1.0, Palette::of(ui).mute.gamma_multiply(0.6)),
    );
    response.on_hover_ui_at_pointer(|ui| {
        ui.label(RichText::new(format!("d = {d}")).font(strong(12.5)));
        let mut sorted: Vec<(usize, &Line)> =
            lines.iter().map(|line| ((line.count)(d), line)).collect();
        sorted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (count, line) in sorted {
            ui.colored_label(
                line.color,
                format!("{}: {}", line.name, format::thousands(count as u64)),
            );
        }
    });
}
