//! The picture: what became of the loss over the sweep's first axis, a dot for each run.

use super::plot::{Kind, Picture, Point};
use super::state::{Derived, State};
use super::{card as run_card, plot};
use crate::sweep::queue::Queue;
use crate::ui::Action;
use crate::ui::kit::chart::frame::{BELOW, Frame, LEFT};
use crate::ui::kit::chart::marks;
use crate::ui::kit::theme::{Palette, plain};
use crate::ui::kit::{card, export, format};
use eframe::egui;
use egui::{
    Align2, ComboBox, EventFilter, Key, Modifiers, Painter, Pos2, Rect, RichText, Role, Sense,
    Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

/// Height of the strip at the top edge where runs without a loss stand.
const EDGE: f32 = 20.0;
/// Height of the legend.
const LEGEND: f32 = 20.0;
/// How near the pointer must be to a dot.
const NEAR: f32 = 14.0;

/// The subtitle of the card.
fn subtitle(picture: &Picture) -> String {
    format!("{} after training, log scale", picture.measure.name())
}

pub fn show(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    shown: &Derived,
    queue: &Queue,
    actions: &mut Vec<Action>,
) {
    let picture = &shown.picture;
    let mut save = false;
    let inner = card::show(ui, rect, "Final loss", &subtitle(picture), |ui| {
        save = export::button(ui, "Final loss");
        x_chooser(ui, state, picture, queue);
    });
    if save {
        actions.push(export::svg(ui, "sweep.svg", vec2(880.0, 500.0), &mut |ui, rect| {
            let inner = card::show(ui, rect, &queue.sweep.title, &subtitle(picture), |_| ());
            draw(ui, inner, picture, None);
        }));
    }
    let Some(frame) = draw(ui, inner, picture, state.selected) else { return };
    let response = ui.interact(inner, ui.scope_id().with("sweep picture"), Sense::click());
    let over = response.hover_pos().and_then(|pointer| nearest(picture, &frame, pointer));
    if response.clicked_by(egui::PointerButton::Primary) {
        state.select(over.filter(|run| state.selected != Some(*run)));
        response.request_focus();
    }
    if response.has_focus() {
        keys(ui, &response, state, picture);
    }
    let said = state.selected.map_or_else(
        || "No run is chosen".into(),
        |run| run_card::sentence(queue, run, picture.measure),
    );
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Image, true, format!("Final loss of each run. {said}"))
    });
    if let Some(run) = over {
        if let Some(point) = picture.points.iter().find(|point| point.run == run) {
            ring(ui.painter(), place(&frame, point), Palette::of(ui).ink);
        }
        response.on_hover_ui_at_pointer(|ui| run_card::show(ui, queue, run, picture.measure));
    }
}

/// Which axis goes from left to right, if there is a choice.
fn x_chooser(ui: &mut Ui, state: &mut State, picture: &Picture, queue: &Queue) {
    let axes = &queue.sweep.axes;
    let choices = plot::choices(axes);
    let Some(now) = picture.x_axis.filter(|_| choices.len() > 1) else { return };
    let name =
        |i: usize| axes[i].keys.iter().map(|key| plot::short(key)).collect::<Vec<_>>().join(" = ");
    ui.spacing_mut().interact_size.y = 20.0;
    let combo = ComboBox::from_id_salt("sweep x")
        .width(70.0)
        .selected_text(RichText::new(format!("over {}", name(now))).size(11.5))
        .show_ui(ui, |ui| {
            for i in choices {
                if ui.selectable_label(i == now, name(i)).clicked() {
                    state.x_axis = Some(i);
                }
            }
        });
    combo
        .response
        .widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Axis from left to right"));
}

/// Arrows go from dot to dot, that is from run to run; Escape lets go.
pub fn keys(ui: &Ui, response: &egui::Response, state: &mut State, picture: &Picture) {
    // Escape lets the run go first, then the keyboard.
    let filter = EventFilter {
        horizontal_arrows: true,
        vertical_arrows: true,
        escape: state.selected.is_some(),
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    for (key, direction) in [
        (Key::ArrowRight, [1, 0]),
        (Key::ArrowLeft, [-1, 0]),
        (Key::ArrowUp, [0, 1]),
        (Key::ArrowDown, [0, -1]),
    ] {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key))
            && let Some(run) = picture.neighbour(state.selected, direction)
        {
            state.select(Some(run));
        }
    }
    if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        state.select(None);
    }
    ui.painter().rect_stroke(
        response.rect.expand2(vec2(6.0, 0.0)),
        4.0,
        Stroke::new(1.0, Palette::of(ui).accent),
        egui::StrokeKind::Inside,
    );
}

/// Where a point is drawn.
fn place(frame: &Frame, point: &Point) -> Pos2 {
    match point.level {
        Some(level) => frame.at(point.x, level),
        None => pos2(frame.column(point.x), frame.rect.top() - EDGE / 2.0),
    }
}

/// The run whose dot is nearest to the pointer.
fn nearest(picture: &Picture, frame: &Frame, pointer: Pos2) -> Option<usize> {
    let apart = |point: &Point| place(frame, point).distance(pointer);
    let near = picture
        .points
        .iter()
        .map(|point| (apart(point), point.run))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    (near.0 <= NEAR).then_some(near.1)
}

/// Draws the plot without its title; returns where things are, if there is room.
pub fn draw(ui: &Ui, rect: Rect, picture: &Picture, selected: Option<usize>) -> Option<Frame> {
    let palette = Palette::of(ui);
    let edge = if picture.points.iter().any(|point| point.level.is_none()) { EDGE } else { 6.0 };
    let legend_height = legend_height(ui.painter(), rect.width(), picture, palette);
    let inner = Rect::from_min_max(
        rect.min + vec2(LEFT, legend_height + 12.0 + edge),
        rect.max - vec2(8.0, BELOW),
    );
    if inner.width() < 60.0 || inner.height() < 50.0 {
        return None;
    }
    let frame = Frame { rect: inner, x: picture.scale.range(), y: picture.levels };
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let ticks = [
        picture.scale.ticks((inner.width() / 44.0) as usize),
        crate::ui::kit::chart::scale::log_ticks(picture.levels, (inner.height() / 26.0) as usize),
    ];
    frame.draw(
        &painter,
        palette,
        [&ticks[0], &ticks[1]],
        [&picture.x_title, picture.measure.name()],
    );
    legend(
        &painter,
        Rect::from_min_size(rect.min, vec2(rect.width(), legend_height)),
        picture,
        palette,
    );
    references(&painter, &frame, picture, palette);
    for (i, series) in picture.series.iter().enumerate() {
        let color = palette.series(i);
        for pair in series.medians.windows(2) {
            if let (Some(from), Some(to)) = (pair[0].1, pair[1].1) {
                painter.line_segment(
                    [frame.at(pair[0].0, from), frame.at(pair[1].0, to)],
                    Stroke::new(1.6, color.gamma_multiply(0.75)),
                );
            }
        }
    }
    let crowd = picture.points.len() > 2000;
    let size = if crowd { 2.0 } else { 3.4 };
    for point in &picture.points {
        let (at, color) = (place(&frame, point), palette.series(point.series));
        let (size, color) =
            if point.aside { (0.6 * size, color.gamma_multiply(0.45)) } else { (size, color) };
        painter.add(match point.kind {
            Kind::Finished => marks::filled(point.series, at, size, color),
            Kind::Training => marks::hollow(
                point.series,
                at,
                size + 0.4,
                palette.background,
                Stroke::new(1.4, color),
            ),
            Kind::Diverged | Kind::Failed => marks::cross(at, size, Stroke::new(1.6, color)),
        });
    }
    edge_label(&painter, &frame, picture, palette);
    if let Some(point) =
        selected.and_then(|run| picture.points.iter().find(|point| point.run == run))
    {
        ring(&painter, place(&frame, point), palette.ink);
    }
    if picture.points.is_empty() {
        let font = plain(12.5);
        painter.text(
            inner.center(),
            Align2::CENTER_CENTER,
            "the first dots come with the first runs",
            font,
            palette.mute,
        );
    }
    Some(frame)
}

fn ring(painter: &Painter, at: Pos2, color: egui::Color32) {
    painter.circle_stroke(at, 7.0, Stroke::new(1.6, color));
}

/// What stands at the top edge.
fn edge_label(painter: &Painter, frame: &Frame, picture: &Picture, palette: &Palette) {
    let any = |kind: Kind| picture.points.iter().any(|point| point.kind == kind);
    let text = match (any(Kind::Diverged), any(Kind::Failed)) {
        (true, true) => "diverged or failed",
        (true, false) => "diverged",
        (false, true) => "failed",
        (false, false) => return,
    };
    let y = frame.rect.top() - EDGE / 2.0;
    painter.hline(
        frame.rect.x_range(),
        frame.rect.top(),
        Stroke::new(1.0, palette.error.gamma_multiply(0.45)),
    );
    let galley = painter.layout_no_wrap(text.into(), plain(11.0), palette.error);
    let right = picture
        .points
        .iter()
        .filter(|point| point.level.is_none())
        .map(|point| frame.column(point.x))
        .fold(f32::NEG_INFINITY, f32::max);
    let left = picture
        .points
        .iter()
        .filter(|point| point.level.is_none())
        .map(|point| frame.column(point.x))
        .fold(f32::INFINITY, f32::min);
    // Beside the marks where there is room, else over them.
    let x = match () {
        () if right + 10.0 + galley.size().x <= frame.rect.right() => right + 10.0,
        () if left - 10.0 - galley.size().x >= frame.rect.left() => left - 10.0 - galley.size().x,
        () => frame.rect.left() + 2.0,
    };
    let at = pos2(x, y - galley.size().y / 2.0);
    painter.rect_filled(
        Rect::from_min_size(at, galley.size()).expand2(vec2(3.0, 0.0)),
        2.0,
        palette.background,
    );
    painter.galley(at, galley, palette.error);
}

/// Theory's fewest neurons and twice that, and the loss of a gradient step.
fn references(painter: &Painter, frame: &Frame, picture: &Picture, palette: &Palette) {
    let rect = frame.rect;
    let clip = painter.with_clip_rect(rect.expand2(vec2(6.0, 4.0)).intersect(painter.clip_rect()));
    let inside = |x: f64| (frame.x[0]..=frame.x[1]).contains(&x);
    // (neurons, what stands there, colour, how far from the top)
    let mut lines: Vec<(usize, String, egui::Color32, f32)> = vec![];
    for (i, (minimum, series)) in picture.minima().into_iter().enumerate() {
        match series {
            None => {
                lines.push((minimum, format!("theory's minimum {minimum}"), palette.ink, 2.0));
                lines.push((2 * minimum, format!("twice it, {}", 2 * minimum), palette.ink, 18.0));
            }
            Some(series) => lines.push((
                minimum,
                format!("minimum {minimum}"),
                palette.series(series),
                2.0 + 15.0 * i as f32,
            )),
        }
    }
    lines.retain(|line| inside(picture.scale.place_of(line.0 as f64)));
    let column = |value: usize| frame.column(picture.scale.place_of(value as f64));
    for (value, _, color, _) in &lines {
        let x = column(*value);
        clip.extend(Shape::dashed_line(
            &[pos2(x, rect.top()), pos2(x, rect.bottom())],
            Stroke::new(1.2, *color),
            5.0,
            4.0,
        ));
    }
    // Words over lines, not under them.
    for (value, text, color, top) in lines {
        let (x, galley) = (column(value), clip.layout_no_wrap(text, plain(11.0), color));
        let left = if x + 4.0 + galley.size().x > rect.right() {
            x - 4.0 - galley.size().x
        } else {
            x + 4.0
        };
        let at = pos2(left, rect.top() + top);
        clip.rect_filled(
            Rect::from_min_size(at, galley.size()),
            2.0,
            palette.background.gamma_multiply(0.85),
        );
        clip.galley(at, galley, color);
    }
    gradient_step(&clip, frame, picture, palette);
}

/// The loss of one step of gradient descent, if there is one.
pub fn gradient_step(painter: &Painter, frame: &Frame, picture: &Picture, palette: &Palette) {
    if let Some(loss) = picture.reference {
        let y = frame.row(loss.log10());
        painter.extend(Shape::dashed_line(
            &[pos2(frame.rect.left(), y), pos2(frame.rect.right(), y)],
            Stroke::new(1.4, palette.ink),
            5.0,
            3.0,
        ));
        let text = format!("one gradient step {}", format::fixed(loss, 4));
        let galley = painter.layout_no_wrap(text, plain(11.0), palette.ink);
        // Losses come down to it: below is free.
        let at =
            pos2(frame.rect.left() + 6.0, (y + 2.0).min(frame.rect.bottom() - galley.size().y));
        painter.rect_filled(
            Rect::from_min_size(at, galley.size()),
            2.0,
            palette.background.gamma_multiply(0.85),
        );
        painter.galley(at, galley, palette.ink);
    }
}

/// Rows of the legend, at most.
const ROWS: usize = 3;

/// Height of the legend where it is that wide.
pub fn legend_height(painter: &Painter, width: f32, picture: &Picture, palette: &Palette) -> f32 {
    LEGEND
        * legend_entries(painter, width, picture, palette).last().map_or(1, |entry| entry.row + 1)
            as f32
}

/// A mark at a place, for the legend.
type Mark = Box<dyn Fn(Pos2) -> Shape>;

/// An entry of the legend.
struct Entry {
    text: String,
    mark: Mark,
    /// From the left.
    x: f32,
    row: usize,
}

/// The entries, and where each stands. What does not fit is counted in the last.
fn legend_entries(
    painter: &Painter,
    width: f32,
    picture: &Picture,
    palette: &Palette,
) -> Vec<Entry> {
    let named: Vec<(usize, &str)> = picture
        .series
        .iter()
        .enumerate()
        .map(|(i, series)| (i, series.name.as_str()))
        .filter(|(_, name)| !name.is_empty())
        .collect();
    let color = if named.is_empty() { palette.series(0) } else { palette.mute };
    let mut entries: Vec<(String, Mark)> = vec![];
    for (i, name) in &named {
        let (i, color) = (*i, palette.series(*i));
        entries.push(((*name).to_owned(), Box::new(move |at| marks::filled(i, at, 3.4, color))));
    }
    if named.is_empty() {
        entries.push(("a run".into(), Box::new(move |at| marks::filled(0, at, 3.4, color))));
    }
    if picture.series.iter().any(|series| series.medians.len() > 1) {
        let line = move |at: Pos2| {
            Shape::line_segment([at - vec2(5.0, 0.0), at + vec2(5.0, 0.0)], Stroke::new(1.6, color))
        };
        entries.push(("median".into(), Box::new(line)));
    }
    if picture.points.iter().any(|point| point.kind == Kind::Training) {
        let background = palette.background;
        entries.push((
            "in training".into(),
            Box::new(move |at| marks::hollow(0, at, 3.8, background, Stroke::new(1.4, color))),
        ));
    }
    let room =
        |text: &str| 9.0 + painter.layout_no_wrap(text.into(), plain(11.0), palette.mute).size().x;
    let (mut x, mut row, mut places) = (6.0, 0, vec![]);
    for place in 0..entries.len() {
        let more = format!("and {} more", entries.len() - place);
        let (last, wide) = (row + 1 == ROWS, room(&entries[place].0));
        let reserved = if last && place + 1 < entries.len() { 18.0 + room(&more) } else { 0.0 };
        if x > 6.0 && x + wide + reserved > width {
            if last {
                places.push((x, row));
                entries.truncate(place);
                entries.push((more, Box::new(|_| Shape::Noop)));
                break;
            }
            (x, row) = (6.0, row + 1);
        }
        places.push((x, row));
        x += wide + 18.0;
    }
    entries
        .into_iter()
        .zip(places)
        .map(|((text, mark), (x, row))| Entry { text, mark, x, row })
        .collect()
}

/// One mark for each series, and what hollow dots and lines are.
pub fn legend(painter: &Painter, rect: Rect, picture: &Picture, palette: &Palette) {
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    for Entry { text, mark, x, row } in legend_entries(&painter, rect.width(), picture, palette) {
        let at = rect.left_top() + vec2(x, LEGEND * (row as f32 + 0.5));
        painter.add(mark(at));
        painter.text(at + vec2(9.0, 0.0), Align2::LEFT_CENTER, text, plain(11.0), palette.mute);
    }
}
