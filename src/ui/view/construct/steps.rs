//! One token on its way through the network, from left to right: input gates, memory, output gates,
//! readout.

use super::built::{Built, Running, role};
use super::numbers;
use super::numbers::{bracketed, gate_name};
use super::state::State;
use crate::theory::Part;
use crate::ui::kit::format::subscript;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format};
use eframe::egui;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align2, Color32, Rect, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo,
    pos2, vec2,
};

/// Height of a neuron or a gate.
const ROW: f32 = 24.0;
/// Height of a column's head.
const HEAD: f32 = 34.0;
/// Height of an output in its own column.
const OUTPUT: f32 = 66.0;
/// Below this width the columns stand below each other.
const STACKED: f32 = 520.0;

/// What all rows need.
struct Scene<'a> {
    built: &'a Built,
    running: &'a Running,
    token: usize,
    chosen: usize,
    palette: &'static Palette,
}

/// Draws all four columns.
pub fn show(ui: &mut Ui, rect: Rect, state: &mut State) {
    let Some((built, running)) =
        state.built.as_ref().and_then(|built| Some((built, built.network.as_ref().ok()?)))
    else {
        return;
    };
    let scene = Scene {
        built,
        running,
        token: state.token.min(running.states.rows - 1),
        chosen: state.neuron,
        palette: Palette::of(ui),
    };
    let follow = std::mem::take(&mut state.follow);
    let mut child = card::inside(ui, "steps", rect);
    let picked = if rect.width() < STACKED {
        scene.stacked(&mut child, rect)
    } else {
        scene.columns(&mut child, rect, follow)
    };
    if let Some(neuron) = picked {
        state.neuron = neuron;
    }
}

/// Height that the columns side by side would fill.
pub fn height(state: &State) -> f32 {
    let running = state.built.as_ref().and_then(|built| built.network.as_ref().ok());
    running.map_or(110.0, |running| {
        let (rows, outputs) =
            (running.network.hidden().max(running.network.gates()), running.network.outputs());
        HEAD + 8.0 + (ROW * rows as f32).max(OUTPUT * outputs as f32)
    })
}

/// Height of the columns below each other.
pub fn stacked_height(state: &State) -> f32 {
    let running = state.built.as_ref().and_then(|built| built.network.as_ref().ok());
    running.map_or(110.0, |running| {
        4.0 * (HEAD + 8.0)
            + ROW
                * (2 * running.network.hidden()
                    + running.network.gates()
                    + running.network.outputs()) as f32
    })
}

impl Scene<'_> {
    fn counts(&self) -> (usize, usize, usize) {
        (
            self.running.network.hidden(),
            self.running.network.gates(),
            self.running.network.outputs(),
        )
    }

    fn heads(&self) -> [(&'static str, String); 4] {
        let lambda = |part: fn(&Part) -> bool| {
            let neurons = &self.running.construction.neurons;
            neurons
                .iter()
                .position(|neuron| part(&neuron.part))
                .map(|i| self.running.network.lambda[i])
        };
        let adds = lambda(|part| matches!(part, Part::Accumulator { .. })).map_or(
            String::new(),
            |lambda| match lambda {
                1.0 => "λ = 1 adds up".into(),
                lambda => format!("λ = {} fades", numbers::lambda(lambda)),
            },
        );
        let replaces =
            lambda(|part| matches!(part, Part::Query(_))).map_or(String::new(), |lambda| {
                match lambda {
                    0.0 => ", λ = 0 replaces".into(),
                    lambda => format!(", λ = {} lingers", numbers::lambda(lambda)),
                }
            });
        [
            ("1 · Input gate", "multiplies two readings of the token".into()),
            ("2 · Memory", format!("{adds}{replaces}")),
            (
                "3 · Output gate",
                if replaces.is_empty() {
                    "memory × side gate".into()
                } else {
                    "memory × query".into()
                },
            ),
            ("4 · Readout", "sums gates".into()),
        ]
    }

    /// Side by side, under heads that stay.
    fn columns(&self, ui: &mut Ui, rect: Rect, follow: bool) -> Option<usize> {
        let (n, m, outputs) = self.counts();
        let gap = 12.0;
        let room = rect.width() - 3.0 * gap - 8.0;
        let mut left = rect.left();
        let spans: Vec<(f32, f32)> = [0.285, 0.29, 0.265, 0.16]
            .iter()
            .map(|part| {
                let span = (left, left + room * part);
                left = span.1 + gap;
                span
            })
            .collect();
        for ((title, subtitle), &(left, right)) in self.heads().iter().zip(&spans) {
            self.head(
                ui,
                Rect::from_min_max(
                    pos2(left, rect.top()),
                    pos2(right + gap - 2.0, rect.top() + HEAD),
                ),
                title,
                subtitle,
            );
        }
        let body = Rect::from_min_max(pos2(rect.left(), rect.top() + HEAD + 4.0), rect.max);
        let mut picked = None;
        let mut child = card::inside(ui, "rows", body);
        ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
            let height = (ROW * n.max(m) as f32).max(OUTPUT * outputs as f32);
            let (area, _) =
                ui.allocate_exact_size(vec2(body.width() - 8.0, height), Sense::hover());
            let row = |span: (f32, f32), i: usize| {
                Rect::from_min_max(
                    pos2(span.0, area.top() + ROW * i as f32),
                    pos2(span.1, area.top() + ROW * (i + 1) as f32 - 3.0),
                )
            };
            for neuron in 0..n {
                if follow && neuron == self.chosen {
                    ui.scroll_to_rect(row(spans[0], neuron), None);
                }
                let clicked = self.input(ui, row(spans[0], neuron), neuron)
                    | self.memory(ui, row(spans[1], neuron), neuron);
                picked = picked.or(clicked.then_some(neuron));
            }
            for gate in 0..m {
                picked = picked.or(self.gate(ui, row(spans[2], gate), gate));
            }
            // The outputs are spread along the gates that they sum.
            let step =
                (ROW * m as f32 / outputs.max(1) as f32).clamp(OUTPUT, 3.0 * ROW.max(OUTPUT / 2.0));
            let line = area.top()..=area.top() + step * outputs as f32 - 6.0;
            ui.painter().vline(
                spans[3].0,
                egui::Rangef::new(*line.start(), *line.end()),
                Stroke::new(1.0, self.palette.line),
            );
            for k in 0..outputs {
                let top = area.top() + step * k as f32;
                self.output(
                    ui,
                    Rect::from_min_max(pos2(spans[3].0 + 10.0, top), pos2(spans[3].1, top + step)),
                    k,
                );
            }
        });
        picked
    }

    /// Below each other; the page scrolls.
    fn stacked(&self, ui: &mut Ui, rect: Rect) -> Option<usize> {
        let (n, m, outputs) = self.counts();
        let mut top = rect.top();
        let mut picked = None;
        for (column, (title, subtitle)) in self.heads().iter().enumerate() {
            self.head(
                ui,
                Rect::from_min_max(pos2(rect.left(), top), pos2(rect.right(), top + HEAD)),
                title,
                subtitle,
            );
            top += HEAD + 2.0;
            for i in 0..[n, n, m, outputs][column] {
                let row = Rect::from_min_max(
                    pos2(rect.left() + 2.0, top),
                    pos2(rect.right() - 2.0, top + ROW - 3.0),
                );
                top += ROW;
                picked = picked.or(match column {
                    0 => self.input(ui, row, i).then_some(i),
                    1 => self.memory(ui, row, i).then_some(i),
                    2 => self.gate(ui, row, i),
                    _ => {
                        self.output_line(ui, row, i);
                        None
                    }
                });
            }
            top += 6.0;
        }
        picked
    }

    fn head(&self, ui: &Ui, rect: Rect, title: &str, subtitle: &str) {
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        painter.text(
            rect.min + vec2(0.0, 1.0),
            Align2::LEFT_TOP,
            title,
            strong(12.5),
            self.palette.ink,
        );
        painter.text(
            rect.min + vec2(0.0, 18.0),
            Align2::LEFT_TOP,
            subtitle,
            plain(11.0),
            self.palette.mute,
        );
        let response = ui.interact(rect, ui.scope_id().with(title), Sense::hover());
        response
            .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{title}: {subtitle}")));
    }

    /// "v₁ · v₂  −0.09 × 0.08  −0.01"; returns whether it was clicked.
    fn input(&self, ui: &Ui, rect: Rect, i: usize) -> bool {
        let neuron = &self.running.construction.neurons[i];
        let color = self.palette.role(role(neuron.part));
        let [a, b] = self.running.readings.each_ref().map(|readings| readings.at(self.token, i));
        let added = self.running.added.at(self.token, i);
        let response = self.row(ui, rect, ("input", i), i == self.chosen, color);
        response.widget_info(|| {
            valued(
                Role::Button,
                format!("Neuron {}", neuron.name),
                format!(
                    "{} × {} = {}",
                    numbers::fixed(a),
                    numbers::fixed(b),
                    numbers::fixed(added)
                ),
            )
        });
        let name = Self::job(
            &[(&neuron.factors[0], color), (" · ", self.palette.mute), (&neuron.factors[1], color)],
            80.0,
        );
        let one = |value: f64, name: &str| {
            if name == "1" && value == 1.0 { "1".into() } else { numbers::fixed(value) }
        };
        self.texts(
            ui,
            rect,
            name,
            58.0,
            &format!("{} × {}", one(a, &neuron.factors[0]), one(b, &neuron.factors[1])),
            &numbers::fixed(added),
        );
        let response = response.on_hover_ui(|ui| {
            ui.label(format!(
                "What neuron {} takes in from token {}:",
                neuron.name,
                self.token + 1
            ));
            ui.label(format!("{} = Wₘ in row · token = {}", neuron.factors[0], format::signed(a)));
            ui.label(format!("{} = Wₓ in row · token = {}", neuron.factors[1], format::signed(b)));
            ui.colored_label(color, format!("their product is {}", format::signed(added)));
        });
        response.clicked()
    }

    /// "S₁₂  −0.60 − 0.01  −0.61"; returns whether it was clicked.
    fn memory(&self, ui: &Ui, rect: Rect, i: usize) -> bool {
        let neuron = &self.running.construction.neurons[i];
        let color = self.palette.role(role(neuron.part));
        let (lambda, before, added, held) = (
            self.running.network.lambda[i],
            self.running.before(self.token, i),
            self.running.added.at(self.token, i),
            self.running.states.at(self.token, i),
        );
        let response = self.row(ui, rect, ("memory", i), i == self.chosen, color);
        response.widget_info(|| {
            valued(Role::Button, format!("Memory {}", neuron.name), numbers::fixed(held))
        });
        let sum = match lambda {
            1.0 => format!("{} {}", numbers::fixed(before), numbers::added(added)),
            0.0 => "replaced".into(),
            _ => format!(
                "{}·{} {}",
                numbers::lambda(lambda),
                numbers::factor(before),
                numbers::added(added)
            ),
        };
        self.texts(
            ui,
            rect,
            Self::job(&[(&neuron.name, color)], 60.0),
            40.0,
            &sum,
            &numbers::fixed(held),
        );
        let response = response.on_hover_ui(|ui| {
            ui.label(format!("What neuron {} holds after token {}:", neuron.name, self.token + 1));
            ui.label("h = λ · before + product");
            ui.colored_label(
                color,
                format!(
                    "{} = {} · {} + {}",
                    format::signed(held),
                    numbers::lambda(lambda),
                    format::signed(before),
                    format::signed(added)
                ),
            );
        });
        response.clicked()
    }

    /// "S₁₂ · q₂  −0.14"; returns the neuron that a click chooses.
    fn gate(&self, ui: &Ui, rect: Rect, i: usize) -> Option<usize> {
        let gate = &self.running.construction.gates[i];
        let palette = self.palette;
        let reads_chosen = gate.neurons.contains(&self.chosen);
        let [memory, query] =
            self.running.gate_readings.each_ref().map(|readings| readings.at(self.token, i));
        let product = self.running.product(self.token, i);
        let response = self.row(ui, rect, ("gate", i), reads_chosen, palette.between);
        let name = gate_name(gate);
        response
            .widget_info(|| valued(Role::Button, format!("Gate {name}"), numbers::fixed(product)));
        let query_name = bracketed(&gate.query);
        let job = |memory: &str| {
            Self::job(
                &[(memory, palette.key_value), (" · ", palette.mute), (&query_name, palette.query)],
                f32::INFINITY,
            )
        };
        let room = rect.width() - 64.0;
        let full = job(&bracketed(&gate.memory));
        let fits =
            !ui.is_rect_visible(rect) || ui.painter().layout_job(full.clone()).size().x <= room;
        // A long sum by its first term; all of it stands in the hover.
        let first = gate.memory.split(' ').next().unwrap_or_default();
        let job = if fits { full } else { job(&format!("({first} − …)")) };
        self.texts(ui, rect, job, 0.0, "", &numbers::fixed(product));
        let response = response.on_hover_ui(|ui| {
            ui.label(format!("Output gate {name}:"));
            ui.colored_label(
                palette.key_value,
                format!("{} = {}", gate.memory, format::signed(memory)),
            );
            ui.colored_label(palette.query, format!("{} = {}", gate.query, format::signed(query)));
            ui.label(format!("their product is {}", format::signed(product)));
            let column = self.running.network.readout.column(i);
            let used: Vec<String> = column
                .enumerate()
                .filter(|(_, weight)| *weight != 0.0)
                .map(|(k, weight)| format!("{} in ŷ{}", format::signed(weight), subscript(k + 1)))
                .collect();
            ui.label(format!("its weight in the readout D: {}", used.join(", ")));
        });
        if response.clicked() { gate.neurons.first().copied() } else { None }
    }

    /// The output, large, over attention's.
    fn output(&self, ui: &Ui, rect: Rect, k: usize) {
        let palette = self.palette;
        let (ours, theirs) =
            (self.running.outputs.at(self.token, k), self.built.moments[self.token].output[k]);
        let painter = ui.painter();
        painter.text(
            rect.min,
            Align2::LEFT_TOP,
            format!("ŷ{}", subscript(k + 1)),
            plain(11.5),
            palette.mute,
        );
        painter.text(
            rect.min + vec2(0.0, 14.0),
            Align2::LEFT_TOP,
            numbers::fixed(ours),
            strong(17.0),
            palette.ink,
        );
        painter.text(
            rect.min + vec2(0.0, 36.0),
            Align2::LEFT_TOP,
            format!("attention {}", numbers::fixed(theirs)),
            plain(11.0),
            palette.teacher,
        );
        if !self.built.is_exact((ours - theirs).abs()) {
            painter.text(
                rect.min + vec2(26.0, 0.0),
                Align2::LEFT_TOP,
                format!("off by {}", numbers::fixed((ours - theirs).abs())),
                plain(11.5),
                palette.error,
            );
        }
        self.explain_output(ui, Rect::from_min_size(rect.min, vec2(rect.width(), OUTPUT - 6.0)), k);
    }

    fn output_line(&self, ui: &Ui, rect: Rect, k: usize) {
        let (ours, theirs) =
            (self.running.outputs.at(self.token, k), self.built.moments[self.token].output[k]);
        ui.painter().rect_filled(rect, 3.0, self.palette.panel);
        let exact = self.built.is_exact((ours - theirs).abs());
        let attention = format!("attention {}", numbers::fixed(theirs));
        let name = format!("ŷ{}", subscript(k + 1));
        let off = format!("off by {}", numbers::fixed((ours - theirs).abs()));
        let mut job = Self::job(
            &[
                (&name, self.palette.mute),
                ("    ", self.palette.mute),
                (&attention, self.palette.teacher),
            ],
            400.0,
        );
        if !exact {
            job = Self::job(
                &[
                    (&name, self.palette.mute),
                    ("    ", self.palette.mute),
                    (&attention, self.palette.teacher),
                    ("    ", self.palette.mute),
                    (&off, self.palette.error),
                ],
                400.0,
            );
        }
        self.texts(ui, rect, job, 0.0, "", &numbers::fixed(ours));
        self.explain_output(ui, rect, k);
    }

    fn explain_output(&self, ui: &Ui, rect: Rect, k: usize) {
        let response = ui.interact(rect, ui.scope_id().with(("output", k)), Sense::hover());
        let (ours, theirs) =
            (self.running.outputs.at(self.token, k), self.built.moments[self.token].output[k]);
        response.widget_info(|| {
            valued(
                Role::Image,
                format!("Output {}", k + 1),
                format!("{}, attention {}", numbers::fixed(ours), numbers::fixed(theirs)),
            )
        });
        response.on_hover_ui(|ui| {
            ui.label(format!(
                "ŷ{} = row {} of D · products of the gates:",
                subscript(k + 1),
                k + 1
            ));
            for (i, gate) in self.running.construction.gates.iter().enumerate() {
                let weight = self.running.network.readout.at(k, i);
                if weight != 0.0 {
                    ui.label(format!(
                        "{} · {}   ({})",
                        format::signed(weight),
                        format::signed(self.running.product(self.token, i)),
                        gate_name(gate)
                    ));
                }
            }
            ui.label(format!("= {}", format::signed(self.running.outputs.at(self.token, k))));
            ui.colored_label(
                self.palette.teacher,
                format!("attention: {}", format::signed(self.built.moments[self.token].output[k])),
            );
        });
    }

    /// A row's ground; those that belong to the chosen neuron are framed.
    fn row(
        &self,
        ui: &Ui,
        rect: Rect,
        id: (&str, usize),
        marked: bool,
        color: Color32,
    ) -> Response {
        let response = ui.interact(rect, ui.scope_id().with(id), Sense::click());
        let palette = self.palette;
        let fill = if response.hovered() {
            palette.panel.lerp_to_gamma(palette.accent, 0.08)
        } else {
            palette.panel
        };
        ui.painter().rect_filled(rect, 3.0, fill);
        ui.painter().rect_filled(
            Rect::from_min_size(rect.min, vec2(3.0, rect.height())),
            0.0,
            color,
        );
        if marked || response.has_focus() {
            ui.painter().rect_stroke(
                rect,
                3.0,
                Stroke::new(1.5, palette.accent),
                StrokeKind::Inside,
            );
        }
        response
    }

    /// Name at the left, a formula from `middle` on, the value at the right.
    fn texts(&self, ui: &Ui, rect: Rect, name: LayoutJob, middle: f32, formula: &str, value: &str) {
        if !ui.is_rect_visible(rect) {
            return;
        }
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        let name = painter.layout_job(name);
        let left = rect.left() + 10.0;
        let from = left + middle.max(name.size().x + 8.0);
        painter.galley(pos2(left, rect.center().y - name.size().y / 2.0), name, self.palette.ink);
        let value = painter.text(
            rect.right_center() - vec2(7.0, 0.0),
            Align2::RIGHT_CENTER,
            value,
            strong(12.0),
            self.palette.ink,
        );
        // A number that is cut would be another number.
        let formula = painter.layout_no_wrap(formula.into(), plain(11.5), self.palette.ink);
        if formula.size().x <= value.left() - 4.0 - from {
            painter.galley(
                pos2(from, rect.center().y - formula.size().y / 2.0),
                formula,
                self.palette.ink,
            );
        } else {
            painter.text(
                pos2(from, rect.center().y),
                Align2::LEFT_CENTER,
                "…",
                plain(11.5),
                self.palette.mute,
            );
        }
    }

    /// Coloured parts in one line, cut with an ellipsis.
    fn job(parts: &[(&str, Color32)], width: f32) -> LayoutJob {
        let mut job = LayoutJob {
            wrap: TextWrapping::truncate_at_width(width.max(10.0)),
            ..LayoutJob::default()
        };
        for (text, color) in parts {
            job.append(
                text,
                0.0,
                TextFormat { font_id: plain(11.5), color: *color, ..TextFormat::default() },
            );
        }
        job
    }
}

/// A name and a value for those who do not see them, and for tests.
fn valued(role: Role, name: String, value: String) -> WidgetInfo {
    WidgetInfo { current_text_value: Some(value), ..WidgetInfo::labeled(role, true, name) }
}
