//! The error at each time step over the test sequences, beside what answering 0 would have;
//! logarithmic.

use super::chart::{BELOW, Chart, LEFT};
use super::tested::{tested, waiting};
use crate::analysis::test_set::Size;
use crate::run::live::Live;
use crate::ui::Action;
use crate::ui::kit::readout::Readout;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{Align2, Rect, Sense, Stroke, Ui, pos2, vec2};

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    readout: &mut Readout,
    live: &Live,
    actions: &mut Vec<Action>,
) {
    let mut saved = false;
    let inner =
        card::show(ui, rect, "Error at each time step", "mean over the test, log scale", |ui| {
            saved = export::button(ui, "Error at each time step")
        });
    if saved {
        actions.push(export::svg(ui, "file-time.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, &mut Readout::default(), live, &mut vec![])
        }));
    }
    let Some(tested) = tested(live) else { return waiting(ui, inner, live) };
    if inner.width() < 130.0 || inner.height() < 60.0 || tested.steps.is_empty() {
        return;
    }
    let palette = Palette::of(ui);
    let ui = &mut card::inside(ui, "over time", inner);
    let steps = &tested.steps;
    let frame =
        Rect::from_min_max(inner.min + vec2(LEFT + 8.0, 16.0), inner.max - vec2(6.0, BELOW));
    let [low, high] = decades(steps.iter().flatten().flat_map(|size| [size.loss, size.power]));
    let chart = Chart { frame, time: steps.len(), range: [low, high] };
    chart.grey(ui, true, |t| steps[t].is_some());
    let stride = ((high - low) / (f64::from(frame.height()) / 22.0)).ceil().max(1.0);
    let marks: Vec<f64> =
        (0..=((high - low) / stride) as usize).map(|i| low + i as f64 * stride).collect();
    chart.values(ui, &marks, |mark| {
        if mark == 0.0 { "1".into() } else { format!("1e{mark:.0}").replace('-', "−") }
    });
    chart.times(ui);
    let log = |value: f64| (value > 0.0).then(|| value.log10());
    chart.line(ui, |t| steps[t].and_then(|size| log(size.power)), Stroke::new(1.2, palette.mute));
    chart.line(ui, |t| steps[t].and_then(|size| log(size.loss)), Stroke::new(1.8, palette.accent));
    let mut right = frame.right();
    for (text, color) in [("network", palette.accent), ("answering 0", palette.mute)] {
        let words = ui.painter().text(
            pos2(right, inner.top() + 12.0),
            Align2::RIGHT_BOTTOM,
            text,
            plain(10.5),
            color,
        );
        right = words.left() - 12.0;
    }
    let response =
        ui.interact(frame.expand2(vec2(4.0, 0.0)), ui.scope_id().with("steps"), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Image, true, "Error at each time step")
    });
    let hit = response.hover_pos().and_then(|pointer| chart.time_at(pointer.x)).map(|t| [0, t]);
    let chosen = readout.choose(ui, &response, [1, steps.len()], hit);
    let t = readout.cell[1];
    readout.explain(ui, response, chosen, hit, chart.column(t), |ui, [_, t]| said(ui, t, steps[t]));
}

fn said(ui: &mut Ui, t: usize, size: Option<Size>) {
    let Some(size) = size else {
        ui.label(format!("time step {} counts in no test sequence", t + 1));
        return;
    };
    ui.label(format!("time step {}: mean (ŷ − y)² = {}", t + 1, format::scientific(size.loss)));
    let part = size.nmse().map_or_else(String::new, |nmse| {
        format!("; the error is {} of it", format::scientific(nmse))
    });
    ui.label(format!("answering 0 has mean y² = {}{part}", format::scientific(size.power)));
}

/// Whole decades around the values that are positive numbers.
fn decades(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let (low, high) = values
        .filter(|v| v.is_finite() && *v > 0.0)
        .map(f64::log10)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return [-1.0, 0.0];
    }
    let low = low.floor();
    [low, high.ceil().max(low + 1.0)]
}

#[cfg(test)]
mod tests {
    use super::decades;

    #[test]
    fn the_axis_holds_what_can_be_drawn() {
        assert_eq!(decades([0.02, 5.0, 0.0, f64::NAN].into_iter()), [-2.0, 1.0]);
        assert_eq!(
            (decades([0.0].into_iter()), decades([10.0].into_iter())),
            ([-1.0, 0.0], [1.0, 2.0])
        );
    }
}
