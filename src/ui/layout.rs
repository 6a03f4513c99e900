//! Where each panel stands: three columns in a wide window, one that scrolls in a narrow one.

use super::theme::Palette;
use super::{
    Action, State, Tab, View, banner, card, compare, construct, context, contributions, controls,
    dissect, guide, lambdas, loss, network, outputs, status, sweep, topbar,
};
use crate::recipe::TaskName;
use eframe::egui;
use egui::{
    CentralPanel, Frame, Margin, Panel, Rect, ScrollArea, Sense, Ui, UiBuilder, pos2, vec2,
};

/// Below this width all stands in one column.
const NARROW: f32 = 900.0;
/// From this width on the guide has a column of its own.
const GUIDE: f32 = 1120.0;
/// Least height of the pictures in the middle.
const MIDDLE: f32 = 600.0;

fn bar(palette: &Palette, x: i8) -> Frame {
    Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(x, 0))
}

/// Draws everything.
pub fn show(ui: &mut Ui, state: &mut State, view: &mut View<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let size = ui.max_rect().size();
    let narrow = size.x < NARROW;
    if narrow {
        ui.spacing_mut().interact_size.y = 32.0; // for fingers
    }
    Panel::top("top")
        .exact_size(44.0)
        .frame(bar(palette, 14))
        .show(ui, |ui| topbar::show(ui, state, view.tab, narrow, actions));
    let status_height = if narrow { 54.0 } else { 28.0 };
    Panel::bottom("status").exact_size(status_height).frame(bar(palette, 14)).show(ui, |ui| {
        match view.tab {
            Tab::Discover | Tab::Context => status::show(ui, view, narrow),
            Tab::Construct => construct::status(ui, &state.construct),
            Tab::Dissect => dissect::status(ui, view),
            Tab::Sweep => sweep::status(ui, &mut state.sweep, view),
            Tab::Compare => compare::status(ui, &mut state.compare, view),
        }
    });
    match view.tab {
        Tab::Discover | Tab::Context => training(ui, state, view, size.x, actions),
        Tab::Construct => construct::show(ui, &mut state.construct, view, narrow, actions),
        Tab::Dissect => dissect::show(ui, &mut state.dissect, view, narrow, actions),
        Tab::Sweep => sweep::show(ui, &mut state.sweep, view, narrow, actions),
        Tab::Compare => compare::show(ui, &mut state.compare, view, narrow, actions),
    }
}

/// A training, live: its settings, its pictures, what to look at.
fn training(
    ui: &mut Ui,
    state: &mut State,
    view: &mut View<'_>,
    width: f32,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    if width < NARROW {
        return one_column(ui, state, view, actions);
    }
    Panel::left("controls")
        .exact_size(258.0)
        .resizable(false)
        .frame(bar(palette, 0))
        .show(ui, |ui| controls::show(ui, &mut state.controls, view, actions));
    let guided = view.tab == Tab::Discover || view.live.recipe.task.is_measured();
    let guide_aside = width >= GUIDE && guided;
    if guide_aside {
        let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 0));
        Panel::right("guide").exact_size(236.0).resizable(false).frame(frame).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| guide::show(ui, view, actions));
        });
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::show(ui, &mut state.link_dismissed, view, actions);
        let height = ui.available_height();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if view.tab == Tab::Context {
                ui.spacing_mut().item_spacing.y = 0.0;
                context::middle(ui, &mut state.context, &mut state.loss, view, height, actions);
            } else {
                let (rect, _) = ui.allocate_exact_size(
                    vec2(ui.available_width(), height.max(MIDDLE)),
                    Sense::hover(),
                );
                middle(ui, rect, state, view, actions);
            }
            if guided && !guide_aside {
                Frame::new()
                    .fill(palette.panel)
                    .inner_margin(Margin::same(14))
                    .show(ui, |ui| guide::show(ui, view, actions));
            }
        });
    });
}

/// Curves above, the network in the middle, outputs below.
fn middle(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    view: &mut View<'_>,
    actions: &mut Vec<Action>,
) {
    let curves = (rect.height() * 0.28).clamp(190.0, 420.0);
    let below = (rect.height() * 0.24).clamp(150.0, 400.0);
    let (top, bottom) = (rect.top() + curves, rect.bottom() - below);
    let half = rect.center().x;
    let corner =
        |x0: f32, y0: f32, x1: f32, y1: f32| Rect::from_min_max(pos2(x0, y0), pos2(x1, y1));
    loss::show(ui, corner(rect.left(), rect.top(), half, top), &mut state.loss, view.live, actions);
    lambdas::show(ui, corner(half, rect.top(), rect.right(), top), view.live);
    network::show(
        ui,
        corner(rect.left(), top, rect.right(), bottom),
        &mut state.network,
        view.live,
    );
    if view.live.recipe.task == TaskName::Attention {
        outputs::show(
            ui,
            corner(rect.left(), bottom, half, rect.bottom()),
            &mut state.outputs,
            view.live,
        );
        contributions::show(
            ui,
            corner(half, bottom, rect.right(), rect.bottom()),
            &mut state.contributions,
            &mut state.outputs,
            view.live,
        );
    } else {
        context::one_sequence(
            ui,
            corner(rect.left(), bottom, rect.right(), rect.bottom()),
            &mut state.context,
            view.live,
            actions,
        );
    }
    for y in [top, bottom] {
        card::rule(ui, pos2(rect.left(), y), pos2(rect.right(), y));
    }
}

/// For a phone: buttons stay in reach, the rest scrolls.
fn one_column(ui: &mut Ui, state: &mut State, view: &mut View<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 8));
    Panel::top("run")
        .frame(frame)
        .show(ui, |ui| controls::run(ui, &mut state.controls, view, actions));
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::show(ui, &mut state.link_dismissed, view, actions);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if view.tab == Tab::Context {
                ui.spacing_mut().item_spacing.y = 0.0;
                context::column(ui, &mut state.context, &mut state.loss, view, actions);
                return below(ui, state, view, view.live.recipe.task.is_measured(), actions);
            }
            let width = ui.available_width();
            let part = |ui: &mut Ui, height: f32| {
                let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
                card::rule(ui, rect.left_bottom(), rect.right_bottom());
                rect
            };
            let rect = part(ui, 220.0);
            loss::show(ui, rect, &mut state.loss, view.live, actions);
            let rect = part(ui, 220.0);
            lambdas::show(ui, rect, view.live);
            let rect = part(ui, 420.0);
            network::show(ui, rect, &mut state.network, view.live);
            if view.live.recipe.task == TaskName::Attention {
                let rect = part(ui, 190.0);
                outputs::show(ui, rect, &mut state.outputs, view.live);
                let rect = part(ui, 190.0);
                contributions::show(
                    ui,
                    rect,
                    &mut state.contributions,
                    &mut state.outputs,
                    view.live,
                );
            } else {
                let rect = part(ui, context::height(view.live));
                context::one_sequence(ui, rect, &mut state.context, view.live, actions);
            }
            below(ui, state, view, true, actions);
        });
    });
}

/// Below the pictures: what to look at, and the settings.
fn below(
    ui: &mut Ui,
    state: &mut State,
    view: &mut View<'_>,
    guided: bool,
    actions: &mut Vec<Action>,
) {
    let panel = Frame::new().fill(Palette::of(ui).panel).inner_margin(Margin::symmetric(14, 10));
    if guided {
        panel.show(ui, |ui| guide::show(ui, view, actions));
    }
    panel.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 4.0;
        controls::settings(ui, &mut state.controls, view, actions);
    });
}

/// A child of `ui` that fills `rect` and draws nothing outside it.
pub fn inside(ui: &mut Ui, salt: &str, rect: Rect) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().id_salt(salt).max_rect(rect));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    child
}
