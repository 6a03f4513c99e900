//! A comparison: variants in a sweep's definition, what is said of bad ones, and groups of runs
//! that train side by side.

use gatelens::model::{
    Layer,
    gated_dense::DENSE,
    gated_diagonal::GATED,
    gru::GRU,
    lru::{LRU, LRU_IN_OUT, LRU_MLP},
    lstm::LSTM,
};
use gatelens::platform::Link;
use gatelens::recipe::Recipe;
use gatelens::run::group::{self, GroupEvent};
use gatelens::run::runner::{Command, Update};
use gatelens::sweep::queue::Queue;
use gatelens::sweep::record::{Outcome, Record};
use gatelens::sweep::results::{results_csv, results_json};
use gatelens::sweep::{Sweep, presets, results};
use std::collections::HashMap;
use web_time::{Duration, Instant};

const EXAMPLE: &str = r#"{
  "title": "Three layers", "preset": "quick",
  "settings": { "steps": 64, "time": 8, "batch": 16, "mask_at": 0, "backend": "cpu" },
  "variants": {
    "Gated RNN": { "model": "gated", "hidden": 6, "gates": 6 },
    "LSTM": { "model": "lstm", "hidden": 5, "embed": 4 },
    "Two LRUs": { "model": "lru", "hidden": 4, "embed": 4, "layers": 2 }
  },
  "grid": { "learning_rate": [0.003, 0.01], "seed": [1, 2] }
}"#;

fn read(text: &str) -> Sweep {
    Sweep::read("file.json", text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn variants_are_the_first_axis_and_differ_in_all_their_settings() {
    let sweep = read(EXAMPLE);
    assert_eq!(
        (sweep.count(), sweep.axes[0].keys[0].as_str(), sweep.axes[0].values[2].as_str()),
        (12, "variant", "Two LRUs")
    );
    let runs = sweep.runs().unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(
        names[..2],
        ["Gated RNN learning_rate=0.003 seed=1", "Gated RNN learning_rate=0.003 seed=2"]
    );
    let last = &runs[11];
    assert_eq!(
        (last.name.as_str(), last.recipe.model, last.recipe.hidden, last.recipe.layers),
        ("Two LRUs learning_rate=0.01 seed=2", &LRU, 4, 2)
    );
    assert_eq!(
        (runs[4].recipe.embed, runs[4].recipe.learning_rate, runs[4].recipe.steps),
        (4, 0.003, 64)
    );
    let json = sweep.to_json();
    assert_eq!(read(&json), sweep, "{json}");
    assert!(json.contains(r#""LSTM": { "model": "lstm", "hidden": 5, "embed": 4 }"#), "{json}");
}

#[test]
fn a_size_for_all_variants_is_an_axis() {
    let sweep = read(
        r#"{ "variants": { "A": { "model": "gru" }, "B": { "model": "linear" } }, "grid": { "hidden,embed": [4, 8] } }"#,
    );
    let sizes: Vec<(String, usize)> =
        sweep.runs().unwrap().into_iter().map(|run| (run.name, run.recipe.parameters())).collect();
    assert_eq!(sizes[0].0, "A hidden=embed=4");
    let gru = |n: usize, e: usize, d: usize| d * e + 3 * n * (e + n) + 6 * n + n * d; // embedding, weights, biases, readout
    let linear = |e: usize, d: usize| d * e + 3 * e * e + e * d;
    assert_eq!(
        sizes.iter().map(|(_, size)| *size).collect::<Vec<_>>(),
        [gru(4, 4, 4), gru(8, 8, 4), linear(4, 4), linear(8, 4)]
    );
}

#[test]
fn bad_variants_say_what_is_wrong() {
    for (variants, grid, said) in [
        (
            r#"{ "": { "model": "lstm" } }"#,
            r#"{ "seed": [1] }"#,
            "variants: one without a name — expected a name for each",
        ),
        (
            r#"{ "A": { "model": "lstm" }, "A": { "model": "gru" } }"#,
            r#"{ "seed": [1] }"#,
            "A stands there twice",
        ),
        (
            r#"{ "A": { "model": "lstn" } }"#,
            r#"{ "seed": [1] }"#,
            "the variant A: model: lstn — expected one of gated",
        ),
        (
            r#"{ "A": { "hiden": 8 } }"#,
            r#"{ "seed": [1] }"#,
            "the variant A: hiden: unknown setting",
        ),
        (
            r#"{ "A": { "hidden": 0 } }"#,
            r#"{ "seed": [1] }"#,
            "the variant A: hidden: 0 — expected a whole number from 1",
        ),
        (
            r#"{ "A": { "hidden": 8 } }"#,
            r#"{ "hidden": [4, 8] }"#,
            "variants: hidden in A and on an axis — expected each setting in variants or on an axis",
        ),
        (
            r#"{ "A": { "model": "gru" }, "B": { "model": "linear" } }"#,
            r#"{ "hidden": [4, 8] }"#,
            "hidden: an axis — expected a setting that the task attention and the layer linear of B look at",
        ),
        (
            r#"{ "A": { "model": "gru" }, "B": { "model": "gru" } }"#,
            r#"{ "seed": [1] }"#,
            "A and B with the same settings",
        ),
        (
            r#"{ "A": { "rank": 9 } }"#,
            r#"{ "seed": [1, 2] }"#,
            "the run seed=1: rank: 9 — expected at most d = 4",
        ),
        (r#"["A"]"#, r#"{ "seed": [1] }"#, "expected an object"),
    ] {
        let text = format!("{{ \"variants\": {variants}, \"grid\": {grid} }}");
        let refused = Sweep::read("file.json", &text).expect_err(&text).to_string();
        assert!(
            refused.starts_with("file.json: ") && refused.contains(said),
            "{text}\n  said {refused}\n  not  {said}"
        );
    }
}

#[test]
fn the_papers_figure_four_is_there_with_like_sizes() {
    let runs = presets::find("fig4a").unwrap().runs().unwrap();
    assert!(
        runs.iter()
            .all(|run| (run.recipe.dim, run.recipe.time, run.recipe.seed <= 2) == (6, 32, true))
    );
    let states = |model: &'static Layer| {
        runs.iter().find(|run| run.recipe.model == model).map(|run| run.recipe.hidden)
    };
    for model in [&GATED, &DENSE, &LSTM, &GRU] {
        assert_eq!(states(model), Some(60), "{model:?}");
    }
    for model in [&LRU_IN_OUT, &LRU, &LRU_MLP] {
        assert_eq!(states(model), Some(30), "{model:?}: complex numbers");
    }
    let runs = presets::find("fig4b").unwrap().runs().unwrap();
    assert!(runs.iter().all(|run| run.recipe.task.in_context()));
}

/// Trains these runs as groups of one variant each, all at the same time; returns the records, and
/// which group told of which step.
fn together(
    queue: &Queue,
    variants: impl IntoIterator<Item = std::ops::Range<usize>>,
) -> (HashMap<String, Record>, Vec<(u32, u64)>) {
    let link = Link::spawn_alone().unwrap();
    let mut left = 0;
    for (number, range) in (0..).zip(variants) {
        left += range.len();
        let members = range.map(|run| (queue.runs()[run].recipe.clone(), None)).collect();
        let start = group::Start {
            group: number,
            members,
            data: None,
            threads: 1,
            memory_limit: u64::MAX,
            states_every_ms: 60_000,
        };
        link.send(Command::Group(Box::new(start))).unwrap();
    }
    let (mut records, mut points) = (HashMap::new(), vec![]);
    let started = Instant::now();
    while records.len() < left {
        assert!(started.elapsed() < Duration::from_secs(120), "{} records so far", records.len());
        match link.receive(Duration::from_millis(200)).unwrap() {
            Some((_, Update::Group(number, told))) => match *told {
                GroupEvent::Point(0, step, _) => points.push((number, step)),
                GroupEvent::Over(_, record, parameters) => {
                    assert_eq!(
                        parameters.map(|parameters| parameters.len()),
                        Some(record.recipe.parameters()),
                        "a finished run comes with its weights"
                    );
                    records.insert(record.key.clone(), *record);
                }
                _ => {}
            },
            Some((_, Update::GroupFailed(_, error))) => panic!("{error}"),
            _ => {}
        }
    }
    (records, points)
}

#[test]
fn groups_train_side_by_side_and_end_as_each_alone() {
    let queue = Queue::new(read(EXAMPLE)).unwrap();
    let (records, points) = together(&queue, [0..4, 4..8, 8..12]);
    assert!(records.values().all(|record| record.outcome == Outcome::Finished));
    // The one that is least far goes next: none is ever more than a few marks ahead of another.
    let mut far = [0; 3];
    for (number, step) in points {
        far[number as usize] = step;
        assert!(far.iter().max().unwrap() - far.iter().min().unwrap() <= 8, "{far:?} of 64 steps");
    }
    let (alone, _) = together(&queue, std::iter::once(4..8));
    assert!(
        alone.iter().all(|(key, record)| records[key] == *record),
        "the same bits beside others and alone"
    );
}

#[test]
fn tables_name_the_variant_and_its_parameters() {
    let mut queue = Queue::new(read(EXAMPLE)).unwrap();
    let (records, _) = together(&queue, std::iter::once(0..1));
    records.into_values().for_each(|record| queue.finish(record));
    let csv = results_csv(&queue);
    let rows: Vec<&str> = csv.lines().collect();
    assert!(
        rows[0].starts_with("name,variant,learning_rate,seed,parameters,outcome"),
        "{}",
        rows[0]
    );
    let parameters = Recipe::parameters(&queue.runs()[0].recipe);
    assert!(
        rows[1].starts_with(&format!(
            "Gated RNN learning_rate=0.003 seed=1,Gated RNN,0.003,1,{parameters},finished"
        )),
        "{}",
        rows[1]
    );
    let again = results::read("results.json", &results_json(&queue)).unwrap().expect("results");
    assert_eq!((again.sweep.clone(), again.over()), (queue.sweep.clone(), 1));
}
