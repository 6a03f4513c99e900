//! The Dissect view, driven by its labels and keys; and pictures of it in `target/screenshots/`:
//! `ONLY=phone cargo test --test dissect_view -- --ignored pictures` draws those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, vec2};
use egui_kittest::{Harness, kittest::{NodeT as _, Queryable}};
use gatelens::analysis::dissection::{self, Dissection, Settings};
use gatelens::experiment::inspection::{Bench, Given, Inspected, Subject};
use gatelens::experiment::live::Live;
use gatelens::experiment::{preset, recipe::Recipe};
use gatelens::model::Network;
use gatelens::task::Teacher;
use gatelens::ui::{Action, Tab};
use std::rc::Rc;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, trained};

fn network(live: &Live) -> Network {
    Network::from_parameters(&live.table, &live.weights.as_ref().unwrap().parameters)
}

fn teacher(live: &Live) -> Teacher {
    live.recipe.plan().teacher()
}

/// The window with the answer to its first question.
fn window_of(live: &Rc<Live>, dissection: Dissection, subject: Subject) -> Window {
    let mut bench = Bench::default();
    (bench.subject, bench.settings) = (subject, dissection.settings.clone());
    let id = bench.ask().id;
    bench.answer(Inspected { id, step: Some(live.step), dissection, took_ms: 12.0 });
    Window { tab: Tab::Dissect, bench, ..Window::new(live) }
}

fn window(live: &Rc<Live>, settings: &Settings) -> Window {
    window_of(live, dissection::dissect(&network(live), Some(&teacher(live)), settings), Subject::Live)
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let recipe = preset::find("discover").unwrap().recipe;
    let steps = std::env::var("STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(15_000);
    let live = Rc::new(trained(recipe, steps));
    let picked = Settings { picked: vec![], ..Settings::default() };
    for (name, size, dark) in [
        ("dissect-desktop-light", DESKTOP, false),
        ("dissect-desktop-dark", DESKTOP, true),
        ("dissect-large", vec2(1920.0, 1080.0), false),
        ("dissect-phone-light", PHONE, false),
        ("dissect-phone-tall", vec2(390.0, 3200.0), false),
    ] {
        if wanted(name) {
            drawn(name, window(&live, &picked), size, dark, |_| ());
        }
    }
}
