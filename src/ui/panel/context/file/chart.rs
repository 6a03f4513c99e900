//! Numbers over time: a frame with axes, the steps that do not count greyed, lines with gaps.

use crate::ui::kit::theme::{Palette, plain};
use eframe::egui;
use egui::{Align2, Rect, Shape, Stroke, Ui, pos2};

/// Width of the numbers on the left.
pub const LEFT: f32 = 42.0;
/// Height of the numbers below.
pub const BELOW: f32 = 19.0;
/// More steps have no markers.
const MARKED: usize = 40;

/// Where values stand.
#[derive(Debug, Clone, Copy)]
pub struct Chart {
    /// The space of the lines.
    pub frame: Rect,
    /// Time steps T.
    pub time: usize,
    /// Lowest and highest value.
    pub range: [f64; 2],
}

impl Chart {
    /// Middle of time step `t`.
    pub fn x(&self, t: usize) -> f32 {
        self.frame.left() + self.step() * (t as f32 + 0.5)
    }

    /// Width of a time step.
    pub fn step(&self) -> f32 {
        self.frame.width() / self.time.max(1) as f32
    }

    /// Height of a value.
    pub fn y(&self, value: f64) -> f32 {
        let [low, high] = self.range;
        self.frame.bottom() - ((value - low) / (high - low)) as f32 * self.frame.height()
    }

    /// The column of time step `t`.
    pub fn column(&self, t: usize) -> Rect {
        let left = self.frame.left() + self.step() * t as f32;
        Rect::from_x_y_ranges(left..=(left + self.step()), self.frame.y_range())
    }

    /// Time step at that place.
    pub fn time_at(&self, x: f32) -> Option<usize> {
        let t = ((x - self.frame.left()) / self.step()).floor();
        (t >= 0.0 && (t as usize) < self.time).then_some(t as usize)
    }

    /// Greys the steps that do not count; `said` with words.
    pub fn grey(&self, ui: &Ui, said: bool, counts: impl Fn(usize) -> bool) {
        let palette = Palette::of(ui);
        let mut t = 0;
        while t < self.time {
            let end = (t..self.time).find(|&t| counts(t)).unwrap_or(self.time);
            if end > t {
                let band = self.column(t).union(self.column(end - 1));
                ui.painter().rect_filled(band, 0.0, palette.line.gamma_multiply(0.7));
                if said && band.width() > 78.0 && band.height() > 30.0 {
                    ui.painter().text(
                        band.center_top() + egui::vec2(0.0, 2.0),
                        Align2::CENTER_TOP,
                        "does not count",
                        plain(10.0),
                        palette.mute,
                    );
                }
            }
            t = end.max(t + 1);
        }
    }

    /// A line through the values that are numbers, with markers where steps are few or stand alone.
    pub fn line(&self, ui: &Ui, value: impl Fn(usize) -> Option<f64>, stroke: Stroke) {
        let painter = ui
            .painter()
            .with_clip_rect(self.frame.expand2(egui::vec2(2.0, 1.0)).intersect(ui.clip_rect()));
        let points: Vec<Option<egui::Pos2>> = (0..self.time)
            .map(|t| value(t).filter(|v| v.is_finite()).map(|v| pos2(self.x(t), self.y(v))))
            .collect();
        for run in points.split(Option::is_none).filter(|run| !run.is_empty()) {
            let run: Vec<egui::Pos2> = run.iter().flatten().copied().collect();
            if self.time <= MARKED || run.len() == 1 {
                run.iter().for_each(|at| {
                    painter.circle_filled(*at, (stroke.width * 0.9 + 0.8).max(1.8), stroke.color);
                });
            }
            if run.len() > 1 {
                painter.add(Shape::line(run, stroke));
            }
        }
    }

    /// Numbers and rules at `marks`.
    pub fn values(&self, ui: &Ui, marks: &[f64], label: impl Fn(f64) -> String) {
        let palette = Palette::of(ui);
        for &mark in marks.iter().filter(|mark| (self.range[0]..=self.range[1]).contains(mark)) {
            ui.painter().hline(self.frame.x_range(), self.y(mark), Stroke::new(1.0, palette.line));
            ui.painter().text(
                pos2(self.frame.left() - 5.0, self.y(mark)),
                Align2::RIGHT_CENTER,
                label(mark),
                plain(10.0),
                palette.mute,
            );
        }
    }

    /// Time steps below: the first and round ones.
    pub fn times(&self, ui: &Ui) {
        let palette = Palette::of(ui);
        let most = (self.frame.width() / 34.0).max(1.0) as usize;
        let step = [1, 2, 5]
            .into_iter()
            .cycle()
            .zip([1, 1, 1, 10, 10, 10, 100, 100, 100])
            .map(|(a, b)| a * b)
            .find(|step| self.time / step <= most)
            .unwrap_or(1000);
        for t in std::iter::once(1).chain((step..=self.time).step_by(step).filter(|t| *t > 1)) {
            ui.painter().text(
                pos2(self.x(t - 1), self.frame.bottom() + 5.0),
                Align2::CENTER_TOP,
                t.to_string(),
                plain(10.0),
                palette.mute,
            );
        }
        ui.painter().text(
            pos2(self.frame.left() - 5.0, self.frame.bottom() + 5.0),
            Align2::RIGHT_TOP,
            "time step",
            plain(10.0),
            palette.mute,
        );
    }
}

/// At most `most` round values from `low` to `high`, and how many decimals they need.
pub fn round_marks([low, high]: [f64; 2], most: usize) -> (Vec<f64>, usize) {
    let raw = ((high - low) / most.max(1) as f64).max(f64::MIN_POSITIVE);
    let decade = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|step| *step >= raw * 0.999)
        .unwrap_or(raw);
    let first = (low / step).ceil();
    let marks = (0..=most)
        .map(|i| (first + i as f64) * step)
        .filter(|mark| *mark <= high + 1e-9 * step)
        .collect();
    (marks, (-step.log10().floor()).clamp(0.0, 6.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!(round_marks([-1.3, 2.2], 4), (vec![-1.0, 0.0, 1.0, 2.0], 0));
        assert_eq!(round_marks([0.0, 0.04], 2), (vec![0.0, 0.02, 0.04], 2));
        assert!(round_marks([0.0, 1e-300], 3).0.len() <= 4);
    }

    #[test]
    fn time_steps_are_found_where_they_are_drawn() {
        let chart = Chart {
            frame: Rect::from_min_size(pos2(50.0, 0.0), egui::vec2(80.0, 10.0)),
            time: 8,
            range: [-1.0, 1.0],
        };
        assert!((0..8).all(|t| chart.time_at(chart.x(t)) == Some(t)));
        assert_eq!(
            (chart.time_at(49.0), chart.time_at(131.0), chart.y(1.0), chart.y(-1.0)),
            (None, None, 0.0, 10.0)
        );
    }
}
