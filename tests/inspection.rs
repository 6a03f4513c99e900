//! Taking networks apart beside a training: who is asked, who answers, and when.

use gatelens::analysis::insides::Probing;
use gatelens::model::Network;
use gatelens::model::lstm::LSTM;
use gatelens::platform::Link;
use gatelens::recipe::specimen::Specimen;
use gatelens::recipe::{
    preset, {Engine, Recipe},
};
use gatelens::run::inspection::{Bench, Inspected, Inspector, LiveNetwork, Look, Subject};
use gatelens::run::runner::{Command, Start, Update};
use gatelens::task::Teacher;
use std::time::Duration;

fn small() -> Recipe {
    Recipe {
        backend: Engine::Cpu,
        hidden: 6,
        gates: 4,
        batch: 4,
        time: 8,
        ..preset::find("quick").unwrap().recipe
    }
}

fn network(seed: u32) -> (Network, Teacher) {
    let plan = small().plan();
    let table = plan.program().params;
    (Network::from_parameters(&table, &table.initial(seed)).unwrap(), plan.teacher().unwrap())
}

#[test]
fn a_question_is_answered_once_and_again_only_when_the_live_network_changes() {
    let (network, teacher) = network(1);
    let (plan, parameters) = (small().plan(), network.to_parameters());
    let live =
        LiveNetwork { step: 7, parameters: &parameters, teacher: Some(&teacher), plan: &plan };
    let mut bench = Bench::default();
    let mut inspector = Inspector::default();
    assert!(
        inspector.answer(Some(live)).is_none() && inspector.wait_ms() == u32::MAX,
        "nobody asked"
    );
    inspector.ask(Some(bench.ask()));
    assert!(
        inspector.answer(None).is_none() && inspector.wait_ms() == u32::MAX,
        "there is no training yet"
    );
    inspector.live_changed();
    let answer = inspector.answer(Some(live)).unwrap();
    assert_eq!(
        (answer.step, answer.dissection().unwrap().stages[0].network.hidden()),
        (Some(7), 6)
    );
    assert!(inspector.answer(Some(live)).is_none(), "nothing has changed");
    inspector.live_changed();
    assert!(
        inspector.answer(Some(live)).is_none() && (1..=1000).contains(&inspector.wait_ms()),
        "not again so soon"
    );
    std::thread::sleep(Duration::from_millis(u64::from(inspector.wait_ms())));
    assert!(inspector.answer(Some(live)).is_some());
    inspector.ask(None);
    inspector.live_changed();
    assert_eq!(inspector.wait_ms(), u32::MAX, "nobody looks any more");

    bench.put(Subject::Specimen(Box::new(Specimen::new("a file", &network, None))));
    inspector.ask(Some(bench.ask()));
    assert_eq!(inspector.answer(None).unwrap().step, None);
    inspector.live_changed();
    assert_eq!(inspector.wait_ms(), u32::MAX, "a file does not change");
}

#[test]
fn the_bench_drops_late_answers() {
    let (network, _) = network(2);
    let mut bench = Bench::default();
    bench.put(Subject::Specimen(Box::new(Specimen::new("a file", network, None))));
    let mut inspector = Inspector::default();
    inspector.ask(Some(bench.ask()));
    let late: Inspected = inspector.answer(None).unwrap();
    inspector.ask(Some(bench.ask()));
    bench.answer(late.clone());
    assert!(
        bench.inspected.is_some() && !bench.is_current(),
        "about the same network, but to an earlier question"
    );
    bench.answer(inspector.answer(None).unwrap());
    assert!(bench.is_current());
    bench.put(Subject::Live);
    bench.answer(late);
    assert!(bench.inspected.is_none(), "about another network");
}

#[test]
fn the_runner_answers_beside_a_training_and_without_one() {
    let link = Link::spawn_alone().unwrap();
    let mut bench = Bench::default();
    let wait = |what: &str| loop {
        match link
            .receive(Duration::from_secs(20))
            .unwrap()
            .unwrap_or_else(|| panic!("no {what} came"))
        {
            (_, Update::Inspected(inspected)) => break *inspected,
            (_, Update::Failed(error)) => panic!("{error}"),
            _ => {}
        }
    };
    let (given, teacher) = network(3);
    bench.put(Subject::Specimen(Box::new(Specimen::new("a file", &given, Some(teacher)))));
    link.send(Command::Inspect(Some(Box::new(bench.ask())))).unwrap();
    let answer = wait("answer without a training");
    assert_eq!(answer.dissection().unwrap().stages[0].network.readout, given.readout);

    let start = Start {
        run: 1,
        recipe: small(),
        from: None,
        teacher: None,
        data: None,
        running: false,
        threads: 1,
        memory_limit: 1 << 30,
    };
    link.send(Command::Start(Box::new(start))).unwrap();
    bench.put(Subject::Live);
    link.send(Command::Inspect(Some(Box::new(bench.ask())))).unwrap();
    assert_eq!(wait("answer about the beginning").step, Some(0));
    link.send(Command::Steps(5)).unwrap();
    while wait("answer after five steps").step != Some(5) {}
}

/// A layer that is not gated, half a step of training away from its beginning.
fn lstm() -> (Recipe, Vec<f32>) {
    let recipe = Recipe { model: &LSTM, hidden: 5, embed: 4, ..small() };
    let parameters = recipe.plan().program().params.initial(recipe.seed + 1);
    (recipe, parameters)
}

#[test]
fn other_layers_show_their_insides_at_once_and_are_probed_after() {
    let (recipe, parameters) = lstm();
    let (plan, teacher) = (recipe.plan(), recipe.plan().teacher().unwrap());
    let live =
        LiveNetwork { step: 3, parameters: &parameters, teacher: Some(&teacher), plan: &plan };
    let (mut bench, mut inspector) = (Bench::default(), Inspector::default());
    inspector.ask(Some(bench.ask()));
    let first = inspector.answer(Some(live)).unwrap();
    assert!(
        first.dissection().is_none() && first.insides().unwrap().probe == Probing::Pending,
        "quick first"
    );
    assert_eq!(first.insides().unwrap().seed, Some(recipe.seed));
    assert_eq!(inspector.wait_ms(), 0, "the probe is next");
    let second = inspector.answer(Some(live)).unwrap();
    let Probing::Done { probe, step: Some(3) } = &second.insides().unwrap().probe else {
        panic!("{:?}", second.insides().unwrap().probe)
    };
    assert_eq!(probe.headline(), "This does not compute linear attention.");
    assert_eq!(
        (second.insides().unwrap().states.clone(), inspector.wait_ms()),
        (first.insides().unwrap().states.clone(), u32::MAX)
    );
    // New weights: pictures soon, with the old probe until a new one is due.
    inspector.live_changed();
    std::thread::sleep(Duration::from_millis(u64::from(inspector.wait_ms())));
    let later = LiveNetwork { step: 9, ..live };
    let third = inspector.answer(Some(later)).unwrap();
    assert_eq!(third.step, Some(9));
    assert!(matches!(third.insides().unwrap().probe, Probing::Done { step: Some(3), .. }));
    assert!(
        inspector.answer(Some(later)).is_none() && inspector.wait_ms() > 0,
        "the probe waits for its share of the time"
    );
}

#[test]
fn a_second_bench_has_its_own_answers_and_newer_weights_of_the_same_network_wait() {
    let (recipe, parameters) = lstm();
    let given = |step: u64, parameters: &[f32]| {
        Subject::Specimen(Box::new(Specimen::trained("a run", &recipe.plan(), step, parameters)))
    };
    let (mut dissect, mut compare) = (Bench::default(), Bench::numbered(1, Look::Insides));
    let mut inspector = Inspector::default();
    compare.put(given(40, &parameters));
    inspector.ask(Some(compare.ask()));
    let answer = inspector.answer(None).unwrap();
    dissect.answer(answer.clone());
    assert!(dissect.inspected.is_none() && answer.bench == compare.number(), "not Dissect's");
    compare.answer(answer.clone());
    let newer: Vec<f32> = parameters.iter().map(|v| v * 0.5).collect();
    compare.renew(given(80, &newer));
    assert!(compare.inspected.is_some(), "the old answer stays until the next");
    inspector.ask(Some(compare.ask()));
    assert!(inspector.answer(None).is_none() && inspector.wait_ms() > 0, "it waits");
    std::thread::sleep(Duration::from_millis(u64::from(inspector.wait_ms())));
    let next = inspector.answer(None).unwrap();
    assert!(next.insides().unwrap().memories != answer.insides().unwrap().memories);
    assert_eq!((answer.step, next.step), (Some(40), Some(80)), "each says whose it is");
    // Gated networks too, where insides are asked for.
    compare.put(Subject::Specimen(Box::new(Specimen::new("gated", network(1).0, None))));
    inspector.ask(Some(compare.ask()));
    let gated = inspector.answer(None).unwrap();
    assert!(gated.insides().is_some_and(
        |insides| insides.states.len() == 1 && matches!(insides.probe, Probing::Impossible(_))
    ));
}
