//! What hovering says, without hovering: a click, or the keyboard, chooses a cell of a picture, and
//! what there is to say of it stays open until another click on it, a click elsewhere, or Escape.

use super::theme::Palette;
use eframe::egui;
use egui::{
    EventFilter, Key, Modifiers, Pos2, Rect, Response, Stroke, StrokeKind, Tooltip, Ui, vec2,
};

/// Row and column of the cell that was chosen last.
#[derive(Debug, Clone, Copy, Default)]
pub struct Readout {
    /// It is explained while its picture has the keyboard.
    pub cell: [usize; 2],
}

const ARROWS: [(Key, [isize; 2]); 4] = [
    (Key::ArrowUp, [-1, 0]),
    (Key::ArrowDown, [1, 0]),
    (Key::ArrowLeft, [0, -1]),
    (Key::ArrowRight, [0, 1]),
];

impl Readout {
    /// Takes in clicks and arrows, for a picture of `size` rows and columns with `hit` under the
    /// pointer; returns whether the picture has the keyboard.
    pub fn choose(
        &mut self,
        ui: &Ui,
        response: &Response,
        size: [usize; 2],
        hit: Option<[usize; 2]>,
    ) -> bool {
        match hit.filter(|_| response.clicked()) {
            Some(hit) if response.has_focus() && self.cell == hit => response.surrender_focus(),
            Some(hit) => {
                self.cell = hit;
                response.request_focus();
            }
            None if response.has_focus() && response.clicked_elsewhere() => {
                response.surrender_focus()
            }
            None => {}
        }
        for (place, count) in self.cell.iter_mut().zip(size) {
            *place = (*place).min(count.saturating_sub(1));
        }
        if !response.has_focus() || size.contains(&0) {
            return false;
        }
        let arrows = EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
        for (key, step) in ARROWS {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
                for ((place, count), step) in self.cell.iter_mut().zip(size).zip(step) {
                    *place = place.saturating_add_signed(step).min(count - 1);
                }
            }
        }
        true
    }

    /// Says `content` of the chosen cell, which is at `place`, if `chosen`; else of the cell under
    /// the pointer.
    pub fn explain(
        &self,
        ui: &Ui,
        response: Response,
        chosen: bool,
        hit: Option<[usize; 2]>,
        place: Rect,
        content: impl FnOnce(&mut Ui, [usize; 2]),
    ) {
        if !chosen {
            if let Some(hit) = hit {
                response.on_hover_ui_at_pointer(|ui| content(ui, hit));
            }
            return;
        }
        ui.painter().rect_stroke(
            place,
            2.0,
            Stroke::new(2.0, Palette::of(ui).accent),
            StrokeKind::Outside,
        );
        // Above or below the whole picture, so that it covers none of it.
        let beside = Rect::from_x_y_ranges(place.x_range(), response.rect.y_range())
            .intersect(ui.clip_rect());
        if place.intersects(ui.clip_rect()) && beside.is_positive() {
            Tooltip::always_open(ui.ctx().clone(), response.layer_id, response.id, beside)
                .show(|ui| content(ui, self.cell));
        }
    }
}

/// Row and column under the pointer.
pub fn cell_at(rect: Rect, rows: usize, columns: usize, pointer: Pos2) -> Option<(usize, usize)> {
    if !rect.contains(pointer) || rows == 0 || columns == 0 {
        return None;
    }
    let index = |part: f32, count: usize| ((part.max(0.0) * count as f32) as usize).min(count - 1);
    Some((
        index((pointer.y - rect.top()) / rect.height(), rows),
        index((pointer.x - rect.left()) / rect.width(), columns),
    ))
}

/// Where the cell of that row and column stands.
pub fn cell_rect(rect: Rect, [rows, columns]: [usize; 2], [row, column]: [usize; 2]) -> Rect {
    let cell = vec2(rect.width() / columns.max(1) as f32, rect.height() / rows.max(1) as f32);
    Rect::from_min_size(rect.min + vec2(column as f32, row as f32) * cell, cell)
}
