//! What version 0.1 wrote stays valid: its checkpoints, a sweep's folder and its text, links, and
//! the programs that are recorded. `KEEP=1 cargo test --test kept` writes `tests/kept` anew, which
//! is right only when a fault in it was mended.

use gatelens::graph::program::Program;
use gatelens::recipe::Recipe;
use gatelens::recipe::{checkpoint, preset};
use gatelens::sweep::{Sweep, results, shard::Shard, store::Store};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A recipe of each layer, small.
const LAYERS: &[(&str, &str)] = &[
    ("gated", "hidden=5&gates=4"),
    ("gated-side", "gating=side&hidden=5"),
    ("dense", "model=dense&hidden=5&gates=4"),
    ("lstm", "model=lstm&hidden=5&embed=3"),
    ("gru", "model=gru&hidden=5&embed=3"),
    ("lru", "model=lru&hidden=5&embed=3&layers=2"),
    ("lru-in-out", "model=lru-in-out&hidden=5&embed=3"),
    ("lru-mlp", "model=lru-mlp&hidden=5&embed=3&layers=2"),
    ("mamba", "model=mamba&embed=5&state=3"),
    ("softmax", "model=softmax&embed=5"),
    ("linear", "model=linear&embed=5"),
];

/// Links as people have them; the last ones with something wrong.
const LINKS: &[&str] = &[
    "#v=1",
    "#v=1&hidden=64&seed=3",
    "#v=1&preset=side",
    "#v=1&preset=low-rank&rank=1&value_rank=3",
    "#v=1&preset=paper&steps=100&warmup=10",
    "#v=1&preset=regression&noise=0.25&weight_variance=0.5&view=context",
    "#v=1&preset=recall&pairs=4&model=softmax",
    "#v=1&preset=quick&view=dissect",
    "#v=1&view=compare&page=layers",
    "#v=1&learning_rate=0.0031622777&weight_decay=0.3333333333&clip=1.5",
    "#v=1&rate_schedule=cosine&decay_schedule=0%3A1%2C0.5%3A2&beta2=0:0.99",
    "#v=1&task=file&shuffle=off&test_fraction=0.25",
    "#v=1&teacher=gaussian&gain=0.045&dim=6&time=100&batch=7&mask_at=0&mask_threshold=0.5&backend=gpu",
    "#v=2&hidden=0&colour=red&rank=9",
    "#v=1&task=recall&pairs=200&time=3",
    "#v=1&warmup=999999&steps=5",
    "#v=1&beta2=0:1.5",
    "#preset=nothing&hidden",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept")
}

/// Compares with the kept text, or keeps it.
fn same(name: &str, text: &str) {
    let path = folder().join(name);
    if std::env::var_os("KEEP").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if let Some((line, (now, before))) =
        text.lines().zip(kept.lines()).enumerate().find(|(_, (now, before))| now != before)
    {
        panic!("{name}, line {}\nnow    {now}\nbefore {before}", line + 1);
    }
    assert_eq!(text.lines().count(), kept.lines().count(), "{name}");
}

/// A recipe's JSON without the settings that came after version 0.1, as long as they are at their
/// defaults.
fn as_before(json: &str) -> String {
    let known = fs::read_to_string(folder().join("links.txt")).unwrap();
    let default = serde_json::to_string(&Recipe::default()).unwrap();
    let fields = default.trim_matches(['{', '}']).split(",\"").map(|field| field.trim_matches('"'));
    let newer = fields.filter(|field| !known.contains(&format!("\"{}", key_of(field))));
    newer.fold(json.to_owned(), |json, field| json.replace(&format!(",\"{field}"), ""))
}

/// `clip":` of `clip":0.0`.
fn key_of(field: &str) -> &str {
    &field[..field.find(':').unwrap() + 1]
}

#[test]
fn only_new_settings_at_their_defaults_are_left_out() {
    let default = serde_json::to_string(&Recipe::default()).unwrap();
    let with = |field: &str| default.replace(",\"clip\"", &format!(",{field},\"clip\""));
    assert!(as_before(&with("\"other\":1.5")).contains("\"other\":1.5"));
    assert!(as_before(&default).contains("\"clip\":0.0") && key_of("clip\":0.0") == "clip\":");
}

fn recipe(link: &str) -> Recipe {
    let (_, recipe, problems) = Recipe::from_hash(&format!("#v=1&{link}"));
    assert!(problems.is_empty(), "{problems:?}");
    recipe
}

/// Every call with its arguments and the sizes that are not zero, every buffer, every parameter.
fn listing(program: &Program) -> String {
    let mut text = String::new();
    for call in &program.calls {
        let names: Vec<&str> =
            call.args.iter().map(|id| program.buffers[id.0].name.as_str()).collect();
        let dims = format!("{:?}", call.dims);
        let dims: Vec<&str> = dims
            .trim_start_matches("Dims { ")
            .trim_end_matches(" }")
            .split(", ")
            .filter(|dim| !dim.ends_with(": 0"))
            .collect();
        writeln!(
            text,
            "  {}.{} {} | {}",
            call.kernel.file(),
            call.kernel.entry(),
            names.join(" "),
            dims.join(" ").replace(": ", "=")
        )
        .unwrap();
    }
    let buffers: Vec<String> =
        program.buffers.iter().map(|buffer| format!("{} {}", buffer.name, buffer.len)).collect();
    let params: Vec<String> =
        program.params.iter().map(|param| format!("{} {:?}", param.name, param.shape)).collect();
    writeln!(text, "  buffers: {}\n  parameters: {}", buffers.join(", "), params.join(", "))
        .unwrap();
    text
}

#[test]
fn recordings_are_the_same_text() {
    let mut text = String::new();
    let presets =
        preset::all().into_iter().map(|preset| (format!("preset {}", preset.name), preset.recipe));
    let layers = LAYERS.iter().map(|(name, link)| {
        (format!("layer {name}"), recipe(&format!("dim=3&time=6&batch=4&{link}")))
    });
    let more = [
        ("clipped", "clip=1"),
        ("recall", "preset=recall"),
        ("softmax recall", "task=recall&pairs=4&model=softmax&embed=5"),
    ];
    let more = more.map(|(name, link)| (name.to_owned(), recipe(&format!("{link}&batch=4"))));
    for (name, recipe) in presets.chain(layers).chain(more) {
        let plan = recipe.plan();
        writeln!(
            text,
            "{name}, training\n{}{name}, forward\n{}",
            listing(&plan.program()),
            listing(&plan.forward_program(2, 3))
        )
        .unwrap();
    }
    same("programs.txt", &text);
}

#[test]
fn links_are_read_as_before() {
    let mut text = String::new();
    for link in LINKS {
        let (preset, recipe, problems) = Recipe::from_hash(link);
        let wrong: Vec<String> = problems
            .iter()
            .map(|problem| problem.to_string().split(':').next().unwrap_or_default().to_owned())
            .collect();
        let json = as_before(&serde_json::to_string(&recipe).unwrap());
        let back = recipe.to_hash(&preset);
        writeln!(
            text,
            "{link}\n  preset {preset}, wrong [{}]\n  {json}\n  {back}",
            wrong.join(", ")
        )
        .unwrap();
    }
    same("links.txt", &text);
}

/// A checkpoint of each layer after three steps, as version 0.1 wrote it: read, and written again,
/// it is the same file.
#[test]
fn checkpoints_are_read_and_written_as_before() {
    for (name, link) in LAYERS {
        let path = folder().join(format!("{name}.safetensors"));
        let wanted = recipe(&format!("dim=3&time=6&batch=4&steps=3&backend=cpu&{link}"));
        if std::env::var_os("KEEP").is_some() {
            let out =
                std::env::temp_dir().join(format!("gatelens-keep-{}-{name}", std::process::id()));
            let mut train = Command::new(env!("CARGO_BIN_EXE_gatelens"));
            train
                .args([
                    "train",
                    "--dim",
                    "3",
                    "--time",
                    "6",
                    "--batch",
                    "4",
                    "--steps",
                    "3",
                    "--backend",
                    "cpu",
                    "--out",
                ])
                .arg(&out);
            for (key, value) in link.split('&').filter_map(|pair| pair.split_once('=')) {
                train.arg(format!("--{}", key.replace('_', "-"))).arg(value);
            }
            assert!(train.status().unwrap().success());
            fs::copy(out.join("weights.safetensors"), &path).unwrap();
            fs::remove_dir_all(out).unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        let read = checkpoint::read(name, &bytes).unwrap();
        assert_eq!(
            (read.recipe.as_ref(), read.snapshot.step, read.notes.len()),
            (Some(&wanted), 3, 0),
            "{name}"
        );
        let again = checkpoint::write(&wanted, &read.snapshot, read.teacher.as_ref()).unwrap();
        assert!(tensors(&again) == tensors(&bytes), "{name}: what is written is not what was read");
        // Weights alone say as much, but for the scores of attention, which only a recipe or a
        // teacher tells.
        let bare = without_metadata(&bytes);
        if *name != "softmax" {
            let bare = checkpoint::read(name, &bare).unwrap();
            assert_eq!((bare.architecture, bare.recipe), (wanted.architecture(), None), "{name}");
            assert_eq!(bare.snapshot.parameters, read.snapshot.parameters, "{name}");
        }
    }
}

/// Name, shape and bytes.
type Tensor = (String, Vec<usize>, Vec<u8>);

/// Tensors by name, and the metadata; a map's order does not count.
fn tensors(bytes: &[u8]) -> (Vec<Tensor>, Vec<(String, String)>) {
    let file = safetensors::SafeTensors::deserialize(bytes).unwrap();
    let (_, header) = safetensors::SafeTensors::read_metadata(bytes).unwrap();
    let mut metadata: Vec<_> = header.metadata().clone().unwrap_or_default().into_iter().collect();
    metadata.sort();
    metadata.iter_mut().for_each(|(_, text)| *text = as_before(text));
    let mut all: Vec<_> = file
        .tensors()
        .into_iter()
        .map(|(name, view)| (name, view.shape().to_vec(), view.data().to_vec()))
        .collect();
    all.sort();
    (all, metadata)
}

fn without_metadata(bytes: &[u8]) -> Vec<u8> {
    let file = safetensors::SafeTensors::deserialize(bytes).unwrap();
    safetensors::serialize(file.tensors(), None).unwrap()
}

#[test]
fn a_sweep_is_read_as_before() {
    let dir = folder().join("sweep");
    let sweep =
        Sweep::read("sweep.json", &fs::read_to_string(dir.join("sweep.json")).unwrap()).unwrap();
    let copy = std::env::temp_dir().join(format!("gatelens-kept-{}", std::process::id()));
    fs::create_dir_all(copy.join("runs")).unwrap();
    for entry in fs::read_dir(dir.join("runs")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join("runs").join(path.file_name().unwrap())).unwrap();
    }
    let records = Store::open(&copy, &sweep, Shard::WHOLE).unwrap().records().unwrap();
    fs::remove_dir_all(&copy).unwrap();
    assert_eq!((records.records.len(), records.notes.len()), (4, 0), "{:?}", records.notes);
    let queue =
        results::read("results.json", &fs::read_to_string(dir.join("results.json")).unwrap())
            .unwrap()
            .unwrap();
    assert_eq!((queue.runs().len(), queue.over()), (4, 4));
    let keys: Vec<&str> = queue.runs().iter().map(|run| run.key.as_str()).collect();
    assert!(
        records.records.iter().all(|record| keys.contains(&record.key.as_str())),
        "a run's key is what it was"
    );
}
