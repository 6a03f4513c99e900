//! `construct --layer`: what is printed is what is in the file, and the file is attention to
//! everything that reads it.

use gatelens::named::Named;
use gatelens::recipe::checkpoint;
use gatelens::theory::layers::{Host, construct};
use std::path::PathBuf;
use std::process::{Command, Output};

fn gatelens(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gatelens")).args(arguments).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_layer_is_written_and_is_the_attention() {
    let out = folder("construct-layer");
    for &layer in Host::ALL {
        let key = layer.key();
        let file = out.join(key).to_str().unwrap().to_owned();
        let output = gatelens(&[
            "construct",
            "--layer",
            key,
            "--dim",
            "3",
            "--seed",
            "4",
            "--epsilon",
            "0.0009765625",
            "--out",
            &file,
            "--json",
        ]);
        assert!(output.status.success(), "{}", errors(&output));
        let result: serde_json::Value = serde_json::from_str(said(&output).trim()).unwrap();
        let read = checkpoint::read(key, &std::fs::read(&file).unwrap()).unwrap();
        let teacher = read.teacher.clone().unwrap();
        let built = construct(&teacher, layer, 2f64.powi(-10)).unwrap();
        assert_eq!(
            (read.architecture, &read.exact, &read.notes),
            (built.architecture, &built.parameters, &vec![]),
            "{key}: what was written is what was built"
        );
        assert_eq!(result["parameters"], built.parameters.len());
        let sizes = [16, 32];
        let errors = [
            built.max_error(&teacher, 1, sizes)[0],
            built.error::<f64>(&teacher, 1, sizes),
            built.error::<f32>(&teacher, 1, sizes),
        ];
        for (field, error) in ["max_error", "error_f64", "error_f32"].into_iter().zip(errors) {
            assert!(
                (result[field].as_f64().unwrap() / error - 1.0).abs() < 1e-12,
                "{key}: {field} is {error:e}, not {}",
                result[field]
            );
        }
        assert!(errors[1] > 0.0 && errors[1] < 1e-5 && errors[2] > errors[1], "{key}: {errors:?}");
        read.to_recipe(key).unwrap().check().unwrap();
        // Analysis finds what was put in; where the own token's term is missing, it finds no
        // attention.
        let found = gatelens(&["analyze", &file]);
        assert!(found.status.success(), "{}", self::errors(&found));
        assert_eq!(
            said(&found).contains("This computes linear attention"),
            layer != Host::GruBefore,
            "{key}: {}",
            said(&found)
        );
    }
    let default =
        gatelens(&["construct", "--layer", "lstm", "--out", out.join("default").to_str().unwrap()]);
    assert!(
        said(&default).contains("LSTM with ε = 1.221e-4: 52 neurons per layer"),
        "{}",
        said(&default)
    );
}

#[test]
fn what_cannot_be_says_why() {
    let file = folder("construct-layer-usage").join("out").to_str().unwrap().to_owned();
    let cases: &[(&[&str], &str)] = &[
        (&["--layer", "lstm", "--variant", "naive"], "cannot be used with"),
        (&["--variant", "naive", "--epsilon", "0.1"], "cannot be used with"),
        (&["--epsilon", "0.1"], "--variant"),
        (&["--layer", "lru"], "layer: lru — expected one of lru-two, lru-in-out"),
        (&["--layer", "lstm", "--epsilon", "0"], "epsilon: 0 — expected above 0 and at most 1"),
        (&["--layer", "lstm", "--epsilon", "-0.5"], "epsilon: -0.5"),
        (&["--layer", "lstm", "--epsilon", "tiny"], "epsilon: tiny — expected a number above 0"),
        (&["--layer", "lstm", "--epsilon", "NaN"], "epsilon: NaN"),
        (&["--layer", "lstm", "--dim", "0"], "dim: 0"),
        (&["--layer", "lstm", "--dim", "20"], "1220 neurons"),
        (&["--layer", "lru-in-out", "--dim", "16"], "embedding of 288"),
        // Such small weights are undone by numbers that float32 does not hold.
        (&["--layer", "gru-curved", "--epsilon", "1e-30"], "float32"),
    ];
    for (arguments, expected) in cases {
        let output = gatelens(&[&["construct", "--out", &file], *arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
    assert!(!std::path::Path::new(&file).exists());
}
