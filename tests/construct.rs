//! The Construct view, driven by its labels and keys; and pictures of it in `target/screenshots/`:
//! `ONLY=construct-light cargo test --test construct -- --ignored` draws those whose name contains
//! that.
#![cfg(feature = "app")]

mod support {
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, Vec2, vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT as _, Queryable},
};
use gatelens::math::matrix::Matrix;
use gatelens::named::Named;
use gatelens::recipe::specimen::Specimen;
use gatelens::run::inspection::Subject;
use gatelens::run::live::Live;
use gatelens::theory::{Variant, attention, construct, cost};
use gatelens::ui::{Action, Tab};
use std::rc::Rc;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};

fn window() -> Window {
    Window { tab: Tab::CONSTRUCT, ..Window::new(&Rc::new(Live::new(1, quick()))) }
}

fn view(size: Vec2) -> Harness<'static, Window> {
    let mut view = harness(window(), size, false);
    view.run_ok();
    view
}

/// The control of that name, not the text beside it.
fn control<'a>(view: &'a Harness<'_, Window>, name: &'a str) -> egui_kittest::Node<'a> {
    let mut found = view
        .get_all_by_label(name)
        .filter(|node| node.accesskit_node().role() != egui::Role::Label);
    found.next().unwrap_or_else(|| panic!("no control {name}"))
}

fn click(view: &mut Harness<'_, Window>, name: &str) -> Vec<Action> {
    view.state_mut().actions.clear();
    control(view, name).click();
    view.run_ok();
    std::mem::take(&mut view.state_mut().actions)
}

fn press(view: &mut Harness<'_, Window>, key: Key) {
    view.key_press_modifiers(Modifiers::NONE, key);
    view.run_ok();
}

/// Types into a number's editor.
fn enter(view: &mut Harness<'_, Window>, name: &str, text: &str) {
    control(view, name).focus();
    view.run_ok();
    control(view, name).set_text_value_accesskit(text);
    view.run_ok();
    press(view, Key::Enter);
}

/// The network as it is handed to the other views.
fn given(view: &mut Harness<'_, Window>) -> Specimen {
    match click(view, "Dissect it →").pop() {
        Some(Action::Dissect(Subject::Specimen(given))) => *given,
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_step_through_tokens_and_neurons() {
    let mut view = view(DESKTOP);
    assert!(says(&view, "Token 5 arrives. Neuron S'₁₂"), "where it starts");
    press(&mut view, Key::ArrowRight);
    assert!(says(&view, "Token 6 arrives"));
    press(&mut view, Key::Home);
    press(&mut view, Key::ArrowLeft);
    assert!(
        says(&view, "Token 1 arrives") && says(&view, "adds that to nothing, as it is the first")
    );
    press(&mut view, Key::End);
    press(&mut view, Key::ArrowRight);
    assert!(says(&view, "Token 8 arrives"));
    press(&mut view, Key::ArrowUp);
    press(&mut view, Key::ArrowUp);
    assert!(says(&view, "Neuron S'₁₁"));
    (0..20).for_each(|_| press(&mut view, Key::ArrowDown));
    assert!(
        says(&view, "Neuron q'₃ multiplies its reading of it by the constant")
            && says(&view, "the query of this token and of no other")
    );
    click(&mut view, "Token 2");
    click(&mut view, "Neuron S'₂₃");
    assert!(says(&view, "Token 2 arrives. Neuron S'₂₃"));
    press(&mut view, Key::W);
    assert!(view.query_by_label("The network's weights").is_some());
    // A field that is being typed into keeps its keys.
    view.get_by_label("Number 1 of token 2").focus();
    view.run_ok();
    press(&mut view, Key::ArrowRight);
    press(&mut view, Key::Home);
    assert!(says(&view, "Token 2 arrives"));
}

#[test]
fn what_is_said_is_what_the_network_computes() {
    let mut view = view(DESKTOP);
    let Specimen { network, teacher, name, .. } = given(&mut view);
    let network = network.gated().unwrap();
    assert_eq!(name, "Symmetric construction, d = 3");
    let teacher = teacher.unwrap();
    let x: Vec<f64> = (1..=8)
        .flat_map(|token| {
            click(&mut view, &format!("Token {token}"));
            (1..=3)
                .map(|i| {
                    view.get_by_label(&format!("Number {i} of token {token}"))
                        .value()
                        .unwrap()
                        .replace('−', "-")
                        .parse::<f64>()
                        .unwrap()
                })
                .collect::<Vec<_>>()
        })
        .collect();
    let x = Matrix::new(8, 3, x);
    let states = network.states(&x, 8);
    click(&mut view, "Token 5");
    click(&mut view, "Neuron S'₁₂");
    let text = |value: f64| format!("{value:.2}").replace('-', "−");
    let said = view.get_by_label_contains("Token 5 arrives").value().unwrap_or_default();
    assert!(
        said.contains(&format!(
            "the {} that it held: {}",
            text(states.at(3, 1)),
            text(states.at(4, 1))
        )),
        "{said}"
    );
    let tokens = x.with_ones();
    let (m, x_in) =
        (tokens.times_transposed(&network.input_m), tokens.times_transposed(&network.input_x));
    let (y, target) = (network.outputs_of(&x, 8), attention::outputs(&teacher, &x, 8));
    let construction = construct(&teacher, Variant::Symmetric).unwrap();
    let value = |view: &Harness<'_, Window>, name: &str| {
        view.get_by_label(name).value().unwrap_or_else(|| panic!("{name} says nothing"))
    };
    let close = |value: f64| if value.abs() < 0.005 { "0.00".into() } else { text(value) };
    for (i, neuron) in construction.neurons.iter().enumerate() {
        let (a, b) = (m.at(4, i), x_in.at(4, i));
        assert_eq!(
            value(&view, &format!("Neuron {}", neuron.name)),
            format!("{} × {} = {}", close(a), close(b), close(a * b))
        );
        assert_eq!(value(&view, &format!("Memory {}", neuron.name)), close(states.at(4, i)));
    }
    for k in 0..3 {
        assert_eq!(
            value(&view, &format!("Output {}", k + 1)),
            format!("{}, attention {}", close(y.at(4, k)), close(target.at(4, k)))
        );
    }
    assert_eq!(value(&view, "Gate S'₃₃ · q'₃"), close(states.at(4, 5) * states.at(4, 8)));
    assert_eq!(construction.network, network);
    assert!(
        network.outputs_of(&x, 8).relative_change(&attention::outputs(&teacher, &x, 8)) < 1e-13
    );
    let advice = cost::advice(3, 3);
    assert!(says(&view, &format!("n = {} neurons and m = {} gates", advice.0, advice.1)));
    for counted in ["neurons  6 + 3", "gates  9", "parameters  270", "attention  27"] {
        assert!(view.query_all_by_label(counted).next().is_some(), "the status says {counted}");
    }
}

#[test]
fn typed_numbers_are_taken_or_refused() {
    let mut view = view(DESKTOP);
    let type_in = |view: &mut Harness<'_, Window>, text: &str| {
        view.get_by_label("Number 2 of token 5").set_text_value_accesskit(text);
        view.run_ok();
    };
    view.get_by_label("Number 2 of token 5").focus();
    view.run_ok();
    type_in(&mut view, "12.5");
    assert!(view.query_all_by_label_contains("stays").next().is_none());
    type_in(&mut view, "abc");
    assert!(says(&view, "“abc” — expected a number from −100 to 100; it stays 12.5"));
    type_in(&mut view, "1e9");
    assert!(says(&view, "“1e9” — expected a number from −100 to 100; it stays 12.5"));
    click(&mut view, "Token 4");
    click(&mut view, "Token 5");
    assert_eq!(
        view.get_by_label("Number 2 of token 5").value().as_deref(),
        Some("12.5"),
        "what was refused is gone"
    );
    assert!(!says(&view, "it stays"));
    enter(&mut view, "Tokens", "3");
    assert!(
        says(&view, "Token 3 arrives") && view.query_by_label("Number 2 of token 3").is_some(),
        "the chosen token is gone"
    );
    enter(&mut view, "Tokens", "5");
    click(&mut view, "Token 5");
    assert_eq!(
        view.get_by_label("Number 2 of token 5").value().as_deref(),
        Some("12.5"),
        "a sequence that grows again has its tokens back"
    );
    click(&mut view, "New numbers");
    assert_ne!(view.get_by_label("Number 2 of token 5").value().as_deref(), Some("12.5"));
}

#[test]
fn broken_it_errs_and_says_why() {
    let mut view = view(DESKTOP);
    assert!(says(&view, "A recurrent network that is attention."));
    click(&mut view, "Let the accumulators forget: λ = 0.9 →");
    assert!(
        says(&view, "Broken: its outputs are off by up to")
            && says(
                &view,
                "λ = 0.9 forgets. Attention weighs all tokens alike; here token 1 counts only 48\u{a0}% at token 8."
            ),
        "0.9⁷ = 0.478"
    );
    assert!(says(&view, "λ = 0.9 fades"), "the memory's head");
    assert_eq!(given(&mut view).name, "Symmetric construction, d = 3, broken");
    click(&mut view, "Mend it");
    assert!(says(&view, "that is attention."));
    click(&mut view, "Constant input");
    assert!(says(&view, "No constant. ") && says(&view, "off by up to 100\u{a0}%"));
    click(&mut view, "Mend what is broken →");
    click(&mut view, "Drop a neuron");
    view.get_all_by_label("S'₁₂").last().unwrap().click();
    view.run_ok();
    assert!(says(
        &view,
        "Without S'₁₂. Entry (1, 2) of the key–value matrix, which is also (2, 1), is missing from every sum."
    ));
    click(&mut view, "Mend it");
    click(&mut view, "Side gating");
    click(&mut view, "Constant input");
    assert!(says(&view, "No constant, no harm") && says(&view, "that is attention."));
}

#[test]
fn sliders_move_lambda() {
    let mut view = view(DESKTOP);
    let slider = |view: &mut Harness<'_, Window>, name: &str, keys: usize, key: Key| {
        control(view, name).focus();
        view.run_ok();
        (0..keys).for_each(|_| press(view, key));
    };
    slider(&mut view, "λ of accumulators", 5, Key::ArrowLeft);
    let lambda =
        |view: &mut Harness<'_, Window>, i: usize| given(view).network.gated().unwrap().lambda[i];
    assert!(lambda(&mut view, 0) < 1.0);
    assert!(says(&view, "Token 5 arrives"), "the slider has the arrows");
    slider(&mut view, "λ of queries", 5, Key::ArrowRight);
    assert!(lambda(&mut view, 8) > 0.0 && says(&view, "remembers queries"));
}

#[test]
fn what_can_be_clicked_has_the_keyboard_too() {
    let mut view = view(DESKTOP);
    for (name, result) in [
        ("Naive", "Neuron S₁₂"),
        ("Token 3", "Token 3 arrives"),
        ("Neuron S₃₃", "Neuron S₃₃"),
        ("Weights", "The network's weights"),
        ("Constant input", "No constant."),
    ] {
        control(&view, name).focus();
        view.run_ok();
        press(&mut view, Key::Enter);
        assert!(says(&view, result), "{name}");
    }
}

#[test]
fn it_is_handed_on() {
    let mut view = view(DESKTOP);
    let [Action::Train(plain)] = &click(&mut view, "Train from here →")[..] else {
        panic!("no training")
    };
    let plain = plain.clone();
    let [Action::Train(noisy)] = &click(&mut view, "Train from here + 10 % noise →")[..] else {
        panic!("no training")
    };
    assert_eq!(noisy.name, "Symmetric construction, d = 3, with noise");
    assert!(plain.teacher.is_some() && plain.teacher == noisy.teacher);
    let readout = |given: &Specimen| given.network.gated().unwrap().readout;
    let change = readout(noisy).relative_change(&readout(&plain));
    assert!((0.03..0.25).contains(&change), "a tenth: {change}");
    assert_eq!(*plain, given(&mut view));
}

#[test]
fn what_does_not_apply_says_so() {
    let mut view = view(DESKTOP);
    enter(&mut view, "Rank", "2");
    assert!(
        says(&view, "This construction does not apply here.")
            && says(&view, "WV has rank 2 of 3")
            && says(&view, "does not apply")
    );
    assert!(says(&view, "Nothing to go on with"));
    press(&mut view, Key::W);
    for key in [Key::ArrowRight, Key::ArrowDown, Key::End] {
        press(&mut view, key);
    }
    click(&mut view, "Low rank");
    assert!(says(&view, "that is attention."));
    assert_eq!(given(&mut view).network.architecture.sizes.hidden, 6, "2 · 2 + 2");
}

#[test]
fn each_matrix_may_have_its_own_rank() {
    let mut view = view(DESKTOP);
    let value =
        |view: &Harness<'_, Window>, name: &str| control(view, name).value().unwrap_or_default();
    enter(&mut view, "Rank of W_K", "1");
    assert_eq!(
        ["Rank", "Rank of W_V", "Rank of W_K", "Rank of W_Q"].map(|name| value(&view, name)),
        ["mixed", "3", "1", "3"]
    );
    assert!(
        says(&view, "that is attention."),
        "W_V can be inverted, which is all that the symmetric one needs"
    );
    click(&mut view, "Low rank");
    assert_eq!(given(&mut view).network.architecture.sizes.hidden, 4, "3 · 1 + 1");
    let advice = cost::advice(3, [3, 1, 3]);
    assert!(says(&view, &format!("n = {} neurons and m = {} gates", advice.0, advice.1)));
    enter(&mut view, "Rank", "2");
    assert_eq!(
        ["Rank of W_V", "Rank of W_K", "Rank of W_Q"].map(|name| value(&view, name)),
        ["2"; 3]
    );
    enter(&mut view, "Width d", "1");
    assert_eq!(
        ["Rank", "Rank of W_V"].map(|name| value(&view, name)),
        ["1"; 2],
        "no rank is above d"
    );
}

#[test]
fn every_variant_width_and_size_is_drawn() {
    for size in [DESKTOP, PHONE] {
        let mut view = view(size);
        for dim in ["1", "2", "8"] {
            enter(&mut view, "Width d", dim);
            for title in Variant::ALL.iter().map(|variant| variant.title()) {
                click(&mut view, title);
                for _ in 0..2 {
                    press(&mut view, Key::W);
                    assert!(says(&view, "that is attention."), "{title} of width {dim}");
                    view.hover_at((size * 0.5).to_pos2());
                    view.step();
                }
            }
        }
        enter(&mut view, "Tokens", "32");
        enter(&mut view, "Teacher", "0");
        click(&mut view, "Let the accumulators forget: λ = 0.9 →");
        for name in ["Neurons", "Parameters"] {
            click(&mut view, name);
        }
    }
    let mut view = view(DESKTOP);
    for (i, size) in [
        vec2(0.01, 0.01),
        vec2(1.0, 1.0),
        vec2(40.0, 30.0),
        vec2(300.0, 90.0),
        vec2(901.0, 120.0),
        vec2(950.0, 500.0),
        vec2(2560.0, 1440.0),
    ]
    .into_iter()
    .enumerate()
    {
        for whole in [false, true] {
            view.set_size(size);
            view.run_ok();
            view.hover_at((size * 0.5).to_pos2());
            view.step();
            view.ctx.set_theme(if (i % 2 == 0) == whole {
                egui::Theme::Dark
            } else {
                egui::Theme::Light
            });
            press(&mut view, Key::W);
        }
    }
}

#[test]
fn no_setting_makes_a_number_that_is_none() {
    let mut view = view(DESKTOP);
    enter(&mut view, "Tokens", "32");
    click(&mut view, "Token 1");
    for i in 1..=3 {
        view.get_by_label(&format!("Number {i} of token 1")).focus();
        view.run_ok();
        view.get_by_label(&format!("Number {i} of token 1")).set_text_value_accesskit("100");
        view.run_ok();
    }
    for title in Variant::ALL.iter().map(|variant| variant.title()) {
        click(&mut view, title);
        for name in ["Constant input", "Constant input"] {
            click(&mut view, name);
            for text in ["NaN", "inf", "not a number"] {
                assert!(!says(&view, text), "{title}: {text}");
            }
        }
    }
}

#[test]
fn on_a_phone_all_is_reached_by_scrolling() {
    let mut view = view(PHONE);
    for name in [
        "Token 1",
        "Neuron S'₁₁",
        "Gate S'₁₁ · q'₁",
        "The key–value matrix of attention",
        "Cost against d",
        "λ of queries",
        "Dissect it →",
    ] {
        control(&view, name).scroll_to_me();
        view.run_ok();
        let rect = control(&view, name).rect();
        assert!(
            rect.top() >= 0.0 && rect.top() < PHONE.y && rect.right() <= PHONE.x + 0.5,
            "{name}: {rect}"
        );
    }
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let draw = |name: &str, size: Vec2, act: &dyn Fn(&mut Harness<'_, Window>)| {
        for dark in [false, true] {
            let name = format!("construct-{name}{}", if dark { "dark" } else { "light" });
            if name.contains(&only) {
                drawn(&name, window(), size, dark, act);
            }
        }
    };
    let wide = |view: &mut Harness<'_, Window>, dim: &str, variant: &str| {
        control(view, "Width d").focus();
        view.run_ok();
        control(view, "Width d").set_text_value_accesskit(dim);
        view.run_ok();
        press(view, Key::Enter);
        click(view, variant);
    };
    draw("", DESKTOP, &|_| ());
    draw("weights-", DESKTOP, &|view| press(view, Key::W));
    draw("side-weights-", DESKTOP, &|view| {
        click(view, "Side gating");
        press(view, Key::W);
    });
    draw("shared-", DESKTOP, &|view| wide(view, "4", "Shared gates"));
    draw("shared-weights-", DESKTOP, &|view| {
        wide(view, "4", "Shared gates");
        press(view, Key::W);
    });
    draw("naive8-", DESKTOP, &|view| wide(view, "8", "Naive"));
    draw("naive8-weights-", DESKTOP, &|view| {
        wide(view, "8", "Naive");
        press(view, Key::W);
    });
    draw("broken-", DESKTOP, &|view| drop(click(view, "Let the accumulators forget: λ = 0.9 →")));
    draw("refused-", DESKTOP, &|view| {
        enter(view, "Rank", "2");
    });
    draw("ranks-", DESKTOP, &|view| {
        enter(view, "Rank of W_K", "1");
        click(view, "Low rank");
    });
    draw("low-rank-", DESKTOP, &|view| drop(click(view, "Take a teacher of half the rank →")));
    draw("one-", DESKTOP, &|view| wide(view, "1", "Symmetric"));
    draw("phone-", PHONE, &|_| ());
    draw("phone-all-", vec2(390.0, 2600.0), &|_| ());
    draw("phone-weights-all-", vec2(390.0, 2600.0), &|view| press(view, Key::W));
    draw("middling-", vec2(960.0, 640.0), &|_| ());
    draw("large-", vec2(1920.0, 1080.0), &|_| ());
    draw("hover-", DESKTOP, &|view| view.hover_at(egui::pos2(600.0, 350.0)));
}
