//! The Compare view's page Layers, driven by its labels; and pictures of it in
//! `target/screenshots/` (with an adapter, lavapipe will do): `ONLY=gru cargo test --test
//! compare_layers -- --ignored` draws those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use gatelens::named::Named;
use gatelens::recipe::Recipe;
use gatelens::recipe::checkpoint;
use gatelens::run::inspection::Subject;
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::theory::layers::expansion::GRU;
use gatelens::theory::layers::primitives::{Primitives, Shown, TABLE};
use gatelens::theory::layers::{Built, Host, construct};
use gatelens::ui::{Action, Page, Tab, VIEWS};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};

fn window(page: Page) -> Window {
    let mut window = Window { tab: Tab::COMPARE, ..Window::new(&Rc::new(trained(quick(), 1))) };
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
        for &page in Page::ALL {
            window.get_by_label(page.title()).click();
            window.run_ok();
            assert_eq!(
                (window.state().state.page(), window.state_mut().actions.pop()),
                (page, Some(Action::Tab(Tab::COMPARE)))
            );
            assert_eq!(Page::from_key(page.key()), Some(page));
        }
        window.key_press_modifiers(Modifiers::NONE, Key::Num6);
        window.run_ok();
        assert_eq!(window.state_mut().actions.pop(), Some(Action::Tab(Tab::COMPARE)));
    }
    assert_eq!(Page::from_key("nonsense"), None);
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
    for name in VIEWS.iter().map(|view| view.name).chain(["File"]) {
        let rect = window.get_all_by_label(name).next().unwrap().rect();
        assert!(
            rect.left() >= right - 0.5 && rect.right() <= PHONE.x,
            "{name}: {rect} begins before {right}"
        );
        right = rect.right();
    }
}

/// Frames until all is measured.
fn settle(harness: &mut Harness<'_, Window>) {
    for _ in 0..30 {
        harness.run_steps(1);
    }
}

fn layers(size: Vec2) -> Harness<'static, Window> {
    let mut window = view(Page::Layers, size);
    settle(&mut window);
    window
}

/// The control of that name, scrolled in sight; its caption may have the same name, and comes
/// first.
fn reach<'h>(harness: &'h mut Harness<'_, Window>, label: &'h str) -> egui_kittest::Node<'h> {
    harness.get_all_by_label(label).last().unwrap().scroll_to_me();
    harness.run_steps(6);
    harness.get_all_by_label(label).last().unwrap()
}

fn click(harness: &mut Harness<'_, Window>, label: &str) {
    reach(harness, label).click();
    settle(harness);
}

fn press(harness: &mut Harness<'_, Window>, key: Key) {
    harness.key_press(key);
    settle(harness);
}

/// What the page builds, made here.
fn made(layer: Host, dim: usize, seed: u32, exponent: i32) -> (Teacher, Built) {
    let teacher = Teacher::draw(
        TeacherKind { dim, ranks: [dim; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        seed,
    );
    let built = construct(&teacher, layer, 2f64.powi(-exponent)).unwrap();
    (teacher, built)
}

/// A number as it stands on the screen.
fn shown(value: f64) -> String {
    format!("{value:.1e}").replace('-', "−")
}

/// f64 and f32 errors as they stand on the screen.
fn errors(teacher: &Teacher, built: &Built) -> [String; 2] {
    [
        format!("f64 {}", shown(built.error::<f64>(teacher, 1, [4, 16]))),
        format!("f32 {}", shown(built.error::<f32>(teacher, 1, [4, 16]))),
    ]
}

/// A row's sentence as it stands on the screen: subscripts are lowered.
fn sentence(row: &Primitives) -> String {
    row.sentence.replace('_', "")
}

#[test]
fn the_table_says_each_row_and_links_lead_on() {
    for size in [DESKTOP, PHONE] {
        let mut window = layers(size);
        for row in &TABLE {
            let label = format!(
                "{}: product of two readings {}, memory without loss {}, product with the query {}, layers needed {}",
                row.layer,
                row.product.word(),
                row.memory.word(),
                row.query.word(),
                row.layers.map_or("—".to_owned(), |layers| layers.to_string())
            );
            let node = reach(&mut window, &label);
            assert!(
                node.rect().right() <= size.x && node.rect().left() >= 0.0,
                "{label}: {}",
                node.rect()
            );
            node.click();
            settle(&mut window);
            assert!(says(&window, &sentence(row)), "{}", row.layer);
            let link = format!("Show it: {}", row.layer);
            match row.shown {
                Shown::Said => {
                    assert!(
                        window.query_by_label(&link).is_none()
                            && says(&window, "the sentence is the argument")
                    )
                }
                Shown::Gated(variant) => {
                    click(&mut window, &link);
                    assert_eq!(
                        window.state_mut().actions.drain(..).collect::<Vec<_>>(),
                        [Action::Construct(variant)]
                    );
                    assert!(says(&window, "there is no ε to choose"));
                }
                Shown::Built(layer) => {
                    click(&mut window, &link);
                    assert!(
                        says(&window, "THE CONSTRUCTION")
                            && says(&window, layer.help())
                            && window.state().actions.is_empty()
                    );
                }
            }
        }
    }
}

#[test]
fn arrows_move_the_row() {
    let mut window = layers(DESKTOP);
    assert!(says(&window, &sentence(&TABLE[6])), "the LSTM comes first");
    press(&mut window, Key::ArrowDown);
    assert!(says(&window, &sentence(&TABLE[7])));
    press(&mut window, Key::ArrowDown);
    assert!(says(&window, &sentence(&TABLE[7])), "the last row stays");
    for row in (0..7).rev() {
        press(&mut window, Key::ArrowUp);
        assert!(says(&window, &sentence(&TABLE[row])), "{}", TABLE[row].layer);
    }
    // With the keyboard in the table, too.
    window.get_by_label_contains("LRU: product").focus();
    settle(&mut window);
    assert!(says(&window, &sentence(&TABLE[4])));
    press(&mut window, Key::ArrowDown);
    press(&mut window, Key::ArrowDown);
    assert!(
        says(&window, &sentence(&TABLE[6]))
            && window.get_by_label_contains("LSTM: product").accesskit_node().is_focused()
    );
    press(&mut window, Key::ArrowUp);
    assert!(
        says(&window, &sentence(&TABLE[5]))
            && window
                .get_by_label_contains(&format!("{}: product", TABLE[5].layer))
                .accesskit_node()
                .is_focused()
    );
}

#[test]
fn the_error_shown_is_the_constructions() {
    let mut window = layers(DESKTOP);
    for row in [3, 4, 6, 7] {
        let Shown::Built(layer) = TABLE[row].shown else { panic!("row {row} builds something") };
        click(&mut window, &format!("Show it: {}", TABLE[row].layer));
        let exponent = (-layer.epsilon().log2()) as i32;
        let (teacher, built) = made(layer, 4, 7, exponent);
        let (all, used) = built.parameter_count();
        for text in errors(&teacher, &built) {
            assert!(says(&window, &text), "{}: {text}", layer.key());
        }
        let thin = |count: usize| {
            if count < 1000 {
                count.to_string()
            } else {
                format!("{}\u{202f}{:03}", count / 1000, count % 1000)
            }
        };
        assert!(
            says(&window, &format!("{} parameters, {} of them not 0.", thin(all), thin(used))),
            "{}",
            layer.key()
        );
    }
    click(&mut window, "GRU with curvature");
    let (teacher, built) = made(Host::GruCurved, 4, 7, 15);
    assert!(errors(&teacher, &built).iter().all(|text| says(&window, text)));
    assert!(!says(&window, "attention to the tokens before the current one: ‖"));
    // A narrower attention, another teacher.
    reach(&mut window, "Width d").focus();
    settle(&mut window);
    press(&mut window, Key::ArrowLeft);
    let (teacher, built) = made(Host::GruCurved, 3, 7, 15);
    assert!(errors(&teacher, &built).iter().all(|text| says(&window, text)));
}

#[test]
fn the_dot_follows_epsilon_and_the_picture_says_it() {
    let mut window = layers(DESKTOP);
    let said = |exponent: i32| {
        let (teacher, built) = made(Host::Lstm, 4, 7, exponent);
        let [double, single] =
            [built.error::<f64>(&teacher, 1, [4, 16]), built.error::<f32>(&teacher, 1, [4, 16])]
                .map(shown);
        format!("it is {double} in double precision, {single} in single; best at 2⁻")
    };
    assert!(says(&window, &said(13)));
    window.get_by_label_contains("Error against ε: at").focus();
    settle(&mut window);
    press(&mut window, Key::ArrowRight);
    press(&mut window, Key::ArrowRight);
    assert!(says(&window, &said(11)) && says(&window, "2⁻¹¹ = 4.9e−4"));
    press(&mut window, Key::ArrowLeft);
    assert!(says(&window, &said(12)));
    // By the slider.
    window.get_by_label("Size of the weights ε, as a power of 2").focus();
    settle(&mut window);
    press(&mut window, Key::ArrowRight);
    assert!(says(&window, &said(11)));
    // By a click into the picture: its left end is the smallest.
    let rect = window.get_by_label_contains("Error against ε: at").rect();
    let at = rect.left_center() + vec2(52.0, 0.0);
    window.drag_at(at);
    window.drop_at(at);
    settle(&mut window);
    assert!(says(&window, &said(26)), "{rect}");
}

#[test]
fn it_goes_on_to_the_other_views_and_to_a_file() {
    let mut window = layers(DESKTOP);
    let (teacher, built) = made(Host::Lstm, 4, 7, 13);
    click(&mut window, "Take it apart");
    click(&mut window, "Train from it");
    click(&mut window, "Save as file");
    click(&mut window, "Save as SVG: Error against ε");
    let actions: Vec<Action> = window.state_mut().actions.drain(..).collect();
    let [
        Action::Dissect(Subject::Specimen(apart)),
        Action::Train(trained),
        Action::Export(name, bytes),
        Action::Export(picture, svg),
    ] = &actions[..]
    else {
        panic!("{} actions", actions.len())
    };
    assert_eq!((&apart.network, apart.teacher.as_ref()), (&built.model(), Some(&teacher)));
    let start = made(Host::Lstm, 4, 7, 6).1;
    assert_eq!(
        (trained.name.as_str(), &trained.network, trained.teacher.as_ref()),
        ("LSTM construction, d = 4, ε = 2⁻⁶", &start.model(), Some(&teacher)),
        "the best in single precision"
    );
    assert_eq!(
        (name.as_str(), apart.name.as_str(), picture.as_str()),
        (
            "gatelens-lstm-d4.safetensors",
            "LSTM construction, d = 4, ε = 2⁻¹³",
            "gatelens-lstm-epsilon.svg"
        )
    );
    let read = checkpoint::read(name, bytes).unwrap();
    assert_eq!(
        (read.architecture, &read.exact, read.teacher.as_ref()),
        (built.architecture, &built.parameters, Some(&teacher))
    );
    assert!(String::from_utf8_lossy(svg).contains("curvature: falls as"));
}

#[test]
fn a_grus_missing_product_is_marked() {
    let mut window = layers(DESKTOP);
    assert!(!says(&window, "WHY A GRU'S GATES"), "an LSTM has it");
    click(&mut window, "Show it: GRU");
    assert!(
        says(&window, "WHY A GRU'S GATES HAVE NO SUCH PRODUCT")
            && says(&window, "tanh in its linear range only")
    );
    let purposes = |biases: [f64; 2]| GRU.terms(&biases);
    for term in purposes([0.0, 0.0]) {
        assert!(says(&window, &term.purpose), "{}", term.purpose);
    }
    assert!(says(&window, "missing: three readings of the token"));
    let number = |value: f64| format!("{value:.4}").replace('-', "−");
    assert!(says(&window, &number(purposes([0.0, 0.0])[5].coefficient)));
    window.get_by_label("Bias b_z of the GRU").focus();
    settle(&mut window);
    let before = window.get_by_label("Bias b_z of the GRU").accesskit_node().numeric_value();
    press(&mut window, Key::ArrowRight);
    let after =
        window.get_by_label("Bias b_z of the GRU").accesskit_node().numeric_value().unwrap();
    assert!(before == Some(0.0) && after > 0.0);
    for term in purposes([after, 0.0]).iter().filter(|term| term.coefficient != 0.0) {
        assert!(
            says(&window, &number(term.coefficient))
                && says(&window, &format!("measured {}", number(term.measured))),
            "{term:?}"
        );
    }
}

#[test]
fn on_a_phone_all_is_in_reach() {
    let mut window = layers(PHONE);
    for label in [
        "Size of the weights ε, as a power of 2",
        "Save as file",
        "Take it apart",
        "Teacher's seed",
    ] {
        let rect = reach(&mut window, label).rect();
        assert!(
            rect.top() >= 0.0 && rect.bottom() <= PHONE.y && rect.right() <= PHONE.x,
            "{label}: {rect}"
        );
    }
    for size in [
        vec2(0.01, 0.01),
        vec2(40.0, 30.0),
        vec2(300.0, 90.0),
        vec2(950.0, 500.0),
        vec2(2560.0, 1440.0),
    ] {
        harness(self::window(Page::Layers), size, true);
    }
}

#[test]
#[ignore = "draws"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let tall = vec2(390.0, 2600.0);
    for (page, row) in [
        (Page::Race, ""),
        (Page::Inside, ""),
        (Page::Layers, "LSTM"),
        (Page::Layers, "GRU"),
        (Page::Layers, "LRU In+Out"),
        (Page::Layers, "Gated RNN"),
    ] {
        for (kind, size, dark) in [
            ("light", DESKTOP, false),
            ("dark", DESKTOP, true),
            ("tall", vec2(1280.0, 1500.0), false),
            ("phone", PHONE, false),
            ("phone-tall", tall, false),
            ("narrow", vec2(920.0, 700.0), false),
        ] {
            let name =
                format!("compare-{}{}-{kind}", page.key(), row.replace(' ', "").to_lowercase());
            if name.contains(&only) {
                drawn(&name, window(page), size, dark, |window| {
                    if !row.is_empty() {
                        window.get_by_label_contains(&format!("{row}: product")).click();
                    }
                    settle(window);
                });
            }
        }
    }
}
