//! Who contributes to whom: what output t takes from token s, for teacher and student, and their
//! difference.

use super::outputs;
use crate::analysis::contribution::Probe;
use crate::run::live::Live;
use crate::ui::kit::heatmap::{Colors, Heatmap};
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::{Align2, Color32, ComboBox, Context, Rect, Sense, Ui, pos2, vec2};

/// Between frames.
#[derive(Default)]
pub struct State {
    key: Option<(u32, u64, usize, bool)>,
    maps: [Heatmap; 3],
    /// The value that full colour stands for.
    scale: f32,
    /// The difference is drawn this many times as strong.
    factor: f32,
}

/// Draws the card.
pub fn show(ui: &mut Ui, rect: Rect, state: &mut State, outputs: &mut outputs::State, live: &Live) {
    let width = live.probe.as_ref().map_or(1, |probe| probe.width);
    let rect = card::show(ui, rect, "Who contributes to whom", "token s → output t", |ui| {
        choose(ui, outputs, width)
    });
    let Some(probe) = live.probe.as_ref().filter(|probe| probe.time > 0 && probe.width > 0) else {
        return card::waiting(ui, rect, live);
    };
    if rect.width() < 90.0 || rect.height() < 50.0 {
        return;
    }
    let k = outputs.chosen.min(probe.width - 1);
    state.update(ui, (live.run, live.probe_revision), probe, k);
    let palette = Palette::of(ui);
    let gap = 14.0;
    let left = 12.0;
    let side = ((rect.width() - left - 2.0 * gap) / 3.0).min(rect.height() - 28.0).max(20.0);
    let factor = if state.factor > 1.0 {
        format!("difference × {}", format::thousands(state.factor as u64))
    } else {
        "difference".into()
    };
    let pitch = (side + gap).max((rect.width() - left) / 3.0 - 2.0);
    let place = |i: usize| {
        Rect::from_min_size(rect.min + vec2(left + i as f32 * pitch, 14.0), vec2(side, side))
    };
    for (i, (name, color)) in
        [("teacher", palette.teacher), ("student", palette.ink), (factor.as_str(), palette.mute)]
            .into_iter()
            .enumerate()
    {
        let map = place(i);
        ui.painter().text(
            map.left_top() - vec2(0.0, 2.0),
            Align2::LEFT_BOTTOM,
            name,
            plain(11.0),
            color,
        );
        ui.painter().rect_filled(map, 0.0, palette.panel);
        state.maps[i].paint(ui, map, 0..probe.time, 0..probe.time);
        ui.painter().rect_stroke(
            map,
            0.0,
            egui::Stroke::new(1.0, palette.line),
            egui::StrokeKind::Outside,
        );
        ui.painter().text(
            map.left_center() - vec2(4.0, 0.0),
            Align2::RIGHT_CENTER,
            "t",
            plain(10.0),
            palette.mute,
        );
        ui.painter().text(
            map.center_bottom() + vec2(0.0, 2.0),
            Align2::CENTER_TOP,
            "s",
            plain(10.0),
            palette.mute,
        );
    }
    hover(ui, [0, 1, 2].map(place), probe, k, state.scale);
}

/// Which output's maps.
fn choose(ui: &mut Ui, outputs: &mut outputs::State, width: usize) {
    if width < 2 {
        return;
    }
    let name = |k: usize| format!("output {}", k + 1);
    let combo = ComboBox::from_id_salt("output")
        .width(84.0)
        .selected_text(name(outputs.chosen.min(width - 1)));
    let response = combo.show_ui(ui, |ui| {
        (0..width).for_each(|k| {
            ui.selectable_value(&mut outputs.chosen, k, name(k));
        });
    });
    response
        .response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Output shown"));
}

impl State {
    fn update(&mut self, ui: &Ui, (run, revision): (u32, u64), probe: &Probe, k: usize) {
        let key = (run, revision, k, ui.visuals().dark_mode);
        if self.key == Some(key) {
            return;
        }
        self.key = Some(key);
        let (teacher, student) =
            (probe.map(&probe.teacher_shares, k), probe.map(&probe.student_shares, k));
        let difference: Vec<f32> = student.iter().zip(&teacher).map(|(s, t)| s - t).collect();
        let largest = |values: &[f32]| {
            values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f32::max)
        };
        // Strong colours from half of the largest share on: most shares are far smaller.
        self.scale = (largest(&teacher) * 0.6).max(1e-12);
        self.factor = factor(self.scale / largest(&difference).max(1e-12));
        let colors = Colors::new(Palette::of(ui));
        let scales = [1.0, 1.0, self.factor].map(|factor| factor / self.scale);
        for ((map, values), scale) in
            self.maps.iter_mut().zip([teacher, student, difference]).zip(scales)
        {
            upload(ui.ctx(), map, probe.time, &values, scale, &colors);
        }
    }
}

/// The roundest factor up to `ratio`: 1, 2, 5, 10 …
fn factor(ratio: f32) -> f32 {
    let decade = 10f32.powf(ratio.log10().floor().clamp(0.0, 9.0));
    [5.0, 2.0]
        .into_iter()
        .map(|digit| digit * decade)
        .find(|factor| *factor <= ratio)
        .unwrap_or(decade)
        .min(1e9)
}

/// Causal: nothing above the diagonal.
fn upload(
    ctx: &Context,
    map: &mut Heatmap,
    time: usize,
    values: &[f32],
    scale: f32,
    colors: &Colors,
) {
    let cell = |(i, &value): (usize, &f32)| {
        if i % time > i / time { Color32::TRANSPARENT } else { colors.of(value * scale) }
    };
    map.set(ctx, "contributions", time, time, values.iter().enumerate().map(cell).collect());
}

/// Marks the cell under the pointer in all three maps, and explains it.
fn hover(ui: &Ui, maps: [Rect; 3], probe: &Probe, k: usize, scale: f32) {
    const NAMES: [&str; 3] =
        ["Teacher's contributions", "Student's contributions", "Difference of contributions"];
    let mut hovered = None;
    for (i, (map, name)) in maps.into_iter().zip(NAMES).enumerate() {
        let response = ui.interact(map, ui.scope_id().with(("map", i)), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, name));
        hovered = hovered.or(response.hover_pos().map(|pointer| (map, response, pointer)));
    }
    let Some((map, response, pointer)) = hovered else { return };
    let index = |part: f32| ((part * probe.time as f32).max(0.0) as usize).min(probe.time - 1);
    let (s, t) = (
        index((pointer.x - map.left()) / map.width()),
        index((pointer.y - map.top()) / map.height()),
    );
    let cell = map.width() / probe.time as f32;
    for map in maps {
        let at = Rect::from_min_size(
            pos2(map.left() + s as f32 * cell, map.top() + t as f32 * cell),
            vec2(cell, cell),
        );
        ui.painter().rect_stroke(
            at.expand(1.0),
            0.0,
            egui::Stroke::new(1.0, Palette::of(ui).accent),
            egui::StrokeKind::Outside,
        );
    }
    let share =
        |shares: &[f32]| shares.get((t * probe.time + s) * probe.width + k).copied().unwrap_or(0.0);
    let (teacher, student) = (share(&probe.teacher_shares), share(&probe.student_shares));
    // Beside the maps, not over them.
    response.show_tooltip_ui(|ui| {
        ui.set_max_width(300.0);
        let palette = Palette::of(ui);
        ui.label(format!("output {}, t = {}, from token s = {}", k + 1, t + 1, s + 1));
        if s > t {
            ui.label("Nothing: a token cannot be used before it has come.");
            return;
        }
        ui.colored_label(palette.teacher, format!("teacher: vₛ (kₛ · qₜ) = {}", format::signed(teacher)));
        ui.label(format!("student: {}", format::signed(student)));
        ui.label(format!("difference {}", format::signed(student - teacher)));
        let share = "The student's share of token s is what ŷₜ loses when reading starts at s + 1 instead of s; the shares add up to ŷₜ.";
        ui.label(egui::RichText::new(share).color(palette.mute));
        ui.label(egui::RichText::new(format!("Full colour: ±{}", format::signed(scale))).color(palette.mute));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use crate::run::runner::Update;

    #[test]
    fn a_new_probe_of_the_same_step_is_drawn() {
        let probe = |share: f32| Probe {
            step: 3,
            time: 1,
            width: 1,
            inputs: vec![0.0],
            teacher: vec![share],
            student: vec![0.0],
            teacher_shares: vec![share],
            student_shares: vec![0.0],
        };
        let mut live = Live::new(1, Recipe::default());
        let mut state = State::default();
        for share in [1.0, 2.0] {
            live.apply(1, Update::Probe(probe(share)), web_time::Instant::now());
            egui::__run_test_ui(|ui| {
                let probe = live.probe.as_ref().expect("it was just given");
                state.update(ui, (live.run, live.probe_revision), probe, 0);
            });
            assert_eq!(state.scale, 0.6 * share);
        }
    }

    #[test]
    fn factors_are_round() {
        assert_eq!(
            [0.5, 1.0, 99.0, 1234.0, f32::INFINITY].map(factor),
            [1.0, 1.0, 50.0, 1000.0, 1e9]
        );
    }
}
