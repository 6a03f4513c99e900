//! What the two curves over training share: frame, ticks, the range of steps.

use super::format;
use super::theme::{Palette, plain};
use eframe::egui;
use egui::{Align2, Rect, Ui, UiBuilder, pos2};
use egui_plot::{
    AxisHints, GridInput, GridMark, HPlacement, Plot, PlotBounds, PlotTransform, PlotUi, VPlacement,
};

/// Width of the numbers left of a plot.
pub const LEFT: f32 = 40.0;

/// The last step shown: the next round number, at most the run's own end, so that it seldom
/// changes.
pub fn steps_shown(step: u64, total: u64) -> f64 {
    let mut shown = 100;
    for factor in [2, 5, 10].into_iter().cycle() {
        if shown >= step {
            break;
        }
        let decade = 10u64.pow(shown.ilog10());
        shown = if factor == 10 { decade * 10 } else { decade * factor };
    }
    shown.min(total.max(1)) as f64
}

/// The axis from bottom to top.
pub struct Vertical {
    /// Smallest and largest value shown.
    pub range: [f64; 2],
    /// Where its lines are.
    pub marks: fn(GridInput) -> Vec<GridMark>,
    /// What stands at a line.
    pub label: fn(f64) -> String,
}

/// Draws a plot in `rect` with x from 0 to `steps`; returns where things are and where the pointer
/// is.
pub fn plot<'a>(
    ui: &mut Ui,
    rect: Rect,
    id: &str,
    steps: f64,
    Vertical { range: [low, high], marks: y_marks, label: y_label }: Vertical,
    draw: impl FnOnce(&mut PlotUi<'a>) + 'a,
) -> (PlotTransform, egui::Response) {
    let palette = Palette::of(ui);
    let mut child = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect));
    let marks = (f64::from(rect.width()) / 72.0).max(1.0);
    let x_axis = AxisHints::new_x()
        .placement(VPlacement::Bottom)
        .tick_label_font(plain(10.5))
        .tick_label_color(palette.mute)
        .label_spacing(20.0..=30.0)
        .formatter(|mark, _| format::short(mark.value));
    let y_axis = AxisHints::new_y()
        .placement(HPlacement::Left)
        .tick_label_font(plain(10.5))
        .tick_label_color(palette.mute)
        .min_thickness(LEFT)
        .label_spacing(6.0..=10.0)
        .formatter(move |mark, _| y_label(mark.value));
    let response = Plot::new(id)
        .width(rect.width().max(1.0))
        .height(rect.height().max(1.0))
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .x_grid_spacer(move |_| x_marks(steps, marks))
        .y_grid_spacer(y_marks)
        .grid_color(palette.line)
        .grid_fade(0.0)
        .show_background(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .allow_axis_zoom_drag(false)
        .show_x(false)
        .show_y(false)
        .show_crosshair(false)
        .label_formatter(|_| None)
        .show(&mut child, move |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([0.0, low], [steps, high]));
            draw(plot);
        });
    let frame = *response.transform.frame();
    ui.painter().text(
        pos2(rect.left(), frame.bottom() + 1.0),
        Align2::LEFT_TOP,
        "step",
        plain(10.5),
        palette.mute,
    );
    (response.transform, response.response)
}

/// About `count` round steps.
fn x_marks(steps: f64, count: f64) -> Vec<GridMark> {
    let raw = (steps / count).max(1.0);
    let decade = 10f64.powf(raw.log10().floor());
    let step_size = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|&size| size >= raw)
        .unwrap_or(raw);
    let marks = (steps / step_size).min(100.0) as usize;
    (0..=marks).map(|i| GridMark { value: i as f64 * step_size, step_size }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_steps_is_round_and_ends_with_the_run() {
        let shown: Vec<f64> = [0, 100, 101, 350, 700, 1500, 14_000]
            .into_iter()
            .map(|step| steps_shown(step, 15_000))
            .collect();
        assert_eq!(shown, [100.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 15_000.0]);
        assert_eq!(
            (steps_shown(3, 10), steps_shown(u64::from(u32::MAX), 10_000_000)),
            (10.0, 10_000_000.0)
        );
    }
}
