//! The Sweep view, driven by its labels; and pictures of it in `target/screenshots/` (with an
//! adapter, lavapipe will do): `ONLY=3a cargo test --test sweep_view -- --ignored` draws those
//! whose name contains that. The runs are made up, not trained.
#![cfg(feature = "app")]

mod support {
    pub mod sweeps;
    pub mod trained;
    pub mod window;
}

use eframe::egui::{self, Key, Modifiers, Role, Vec2, pos2, vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use gatelens::recipe::Recipe;
use gatelens::sweep::queue::Queue;
use gatelens::ui::{Action, Tab};
use gatelens::ui::{Draft, SweepAction, Which};
use std::rc::Rc;
use support::sweeps::{axis, done, fig3a, fig3b, fig3c, half_done, loss_of, sweep};
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};
use web_time::Instant;

fn window(queue: Option<Queue>) -> Window {
    let mut window = Window { tab: Tab::SWEEP, ..Window::new(&Rc::new(trained(quick(), 1))) };
    window.sweeps[Which::Sweep].presets = vec![fig3a(), fig3b(), fig3c()];
    if let Some(queue) = &queue {
        window.sweeps[Which::Sweep].draft = Draft::of(&queue.sweep);
    }
    (window.sweeps[Which::Sweep].queue, window.sweeps[Which::Sweep].revision) = (queue, 1);
    window
}

fn click(harness: &mut Harness<'_, Window>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// What was asked for since the last time.
fn asked(harness: &mut Harness<'_, Window>) -> Vec<SweepAction> {
    let sweep = |action| match action {
        Action::Sweep(Which::Sweep, action) => action,
        other => panic!("{other:?} is nothing of a sweep's"),
    };
    harness.state_mut().actions.drain(..).map(sweep).collect()
}

#[test]
fn what_is_typed_is_what_is_asked_for() {
    let mut window = harness(window(None), DESKTOP, false);
    assert!(says(&window, "SWEEP") && says(&window, "One training is an anecdote"));
    assert!(says(&window, "15 runs: 5 settings × 3 seeds"));
    let values = window.get_by_label("Values of hidden, gates");
    values.focus();
    window.run_ok();
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_ok();
    window.get_by_label("Values of hidden, gates").type_text("8, 12..16/2");
    window.run_ok();
    assert!(says(&window, "12 runs: 4 settings × 3 seeds"));
    click(&mut window, "Start");
    let [SweepAction::Start(sweep)] = &asked(&mut window)[..] else { panic!("one start") };
    assert_eq!(sweep.axes, [axis("hidden,gates", "8, 12, 14, 16"), axis("seed", "1, 2, 3")]);
    assert_eq!(sweep.base().unwrap(), Recipe { seed: sweep.base().unwrap().seed, ..quick() });
}

#[test]
fn errors_stand_where_they_are() {
    let mut start = window(None);
    start.sweeps[Which::Sweep].draft.axes[1].values = "1, x..3".into();
    start.sweeps[Which::Sweep].draft.settings.push(("batch".into(), "many".into()));
    let mut window = harness(start, DESKTOP, false);
    assert!(says(&window, "seed: x..3 — expected"));
    assert!(says(&window, "batch: many — expected a whole number from 1 to 1024"));
    assert!(says(&window, "Mend what is marked below to start."));
    assert!(window.get_by_label("Start").accesskit_node().is_disabled());
    window.state_mut().sweeps[Which::Sweep].draft.axes[1].values = "1".into();
    window.state_mut().sweeps[Which::Sweep].draft.settings[0].1 = "16".into();
    window.run_ok();
    assert!(says(&window, "5 runs"));
    // A value that the parser lets pass and the setting does not.
    window.state_mut().sweeps[Which::Sweep].draft.axes[0].values = "8, 9999".into();
    window.run_ok();
    assert!(says(&window, "hidden: 9999 — expected a whole number from 1 to 512"));
    // Three axes, then two.
    click(&mut window, "Add an axis");
    assert_eq!(window.state().sweeps[Which::Sweep].draft.axes.len(), 3);
    click(&mut window, "Remove axis 1");
    assert_eq!(window.state().sweeps[Which::Sweep].draft.axes[0].keys, ["seed"]);
    click(&mut window, "As in the preset: Batch");
    assert!(window.state().sweeps[Which::Sweep].draft.settings.is_empty());
}

#[test]
fn settings_are_chosen_from_a_list() {
    let mut window = harness(window(None), DESKTOP, false);
    click(&mut window, "Settings of axis 2");
    window.get_by_label("Weight decay (weight_decay)").scroll_to_me();
    window.run_ok();
    click(&mut window, "Weight decay (weight_decay)");
    assert_eq!(window.state().sweeps[Which::Sweep].draft.axes[1].keys, ["seed", "weight_decay"]);
    window.get_by_label("Seed (seed)").scroll_to_me();
    window.run_ok();
    click(&mut window, "Seed (seed)");
    assert_eq!(window.state().sweeps[Which::Sweep].draft.axes[1].keys, ["weight_decay"]);
    assert!(
        window.query_by_label("Variance of W (weight_variance)").is_none(),
        "attention does not look at it"
    );
}

#[test]
fn the_figures_are_a_click_away() {
    for size in [DESKTOP, PHONE] {
        let mut window = harness(window(None), size, false);
        for figure in [fig3a(), fig3b(), fig3c()] {
            window
                .get_all_by_label(&figure.title)
                .find(|node| node.accesskit_node().role() == Role::Button)
                .unwrap()
                .click();
            window.run_ok();
            assert_eq!(window.state().sweeps[Which::Sweep].draft, Draft::of(&figure));
        }
        click(&mut window, "Start 66 runs: 22 settings × 3 seeds");
        assert_eq!(asked(&mut window), [SweepAction::Start(fig3c())]);
    }
}

#[test]
fn large_and_final_things_are_asked_back() {
    let mut start = window(None);
    start.sweeps[Which::Sweep].draft.axes[1].values = "1..300".into();
    let mut window = harness(start, DESKTOP, false);
    assert!(says(&window, "1\u{202f}500 runs: 5 settings × 300 seeds"));
    click(&mut window, "Start");
    assert!(
        says(&window, "It has 1\u{202f}500 runs. Start them?") && asked(&mut window).is_empty()
    );
    click(&mut window, "Leave it");
    assert!(!says(&window, "Start them?") && asked(&mut window).is_empty());
    click(&mut window, "Start");
    click(&mut window, "Start it");
    assert!(
        matches!(&asked(&mut window)[..], [SweepAction::Start(sweep)] if sweep.count() == 1500)
    );

    let mut window = harness(self::window(Some(half_done(fig3b()))), DESKTOP, false);
    click(&mut window, "Clear");
    assert!(
        says(&window, "19 runs are over. Forget all of them?") && asked(&mut window).is_empty()
    );
    window.key_press(Key::Escape);
    window.run_ok();
    assert!(!says(&window, "Forget all of them?") && asked(&mut window).is_empty());
    click(&mut window, "Clear");
    window.get_all_by_label("Clear").last().unwrap().click();
    window.run_ok();
    assert_eq!(asked(&mut window), [SweepAction::Clear]);
}

#[test]
fn a_sweep_is_paused_resumed_and_extended() {
    let queue = half_done(fig3b());
    let mut window = harness(window(Some(queue)), DESKTOP, false);
    assert!(says(&window, "19 of 39 runs over, paused"));
    assert!(says(&window, "hidden=gates=80 seed=2") && says(&window, "4.5k of 24k"));
    click(&mut window, "Resume");
    window.state_mut().sweeps[Which::Sweep].running = true;
    window.run_ok();
    click(&mut window, "Pause");
    window.key_press(Key::Escape);
    window.run_ok();
    assert_eq!(asked(&mut window), [SweepAction::Resume, SweepAction::Pause]);
    assert!(window.query_by_label("Extend").is_none());
    // More seeds: what is over stays.
    window.state_mut().sweeps[Which::Sweep].draft.axes[1].values = "1..4".into();
    window.run_ok();
    assert!(says(&window, "Now 52 runs: 13 settings × 4 seeds; 19 of them over."));
    click(&mut window, "Extend");
    assert!(matches!(&asked(&mut window)[..], [SweepAction::Extend(sweep)] if sweep.count() == 52));
    // Another sweep: nothing of this one is in it.
    click(&mut window, &fig3a().title);
    assert!(says(&window, "another sweep, with no run of this one"));
    click(&mut window, "Start");
    assert!(says(&window, "its 19 runs are forgotten. Start it?"));
    click(&mut window, "Start it");
    assert_eq!(asked(&mut window), [SweepAction::Start(fig3a())]);
    click(&mut window, "Keep as it runs");
    assert_eq!(window.state().sweeps[Which::Sweep].draft, Draft::of(&fig3b()));
}

#[test]
fn keys_work() {
    let mut window = harness(window(Some(half_done(fig3b()))), DESKTOP, false);
    window.key_press(Key::Space);
    window.run_ok();
    window.state_mut().sweeps[Which::Sweep].running = true;
    window.key_press(Key::Space);
    window.run_ok();
    assert_eq!(asked(&mut window), [SweepAction::Resume, SweepAction::Pause]);
    window.key_press_modifiers(Modifiers::NONE, Key::Num5);
    window.run_ok();
    assert_eq!(window.state_mut().actions.pop(), Some(Action::Tab(Tab::SWEEP)));
}

/// The number as it stands on the screen.
fn shown(value: f64) -> String {
    format!("{value:.1e}").replace('-', "−")
}

#[test]
fn a_dot_says_its_runs_numbers() {
    let queue = done(fig3a());
    let run = queue.runs()[0].clone();
    let mut window = harness(window(Some(queue)), DESKTOP, false);
    let plot = window.get_by_label_contains("Final loss of each run").rect();
    let text = format!("final loss {} · nMSE {}", shown(loss_of(&run)), shown(loss_of(&run) / 0.5));
    assert!(!says(&window, &text));
    // The first size stands at the left: go down there until a dot answers.
    let mut y = plot.top();
    while !says(&window, &text) {
        y += 3.0;
        assert!(y < plot.bottom(), "no dot says {text}");
        window.hover_at(pos2(plot.left() + 65.0, y));
        (0..12).for_each(|_| window.step());
    }
    assert!(says(&window, "8 of 8 neurons in use: 6 with λ near 1, 2 near 0; 8 of 8 gates"));
    // Clicking keeps it, and it can be trained.
    window.drag_at(pos2(plot.left() + 65.0, y));
    window.drop_at(pos2(plot.left() + 65.0, y));
    window.run_ok();
    window.hover_at(pos2(5.0, 5.0));
    window.run_ok();
    assert!(says(&window, &text) && says(&window, "THIS RUN"));
    click(&mut window, "Train this in Discover");
    assert_eq!(asked(&mut window), [SweepAction::Open(0)]);
    click(&mut window, "Let go");
    assert!(!says(&window, "THIS RUN"));
}

#[test]
fn the_picture_is_walked_by_keys() {
    let mut window = harness(window(Some(half_done(fig3b()))), DESKTOP, false);
    window.get_by_label_contains("Final loss of each run").focus();
    window.run_ok();
    for (key, name) in [
        (Key::ArrowRight, "hidden=gates=20 seed=1"),
        (Key::ArrowRight, "hidden=gates=30 seed=1"),
        (Key::ArrowUp, "hidden=gates=30 seed=2: diverged at step 700"),
    ] {
        window.key_press(key);
        window.run_ok();
        assert!(says(&window, &format!("Final loss of each run. {name}")), "{name}");
    }
    assert!(says(&window, "diverged at step 700") && says(&window, "17 of 30 neurons in use"));
    window.key_press(Key::Escape);
    window.run_ok();
    assert!(says(&window, "No run is chosen"));
}

/// The runs in the table from top to bottom, as far as they are in sight.
fn rows(window: &Harness<'_, Window>) -> Vec<String> {
    let nodes = window.query_all_by_role(Role::Row);
    let mut rows: Vec<(f32, String)> = nodes
        .map(|node| (node.rect().top(), node.accesskit_node().label().unwrap_or_default()))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|row| row.1.split(':').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_table_sorts_and_its_rows_choose() {
    let queue = half_done(fig3b());
    let mut losses: Vec<(f64, String)> = queue.runs()[..19]
        .iter()
        .map(|run| (loss_of(run), run.name.clone()))
        .filter(|(_, name)| name != "hidden=gates=30 seed=2")
        .collect();
    losses.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut window = harness(window(Some(queue)), DESKTOP, false);
    assert_eq!(
        rows(&window)[..3],
        ["hidden=gates=20 seed=1", "hidden=gates=20 seed=2", "hidden=gates=20 seed=3"]
    );
    click(&mut window, "Sort by loss");
    click(&mut window, "Sort by loss, rising");
    assert!(window.query_by_label("Sort by loss, falling").is_some());
    let names: Vec<String> = losses.into_iter().map(|loss| loss.1).collect();
    let seen = rows(&window);
    // Two are in training; their losses count as well.
    let over: Vec<&String> = seen
        .iter()
        .filter(|name| !name.contains("=80 seed=2") && !name.contains("=80 seed=3"))
        .collect();
    assert!(
        over.len() >= 7 && over.iter().zip(&names).all(|(a, b)| **a == *b),
        "{over:?} instead of {names:?}"
    );
    click(&mut window, "Sort by state");
    assert_eq!(rows(&window)[0], "hidden=gates=30 seed=2", "diverged comes before finished");
    window.get_by_label_contains("hidden=gates=30 seed=2: diverged").focus();
    window.run_ok();
    assert!(says(&window, "Final loss of each run. hidden=gates=30 seed=2"));
    // Down to the end of what is in sight, and on.
    for _ in 0..25 {
        window.key_press(Key::ArrowDown);
        window.run_ok();
    }
    let chosen =
        window.get_by_label_contains("Final loss of each run").accesskit_node().label().unwrap();
    let name = chosen.split(". ").nth(1).unwrap().split(':').next().unwrap().to_owned();
    assert!(
        rows(&window).contains(&name) && name != "hidden=gates=30 seed=2",
        "{name} is in sight"
    );
}

#[test]
fn results_and_the_picture_are_saved() {
    let mut window = harness(window(Some(done(fig3c()))), DESKTOP, false);
    for label in ["Save as CSV: Runs", "Save as JSON: Runs", "Save as SVG: Final loss"] {
        click(&mut window, label);
    }
    let files: Vec<(String, String)> = window
        .state_mut()
        .actions
        .drain(..)
        .map(|action| match action {
            Action::Export(name, bytes) => (name, String::from_utf8(bytes).unwrap()),
            other => panic!("{other:?} saves nothing"),
        })
        .collect();
    assert_eq!(
        files.iter().map(|file| file.0.as_str()).collect::<Vec<_>>(),
        ["sweep-results.csv", "sweep-results.json", "sweep.svg"]
    );
    assert!(files[0].1.contains("hidden=6 gating=output seed=1"));
    for text in [
        "Figure 3C: regression against one gradient step",
        "one gradient step 0.0946",
        "gating = side",
        "Hidden neurons n",
        "minimum 12",
        "minimum 9",
    ] {
        assert!(files[2].1.contains(text), "{text}");
    }
    click(&mut window, "Save definition");
    click(&mut window, "Open…");
    assert_eq!(asked(&mut window), [SweepAction::Save(fig3c()), SweepAction::Load]);
}

#[test]
fn the_guide_says_what_was_measured() {
    let queue = done(fig3c());
    let medians: Vec<f64> = queue
        .runs()
        .chunks(3)
        .map(|seeds| {
            let mut losses: Vec<f64> =
                seeds.iter().map(|run| f64::from(loss_of(run) as f32)).collect();
            losses.sort_by(f64::total_cmp);
            losses[1]
        })
        .collect();
    let least = medians.iter().skip(1).step_by(2).copied().fold(f64::INFINITY, f64::min);
    let window = harness(window(Some(queue)), DESKTOP, false);
    let percent = 100.0 * (least / 0.094_594_594_6 - 1.0);
    let text = format!("The least median is {}, at n = ", shown(least));
    assert!(says(&window, &text), "{text}");
    assert!(
        says(&window, &format!("One gradient step has 0.0946 on average: +{percent:.2}\u{a0}%.")),
        "{percent}"
    );
    assert!(says(&window, "All 66 runs are over."));
}

/// Empty, half done, of one run, of many series, with failures: at any size, pointed at anywhere.
#[test]
fn any_size_is_drawn() {
    let mut failed = half_done(fig3b());
    let mut record = support::sweeps::record(&failed.runs()[30]);
    record.outcome = gatelens::sweep::record::Outcome::Failed(
        "this run needs 9 GiB in all buffers, but CPU allows 2 GiB; lower batch, T, n or m".into(),
    );
    failed.finish(record);
    let many = sweep(
        "",
        "quick",
        &[],
        &[
            ("learning_rate", "1e-4, 1e-3, 1e-2, 1e-1"),
            ("hidden", "1..40"),
            ("weight_decay", "0, 0.1"),
        ],
    );
    let queues = [
        None,
        Some(failed),
        Some(done(sweep("", "quick", &[], &[]))),
        Some(Queue::new(fig3a()).unwrap()),
        Some(done(many)),
        Some(done(sweep("", "recall", &[], &[("gating", "output, side")]))),
    ];
    for queue in queues {
        let mut window = harness(window(queue), DESKTOP, false);
        let small = [vec2(0.01, 0.01), vec2(1.0, 1.0), vec2(40.0, 30.0), vec2(300.0, 90.0)];
        for (i, size) in small
            .into_iter()
            .chain([PHONE, vec2(950.0, 500.0), DESKTOP, vec2(2560.0, 1440.0)])
            .enumerate()
        {
            window.set_size(size);
            window.run_ok();
            for part in [vec2(0.35, 0.3), vec2(0.5, 0.4), vec2(0.6, 0.8), vec2(0.7, 0.2)] {
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
    for (queue, parts) in [
        (
            Some(half_done(fig3b())),
            vec![
                "Final loss of each run",
                "WHAT TO LOOK AT",
                "Save as CSV: Runs",
                "Values of hidden, gates",
                "Remove axis 2",
                "Change a setting",
            ],
        ),
        (
            None,
            vec![
                "One training is an anecdote",
                "Or vary the recipe in Discover",
                "Values of hidden, gates",
                "Remove axis 2",
                "Change a setting",
            ],
        ),
    ] {
        let mut window = harness(window(queue), PHONE, false);
        for part in parts {
            let rect = |window: &Harness<'_, Window>| {
                window.query_all_by_label_contains(part).next().unwrap().rect()
            };
            window.query_all_by_label_contains(part).next().unwrap().scroll_to_me();
            window.run_ok();
            let rect = rect(&window);
            assert!(
                rect.top() >= 0.0
                    && rect.top() < PHONE.y
                    && rect.left() >= 0.0
                    && rect.right() <= PHONE.x + 0.5,
                "{part}: {rect}"
            );
        }
        for name in ["Discover", "Sweep", "File"] {
            assert!(window.get_by_label(name).rect().right() <= PHONE.x, "{name}");
        }
    }
}

#[test]
fn ten_thousand_runs_are_drawn() {
    let sweep = sweep("Many", "quick", &[], &[("hidden,gates", "1..200"), ("seed", "1..50")]);
    let started = Instant::now();
    let queue = done(sweep);
    println!("{} runs made in {:.0} ms", queue.runs().len(), started.elapsed().as_secs_f64() * 1e3);
    let started = Instant::now();
    let mut window = harness(window(Some(queue)), DESKTOP, false);
    println!("first frames: {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
    let started = Instant::now();
    for i in 0..20 {
        window.hover_at(pos2(400.0 + i as f32, 200.0));
        window.step();
    }
    println!("a frame: {:.1} ms", started.elapsed().as_secs_f64() * 1e3 / 20.0);
    let started = Instant::now();
    click(&mut window, "Sort by nMSE");
    println!("sorted: {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
    assert!(says(&window, "All 10\u{202f}000 runs are over.") && rows(&window).len() < 40);
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures_of_results() {
    // RESULTS=results.json: what a sweep in the terminal left.
    let Ok(path) = std::env::var("RESULTS") else { return };
    let queue = gatelens::sweep::results::read(&path, &std::fs::read_to_string(&path).unwrap())
        .unwrap()
        .expect("results");
    let name = queue.sweep.title.replace(|c: char| !c.is_alphanumeric(), "-");
    for (kind, size, dark) in
        [("light", DESKTOP, false), ("dark", DESKTOP, true), ("phone", PHONE, false)]
    {
        drawn(&format!("results-{name}-{kind}"), window(Some(queue.clone())), size, dark, |_| ());
    }
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let tall: Vec2 = vec2(390.0, 2200.0);
    for (name, queue) in [
        ("3a", done(fig3a())),
        ("3b-half", half_done(fig3b())),
        ("3c", done(fig3c())),
        (
            "many",
            done(sweep(
                "Many",
                "discover",
                &[],
                &[("rank", "1..4"), ("hidden,gates", "8..40/4"), ("seed", "1..3")],
            )),
        ),
    ] {
        if !wanted(name) {
            continue;
        }
        let make = || {
            let mut window = window(Some(queue.clone()));
            window.sweeps[Which::Sweep].running = true;
            window
        };
        drawn(&format!("sweep-{name}-light"), make(), DESKTOP, false, |_| ());
        drawn(&format!("sweep-{name}-dark"), make(), DESKTOP, true, |_| ());
        drawn(&format!("sweep-{name}-phone"), make(), PHONE, false, |_| ());
        drawn(&format!("sweep-{name}-phone-dark"), make(), PHONE, true, |_| ());
        drawn(&format!("sweep-{name}-tall"), make(), tall, true, |_| ());
        drawn(&format!("sweep-{name}-middle"), make(), vec2(1000.0, 700.0), false, |_| ());
        drawn(&format!("sweep-{name}-hover"), make(), DESKTOP, false, |window| {
            window.get_by_label_contains("Final loss of each run").focus();
            window.run_ok();
            for key in [Key::ArrowRight, Key::ArrowRight, Key::ArrowRight] {
                window.key_press(key);
                window.run_ok();
            }
            window.hover_at(pos2(470.0, 204.0));
        });
    }
    if wanted("empty") {
        for (kind, size, dark) in [
            ("light", DESKTOP, false),
            ("dark", DESKTOP, true),
            ("phone", PHONE, false),
            ("tall", tall, true),
        ] {
            drawn(&format!("sweep-empty-{kind}"), window(None), size, dark, |_| ());
        }
    }
}
