//! The page Race of Compare, driven by its labels; and pictures of it in `target/screenshots/`
//! (with an adapter, lavapipe will do): `ONLY=4a cargo test --test race_view -- --ignored`. The
//! runs are made up, not trained; `RESULTS=results.json` draws real ones.
#![cfg(feature = "app")]

mod support {
    pub mod trained;
    pub mod window;
}

use eframe::egui::{Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::backend::StepLoss;
use gatelens::model::{LAYERS, Layer, gated_dense::DENSE, gru::GRU, lstm::LSTM};
use gatelens::recipe::Recipe;
use gatelens::sweep::contest::{Contender, contenders};
use gatelens::sweep::measure::Measure;
use gatelens::sweep::queue::{Queue, State};
use gatelens::sweep::record::{Curve, Outcome, POINTS, Record, mark};
use gatelens::sweep::{Run, Sweep, presets};
use gatelens::ui::{Action, Page, Tab};
use gatelens::ui::{AxisText, Draft, SweepAction, Which};
use std::rc::Rc;
use support::trained::trained;
use support::window::{DESKTOP, PHONE, Window, drawn, harness, quick, says};

fn figures() -> Vec<Sweep> {
    ["fig4a", "fig4b"].into_iter().filter_map(presets::find).collect()
}

fn window(queue: Option<Queue>) -> Window {
    let mut window = Window { tab: Tab::COMPARE, ..Window::new(&Rc::new(trained(quick(), 1))) };
    window.state.show_page(Page::Race);
    window.sweeps[Which::Compare].presets = figures();
    if let Some(queue) = &queue {
        window.sweeps[Which::Compare].draft = Draft::of(&queue.sweep);
    }
    (window.sweeps[Which::Compare].queue, window.sweeps[Which::Compare].revision) = (queue, 1);
    window
}

/// The final loss of a made-up run: worse layer by layer, best at the rate 0.01, a little better
/// with each size.
fn loss_of(run: &Run) -> f64 {
    let Recipe { model, learning_rate, seed, embed, hidden, .. } = run.recipe;
    let place = LAYERS.iter().position(|other| *other == model).unwrap() as f64;
    let rate = (f64::from(learning_rate).log10() + 2.0).abs();
    10f64.powf(-4.5 + 0.4 * place + 1.2 * rate - 0.004 * (embed.min(hidden) as f64))
        * (1.0 + 0.2 * f64::from(seed))
}

fn record(run: &Run) -> Record {
    let diverged = run.recipe.model == &DENSE && run.recipe.learning_rate < 0.005;
    let loss = loss_of(run);
    let part = |i: u64| (-((POINTS - 1 - i) as f64) / 14.0).exp();
    let curve = (0..POINTS).map(|i| StepLoss { loss: (loss.powf(part(i))) as f32, power: 1.0 });
    let outcome = if diverged { Outcome::Diverged(660) } else { Outcome::Finished };
    Record {
        key: run.key.clone(),
        recipe: run.recipe.clone(),
        outcome,
        curve: Curve(curve.collect()),
        neurons: None,
        device: "CPU, 2 threads".into(),
    }
}

/// All runs over, or those before `over`, with four in training.
fn queue(sweep: Sweep, over: Option<usize>) -> Queue {
    let mut queue = Queue::new(sweep).unwrap();
    let runs = queue.runs().to_vec();
    let over = over.unwrap_or(runs.len());
    runs[..over].iter().map(record).for_each(|record| queue.finish(record));
    for (k, run) in runs.iter().enumerate().skip(over).step_by(5).take(4) {
        let mut curve = record(run).curve;
        curve.0.truncate(20);
        queue.progress(k, mark(u64::from(run.recipe.steps), 20), curve);
    }
    queue
}

fn click(harness: &mut Harness<'_, Window>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// What was asked for since the last time.
fn asked(harness: &mut Harness<'_, Window>) -> Vec<SweepAction> {
    let comparison = |action| match action {
        Action::Sweep(Which::Compare, action) => action,
        other => panic!("{other:?} is nothing of a comparison's"),
    };
    harness.state_mut().actions.drain(..).map(comparison).collect()
}

#[test]
fn the_task_in_discover_is_compared_by_four_layers() {
    let mut window = harness(window(None), DESKTOP, false);
    assert!(says(&window, "Which layer finds attention?"));
    click(&mut window, "Start");
    let [SweepAction::Start(sweep)] = &asked(&mut window)[..] else { panic!("one start") };
    let names: Vec<&str> = sweep.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(names, ["Gated RNN", "LSTM", "GRU", "LRU In+Out"]);
    let runs = sweep.runs().unwrap();
    assert_eq!((runs.len(), runs[0].recipe.dim, runs[2].recipe.model), (8, quick().dim, &LSTM));
    let alike = |run: &Run| {
        (
            run.recipe.task(),
            run.recipe.seed,
            run.recipe.batch,
            run.recipe.steps,
            run.recipe.rate_schedule.clone(),
            run.recipe.weight_decay,
        )
    };
    assert!(
        runs.iter().all(|run| alike(run) == alike(&runs[0])),
        "the same sequences and schedule for all"
    );
}

#[test]
fn layers_are_added_changed_and_removed() {
    let mut window = harness(window(None), vec2(1280.0, 1600.0), false);
    click(&mut window, "Remove GRU");
    click(&mut window, "Add a layer");
    let draft = &window.state().sweeps[Which::Compare].draft;
    let last = draft.variants.last().unwrap();
    assert_eq!((draft.variants.len(), last.name.as_str()), (4, "Gated RNN, dense"));
    assert!(
        last.settings.iter().any(|(key, value)| key == "model" && value == "dense")
            && last.settings.iter().any(|(key, _)| key == "gates")
    );
    let size = window.get_by_label("Hidden neurons n of LSTM");
    size.focus();
    window.run_ok();
    window.get_by_label("Hidden neurons n of LSTM").type_text("x");
    window.run_ok();
    assert!(says(&window, "expected a whole number from 1 to 512"));
}

#[test]
fn the_best_rate_of_each_layer_is_marked_and_the_order_told() {
    let queue = queue(presets::find("fig4a").unwrap(), None);
    let medians = |model: &'static Layer| {
        queue
            .runs()
            .iter()
            .filter(|run| run.recipe.model == model && run.recipe.learning_rate == 0.01)
            .map(loss_of)
            .sum::<f64>()
            / 2.0
    };
    let lstm = format!("LSTM at 0.01: {:.1e}, the best", medians(&LSTM)).replace("e-", "e\u{2212}");
    let mut window = harness(window(Some(queue)), DESKTOP, false);
    assert!(says(&window, &lstm), "{lstm}");
    assert!(
        says(&window, "Gated RNN, dense at 0.003: diverged")
            && says(&window, "All 28 runs are over.")
    );
    assert!(
        says(&window, "1. Gated RNN (8\u{202f}460 parameters)")
            && says(&window, "7. LRU MLP, 2 layers (17\u{202f}274 parameters)")
    );
    click(&mut window, &lstm);
    assert!(says(&window, "LSTM learning_rate=0.01 seed=1: finished"));
    click(&mut window, "Look inside");
    let asked = asked(&mut window);
    let [SweepAction::Inside(run)] = asked[..] else { panic!("{asked:?}") };
    assert_eq!(
        window.state().sweeps[Which::Compare].queue.as_ref().unwrap().runs()[run].name,
        "LSTM learning_rate=0.01 seed=1"
    );
}

#[test]
fn a_regression_names_who_is_below_the_gradient_step() {
    let window =
        harness(window(Some(queue(presets::find("fig4b").unwrap(), None))), DESKTOP, false);
    assert!(says(&window, "One step of gradient descent has 0.0946 on average"));
    let queue = window.state().sweeps[Which::Compare].queue.as_ref().unwrap();
    let least = |contender: &Contender| contender.value().unwrap();
    let all = contenders(queue, Measure::Loss);
    // Of each layer, its best size.
    let leads = |one: &Contender| {
        all.iter()
            .filter(|other| other.variant == one.variant)
            .all(|other| least(one) <= least(other))
    };
    let below: Vec<&str> = all
        .iter()
        .filter(|one| leads(one) && least(one) < 0.98 * 0.0946)
        .map(|one| one.name.as_str())
        .collect();
    assert!(
        !below.is_empty()
            && says(
                &window,
                &format!(
                    "on average; {} {} below it",
                    below.join(", "),
                    if below.len() == 1 { "is" } else { "are" }
                )
            ),
        "{below:?}"
    );
}

#[test]
fn a_pinned_run_stays_pinned_when_the_queue_becomes_another() {
    let mut window =
        harness(window(Some(queue(presets::find("fig4a").unwrap(), None))), DESKTOP, false);
    window.get_all_by_label_contains("LSTM at 0.01").next().unwrap().click();
    window.run_ok();
    assert!(says(&window, "LSTM learning_rate=0.01 seed=1: finished"));
    // Seeds vary fastest: the place of every run but the first changes.
    let mut sweep = presets::find("fig4a").unwrap();
    sweep.axes.iter_mut().find(|axis| axis.keys == ["seed"]).unwrap().values.push("3".into());
    let compare = &mut window.state_mut().sweeps[Which::Compare];
    (compare.queue, compare.revision) = (Some(queue(sweep.clone(), None)), 2);
    window.run_ok();
    assert!(says(&window, "LSTM learning_rate=0.01 seed=1: finished"));
    sweep.variants.retain(|variant| variant.name != "LSTM");
    let compare = &mut window.state_mut().sweeps[Which::Compare];
    (compare.queue, compare.revision) = (Some(queue(sweep.with_axis_of_variants(), None)), 3);
    window.run_ok();
    assert!(!says(&window, "THIS RUN"), "it is gone");
}

#[test]
fn an_axis_takes_a_size_from_the_layers_and_gives_it_back() {
    let mut window = harness(window(None), DESKTOP, false);
    let sizes = |window: &Harness<'_, Window>| {
        window.query_all_by_label_contains("Hidden neurons n of ").count()
    };
    let before = (window.state().sweeps[Which::Compare].draft.clone(), sizes(&window));
    assert!(before.1 > 0);
    window.state_mut().sweeps[Which::Compare]
        .draft
        .axes
        .push(AxisText { keys: vec!["hidden".into()], values: "4, 8".into() });
    window.run_ok();
    assert!(
        says(&window, "its size is varied")
            && says(&window, "Start 16 runs")
            && sizes(&window) == 0
    );
    window.state_mut().sweeps[Which::Compare].draft.axes.pop();
    window.run_ok();
    assert!(
        says(&window, "Start 8 runs")
            && (window.state().sweeps[Which::Compare].draft.clone(), sizes(&window)) == before
    );
}

#[test]
fn a_rate_that_is_not_over_says_so_and_none_is_best_where_all_diverged() {
    let mut window =
        harness(window(Some(queue(presets::find("fig4a").unwrap(), Some(1)))), DESKTOP, false);
    assert!(says(&window, "Gated RNN at 0.003: ") && says(&window, ", not over"));
    let mut all = queue(presets::find("fig4a").unwrap(), None);
    for run in all.runs().to_vec().iter().filter(|run| run.recipe.model == &GRU) {
        all.finish(Record { outcome: Outcome::Diverged(7), ..record(run) });
    }
    let compare = &mut window.state_mut().sweeps[Which::Compare];
    (compare.queue, compare.revision) = (Some(all), 2);
    window.run_ok();
    assert!(
        says(&window, "GRU at 0.003: diverged")
            && !says(&window, "diverged, the best")
            && says(&window, "LSTM at 0.01: ")
    );
}

#[test]
fn the_page_inside_says_why_there_is_nothing_to_see() {
    let mut all = queue(presets::find("fig4a").unwrap(), Some(20));
    let runs = all.runs().to_vec();
    all.finish(Record { outcome: Outcome::Failed("no room".into()), ..record(&runs[1]) });
    all.finish(Record { outcome: Outcome::Diverged(9), ..record(&runs[2]) });
    let training =
        (20..runs.len()).find(|run| matches!(all.state(*run), State::Training(..))).unwrap();
    let waiting = (20..runs.len()).find(|run| all.state(*run) == State::Waiting).unwrap();
    let cases = [
        (0, true, "its weights are gone"),
        (1, true, "it could not be trained"),
        (2, true, "it diverged"),
        (training, true, "come within a second or two"),
        (training, false, "the race rests"),
        (waiting, true, "it has not started"),
    ];
    for size in [DESKTOP, PHONE] {
        let mut view = harness(window(Some(all.clone())), size, false);
        view.state_mut().state.show_page(Page::Inside);
        view.run_ok();
        assert!(says(&view, "The training in Discover") && says(&view, "IN THE RACE"));
        for (run, running, text) in cases {
            view.state_mut().inside_run = (Some(run), None);
            view.state_mut().sweeps[Which::Compare].running = running;
            view.run_ok();
            assert!(says(&view, text) && says(&view, &runs[run].name), "{run}: {text}");
        }
        // Another one of the race is chosen by its name.
        view.get_all_by_label_contains("LSTM, ").next().unwrap().click();
        view.run_ok();
        assert!(
            matches!(view.state().actions[..], [Action::Inside(Some(run))] if runs[run].recipe.model == &LSTM)
        );
    }
}

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let tall: Vec2 = vec2(390.0, 2600.0);
    let real = std::env::var("RESULTS").ok().map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        gatelens::sweep::results::read(&path, &text).unwrap().expect("results")
    });
    let [a, b] = ["fig4a", "fig4b"].map(|name| presets::find(name).unwrap());
    let all = [
        ("4a", Some(queue(a.clone(), None))),
        ("4a-half", Some(queue(a, Some(19)))),
        ("4b", Some(queue(b, None))),
        ("empty", None),
        ("real", real),
    ];
    for (name, queue) in all {
        if !name.contains(&only) || (name == "real" && queue.is_none()) {
            continue;
        }
        for (kind, size, dark) in [
            ("light", DESKTOP, false),
            ("dark", DESKTOP, true),
            ("phone", PHONE, false),
            ("tall", tall, true),
            ("middle", vec2(1000.0, 700.0), false),
        ] {
            drawn(&format!("race-{name}-{kind}"), window(queue.clone()), size, dark, |_| ());
        }
    }
}
