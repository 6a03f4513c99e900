//! What hovering says is also read off by clicks and by the keyboard, in In context and in Dissect;
//! and pictures of it in `target/screenshots/`: `ONLY=read-kernels cargo test --test read_off --
//! --ignored` draws those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::analysis::dissection::{self, Settings};
use gatelens::analysis::finding::Finding;
use gatelens::model::Network;
use gatelens::model::network::Gating;
use gatelens::recipe::Recipe;
use gatelens::recipe::specimen::Specimen;
use gatelens::recipe::{checkpoint, preset};
use gatelens::run::inspection::{Bench, Found, Inspected, Subject};
use gatelens::run::live::Live;
use gatelens::ui::Tab;
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};

/// In context, on a small task.
fn in_context(name: &str) -> Rc<Live> {
    Rc::new(trained(
        Recipe {
            batch: 32,
            hidden: 16,
            gates: 16,
            dim: 2,
            outputs: 2,
            pairs: 5,
            ..preset::find(name).unwrap().recipe
        },
        100,
    ))
}

fn window(live: &Rc<Live>, tab: Tab) -> Window {
    Window { tab, ..Window::new(live) }
}

/// In Dissect.
fn dissected(live: &Rc<Live>, given: Specimen) -> Window {
    let dissection = dissection::dissect(
        &given.network.gated().unwrap(),
        given.teacher.as_ref(),
        &Settings::default(),
    );
    let mut bench = Bench::default();
    bench.subject = Subject::Specimen(Box::new(given));
    let id = bench.ask().id;
    bench.answer(Inspected {
        bench: 0,
        id,
        step: Some(live.step),
        found: Found::Apart(Box::new(dissection)),
        took_ms: 12.0,
    });
    Window { tab: Tab::DISSECT, bench, ..Window::new(live) }
}

/// A small network, trained for a while.
fn small() -> Window {
    let live = Rc::new(trained(Recipe { steps: 400, ..quick() }, 400));
    let network =
        Network::from_parameters(&live.table, &live.weights.as_ref().unwrap().parameters).unwrap();
    dissected(&live, Specimen::new("small", network, live.recipe.plan().teacher()))
}

/// A network of the reference, trained in JAX.
fn reference() -> Window {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/reference/trained_teacher_a.safetensors");
    let checkpoint = checkpoint::read("reference", &std::fs::read(path).unwrap()).unwrap();
    dissected(
        &Rc::new(trained(quick(), 1)),
        Specimen::new("reference", checkpoint.gated("reference").unwrap(), checkpoint.teacher),
    )
}

/// As on the screen.
fn signed(value: f64) -> String {
    let text = match value.abs() {
        0.0 => "0".into(),
        size if (0.01..1000.0).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    };
    text.replace('-', "−")
}

fn press(view: &mut Harness<'_, Window>, keys: &[Key]) {
    for key in keys {
        view.key_press_modifiers(Modifiers::NONE, *key);
        view.run_ok();
    }
}

#[test]
fn regression_is_read_off_by_keys() {
    let live = in_context("regression");
    let Some((_, Finding::Regression { coefficients: Some(coefficients), episode, .. })) =
        live.finding.clone()
    else {
        unreachable!()
    };
    let mut view = harness(window(&live, Tab::CONTEXT), DESKTOP, true);
    let focus = |view: &mut Harness<'_, Window>, name: &str| {
        view.get_by_label(name).focus();
        view.run_ok();
    };
    let table = |k: usize, i: usize| {
        format!(
            "output {}: coefficient of x{}² y{} = {:.6}",
            k + 1,
            ["₁", "₂"][i],
            ["₁", "₂"][k],
            coefficients.wanted[k][i]
        )
        .replace('-', "−")
    };
    focus(&mut view, "Coefficients of the one-token polynomial");
    assert!(says(&view, &table(0, 0)), "{}", table(0, 0));
    press(&mut view, &[Key::ArrowDown, Key::ArrowRight]);
    assert!(says(&view, &table(1, 1)));
    press(&mut view, &[Key::ArrowRight, Key::ArrowRight]);
    assert!(says(
        &view,
        &format!("output 2: norm of all other coefficients {:.6}", coefficients.rest[1])
    ));
    focus(&mut view, "Implied weights and a gradient step's");
    assert!(!says(&view, "norm of all other coefficients"), "one at a time");
    press(&mut view, &[Key::ArrowRight]);
    assert!(
        says(&view, "from x₂ to y₁")
            && says(&view, &format!("network {}: half", signed(episode.implied_weights[0][1])))
    );
    focus(&mut view, "One sequence of the regression");
    press(&mut view, &[Key::ArrowDown, Key::ArrowRight]);
    assert!(says(&view, &format!("example t = 2: x₂ = {}", signed(episode.tokens[1][1]))));
    press(
        &mut view,
        &[
            Key::ArrowDown,
            Key::ArrowDown,
            Key::ArrowRight,
            Key::ArrowRight,
            Key::ArrowRight,
            Key::ArrowRight,
        ],
    );
    assert!(
        says(&view, &format!("truth y₂ = (W x_q)₂ = {}", signed(episode.target[1])))
            && says(&view, &format!("network {}", signed(episode.answer[1])))
    );
    let (answer, step) = (episode.answer[1], episode.gradient_step_answer[1]);
    assert!(
        says(&view, &format!("one gradient step η* Σ yₜ (xₜ · x_q) = {}", signed(step)))
            && says(&view, &format!("network − step = {}", signed(answer - step)))
    );
    press(&mut view, &[Key::Escape]);
    assert!(!says(&view, "truth y₂ ="));
    assert_eq!(view.state().actions, []);
    // A click on the first cell, and one elsewhere.
    let at = view.get_by_label("Coefficients of the one-token polynomial").rect().left_top()
        + vec2(4.0, 4.0);
    for (at, open) in [(at, true), (at + vec2(0.0, -30.0), false)] {
        view.drag_at(at);
        view.run_ok();
        view.drop_at(at);
        view.run_ok();
        view.hover_at(egui::pos2(1100.0, 500.0));
        view.run_ok();
        assert_eq!(says(&view, &table(0, 0)), open);
    }
}

#[test]
fn recall_is_read_off_by_keys() {
    let live = in_context("recall");
    let Some((_, Finding::Recall { episode, .. })) = live.finding.clone() else { unreachable!() };
    let mut view = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
    view.get_by_label("One sequence of the recall").focus();
    view.run_ok();
    assert!(says(&view, &format!("value 1: ŷ = {}, softmax", signed(episode.logits[0]))));
    press(&mut view, &[Key::ArrowDown, Key::ArrowRight, Key::ArrowRight, Key::ArrowRight]);
    assert!(says(
        &view,
        &format!("gate 2 adds {} to the logit of value 2", signed(episode.shares[1][2]))
    ));
}

#[test]
fn weights_of_a_stage_are_read_off_by_keys_and_clicks() {
    let mut view = harness(small(), DESKTOP, false);
    let stage =
        view.state().bench.inspected.as_ref().unwrap().dissection().unwrap().stages[2].clone();
    let network = &stage.network;
    let Gating::Output { m, .. } = &network.gating else { unreachable!() };
    let name = "Weights of the stage “Sorted”";
    assert!(!says(&view, "Wₘ in, input 1:"));
    view.get_by_label(name).focus();
    view.run_ok();
    assert!(says(&view, &format!("Wₘ in, input 1: {}", signed(network.input_m.at(0, 0)))));
    press(&mut view, &[Key::ArrowRight]);
    assert!(says(&view, &format!("Wₘ in, input 2: {}", signed(network.input_m.at(0, 1)))));
    press(&mut view, &[Key::ArrowDown]);
    assert!(
        says(&view, &format!("neuron {}, ", stage.neurons[1]))
            && says(&view, &format!("Wₘ in, input 2: {}", signed(network.input_m.at(1, 1))))
    );
    assert!(
        view.state().actions.is_empty() && view.query_by_label(name).is_some(),
        "the arrows are the picture's own"
    );
    // d + 1 columns of W_x, then the first gate.
    (0..5).for_each(|_| press(&mut view, &[Key::ArrowRight]));
    assert!(
        says(&view, &format!("Wₘ out = {}", signed(m.at(0, 1))))
            && says(&view, &format!("gate {}; click to pick it", stage.gates[0][0]))
    );
    press(&mut view, &[Key::Escape]);
    assert!(!says(&view, "Wₘ out ="));
    // A click on an input's weight reads it off and asks nothing; another one closes it.
    let at = view.get_by_label(name).rect().left_top() + vec2(2.0, 2.0);
    for open in [true, false] {
        view.drag_at(at);
        view.run_ok();
        view.drop_at(at);
        view.hover_at(at - vec2(0.0, 200.0));
        view.run_ok();
        assert_eq!(
            says(&view, &format!("Wₘ in, input 1: {}", signed(network.input_m.at(0, 0)))),
            open
        );
    }
}

#[test]
fn kernels_are_read_off_by_keys() {
    let mut view = harness(reference(), DESKTOP, false);
    let dissection = view.state().bench.inspected.as_ref().unwrap().dissection().unwrap().clone();
    let (sorted, group) = (&dissection.stages[2], &dissection.groups[0]);
    let Gating::Output { m, x } = &sorted.network.gating else { unreachable!() };
    let column = |gate: usize| sorted.gates.iter().position(|gates| gates.contains(&gate)).unwrap();
    let kernel = |gate: usize, i: usize, j: usize| {
        let g = column(gate);
        0.5 * sorted.network.readout.at(0, g) * (m.at(g, i) * x.at(g, j) + m.at(g, j) * x.at(g, i))
    };
    let n = sorted.neurons.len();
    let size = |gate: usize| (0..n * n).map(|p| kernel(gate, p / n, p % n).powi(2)).sum::<f64>();
    let heaviest = *group.gates.iter().max_by(|a, b| size(**a).total_cmp(&size(**b))).unwrap();
    view.get_by_label("Kernels of the group's gates").focus();
    view.run_ok();
    assert!(says(&view, &format!("gate {heaviest}: {}", signed(kernel(heaviest, 0, 0)))));
    press(&mut view, &[Key::ArrowDown]);
    (0..2).for_each(|_| press(&mut view, &[Key::ArrowRight]));
    assert!(says(&view, &format!("gate {heaviest}: {}", signed(kernel(heaviest, 1, 2)))));
    assert!(
        says(&view, &format!("neuron {}, ", sorted.neurons[1]))
            && says(&view, &format!("neuron {}, ", sorted.neurons[2]))
    );
    // The last square is the sum over the group.
    (0..4 * n).for_each(|_| press(&mut view, &[Key::ArrowRight]));
    let sum: f64 = group.gates.iter().map(|gate| kernel(*gate, 1, n - 1)).sum();
    let named = view
        .query_all_by_label_contains("sum")
        .filter_map(|node| node.value())
        .collect::<Vec<String>>();
    assert!(
        named.iter().any(|text| text.ends_with(&format!(": {}", signed(sum)))),
        "{sum}: {named:?}"
    );
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, part) in [
        ("read-stage", "Weights of the stage “Sorted”"),
        ("read-kernels", "Kernels of the group's gates"),
        ("read-coefficients", "Coefficients of the one-token polynomial"),
        ("read-recall", "One sequence of the recall"),
    ] {
        if !name.contains(&only) {
            continue;
        }
        let of = || match name {
            "read-coefficients" => window(&in_context("regression"), Tab::CONTEXT),
            "read-recall" => window(&in_context("recall"), Tab::CONTEXT),
            _ => reference(),
        };
        for (kind, size) in [("", DESKTOP), ("-phone", PHONE)] {
            drawn(&format!("{name}{kind}"), of(), size, kind.is_empty(), |view| {
                view.get_by_label(part).scroll_to_me();
                view.run_ok();
                view.get_by_label(part).focus();
                view.run_ok();
                press(view, &[Key::ArrowDown, Key::ArrowRight, Key::ArrowRight]);
            });
        }
    }
}
