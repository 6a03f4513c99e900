//! The In context view, driven by its labels; and pictures of it in `target/screenshots/` (with an
//! adapter, lavapipe will do): `ONLY=regression cargo test --test context_view -- --ignored` draws
//! those whose name contains that.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::analysis::finding::{self, Finding};
use gatelens::model::Network;
use gatelens::recipe::preset;
use gatelens::recipe::{Gating, Recipe, TaskName};
use gatelens::run::live::Live;
use gatelens::run::runner::Update;
use gatelens::task::Task;
use gatelens::theory::gradient_step;
use gatelens::ui::{Action, Tab};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};
use web_time::Instant;

fn recipe(name: &str, gating: Gating) -> Recipe {
    Recipe { gating, ..preset::find(name).unwrap().recipe }
}

/// Less to compute.
fn small(name: &str, gating: Gating) -> Recipe {
    Recipe {
        batch: 32,
        hidden: 16,
        gates: 16,
        dim: 2,
        outputs: 2,
        pairs: 5,
        ..recipe(name, gating)
    }
}

fn window(live: &Rc<Live>, tab: Tab) -> Window {
    let preset = if live.recipe.task == TaskName::Recall { "recall" } else { "regression" };
    Window { tab, preset, ..Window::new(live) }
}

#[test]
fn what_is_said_is_what_was_measured() {
    for name in ["regression", "recall"] {
        for gating in [Gating::Output, Gating::Side] {
            let live = Rc::new(trained(small(name, gating), 150));
            let (step, finding) = live.finding.clone().expect("the task has a finding");
            let window = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
            for sentence in finding.sentences() {
                let shown = sentence
                    .replace(" %", "\u{a0}%")
                    .replace("x_i", "xᵢ")
                    .replace("y_k", "yₖ")
                    .replace('-', "−");
                assert!(says(&window, &shown), "{name}: {shown}");
            }
            let count = match &finding {
                Finding::Regression { losses, .. } => losses.sequences,
                Finding::Recall { recalled, .. } => recalled.sequences,
                Finding::Test(_) => unreachable!("no file is trained on"),
            };
            assert!(says(
                &window,
                &format!("Measured at step {step} on {count} unseen sequences.")
            ));
            match &finding {
                Finding::Regression { losses, coefficients, .. } => {
                    assert!(says(&window, &format!("as in training: {:.5}", losses.network)));
                    assert!(says(
                        &window,
                        &format!("η* = {:.5}", coefficients.as_ref().unwrap().best_step_size)
                    ));
                    let Task::Regression(task) = live.recipe.task() else { unreachable!() };
                    let best = gradient_step::best_step_size(task);
                    assert!(says(
                        &window,
                        &format!(
                            "{best:.5}. Its loss is ½ (1 − T η*) = {:.5}.",
                            gradient_step::expected_loss(task, best)
                        )
                    ));
                    assert!(says(
                        &window,
                        "A gradient step can be built from 4 with λ\u{a0}=\u{a0}1"
                    ));
                }
                Finding::Recall { recalled, .. } => {
                    assert!(says(
                        &window,
                        &format!(
                            "{:.1}\u{a0}% right, where guessing has 20.0\u{a0}%",
                            100.0 * recalled.accuracy
                        )
                    ));
                    assert!(says(&window, "can be built from 25 with λ\u{a0}=\u{a0}1"));
                }
                Finding::Test(_) => unreachable!("no file is trained on"),
            }
            let census = live.weights.as_ref().unwrap().importance.census(0.01);
            assert!(says(&window, &format!("Right now {} neuron", census.key_value)));
        }
    }
}

#[test]
fn every_picture_is_saved() {
    let regression = [
        ("Loss", "loss.svg", "one gradient step"),
        ("On unseen sequences", "context-losses.svg", "as in training"),
        ("One sequence", "context-sequence.svg", "query"),
        ("What one example adds", "context-coefficients.svg", "η*"),
        ("The implied map", "context-implied.svg", "difference"),
    ];
    let recall = [
        ("Loss", "loss.svg", "chance"),
        ("What the answer rests on", "context-parts.svg", "memory × query"),
        ("One sequence", "context-recall.svg", "softmax of the answer"),
    ];
    for (task, cards) in [("regression", &regression[..]), ("recall", &recall[..])] {
        let live = Rc::new(trained(small(task, Gating::Output), 40));
        for size in [DESKTOP, PHONE] {
            let mut view = harness(window(&live, Tab::CONTEXT), size, true);
            for (card, name, text) in cards {
                let button = format!("Save as SVG: {card}");
                view.get_by_label(&button).scroll_to_me();
                view.run_ok();
                view.get_by_label(&button).click();
                view.run_ok();
                match view.state_mut().actions.pop() {
                    Some(Action::Export(file, bytes)) => {
                        let svg = String::from_utf8(bytes).unwrap();
                        assert!(
                            file == *name
                                && svg.ends_with("</svg>\n")
                                && svg.contains(text)
                                && !svg.contains(">SVG<"),
                            "{file}: {svg}"
                        );
                    }
                    other => panic!("{card}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn an_attention_training_is_offered_the_two_tasks() {
    let live = Rc::new(trained(quick(), 20));
    for (size, name) in [(DESKTOP, "regression"), (PHONE, "recall")] {
        let mut window = harness(Window { tab: Tab::CONTEXT, ..Window::new(&live) }, size, false);
        assert!(says(&window, "there are none: its sequences are all of one kind"));
        window.get_by_label(&preset::find(name).unwrap().title).click();
        window.run_ok();
        assert_eq!(window.state().actions, [Action::Preset(name.into())]);
    }
}

#[test]
fn the_views_lead_to_each_other() {
    let live = Rc::new(trained(small("regression", Gating::Output), 20));
    let mut discover = harness(window(&live, Tab::DISCOVER), DESKTOP, false);
    discover.get_by_label("In context →").click();
    discover.run_ok();
    assert_eq!(discover.state().actions, [Action::Tab(Tab::CONTEXT)]);
    let mut context = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
    context.get_by_label("Its neurons and gates, in Discover →").click();
    context.run_ok();
    context.get_by_label("The same with side gating →").click();
    context.run_ok();
    assert_eq!(context.state().actions, [Action::Tab(Tab::DISCOVER), Action::Restart]);
    assert_eq!(context.state().draft, Recipe { gating: Gating::Side, ..live.recipe.clone() });
    context.state_mut().actions.clear();
    for (key, action) in [
        (Key::Num4, Action::Tab(Tab::CONTEXT)),
        (Key::Space, Action::Run(false)),
        (Key::R, Action::Restart),
    ] {
        context.key_press_modifiers(Modifiers::NONE, key);
        context.run_ok();
        assert_eq!(context.state_mut().actions.pop(), Some(action));
    }
}

/// Discover speaks of the task that runs, and of no other.
#[test]
fn discover_stays_true() {
    for (name, own) in
        [("regression", "one step of gradient descent"), ("recall", "where guessing has")]
    {
        for gating in [Gating::Output, Gating::Side] {
            for size in [DESKTOP, PHONE] {
                let live = Rc::new(trained(small(name, gating), 60));
                let window = harness(window(&live, Tab::DISCOVER), size, false);
                assert!(says(&window, own), "{name}");
                for strange in [
                    "nMSE",
                    "Linear attention of width",
                    "imitate",
                    "Outputs on one sequence",
                    "off by",
                ] {
                    let said = window.query_all_by_label_contains(strange).next();
                    assert!(said.is_none(), "{name}: {strange}");
                }
            }
        }
    }
}

#[test]
fn settings_are_those_of_the_task() {
    let live = Rc::new(trained(quick(), 20));
    let mut window = harness(Window::new(&live), vec2(1280.0, 1100.0), false);
    assert!(says(&window, "Teacher rank") && !says(&window, "Variance of W"));
    let choose = |window: &mut Harness<'_, Window>, word: &str| {
        window
            .get_all_by_label("Task")
            .find(|node| {
                egui_kittest::kittest::NodeT::accesskit_node(node).role() != egui::Role::Label
            })
            .unwrap()
            .click();
        window.run_ok();
        window.get_by_label(word).click();
        window.run_ok();
    };
    choose(&mut window, "regression");
    assert_eq!(
        window.state().draft,
        Recipe { seed: live.recipe.seed, ..recipe("regression", Gating::Output) }
    );
    assert!(says(&window, "Variance of W") && !says(&window, "Teacher rank"));
    assert!(says(&window, "restart to apply"));
    choose(&mut window, "recall");
    assert!(
        says(&window, "Pairs") && !says(&window, "Variance of W") && !says(&window, "Input width")
    );
    assert!(window.state().draft.check().is_ok());
    window.get_by_label("Keep as it runs").click();
    window.run_ok();
    assert_eq!(window.state().draft, live.recipe);
    choose(&mut window, "recall");
    choose(&mut window, "attention");
    assert_eq!(window.state().draft, live.recipe, "back to what runs");
}

/// Networks before their first step, of the smallest and of large sizes, and with numbers that are
/// none.
fn odd() -> Vec<Live> {
    let mut lives = vec![];
    for gating in [Gating::Output, Gating::Side] {
        for name in ["regression", "recall"] {
            lives.push(Live::new(1, recipe(name, gating)));
            lives.push(trained(
                Recipe {
                    dim: 1,
                    outputs: 1,
                    pairs: 1,
                    hidden: 1,
                    gates: 1,
                    batch: 1,
                    ..recipe(name, gating)
                },
                1,
            ));
            lives.push(trained(small(name, gating), 30));
            lives.push(spoiled(trained(small(name, gating), 2)));
        }
        lives.push(trained(
            Recipe {
                dim: 24,
                outputs: 12,
                pairs: 200,
                batch: 1,
                hidden: 4,
                gates: 4,
                ..recipe("regression", gating)
            },
            1,
        ));
        lives.push(trained(
            Recipe {
                dim: 8,
                outputs: 8,
                pairs: 20,
                batch: 1,
                hidden: 4,
                gates: 4,
                noise: 0.5,
                weight_variance: 2.0,
                ..recipe("regression", gating)
            },
            1,
        ));
        lives.push(trained(
            Recipe { pairs: 32, batch: 1, hidden: 40, gates: 120, ..recipe("recall", gating) },
            1,
        ));
    }
    lives
}

/// A finding of weights that are no numbers.
fn spoiled(mut live: Live) -> Live {
    let mut parameters = live.weights.as_ref().unwrap().parameters.clone();
    parameters.iter_mut().step_by(3).for_each(|v| *v = f32::NAN);
    parameters.iter_mut().skip(1).step_by(3).for_each(|v| *v = f32::INFINITY);
    let network = Network::from_parameters(&live.table, &parameters).unwrap();
    let finding = finding::find(&network, live.recipe.task(), 8, 1).unwrap();
    live.apply(1, Update::Found(3, Box::new(finding)), Instant::now());
    live
}

#[test]
fn any_size_is_drawn() {
    for live in odd().into_iter().map(Rc::new) {
        let mut window = harness(window(&live, Tab::CONTEXT), DESKTOP, false);
        let small = [vec2(0.01, 0.01), vec2(1.0, 1.0), vec2(40.0, 30.0), vec2(300.0, 90.0)];
        let usual = [PHONE, vec2(950.0, 500.0), DESKTOP, vec2(2560.0, 1440.0)];
        for (i, size) in small.into_iter().chain(usual).enumerate() {
            window.state_mut().tab = if i == 5 { Tab::DISCOVER } else { Tab::CONTEXT };
            window.set_size(size);
            window.run_ok();
            for part in
                [vec2(0.35, 0.3), vec2(0.5, 0.5), vec2(0.35, 0.8), vec2(0.6, 0.8), vec2(0.7, 0.25)]
            {
                window.hover_at((size * part).to_pos2());
                window.step();
            }
            window.ctx.set_theme(if i % 2 == 0 { egui::Theme::Dark } else { egui::Theme::Light });
            window.run_ok();
        }
    }
}

#[test]
fn on_a_phone_all_is_reached_by_scrolling() {
    for (name, parts) in [
        (
            "regression",
            [
                "One sequence of the regression",
                "Coefficients of the one-token polynomial",
                "Implied weights and a gradient step's",
                "Learning rate",
            ],
        ),
        (
            "recall",
            ["memory × query", "One sequence of the recall", "Weight decay", "Learning rate"],
        ),
    ] {
        let live = Rc::new(trained(small(name, Gating::Output), 30));
        let mut window = harness(window(&live, Tab::CONTEXT), PHONE, false);
        for part in parts {
            window.get_all_by_label(part).next().unwrap().scroll_to_me();
            window.run_ok();
            let rect = window.get_all_by_label(part).next().unwrap().rect();
            assert!(
                rect.top() >= 0.0 && rect.top() < PHONE.y && rect.right() <= PHONE.x + 0.5,
                "{part}: {rect}"
            );
        }
    }
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let tall: Vec2 = vec2(390.0, 1560.0);
    for (preset, gating, steps, short) in [
        ("regression", Gating::Output, 8000, "regression"),
        ("regression", Gating::Side, 1000, "regression-side"),
        ("recall", Gating::Output, 2000, "recall"),
        ("recall", Gating::Side, 2000, "recall-side"),
    ] {
        if !wanted(short) {
            continue;
        }
        let live = Rc::new(trained(Recipe { steps, ..recipe(preset, gating) }, u64::from(steps)));
        if let Some((_, finding)) = &live.finding {
            println!("{short}: {:#?}", finding.sentences());
        }
        drawn(
            &format!("context-{short}-light"),
            window(&live, Tab::CONTEXT),
            DESKTOP,
            false,
            |_| (),
        );
        drawn(&format!("context-{short}-dark"), window(&live, Tab::CONTEXT), DESKTOP, true, |_| ());
        drawn(&format!("context-{short}-phone"), window(&live, Tab::CONTEXT), PHONE, false, |_| ());
        drawn(&format!("context-{short}-tall"), window(&live, Tab::CONTEXT), tall, true, |_| ());
        drawn(
            &format!("context-{short}-middle"),
            window(&live, Tab::CONTEXT),
            vec2(1000.0, 1000.0),
            false,
            |_| (),
        );
        drawn(
            &format!("context-{short}-discover"),
            window(&live, Tab::DISCOVER),
            DESKTOP,
            false,
            |_| (),
        );
        for (place, at) in [
            ("table", vec2(400.0, 620.0)),
            ("sequence", vec2(900.0, 450.0)),
            ("right", vec2(800.0, 650.0)),
            ("top", vec2(760.0, 230.0)),
        ] {
            drawn(
                &format!("context-{short}-hover-{place}"),
                window(&live, Tab::CONTEXT),
                DESKTOP,
                place == "table",
                |window| window.hover_at(at.to_pos2()),
            );
        }
    }
    if wanted("odd") {
        for (i, live) in odd().into_iter().enumerate() {
            drawn(
                &format!("context-odd-{i}"),
                window(&Rc::new(live), Tab::CONTEXT),
                DESKTOP,
                i % 2 == 0,
                |_| (),
            );
        }
    }
    if wanted("empty") {
        let live = Rc::new(trained(quick(), 200));
        for (kind, size) in [("desktop", DESKTOP), ("phone", PHONE)] {
            drawn(
                &format!("context-empty-{kind}"),
                Window { tab: Tab::CONTEXT, ..Window::new(&live) },
                size,
                kind == "phone",
                |_| (),
            );
        }
    }
}
