//! What the zoo of layers says of bad files, links, flags and sweeps: what was wrong, where, and
//! what was expected.

use gatelens::model::Architecture;
use gatelens::model::{
    Layer, Sizes,
    attention::SOFTMAX,
    gru::GRU,
    list::WORDS,
    lru::{LRU, LRU_IN_OUT, LRU_MLP},
    lstm::LSTM,
    mamba::MAMBA,
};
use gatelens::recipe::checkpoint;
use gatelens::recipe::{DataShape, Recipe, TaskName};
use gatelens::sweep::Sweep;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const N: usize = 4;
const E: usize = 3;
const D: usize = 2;
fn lstm() -> Architecture {
    LSTM.of(Sizes { hidden: N, embed: E, ..Sizes::NONE })
}
fn gru() -> Architecture {
    GRU.of(Sizes { hidden: N, embed: E, ..Sizes::NONE })
}
fn mamba() -> Architecture {
    MAMBA.of(Sizes { embed: E, state: 2, ..Sizes::NONE })
}

fn lru(layers: usize, mixing: &'static Layer) -> Architecture {
    mixing.of(Sizes { hidden: N, embed: E, layers, width: 5, ..Sizes::NONE })
}

/// Tensors by name: shape and the value that all of their numbers have.
type Tensors = BTreeMap<String, (Vec<usize>, f32)>;

fn tensors(architecture: Architecture) -> Tensors {
    architecture
        .table(D, D)
        .iter()
        .map(|param| (param.name.clone(), (param.shape.clone(), 0.1)))
        .collect()
}

fn file(tensors: &Tensors, recipe: Option<&str>) -> Vec<u8> {
    let bytes: Vec<(&String, &Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, value))| {
            (name, shape, value.to_le_bytes().repeat(shape.iter().product()))
        })
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        (*name, TensorView::new(Dtype::F32, (*shape).clone(), bytes).unwrap())
    });
    safetensors::serialize(
        views,
        recipe.map(|recipe| HashMap::from([("recipe".into(), recipe.into())])),
    )
    .unwrap()
}

/// A change of a file's tensors.
enum Edit {
    Shape(&'static str, Vec<usize>),
    Value(&'static str, f32),
    Without(&'static str),
    /// All tensors whose names begin so get this beginning instead.
    Renamed(&'static str, &'static str),
}
use Edit::{Renamed, Shape, Value, Without};

fn edited(mut tensors: Tensors, edits: Vec<Edit>) -> Vec<u8> {
    for edit in edits {
        match edit {
            Shape(name, shape) => drop(tensors.insert(name.into(), (shape, 0.1))),
            Value(name, value) => tensors.get_mut(name).unwrap().1 = value,
            Without(name) => drop(tensors.remove(name).unwrap()),
            Renamed(from, to) => {
                tensors = tensors
                    .into_iter()
                    .map(|(name, tensor)| {
                        (
                            name.strip_prefix(from)
                                .map_or(name.clone(), |rest| format!("{to}{rest}")),
                            tensor,
                        )
                    })
                    .collect();
            }
        }
    }
    file(&tensors, None)
}

#[test]
fn files_of_every_layer_read_and_bad_ones_are_explained() {
    let glu = || tensors(lru(1, &LRU));
    let mlp = || tensors(lru(1, &LRU_MLP));
    let three = || tensors(lru(3, &LRU));
    let second = |mixing| {
        tensors(lru(2, mixing))
            .into_iter()
            .filter(move |(name, _)| name.starts_with("layer2."))
            .collect::<Tensors>()
    };
    let mixed = || glu().into_iter().chain(second(&LRU_IN_OUT)).collect::<Tensors>();
    let one = "holds complex weights as one array";
    let counted = "expected each from 1 on, the first layer's parts without a prefix, the second's with layer2.";
    let cases = [
        (
            "an embedding of nothing",
            tensors(lstm()),
            vec![Shape("embed", vec![0, D])],
            "embed has shape [0, 2]; expected a matrix [out, in]",
        ),
        (
            "a GLU of nothing",
            glu(),
            vec![Shape("glu_out.value", vec![0, E])],
            "glu_out.value has shape [0, 3]; expected [3, 3]",
        ),
        (
            "an MLP of nothing",
            mlp(),
            vec![Shape("mlp_in.w1", vec![0, E])],
            "mlp_in.w1 has shape [0, 3]; expected a matrix",
        ),
        (
            "no neurons",
            glu(),
            vec![Shape("b_re", vec![0, E])],
            "b_re has shape [0, 3]; expected a matrix",
        ),
        (
            "no cells",
            tensors(lstm()),
            vec![Shape("weight_hh", vec![0, 0])],
            "weight_hh has shape [0, 0]",
        ),
        ("no state", tensors(mamba()), vec![Shape("a_log", vec![E, 0])], "a_log has shape [3, 0]"),
        (
            "too much state",
            tensors(mamba()),
            vec![Shape("a_log", vec![E, 65])],
            "N = 65); expected d and outputs up to 64, e up to 256, N up to 64",
        ),
        (
            "five gates",
            tensors(lstm()),
            vec![Shape("weight_hh", vec![5 * N, N])],
            "weight_hh has shape [20, 4]; expected [4 n, n] (LSTM) or [3 n, n] (GRU)",
        ),
        (
            "a gate too few",
            tensors(lstm()),
            vec![Shape("weight_ih", vec![3 * N, E])],
            "weight_ih has shape [12, 3]; expected [16, 3]",
        ),
        (
            "a wrong bias",
            tensors(gru()),
            vec![Shape("bias_hh", vec![N])],
            "bias_hh has shape [4]; expected [12]",
        ),
        (
            "NaN",
            tensors(gru()),
            vec![Value("weight_ih", f32::NAN)],
            "weight_ih holds NaN at element 0; expected finite",
        ),
        ("infinity", glu(), vec![Value("theta", f32::INFINITY)], "theta holds inf at element 0"),
        (
            "a GRU's bias in an LSTM",
            tensors(lstm()),
            vec![Shape("bias_hh", vec![4 * N])],
            "holds bias_hh beside the parts of LSTM (n = 4, e = 3, 2 values in and 2 out); expected those of one network alone, here embed, weight_ih",
        ),
        (
            "an LSTM's bias in a GRU",
            tensors(gru()),
            vec![Renamed("bias_ih", "bias")],
            "holds bias beside the parts of GRU",
        ),
        (
            "two layers' names",
            tensors(lstm()),
            vec![Shape("theta", vec![N])],
            "holds theta beside the parts of LSTM",
        ),
        (
            "no layer",
            tensors(lstm()),
            vec![Without("weight_hh")],
            "has an embedding but no layer that is known: weight_hh (LSTM, GRU",
        ),
        (
            "no readout",
            tensors(gru()),
            vec![Without("readout")],
            "has no tensor readout (expected a matrix [out, in])",
        ),
        (
            "no embedding",
            tensors(gru()),
            vec![Without("embed")],
            "has no tensor input_gate.m; a gated network needs input_gate.m, input_gate.x",
        ),
        (
            "only a second layer",
            tensors(lru(2, &LRU))
                .into_iter()
                .filter(|(name, _)| {
                    name.starts_with("layer2.") || ["embed", "readout"].contains(&name.as_str())
                })
                .collect(),
            vec![],
            "has parts of layer 2 but none of layer 1",
        ),
        (
            "a gap",
            three(),
            vec![Renamed("layer2.", "other.")],
            "has parts of layer 3 but none of layer 2",
        ),
        ("counted from nought", three(), vec![Renamed("layer2.", "layer0.")], counted),
        (
            "counted from one",
            three(),
            vec![Renamed("layer2.", "layer1.")],
            "has parts of a layer1.; expected each from 1 on",
        ),
        (
            "half a layer",
            three(),
            vec![Without("layer3.theta")],
            "has no tensor layer3.theta (expected shape [4])",
        ),
        ("nine layers", tensors(lru(9, &LRU)), vec![], "layers = 9); expected"),
        (
            "another mixing in layer 2",
            mixed(),
            vec![],
            "holds layer2.glu_in.gate beside the parts of LRU (n = 4, e = 3, layers = 2,",
        ),
        (
            "a GLU and an MLP",
            mlp(),
            vec![Shape("glu_out.gate", vec![E, E])],
            "holds glu_out.gate beside the parts of LRU MLP (n = 4, e = 3, layers = 1, MLPs of 5,",
        ),
        (
            "an MLP at one place",
            mlp(),
            vec![Without("mlp_in.w1"), Without("mlp_in.w2")],
            "holds mlp_out.w1 beside the parts of LRU",
        ),
        ("b as one", glu(), vec![Without("b_re"), Without("b_im"), Shape("b", vec![N, E, 2])], one),
        (
            "B as one",
            glu(),
            vec![Without("b_re"), Without("b_im"), Shape("B", vec![N, E, 2])],
            "as one array, B; expected two real ones: b_re and b_im [n, e], c_re and c_im [e, n]",
        ),
        ("c as one", glu(), vec![Without("c_re"), Without("c_im"), Shape("c", vec![E, N, 2])], one),
        (
            "one in the second layer",
            three(),
            vec![Without("layer2.c_re"), Shape("layer2.C", vec![E, N, 2])],
            "as one array, layer2.C; expected two real ones: layer2.b_re",
        ),
        ("half of b", glu(), vec![Without("b_im")], "has no tensor b_im (expected shape [4, 3])"),
        (
            "the other half",
            glu(),
            vec![Without("b_re")],
            "has no tensor b_re (expected a matrix [out, in])",
        ),
        (
            "λ as one",
            glu(),
            vec![Without("nu"), Without("theta"), Shape("lambda", vec![N, 2])],
            "holds the complex λ as lambda; expected two real arrays, nu and theta [n]",
        ),
        (
            "a side gate without the constant",
            tensors(mamba()),
            vec![Shape("side_gate", vec![E, E])],
            "side_gate has shape [3, 3]; expected [3, 4]",
        ),
        (
            "attention of which kind",
            tensors(SOFTMAX.of(Sizes { embed: E, ..Sizes::NONE })),
            vec![],
            "only a recipe in its metadata says whether with softmax",
        ),
    ];
    for (what, tensors, edits, expected) in cases {
        let error = checkpoint::read("some.safetensors", &edited(tensors, edits))
            .expect_err(what)
            .to_string();
        assert!(
            error.starts_with("some.safetensors: ") && error.contains(expected),
            "{what}: {error}"
        );
    }
    let read = [lstm(), gru(), mamba(), lru(1, &LRU), lru(8, &LRU_IN_OUT), lru(3, &LRU_MLP)];
    for architecture in read {
        let loaded = checkpoint::read(
            "whole",
            &edited(
                tensors(architecture),
                vec![Shape("notes", vec![1]), Shape("layer2.notes", vec![1])],
            ),
        )
        .unwrap();
        assert_eq!(
            (loaded.architecture, loaded.notes),
            (architecture, vec!["ignored: layer2.notes, notes".to_owned()])
        );
    }
    let wide = checkpoint::read("wide.safetensors", &edited(mlp(), vec![]))
        .unwrap()
        .to_recipe("wide.safetensors")
        .unwrap_err()
        .to_string();
    assert!(
        wide.contains("MLPs that are not as wide as its embedding") && wide.contains("evaluated"),
        "{wide}"
    );
}

#[test]
fn a_recipe_in_a_file_is_checked_before_it_is_believed() {
    let own = Recipe { model: &LSTM, hidden: N, embed: E, dim: D, ..Recipe::default() };
    let shape = |sequences, steps| {
        Some(DataShape { name: "x.npz".into(), sequences, steps, is_weighted: false })
    };
    let of_file = |sequences, steps| Recipe {
        task: TaskName::File,
        outputs: D,
        batch: 1,
        data: shape(sequences, steps),
        ..own.clone()
    };
    assert_eq!(
        checkpoint::read(
            "own",
            &file(&tensors(lstm()), Some(&serde_json::to_string(&own).unwrap()))
        )
        .unwrap()
        .recipe,
        Some(own.clone())
    );
    let cases = [
        (Recipe { hidden: 0, ..own.clone() }, "hidden: 0 — expected a whole number from 1 to 512"),
        (Recipe { embed: 0, ..own.clone() }, "embed: 0 — expected a whole number from 1 to 256"),
        (Recipe { layers: 0, ..own.clone() }, "layers: 0 — expected a whole number from 1 to 8"),
        (Recipe { state: 0, ..own.clone() }, "state: 0 — expected a whole number from 1 to 64"),
        (
            Recipe { model: &GRU, ..own.clone() },
            "it is for GRU (n = 4, e = 3, 2 values in and 2 out), and they are of LSTM (n = 4,",
        ),
        (
            Recipe { embed: 7, ..own.clone() },
            "it is for LSTM (n = 4, e = 7, 2 values in and 2 out), and they are of LSTM (n = 4, e = 3,",
        ),
        (
            of_file(0, 1),
            "data: 0 sequences of which 1 steps count — expected at least one sequence",
        ),
        (of_file(9, 0), "data: 9 sequences of which 0 steps count"),
        (of_file(9, own.time + 1), "from 1 to T ="),
    ];
    for (recipe, expected) in cases {
        let error = checkpoint::read(
            "some.safetensors",
            &file(&tensors(lstm()), Some(&serde_json::to_string(&recipe).unwrap())),
        )
        .unwrap_err()
        .to_string();
        assert!(error.starts_with("some.safetensors: ") && error.contains(expected), "{error}");
    }
    let unknown = serde_json::to_string(&own).unwrap().replace("\"lstm\"", "\"transformer\"");
    let error =
        checkpoint::read("new", &file(&tensors(lstm()), Some(&unknown))).unwrap_err().to_string();
    assert!(error.contains("there is no layer transformer; expected one of gated"), "{error}");
}

#[test]
fn a_link_skips_sizes_of_nothing() {
    for (bad, key) in [
        ("embed=0", "embed"),
        ("layers=0", "layers"),
        ("state=0", "state"),
        ("hidden=0", "hidden"),
        ("layers=9", "layers"),
        ("state=65", "state"),
        ("embed=257", "embed"),
        ("model=transformer", "model"),
    ] {
        for model in WORDS {
            let (_, read, problems) =
                Recipe::from_hash(&format!("#v=1&model={model}&{bad}&batch=16"));
            assert_eq!((read.model.word, read.batch, problems.len()), (model, 16, 1), "{bad}");
            assert!(
                problems[0]
                    .to_string()
                    .starts_with(&format!("{key}: {} — expected", &bad[key.len() + 1..])),
                "{}",
                problems[0]
            );
            read.check().unwrap();
        }
    }
    // What a layer does not look at stays, for the case that it is chosen again.
    let (_, read, problems) = Recipe::from_hash("#v=1&model=lstm&gating=side&gates=7&mask_at=0.5");
    assert!(
        problems.is_empty()
            && read.gates == 7
            && read.plan().mask.is_none()
            && read.architecture().layer == &LSTM
    );
}

#[test]
fn a_sweep_over_what_no_layer_has_is_refused() {
    let read = |settings: &str, grid: &str| {
        Sweep::read(
            "s.json",
            &format!(r#"{{ "settings": {{ {settings} }}, "grid": {{ {grid} }} }}"#),
        )
    };
    let models = r#", "model": ["lstm", "gru"]"#;
    for (settings, grid, expected) in [
        (
            r#""model": "lstm""#,
            r#""gates": [4, 8]"#,
            "gates: an axis — expected a setting that the task attention and the layer lstm look at, or all of its runs are the same",
        ),
        (r#""model": "gru""#, r#""layers": [1, 2]"#, "the layer gru look at"),
        (r#""model": "lru""#, r#""state": [1, 2]"#, "the layer lru look at"),
        (r#""model": "mamba""#, r#""hidden": [1, 2]"#, "the layer mamba look at"),
        (r#""model": "lstm""#, r#""gating": ["output", "side"]"#, "gating: an axis"),
        (
            r#""model": "lstm""#,
            r#""gates": [4, 8], "gating": ["output", "side"]"#,
            "gates: an axis",
        ),
        ("", r#""gates": [4, 8], "gating": ["side"]"#, "the layer gated with side gating look at"),
        (
            "",
            &format!(r#""gates": [4, 8]{models}"#),
            "gates: an axis — expected a setting that the task attention and the layer lstm or gru look at",
        ),
        ("", &format!(r#""state": [4, 8]{models}"#), "state: an axis"),
        ("", &format!(r#""gating": ["output", "side"]{models}"#), "gating: an axis"),
        ("", &format!(r#""mask_at": [0, 0.5]{models}"#), "mask_at: an axis"),
        (
            "",
            r#""noise": [0, 0.5], "task": ["attention", "recall"]"#,
            "noise: an axis — expected a setting that the task attention or recall and the layer gated look at",
        ),
        (
            r#""model": "lru""#,
            r#""layers": [0, 1]"#,
            "grid: layers: 0 — expected a whole number from 1 to 8",
        ),
        (
            "",
            r#""model": ["lstm", "transformer"]"#,
            "grid: model: transformer — expected one of gated, dense, lstm",
        ),
    ] {
        let error = read(settings, grid).expect_err(grid).to_string();
        assert!(error.starts_with("s.json: grid: ") && error.contains(expected), "{grid}: {error}");
    }
    for grid in [
        r#""layers": [1, 2], "model": ["lru", "gru"]"#,
        r#""gates": [4, 8], "gating": ["output", "side"]"#,
        r#""noise": [0, 0.5], "task": ["attention", "regression"]"#,
        r#""model": ["lstm", "softmax"], "embed": [4, 8]"#,
    ] {
        assert_eq!(read("", grid).expect(grid).count(), 4);
    }
    let sweep = read(
        r#""model": "gru", "layers": 3, "hidden": 5, "mask_at": 0.5, "noise": 1"#,
        r#""seed": [1, 2]"#,
    )
    .unwrap();
    let unseen = "the layer gru does not look at it".to_owned();
    assert_eq!(
        sweep.ignored(&sweep.base().unwrap()).unwrap(),
        [
            ("layers", unseen.clone()),
            ("mask_at", unseen),
            ("noise", "the task attention does not look at it".into())
        ]
    );
}

fn gatelens(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gatelens"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(std::fs::remove_dir_all(&path));
    std::fs::create_dir_all(&path).unwrap();
    path
}

const QUICK: [&str; 14] = [
    "train",
    "--backend",
    "cpu",
    "--steps",
    "4",
    "--warmup",
    "0",
    "--dim",
    "2",
    "--batch",
    "2",
    "--time",
    "2",
    "--json",
];

#[test]
fn the_terminal_says_which_model_a_file_holds_and_what_is_ignored() {
    let out = folder("zoo-errors");
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let train = |more: &[&str]| gatelens(&[&QUICK, more].concat());
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let of = |model: &str| {
        let output =
            train(&["--model", model, "--hidden", "4", "--embed", "3", "--out", &path(model)]);
        assert!(output.status.success(), "{model}: {}", said(&output));
        path(&format!("{model}/weights.safetensors"))
    };
    let (lstm, linear, in_out) = (of("lstm"), of("linear"), of("lru-in-out"));
    let cases: [(&str, &[&str], &str); 6] = [
        (
            &lstm,
            &["--model", "gru"],
            "holds weights of LSTM (n = 4, e = 3, 2 values in and 2 out), but the settings ask for GRU (n = 4, e = 3, 2 values in and 2 out)",
        ),
        (&lstm, &["--model", "gated"], "but the settings ask for Gated RNN (n = 4, m ="),
        (
            &lstm,
            &["--embed", "5"],
            "but the settings ask for LSTM (n = 4, e = 5, 2 values in and 2 out); leave out the settings that differ",
        ),
        (
            &lstm,
            &["--dim", "3"],
            "but the settings ask for LSTM (n = 4, e = 3, 3 values in and 3 out)",
        ),
        // As many numbers as in the file, of another meaning.
        (
            &linear,
            &["--model", "softmax"],
            "holds weights of Linear attention (e = 3, 2 values in and 2 out), but the settings ask for Softmax attention",
        ),
        (
            &in_out,
            &["--model", "lru-mlp"],
            "holds weights of LRU In+Out (n = 4, e = 3, layers = 1, 2 values in and 2 out), but the settings ask for LRU MLP (n = 4, e = 3, layers = 1, MLPs of 3,",
        ),
    ];
    for (file, more, expected) in cases {
        let output = gatelens(&[&["train", "--backend", "cpu", "--init", file], more].concat());
        assert!(
            output.status.code() == Some(2) && said(&output).contains(expected),
            "{more:?}: {}",
            said(&output)
        );
    }
    let tokens = path("x.safetensors");
    std::fs::write(&tokens, edited(Tensors::new(), vec![Shape("x", vec![2, 3, 3])])).unwrap();
    let output =
        gatelens(&["evaluate", &lstm, "--input", &tokens, "--out", &path("y"), "--backend", "cpu"]);
    assert!(
        output.status.code() == Some(2)
            && said(&output).contains("x has 3 values per token; the network in"),
        "{}",
        said(&output)
    );
    let output = train(&[
        "--model",
        "lstm",
        "--mask-at",
        "0.5",
        "--gating",
        "side",
        "--gates",
        "7",
        "--layers",
        "2",
        "--hidden",
        "4",
    ]);
    for key in ["mask_at", "gating", "gates", "layers"] {
        assert!(
            output.status.success()
                && said(&output)
                    .contains(&format!("{key} is ignored: the layer lstm does not look at it")),
            "{}",
            said(&output)
        );
    }
    assert!(!said(&output).contains("hidden is ignored"), "{}", said(&output));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        line["neurons"].is_null() && line["lambda_one"].is_null(),
        "an LSTM has no λ to count: {line}"
    );
    for (model, sizes) in [
        ("lru", ["--hidden", "512", "--embed", "256", "--layers", "8"]),
        ("mamba", ["--embed", "256", "--state", "64", "--seed", "1"]),
    ] {
        let output = gatelens(
            &[
                &[
                    "train",
                    "--backend",
                    "cpu",
                    "--model",
                    model,
                    "--dim",
                    "64",
                    "--batch",
                    "1024",
                    "--time",
                    "1024",
                ][..],
                &sizes,
            ]
            .concat(),
        );
        assert!(
            output.status.code() == Some(1)
                && said(&output).contains("MiB; lower batch, T or the sizes of the network"),
            "{}",
            said(&output)
        );
    }
}
