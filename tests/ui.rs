//! The window's content, driven by its labels and keys; and pictures of it in `target/screenshots/`
//! (with an adapter, lavapipe will do): `ONLY=late-desktop cargo test --test ui -- --ignored` draws
//! those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, pos2, vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT as _, Queryable},
};
use gatelens::Error;
use gatelens::backend::StepLoss;
use gatelens::recipe::{Recipe, preset};
use gatelens::run::live::{End, Live, Weights};
use gatelens::run::notice::Notice;
use gatelens::run::runner::Update;
use gatelens::train::session::Event;
use gatelens::ui::{Action, Message, ResumeOffer};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};
use web_time::Instant;

/// The control of that name, not the text beside it.
fn control<'a>(harness: &'a Harness<'_, Window>, name: &'a str) -> egui_kittest::Node<'a> {
    let mut found = harness
        .get_all_by_label(name)
        .filter(|node| node.accesskit_node().role() != egui::Role::Label);
    found.next().unwrap_or_else(|| panic!("no control {name}"))
}

/// What clicking the control of that name asks for.
fn click(harness: &mut Harness<'_, Window>, name: &str) -> Vec<Action> {
    harness.state_mut().actions.clear();
    control(harness, name).click();
    harness.run_ok();
    std::mem::take(&mut harness.state_mut().actions)
}

/// What pressing the key asks for.
fn press(harness: &mut Harness<'_, Window>, modifiers: Modifiers, key: Key) -> Vec<Action> {
    harness.state_mut().actions.clear();
    harness.key_press_modifiers(modifiers, key);
    harness.run_ok();
    std::mem::take(&mut harness.state_mut().actions)
}

fn on_cpu() -> Message {
    Notice::OnCpu(Error::NoGpu("this browser has no WebGPU".into())).into()
}

fn running() -> Rc<Live> {
    Rc::new(trained(quick(), 40))
}

#[test]
fn buttons_ask_for_what_they_say() {
    let mut harness = harness(Window::new(&running()), DESKTOP, false);
    for (name, action) in [
        ("Pause", Action::Run(false)),
        ("Single step", Action::Steps(1)),
        ("100 steps", Action::Steps(100)),
        ("Reset to the same initial weights", Action::Restart),
        ("Reseed: new teacher, weights and data", Action::Reseed),
        ("Share", Action::CopyLink),
        ("Save", Action::Save),
        ("Open", Action::Open),
    ] {
        assert_eq!(click(&mut harness, name), [action], "{name}");
    }
    assert_eq!(click(&mut harness, "Experiment"), []);
    assert_eq!(click(&mut harness, "Side gating"), [Action::Preset("side".into())]);
}

#[test]
fn a_paused_run_plays_and_a_finished_one_starts_again() {
    let mut live = trained(quick(), 40);
    live.apply(1, Update::Running(false), Instant::now());
    let mut window = harness(Window::new(&Rc::new(live)), DESKTOP, false);
    assert_eq!(click(&mut window, "Play"), [Action::Run(true)]);
    assert!(window.query_by_label("paused").is_some());
    let finished = trained(Recipe { steps: 30, ..quick() }, 30);
    let mut window = harness(Window::new(&Rc::new(finished)), DESKTOP, false);
    assert!(window.query_by_label("finished").is_some());
    assert_eq!(click(&mut window, "Start again"), [Action::Restart]);
}

#[test]
fn keys_work_unless_a_text_field_has_them() {
    let mut harness = harness(Window::new(&running()), DESKTOP, false);
    let (none, shift) = (Modifiers::NONE, Modifiers::SHIFT);
    for (modifiers, key, action) in [
        (none, Key::Space, Action::Run(false)),
        (none, Key::ArrowRight, Action::Steps(1)),
        (none, Key::R, Action::Restart),
        (shift, Key::R, Action::Reseed),
    ] {
        assert_eq!(press(&mut harness, modifiers, key), [action]);
    }
    assert_eq!(press(&mut harness, none, Key::Questionmark), []);
    assert!(harness.query_by_label("Shift + R").is_some(), "the help lists the keys");
    press(&mut harness, none, Key::Escape);
    assert!(harness.query_by_label("Shift + R").is_none());
    click(&mut harness, "Decay schedule");
    harness.get_by_label("Decay schedule knots").focus();
    harness.run_ok();
    assert_eq!(press(&mut harness, none, Key::R), [], "typed into the field");
}

#[test]
fn a_structural_setting_waits_for_a_restart() {
    let mut window = harness(Window::new(&running()), DESKTOP, false);
    assert!(window.query_by_label("Restart").is_none());
    window.state_mut().draft.hidden = 20;
    window.run_ok();
    assert!(window.query_by_label_contains("restart to apply: n").is_some());
    assert_eq!(click(&mut window, "Restart"), [Action::Restart]);
    click(&mut window, "Keep as it runs");
    assert_eq!(window.state().draft, window.state().live.recipe);
    window.state_mut().draft.rank = 5; // d is 2
    window.run_ok();
    assert!(window.query_by_label_contains("at most d = 2").is_some(), "says what is wrong");
    assert_eq!(click(&mut window, "Restart"), [], "and cannot be started");
}

#[test]
fn settings_are_edited_and_set_back() {
    let mut window = harness(Window::new(&running()), DESKTOP, false);
    for (name, text) in [("Learning rate", "0.0123456"), ("Weight decay", "0.5")] {
        window.state_mut().actions.clear();
        control(&window, name).focus();
        window.run_ok();
        control(&window, name).set_text_value_accesskit(text);
        window.run_ok();
        window.key_press(Key::Enter);
        window.run_ok();
        assert!(
            window.state().actions.contains(&Action::Rates),
            "{name}: {:?}",
            window.state().actions
        );
    }
    assert_eq!(
        (window.state().draft.learning_rate, window.state().draft.weight_decay),
        (0.012_345_6, 0.5),
        "every digit"
    );
    assert!(window.query_by_label("Restart").is_none(), "both take effect at once");
    click(&mut window, "Default Learning rate");
    assert_eq!(window.state().draft.learning_rate, 0.02, "the preset's");
    click(&mut window, "Gating");
    click(&mut window, "side");
    assert_eq!(window.state().draft.gating, gatelens::recipe::Gating::Side);
}

#[test]
fn schedules_are_words_or_knots_and_errors_are_said() {
    let mut window = harness(Window::new(&running()), DESKTOP, false);
    click(&mut window, "Rate schedule");
    window.get_by_label("Rate schedule knots").focus();
    window.get_by_label("Rate schedule knots").set_text_value_accesskit("0:1,0.5");
    window.run_ok();
    let before = window.state().draft.rate_schedule.to_string();
    assert!(window.query_by_label_contains("up to 8 knots").is_some());
    assert_eq!(before, quick().rate_schedule.to_string(), "a bad one changes nothing");
    window.get_by_label("Rate schedule knots").set_text_value_accesskit("0:1,0.5:0.1");
    window.run_ok();
    assert_eq!(window.state().draft.rate_schedule.to_string(), "0:1,0.5:0.1");
    click(&mut window, "linear");
    assert_eq!(window.state().draft.rate_schedule.to_string(), "linear");
}

#[test]
fn a_diverged_run_offers_the_way_back() {
    // A rate that no network survives.
    let live = trained(
        Recipe { learning_rate: 10.0, rate_schedule: "constant".parse().unwrap(), ..quick() },
        4000,
    );
    assert!(matches!(live.end, Some(End::Diverged(_))), "{:?}", live.end);
    let mut window = harness(Window::new(&Rc::new(live)), DESKTOP, true);
    assert!(window.query_by_label_contains("The loss stopped being a number at step").is_some());
    assert!(window.query_by_label("diverged").is_some());
    let back = window.state().live.good.as_ref().map_or(0, |snapshot| snapshot.step);
    let name = format!("Go back to step {back} with a tenth of the learning rate");
    assert_eq!(click(&mut window, &name), [Action::Rescue]);
}

#[test]
fn a_failure_offers_two_ways_on() {
    let mut live = Live::new(1, quick());
    live.apply(1, Update::Failed(Error::DeviceLost("it was unplugged".into())), Instant::now());
    let mut window = harness(Window::new(&Rc::new(live)), DESKTOP, false);
    assert!(window.query_by_label_contains("it was unplugged").is_some());
    assert_eq!(click(&mut window, "Retry"), [Action::Retry]);
    assert_eq!(click(&mut window, "On the CPU"), [Action::OnCpu]);
}

#[test]
fn messages_links_and_offers_can_be_answered() {
    let messages = vec![Message::warning("hidden: 4000 — expected a whole number"), on_cpu()];
    let resume = Some(ResumeOffer { step: 1200, title: "Side gating".into(), file: None });
    let mut window =
        harness(Window { messages, resume, web: true, ..Window::new(&running()) }, DESKTOP, false);
    assert_eq!(click(&mut window, "Go on from there"), [Action::Resume(true)]);
    assert_eq!(click(&mut window, "Forget it"), [Action::Resume(false)]);
    window.get_all_by_label("How to get the GPU").next().unwrap().click();
    window.run_ok();
    assert!(window.query_by_label("Chrome on Linux").is_some());
    window.key_press(Key::Escape);
    window.run_ok();
    window.get_all_by_label("Dismiss").next().unwrap().click();
    window.run_ok();
    assert_eq!(window.state().messages, [on_cpu()]);
    window.state_mut().messages.clear();
    window.state_mut().link = Some("http://here/#v=1".into());
    window.run_ok();
    click(&mut window, "Dismiss");
    assert!(window.query_by_label_contains("The clipboard is closed").is_none());
}

#[test]
fn any_size_is_drawn() {
    let mut large = Recipe { dim: 64, hidden: 512, gates: 512, batch: 1, time: 4, ..quick() };
    let lives = [
        Live::new(1, quick()),
        trained(quick(), 40),
        trained(Recipe { dim: 1, hidden: 1, gates: 1, time: 1, batch: 1, ..quick() }, 3),
        trained(preset::find("side").unwrap().recipe, 5),
        trained(large.clone(), 1),
        trained(
            {
                large.gating = gatelens::recipe::Gating::Side;
                large
            },
            1,
        ),
    ];
    for live in lives.map(Rc::new) {
        let mut window = harness(Window::new(&live), DESKTOP, false);
        let small = [vec2(0.01, 0.01), vec2(1.0, 1.0), vec2(40.0, 30.0), vec2(300.0, 90.0)];
        let usual = [PHONE, vec2(950.0, 500.0), DESKTOP, vec2(2560.0, 1440.0)];
        for (i, size) in small.into_iter().chain(usual).enumerate() {
            window.set_size(size);
            window.run_ok();
            window.hover_at((size * 0.5).to_pos2());
            window.step();
            window.ctx.set_theme(if i % 2 == 0 { egui::Theme::Dark } else { egui::Theme::Light });
            window.run_ok();
        }
    }
}

#[test]
fn numbers_that_are_none_are_drawn_too() {
    let mut live = trained(quick(), 20);
    let mut parameters = live.weights.clone().unwrap().parameters;
    parameters.iter_mut().step_by(3).for_each(|v| *v = f32::NAN);
    parameters.iter_mut().skip(1).step_by(3).for_each(|v| *v = f32::INFINITY);
    live.apply(1, Update::Event(Event::Weights { step: 21, parameters }), Instant::now());
    let mut probe = live.probe.clone().unwrap();
    [&mut probe.student, &mut probe.student_shares, &mut probe.teacher]
        .into_iter()
        .for_each(|values| values.fill(f32::NAN));
    live.apply(1, Update::Probe(probe), Instant::now());
    let losses = vec![
        StepLoss { loss: f32::NAN, power: 0.0 },
        StepLoss { loss: f32::INFINITY, power: f32::NAN },
    ];
    live.apply(1, Update::Event(Event::Losses { first: 21, losses }), Instant::now());
    live.apply(1, Update::Event(Event::Diverged(21)), Instant::now());
    let live = Rc::new(live);
    let is_none = |text: &str| {
        text.split(|letter: char| !letter.is_alphabetic())
            .any(|word| ["NaN", "inf"].contains(&word))
    };
    for (size, dark) in [(DESKTOP, false), (DESKTOP, true), (PHONE, false), (PHONE, true)] {
        let mut window = harness(Window::new(&live), size, dark);
        assert!(says(&window, "The loss stopped being a number at step 21"));
        assert!(!says(&window, "Right now"), "nothing is counted of weights that are no numbers");
        let said = window.query_all_by(|_| true).filter_map(|node| node.value());
        assert_eq!(said.filter(|text| is_none(text)).collect::<Vec<_>>(), [""; 0]);
        for i in 0..40 {
            window.hover_at(pos2(size.x * (i % 8) as f32 / 8.0, size.y * (i / 8) as f32 / 5.0));
            window.step();
        }
        window.run_ok();
        let primitives = window.ctx.tessellate(window.output().shapes.clone(), 1.0);
        assert!(vertices(&primitives).all(|vertex| vertex.pos.is_finite()), "drawn nowhere");
        assert!(vertices(&primitives).count() > 1000);
    }
}

/// All corners that a frame is drawn with.
fn vertices(primitives: &[egui::ClippedPrimitive]) -> impl Iterator<Item = &egui::epaint::Vertex> {
    primitives.iter().flat_map(|clipped| match &clipped.primitive {
        egui::epaint::Primitive::Mesh(mesh) => mesh.vertices.iter(),
        egui::epaint::Primitive::Callback(_) => [].iter(),
    })
}

#[test]
fn on_a_phone_all_is_reached_by_scrolling() {
    let mut window = harness(Window::new(&running()), PHONE, false);
    for name in ["Pause", "Single step", "File"] {
        let rect = control(&window, name).rect();
        assert!(rect.height() >= 32.0 && rect.right() <= PHONE.x, "{name}: {rect}");
    }
    for name in ["The network's weights", "Student's contributions", "Learning rate"] {
        control(&window, name).scroll_to_me();
        window.run_ok();
        let rect = control(&window, name).rect();
        assert!(
            rect.top() >= 0.0 && rect.top() < PHONE.y && rect.right() <= PHONE.x,
            "{name}: {rect}"
        );
    }
    click(&mut window, "File");
    assert_eq!(click(&mut window, "Save"), [Action::Save]);
}

#[test]
fn what_is_said_is_what_was_measured() {
    let window = harness(Window::new(&running()), DESKTOP, false);
    let census = window.state().live.weights.as_ref().unwrap().importance.census(0.01);
    let said = window.get_by_label_contains("Right now").value().unwrap_or_default();
    assert!(
        said.contains(&format!("{} neuron", census.key_value))
            && said.contains("can be built from 3 and 2."),
        "{said}"
    );
    let empty = harness(Window::new(&Rc::new(Live::new(1, quick()))), DESKTOP, false);
    assert!(
        empty.query_by_label_contains("Right now").is_none(),
        "nothing is said before there are weights"
    );
}

#[test]
fn large_networks_take_few_shapes() {
    let recipe = Recipe { dim: 16, hidden: 512, gates: 512, batch: 1, time: 8, ..quick() };
    let mut window = harness(Window::new(&Rc::new(trained(recipe, 2))), DESKTOP, false);
    let mut frame = |news: bool| {
        if news {
            let live = Rc::get_mut(&mut window.state_mut().live).unwrap();
            let Weights { step, parameters, .. } = live.weights.clone().unwrap();
            live.apply(
                1,
                Update::Event(Event::Weights { step: step + 1, parameters }),
                Instant::now(),
            );
        }
        let started = Instant::now();
        window.step();
        let time = started.elapsed().as_secs_f64() * 1e3;
        let primitives = window.ctx.tessellate(window.output().shapes.clone(), 1.0);
        (time, vertices(&primitives).count())
    };
    for news in [false, true, false] {
        let (time, corners) = frame(news);
        println!("n = m = 512: {time:.1} ms a frame of {corners} corners, new weights {news}");
        // Each of the 40 thousand weights as a line of its own would take some hundred thousand.
        assert!((1000..60_000).contains(&corners), "{corners} corners");
    }
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let presets = |name: &str| preset::find(name).unwrap().recipe;
    let live = Rc::new(trained(presets("discover"), 1200));
    let said = || {
        let messages = vec![
            Message::warning(
                "hidden: 4000 — expected a whole number from 1 to 512. The rest of the link was read.",
            ),
            on_cpu(),
        ];
        let resume = Some(ResumeOffer { step: 12_345, title: "Side gating".into(), file: None });
        Window {
            messages,
            resume,
            web: true,
            link: Some("https://gatelens.example/#v=1&hidden=20".into()),
            preset: "discover",
            ..Window::new(&live)
        }
    };
    if wanted("banners") {
        let mut failed = Live::new(1, presets("discover"));
        failed.apply(
            1,
            Update::Failed(Error::DeviceLost("the driver restarted".into())),
            Instant::now(),
        );
        for (kind, size) in [("desktop", DESKTOP), ("phone", PHONE)] {
            drawn(&format!("banners-{kind}"), said(), size, false, |_| ());
            drawn(
                &format!("banners-failed-{kind}"),
                Window { web: true, ..Window::new(&Rc::new(Live::new(1, quick()))) },
                size,
                true,
                |_| (),
            );
        }
        drawn("banners-failure", Window::new(&Rc::new(failed)), DESKTOP, false, |_| ());
    }
    for (name, at) in [
        ("hover-network", vec2(700.0, 400.0)),
        ("hover-map", vec2(700.0, 700.0)),
        ("hover-lambda", vec2(800.0, 200.0)),
        ("hover-loss", vec2(450.0, 150.0)),
        ("hover-outputs", vec2(500.0, 680.0)),
        ("hover-setting", vec2(70.0, 443.0)),
    ] {
        if wanted(name) {
            drawn(
                name,
                Window { preset: "discover", ..Window::new(&live) },
                DESKTOP,
                name.len() % 2 == 0,
                |window| window.hover_at(at.to_pos2()),
            );
        }
    }
    for (name, label) in
        [("open-schedule", "Decay schedule"), ("open-preset", "Experiment"), ("open-help", "?")]
    {
        if wanted(name) {
            drawn(
                name,
                Window { preset: "discover", ..Window::new(&live) },
                DESKTOP,
                name.len() % 2 == 0,
                |window| control(window, label).click(),
            );
        }
    }
    if wanted("changed") {
        let mut window = Window { preset: "discover", ..Window::new(&live) };
        (window.draft.hidden, window.draft.time, window.draft.learning_rate) = (20, 16, 0.0025);
        drawn("changed", window, DESKTOP, true, |_| ());
    }
    for size in [vec2(390.0, 2600.0), vec2(1000.0, 700.0), vec2(1920.0, 1080.0)] {
        if wanted("sizes") {
            drawn(
                &format!("sizes-{}", size.x),
                Window { preset: "discover", ..Window::new(&live) },
                size,
                false,
                |_| (),
            );
        }
    }
    for (name, preset, steps) in [
        ("early", "discover", 60),
        ("middle", "discover", 3_000),
        ("late", "discover", 15_000),
        ("side", "side", 6_000),
        ("paper", "paper", 2_000),
        ("rank", "low-rank", 6_000),
        ("quick", "quick", 6_000),
    ] {
        if !["desktop-light", "desktop-dark", "phone-light", "phone-dark"]
            .iter()
            .any(|kind| wanted(&format!("{name}-{kind}")))
        {
            continue;
        }
        let live = Rc::new(trained(presets(preset), steps));
        for dark in [false, true] {
            let theme = if dark { "dark" } else { "light" };
            for (kind, size) in [("desktop", DESKTOP), ("phone", PHONE)] {
                let name = format!("{name}-{kind}-{theme}");
                if wanted(&name) {
                    drawn(&name, Window { preset, ..Window::new(&live) }, size, dark, |_| ());
                }
            }
        }
    }
}
