//! The Sweep view, driven by its labels; and pictures of it in `target/screenshots/` (with an adapter, lavapipe will do):
//! `ONLY=3a cargo test --test sweep_view -- --ignored` draws those whose name contains that. The runs are made up, not trained.
#![cfg(feature = "app")]

mod support {
    pub mod sweeps;
    pub mod window;
}

use eframe::egui::{Key, Modifiers, Role, Vec2, pos2, vec2};
use egui_kittest::{Harness, kittest::{NodeT, Queryable}};
use gatelens::experiment::live::Live;
use gatelens::experiment::recipe::Recipe;
use gatelens::experiment::sweep::Sweep;
use gatelens::experiment::sweep::queue::Queue;
use gatelens::ui::sweep::{AxisText, Draft, SweepAction};
use gatelens::ui::{Action, Tab};
use std::rc::Rc;
use support::sweeps::{axis, fig3a, fig3b, fig3c, half_done, done, loss_of, sweep};
use support::window::{DESKTOP, PHONE, Window, drawn, harness, picture, quick, tools};
use web_time::Instant;

fn window(queue: Option<Queue>) -> Window {
    let mut window = Window { tab: Tab::Sweep, ..Window::new(&Rc::new(Live::new(1, quick()))) };
    window.sweep.presets = vec![fig3a(), fig3b(), fig3c()];
    if let Some(queue) = &queue {
        window.sweep.draft = Draft::of(&queue.sweep, tools());
    }
    (window.sweep.queue, window.sweep.revision) = (queue, 1);
    window
}

/// Whether some label says `text`.
fn says(harness: &Harness<'_, Window>, text: &str) -> bool {
    harness.query_all_by_label_contains(text).next().is_some()
}

fn click(harness: &mut Harness<'_, Window>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// What was asked for since the last time.
fn asked(harness: &mut Harness<'_, Window>) -> Vec<SweepAction> {
    let sweep = |action| match action {
        Action::Sweep(action) => action,
        other => panic!("{other:?} is nothing of a sweep's"),
    };
    harness.state_mut().actions.drain(..).map(sweep).collect()
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let tall: Vec2 = vec2(390.0, 2200.0);
    for (name, queue) in [("3a", done(fig3a())), ("3b-half", half_done(fig3b())), ("3c", done(fig3c())), ("many", done(sweep("Many", "quick", &[], &[("rank", "1..4"), ("hidden,gates", "8..40/4"), ("seed", "1..3")])))] {
        if !wanted(name) {
            continue;
        }
        let make = || {
            let mut window = window(Some(queue.clone()));
            window.sweep.running = true;
            window
        };
        picture(&format!("sweep-{name}-light"), make(), DESKTOP, false);
        picture(&format!("sweep-{name}-dark"), make(), DESKTOP, true);
        picture(&format!("sweep-{name}-phone"), make(), PHONE, false);
        picture(&format!("sweep-{name}-phone-dark"), make(), PHONE, true);
        picture(&format!("sweep-{name}-tall"), make(), tall, true);
        picture(&format!("sweep-{name}-middle"), make(), vec2(1000.0, 700.0), false);
        drawn(&format!("sweep-{name}-hover"), make(), DESKTOP, false, |window| {
            window.get_by_label_contains("Final loss of each run").focus();
            window.run_ok();
            for key in [Key::ArrowRight, Key::ArrowRight, Key::ArrowRight] {
                window.key_press(key);
                window.run_ok();
            }
            window.hover_at(pos2(470.0, 160.0));
        });
    }
    if wanted("empty") {
        for (kind, size, dark) in [("light", DESKTOP, false), ("dark", DESKTOP, true), ("phone", PHONE, false), ("tall", tall, true)] {
            picture(&format!("sweep-empty-{kind}"), window(None), size, dark);
        }
    }
}
