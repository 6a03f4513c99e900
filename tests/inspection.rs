//! Taking networks apart beside a training: who is asked, who answers, and when.

use gatelens::experiment::inspection::{Bench, Given, Inspected, Inspector, Subject, Trained};
use gatelens::experiment::runner::{Command, Start, Update};
use gatelens::experiment::{preset, recipe::{Engine, Recipe}};
use gatelens::model::Network;
use gatelens::platform::Link;
use gatelens::task::Teacher;
use std::time::Duration;

fn small() -> Recipe {
    Recipe { backend: Engine::Cpu, hidden: 6, gates: 4, batch: 4, time: 8, ..preset::find("quick").unwrap().recipe }
}

fn network(seed: u32) -> (Network, Teacher) {
    let plan = small().plan();
    let table = plan.program().params;
    (Network::from_parameters(&table, &table.initial(seed)).unwrap(), plan.teacher().unwrap())
}

#[test]
fn a_question_is_answered_once_and_again_only_when_the_live_network_changes() {
    let (network, teacher) = network(1);
    let (table, parameters) = (network.table(), network.to_parameters());
    let live = Trained { step: 7, parameters: &parameters, table: &table, teacher: Some(&teacher) };
    let mut bench = Bench::default();
    let mut inspector = Inspector::default();
    assert!(inspector.answer(Some(live)).is_none() && inspector.wait_ms() == u32::MAX, "nobody asked");
    inspector.ask(Some(bench.ask()));
    assert!(inspector.answer(None).is_none() && inspector.wait_ms() == u32::MAX, "there is no training yet");
    inspector.live_changed();
    let answer = inspector.answer(Some(live)).unwrap();
    assert_eq!((answer.step, answer.dissection.stages[0].network.hidden()), (Some(7), 6));
    assert!(inspector.answer(Some(live)).is_none(), "nothing has changed");
    inspector.live_changed();
    assert!(inspector.answer(Some(live)).is_none() && (1..=1000).contains(&inspector.wait_ms()), "not again so soon");
    std::thread::sleep(Duration::from_millis(u64::from(inspector.wait_ms())));
    assert!(inspector.answer(Some(live)).is_some());
    inspector.ask(None);
    inspector.live_changed();
    assert_eq!(inspector.wait_ms(), u32::MAX, "nobody looks any more");

    bench.put(Subject::Given(Box::new(Given { name: "a file".into(), network: network.clone(), teacher: None })));
    inspector.ask(Some(bench.ask()));
    assert_eq!(inspector.answer(None).unwrap().step, None);
    inspector.live_changed();
    assert_eq!(inspector.wait_ms(), u32::MAX, "a file does not change");
}

#[test]
fn the_bench_drops_late_answers() {
    let (network, _) = network(2);
    let mut bench = Bench::default();
    bench.put(Subject::Given(Box::new(Given { name: "a file".into(), network, teacher: None })));
    let mut inspector = Inspector::default();
    inspector.ask(Some(bench.ask()));
    let late: Inspected = inspector.answer(None).unwrap();
    inspector.ask(Some(bench.ask()));
    bench.answer(late.clone());
    assert!(bench.inspected.is_some() && !bench.is_current(), "about the same network, but to an earlier question");
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
        match link.receive(Duration::from_secs(20)).unwrap().unwrap_or_else(|| panic!("no {what} came")) {
            (_, Update::Inspected(inspected)) => break *inspected,
            (_, Update::Failed(error)) => panic!("{error}"),
            _ => {}
        }
    };
    let (given, teacher) = network(3);
    bench.put(Subject::Given(Box::new(Given { name: "a file".into(), network: given.clone(), teacher: Some(teacher) })));
    link.send(Command::Inspect(Some(Box::new(bench.ask())))).unwrap();
    assert_eq!(wait("answer without a training").dissection.stages[0].network, given);

    let start = Start { run: 1, recipe: small(), from: None, teacher: None, data: None, running: false, threads: 1, memory_limit: 1 << 30 };
    link.send(Command::Start(Box::new(start))).unwrap();
    bench.put(Subject::Live);
    link.send(Command::Inspect(Some(Box::new(bench.ask())))).unwrap();
    assert_eq!(wait("answer about the beginning").step, Some(0));
    link.send(Command::Steps(5)).unwrap();
    while wait("answer after five steps").step != Some(5) {}
}
