//! Keys, and the window that lists them.

use super::theme::{Palette, strong};
use super::{Action, Tab, View, controls};
use eframe::egui;
use egui::{Grid, Key, KeyboardShortcut, Modifiers, RichText, Ui, Window};

/// Each view's keys and what they do, as the window lists them.
const KEYS: &[(&str, &[(&str, &str)])] = &[
    (
        "Keys",
        &[
            ("1, 2 … 6", "Discover, Construct, Dissect, In context, Sweep, Compare"),
            (
                "Ctrl + Z",
                "Back to the training before this network, file or preset (with Shift: forward again)",
            ),
            (
                "Tab, then ← → ↑ ↓",
                "Read a picture off, cell by cell; a click into it does it too, Escape ends it",
            ),
            ("?", "This help"),
        ],
    ),
    (
        "In Discover and In context",
        &[
            ("Space", "Play, pause"),
            ("→", "A single step"),
            ("R", "Reset to the same initial weights"),
            ("Shift + R", "Reseed: new teacher, weights and data"),
            ("Page Up, Page Down", "Another test sequence, while one is read off"),
        ],
    ),
    (
        "In Construct",
        &[
            ("← → Home End", "From token to token"),
            ("↑ ↓", "From neuron to neuron"),
            ("W", "Weights or steps"),
        ],
    ),
    (
        "In Dissect",
        &[
            ("← →", "The stage before, the next one"),
            ("Space", "Run through the stages"),
            ("↑ ↓", "Move the threshold when it has the keyboard"),
        ],
    ),
    (
        "In Sweep",
        &[
            ("Space", "Start, pause, go on"),
            ("← → ↑ ↓", "From dot to dot when the picture has the keyboard"),
            ("↑ ↓", "From row to row in the table"),
        ],
    ),
    (
        "In Compare",
        &[
            ("Space", "Start, pause, go on, in Race"),
            ("← → ↑ ↓", "From dot to dot when the picture of final losses has the keyboard"),
            ("↑ ↓", "From row to row in the table of runs; from layer to layer, in Layers"),
        ],
    ),
];

/// Reads the keys, unless something else has the keyboard.
pub fn keys(ui: &Ui, view: &View<'_>, help_open: &mut bool, actions: &mut Vec<Action>) {
    let ctx = ui.ctx();
    if ctx.text_edit_focused() {
        return;
    }
    // Whether a widget has the focus: space and arrows are its own then.
    let focused = ctx.memory(|memory| memory.focused().is_some());
    let pressed = |modifiers: Modifiers, key: Key| {
        ctx.input_mut(|input| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key)))
    };
    for ((tab, ..), key) in
        Tab::ALL.into_iter().zip([Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6])
    {
        if pressed(Modifiers::NONE, key) {
            actions.push(Action::Tab(tab));
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
    } else if view.undo.is_some() && pressed(Modifiers::COMMAND, Key::Z) {
        actions.push(Action::Undo);
    }
    if !matches!(view.tab, Tab::Discover | Tab::Context) {
        return; // the other views read their own keys
    }
    if !focused && pressed(Modifiers::NONE, Key::Space) {
        actions.push(controls::main_action(view.live).2);
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
        for (place, keys) in KEYS {
            ui.label(RichText::new(*place).font(strong(12.5)));
            Grid::new(place).num_columns(2).min_col_width(92.0).spacing([16.0, 4.0]).show(ui, |ui| {
                for (key, what) in *keys {
                    ui.label(RichText::new(*key).font(strong(12.5)).color(palette.accent));
                    ui.label(*what);
                    ui.end_row();
                }
            });
            ui.add_space(6.0);
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
