//! Dissect with layers that are not gated, driven by its labels and keys; and pictures of it in
//! `target/screenshots/`: `ONLY=phone cargo test --test insides_view -- --ignored pictures` draws
//! those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, Vec2, vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT as _, Queryable},
};
use gatelens::analysis::insides::{self, Probing};
use gatelens::model::Layer;
use gatelens::model::{
    LAYERS, attention::SOFTMAX, gated_dense::DENSE, gated_diagonal::GATED, gru::GRU,
    lru::LRU_IN_OUT, lstm::LSTM, mamba::MAMBA,
};
use gatelens::named::Named;
use gatelens::recipe::specimen::Specimen;
use gatelens::recipe::{Recipe, TaskName};
use gatelens::run::inspection::{Bench, Found, Inspected, Subject};
use gatelens::run::live::Live;
use gatelens::run::runner::Update;
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::theory::layers::{Host, construct};
use gatelens::train::session::Event;
use gatelens::ui::{Action, Tab};
use std::rc::Rc;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};
use web_time::Instant;

fn of(model: &'static Layer) -> Recipe {
    Recipe { model, hidden: 8, embed: 6, layers: 2, state: 4, dim: 3, ..quick() }
}

/// A training at that step, with weights a little off its beginning.
fn live(recipe: &Recipe, step: u64) -> Rc<Live> {
    let table = recipe.plan().program().params;
    let (start, other) = (table.initial(recipe.seed), table.initial(recipe.seed + 1));
    let parameters = start.iter().zip(&other).map(|(a, b)| a + 0.15 * b).collect();
    let mut live = Live::new(1, recipe.clone());
    live.apply(1, Update::Running(true), Instant::now());
    live.apply(1, Update::Event(Event::Weights { step, parameters }), Instant::now());
    live.step = step;
    Rc::new(live)
}

/// Dissect with the answer about `given`, or, with a step, about the live network that `given` then
/// is.
fn window(live: &Rc<Live>, given: Specimen, step: Option<u64>, probed: bool) -> Window {
    let mut found = insides::look(&given.network, given.teacher.as_ref(), given.origin);
    if probed {
        found.probe = insides::probe(
            &given.network,
            given.teacher.as_ref(),
            given.origin,
            step.map(|step| step - 1),
        );
    }
    let mut bench = Bench::default();
    bench.subject = if step.is_some() { Subject::Live } else { Subject::Specimen(Box::new(given)) };
    let id = bench.ask().id;
    bench.answer(Inspected {
        bench: 0,
        id,
        step,
        found: Found::Insides(Box::new(found)),
        took_ms: 34.0,
    });
    Window { tab: Tab::DISSECT, bench, ..Window::new(live) }
}

/// The live network of that recipe at step 120.
fn running(recipe: &Recipe, probed: bool) -> Window {
    let live = live(recipe, 120);
    let given =
        Specimen::trained("", &recipe.plan(), 120, &live.weights.as_ref().unwrap().parameters);
    window(&live, given, Some(120), probed)
}

fn constructed(layer: Host) -> Specimen {
    let teacher = Teacher::draw(
        TeacherKind { dim: 3, ranks: [3; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        2,
    );
    Specimen::new(
        format!("{} construction", layer.title()),
        construct(&teacher, layer, layer.epsilon()).unwrap().model(),
        Some(teacher),
    )
}

/// The control of that name, not the text beside it.
fn control<'a>(view: &'a Harness<'_, Window>, name: &'a str) -> egui_kittest::Node<'a> {
    let mut found = view
        .get_all_by_label_contains(name)
        .filter(|node| node.accesskit_node().role() != egui::Role::Label);
    found.next().unwrap_or_else(|| panic!("no control {name}"))
}

fn click(view: &mut Harness<'_, Window>, name: &str) -> Vec<Action> {
    view.state_mut().actions.clear();
    control(view, name).click();
    view.run_ok();
    std::mem::take(&mut view.state_mut().actions)
}

fn signed(value: f32) -> String {
    let text = if value.abs() >= 0.01 { format!("{value:.3}") } else { format!("{value:.2e}") };
    text.replace('-', "−")
}

#[test]
fn a_live_lstm_shows_its_gates_state_and_memory() {
    let mut view = harness(running(&of(&LSTM), true), DESKTOP, false);
    for text in [
        "This does not compute linear attention.",
        "LSTM, ",
        "From the running network, step 120",
        "Memory of 8 numbers",
        "answers differ by",
        "query not in its gates",
        "one token: ",
        "34 ms",
    ] {
        assert!(says(&view, text), "{text}");
    }
    assert!(!says(&view, "threshold"), "nothing is pruned");
    let insides = view.state().bench.inspected.as_ref().unwrap().insides().unwrap().clone();
    control(&view, "Gates over one sequence: input gate i").focus();
    view.run_ok();
    let gate = &insides.gates[0];
    assert!(says(
        &view,
        &format!("input gate i, neuron 1, token t = 1: {}", signed(gate.at(0, 0)))
    ));
    for key in [Key::ArrowRight, Key::ArrowRight, Key::ArrowDown] {
        view.key_press_modifiers(Modifiers::NONE, key);
        view.run_ok();
    }
    assert!(says(
        &view,
        &format!("input gate i, neuron 2, token t = 3: {}", signed(gate.at(2, 1)))
    ));
    click(&mut view, "Gate shown");
    control(&view, "forget gate f").click();
    view.run_ok();
    assert!(says(&view, "Gates over one sequence: forget gate f"));
    control(&view, "Memory of 8 numbers").focus();
    view.run_ok();
    assert!(says(&view, "on average, from") && says(&view, "untrained: "));
    assert!(click(&mut view, "load a file") == [Action::OpenToDissect]);
}

#[test]
fn a_constructed_lru_is_said_to_be_attention_and_can_be_trained() {
    let given = constructed(Host::LruInOut);
    let mut view = harness(window(&live(&of(&LSTM), 5), given.clone(), None, true), DESKTOP, false);
    for text in [
        "This computes linear attention.",
        "From LRU In+Out construction",
        "LRU In+Out",
        "size of the state",
    ] {
        assert!(says(&view, text), "{text}");
    }
    assert!(!says(&view, "untrained"), "no seed is known");
    control(&view, "Memory of").focus();
    view.run_ok();
    assert!(says(&view, "λ = ") && says(&view, "turns by"));
    assert_eq!(click(&mut view, "Train this network"), [Action::Train(Box::new(given))]);
    assert_eq!(click(&mut view, "back to the running network"), [Action::Dissect(Subject::Live)]);
}

#[test]
fn every_picture_and_the_numbers_are_exported() {
    let mut view = harness(running(&of(&LRU_IN_OUT), true), DESKTOP, false);
    for (card, file, text) in [
        ("Memory", "insides-memory.svg", "untrained"),
        ("Is it attention?", "insides-attention.svg", "answers differ by"),
        ("Gates over one sequence", "insides-gates.svg", "1 open"),
        ("State over one sequence", "insides-state.svg", "token"),
    ] {
        let [Action::Export(named, bytes)] = &click(&mut view, &format!("Save as SVG: {card}"))[..]
        else {
            panic!("no file of {card}")
        };
        let picture = std::str::from_utf8(bytes).unwrap();
        assert_eq!(named, file);
        assert!(
            picture.starts_with("<svg")
                && picture.contains(card)
                && picture.contains(text)
                && !picture.contains(">SVG<")
                && !picture.contains("NaN"),
            "{file} says {text}"
        );
    }
    let [Action::Export(name, bytes)] = &click(&mut view, "Save analysis.json")[..] else {
        panic!("no file")
    };
    assert!(
        name == "analysis.json"
            && serde_json::from_slice::<serde_json::Value>(bytes).unwrap()["states"].is_array()
    );
}

/// Answers of all kinds, and some that are hard to draw.
fn windows() -> Vec<(String, Window)> {
    let mut windows: Vec<_> = LAYERS
        .iter()
        .filter(|model| **model != &GATED)
        .map(|model| (model.title.to_owned(), running(&of(model), false)))
        .collect();
    let mut broken = constructed(Host::Lstm);
    broken.network.parameters.iter_mut().step_by(3).for_each(|v| *v = f64::NAN);
    windows.push(("NaN".into(), window(&live(&of(&GRU), 5), broken, None, true)));
    windows.push((
        "one".into(),
        running(&Recipe { hidden: 1, embed: 1, dim: 1, time: 1, ..of(&GRU) }, true),
    ));
    windows.push((
        "regression".into(),
        running(&Recipe { task: TaskName::Regression, ..of(&GRU) }, true),
    ));
    windows.push(("recall".into(), running(&Recipe { task: TaskName::Recall, ..of(&GRU) }, true)));
    windows.push(("large".into(), running(&Recipe { embed: 64, state: 32, ..of(&MAMBA) }, false)));
    windows
}

#[test]
fn any_layer_is_drawn_at_any_size() {
    for (name, window) in windows() {
        let pending =
            window.bench.inspected.as_ref().unwrap().insides().unwrap().probe == Probing::Pending;
        let mut view = harness(window, DESKTOP, false);
        if pending {
            assert!(says(&view, "That is being measured."), "{name}");
        }
        if name == "NaN" {
            assert!(says(&view, "Some of its weights are not numbers."));
        }
        if name == "recall" {
            assert!(says(&view, "There is no attention to compare it with."));
        }
        for (i, size) in [
            vec2(1.0, 1.0),
            vec2(40.0, 30.0),
            vec2(300.0, 90.0),
            PHONE,
            vec2(950.0, 500.0),
            vec2(2560.0, 1440.0),
        ]
        .into_iter()
        .enumerate()
        {
            view.set_size(size);
            view.run_ok();
            view.hover_at((size * 0.4).to_pos2());
            view.step();
            view.ctx.set_theme(if i % 2 == 0 { egui::Theme::Dark } else { egui::Theme::Light });
            view.run_ok();
        }
    }
}

#[test]
fn other_views_send_other_layers_to_dissect() {
    for (recipe, tab, text) in [
        (of(&LSTM), Tab::DISCOVER, "What this layer keeps, and whether it is attention"),
        (Recipe { task: TaskName::Regression, ..of(&GRU) }, Tab::CONTEXT, "What this layer keeps"),
        (Recipe { task: TaskName::Recall, ..of(&GRU) }, Tab::DISCOVER, "What this layer keeps"),
    ] {
        let mut view = harness(Window { tab, ..Window::new(&live(&recipe, 5)) }, DESKTOP, false);
        assert!(
            !says(&view, "Right now 0")
                && !says(&view, "other gating")
                && !says(&view, "of the gated RNN only")
        );
        assert_eq!(click(&mut view, text), [Action::Tab(Tab::DISSECT)]);
    }
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let tall = vec2(390.0, 2300.0);
    let sizes: [(&str, Vec2, bool); 4] = [
        ("light", DESKTOP, false),
        ("dark", DESKTOP, true),
        ("phone", PHONE, false),
        ("tall", tall, true),
    ];
    for (kind, size, dark) in sizes {
        let draw = |name: &str, window: &dyn Fn() -> Window| {
            let name = format!("insides-{name}-{kind}");
            if name.contains(&only) {
                drawn(&name, window(), size, dark, |_| ());
            }
        };
        draw("lstm", &|| running(&Recipe { hidden: 24, ..of(&LSTM) }, true));
        draw("built", &|| window(&live(&of(&LSTM), 5), constructed(Host::LruInOut), None, true));
        if kind == "light" || kind == "tall" {
            draw("gru", &|| running(&Recipe { task: TaskName::Regression, ..of(&GRU) }, true));
            draw("lru", &|| running(&Recipe { hidden: 32, ..of(&LRU_IN_OUT) }, true));
            draw("dense", &|| running(&of(&DENSE), true));
            draw("mamba", &|| running(&of(&MAMBA), false));
            draw("softmax", &|| running(&of(&SOFTMAX), true));
            draw("discover", &|| Window::new(&live(&of(&LSTM), 50)));
            draw("context", &|| Window {
                tab: Tab::CONTEXT,
                ..Window::new(&live(&Recipe { task: TaskName::Regression, ..of(&GRU) }, 50))
            });
        }
    }
}
