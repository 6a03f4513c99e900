//! A sweep's folder: what was kept comes back bit for bit, what is broken is named and costs
//! nothing else, nobody is in another's way.

use gatelens::analysis::importance::Census;
use gatelens::backend::StepLoss;
use gatelens::math::random;
use gatelens::recipe::{Engine, Recipe};
use gatelens::sweep::Sweep;
use gatelens::sweep::merge::merge;
use gatelens::sweep::partial::Partial;
use gatelens::sweep::queue::Queue;
use gatelens::sweep::record::{Curve, Outcome, POINTS, Record, mark};
use gatelens::sweep::results::{read, results_csv, results_json};
use gatelens::sweep::shard::Shard;
use gatelens::sweep::store::Store;
use gatelens::train::session::Snapshot;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweep").join(name);
    drop(fs::remove_dir_all(&path));
    path
}

fn sweep() -> Sweep {
    let text = r#"{ "title": "Small", "settings": { "dim": 2, "steps": 640 }, "grid": { "hidden,gates": [3, 4, 5], "beta2": ["0:0.9,0.5:0.99", "0:0.99"], "seed": "1..2" } }"#;
    Sweep::read("small.json", text).unwrap()
}

/// Finite numbers of every size.
fn odd(seed: u32, count: usize) -> Vec<f32> {
    let uniform = random::uniforms(seed, "odd", 2 * count);
    let mut numbers: Vec<f32> =
        uniform.chunks(2).map(|u| (1.0 + u[0]) * ((u[1] * 250.0).floor() - 125.0).exp2()).collect();
    numbers
        .iter_mut()
        .zip([
            0.0,
            -0.0,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            f32::MAX,
            1.0 + f32::EPSILON,
            8_589_973_504.0,
        ])
        .for_each(|(n, v)| *n = v);
    numbers
}

fn curve(seed: u32, points: usize) -> Curve {
    let (losses, powers) = (odd(seed, points), odd(seed + 1, points));
    Curve(
        losses
            .into_iter()
            .zip(powers)
            .map(|(loss, power)| StepLoss { loss, power: power.abs() })
            .collect(),
    )
}

fn record(queue: &Queue, index: usize) -> Record {
    let run = &queue.runs()[index];
    let neurons = Some(Census { key_value: 1, query: 2, between: 0, unused: index, gates: 3 });
    Record {
        key: run.key.clone(),
        recipe: run.recipe.clone(),
        outcome: Outcome::Finished,
        curve: curve(index as u32, POINTS as usize),
        neurons,
        device: "cpu: 2 threads".into(),
    }
}

fn partial(recipe: &Recipe, points: usize) -> Partial {
    let count = recipe.plan().program().params.len();
    let [parameters, first_moment, second_moment] = [1, 2, 3].map(|seed| odd(seed, count));
    let snapshot = Snapshot {
        step: mark(u64::from(recipe.steps), points as u64),
        parameters,
        first_moment,
        second_moment,
    };
    Partial { snapshot, curve: curve(9, points) }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|v| v.to_bits()).collect()
}

fn curve_bits(curve: &Curve) -> Vec<(u32, u32)> {
    curve.0.iter().map(|point| (point.loss.to_bits(), point.power.to_bits())).collect()
}

fn shard(text: &str) -> Shard {
    text.parse().unwrap()
}

#[test]
fn what_is_kept_comes_back_bit_for_bit() {
    let dir = folder("round");
    let store = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap();
    let queue = Queue::new(sweep()).unwrap();
    let mut kept: Vec<Record> = (0..4).map(|index| record(&queue, index)).collect();
    kept[1].outcome = Outcome::Diverged(77);
    kept[2] = Record {
        outcome: Outcome::Failed("no memory, \"sorry\"".into()),
        neurons: None,
        curve: Curve::default(),
        ..kept[2].clone()
    };
    kept[3].recipe.backend = Engine::Cpu; // another engine is no other run
    let run = &queue.runs()[0];
    for points in [0, 1, 31, 64] {
        let partial = partial(&run.recipe, points);
        store.keep_partial(run, &partial).unwrap();
        let read = store.partial(run).unwrap().unwrap();
        assert_eq!(
            (read.snapshot.step, curve_bits(&read.curve)),
            (partial.snapshot.step, curve_bits(&partial.curve))
        );
        for (read, written) in [
            (&read.snapshot.parameters, &partial.snapshot.parameters),
            (&read.snapshot.first_moment, &partial.snapshot.first_moment),
            (&read.snapshot.second_moment, &partial.snapshot.second_moment),
        ] {
            assert_eq!(bits(read), bits(written));
        }
    }
    kept.iter().for_each(|record| store.keep(record).unwrap());
    assert_eq!(store.partial(run).unwrap(), None, "a run that is over has no state in training");
    let mut read = store.records().unwrap();
    assert!(read.notes.is_empty(), "{:?}", read.notes);
    read.records.sort_by_key(|record| kept.iter().position(|other| other.key == record.key));
    assert_eq!(read.records, kept);
    for (read, kept) in read.records.iter().zip(&kept) {
        assert_eq!(curve_bits(&read.curve), curve_bits(&kept.curve));
    }
    let left: Vec<_> = fs::read_dir(dir.join("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(left.len() == 4 && left.iter().all(|name| name.ends_with(".json")), "{left:?}");
    let endless = Record {
        curve: Curve(vec![StepLoss { loss: f32::INFINITY, power: 1.0 }]),
        ..record(&queue, 5)
    };
    assert!(store.keep(&endless).unwrap_err().to_string().contains("points that are no numbers"));
}

#[test]
fn broken_files_are_named_and_count_as_not_there() {
    let dir = folder("broken");
    let store = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap();
    let queue = Queue::new(sweep()).unwrap();
    let keys: Vec<&str> = queue.runs().iter().map(|run| run.key.as_str()).collect();
    (0..4).for_each(|index| store.keep(&record(&queue, index)).unwrap());
    let file = |index: usize| dir.join("runs").join(format!("{}.json", keys[index]));
    let whole = fs::read(file(0)).unwrap();
    fs::write(file(0), &whole[..whole.len() / 2]).unwrap();
    fs::write(file(1), "").unwrap();
    fs::rename(file(2), file(5)).unwrap(); // a record under another run's name
    fs::write(
        file(6),
        serde_json::to_string(&Record { key: keys[6].into(), ..record(&queue, 7) }).unwrap(),
    )
    .unwrap();
    fs::write(
        file(8),
        serde_json::to_string(&Record { key: keys[9].into(), ..record(&queue, 8) }).unwrap(),
    )
    .unwrap();
    fs::write(dir.join("runs").join("half.json.tmp"), "{").unwrap();
    let read = store.records().unwrap();
    assert_eq!(read.records, [record(&queue, 3)]);
    assert_eq!(read.notes.len(), 5, "{:?}", read.notes);
    for (index, said) in [
        (0, "not a whole record (EOF"),
        (1, "not a whole record (EOF"),
        (5, keys[2]),
        (6, keys[7]),
        (8, keys[8]),
    ] {
        assert!(
            read.notes.iter().any(|note| note.contains(keys[index])
                && note.contains("counts as not there")
                && note.contains(said)),
            "{index}: {:?}",
            read.notes
        );
    }
    let [run, other] = [&queue.runs()[0], &queue.runs()[4]];
    let state = partial(&run.recipe, 20);
    let path = dir.join("partial").join(format!("{}.safetensors", run.key));
    let refused = || store.partial(run).unwrap_err().to_string();
    store.keep_partial(run, &state).unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    assert!(
        refused().contains(&run.key) && refused().contains("not a whole safetensors file"),
        "{}",
        refused()
    );
    store.keep_partial(run, &Partial { curve: curve(9, 19), ..state.clone() }).unwrap();
    assert!(
        refused().ends_with("is at step 200 with a curve of 19 points, which do not go together"),
        "{}",
        refused()
    );
    store
        .keep_partial(
            run,
            &Partial {
                snapshot: Snapshot {
                    first_moment: vec![],
                    second_moment: vec![],
                    ..state.snapshot.clone()
                },
                ..state
            },
        )
        .unwrap();
    assert!(refused().contains("has no moments"), "{}", refused());
    store.keep_partial(other, &partial(&other.recipe, 20)).unwrap();
    fs::rename(dir.join("partial").join(format!("{}.safetensors", other.key)), &path).unwrap();
    assert!(refused().ends_with(&format!("is not of the run {}", run.name)), "{}", refused());
}

#[test]
fn nobody_is_in_anothers_way() {
    let dir = folder("locks");
    let grown =
        Sweep::read("grown.json", &sweep().to_json().replace("[3, 4, 5]", "[3, 4, 5, 6]")).unwrap();
    let refused = |sweep: &Sweep, part: &str| {
        Store::open(&dir, sweep, shard(part)).expect_err(part).to_string()
    };
    let whole = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap();
    let own = format!("process {}", std::process::id());
    let said = refused(&sweep(), "1/1");
    assert!(
        said.starts_with(&format!("{}: {own}", dir.display()))
            && said.contains(
                "is at work there already; wait for it or stop it, or choose another folder"
            ),
        "{said}"
    );
    let said = refused(&sweep(), "1/2");
    assert!(
        said.contains(&own)
            && said.contains(
                "is at work there on shard 1/1, which overlaps with 1/2; wait for it, or choose another folder"
            ),
        "{said}"
    );
    drop(whole);
    let (first, second) = (
        Store::open(&dir, &sweep(), shard("1/2")).unwrap(),
        Store::open(&dir, &sweep(), shard("2/2")).unwrap(),
    );
    assert!(refused(&sweep(), "2/2").contains("is at work there on shard 2/2 already"));
    assert!(
        refused(&sweep(), "1/3")
            .contains("on shard 1/2, which overlaps with 1/3; take a shard i/2, wait for it")
    );
    drop(second);
    let said = refused(&grown, "2/2");
    assert!(
        said.contains("is at work there on shard 1/2 of another sweep.json; wait for it"),
        "{said}"
    );
    drop(first);
    let before = fs::read_to_string(dir.join("sweep.json")).unwrap();
    drop(Store::open(&dir, &grown, shard("2/2")).unwrap());
    assert_eq!(
        Sweep::read("sweep.json", &fs::read_to_string(dir.join("sweep.json")).unwrap()).unwrap(),
        grown,
        "a sweep may grow"
    );
    let spaced = before.replace(": ", ":  ");
    fs::write(dir.join("sweep.json"), &spaced).unwrap();
    drop(Store::open(&dir, &sweep(), Shard::WHOLE).unwrap());
    assert_eq!(
        fs::read_to_string(dir.join("sweep.json")).unwrap(),
        spaced,
        "the same definition is left as it was written"
    );
}

#[test]
fn shards_can_start_all_at_once() {
    let dir = folder("at-once");
    let open = |index| {
        let dir = dir.clone();
        std::thread::spawn(move || Store::open(&dir, &sweep(), Shard { index, count: 8 }))
    };
    let opened: Vec<_> = (1..=8)
        .map(open)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    opened.iter().for_each(|store| assert!(store.is_ok(), "{store:?}"));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_at_once() {
    let dir = folder("file");
    fs::create_dir_all(dir.parent().unwrap()).unwrap();
    fs::write(&dir, "a file").unwrap();
    let refused = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap_err().to_string();
    assert!(refused.starts_with(&format!("making the folder {}: ", dir.display())), "{refused}");
    fs::remove_file(&dir).unwrap();
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("runs"), "a file").unwrap();
    let refused = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap_err().to_string();
    assert!(
        refused.starts_with(&format!("making the folder {}: ", dir.join("runs").display())),
        "{refused}"
    );
    fs::remove_file(dir.join("runs")).unwrap();
    let store = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap();
    let queue = Queue::new(sweep()).unwrap();
    let path = dir.join("runs").join(format!("{}.json", queue.runs()[0].key));
    fs::create_dir_all(path.join("in the way")).unwrap();
    let refused = store.keep(&record(&queue, 0)).unwrap_err().to_string();
    assert!(refused.starts_with(&format!("writing {}: ", path.display())), "{refused}");
    assert_eq!(fs::read_dir(dir.join("runs")).unwrap().count(), 1, "nothing half-written is left");
}

#[test]
fn merged_shards_are_the_whole() {
    let queue = Queue::new(sweep()).unwrap();
    let keep = |name: &str, part: &str, only: &dyn Fn(usize) -> bool| {
        let dir = folder(name);
        let store = Store::open(&dir, &sweep(), shard(part)).unwrap();
        let mine = queue.clone().of_shard(shard(part));
        (0..12)
            .filter(|&run| mine.is_mine(run) && only(run))
            .for_each(|run| store.keep(&record(&queue, run)).unwrap());
        (0..12).find(|&run| mine.is_mine(run)).unwrap()
    };
    keep("merge-whole", "1/1", &|_| true);
    keep("merge-1", "1/2", &|_| true);
    let lost = keep("merge-2", "2/2", &|_| true);
    let [whole, one, two, out] = ["merge-whole", "merge-1", "merge-2", "merge-out"]
        .map(|name| Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweep").join(name));
    drop(fs::remove_dir_all(&out));
    let merged = merge(&[one.clone(), two.clone()], &out).unwrap();
    assert_eq!((merged.queue.over(), merged.missing.len(), merged.notes.len()), (12, 0, 0));
    merge(std::slice::from_ref(&whole), &whole).unwrap();
    for file in ["results.csv", "results.json", "sweep.json"] {
        assert_eq!(
            fs::read_to_string(out.join(file)).unwrap(),
            fs::read_to_string(whole.join(file)).unwrap(),
            "{file}"
        );
    }
    for run in queue.runs() {
        let file = Path::new("runs").join(format!("{}.json", run.key));
        assert_eq!(fs::read(out.join(&file)).unwrap(), fs::read(whole.join(&file)).unwrap());
    }
    fs::remove_file(two.join("runs").join(format!("{}.json", queue.runs()[lost].key))).unwrap();
    fs::write(two.join("runs").join("half.json"), "{").unwrap();
    drop(fs::remove_dir_all(&out));
    let merged = merge(&[one.clone(), two.clone()], &out).unwrap();
    assert_eq!(
        (merged.queue.over(), &merged.missing),
        (11, &vec![queue.runs()[lost].name.clone()])
    );
    assert!(merged.notes.len() == 1 && merged.notes[0].contains("half.json"), "{:?}", merged.notes);
    assert!(fs::read_to_string(out.join("results.csv")).unwrap().contains("waiting"));
    assert!(
        merge(&[whole, one, two], &out).unwrap().missing.is_empty(),
        "what several folders say alike is fine"
    );
}

#[test]
fn folders_that_contradict_each_other_are_named() {
    let queue = Queue::new(sweep()).unwrap();
    let kept = |name: &str, sweep: &Sweep, record: &Record| {
        let dir = folder(name);
        Store::open(&dir, sweep, Shard::WHOLE).unwrap().keep(record).unwrap();
        dir
    };
    let out = folder("conflict-out");
    let own = record(&queue, 0);
    let one = kept("conflict-1", &sweep(), &own);
    let elsewhere = Record {
        device: "gpu: other".into(),
        recipe: Recipe { backend: Engine::Gpu, ..own.recipe.clone() },
        ..own.clone()
    };
    let two = kept("conflict-2", &Sweep { title: "Another title".into(), ..sweep() }, &elsewhere);
    assert_eq!(
        merge(&[one.clone(), two], &out).unwrap().queue.over(),
        1,
        "the device and the title may differ"
    );
    let mut other = own.clone();
    other.curve.0[9].loss += 1.0;
    let three = kept("conflict-3", &sweep(), &other);
    let refused = merge(&[one.clone(), three.clone()], &out).unwrap_err().to_string();
    let file =
        |dir: &Path| dir.join("runs").join(format!("{}.json", own.key)).display().to_string();
    assert!(
        refused.contains(&file(&one))
            && refused.contains(&file(&three))
            && refused.contains("says something else of the same run"),
        "{refused}"
    );
    let changed = Sweep { settings: vec![("dim".into(), "3".into())], ..sweep() };
    let four = kept("conflict-4", &changed, &own);
    let refused = merge(&[one.clone(), four.clone()], &out).unwrap_err().to_string();
    assert!(
        refused.starts_with(&four.display().to_string())
            && refused
                .contains(&format!("another sweep than {}: the settings differ", one.display())),
        "{refused}"
    );
    let refused = merge(&[one], &four).unwrap_err().to_string();
    assert!(
        refused.contains("the settings differ"),
        "the folder that is written counts too: {refused}"
    );
    let nothing = folder("conflict-none");
    let refused = merge(std::slice::from_ref(&nothing), &out).unwrap_err().to_string();
    assert!(
        refused.contains("sweep.json")
            && refused.contains("in a folder that `gatelens sweep` made"),
        "{refused}"
    );
    assert!(
        merge(&[], &out).unwrap_err().to_string().contains("expected the folders of all shards")
    );
}

#[test]
fn tables_say_what_the_records_say() {
    let mut queue = Queue::new(sweep()).unwrap();
    let point = StepLoss { loss: 0.5, power: 2.0 };
    queue.finish(Record { curve: Curve(vec![point]), ..record(&queue, 0) });
    queue.finish(Record { outcome: Outcome::Diverged(123), ..record(&queue, 1) });
    let failed = Outcome::Failed("no memory, \"sorry\"\nlower batch".into());
    queue.finish(Record {
        outcome: failed,
        neurons: None,
        curve: Curve(vec![point; 32]),
        device: "GPU \"large\"".into(),
        ..record(&queue, 2)
    });
    queue.progress(3, 40, Curve::default());
    let key = |index: usize| queue.runs()[index].key.clone();
    let csv = results_csv(&queue);
    let expected = [
        "name,hidden,gates,beta2,seed,parameters,outcome,problem,steps_done,loss,nmse,neurons_key_value,neurons_query,neurons_between,neurons_unused,gates_in_use,device,key".to_owned(),
        format!("\"hidden=gates=3 beta2=0:0.9,0.5:0.99 seed=1\",3,3,\"0:0.9,0.5:0.99\",1,45,finished,,640,5e-1,2.5e-1,1,2,0,0,3,cpu: 2 threads,{}", key(0)),
        format!("\"hidden=gates=3 beta2=0:0.9,0.5:0.99 seed=2\",3,3,\"0:0.9,0.5:0.99\",2,45,diverged,,123,,,1,2,0,1,3,cpu: 2 threads,{}", key(1)),
        format!("hidden=gates=3 beta2=0:0.99 seed=1,3,3,0:0.99,1,45,failed,\"no memory, \"\"sorry\"\"\nlower batch\",320,,,,,,,,\"GPU \"\"large\"\"\",{}", key(2)),
        format!("hidden=gates=3 beta2=0:0.99 seed=2,3,3,0:0.99,2,45,training,,40,,,,,,,,,{}", key(3)),
    ];
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(lines.len(), 1 + 12 + 1, "one line a run");
    assert_eq!(lines[..5], expected.each_ref().map(String::as_str));
    let again = read("results.json", &results_json(&queue))
        .unwrap()
        .expect("results with their definition");
    assert_eq!(again.sweep, queue.sweep);
    assert!(
        (0..3).all(|index| again.state(index) == queue.state(index)),
        "what was written reads the same"
    );
    assert_eq!(again.over(), 3);
    assert!(
        read("sweep.json", &queue.sweep.to_json()).unwrap().is_none(),
        "a definition alone is no results"
    );
    let spoiled = results_json(&queue).replace("\"learning_rate\":0.01", "\"learning_rate\":0.02");
    assert!(read("results.json", &spoiled).unwrap_err().to_string().contains("belong to"));
    let json: Value = serde_json::from_str(&results_json(&queue)).unwrap();
    let runs = json["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &json["title"]), (12, &Value::from("Small")));
    assert_eq!(
        (&runs[0]["settings"]["hidden"], &runs[0]["settings"]["beta2"]),
        (&Value::from(3), &Value::from("0:0.9,0.5:0.99"))
    );
    assert_eq!(
        (&runs[0]["loss"], &runs[0]["nmse"], &runs[0]["neurons"]["gates"]),
        (&Value::from(0.5), &Value::from(0.25), &Value::from(3))
    );
    assert_eq!(
        (&runs[2]["problem"], &runs[2]["loss"], &runs[4]["outcome"], &runs[4]["device"]),
        (
            &Value::from("no memory, \"sorry\"\nlower batch"),
            &Value::Null,
            &Value::from("waiting"),
            &Value::Null
        )
    );
    let dir = folder("tables");
    let store = Store::open(&dir, &sweep(), Shard::WHOLE).unwrap();
    store.keep(&record(&queue, 11)).unwrap();
    store.write_results(&queue).unwrap();
    let written = fs::read_to_string(dir.join("results.csv")).unwrap();
    assert!(
        written.lines().last().unwrap().contains(",finished,,640,"),
        "what another shard kept is in the table"
    );
    assert_eq!(written.lines().count(), csv.lines().count());
}
