//! The terminal as a user meets it: the binary, its exit codes, its last line, its files.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const QUICK: &[&str] = &[
    "train",
    "--backend",
    "cpu",
    "--preset",
    "quick",
    "--steps",
    "200",
    "--hidden",
    "8",
    "--gates",
    "6",
    "--batch",
    "8",
    "--time",
    "8",
];

fn gatelens(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gatelens"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

fn with<'a>(base: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [base, more].concat()
}

fn last_line(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default())
        .unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(std::fs::remove_dir_all(&path));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn training_leaves_a_folder_that_goes_on_and_evaluates() {
    let out = folder("train");
    let run = out.join("run");
    let run = run.to_str().unwrap();
    let output = gatelens(&with(QUICK, &["--json", "--out", run]));
    assert!(output.status.success(), "{}", errors(&output));
    let result = last_line(&output);
    assert_eq!(
        (&result["step"], &result["backend"], &result["interrupted"]),
        (&200.into(), &"cpu".into(), &false.into())
    );
    assert!(
        result["loss"].as_f64().unwrap() > 0.0
            && result["nmse"].as_f64().unwrap() < 1.5
            && result["steps_per_s"].as_f64().unwrap() > 1.0
    );
    let csv = std::fs::read_to_string(Path::new(run).join("metrics.csv")).unwrap();
    assert!(csv.starts_with("step,loss,") && csv.lines().count() == 201, "{csv}");
    assert!(
        std::fs::read_to_string(Path::new(run).join("recipe.json"))
            .unwrap()
            .contains("\"hidden\": 8")
    );
    let weights = Path::new(run).join("weights.safetensors");
    let weights = weights.to_str().unwrap();

    let further =
        gatelens(&["train", "--init", weights, "--steps", "260", "--backend", "cpu", "--json"]);
    assert_eq!(last_line(&further)["step"], 260, "{}", errors(&further));

    let x: Vec<u8> = (0..2 * 5 * 2).flat_map(|i| (i as f32 * 0.1 - 1.0).to_le_bytes()).collect();
    let view =
        safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![2, 5, 2], &x).unwrap();
    let (input, answer) = (out.join("x.safetensors"), out.join("y.safetensors"));
    std::fs::write(&input, safetensors::serialize([("x", view)], None).unwrap()).unwrap();
    let output = gatelens(&[
        "evaluate",
        weights,
        "--input",
        input.to_str().unwrap(),
        "--out",
        answer.to_str().unwrap(),
        "--backend",
        "cpu",
        "--json",
    ]);
    assert!(output.status.success(), "{}", errors(&output));
    let bytes = std::fs::read(&answer).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.tensor("y").unwrap().shape(), [2, 5, 2]);
    let wrong =
        gatelens(&["evaluate", weights, "--input", weights, "--out", answer.to_str().unwrap()]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(errors(&wrong).contains("no tensor x"), "{}", errors(&wrong));
}

#[test]
fn bad_usage_is_code_2_and_says_what_is_accepted() {
    let missing = folder("usage").join("none.safetensors");
    let picture = folder("usage-file").join("picture.safetensors");
    std::fs::write(&picture, b"\x89PNG and more").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["train", "--hidden", "0"], "hidden: 0 — expected a whole number from 1 to 512"),
        (&["train", "--lr", "NaN"], "learning_rate: NaN — expected a number"),
        (&["train", "--rank", "9"], "rank: 9 — expected at most d = 4"),
        (
            &["train", "--value-rank", "5"],
            "value_rank: 5 — expected at most d = 4, or 0 for the rank of all",
        ),
        (&["train", "--preset", "nought"], "preset: nought — expected one of discover"),
        (
            &["train", "--task", "chess"],
            "task: chess — expected one of attention, regression, recall",
        ),
        (&["train", "--rate-schedule", "fast"], "rate_schedule: fast"),
        (&["train", "--hiden", "3"], "--hidden"),
        (&["train", "--init", missing.to_str().unwrap()], "could not be read"),
        (&["train", "--init", picture.to_str().unwrap()], "safetensors"),
        (&["evaluate"], "required"),
    ];
    for (arguments, expected) in cases {
        let output = gatelens(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn what_cannot_be_done_is_code_1_before_any_work() {
    let blocked = folder("blocked").join("file");
    std::fs::write(&blocked, "in the way").unwrap();
    let output = gatelens(&with(QUICK, &["--out", blocked.join("run").to_str().unwrap()]));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors(&output).contains("writing") && errors(&output).contains("file"),
        "{}",
        errors(&output)
    );

    let output = gatelens(&[
        "train",
        "--backend",
        "cpu",
        "--batch",
        "1024",
        "--time",
        "1024",
        "--hidden",
        "512",
        "--gates",
        "512",
        "--dim",
        "64",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("MiB"), "the figure is named: {}", errors(&output));
}

#[test]
fn a_run_that_diverges_fails_and_keeps_the_last_good_state() {
    let run = folder("diverges");
    let output = gatelens(&with(
        QUICK,
        &[
            "--lr",
            "10",
            "--rate-schedule",
            "constant",
            "--steps",
            "5000",
            "--json",
            "--out",
            run.to_str().unwrap(),
        ],
    ));
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("stopped being a number at step"), "{}", errors(&output));
    let bytes = std::fs::read(run.join("weights.safetensors")).unwrap();
    let kept = gatelens::recipe::checkpoint::read("kept", &bytes).unwrap();
    assert_eq!(kept.snapshot.step, 0, "a rate of 10 ruins the very first step");
}

#[test]
fn a_construction_is_written_and_is_the_attention() {
    let out = folder("construct");
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let counts = [
        ("naive", 20, 16, 924),
        ("symmetric", 14, 16, 666),
        ("symmetric-shared", 14, 10, 474),
        ("low-rank", 20, 16, 924),
        ("side", 16, 16, 320),
    ];
    for (variant, hidden, gates, parameters) in counts {
        let file = path(variant);
        let output = gatelens(&[
            "construct",
            "--variant",
            variant,
            "--dim",
            "4",
            "--seed",
            "3",
            "--out",
            &file,
            "--json",
        ]);
        assert!(output.status.success(), "{}", errors(&output));
        let result = last_line(&output);
        assert_eq!(
            (
                &result["hidden"],
                &result["gates"],
                &result["parameters"],
                &result["attention_parameters"]
            ),
            (&hidden.into(), &gates.into(), &parameters.into(), &48.into()),
            "{variant}"
        );
        let error = result["max_error"].as_f64().unwrap();
        assert!(error > 0.0 && error < 1e-10, "{variant}: {error:e}");
        let bytes = std::fs::read(&file).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert!(
            tensors.tensors().iter().all(|(_, view)| view.dtype() == safetensors::Dtype::F64),
            "doubles"
        );
        let read = gatelens::recipe::checkpoint::read(variant, &bytes).unwrap();
        let built = gatelens::theory::construct(
            read.teacher.as_ref().unwrap(),
            <gatelens::theory::Variant as gatelens::named::Named>::from_key(variant).unwrap(),
        )
        .unwrap();
        assert_eq!(
            read.gated("read").unwrap(),
            built.network,
            "what was written is what was built"
        );
        assert!(read.recipe.is_none() && read.notes.is_empty());
    }
    // The teacher of any file that has one.
    let output = gatelens(&[
        "construct",
        "--variant",
        "naive",
        "--teacher",
        &path("side"),
        "--out",
        &path("again"),
        "--json",
    ]);
    assert_eq!(last_line(&output)["hidden"], 20, "{}", errors(&output));
    assert_eq!(
        gatelens::recipe::checkpoint::read_teacher("again", &std::fs::read(path("again")).unwrap())
            .unwrap(),
        gatelens::recipe::checkpoint::read_teacher("side", &std::fs::read(path("side")).unwrap())
            .unwrap()
    );
    let low = gatelens(&[
        "construct",
        "--variant",
        "low-rank",
        "--dim",
        "5",
        "--rank",
        "2",
        "--teacher-kind",
        "gaussian",
        "--out",
        &path("low"),
        "--json",
    ]);
    assert_eq!(last_line(&low)["hidden"], 6, "{}", errors(&low));
    let own = gatelens(&[
        "construct",
        "--variant",
        "low-rank",
        "--dim",
        "4",
        "--value-rank",
        "3",
        "--key-rank",
        "2",
        "--query-rank",
        "1",
        "--out",
        &path("own"),
        "--json",
    ]);
    assert_eq!(
        (&last_line(&own)["hidden"], &last_line(&own)["gates"]),
        (&4.into(), &3.into()),
        "{}",
        errors(&own)
    );
    assert!(
        String::from_utf8_lossy(
            &gatelens(&["construct", "--variant", "side", "--out", &path("said")]).stdout
        )
        .contains("16 + 0 neurons"),
        "in words without --json"
    );
}

#[test]
fn a_construction_that_cannot_be_says_why() {
    let out = folder("construct-usage");
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/x.safetensors");
    let [file, missing, picture] = [path("out"), path("missing"), path("picture")];
    std::fs::write(&picture, b"\x89PNG and more").unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["--variant", "symmetric", "--dim", "4", "--rank", "2"], "W_V has rank 2 of 4"),
        (&["--variant", "dense"], "variant: dense — expected one of naive"),
        (&["--variant", "naive", "--dim", "0"], "dim: 0 — expected a whole number"),
        (&["--variant", "naive", "--dim", "40"], "1640 neurons"),
        (&["--variant", "naive", "--dim", "3", "--rank", "4"], "rank: 4"),
        (&["--variant", "naive", "--teacher", &missing], "could not be read"),
        (&["--variant", "naive", "--teacher", &picture], "safetensors"),
        (
            &["--variant", "naive", "--teacher", data.to_str().unwrap()],
            "has no tensor teacher.value",
        ),
        (&["--variant", "naive", "--teacher", &picture, "--dim", "4"], "cannot be used with"),
        (&[], "--variant"),
    ];
    for (arguments, expected) in cases {
        let output = gatelens(&with(&["construct", "--out", &file], arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
    assert!(!Path::new(&file).exists());
    let blocked = gatelens(&["construct", "--variant", "naive", "--out", &path("picture/weights")]);
    assert_eq!(blocked.status.code(), Some(1), "{}", errors(&blocked));
}

#[test]
fn devices_are_listed() {
    let output = gatelens(&["devices", "--json"]);
    let list = last_line(&output)["devices"].as_array().unwrap().clone();
    assert!(list.iter().any(|device| device["kind"] == "cpu"), "{list:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    // Steps that are done when the signal comes; that there are some is a matter of chance.
    let interrupted = || {
        let run = folder("interrupted");
        let arguments =
            with(QUICK, &["--steps", "10000000", "--json", "--out", run.to_str().unwrap()]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_gatelens"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = lines.map(Result::unwrap);
        assert!(said.any(|line| line.starts_with("Training on")), "it ended before it trained");
        let signal = ["-INT", &child.id().to_string()];
        assert!(Command::new("kill").args(signal).status().unwrap().success());
        let errors: Vec<String> = said.collect();
        let output = child.wait_with_output().unwrap();
        let result = last_line(&output);
        assert!(output.status.success(), "{errors:?}");
        assert_eq!(result["interrupted"], true);
        let weights = std::fs::read(run.join("weights.safetensors")).unwrap();
        let kept = gatelens::recipe::checkpoint::read("kept", &weights).unwrap();
        assert_eq!(Some(kept.snapshot.step), result["step"].as_u64());
        kept.snapshot.step
    };
    assert!((0..20).any(|_| interrupted() > 0), "no step is ever done");
}
