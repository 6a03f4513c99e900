//! The Compare view's page Layers, driven by its labels; and pictures of it in `target/screenshots/` (with an adapter, lavapipe will
//! do): `ONLY=gru cargo test --test compare_layers -- --ignored` draws those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::experiment::recipe::Recipe;
use gatelens::ui::{Action, Page, Tab};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick};

fn window(page: Page) -> Window {
    let mut window = Window { tab: Tab::Compare, ..Window::new(&Rc::new(trained(quick(), 1))) };
    window.state.show_page(page);
    window
}

fn view(page: Page, size: Vec2) -> Harness<'static, Window> {
    harness(window(page), size, false)
}

#[test]
fn pages_are_chosen_and_named_in_the_address() {
    for size in [DESKTOP, PHONE] {
        let mut window = view(Page::Race, size);
        for (page, key, name, _) in Page::ALL {
            window.get_by_label(name).click();
            window.run_ok();
            assert_eq!((window.state().state.page(), window.state_mut().actions.pop()), (page, Some(Action::Tab(Tab::Compare))));
            assert_eq!((Page::of_key(key), page.key()), (Some(page), key));
        }
        window.key_press_modifiers(Modifiers::NONE, Key::Num6);
        window.run_ok();
        assert_eq!(window.state_mut().actions.pop(), Some(Action::Tab(Tab::Compare)));
    }
    assert_eq!((Tab::of_key("compare"), Tab::Compare.key(), Page::of_key("nonsense")), (Some(Tab::Compare), "compare", None));
    let (_, recipe, problems) = Recipe::from_hash("#v=1&view=compare&page=layers&seed=4");
    assert_eq!((recipe.seed, problems.len()), (4, 0));
}

#[test]
fn a_page_is_chosen_by_keyboard() {
    let mut window = view(Page::Race, DESKTOP);
    window.get_by_label("Layers").focus();
    window.run_ok();
    window.key_press(Key::Enter);
    window.run_ok();
    assert_eq!(window.state().state.page(), Page::Layers);
}

#[test]
fn the_top_bar_fits_a_phone() {
    let window = view(Page::Race, PHONE);
    let mut right = 0.0;
    for name in Tab::ALL.map(|tab| tab.2).into_iter().chain(["File"]) {
        let rect = window.get_all_by_label(name).next().unwrap().rect();
        assert!(rect.left() >= right - 0.5 && rect.right() <= PHONE.x, "{name}: {rect} begins before {right}");
        right = rect.right();
    }
}

#[test]
#[ignore = "draws"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for (page, key, ..) in Page::ALL {
        for (kind, size, dark) in [("light", DESKTOP, false), ("dark", DESKTOP, true), ("phone", PHONE, false), ("narrow", vec2(920.0, 700.0), false)] {
            let name = format!("compare-{key}-{kind}");
            if name.contains(&only) {
                drawn(&name, window(page), size, dark, |_| ());
            }
        }
    }
}
