//! The Dissect view, driven by its labels and keys; and pictures of it in `target/screenshots/`:
//! `ONLY=phone cargo test --test dissect_view -- --ignored pictures` draws those whose name
//! contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT as _, Queryable},
};
use gatelens::Error;
use gatelens::analysis::dissection::{self, Dissection, Settings};
use gatelens::model::Network;
use gatelens::recipe::specimen::Specimen;
use gatelens::recipe::{Recipe, checkpoint, preset};
use gatelens::run::inspection::{Bench, Found, Inspected, Subject};
use gatelens::run::live::Live;
use gatelens::run::runner::Update;
use gatelens::task::Teacher;
use gatelens::ui::{Action, Tab, theme};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick};
use web_time::Instant;

fn network(live: &Live) -> Network {
    Network::from_parameters(&live.table, &live.weights.as_ref().unwrap().parameters).unwrap()
}

fn teacher(live: &Live) -> Teacher {
    live.recipe.plan().teacher().unwrap()
}

/// The window with the answer to its first question.
fn window_of(live: &Rc<Live>, dissection: Dissection, subject: Subject) -> Window {
    let mut bench = Bench::default();
    (bench.subject, bench.settings) = (subject, dissection.settings.clone());
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

fn window(live: &Rc<Live>, settings: &Settings) -> Window {
    window_of(
        live,
        dissection::dissect(&network(live), Some(&teacher(live)), settings),
        Subject::Live,
    )
}

/// A network of the reference, trained in JAX.
fn reference(file: &str) -> Specimen {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(file);
    let checkpoint = checkpoint::read(file, &std::fs::read(path).unwrap()).unwrap();
    Specimen::new(file, checkpoint.gated(file).unwrap(), checkpoint.teacher)
}

fn given(live: &Rc<Live>, given: Specimen, settings: &Settings) -> Window {
    let dissection =
        dissection::dissect(&given.network.gated().unwrap(), given.teacher.as_ref(), settings);
    window_of(live, dissection, Subject::Specimen(Box::new(given)))
}

/// d = 2, some hundred steps: small, and quick to train.
fn small() -> Rc<Live> {
    Rc::new(trained(Recipe { steps: 400, ..quick() }, 400))
}

/// Lets stages move: the harness turns movement off.
fn lively(harness: &Harness<'_, Window>) {
    harness.ctx.all_styles_mut(|style| style.animation_time = 0.2);
}

fn desktop(live: &Rc<Live>) -> Harness<'static, Window> {
    harness(window(live, &Settings::default()), DESKTOP, false)
}

/// The control of that name, not the text beside it.
fn control<'a>(harness: &'a Harness<'_, Window>, name: &'a str) -> egui_kittest::Node<'a> {
    let mut found = harness
        .get_all_by_label_contains(name)
        .filter(|node| node.accesskit_node().role() != egui::Role::Label);
    found.next().unwrap_or_else(|| panic!("no control {name}"))
}

fn taken(harness: &mut Harness<'_, Window>) -> Vec<Action> {
    harness.run_ok();
    std::mem::take(&mut harness.state_mut().actions)
}

fn click(harness: &mut Harness<'_, Window>, name: &str) -> Vec<Action> {
    harness.state_mut().actions.clear();
    control(harness, name).click();
    taken(harness)
}

fn press(harness: &mut Harness<'_, Window>, key: Key) -> Vec<Action> {
    harness.state_mut().actions.clear();
    harness.key_press_modifiers(Modifiers::NONE, key);
    taken(harness)
}

fn chosen(harness: &Harness<'_, Window>) -> Option<&'static str> {
    let names = ["Raw:", "Pruned:", "Sorted:", "Merged:", "Minimal:"];
    names.into_iter().find(|name| {
        harness
            .query_all_by_label_contains(name)
            .any(|node| node.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True))
    })
}

fn thresholds(actions: &[Action]) -> Vec<f64> {
    actions
        .iter()
        .filter_map(|action| {
            if let Action::Inspect(settings) = action { Some(settings.threshold) } else { None }
        })
        .collect()
}

#[test]
fn what_is_said_is_what_was_measured() {
    let live = small();
    let harness = desktop(&live);
    let inspected = harness.state().bench.inspected.as_ref().unwrap();
    let stages = &inspected.dissection().unwrap().stages;
    let counts = format!(
        "{} → {} → {}",
        stages[0].neurons.len(),
        stages[1].neurons.len(),
        stages[4].neurons.len()
    );
    assert!(harness.query_all_by_label(&counts).next().is_some(), "{counts}");
    for text in [
        "From the running network, step 400",
        "threshold 0.01",
        "1 − R² key–values",
        "Polynomial distance",
        "Apply the reduction",
        "12 ms",
    ] {
        assert!(harness.query_all_by_label_contains(text).next().is_some(), "{text}");
    }
    for title in [
        "Which neurons matter",
        "The function",
        "Read off the states",
        "Merging gates",
        "From trained to minimal",
    ] {
        assert!(harness.query_by_label(&format!("Save as SVG: {title}")).is_some(), "{title}");
    }
}

#[test]
fn stages_are_stepped_played_and_clicked() {
    let mut harness = desktop(&small());
    assert_eq!(chosen(&harness), Some("Sorted:"));
    press(&mut harness, Key::ArrowRight);
    assert_eq!(chosen(&harness), Some("Merged:"));
    (0..3).for_each(|_| drop(press(&mut harness, Key::ArrowRight)));
    assert_eq!(chosen(&harness), Some("Minimal:"), "the last stays");
    press(&mut harness, Key::ArrowLeft);
    assert_eq!(chosen(&harness), Some("Merged:"));
    click(&mut harness, "Raw:");
    assert_eq!(chosen(&harness), Some("Raw:"));
    control(&harness, "Raw:").focus();
    harness.run_ok();
    press(&mut harness, Key::ArrowRight);
    assert_eq!(
        chosen(&harness),
        Some("Pruned:"),
        "a tile with the keyboard lets the arrows through"
    );
    lively(&harness);
    click(&mut harness, "Play the stages");
    (0..60).for_each(|_| harness.step());
    assert_eq!(chosen(&harness), Some("Minimal:"));
    harness.run();
    assert!(harness.query_by_label("Play the stages").is_some(), "and rests there");
}

#[test]
fn the_threshold_is_moved_by_keys_and_by_the_pointer() {
    let mut harness = desktop(&small());
    harness.get_by_label("Threshold").focus();
    harness.run_ok();
    assert_eq!(thresholds(&press(&mut harness, Key::ArrowUp)), [0.013]);
    assert_eq!(thresholds(&press(&mut harness, Key::ArrowDown)), [0.0079]);
    let at = harness.get_by_label("Threshold").rect().center();
    harness.drag_at(at);
    harness.run_ok();
    harness.hover_at(at - vec2(0.0, 60.0));
    harness.run_ok();
    harness.drop_at(at - vec2(0.0, 60.0));
    let asked = thresholds(&taken(&mut harness));
    let last = *asked.last().expect("it asks");
    assert!(last > 0.02 && last < 0.5, "{asked:?}");
    harness.state_mut().bench.settings.threshold = last;
    harness.run_ok();
    assert!(harness.query_all_by_label_contains(&format!("threshold {last}")).next().is_some());
    assert!(
        harness.query_by_label_contains("working…").is_none(),
        "nothing was asked of this bench yet"
    );
    harness.state_mut().bench.ask();
    harness.run_ok();
    assert!(harness.query_by_label_contains("working…").is_some());
}

#[test]
fn gates_are_picked_and_let_go() {
    let live = small();
    let mut harness = desktop(&live);
    click(&mut harness, "Pick gates by hand");
    let gate = harness.state().bench.inspected.as_ref().unwrap().dissection().unwrap().stages[2]
        .gates[0][0];
    let asked = click(&mut harness, &format!("Pick gate {gate}"));
    let picked = Settings { picked: vec![gate], ..Settings::default() };
    assert_eq!(asked, [Action::Inspect(picked.clone())]);
    harness.state_mut().bench.settings = picked;
    harness.run_ok();
    assert_eq!(click(&mut harness, "Let all go"), [Action::Inspect(Settings::default())]);
    // The first column of the wide picture's third matrix.
    let tile = control(&harness, "Sorted:").rect();
    harness.state_mut().bench.settings.picked.clear();
    let mut asked = vec![];
    for part in [0.4, 0.45, 0.5, 0.55] {
        let at = tile.left_top() + tile.size() * vec2(part, 0.3);
        harness.hover_at(at);
        harness.drag_at(at);
        harness.run_ok();
        harness.drop_at(at);
        asked.extend(taken(&mut harness));
    }
    assert!(
        asked.iter().any(
            |action| matches!(action, Action::Inspect(settings) if settings.picked.len() == 1)
        ),
        "{asked:?}"
    );
}

#[test]
fn the_reduction_is_applied_and_undone() {
    let live = small();
    let mut harness = desktop(&live);
    let minimal = harness.state().bench.inspected.as_ref().unwrap().dissection().unwrap().stages[4]
        .network
        .clone();
    let expected = Specimen::new("the reduced network", minimal, Some(teacher(&live)));
    assert_eq!(click(&mut harness, "Apply the reduction"), [Action::Train(Box::new(expected))]);
    assert!(harness.query_by_label_contains("Undo").is_none());
    harness.state_mut().undo = Some("the network of 16 neurons at step 400".into());
    harness.run_ok();
    assert_eq!(click(&mut harness, "Undo: back to the network of 16"), [Action::Undo]);
    assert_eq!(click(&mut harness, "load a file"), [Action::OpenToDissect]);
}

#[test]
fn every_picture_and_the_numbers_are_exported() {
    let mut harness = desktop(&small());
    for (card, file, text) in [
        ("From trained to minimal", "dissect-stages.svg", "Minimal"),
        ("Which neurons matter", "dissect-neurons.svg", "threshold 0.01"),
        ("The function", "dissect-function.svg", "teacher"),
        ("Read off the states", "dissect-scores.svg", "1 − R², queries"),
        ("Merging gates", "dissect-merging.svg", "Merging gates"),
    ] {
        let name = format!("Save as SVG: {card}");
        let [Action::Export(named, bytes)] = &click(&mut harness, &name)[..] else {
            panic!("no file of {card}")
        };
        let picture = std::str::from_utf8(bytes).unwrap();
        assert_eq!(named, file);
        assert!(
            picture.starts_with("<svg")
                && picture.ends_with("</svg>\n")
                && picture.contains(card)
                && picture.contains(text),
            "{file} says {text}"
        );
        assert!(!picture.contains(">SVG<") && !picture.contains("NaN"), "{file}");
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(file), bytes).unwrap();
    }
    let [Action::Export(name, bytes)] = &click(&mut harness, "Save analysis.json")[..] else {
        panic!("no file")
    };
    let report: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    assert!(name == "analysis.json" && report.is_object());
}

#[test]
fn files_without_a_teacher_say_so() {
    let mut harness = harness(
        given(&small(), reference("trained_icl_a.safetensors"), &Settings::default()),
        DESKTOP,
        false,
    );
    for text in ["From trained_icl_a.safetensors", "names no teacher", "no teacher, d = 6"] {
        assert!(harness.query_all_by_label_contains(text).next().is_some(), "{text}");
    }
    assert_eq!(
        click(&mut harness, "back to the running network"),
        [Action::Dissect(Subject::Live)]
    );
}

/// Answers that are hard to draw.
fn oddities() -> Vec<(&'static str, Window)> {
    let live = small();
    let waiting = Window { tab: Tab::DISSECT, ..Window::new(&live) };
    let mut failed = Live::new(1, quick());
    failed.apply(1, Update::Failed(Error::DeviceLost("it was unplugged".into())), Instant::now());
    let mut nan = network(&live);
    nan.input_m.data.iter_mut().step_by(3).for_each(|v| *v = f64::NAN);
    nan.readout.data[0] = f64::INFINITY;
    let zero = network(&live).select(&[0, 1], &[]);
    let one =
        Rc::new(trained(Recipe { dim: 1, hidden: 1, gates: 1, time: 1, batch: 1, ..quick() }, 3));
    let side = Rc::new(trained(preset::find("side").unwrap().recipe, 5));
    let of = |network: Network| {
        given(&live, Specimen::new("odd.safetensors", network, None), &Settings::default())
    };
    let large = Rc::new(trained(
        Recipe { dim: 8, hidden: 256, gates: 256, batch: 1, time: 4, ..quick() },
        1,
    ));
    vec![
        ("waiting", waiting),
        ("failed", Window { tab: Tab::DISSECT, ..Window::new(&Rc::new(failed)) }),
        ("preparing", Window { tab: Tab::DISSECT, ..Window::new(&Rc::new(Live::new(1, quick()))) }),
        ("all pruned", window(&live, &Settings { threshold: 1.0, ..Settings::default() })),
        ("not numbers", of(nan)),
        ("no gates", of(zero)),
        ("one neuron", window(&one, &Settings::default())),
        ("side", window(&side, &Settings::default())),
        ("large", window(&large, &Settings::default())),
        ("icl", given(&live, reference("trained_icl_a.safetensors"), &Settings::default())),
    ]
}

#[test]
fn any_state_is_drawn_at_any_size() {
    for (name, window) in oddities() {
        let mut harness = harness(window, DESKTOP, false);
        lively(&harness);
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
            harness.set_size(size);
            harness.run_ok();
            harness.hover_at((size * 0.4).to_pos2());
            harness.key_press_modifiers(
                Modifiers::NONE,
                if i % 3 == 0 { Key::ArrowLeft } else { Key::ArrowRight },
            );
            harness.step();
            harness.ctx.set_theme(if i % 2 == 0 { egui::Theme::Dark } else { egui::Theme::Light });
            harness.run_ok();
        }
        let text = match name {
            "waiting" => "Dissect",
            "all pruned" => "All neurons are under the threshold",
            "side" => "neurons under the threshold",
            _ => continue,
        };
        assert!(harness.query_all_by_label_contains(text).next().is_some(), "{name}: {text}");
    }
}

#[test]
#[ignore = "measures what a frame costs"]
fn frame_costs() {
    for n in [32, 100, 256] {
        let live = Rc::new(trained(
            Recipe { dim: 4, hidden: n, gates: n, batch: 1, time: 4, ..quick() },
            1,
        ));
        let mut harness = harness(window(&live, &Settings::default()), DESKTOP, false);
        lively(&harness);
        let mut cost = |news: bool, moving: bool| {
            let mut times: Vec<f64> = (0..15u32)
                .map(|i| {
                    if news {
                        let bench = &mut harness.state_mut().bench;
                        let inspected = bench.inspected.clone().unwrap();
                        bench.answer(Inspected {
                            step: inspected.step.map(|step| step + 1),
                            ..inspected
                        });
                    }
                    if moving {
                        harness.key_press_modifiers(
                            Modifiers::NONE,
                            if i % 2 == 0 { Key::ArrowLeft } else { Key::ArrowRight },
                        );
                        harness.step();
                    }
                    let started = Instant::now();
                    harness.step();
                    started.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[7]
        };
        let (still, fresh, moving) = (cost(false, false), cost(true, false), cost(false, true));
        println!(
            "n = m = {n}: {still:.1} ms a frame, {fresh:.1} ms with a new answer, {moving:.1} ms while stages move"
        );
    }
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
            drawn(
                name,
                given(&live, reference("trained_teacher_a.safetensors"), &settings),
                size,
                dark,
                |_| (),
            );
        }
    }
    if wanted("dissect-icl") {
        drawn(
            "dissect-icl",
            given(&live, reference("trained_icl_a.safetensors"), &settings),
            DESKTOP,
            false,
            |_| (),
        );
    }
    for (name, at, dark) in [
        ("dissect-hover-stage", vec2(540.0, 250.0), true),
        ("dissect-hover-neuron", vec2(60.0, 520.0), false),
        ("dissect-hover-function", vec2(330.0, 500.0), false),
    ] {
        if wanted(name) {
            drawn(
                name,
                given(&live, reference("trained_teacher_a.safetensors"), &settings),
                DESKTOP,
                dark,
                |window| window.hover_at(at.to_pos2()),
            );
        }
    }
    for steps in [6, 12, 16] {
        let name = format!("dissect-move-{steps}");
        if wanted(&name) {
            let window = given(&live, reference("trained_teacher_a.safetensors"), &settings);
            moving(&name, window, steps);
        }
    }
    if wanted("dissect-side") {
        let side = Rc::new(trained(preset::find("side").unwrap().recipe, 600));
        drawn("dissect-side", window(&side, &settings), DESKTOP, false, |_| ());
    }
    if wanted("dissect-wide") {
        let large = Rc::new(trained(
            Recipe { dim: 8, hidden: 256, gates: 256, batch: 1, time: 4, ..quick() },
            1,
        ));
        drawn("dissect-wide", window(&large, &settings), DESKTOP, true, |_| ());
    }
    if wanted("dissect-picked") {
        let settings = Settings { picked: vec![9, 10, 30], ..Settings::default() };
        drawn(
            "dissect-picked",
            given(&live, reference("trained_teacher_a.safetensors"), &settings),
            DESKTOP,
            false,
            |window| {
                window.get_by_label("Pick gates by hand").click();
            },
        );
    }
}

/// A moment of the move from Raw to Merged, so many twentieths of a second after it began.
fn moving(name: &str, window: Window, moments: usize) {
    let builder = Harness::builder()
        .with_size(DESKTOP)
        .with_theme(egui::Theme::Light)
        .with_context_setup(theme::install)
        .with_max_steps(90)
        .with_step_dt(0.05)
        .wgpu();
    let mut harness = builder.build_ui_state(|ui, window: &mut Window| window.show(ui), window);
    harness.run_ok();
    lively(&harness);
    control(&harness, "Raw:").click();
    harness.run_ok();
    control(&harness, "Merged:").click();
    (0..moments + 2).for_each(|_| harness.step());
    match harness.render() {
        Ok(image) => image
            .save(
                std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join(format!("target/screenshots/{name}.png")),
            )
            .unwrap(),
        Err(error) => println!("no picture of {name}: {error}"),
    }
}
