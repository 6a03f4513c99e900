//! The In context view of a training on the user's own file, driven by its labels and keys; and
//! pictures of it in `target/screenshots/`: `ONLY=file-plain cargo test --test file_view --
//! --ignored` draws those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::analysis::finding::{self, Finding};
use gatelens::analysis::test_set::{Sets, TestReport};
use gatelens::math::random;
use gatelens::model::Network;
use gatelens::recipe::{Gating, Recipe, Switch};
use gatelens::run::live::Live;
use gatelens::run::runner::Update;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::task::{Arrays, Teacher};
use gatelens::ui::{Action, Tab};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};
use web_time::Instant;

/// What counts in the file's sequences.
#[derive(Clone, Copy, PartialEq)]
enum Mask {
    None,
    Last(usize),
    Weights,
}

/// `count` sequences of a teacher's answers with some noise.
fn arrays(count: usize, [time, dim]: [usize; 2], noise: f32, mask: Mask) -> Arrays {
    let teacher = Teacher::draw(
        TeacherKind { dim, ranks: [dim; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        5,
    );
    let x = random::normals(3, "x", count * time * dim);
    let wide: Vec<f64> = x.iter().copied().map(f64::from).collect();
    let steps = if let Mask::Last(steps) = mask { steps } else { time };
    let mut y = vec![];
    for sequence in wide.chunks_exact(time * dim) {
        let (attention, values) = teacher.attention(sequence);
        for t in time - steps..time {
            y.extend((0..dim).map(|k| {
                (0..time).map(|s| attention[t * time + s] * values[s * dim + k]).sum::<f64>() as f32
            }));
        }
    }
    y.iter_mut()
        .zip(random::normals(4, "noise", count * steps * dim))
        .for_each(|(y, v)| *y += noise * v);
    let weight = (mask == Mask::Weights).then(|| {
        (0..count * time).map(|i| if i % time < 2 || i % 7 == 3 { 0.0 } else { 1.3 }).collect()
    });
    Arrays { sequences: count, time, inputs: dim, outputs: dim, steps, x, y, weight }
}

fn recipe(arrays: &Arrays, test_fraction: f32) -> Recipe {
    let base = Recipe {
        hidden: 16,
        gates: 16,
        batch: 8,
        weight_decay: 0.01,
        mask_at: 0.0,
        steps: 20_000,
        test_fraction,
        ..quick()
    };
    base.with_data("lessons.npz", arrays)
}

fn window(live: &Rc<Live>, tab: Tab) -> Window {
    Window { tab, ..Window::new(live) }
}

fn press(view: &mut Harness<'_, Window>, key: Key) {
    view.key_press_modifiers(Modifiers::NONE, key);
    view.run_ok();
}

fn found(live: &Live) -> TestReport {
    match &live.finding {
        Some((_, Finding::Test(tested))) => tested.as_ref().clone(),
        other => panic!("{other:?}"),
    }
}

/// As on the screen.
fn signed(value: f32) -> String {
    let value = f64::from(value);
    let text = match value.abs() {
        0.0 => "0".into(),
        size if (0.01..1000.0).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    };
    text.replace('-', "−")
}

fn scientific(value: f64) -> String {
    format!("{value:.1e}").replace('-', "−")
}

#[test]
fn what_the_file_holds_and_its_errors_are_said() {
    let arrays = arrays(60, [8, 2], 0.1, Mask::Last(3));
    let live = Rc::new(trained((recipe(&arrays, 0.25), &arrays), 300));
    let tested = found(&live);
    for size in [DESKTOP, PHONE] {
        let view = harness(window(&live, Tab::CONTEXT), size, false);
        assert!(
            says(&view, "lessons.npz")
                && says(&view, "60: 45 to train on, 15 for the test, drawn at random")
        );
        assert!(
            says(&view, "8; by its mask only the last 3 count")
                && says(&view, "d = 2 in, d_out = 2 out")
        );
        for errors in [tested.test, tested.train] {
            let chance = errors.standard_error.unwrap();
            assert!(
                says(&view, &format!("{} ± {}", scientific(errors.size.loss), scientific(chance))),
                "{errors:?}"
            );
            assert!(says(&view, &scientific(errors.size.nmse().unwrap())));
        }
        for (k, size) in tested.outputs.iter().enumerate() {
            assert!(says(
                &view,
                &format!("Output {}: nMSE {}", k + 1, scientific(size.nmse().unwrap()))
            ));
        }
        for sentence in tested.sentences() {
            assert!(
                says(
                    &view,
                    &sentence
                        .replace(" %", "\u{a0}%")
                        .replace('-', "−")
                        .replace("over−fit", "over-fit")
                ),
                "{sentence}"
            );
        }
        assert!(
            says(&view, "Measured at step 300 on 15 unseen sequences.")
                && says(&view, "Right now ")
        );
    }
}

#[test]
fn a_sequence_is_read_off_by_keys() {
    let arrays = arrays(40, [6, 2], 0.0, Mask::Last(4));
    let live = Rc::new(trained((recipe(&arrays, 0.25), &arrays), 60));
    let tested = found(&live);
    let mut view = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
    assert!(!says(&view, "time step 1:"), "nothing is read off yet");
    view.get_by_label("One test sequence over time").focus();
    view.run_ok();
    let check = |view: &Harness<'_, Window>, s: usize, k: usize, t: usize| {
        let shown = &tested.shown[s];
        let x = format!(
            "time step {}: x₁ = {}, x₂ = {}",
            t + 1,
            signed(shown.x[t * 2]),
            signed(shown.x[t * 2 + 1])
        );
        assert!(says(view, &x), "{x}");
        let answer = shown.answers[t * 2 + k];
        if t < 2 {
            assert!(
                says(view, &format!("output {}: prediction ŷ = {}", k + 1, signed(answer)))
                    && says(view, "This step does not count.")
            );
        } else {
            let target = shown.y[(t - 2) * 2 + k];
            assert!(
                says(view, &format!("output {}: target y = {}", k + 1, signed(target))),
                "{target}"
            );
            let off = format!("{:.3}", f64::from(answer) - f64::from(target)).replace('-', "−");
            assert!(
                says(view, &format!("prediction ŷ = {}, off by {off}", signed(answer))),
                "{off}"
            );
        }
    };
    check(&view, 0, 0, 0);
    (0..3).for_each(|_| press(&mut view, Key::ArrowRight));
    check(&view, 0, 0, 3);
    press(&mut view, Key::ArrowDown);
    check(&view, 0, 1, 3);
    press(&mut view, Key::PageDown);
    press(&mut view, Key::PageDown);
    check(&view, 2, 1, 3);
    press(&mut view, Key::PageUp);
    (0..9).for_each(|_| press(&mut view, Key::ArrowRight));
    check(&view, 1, 1, 5);
    assert_eq!(view.state().actions, [], "arrows are the picture's own");
    press(&mut view, Key::Escape);
    assert!(!says(&view, "target y ="), "Escape closes it");
    let middle = view.get_by_label("One test sequence over time").rect().center();
    view.drag_at(middle);
    view.drop_at(middle);
    view.run_ok();
    check(&view, 1, 1, 3);
    // Chosen by number.
    view.get_by_label("Which sequence").focus();
    view.run_ok();
    view.get_by_label("Which sequence").set_text_value_accesskit("10");
    view.run_ok();
    press(&mut view, Key::Enter);
    view.get_by_label("One test sequence over time").focus();
    view.run_ok();
    check(&view, 9, 1, 3);
    // The error over time is read off likewise.
    view.get_by_label("Error at each time step").focus();
    view.run_ok();
    assert!(says(&view, "time step 1 counts in no test sequence"));
    (0..4).for_each(|_| press(&mut view, Key::ArrowRight));
    let size = tested.steps[4].unwrap();
    assert!(says(&view, &format!("time step 5: mean (ŷ − y)² = {}", scientific(size.loss))));
    assert!(says(
        &view,
        &format!(
            "answering 0 has mean y² = {}; the error is {} of it",
            scientific(size.power),
            scientific(size.nmse().unwrap())
        )
    ));
}

#[test]
fn every_picture_is_saved() {
    let arrays = arrays(40, [6, 2], 0.1, Mask::Weights);
    let live = Rc::new(trained((recipe(&arrays, 0.25), &arrays), 40));
    let mut view = harness(window(&live, Tab::CONTEXT), DESKTOP, true);
    for (card, name, text) in [
        ("One test sequence", "file-sequence.svg", "Test sequence 1"),
        ("Error at each time step", "file-time.svg", "answering 0"),
        ("Error of each output", "file-outputs.svg", "nMSE"),
    ] {
        view.get_by_label(&format!("Save as SVG: {card}")).click();
        view.run_ok();
        match view.state_mut().actions.pop() {
            Some(Action::Export(file, bytes)) => {
                let svg = String::from_utf8(bytes).unwrap();
                assert!(
                    file == name
                        && svg.ends_with("</svg>\n")
                        && svg.contains(text)
                        && svg.len() > 1000,
                    "{file}: {svg}"
                );
            }
            other => panic!("{card}: {other:?}"),
        }
    }
}

#[test]
fn discover_shows_a_test_sequence_and_leads_here() {
    let arrays = arrays(40, [6, 2], 0.1, Mask::None);
    let live = Rc::new(trained((recipe(&arrays, 0.25), &arrays), 40));
    for size in [DESKTOP, PHONE] {
        let mut view = harness(window(&live, Tab::DISCOVER), size, false);
        assert!(view.query_by_label("One test sequence over time").is_some());
        view.get_by_label("In context →").scroll_to_me();
        view.run_ok();
        view.get_by_label("In context →").click();
        view.run_ok();
        assert_eq!(view.state().actions, [Action::Tab(Tab::CONTEXT)]);
    }
}

/// Files of every shape, before and after training, with numbers that are none.
fn odd() -> Vec<Live> {
    let sizes = [
        arrays(12, [1, 1], 0.0, Mask::None),
        arrays(12, [2, 3], 0.0, Mask::Last(1)),
        arrays(9, [300, 3], 0.0, Mask::Weights),
        arrays(4, [40, 30], 0.0, Mask::None),
    ];
    let mut lives: Vec<Live> = sizes
        .iter()
        .map(|arrays| {
            trained((Recipe { batch: 2, hidden: 4, gates: 4, ..recipe(arrays, 0.3) }, arrays), 2)
        })
        .collect();
    let some = arrays(20, [5, 2], 0.0, Mask::None);
    lives.push(Live::new(1, recipe(&some, 0.2)));
    lives.push(trained((recipe(&some, 0.0), &some), 2));
    lives.push(trained(
        (Recipe { shuffle: Switch::Off, gating: Gating::Side, ..recipe(&some, 0.2) }, &some),
        2,
    ));
    lives.push(Live::new(1, Recipe { data: None, ..recipe(&some, 0.2) }));
    let mut spoiled = trained((recipe(&some, 0.2), &some), 2);
    let mut parameters = spoiled.weights.as_ref().unwrap().parameters.clone();
    parameters.iter_mut().step_by(3).for_each(|v| *v = f32::NAN);
    let finding = finding::test(
        &Network::from_parameters(&spoiled.table, &parameters).unwrap(),
        Sets { test: &some, train: &some, in_order: false },
    )
    .unwrap();
    spoiled.apply(1, Update::Found(2, Box::new(finding)), Instant::now());
    lives.push(spoiled);
    let mut zero = trained((recipe(&some, 0.2), &some), 2);
    let silent = Arrays { y: vec![0.0; some.y.len()], ..some };
    let finding = finding::test(
        &Network::from_parameters(&zero.table, &zero.weights.as_ref().unwrap().parameters).unwrap(),
        Sets { test: &silent, train: &silent, in_order: false },
    )
    .unwrap();
    zero.apply(1, Update::Found(2, Box::new(finding)), Instant::now());
    lives.push(zero);
    lives
}

#[test]
fn any_file_and_size_is_drawn() {
    for live in odd().into_iter().map(Rc::new) {
        let mut view = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
        for (i, size) in [
            vec2(0.01, 0.01),
            vec2(40.0, 30.0),
            vec2(300.0, 90.0),
            PHONE,
            vec2(950.0, 500.0),
            DESKTOP,
            vec2(2560.0, 1440.0),
        ]
        .into_iter()
        .enumerate()
        {
            view.state_mut().tab = if i == 4 { Tab::DISCOVER } else { Tab::CONTEXT };
            view.set_size(size);
            view.run_ok();
            for part in [
                vec2(0.35, 0.3),
                vec2(0.5, 0.5),
                vec2(0.35, 0.85),
                vec2(0.7, 0.85),
                vec2(0.7, 0.25),
            ] {
                view.hover_at((size * part).to_pos2());
                view.step();
            }
            for name in ["One test sequence over time", "Error at each time step"] {
                if let Some(node) = view.query_by_label(name) {
                    node.focus();
                    view.run_ok();
                    for key in [
                        Key::ArrowRight,
                        Key::ArrowDown,
                        Key::PageDown,
                        Key::ArrowLeft,
                        Key::PageUp,
                    ] {
                        press(&mut view, key);
                    }
                }
            }
        }
    }
}

#[test]
fn without_a_test_it_says_so() {
    let some = arrays(20, [5, 2], 0.0, Mask::None);
    let live = Rc::new(trained((recipe(&some, 0.0), &some), 2));
    let view = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
    assert!(
        says(&view, "No sequences were kept for a test.")
            && says(&view, "20: 20 to train on, 0 for the test")
    );
    assert!(says(&view, "the test fraction says how many are"));
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let tall: Vec2 = vec2(390.0, 1500.0);
    for (name, arrays, steps) in [
        ("file-plain", arrays(300, [16, 3], 0.3, Mask::None), 1500),
        ("file-few", arrays(40, [12, 2], 0.3, Mask::Weights), 1500),
        ("file-last", arrays(200, [24, 4], 0.0, Mask::Last(8)), 800),
        ("file-wide", arrays(60, [64, 12], 0.0, Mask::None), 60),
    ] {
        if !name.contains(&only) {
            continue;
        }
        let live = Rc::new(trained((recipe(&arrays, 0.25), &arrays), steps));
        println!("{name}: {:#?}", found(&live).sentences());
        drawn(&format!("{name}-light"), window(&live, Tab::CONTEXT), DESKTOP, false, |_| ());
        drawn(&format!("{name}-discover"), window(&live, Tab::DISCOVER), DESKTOP, true, |_| ());
        drawn(&format!("{name}-phone"), window(&live, Tab::CONTEXT), PHONE, false, |_| ());
        drawn(&format!("{name}-tall"), window(&live, Tab::CONTEXT), tall, true, |_| ());
        drawn(&format!("{name}-keys"), window(&live, Tab::CONTEXT), DESKTOP, true, |view| {
            view.get_by_label("One test sequence over time").focus();
            view.run_ok();
            for key in [Key::ArrowDown, Key::PageDown].into_iter().chain([Key::ArrowRight; 5]) {
                press(view, key);
            }
        });
    }
}
