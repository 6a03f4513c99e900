//! `analyze` as a user meets it: files made elsewhere, good and bad.

use safetensors::tensor::{Dtype, TensorView};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn analyze(file: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gatelens"))
        .arg("analyze")
        .arg(file)
        .args(more)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_str(text(&output.stdout).lines().last().unwrap()).unwrap()
}

/// A file of this test's own.
fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analyze");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

type Tensor = (String, Dtype, Vec<usize>, Vec<u8>);

fn doubles(name: &str, shape: &[usize], values: &[f64]) -> Tensor {
    (name.into(), Dtype::F64, shape.to_vec(), values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

fn floats(name: &str, shape: &[usize], values: &[f64]) -> Tensor {
    (
        name.into(),
        Dtype::F32,
        shape.to_vec(),
        values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
    )
}

/// Attention on one number, y_t = Σ x_s² · x_t: u = (x · x, x · 1), λ = (1, 0), g = h₁ h₂; in both
/// precisions, with `lambda`.
fn network() -> Vec<Tensor> {
    vec![
        doubles("input_gate.m", &[2, 2], &[1.0, 0.0, 1.0, 0.0]),
        floats("input_gate.x", &[2, 2], &[1.0, 0.0, 0.0, 1.0]),
        doubles("lambda", &[2], &[1.0, 1e-30]),
        floats("output_gate.m", &[1, 2], &[1.0, 0.0]),
        doubles("output_gate.x", &[1, 2], &[0.0, 1.0]),
        floats("readout", &[1, 1], &[1.0]),
    ]
}

fn with_teacher() -> Vec<Tensor> {
    let teacher =
        ["value", "key", "query"].map(|name| floats(&format!("teacher.{name}"), &[1, 1], &[1.0]));
    network().into_iter().chain(teacher).collect()
}

/// The tensor of that name replaced by `tensor`; none for leaving it out.
fn replaced(tensors: Vec<Tensor>, name: &str, tensor: Option<Tensor>) -> Vec<Tensor> {
    tensors.into_iter().filter(|t| t.0 != name).chain(tensor).collect()
}

fn bytes(tensors: &[Tensor]) -> Vec<u8> {
    let views = tensors.iter().map(|(name, dtype, shape, data)| {
        (name.as_str(), TensorView::new(*dtype, shape.clone(), data).unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

#[test]
fn a_file_made_elsewhere_is_taken_apart() {
    let file = path("good.safetensors");
    let unknown = floats("note.to_self", &[1], &[3.0]);
    std::fs::write(&file, bytes(&[with_teacher(), vec![unknown]].concat())).unwrap();
    let out = path("report.json");
    let output = analyze(&file, &["--json", "--seed", "7", "--out", out.to_str().unwrap()]);
    let found = report(&output);
    assert!(text(&output.stderr).contains("ignored: note.to_self"), "{}", text(&output.stderr));
    let keys = [
        "hidden",
        "gates",
        "kept_hidden",
        "kept_gates",
        "lambda_one",
        "lambda_zero",
        "lambda_between",
        "merged_gates",
        "minimal_hidden",
    ];
    assert_eq!(keys.map(|key| found[key].as_u64().unwrap()), [2, 1, 2, 1, 1, 1, 0, 1, 2]);
    for key in [
        "output_change",
        "score_kv",
        "score_q",
        "polynomial_distance",
        "two_token_distance",
        "three_token_distance",
        "teacher_error",
    ] {
        assert!(found[key].as_f64().unwrap() < 1e-12, "{key}: {}", found[key]);
    }
    assert_eq!(
        (&found["score_basis"], &found["verdict"]["is_attention"]),
        (&"both".into(), &true.into())
    );
    assert_eq!(
        serde_json::from_str::<Value>(&std::fs::read_to_string(out).unwrap()).unwrap(),
        found
    );
    let readable = text(&analyze(&file, &[]).stdout);
    assert!(
        readable.starts_with("This is linear attention.")
            && readable.contains("minimal     2 neurons     1 gates"),
        "{readable}"
    );
}

#[test]
fn without_a_teacher_what_needs_one_is_null() {
    let file = path("alone.safetensors");
    std::fs::write(&file, bytes(&network())).unwrap();
    let found = report(&analyze(&file, &["--json"]));
    for key in ["score_kv", "score_q", "score_basis", "polynomial_distance", "two_token_distance"] {
        assert_eq!(found[key], Value::Null, "{key}");
    }
    assert_eq!(found["minimal_hidden"], 2);
    assert!(found["outside_attention"].as_f64().unwrap() < 1e-12, "{}", found["outside_attention"]);
}

#[test]
fn a_bad_file_is_code_2_and_says_what_is_wrong() {
    let good = bytes(&with_teacher());
    let header = |json: &str| [&(json.len() as u64).to_le_bytes()[..], json.as_bytes()].concat();
    let claims = header(
        r#"{"readout":{"dtype":"F32","shape":[20000,25000],"data_offsets":[0,2000000000]}}"#,
    );
    let long = [&2_000_000_000u64.to_le_bytes()[..], b"{}"].concat();
    let swapped =
        |name: &str, tensor: Option<Tensor>| bytes(&replaced(with_teacher(), name, tensor));
    let integers = ("readout".to_owned(), Dtype::I32, vec![1, 1], vec![1, 0, 0, 0]);
    let files: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "is empty; expected a safetensors file"),
        ("cut", good[..good.len() - 5].to_vec(), "not a whole safetensors file"),
        (
            "picture",
            b"\x89PNG\r\n and so on, for more than eight bytes".to_vec(),
            "not a whole safetensors file",
        ),
        ("claims", claims, "not a whole safetensors file"),
        ("long", long, "not a whole safetensors file"),
        (
            "names",
            bytes(&[floats("weight", &[2, 2], &[0.0; 4])]),
            "has no tensor input_gate.m; a gated network needs input_gate.m, input_gate.x, nu (or lambda)",
        ),
        (
            "missing",
            swapped("output_gate.x", None),
            "has no tensor output_gate.x (expected shape [1, 2])",
        ),
        (
            "shape",
            swapped("output_gate.x", Some(floats("output_gate.x", &[2, 1], &[0.0, 1.0]))),
            "output_gate.x has shape [2, 1]; expected [1, 2]",
        ),
        (
            "nan",
            swapped("readout", Some(floats("readout", &[1, 1], &[f64::NAN]))),
            "readout holds NaN at element 0; expected finite",
        ),
        (
            "lambda",
            swapped("lambda", Some(doubles("lambda", &[2], &[1.0, 1.5]))),
            "lambda[1] is 1.5; expected values in [0, 1]",
        ),
        (
            "negative",
            swapped("lambda", Some(doubles("lambda", &[2], &[1.0, -0.1]))),
            "lambda[1] is -0.1; expected values in [0, 1]",
        ),
        ("integer", swapped("readout", Some(integers)), "readout is I32; expected F32 or F64"),
        (
            "half",
            swapped("teacher.value", None),
            "has no tensor teacher.value; a teacher needs teacher.value, .key and .query",
        ),
        (
            "wide",
            swapped("teacher.key", Some(floats("teacher.key", &[2, 2], &[0.0; 4]))),
            "teacher.key has shape [2, 2]; expected d = 1",
        ),
    ];
    for (name, bytes, expected) in files {
        let file = path(&format!("{name}.safetensors"));
        std::fs::write(&file, bytes).unwrap();
        let output = analyze(&file, &["--json"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(expected) && output.stdout.is_empty(), "{name}: {said}");
    }
    let side = replaced(
        replaced(
            replaced(network(), "output_gate.m", None),
            "output_gate.x",
            Some(floats("side_gate", &[2, 2], &[1.0; 4])),
        ),
        "readout",
        Some(floats("readout", &[1, 1], &[1.0])),
    );
    let file = path("side.safetensors");
    std::fs::write(&file, bytes(&side)).unwrap();
    assert!(
        text(&analyze(&file, &[]).stderr)
            .contains("readout has 1 columns; expected 2, one per neuron")
    );
    let good_file = path("usage.safetensors");
    std::fs::write(&good_file, good).unwrap();
    for (arguments, expected) in [
        (["--threshold", "2"], "threshold: 2 — expected a number from 0 to 1"),
        (["--threshold", "NaN"], "threshold: NaN"),
        (["--lag", "0"], "lag: 0 — expected a whole number from 1"),
        (["--merge", "1,x"], "merge: x — expected gates"),
        (["--seed", "-1"], "seed: -1"),
    ] {
        let output = analyze(&good_file, &arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
    assert!(text(&analyze(&path("none"), &[]).stderr).contains("could not be read"));
}

#[test]
fn one_group_of_gates_and_one_kind_of_decay() {
    let file = path("decay.safetensors");
    let exact = replaced(network(), "lambda", Some(doubles("lambda", &[2], &[1.0, 0.0])));
    std::fs::write(&file, bytes(&exact)).unwrap();
    assert_eq!(report(&analyze(&file, &["--json"]))["snapping_change"], 0.0);
    let twice = analyze(&file, &["--merge", "0,1", "--merge", "2,3"]);
    assert!(
        twice.status.code() == Some(2)
            && text(&twice.stderr).contains("merge: 2,3 — expected --merge once"),
        "{}",
        text(&twice.stderr)
    );
    std::fs::write(&file, bytes(&[exact, vec![doubles("nu", &[2], &[-40.0, 8.0])]].concat()))
        .unwrap();
    assert!(text(&analyze(&file, &[]).stderr).contains("ignored: lambda, because nu says it too"));
}

#[test]
fn a_construction_that_no_file_can_hold_is_not_written() {
    let (teacher, out) = (path("large_teacher.safetensors"), path("large.safetensors"));
    let matrices = ["value", "key", "query"]
        .map(|name| doubles(&format!("teacher.{name}"), &[2, 2], &[1e25, 0.0, 0.0, 2e25]));
    std::fs::write(&teacher, bytes(&matrices)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gatelens"))
        .args(["construct", "--variant", "low-rank", "--teacher"])
        .arg(&teacher)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert!(
        output.status.code() == Some(2) && text(&output.stderr).contains("fits float32"),
        "{}",
        text(&output.stderr)
    );
    assert!(!out.exists());
}
