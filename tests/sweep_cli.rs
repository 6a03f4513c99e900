//! `gatelens sweep` as a cluster uses it: killed and started again, in shards, with runs that fail.

use gatelens::backend::StepLoss;
use gatelens::sweep::Sweep;
use gatelens::sweep::partial::Partial;
use gatelens::sweep::record::{Curve, POINTS, Record, mark};
use gatelens::sweep::shard::Shard;
use gatelens::sweep::store::Store;
use gatelens::train::session::Snapshot;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Twelve small runs of three shapes, masked half-way; one shape has a rate at which it diverges.
const TWELVE: &str = r#"{ "preset": "quick", "settings": { "steps": 640, "time": 8, "batch": 16, "mask_at": 0.5 },
    "grid": { "hidden,gates": [5, 6, 9], "learning_rate": [0.01, 10], "seed": [1, 2] } }"#;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gatelens-sweep-{}-{name}", std::process::id()));
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(folder: &Path, definition: &str) -> PathBuf {
    let file = folder.join("definition.json");
    fs::write(&file, definition).unwrap();
    file
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatelens"));
    command.arg("sweep").args(arguments).args(["--states-every", "0"]);
    command
}

fn sweep(definition: &Path, out: &Path, more: &[&str]) -> Output {
    command(&[
        definition.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--backend",
        "cpu",
        "--threads",
        "2",
    ])
    .args(more)
    .output()
    .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All records and results, without what they ran on.
fn results(out: &Path) -> BTreeMap<String, String> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(out.join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.extend(["results.csv", "results.json"].map(|name| out.join(name)));
    let read =
        |file: &PathBuf| fs::read_to_string(file).unwrap().replace("cpu 2 threads", "cpu 1 thread");
    files
        .iter()
        .map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), read(file)))
        .collect()
}

fn whole(folder: &Path) -> BTreeMap<String, String> {
    let out = folder.join("whole");
    let done = sweep(&write(folder, TWELVE), &out, &["--json"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let last: serde_json::Value =
        serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap();
    assert_eq!(
        (last["runs"].as_u64(), last["finished"].as_u64(), last["diverged"].as_u64()),
        (Some(12), Some(6), Some(6)),
        "{last}"
    );
    let found = results(&out);
    assert_eq!(found.len(), 14);
    assert!(
        fs::read_dir(out.join("partial")).unwrap().next().is_none(),
        "states of runs that are over are removed"
    );
    found
}

#[test]
fn killed_twice_it_equals_the_one_that_ran_through() {
    let folder = folder("killed");
    let expected = whole(&folder);
    let (definition, out) = (folder.join("definition.json"), folder.join("killed"));
    for records in [1, 5] {
        let mut child = command(&[
            definition.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--backend",
            "cpu",
            "--threads",
            "1",
            "--together",
            "3",
        ])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        let started = Instant::now();
        let is_whole = |file: &std::io::Result<fs::DirEntry>| {
            file.as_ref().is_ok_and(|file| file.path().extension().is_none_or(|e| e != "tmp"))
        };
        let count = |name: &str| {
            fs::read_dir(out.join(name)).map_or(0, |files| files.filter(is_whole).count())
        };
        // In the middle of a run, of which a state is kept.
        while !(count("runs") >= records && count("partial") > 0) {
            assert!(
                started.elapsed() < Duration::from_secs(300) && child.try_wait().unwrap().is_none(),
                "it should be at work"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(fs::read_dir(out.join("partial")).unwrap().next().is_some(), "something to go on from");
    let done = sweep(&definition, &out, &[]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(results(&out) == expected);
    // Nothing is left to do: the next call trains nothing and says the same.
    let again = sweep(&definition, &out, &["--json"]);
    assert!(
        again.status.success() && !text(&again.stderr).contains("Training"),
        "{}",
        text(&again.stderr)
    );
    fs::remove_dir_all(folder).unwrap();
}

/// The points of its curve that were kept are in the record: those steps were not trained again.
#[test]
fn a_run_goes_on_from_the_state_that_was_kept() {
    let folder = folder("state");
    let text_of = r#"{ "preset": "quick", "settings": { "steps": 640, "time": 2, "batch": 2, "hidden": 3, "gates": 3 }, "grid": { "seed": [1] } }"#;
    let (definition, out) = (write(&folder, text_of), folder.join("out"));
    let read = Sweep::read("definition.json", text_of).unwrap();
    let run = read.runs().unwrap().remove(0);
    let parameters = run.recipe.plan().program().params.initial(1);
    let (zeros, known) =
        (vec![0.0; parameters.len()], vec![StepLoss { loss: 0.125, power: 0.5 }; 10]);
    let snapshot = Snapshot {
        step: mark(640, 10),
        parameters,
        first_moment: zeros.clone(),
        second_moment: zeros,
    };
    Store::open(&out, &read, Shard::WHOLE)
        .unwrap()
        .keep_partial(&run, &Partial { snapshot, curve: Curve(known.clone()) })
        .unwrap();
    let done = sweep(&definition, &out, &[]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let record: Record = serde_json::from_str(
        &fs::read_to_string(out.join("runs").join(format!("{}.json", run.key))).unwrap(),
    )
    .unwrap();
    assert!(
        record.curve.0.len() as u64 == POINTS
            && record.curve.0[..10] == known
            && record.curve.0[10] != known[0],
        "{:?}",
        record.curve
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn four_shards_merged_equal_the_whole() {
    let folder = folder("shards");
    let expected = whole(&folder);
    let definition = folder.join("definition.json");
    let shards: Vec<PathBuf> = (1..=4).map(|i| folder.join(format!("shard-{i}"))).collect();
    for (i, out) in (1..).zip(&shards) {
        let done = sweep(&definition, out, &["--shard", &format!("{i}/4")]);
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let merged = folder.join("merged");
    let merge = |dirs: &[PathBuf]| {
        Command::new(env!("CARGO_BIN_EXE_gatelens"))
            .args(["sweep", "--out"])
            .arg(&merged)
            .arg("--merge")
            .args(dirs)
            .output()
            .unwrap()
    };
    let partly = merge(&shards[..3]);
    assert!(
        partly.status.success() && text(&partly.stderr).contains("No record of"),
        "{}",
        text(&partly.stderr)
    );
    assert!(results(&merged) != expected);
    let done = merge(&shards);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(results(&merged) == expected);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bad_sweeps_are_refused_with_a_sentence() {
    let folder = folder("bad");
    let out = folder.join("out");
    let grid = |grid: &str| {
        format!(r#"{{ "preset": "quick", "settings": {{ "steps": 10 }}, "grid": {grid} }}"#)
    };
    let cases = [
        (grid(r#"{ "hiden": [4] }"#), 2, "hiden"),
        (grid("{}"), 2, "grid"),
        (grid(r#"{ "hidden": "1..500", "gates": "1..500", "seed": "1..4" }"#), 2, "--yes"),
        (
            grid(r#"{ "hidden": "1..500", "gates": "1..500", "seed": "1..40000" }"#),
            2,
            "several sweeps",
        ),
        (grid(r#"{ "hidden": [0] }"#), 2, "from 1 to 512"),
        ("{ \"grid\"".to_owned(), 2, "line 1"),
        (r#"{ "settings": { "task": "file" }, "grid": { "seed": [1] } }"#.to_owned(), 2, "--data"),
    ];
    for (definition, code, expected) in cases {
        let done = sweep(&write(&folder, &definition), &out, &[]);
        assert_eq!(done.status.code(), Some(code), "{definition}: {}", text(&done.stderr));
        assert!(text(&done.stderr).contains(expected), "{definition}: {}", text(&done.stderr));
        assert!(
            !out.join("runs").exists(),
            "nothing is made before the definition is known to be sound"
        );
    }
    let done = sweep(Path::new("fig4"), &out, &[]);
    assert!(text(&done.stderr).contains("fig3a"), "{}", text(&done.stderr));
    let sound = write(&folder, &grid(r#"{ "seed": [1] }"#));
    for (more, expected) in [(["--shard", "5/4"], "i/n"), (["--backend", "tpu"], "auto, gpu, cpu")]
    {
        let done = command(&[sound.to_str().unwrap(), "--out", out.to_str().unwrap()])
            .args(more)
            .output()
            .unwrap();
        assert!(
            done.status.code() == Some(2) && text(&done.stderr).contains(expected),
            "{}",
            text(&done.stderr)
        );
    }
    let blocked = folder.join("file");
    fs::write(&blocked, "").unwrap();
    let done = sweep(&sound, &blocked, &[]);
    assert!(
        done.status.code() == Some(1) && text(&done.stderr).contains("making the folder"),
        "{}",
        text(&done.stderr)
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_second_process_on_the_same_shard_is_refused() {
    let folder = folder("twice");
    let definition = write(
        &folder,
        r#"{ "preset": "quick", "settings": { "steps": 1000000, "time": 2, "batch": 2, "hidden": 2, "gates": 2 }, "grid": { "seed": [1] } }"#,
    );
    let out = folder.join("out");
    let mut first = command(&[
        definition.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--backend",
        "cpu",
    ])
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    let started = Instant::now();
    while fs::read_dir(out.join("partial")).map_or(0, Iterator::count) == 0 {
        assert!(started.elapsed() < Duration::from_secs(300), "it should be at work");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = sweep(&definition, &out, &[]);
    assert!(
        second.status.code() == Some(1) && text(&second.stderr).contains("at work"),
        "{}",
        text(&second.stderr)
    );
    first.kill().unwrap();
    first.wait().unwrap();
    fs::remove_dir_all(folder).unwrap();
}
