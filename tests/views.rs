//! The views: what the list promises of each holds for all of them, so that a new one needs nothing
//! but its file and its line in the list. Pictures in `target/screenshots/`, with
//! `cargo test --test views -- --ignored`.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::ui::{Action, VIEWS, View};
use std::collections::HashSet;
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};

fn window(view: &View) -> Window {
    Window { tab: view.tab, ..Window::new(&Rc::new(trained(quick(), 40))) }
}

fn shown(view: &View, size: Vec2) -> Harness<'static, Window> {
    harness(window(view), size, false)
}

/// Where what is labelled so ends.
fn right_of(window: &Harness<'_, Window>, label: &str) -> f32 {
    window.get_all_by_label(label).next().unwrap().rect().right()
}

#[test]
fn words_and_names_are_different_and_known() {
    let mut words = HashSet::new();
    let mut names = HashSet::new();
    for view in VIEWS {
        let word = view.tab.0;
        assert!(words.insert(word) && names.insert(view.name), "{word} is there twice");
        assert!(
            word.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "{word} stands in addresses"
        );
        assert!(view.sentence.ends_with(['.', '?']), "{word}: a sentence");
        assert_eq!(View::from_word(word).map(|found| found.tab), Some(view.tab));
    }
    assert!(View::from_word("nonsense").is_none());
    // What leads to a view names one that there is.
    let named = include_str!("../src/ui/tab.rs").split("Self(\"").skip(1);
    for word in named.filter_map(|rest| rest.split('"').next()) {
        assert!(words.contains(word), "no view is called {word}");
    }
}

#[test]
fn keys_and_the_top_bar_lead_to_each() {
    let digits = [
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
    assert!(VIEWS.len() <= digits.len(), "each view has a digit");
    for (view, key) in VIEWS.iter().zip(digits) {
        // From the view before it, so that something changes.
        let mut window = shown(VIEWS[usize::from(view.tab == VIEWS[0].tab)], DESKTOP);
        window.state_mut().actions.clear();
        window.key_press_modifiers(Modifiers::NONE, key);
        window.run_ok();
        window.get_all_by_label(view.name).next().unwrap().click();
        window.run_ok();
        let asked = std::mem::take(&mut window.state_mut().actions);
        assert_eq!(asked, [Action::Tab(view.tab), Action::Tab(view.tab)], "{}", view.name);
    }
}

#[test]
fn the_help_lists_the_keys_of_each() {
    let mut window = shown(VIEWS[0], vec2(1280.0, 1600.0));
    window.key_press_modifiers(Modifiers::NONE, Key::Questionmark);
    window.run_ok();
    for view in VIEWS {
        for (key, what) in view.keys {
            assert!(says(&window, key) && says(&window, what), "{}: {key} — {what}", view.name);
        }
    }
}

#[test]
fn the_top_bar_fits() {
    for size in [DESKTOP, PHONE] {
        for view in VIEWS {
            let window = shown(view, size);
            for other in VIEWS {
                let right = right_of(&window, other.name);
                assert!(right <= size.x, "{}: {} ends at {right}", view.name, other.name);
            }
        }
    }
}

#[test]
fn no_words_of_the_code_are_shown() {
    for view in VIEWS {
        for size in [DESKTOP, PHONE] {
            let window = shown(view, size);
            let found = window.query_all_by_label_contains("::").next();
            assert!(found.is_none(), "{}: {found:?}", view.name);
        }
    }
}

#[test]
fn each_is_drawn_at_any_size() {
    for view in VIEWS {
        for size in [DESKTOP, PHONE, vec2(3000.0, 200.0), vec2(200.0, 1500.0), vec2(30.0, 20.0)] {
            for dark in [false, true] {
                let mut window = harness(window(view), size, dark);
                window.run_steps(2);
            }
        }
    }
}

#[test]
#[ignore = "draws pictures, which needs an adapter"]
fn pictures_of_each() {
    for view in VIEWS {
        for (kind, size) in [("desktop", DESKTOP), ("phone", PHONE)] {
            for dark in [false, true] {
                let theme = if dark { "dark" } else { "light" };
                let name = format!("view-{}-{kind}-{theme}", view.tab.0);
                drawn(&name, window(view), size, dark, |_| {});
            }
        }
    }
}
