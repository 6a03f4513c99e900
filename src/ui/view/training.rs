//! A training, live, as the views Discover and In context show it: where each panel stands. Three
//! columns in a wide window, one that scrolls in a narrow one.

use crate::recipe::TaskName;
use crate::ui::kit::card;
use crate::ui::kit::theme::Palette;
use crate::ui::panel::{
    banner, context, contributions, controls, guide, lambdas, loss, network, outputs,
};
use crate::ui::{Action, Scene, Tab};
use eframe::egui;
use egui::{
    CentralPanel, Frame, Key, KeyboardShortcut, Margin, Modifiers, Panel, Rect, ScrollArea, Sense,
    Ui, pos2, vec2,
};

/// From this width on the guide has a column of its own.
const GUIDE: f32 = 1120.0;
/// Least height of the pictures in the middle.
const MIDDLE: f32 = 600.0;

/// Between frames; of the one training that both views show.
#[derive(Default)]
pub struct State {
    link_dismissed: Option<String>,
    context: context::State,
    contributions: contributions::State,
    controls: controls::State,
    loss: loss::State,
    network: network::State,
    outputs: outputs::State,
}

/// Keys of both views.
pub const KEYS: &[(&str, &str)] = &[
    ("Space", "Play, pause"),
    ("→", "A single step"),
    ("R", "Reset to the same initial weights"),
    ("Shift + R", "Reseed: new teacher, weights and data"),
    ("Page Up, Page Down", "Another test sequence, while one is read off"),
];

/// Reads them, unless something else has the keyboard.
fn keys(ui: &Ui, scene: &Scene<'_>, actions: &mut Vec<Action>) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() {
        return;
    }
    // Whether a widget has the focus: space and arrows are its own then.
    let focused = ctx.memory(|memory| memory.focused().is_some());
    let pressed = |modifiers: Modifiers, key: Key| {
        ctx.input_mut(|input| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key)))
    };
    if !focused && pressed(Modifiers::NONE, Key::Space) {
        actions.push(controls::main_action(scene.live).2);
    }
    if !focused && pressed(Modifiers::NONE, Key::ArrowRight) {
        actions.push(Action::Steps(1));
    }
    if pressed(Modifiers::SHIFT, Key::R) {
        actions.push(Action::Reseed);
    } else if pressed(Modifiers::NONE, Key::R) {
        actions.push(Action::Restart);
    }
}

/// Draws it: its settings, its pictures, what to look at.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    keys(ui, scene, actions);
    if narrow {
        return one_column(ui, state, scene, actions);
    }
    let palette = Palette::of(ui);
    let width = ui.max_rect().width();
    Panel::left("controls")
        .exact_size(258.0)
        .resizable(false)
        .frame(Frame::new().fill(palette.panel))
        .show(ui, |ui| controls::show(ui, &mut state.controls, scene, actions));
    let guided = scene.tab == Tab::DISCOVER || scene.live.recipe.task.is_measured();
    let guide_aside = width >= GUIDE && guided;
    if guide_aside {
        let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 0));
        Panel::right("guide").exact_size(236.0).resizable(false).frame(frame).show(ui, |ui| {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| guide::show(ui, scene, actions));
        });
    }
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::show(ui, &mut state.link_dismissed, scene, actions);
        let height = ui.available_height();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if scene.tab == Tab::CONTEXT {
                ui.spacing_mut().item_spacing.y = 0.0;
                context::middle(ui, &mut state.context, &mut state.loss, scene, height, actions);
            } else {
                let (rect, _) = ui.allocate_exact_size(
                    vec2(ui.available_width(), height.max(MIDDLE)),
                    Sense::hover(),
                );
                middle(ui, rect, state, scene, actions);
            }
            if guided && !guide_aside {
                Frame::new()
                    .fill(palette.panel)
                    .inner_margin(Margin::same(14))
                    .show(ui, |ui| guide::show(ui, scene, actions));
            }
        });
    });
}

/// Curves above, the network in the middle, outputs below.
fn middle(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    scene: &mut Scene<'_>,
    actions: &mut Vec<Action>,
) {
    let curves = (rect.height() * 0.28).clamp(190.0, 420.0);
    let below = (rect.height() * 0.24).clamp(150.0, 400.0);
    let (top, bottom) = (rect.top() + curves, rect.bottom() - below);
    let half = rect.center().x;
    let corner =
        |x0: f32, y0: f32, x1: f32, y1: f32| Rect::from_min_max(pos2(x0, y0), pos2(x1, y1));
    loss::show(
        ui,
        corner(rect.left(), rect.top(), half, top),
        &mut state.loss,
        scene.live,
        actions,
    );
    lambdas::show(ui, corner(half, rect.top(), rect.right(), top), scene.live);
    network::show(
        ui,
        corner(rect.left(), top, rect.right(), bottom),
        &mut state.network,
        scene.live,
    );
    if scene.live.recipe.task == TaskName::Attention {
        outputs::show(
            ui,
            corner(rect.left(), bottom, half, rect.bottom()),
            &mut state.outputs,
            scene.live,
        );
        contributions::show(
            ui,
            corner(half, bottom, rect.right(), rect.bottom()),
            &mut state.contributions,
            &mut state.outputs,
            scene.live,
        );
    } else {
        context::one_sequence(
            ui,
            corner(rect.left(), bottom, rect.right(), rect.bottom()),
            &mut state.context,
            scene.live,
            actions,
        );
    }
    for y in [top, bottom] {
        card::rule(ui, pos2(rect.left(), y), pos2(rect.right(), y));
    }
}

/// For a phone: buttons stay in reach, the rest scrolls.
fn one_column(ui: &mut Ui, state: &mut State, scene: &mut Scene<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let frame = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 8));
    Panel::top("run")
        .frame(frame)
        .show(ui, |ui| controls::run(ui, &mut state.controls, scene, actions));
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::show(ui, &mut state.link_dismissed, scene, actions);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if scene.tab == Tab::CONTEXT {
                ui.spacing_mut().item_spacing.y = 0.0;
                context::column(ui, &mut state.context, &mut state.loss, scene, actions);
                return below(ui, state, scene, scene.live.recipe.task.is_measured(), actions);
            }
            let width = ui.available_width();
            let part = |ui: &mut Ui, height: f32| {
                let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
                card::rule(ui, rect.left_bottom(), rect.right_bottom());
                rect
            };
            let rect = part(ui, 220.0);
            loss::show(ui, rect, &mut state.loss, scene.live, actions);
            let rect = part(ui, 220.0);
            lambdas::show(ui, rect, scene.live);
            let rect = part(ui, 420.0);
            network::show(ui, rect, &mut state.network, scene.live);
            if scene.live.recipe.task == TaskName::Attention {
                let rect = part(ui, 190.0);
                outputs::show(ui, rect, &mut state.outputs, scene.live);
                let rect = part(ui, 190.0);
                contributions::show(
                    ui,
                    rect,
                    &mut state.contributions,
                    &mut state.outputs,
                    scene.live,
                );
            } else {
                let rect = part(ui, context::height(scene.live));
                context::one_sequence(ui, rect, &mut state.context, scene.live, actions);
            }
            below(ui, state, scene, true, actions);
        });
    });
}

/// Below the pictures: what to look at, and the settings.
fn below(
    ui: &mut Ui,
    state: &mut State,
    scene: &mut Scene<'_>,
    guided: bool,
    actions: &mut Vec<Action>,
) {
    let panel = Frame::new().fill(Palette::of(ui).panel).inner_margin(Margin::symmetric(14, 10));
    if guided {
        panel.show(ui, |ui| guide::show(ui, scene, actions));
    }
    panel.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 4.0;
        controls::settings(ui, &mut state.controls, scene, actions);
    });
}
