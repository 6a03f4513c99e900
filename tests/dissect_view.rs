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
use gatelens::experiment::checkpoint;
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

/// A network of the reference, trained in JAX.
fn reference(file: &str) -> Given {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(file);
    let checkpoint = checkpoint::read(file, &std::fs::read(path).unwrap()).unwrap();
    Given { name: file.into(), network: checkpoint.network, teacher: checkpoint.teacher }
}

fn given(live: &Rc<Live>, given: Given, settings: &Settings) -> Window {
    let dissection = dissection::dissect(&given.network, given.teacher.as_ref(), settings);
    window_of(live, dissection, Subject::Given(Box::new(given)))
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let live = Rc::new(trained(quick(), 1));
    let settings = Settings::default();
    for (name, size, dark) in [
        ("dissect-desktop-light", DESKTOP, false),
        ("dissect-desktop-dark", DESKTOP, true),
        ("dissect-large", vec2(1920.0, 1080.0), false),
        ("dissect-phone-light", PHONE, false),
        ("dissect-phone-tall", vec2(390.0, 3400.0), true),
        ("dissect-medium", vec2(1000.0, 700.0), false),
    ] {
        if wanted(name) {
            drawn(name, given(&live, reference("trained_teacher_a.safetensors"), &settings), size, dark, |_| ());
        }
    }
    if wanted("dissect-icl") {
        drawn("dissect-icl", given(&live, reference("trained_icl_a.safetensors"), &settings), DESKTOP, false, |_| ());
    }
    for (name, at, dark) in [("dissect-hover-stage", vec2(540.0, 250.0), true), ("dissect-hover-neuron", vec2(60.0, 520.0), false), ("dissect-hover-function", vec2(330.0, 500.0), false)] {
        if wanted(name) {
            drawn(name, given(&live, reference("trained_teacher_a.safetensors"), &settings), DESKTOP, dark, |window| window.hover_at(at.to_pos2()));
        }
    }
    if wanted("dissect-picked") {
        let settings = Settings { picked: vec![9, 10, 30], ..Settings::default() };
        drawn("dissect-picked", given(&live, reference("trained_teacher_a.safetensors"), &settings), DESKTOP, false, |window| {
            window.get_by_label("Pick gates by hand").click();
        });
    }
}
