//! A sweep's definition: what it reads, what it says of a bad one, what runs it makes and in which
//! order they are trained.

use gatelens::recipe::preset;
use gatelens::recipe::settings::SETTINGS;
use gatelens::recipe::{Engine, Gating, Recipe, TaskName};
use gatelens::sweep::queue::{Queue, State};
use gatelens::sweep::record::{Curve, Outcome, Record};
use gatelens::sweep::shard::Shard;
use gatelens::sweep::{Axis, LARGE, MOST, Sweep, key, minimum, presets};
use gatelens::task::Arrays;
use std::collections::HashSet;

const EXAMPLE: &str = r#"{
  "title": "Loss against size", "about": "Where does it drop?", "preset": "discover",
  "settings": { "steps": 6000, "beta2": "0:0.99", "weight_decay": 0.05 },
  "grid": { "hidden,gates": [8, 10, 12, "14..40/2"], "seed": [1, 2, 3], "beta2": ["0:0.999", "0:0.99"] }
}"#;

fn read(text: &str) -> Sweep {
    Sweep::read("file.json", text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn grid(text: &str) -> Sweep {
    read(&format!("{{ \"grid\": {text} }}"))
}

fn refusal(text: &str) -> String {
    Sweep::read("file.json", text).expect_err(text).to_string()
}

#[test]
fn a_file_becomes_runs_in_its_own_order() {
    let sweep = read(EXAMPLE);
    assert_eq!(
        (sweep.title.as_str(), sweep.preset.as_str(), sweep.axes.len(), sweep.count()),
        ("Loss against size", "discover", 3, 17 * 3 * 2)
    );
    assert_eq!(sweep.axes[0].keys, ["hidden", "gates"]);
    assert_eq!(sweep.axes[0].values[..5], ["8", "10", "12", "14", "16"]);
    assert_eq!(
        (sweep.axes[0].values[16].as_str(), sweep.axes[1].keys[0].as_str()),
        ("40", "seed"),
        "keys keep the file's order"
    );
    let runs = sweep.runs().unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(
        names[..3],
        [
            "hidden=gates=8 seed=1 beta2=0:0.999",
            "hidden=gates=8 seed=1 beta2=0:0.99",
            "hidden=gates=8 seed=2 beta2=0:0.999"
        ],
        "the last axis varies fastest"
    );
    assert_eq!(names[101], "hidden=gates=40 seed=3 beta2=0:0.99");
    let run = &runs[6 * 3 + 2];
    assert_eq!(run.values, ["14", "2", "0:0.999"]);
    let expected = Recipe {
        hidden: 14,
        gates: 14,
        seed: 2,
        steps: 6000,
        weight_decay: 0.05,
        beta2: "0:0.999".parse().unwrap(),
        ..Recipe::default()
    };
    assert_eq!(run.recipe, expected, "an axis wins over a setting");
    assert_eq!(runs.iter().map(|run| &run.key).collect::<HashSet<_>>().len(), runs.len());
    assert_eq!(
        grid(r#"{ "hidden": 14, "seed": [1, 2] }"#).runs().unwrap()[1].name,
        "seed=2",
        "what does not vary is not in the name"
    );
    assert_eq!(grid(r#"{ "hidden": 14 }"#).runs().unwrap()[0].name, "the only run");
}

#[test]
fn a_key_stays_what_it_was() {
    let recipe = Recipe { hidden: 14, gates: 14, seed: 5, ..Recipe::default() };
    assert_eq!(key(&recipe), "8f5e8aea73e6992a", "records on people's disks have this name");
    assert_eq!(
        key(&recipe),
        key(&Recipe { backend: Engine::Gpu, ..recipe.clone() }),
        "the engine does not count"
    );
    for setting in SETTINGS.iter().filter(|setting| setting.key != "backend") {
        let other =
            ["regression", "side", "gaussian", "off", "lstm", "0:0.5", "3", "5", "0.7", "0.25"]
                .into_iter()
                .find_map(|value| {
                    let mut other = recipe.clone();
                    setting
                        .set(&mut other, value)
                        .ok()
                        .filter(|()| (setting.get)(&other) != (setting.get)(&recipe))
                        .map(|()| other)
                });
        assert_ne!(key(&recipe), key(&other.unwrap()), "{} counts", setting.key);
    }
}

#[test]
fn text_fields_and_files_read_the_same() {
    let values = |keys: &str, text: &str| {
        Axis::parse(keys, text).unwrap_or_else(|e| panic!("{text}: {e}")).values.join(" ")
    };
    assert_eq!(values("hidden,gates", "8, 10, 14..20/2"), "8 10 14 16 18 20");
    assert_eq!(values(" hidden , gates ", " 8  10;12 ,14 .. 20 / 3, "), "8 10 12 14 17 20");
    assert_eq!(values("seed", "1..3"), "1 2 3");
    assert_eq!(values("seed", "3..3"), "3");
    assert_eq!(values("hidden", "08, 9"), "8 9");
    assert_eq!(values("learning_rate", "1e-2, 0.03 .05"), "0.01 0.03 0.05");
    assert_eq!(values("gating", "side, output"), "side output");
    assert_eq!(values("beta2", "0:0.999; 0:0.99"), "0:0.999 0:0.99");
    assert_eq!(values("beta2", "0:0.999 0:0.99, 0.5:0.9"), "0:0.999 0:0.99,0.5:0.9");
    assert_eq!(
        values("rate_schedule", "constant; cosine, 0:1, 1:0.5 linear"),
        "constant cosine,0:1,1:0.5 linear"
    );
    for text in [
        r#"{ "beta2": ["0:0.999", "0:0.99,0.5:0.9"], "seed": "1..3, 7" }"#,
        r#"{ "beta2": "0:0.999; 0:0.99,0.5:0.9", "seed": ["1..3", 7] }"#,
    ] {
        let sweep = grid(text);
        assert_eq!(
            (sweep.axes[0].values.join(" ").as_str(), sweep.axes[1].values.join(" ").as_str()),
            ("0:0.999 0:0.99,0.5:0.9", "1 2 3 7")
        );
    }
    for (keys, text, short) in [
        ("hidden", "8 10 12 14 17 18 19 20 21 40", "8..14/2, 17..21, 40"),
        ("hidden", "4, 3, 2, 1, 7, 8, 9", "4, 3, 2, 1, 7, 8, 9"),
        ("beta2", "0:0.999; 0:0.99", "0:0.999; 0:0.99"),
        ("learning_rate", "0.01, 0.02, 0.03, 0.04", "0.01, 0.02, 0.03, 0.04"),
    ] {
        let axis = Axis::parse(keys, text).unwrap();
        assert_eq!(axis.values_text(), short);
        assert_eq!(Axis::parse(keys, short).unwrap(), axis);
    }
}

#[test]
fn what_is_written_reads_the_same() {
    let odd = r#"{ "title": "Quotes \" and \\", "preset": "regression", "settings": { "noise": 1e-3, "rate_schedule": "cosine,0:1,1:0.5" },
        "grid": { "weight_decay": [0.05, 1], "gating": ["output", "side"], "seed": "1..9" } }"#;
    for sweep in
        presets::all().into_iter().map(|(_, sweep)| sweep).chain([read(EXAMPLE), read(odd)])
    {
        let json = sweep.to_json();
        assert_eq!(Sweep::read("again", &json).unwrap(), sweep, "{json}");
        serde_json::from_str::<serde_json::Value>(&json).unwrap();
    }
    assert!(
        read(EXAMPLE).to_json().contains(r#""hidden,gates": ["8..40/2"]"#)
            && read(odd).to_json().contains(r#""noise": 0.001"#)
    );
}

#[test]
fn a_bad_file_is_told_what_is_wrong_with_it() {
    let numbers = "expected a whole number from 1 to 512";
    for (text, said) in [
        (r#"{ "grid": { "hidden": [8, ] } }"#, "trailing comma at line 1"),
        ("{ \"grid\":\n { \"hidden\": [8 9] } }", "line 2 column"),
        ("", "does not read as a sweep: expected { \"title\": "),
        ("[1]", "does not read as a sweep: expected { \"title\": "),
        ("{", "EOF while parsing an object at line 1"),
        (
            r#"{ "gird": { "hidden": [8] } }"#,
            "unknown field `gird`, expected one of `title`, `about`, `preset`, `settings`, `variants`, `grid`",
        ),
        (r#"{ "title": "a", "title": "b", "grid": { "hidden": [8] } }"#, "duplicate field `title`"),
        (r#"{ "title": "a" }"#, "grid: no axis — expected at least one setting"),
        (r#"{ "grid": {} }"#, "grid: no axis — expected at least one setting"),
        (
            r#"{ "preset": "unheard", "grid": { "hidden": [8] } }"#,
            "preset: unheard — expected one of discover, side",
        ),
        (
            r#"{ "settings": { "hiden": 8 }, "grid": { "seed": [1] } }"#,
            "hiden: unknown setting — expected one of task, dim",
        ),
        (
            r#"{ "settings": { "steps": [1, 2] }, "grid": { "seed": [1] } }"#,
            "steps: invalid type: sequence, expected a number or a text at line 1",
        ),
        (
            r#"{ "settings": { "steps": -5 }, "grid": { "seed": [1] } }"#,
            "steps: -5 — expected a whole number from 1",
        ),
        (
            r#"{ "settings": { "steps": 8, "steps": 9 }, "grid": { "seed": [1] } }"#,
            "steps stands there twice",
        ),
        (
            r#"{ "grid": { "hiden": [8] } }"#,
            "grid: hiden: unknown setting — expected one of task, dim",
        ),
        (r#"{ "grid": { "hidden,hiden": [8] } }"#, "grid: hiden: unknown setting"),
        (
            r#"{ "grid": { "": [8] } }"#,
            "grid: axis: no setting — expected one, or several with commas",
        ),
        (
            r#"{ "grid": { "hidden": [8], "hidden": [9] } }"#,
            "hidden stands there twice, expected each once at line 1",
        ),
        (
            r#"{ "grid": { "hidden,gates": [8], "seed,gates": [9] } }"#,
            "grid: gates: on two axes — expected each setting on one",
        ),
        (
            r#"{ "grid": { "hidden,hidden": [8] } }"#,
            "grid: hidden: twice on one axis — expected each setting once",
        ),
        (r#"{ "grid": { "hidden": [] } }"#, "grid: hidden: no values — expected at least one"),
        (r#"{ "grid": { "hidden": "" } }"#, "grid: hidden: no values — expected at least one"),
        (r#"{ "grid": { "hidden": [""] } }"#, "grid: hidden: nothing — expected"),
        (
            r#"{ "grid": { "hidden": null } }"#,
            "hidden: invalid type: null, expected a list of values, or a text like \"8, 10, 14..40/2\" at line 1",
        ),
        (
            r#"{ "grid": { "hidden": [true] } }"#,
            "hidden: invalid type: boolean `true`, expected a number or a text at line 1",
        ),
        (
            r#"{ "grid": { "hidden": { "from": 8 } } }"#,
            "hidden: invalid type: map, expected a list of values",
        ),
        (
            r#"{ "grid": { "hidden,gates": [8, 600] } }"#,
            "grid: hidden: 600 — expected a whole number from 1 to 512, or a range like 8..40/2",
        ),
        (r#"{ "grid": { "hidden": [8.5] } }"#, numbers),
        (r#"{ "grid": { "hidden": [1e300] } }"#, "hidden: 1e300 — expected a whole number"),
        (r#"{ "grid": { "hidden": ["many"] } }"#, numbers),
        (
            r#"{ "grid": { "hidden": ["8..4"] } }"#,
            "grid: hidden: 8..4 — expected whole numbers as from..to or from..to/step",
        ),
        (
            r#"{ "grid": { "hidden": ["8..40/0"] } }"#,
            "grid: hidden: 8..40/0 — expected whole numbers as from..to",
        ),
        (
            r#"{ "grid": { "hidden": ["8..x"] } }"#,
            "grid: hidden: 8..x — expected whole numbers as from..to",
        ),
        (
            r#"{ "grid": { "hidden": [8, 10, "6..12/2"] } }"#,
            "grid: hidden: 8 twice — expected each value once",
        ),
        (
            r#"{ "grid": { "rate_schedule": ["constant", "0:1"] } }"#,
            "grid: rate_schedule: constant twice",
        ),
        (
            r#"{ "grid": { "beta2": ["0:0.9", "quick"] } }"#,
            "grid: beta2: quick — expected constant, linear, cosine",
        ),
        (
            r#"{ "grid": { "beta2": "0:0.9, 0:0.99" } }"#,
            "grid: beta2: 0:0.9,0:0.99 — expected schedules with ; between them",
        ),
        (
            r#"{ "grid": { "teacher": ["strict"] } }"#,
            "grid: teacher: strict — expected one of orthogonal, gaussian",
        ),
        (
            r#"{ "grid": { "rank": [2, 3, 5], "seed": [1, 2] } }"#,
            "the run rank=5 seed=1: rank: 5 — expected at most d = 4",
        ),
        (
            r#"{ "grid": { "beta2": ["0:0.9", "0:1.5"] } }"#,
            "the run beta2=0:1.5: beta2: 0:1.5 — expected values from 0 to below 1",
        ),
        (
            r#"{ "grid": { "backend": ["cpu", "gpu"] } }"#,
            "grid: backend=cpu and backend=gpu with the same settings — expected runs that differ in more than the engine",
        ),
        (
            r#"{ "grid": { "pairs": [2, 3] } }"#,
            "grid: pairs: an axis — expected a setting that the task attention and the layer gated look at",
        ),
        (
            r#"{ "grid": { "layers": [1, 2] } }"#,
            "a setting that the task attention and the layer gated look at",
        ),
        (
            r#"{ "preset": "side", "grid": { "gates": [2, 3] } }"#,
            "the task attention and the layer gated with side gating look at",
        ),
        (
            r#"{ "grid": { "seed": ["0..4294967295"] } }"#,
            "seed: 0..4294967295, which is 4294967296 values — expected at most 1000000 values",
        ),
    ] {
        let refused = refusal(text);
        assert!(
            refused.starts_with("file.json: ") && refused.contains(said),
            "{text}\n  said {refused}\n  not  {said}"
        );
    }
    read("\u{feff}{ \"grid\": { \"seed\": [1] } }");
}

#[test]
fn large_grids_are_counted_before_they_are_built() {
    let sized = |axes: &[u64]| {
        let names = ["seed", "hidden,gates", "batch", "time"].iter().zip(axes);
        let axes =
            names.map(|(keys, count)| Axis::parse(keys, &format!("1..{count}")).unwrap()).collect();
        Sweep { axes, ..read(EXAMPLE) }
    };
    assert!(sized(&[100, 100]).check_count(LARGE).is_ok());
    let large = sized(&[1000, 11]);
    assert_eq!(
        large.check_count(LARGE).unwrap_err().to_string(),
        "grid: 11000 runs — expected at most 10000; if so many are meant, say so with --yes"
    );
    assert!(large.check_count(MOST).is_ok());
    let huge = sized(&[1_000_000, 512, 1000, 1000]);
    let refused = "grid: 512000000000000 runs — expected at most 1000000; take fewer values, or make several sweeps of it";
    assert_eq!(huge.check_count(u64::MAX).unwrap_err().to_string(), refused);
    assert_eq!(huge.runs().unwrap_err().to_string(), refused);
    assert_eq!(Queue::new(huge).unwrap_err().to_string(), refused);
    let beyond = Sweep {
        axes: vec![Axis { keys: vec!["seed".into()], values: vec!["1".into(); 100_000] }; 5],
        ..read(EXAMPLE)
    };
    assert!(beyond.check_count(LARGE).unwrap_err().to_string().contains("more than 10^19 runs"));
}

/// Whatever is typed as a range: the values that counting gives, or a refusal before any is made.
#[test]
fn every_range_is_counted_before_it_is_made() {
    let most = u128::from(MOST);
    let ends = [u128::from(u32::MAX), u128::from(u64::MAX), most];
    let numbers: Vec<u128> = ends
        .iter()
        .flat_map(|end| [end / 2, end - 1, *end])
        .chain([0, 1, 2, 7, most + 1])
        .collect();
    let seeds = |values: &str| Axis::parse("seed", values);
    let (mut read, mut refused) = (0, 0);
    let size = numbers.len();
    for i in 0..size.pow(3) {
        let [from, to, step] = [i / size / size, i / size % size, i % size].map(|i| numbers[i]);
        let text = format!("{from}..{to}/{step}");
        let count = to.checked_sub(from).and_then(|d| d.checked_div(step)).map(|steps| steps + 1);
        match count {
            None => assert!(seeds(&text).is_err(), "{text}"),
            Some(count) if (4097..=most).contains(&count) => {} // it would only take its time
            Some(count) if count <= most && from + (count - 1) * step <= u128::from(u32::MAX) => {
                let expected = (0..count).map(|i| (from + i * step).to_string());
                assert!(seeds(&text).unwrap().values.into_iter().eq(expected), "{text}");
                read += 1;
            }
            Some(count) => {
                let problem = seeds(&text).map(|axis| axis.values).unwrap_err().to_string();
                assert!(count <= most || problem.contains(&format!("{count} values")), "{problem}");
                refused += 1;
            }
        }
    }
    assert!(read > 50 && refused > 100, "{read} {refused}");
    let whole = "0..18446744073709551615";
    for typed in (10..=whole.len()).map(|length| &whole[..length]) {
        assert!(seeds(typed).unwrap_err().to_string().contains(&format!("at most {MOST} values")));
    }
    for text in [
        "5..1",
        "1..2/0",
        "-1..2",
        "1..2.5",
        "1e1..3",
        "0x1..3",
        "1..2..3",
        "..",
        "1../",
        "1..2/-1",
        "0..18446744073709551616",
    ] {
        let problem = seeds(text).unwrap_err().to_string();
        assert!(problem.contains("from..to"), "{text}: {problem}");
    }
    let reals = Axis::parse("learning_rate", whole).unwrap_err().to_string();
    assert!(reals.contains("18446744073709551616 values"), "{reals}");
    let several = seeds("1..600000, 600001..1200000").unwrap_err().to_string();
    assert!(several.contains("600000 values") && several.contains("at most 1000000"), "{several}");
}

#[test]
fn a_sweep_over_arrays_needs_them() {
    let sweep = read(
        r#"{ "settings": { "task": "file", "mask_at": 0, "batch": 4 }, "grid": { "hidden": [4, 6] } }"#,
    );
    assert_eq!(
        sweep.runs().unwrap_err().to_string(),
        "data: nothing — expected a file with the arrays x and y, for the task file"
    );
    let arrays = Arrays {
        sequences: 20,
        time: 5,
        inputs: 3,
        outputs: 2,
        steps: 5,
        x: vec![0.0; 300],
        y: vec![0.0; 200],
        weight: None,
    };
    let on = |name: &str, arrays: &Arrays| {
        sweep.runs_on(&sweep.base().unwrap().with_data(name, arrays)).unwrap()
    };
    let runs = on("here/data.npz", &arrays);
    assert_eq!(
        (runs[1].recipe.task, runs[1].recipe.outputs, runs[1].recipe.hidden),
        (TaskName::File, 2, 6)
    );
    assert_eq!(on("there\\data.npz", &arrays)[0].key, runs[0].key, "the folder does not count");
    assert_ne!(on("here/other.npz", &arrays)[0].key, runs[0].key);
    assert_ne!(on("here/data.npz", &Arrays { sequences: 19, ..arrays })[0].key, runs[0].key);
}

/// A batch that the definition does not set is no larger than what there is to train on; one that
/// it sets is left as it is.
#[test]
fn a_sweep_over_few_sequences_fits_its_batch_to_them() {
    let arrays = |sequences: usize| Arrays {
        sequences,
        time: 1,
        inputs: 1,
        outputs: 1,
        steps: 1,
        x: vec![0.0; sequences],
        y: vec![0.0; sequences],
        weight: None,
    };
    let runs = |settings: &str, grid: &str, sequences: usize| {
        let sweep = read(&format!(
            r#"{{ "settings": {{ "task": "file"{settings} }}, "grid": {{ {grid} }} }}"#
        ));
        sweep.runs_on(&sweep.base().unwrap().with_data("d.npz", &arrays(sequences)))
    };
    for sequences in 1..=200 {
        let fractions = runs("", r#""test_fraction": [0, 0.1, 0.5, 0.9]"#, sequences).unwrap();
        for run in &fractions {
            let (train, batch) = (run.recipe.train_sequences(), run.recipe.batch);
            assert_eq!(batch, train.min(64), "{sequences} sequences, {}", run.name);
        }
        let [set, varied] = [(r#", "batch": 50"#, r#""seed": [1]"#), ("", r#""batch": [1, 50]"#)]
            .map(|(settings, grid)| runs(settings, grid, sequences));
        assert!(set.is_ok() == (sequences > 55) && varied.is_ok() == set.is_ok(), "{sequences}");
    }
}

#[test]
fn the_papers_figures_are_there() {
    assert_eq!(presets::names(), ["fig3a", "fig3b", "fig3c", "fig4a", "fig4b"]);
    for (name, least) in [("fig3a", 14), ("fig3b", 42), ("fig3c", 12)] {
        let sweep = presets::find(name).unwrap();
        let runs = sweep.runs().unwrap();
        assert!(runs.iter().all(|run| minimum(&run.recipe) == Some(least)), "{name}");
        let sizes: Vec<usize> =
            sweep.axes[0].values.iter().map(|value| value.parse().unwrap()).collect();
        assert_eq!(sweep.axes[0].keys, ["hidden", "gates"]);
        assert!(
            sizes.contains(&least)
                && sizes.contains(&(2 * least))
                && sizes[0] < least
                && sizes[sizes.len() - 1] > 2 * least,
            "{name}: {sizes:?}"
        );
        assert!(
            !sweep.title.is_empty()
                && sweep.about.ends_with('.')
                && sweep.check_count(LARGE).is_ok()
        );
        assert!(runs.iter().all(|run| run.recipe.mask_at == 0.0 && run.recipe.seed <= 3));
    }
    assert!(presets::find("fig9").is_none());
    let recall = preset::find("recall").unwrap().recipe;
    assert_eq!(minimum(&recall), None);
    assert_eq!(minimum(&Recipe { gating: Gating::Side, ..Recipe::default() }), Some(16));
}

fn record(queue: &Queue, index: usize) -> Record {
    let run = &queue.runs()[index];
    Record {
        key: run.key.clone(),
        recipe: run.recipe.clone(),
        outcome: Outcome::Finished,
        curve: Curve::default(),
        neurons: None,
        device: "cpu".into(),
    }
}

#[test]
fn the_next_runs_are_of_one_program() {
    let mut queue = Queue::new(grid(
        r#"{ "seed": [1, 2, 3], "hidden": [8, 10], "learning_rate": [0.01, 0.02] }"#,
    ))
    .unwrap();
    assert_eq!(queue.next(8).unwrap(), [0, 1, 4, 5, 8, 9], "all of n = 8");
    assert_eq!(queue.next(4).unwrap(), [0, 1, 4, 5]);
    assert_eq!(queue.next(0).unwrap(), [0]);
    queue.finish(record(&queue, 0));
    queue.progress(1, 7, Curve::default());
    assert!(matches!(queue.state(1), State::Training(7, _)));
    assert_eq!(queue.next(8).unwrap(), [2, 3, 6, 7, 10, 11], "the first that waits is of n = 10");
    [2, 3].into_iter().for_each(|index| queue.finish(record(&queue, index)));
    assert_eq!(queue.next(8).unwrap(), [4, 5, 8, 9]);
    queue.drop_current();
    assert_eq!(queue.next(8).unwrap(), [1, 4, 5, 8, 9], "what was given up begins anew");
    assert_eq!((queue.over(), queue.left()), (3, 9));
    (0..12).for_each(|index| queue.finish(record(&queue, index)));
    assert_eq!((queue.next(3), queue.over(), queue.left()), (None, 12, 0));
}

#[test]
fn only_what_is_compiled_parts_programs() {
    let programs = |axis: &str, preset: &str| {
        let queue =
            Queue::new(read(&format!(r#"{{ "preset": "{preset}", "grid": {{ {axis} }} }}"#)))
                .unwrap();
        (0..queue.runs().len()).map(|index| queue.same_program(0, index)).collect::<Vec<bool>>()
    };
    for axis in [
        r#""seed": [1, 2]"#,
        r#""beta2": ["0:0.9", "0:0.99"]"#,
        r#""rank": [1, 2]"#,
        r#""teacher": ["gaussian", "orthogonal"]"#,
        r#""weight_decay": [0, 1]"#,
        r#""mask_threshold": [0.1, 0.2]"#,
    ] {
        assert_eq!(programs(axis, "discover"), [true, true], "{axis}");
    }
    for axis in [
        r#""hidden": [8, 9]"#,
        r#""gates": [8, 9]"#,
        r#""dim": [4, 5]"#,
        r#""time": [8, 9]"#,
        r#""batch": [8, 9]"#,
        r#""steps": [800, 900]"#,
        r#""mask_at": [0, 0.5]"#,
        r#""mask_at": [0.25, 0.5]"#,
        r#""gating": ["output", "side"]"#,
    ] {
        assert_eq!(programs(axis, "discover"), [true, false], "{axis}");
    }
    for axis in [r#""noise": [0, 1]"#, r#""weight_variance": [1, 2]"#] {
        assert_eq!(programs(axis, "regression"), [true, true], "{axis}");
    }
    assert_eq!(programs(r#""pairs": [4, 5]"#, "regression"), [true, false]);
}

#[test]
fn shards_share_all_runs_between_them() {
    assert_eq!(
        (Shard { index: 2, count: 4 }.to_string(), " 2 / 4".parse::<Shard>().unwrap()),
        ("2/4".into(), Shard { index: 2, count: 4 })
    );
    for bad in ["", "2", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/2/3", "1/1001"] {
        let refused = bad.parse::<Shard>().expect_err(bad).to_string();
        assert!(
            refused.starts_with("shard: ") && refused.contains("expected i/n like 2/4"),
            "{refused}"
        );
    }
    let alike = read(r#"{ "grid": { "hidden": "8..19", "dim": [4], "seed": "1..6" } }"#);
    let sweeps = [
        ("fig3a", presets::find("fig3a").unwrap()),
        ("fig3c", presets::find("fig3c").unwrap()),
        ("alike", alike),
        ("few", grid(r#"{ "seed": "1..3" }"#)),
    ];
    for (name, sweep) in sweeps {
        for count in 1..=7 {
            let shards: Vec<Queue> = (1..=count)
                .map(|index| Queue::new(sweep.clone()).unwrap().of_shard(Shard { index, count }))
                .collect();
            let runs = shards[0].runs().len();
            let owners: Vec<usize> = (0..runs)
                .map(|run| shards.iter().filter(|shard| shard.is_mine(run)).count())
                .collect();
            assert!(owners.iter().all(|owners| *owners == 1), "{name} in {count}: {owners:?}");
            // A program is in several shards at most as often as there are places between shards.
            let firsts: Vec<usize> = (0..runs)
                .filter(|&run| (0..run).all(|earlier| !shards[0].same_program(earlier, run)))
                .collect();
            let parts = |first: usize| {
                shards
                    .iter()
                    .filter(|shard| {
                        (0..runs).any(|run| shard.is_mine(run) && shard.same_program(first, run))
                    })
                    .count()
            };
            let splits: usize = firsts.iter().map(|&first| parts(first) - 1).sum();
            assert!(splits < count, "{name} in {count}: {splits} splits");
            let work = |shard: &Queue| {
                (0..runs)
                    .filter(|&run| shard.is_mine(run))
                    .map(|run| cost(&shard.runs()[run].recipe))
                    .sum::<f64>()
            };
            let (all, largest) = (
                (0..runs).map(|run| cost(&shards[0].runs()[run].recipe)),
                (0..runs).map(|run| cost(&shards[0].runs()[run].recipe)).fold(0.0, f64::max),
            );
            let fair = all.sum::<f64>() / count as f64;
            for shard in &shards {
                assert!(
                    (work(shard) - fair).abs() <= 0.25 * fair + largest,
                    "{name} in {count}: {} of {fair}",
                    work(shard)
                );
            }
        }
    }
    for (times, count) in [("8..19", 3), ("7, 8, 10, 14, 15, 18", 2)] {
        let grid = grid(&format!(r#"{{ "time": "{times}", "seed": "1..6" }}"#));
        let shards: Vec<Queue> = (1..=count)
            .map(|index| Queue::new(grid.clone()).unwrap().of_shard(Shard { index, count }))
            .collect();
        for first in (0..shards[0].runs().len()).step_by(6) {
            assert!(
                shards.iter().any(|shard| (first..first + 6).all(|run| shard.is_mine(run))),
                "{times}: each program fits into a shard as a whole"
            );
        }
    }
    let twelve = Queue::new(grid(r#"{ "time": "8..19", "seed": "1..6" }"#))
        .unwrap()
        .of_shard(Shard { index: 2, count: 3 });
    let mine: Vec<usize> = (0..72).filter(|&run| twelve.is_mine(run)).collect();
    let (mut shard, mut seen) = (twelve, vec![]);
    while let Some(next) = shard.next(4) {
        next.iter().for_each(|&run| shard.finish(record(&shard, run)));
        seen.extend(next);
    }
    seen.sort_unstable();
    assert_eq!((seen, shard.left()), (mine, 0));
}

/// Multiplications a run, roughly.
fn cost(recipe: &Recipe) -> f64 {
    (recipe.steps as usize * recipe.plan().time * recipe.hidden * (recipe.dim + 1 + recipe.gates))
        as f64
}
