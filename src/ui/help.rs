//! Keys, and the window that lists them.

use super::kit::theme::{Palette, strong};
use super::{Action, Scene, VIEWS};
use eframe::egui;
use egui::{Grid, Key, KeyboardShortcut, Modifiers, RichText, Ui, Window};

/// Keys that do the same in all views.
const EVERYWHERE: &[(&str, &str)] = &[
    (
        "Ctrl + Z",
        "Back to the training before this network, file or preset (with Shift: forward again)",
    ),
    (
        "Tab, then ← → ↑ ↓",
        "Read a picture off, cell by cell; a click into it does it too, Escape ends it",
    ),
    ("?", "This help"),
];

/// The views' keys.
const DIGITS: [Key; 9] = [
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
    Key::Num8,
    Key::Num9,
];

/// Where keys do something, and what they do; views that share theirs are one place.
fn places() -> Vec<(String, &'static [(&'static str, &'static str)])> {
    let mut places: Vec<(String, &'static [_])> = vec![];
    for view in VIEWS {
        match places.iter_mut().find(|(_, keys)| *keys == view.keys) {
            Some((names, _)) => *names += &format!(" and {}", view.name),
            None => places.push((format!("In {}", view.name), view.keys)),
        }
    }
    places.retain(|(_, keys)| !keys.is_empty());
    places
}

/// Reads the keys that all views share, unless something else has the keyboard.
pub fn keys(ui: &Ui, scene: &Scene<'_>, help_open: &mut bool, actions: &mut Vec<Action>) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() {
        return;
    }
    let pressed = |modifiers: Modifiers, key: Key| {
        ctx.input_mut(|input| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key)))
    };
    for (view, key) in VIEWS.iter().zip(DIGITS) {
        if pressed(Modifiers::NONE, key) {
            actions.push(Action::Tab(view.tab));
        }
    }
    // On many keyboards ? is typed with shift.
    if pressed(Modifiers::NONE, Key::Questionmark)
        || pressed(Modifiers::SHIFT, Key::Questionmark)
        || pressed(Modifiers::SHIFT, Key::Slash)
    {
        *help_open = !*help_open;
    }
    if pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) {
        actions.push(Action::Redo);
    } else if scene.undo.is_some() && pressed(Modifiers::COMMAND, Key::Z) {
        actions.push(Action::Undo);
    }
}

/// Draws the window if it is open.
pub fn window(ui: &Ui, open: &mut bool) {
    if *open && ui.ctx().input(|input| input.key_pressed(Key::Escape)) {
        *open = false;
    }
    let space = ui.max_rect();
    let width = 380.0f32.min(space.width() - 40.0).max(40.0);
    Window::new("Help").open(open).resizable(false).collapsible(false).default_pos(space.center() - egui::vec2(width / 2.0, 180.0)).show(ui.ctx(), |ui| {
        ui.set_width(width);
        let palette = Palette::of(ui);
        ui.label(
            "A gated linear RNN learns to imitate a layer of linear self-attention, here, on your machine. It turns into \
             attention: some neurons remember (λ near 1), others pass the current token on (λ near 0), and the output gates \
             multiply one kind by the other.",
        );
        ui.add_space(6.0);
        let listed = |ui: &mut Ui, place: &str, keys: &[(&str, &str)]| {
            ui.label(RichText::new(place).font(strong(12.5)));
            Grid::new(place).num_columns(2).min_col_width(92.0).spacing([16.0, 4.0]).show(ui, |ui| {
                for (key, what) in keys {
                    ui.label(RichText::new(*key).font(strong(12.5)).color(palette.accent));
                    ui.label(*what);
                    ui.end_row();
                }
            });
            ui.add_space(6.0);
        };
        let digits = format!("1, 2 … {}", VIEWS.len());
        let names = VIEWS.iter().map(|view| view.name).collect::<Vec<_>>().join(", ");
        listed(ui, "Keys", &[&[(digits.as_str(), names.as_str())], EVERYWHERE].concat());
        for (place, keys) in places() {
            listed(ui, &place, keys);
        }
        ui.label(RichText::new("Everywhere").font(strong(12.5)));
        ui.label("Point at a number, a curve or a cell: it says its name, its value and its formula. Drop a safetensors file on the window to load it.");
        ui.add_space(6.0);
        let paper = "After Zucchet, Kobayashi, Akram, von Oswald, Larcher, Steger, Sacramento: Gated recurrent neural networks \
                     discover attention.";
        ui.label(RichText::new(paper).color(palette.mute));
        ui.hyperlink_to("arxiv.org/abs/2309.01775", "https://arxiv.org/abs/2309.01775");
    });
}
