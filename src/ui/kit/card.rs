//! A titled part of the window.

use super::theme::{Palette, plain, strong};
use crate::run::live::Live;
use eframe::egui;
use egui::text::LayoutJob;
use egui::{Align, Align2, Layout, Rect, Ui, UiBuilder, pos2, vec2};

/// Space around a card's content.
pub const MARGIN: f32 = 12.0;
/// Above the title's row, between it and the content, below the content.
const ABOVE: f32 = 6.0;
const BETWEEN: f32 = 2.0;
const BELOW: f32 = 6.0;

/// Draws title and subtitle at the top of `rect`, `tools` at the right end of that row; returns the
/// rectangle that is left.
pub fn show(
    ui: &mut Ui,
    rect: Rect,
    title: &str,
    subtitle: &str,
    tools: impl FnOnce(&mut Ui),
) -> Rect {
    let palette = Palette::of(ui);
    let inner = rect.shrink2(vec2(MARGIN, 0.0));
    let row = Rect::from_min_size(
        inner.min + vec2(0.0, ABOVE),
        vec2(inner.width().max(0.0), ui.spacing().interact_size.y + 2.0),
    );
    let mut tool_ui = ui.new_child(
        UiBuilder::new().id_salt(title).max_rect(row).layout(Layout::right_to_left(Align::Center)),
    );
    tools(&mut tool_ui);
    let right =
        if tool_ui.min_rect().width() > 0.0 { tool_ui.min_rect().left() } else { row.right() };
    let painter = ui.painter().with_clip_rect(
        Rect::from_min_max(row.min, pos2(right - 6.0, row.max.y)).intersect(ui.clip_rect()),
    );
    let heading =
        painter.text(row.left_center(), Align2::LEFT_CENTER, title, strong(12.5), palette.ink);
    let space = right - 6.0 - heading.right() - 8.0;
    let width =
        |text: &str| painter.layout_no_wrap(text.into(), plain(12.0), palette.mute).size().x;
    // A subtitle that would be cut is left out.
    if width(subtitle) <= space {
        painter.text(
            pos2(heading.right() + 8.0, row.center().y),
            Align2::LEFT_CENTER,
            subtitle,
            plain(12.0),
            palette.mute,
        );
    }
    Rect::from_min_max(
        pos2(inner.left(), row.bottom() + BETWEEN),
        pos2(inner.right(), rect.bottom() - BELOW),
    )
}

/// Height of a card around content of that height.
pub fn height(ui: &Ui, content: f32) -> f32 {
    let row = ui.spacing().interact_size.y + 2.0;
    ABOVE + row + BETWEEN + content + BELOW
}

/// Says why there is nothing to draw, or nothing yet.
pub fn waiting(ui: &Ui, rect: Rect, live: &Live) {
    match (&live.failure, live.recipe.is_gated()) {
        (Some(_), _) => empty(ui, rect, "nothing to show"),
        (None, true) => empty(ui, rect, "preparing…"),
        (None, false) => quiet(
            ui,
            rect,
            &format!(
                "Drawn for the gated RNN. This layer ({}) shows its insides in Dissect\u{a0}(3).",
                live.recipe.model.title
            ),
        ),
    }
}

/// Says `text` in the middle of `rect`, where there is nothing to draw yet.
pub fn empty(ui: &Ui, rect: Rect, text: &str) {
    ui.painter().text(
        rect.center(),
        Align2::CENTER_CENTER,
        text,
        plain(12.5),
        Palette::of(ui).mute,
    );
}

/// Says `text` where there is nothing to draw.
pub fn quiet(ui: &Ui, rect: Rect, text: &str) {
    let width = (rect.width() - 24.0).clamp(1.0, 420.0);
    let mut job = LayoutJob::simple(text.into(), plain(12.5), Palette::of(ui).mute, width);
    job.halign = Align::Center;
    let galley = ui.painter().layout_job(job);
    let at = pos2(rect.center().x, rect.center().y - galley.size().y / 2.0);
    ui.painter().with_clip_rect(rect.intersect(ui.clip_rect())).galley(
        at,
        galley,
        Palette::of(ui).mute,
    );
}

/// A sentence in small letters, as far as it fits.
pub fn note(ui: &Ui, rect: Rect, text: &str) {
    let mut job =
        LayoutJob::simple(text.into(), plain(11.0), Palette::of(ui).mute, rect.width().max(1.0));
    job.wrap.max_rows = ((rect.height() / 15.0).floor().max(1.0)) as usize;
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(rect.min, galley, Palette::of(ui).mute);
}

/// Small letters that run from bottom to top, right of `left` and around its height.
pub fn upright(ui: &Ui, left: egui::Pos2, text: &str) {
    let color = Palette::of(ui).mute;
    let galley = ui.painter().layout_no_wrap(text.into(), plain(10.5), color);
    let at = pos2(left.x, left.y + galley.size().x / 2.0);
    ui.painter().add(
        egui::epaint::TextShape::new(at, galley, color).with_angle(-std::f32::consts::FRAC_PI_2),
    );
}

/// A rule between two cards.
pub fn rule(ui: &Ui, from: egui::Pos2, to: egui::Pos2) {
    ui.painter().line_segment([from, to], egui::Stroke::new(1.0, Palette::of(ui).line));
}

/// A small switch for a card's title row.
pub fn switch(ui: &mut Ui, on: &mut bool, text: &str, help: &str) {
    let response = ui
        .add(egui::Button::selectable(*on, egui::RichText::new(text).size(11.5)))
        .on_hover_text(help);
    if response.clicked() {
        *on = !*on;
    }
}

/// A child of `ui` that fills `rect` and draws nothing outside it.
pub fn inside(ui: &mut Ui, salt: &str, rect: Rect) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().id_salt(salt).max_rect(rect));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    child
}
