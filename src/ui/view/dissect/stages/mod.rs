//! The reduction, step by step: five aligned pictures, the chosen one wide; choosing another lets
//! its rows and columns move there. [`picture`] colours, [`place`] places, [`morph`] moves,
//! [`hover`] explains.

mod frame;
mod hover;
mod morph;
mod picture;
mod place;

use super::answer::{Answer, Stamp};
use super::export;
use crate::analysis::importance::Role;
use crate::analysis::stage::{Stage, StageKind};
use crate::model::network::Gating;
use crate::ui::Action;
use crate::ui::kit::heatmap::Colors;
use crate::ui::kit::icon::Icon;
use crate::ui::kit::readout::Readout;
use crate::ui::kit::text::Text;
use crate::ui::kit::theme::{Palette, plain, strong};
use crate::ui::kit::{card, format, heatmap, icon, svg};
use eframe::egui;
use egui::text::LayoutJob;
use egui::{
    Align2, Color32, EventFilter, Rect, Role as Part, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use frame::{picture_rect, title};
use morph::Morph;
use picture::Picture;
use place::Place;

/// Raw, pruned, sorted, merged, minimal.
pub const COUNT: usize = 5;
/// A move from one stage to another takes this long.
const MOVE_SECS: f64 = 0.9;
/// While playing, each stage stays this long.
const STAY_SECS: f64 = 1.1;
/// How much wider than the others the chosen one is.
const WIDE: f32 = 2.7;

/// Between frames.
pub struct State {
    /// The stage that is wide.
    selected: usize,
    from: usize,
    /// When the move began, in the window's time.
    began: f64,
    playing: bool,
    /// A tile has the keyboard.
    focused: bool,
    readout: Readout,
    stamp: Option<Stamp>,
    pictures: [Picture; COUNT],
    morph: Option<(usize, usize, Morph)>,
}

impl Default for State {
    fn default() -> Self {
        Self::at(2)
    }
}

impl State {
    fn at(selected: usize) -> Self {
        let pictures = Default::default();
        Self {
            selected,
            from: selected,
            began: f64::NEG_INFINITY,
            playing: false,
            focused: false,
            readout: Readout::default(),
            stamp: None,
            pictures,
            morph: None,
        }
    }

    /// Whether a tile has the keyboard.
    pub fn has_focus(&self) -> bool {
        self.focused
    }

    /// The next stage, or the one before.
    pub fn step(&mut self, ui: &Ui, forward: bool) {
        self.playing = false;
        self.select(
            ui,
            if forward {
                (self.selected + 1).min(COUNT - 1)
            } else {
                self.selected.saturating_sub(1)
            },
        );
    }

    /// Runs through the stages, from the first if the last is shown.
    pub fn play(&mut self, ui: &Ui) {
        self.playing = !self.playing;
        if self.playing {
            self.select(ui, if self.selected + 1 == COUNT { 0 } else { self.selected + 1 });
        }
    }

    fn select(&mut self, ui: &Ui, stage: usize) {
        if stage != self.selected {
            let still = ui.style().animation_time <= 0.0; // the user wants no movement
            (self.from, self.selected) = (self.selected, stage);
            self.began = if still { f64::NEG_INFINITY } else { ui.input(|input| input.time) };
        }
    }

    /// How far the move has come, 0..=1; goes on with the next stage while playing.
    fn advance(&mut self, ui: &Ui) -> f32 {
        if svg::is_for_file(ui) {
            return 1.0;
        }
        let since = ui.input(|input| input.time) - self.began;
        if since < MOVE_SECS {
            ui.ctx().request_repaint();
        } else if self.playing && self.selected + 1 == COUNT {
            self.playing = false;
        } else if self.playing && since < MOVE_SECS + STAY_SECS {
            ui.ctx().request_repaint_after_secs((MOVE_SECS + STAY_SECS - since) as f32);
        } else if self.playing {
            self.select(ui, self.selected + 1);
            ui.ctx().request_repaint();
        }
        let since = ui.input(|input| input.time) - self.began;
        (since / MOVE_SECS).clamp(0.0, 1.0) as f32
    }

    fn update(&mut self, ui: &Ui, answer: &Answer<'_>, moving: bool) {
        let palette = Palette::of(ui);
        let (early, late) = (self.from.min(self.selected), self.from.max(self.selected));
        let stages = &answer.dissection.stages;
        let fresh = self.stamp != Some(answer.stamp);
        let morph_due = moving
            && early < late
            && late < stages.len()
            && (fresh || self.morph.as_ref().is_none_or(|(a, b, _)| (*a, *b) != (early, late)));
        if !(fresh || morph_due) {
            return;
        }
        let colors = Colors::new(palette);
        if fresh {
            self.stamp = Some(answer.stamp);
            for (picture, stage) in self.pictures.iter_mut().zip(stages) {
                picture.set(ui.ctx(), stage, answer.dissection, &colors, palette);
            }
        }
        if morph_due {
            self.morph = Some((
                early,
                late,
                Morph::new(ui.ctx(), &stages[early], &stages[late], answer.dissection, &colors),
            ));
        }
    }
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    answer: &Answer<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let (mut saved, mut played) = (false, false);
    let inner = card::show(
        ui,
        rect,
        "From trained to minimal",
        "one row per neuron; select a stage, or play",
        |ui| {
            if svg::is_for_file(ui) {
                return;
            }
            saved = export::button(ui, "From trained to minimal");
            let (icon, name) = if state.playing {
                (Icon::Pause, "Stop at this stage")
            } else {
                (Icon::Play, "Play the stages")
            };
            played = icon::button(ui, icon, name, None, vec2(30.0, 20.0), false)
                .on_hover_text("Run through the stages (Space); ← and → step")
                .clicked();
            if !narrow {
                heatmap::legend(
                    ui,
                    "±1 is the largest weight of the same row, for W out of the same gate. Unused neurons and gates are dimmed.",
                );
            }
        },
    );
    if played {
        state.play(ui);
    }
    let t = state.advance(ui);
    state.update(ui, answer, t < 1.0);
    state.focused = false;
    let area = Rect::from_min_max(pos2(rect.left(), inner.top()), rect.max);
    if narrow {
        narrow_strip(ui, area, state, t, answer);
    } else {
        strip(ui, area, state, t, answer, actions);
    }
    if saved {
        let selected = state.selected;
        actions.push(export::svg(ui, "dissect-stages.svg", rect.size(), &mut |ui, rect| {
            show(ui, rect, &mut State::at(selected), answer, narrow, &mut vec![])
        }));
    }
}

/// Side by side.
fn strip(
    ui: &mut Ui,
    area: Rect,
    state: &mut State,
    t: f32,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let eased = t * t * (3.0 - 2.0 * t);
    let weight = |i: usize| {
        let of = |chosen: usize| if i == chosen { WIDE } else { 1.0 };
        of(state.from) + (of(state.selected) - of(state.from)) * eased
    };
    let weights: Vec<f32> = (0..COUNT).map(weight).collect();
    let all: f32 = weights.iter().sum();
    let mut left = area.left();
    for (i, weight) in weights.iter().enumerate() {
        let width = area.width() * weight / all;
        let rect = Rect::from_min_size(pos2(left, area.top()), vec2(width, area.height()));
        left += width;
        if i > 0 {
            card::rule(ui, rect.left_top(), rect.left_bottom());
        }
        tile(ui, rect, i, state, t, answer, actions);
    }
}

/// On a phone: names in a row, the chosen picture below.
fn narrow_strip(ui: &mut Ui, area: Rect, state: &mut State, t: f32, answer: &Answer<'_>) {
    let palette = Palette::of(ui);
    let width = area.width() / COUNT as f32;
    for i in 0..COUNT.min(answer.dissection.stages.len()) {
        let rect = Rect::from_min_size(area.min + vec2(width * i as f32, 0.0), vec2(width, 34.0));
        button(ui, rect, i, state, answer);
        let (font, color) = if i == state.selected {
            (strong(11.5), palette.accent)
        } else {
            (plain(11.5), palette.ink)
        };
        ui.painter().text(
            rect.center(),
            Align2::CENTER_CENTER,
            title(answer.dissection.stages[i].kind),
            font,
            color,
        );
    }
    let rect = Rect::from_min_max(area.min + vec2(0.0, 38.0), area.max);
    content(ui, rect, state.selected, state, t, answer);
    hover::cells(
        ui,
        rect,
        &state.pictures[state.selected],
        state.selected,
        &mut state.readout,
        answer,
        None,
    );
}

/// What chooses stage `i`; its response's clicks are done.
fn button(
    ui: &mut Ui,
    rect: Rect,
    i: usize,
    state: &mut State,
    answer: &Answer<'_>,
) -> egui::Response {
    let palette = Palette::of(ui);
    let chosen = i == state.selected;
    let response = ui.interact(rect, ui.scope_id().with(("stage", i)), Sense::click());
    let name =
        answer.dissection.stages.get(i).map_or_else(String::new, |stage| {
            format!("{}: {}", title(stage.kind), moved(answer, i))
        });
    response.widget_info(|| WidgetInfo::selected(Part::ListBoxOption, true, chosen, &name));
    if chosen || response.hovered() {
        ui.painter().rect_filled(
            rect,
            0.0,
            palette.accent.gamma_multiply(if chosen { 0.07 } else { 0.03 }),
        );
    }
    if response.has_focus() {
        state.focused = true;
        let arrows = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
        ui.painter().rect_stroke(
            rect.shrink(2.0),
            4.0,
            Stroke::new(1.5, palette.accent),
            egui::StrokeKind::Inside,
        );
    }
    if response.clicked() && !chosen {
        state.playing = false;
        state.select(ui, i);
    }
    response
}

fn tile(
    ui: &mut Ui,
    rect: Rect,
    i: usize,
    state: &mut State,
    t: f32,
    answer: &Answer<'_>,
    actions: &mut Vec<Action>,
) {
    let chosen = i == state.selected;
    let response = button(ui, rect, i, state, answer);
    content(ui, rect, i, state, t, answer);
    if chosen {
        hover::cells(ui, rect, &state.pictures[i], i, &mut state.readout, answer, Some(actions));
    } else {
        hover::show(&response, rect, &state.pictures[i], i, answer);
    }
}

fn content(ui: &mut Ui, rect: Rect, i: usize, state: &mut State, t: f32, answer: &Answer<'_>) {
    let palette = Palette::of(ui);
    let Some(stage) = answer.dissection.stages.get(i) else { return };
    if rect.width() < 40.0 || rect.height() < 90.0 {
        return;
    }
    let chosen = i == state.selected;
    let side = matches!(stage.network.gating, Gating::Side(_));
    let painter = ui.painter().with_clip_rect(rect.shrink(1.0).intersect(ui.clip_rect()));
    let at = rect.min + vec2(card::MARGIN, 4.0);
    let heading = painter.text(at, Align2::LEFT_TOP, title(stage.kind), strong(12.5), palette.ink);
    let mut counts = painter.layout_job(counts(stage, palette, true));
    if heading.right() + counts.size().x + 8.0 > rect.right() - card::MARGIN {
        counts = painter.layout_job(self::counts(stage, palette, false));
    }
    painter.galley(
        pos2(rect.right() - card::MARGIN - counts.size().x, at.y + 1.0),
        counts,
        palette.mute,
    );
    let space = picture_rect(rect);
    let place = Place::new(space, &state.pictures[i], side);
    if stage.neurons.is_empty() {
        painter.text(
            space.center(),
            Align2::CENTER_CENTER,
            "nothing is left",
            plain(12.0),
            palette.mute,
        );
    } else if chosen
        && t < 1.0
        && let Some((early, late, morph)) = &state.morph
    {
        let places = [*early, *late].map(|k| {
            if k == i { place.clone() } else { Place::new(space, &state.pictures[k], side) }
        });
        let moment = if i == *late { t } else { 1.0 - t };
        morph.paint(
            &painter,
            [&state.pictures[*early], &state.pictures[*late]],
            [&places[0], &places[1]],
            moment,
        );
    } else {
        place.paint(&painter, &state.pictures[i], Color32::WHITE);
        hover::marks(&painter, &place, stage, answer, palette);
    }
    if rect.width() > 260.0 {
        headers(&painter, &place, side, palette);
    }
    let below = pos2(rect.left() + card::MARGIN, space.bottom() + 6.0);
    painter.text(below, Align2::LEFT_TOP, moved(answer, i), plain(11.5), palette.ink);
    if rect.width() > 260.0 && rect.bottom() - below.y > 30.0 {
        let mut note = LayoutJob::simple(
            stage.note.clone(),
            plain(11.0),
            palette.mute,
            rect.width() - 2.0 * card::MARGIN,
        );
        note.wrap.max_rows = 2;
        painter.galley(below + vec2(0.0, 17.0), painter.layout_job(note), palette.mute);
    }
}

/// What stands above the matrices.
fn headers(painter: &egui::Painter, place: &Place, side: bool, palette: &Palette) {
    let names = if side {
        ["Wₘ in", "Wₓ in", "W side", "Dᵀ"]
    } else {
        ["Wₘ in", "Wₓ in", "Wₘ out ᵀ", "Wₓ out ᵀ"]
    };
    for (columns, name) in place.columns.iter().zip(names).filter(|(columns, _)| columns.count > 0)
    {
        painter.text(
            pos2(columns.left, place.top - 3.0),
            Align2::LEFT_BOTTOM,
            name,
            plain(10.5),
            palette.mute,
        );
    }
    painter.text(
        pos2(place.roles.left, place.top - 3.0),
        Align2::LEFT_BOTTOM,
        "λ",
        plain(10.5),
        palette.mute,
    );
}

/// Neurons, where there is room by kind, then gates: "10 + 4 · 13".
fn counts(stage: &Stage, palette: &Palette, by_kind: bool) -> LayoutJob {
    let mut text = Text::sized(11.0, palette.mute);
    let sorted = !matches!(stage.kind, StageKind::Raw | StageKind::Pruned);
    let count = |role: Role| stage.roles.iter().filter(|&&r| r == role).count();
    let kinds: Vec<(usize, Role)> = [Role::KeyValue, Role::Query, Role::Between, Role::Unused]
        .map(|role| (count(role), role))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .collect();
    if by_kind && sorted && !kinds.is_empty() {
        for (i, (count, role)) in kinds.into_iter().enumerate() {
            text.plain(if i > 0 { " + " } else { "" })
                .marked(&count.to_string(), palette.role(role));
        }
    } else {
        text.plain(&stage.neurons.len().to_string());
    }
    if matches!(stage.network.gating, Gating::Output { .. }) {
        text.plain(&format!(" · {}", stage.gates.len()));
    }
    text.job
}

/// What stage `i` did to the outputs, in a few words.
fn moved(answer: &Answer<'_>, i: usize) -> String {
    let stages = &answer.dissection.stages;
    match (i, stages[i].change) {
        (0, _) => "as trained".into(),
        (_, change) if change.to_bits() == stages[i - 1].change.to_bits() => {
            "same function as before".into()
        }
        (_, change) => format!("outputs moved {}", format::scientific(change)),
    }
}
