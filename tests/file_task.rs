//! The user's own arrays: every format and type that is read, everything that is refused and how,
//! batches drawn on both devices, masks, and ten AdamW steps through the terminal against JAX's.

mod support;

use gatelens::analysis::test_set::Sets;
use gatelens::backend::cpu::Cpu;
use gatelens::graph::{Graph, program::Program};
use gatelens::recipe::data::read;
use gatelens::recipe::{Recipe, Switch, checkpoint};
use gatelens::task::{Arrays, Source};
use gatelens::train::optimizer::data_clock;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::norm_error;

/// An array as `np.save` writes it.
fn npy(kind: &str, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    header += &" ".repeat(63 - (10 + header.len()) % 64);
    header.push('\n');
    [
        b"\x93NUMPY\x01\x00",
        &u16::try_from(header.len()).unwrap().to_le_bytes()[..],
        header.as_bytes(),
        data,
    ]
    .concat()
}

/// A file as `np.savez` (or, `packed`, `np.savez_compressed`) writes it.
fn npz(arrays: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
    let mut file = vec![];
    let mut archive = rawzip::ZipArchiveWriter::new(&mut file);
    for (name, bytes) in arrays {
        let method = if packed {
            rawzip::CompressionMethod::DEFLATE
        } else {
            rawzip::CompressionMethod::STORE
        };
        let name = format!("{name}.npy");
        let (mut entry, config) =
            archive.new_file(&name).compression_method(method).start().unwrap();
        // The sizes and the checksum are those of the array itself.
        let mut plain = config.wrap(std::io::sink());
        plain.write_all(bytes).unwrap();
        let (_, descriptor) = plain.finish().unwrap();
        entry
            .write_all(&if packed {
                miniz_oxide::deflate::compress_to_vec(bytes, 1)
            } else {
                bytes.clone()
            })
            .unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    file
}

fn doubles(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    values.into_iter().flat_map(f64::to_le_bytes).collect()
}

/// x [3, 2, 2] = 0 … 11, y [3, 2, 1] = 0 … 5, both float64.
fn xy() -> [(&'static str, Vec<u8>); 2] {
    [
        ("x", npy("<f8", &[3, 2, 2], &doubles((0..12).map(f64::from)))),
        ("y", npy("<f8", &[3, 2, 1], &doubles((0..6).map(f64::from)))),
    ]
}

fn message(arrays: &[(&str, Vec<u8>)]) -> String {
    read(&[("data.npz", &npz(arrays, false))]).unwrap_err().to_string()
}

#[test]
fn every_format_and_type_reads_the_same() {
    let expected = read(&[("data.npz", &npz(&xy(), false))]).unwrap();
    let sizes = |a: &Arrays| [a.sequences, a.time, a.inputs, a.outputs, a.steps];
    assert_eq!(
        (sizes(&expected), expected.x[11], expected.y[5], expected.weight.is_none()),
        ([3, 2, 2, 1, 2], 11.0, 5.0, true)
    );
    assert_eq!(read(&[("packed.npz", &npz(&xy(), true))]).unwrap(), expected);
    let [(_, x), (_, y)] = xy();
    assert_eq!(read(&[("folder/x.npy", &x), ("folder/y.npy", &y)]).unwrap(), expected);
    let (x, y): (Vec<f32>, Vec<i64>) = ((0..12).map(|v| v as f32).collect(), (0..6).collect());
    let views = [
        ("x", TensorView::new(Dtype::F32, vec![3, 2, 2], bytemuck::cast_slice(&x)).unwrap()),
        ("y", TensorView::new(Dtype::I64, vec![3, 2, 1], bytemuck::cast_slice(&y)).unwrap()),
    ];
    assert_eq!(
        read(&[("data.safetensors", &safetensors::serialize(views, None).unwrap())]).unwrap(),
        expected
    );
    let bytes: Vec<u8> = (0..12).collect();
    for kind in ["|u1", "|i1"] {
        assert_eq!(
            read(&[(
                "data.npz",
                &npz(&[("x", npy(kind, &[3, 2, 2], &bytes)), xy()[1].clone()], false)
            )])
            .unwrap(),
            expected,
            "{kind}"
        );
    }
    let shorts: Vec<u8> = (0..12u16).flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        read(&[(
            "data.npz",
            &npz(&[("x", npy("<u2", &[3, 2, 2], &shorts)), xy()[1].clone()], false)
        )])
        .unwrap(),
        expected
    );
}

#[test]
fn what_does_not_fit_is_said() {
    let [x, y] = xy();
    let with_mask = |kind: &str, shape: &[usize], data: &[u8]| {
        message(&[x.clone(), y.clone(), ("mask", npy(kind, shape, data))])
    };
    let flat = npy("<f8", &[6, 2], &doubles((0..12).map(f64::from)));
    let nan = npy("<f8", &[3, 2, 1], &doubles([0.0, 1.0, f64::NAN, 3.0, 4.0, 5.0]));
    let short = npy("<f8", &[2, 2, 1], &doubles((0..4).map(f64::from)));
    let cut = npy("<f8", &[3, 2, 2], &doubles((0..5).map(f64::from)));
    let huge = npy("<f8", &[1 << 40, 1 << 30, 2], &[]);
    let fortran = String::from_utf8_lossy(&xy()[0].1[..]).contains("False");
    assert!(fortran);
    let mut ordered = x.1.clone();
    let place = ordered.windows(5).position(|w| w == b"False").unwrap();
    ordered.splice(place..place + 5, *b"True ");
    let cases = [
        (message(std::slice::from_ref(&x)), "has no array y"),
        (
            message(&[("x", flat), y.clone()]),
            "x has shape [6, 2]; expected three dimensions [N, T, numbers]",
        ),
        (message(&[x.clone(), ("y", short)]), "x has 3 sequences of 2 steps, y has 2 of 2"),
        (message(&[x.clone(), ("y", nan)]), "y holds NaN at element 2"),
        (message(&[("x", cut), y.clone()]), "x is cut short: 40 bytes for 12 numbers of 8"),
        (message(&[("x", huge), y.clone()]), "expected at most"),
        (
            message(&[("x", npy("<U4", &[3, 2, 2], &[0; 192])), y.clone()]),
            "x holds U4; expected float32, float64 or whole numbers",
        ),
        (message(&[("x", npy("|O", &[3, 2, 2], &[0; 192])), y.clone()]), "x holds O; expected"),
        (message(&[("x", npy(">f8", &[3, 2, 2], &[0; 96])), y.clone()]), "x holds >f8; expected"),
        (message(&[("x", ordered), y.clone()]), "x is in Fortran's order"),
        (with_mask("|b1", &[2], &[0, 0]), "mask is all zero"),
        (with_mask("|b1", &[3], &[1, 0, 1]), "mask has shape [3]; expected [2] or [3, 2]"),
        (with_mask("<f8", &[2], &doubles([1.0, -1.0])), "mask holds -1 at element 1"),
        (
            read(&[("a.npz", b"PK and no more")]).unwrap_err().to_string(),
            "is not a whole .npz file",
        ),
        (read(&[("x.npy", &x.1)]).unwrap_err().to_string(), "put x.npy and y.npy side by side"),
        (
            read(&[("a.png", b"\x89PNG")]).unwrap_err().to_string(),
            "is neither a whole safetensors file",
        ),
        (read(&[]).unwrap_err().to_string(), "has no array x"),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{found} — expected {expected}");
    }
}

/// A deflated array that unpacks to more than an array may hold is given up before it fills the
/// memory.
#[test]
fn a_small_file_cannot_fill_the_memory() {
    let zeros = miniz_oxide::deflate::compress_to_vec(&vec![0; 1 << 20], 1);
    assert!(zeros.len() < 20_000);
    let bomb =
        [npy("<f8", &[3, 2, 2], &doubles((0..12).map(f64::from))), vec![0; 600 << 20]].concat();
    let bytes = npz(&[("x", bomb), xy()[1].clone()], true);
    assert!(bytes.len() < 10 << 20, "{}", bytes.len());
    let error = read(&[("bomb.npz", &bytes)]).unwrap_err().to_string();
    assert!(error.contains("is not a whole .npz file"), "{error}");
}

#[test]
fn masks_cut_off_what_never_counts_and_weigh_the_rest() {
    let arrays = |mask: &[u8], shape: &[usize]| {
        read(&[(
            "d.npz",
            &npz(&[xy()[0].clone(), xy()[1].clone(), ("mask", npy("|b1", shape, mask))], false),
        )])
        .unwrap()
    };
    let last = arrays(&[0, 1], &[2]);
    assert_eq!(
        (last.steps, last.y, last.weight),
        (1, vec![1.0, 3.0, 5.0], None),
        "the last step alone: nothing to weigh"
    );
    let all = arrays(&[1, 1], &[2]);
    assert_eq!((all.steps, all.weight), (2, None));
    let some = arrays(&[1, 0, 0, 1, 1, 1], &[3, 2]);
    assert_eq!(
        (some.steps, some.weight),
        (2, Some(vec![1.5, 0.0, 0.0, 1.5, 1.5, 1.5])),
        "their mean is 1"
    );
}

/// Batches of `recipe` on both engines: x and y.
fn batches(recipe: &Recipe, arrays: &Arrays, step: u32) -> Vec<[Vec<f32>; 2]> {
    let mut graph = Graph::new(recipe.batch, recipe.time);
    let (x, y) = recipe.task().record(&mut graph);
    let program = Program::forward(graph);
    let cpu = Box::new(Cpu::<f32>::new(program.clone(), 2, u64::MAX).unwrap());
    #[cfg_attr(not(feature = "gpu"), expect(unused_mut, reason = "a GPU may join"))]
    let mut engines: Vec<Box<dyn gatelens::backend::Backend>> = vec![cpu];
    #[cfg(feature = "gpu")]
    match pollster::block_on(gatelens::backend::gpu::Context::open()) {
        Ok(context) => {
            engines.push(Box::new(gatelens::backend::gpu::Gpu::new(&context, program).unwrap()))
        }
        Err(error) => {
            assert!(std::env::var("REQUIRE_GPU").is_err(), "REQUIRE_GPU is set, but {error}")
        }
    }
    let run = |mut engine: Box<dyn gatelens::backend::Backend>| {
        recipe.plan().write_constants(
            engine.as_mut(),
            0,
            Source { data: Some(arrays), ..Source::default() },
        );
        engine.set_clock(&data_clock(9, step));
        engine.advance(1).unwrap();
        [x, y].map(|value| {
            engine.request(value.id());
            loop {
                if let Some(numbers) =
                    engine.poll().unwrap().as_ref().and_then(|progress| progress.tensor(value.id()))
                {
                    break numbers.to_vec();
                }
            }
        })
    };
    engines.into_iter().map(run).collect()
}

#[test]
fn both_devices_draw_the_same_batches_in_order_or_at_random() {
    let numbers = |count: usize| (0..count).map(|i| i as f32).collect::<Vec<f32>>();
    let arrays = Arrays {
        sequences: 7,
        time: 3,
        inputs: 2,
        outputs: 1,
        steps: 2,
        x: numbers(42),
        y: numbers(14),
        weight: None,
    };
    let recipe = Recipe { batch: 5, shuffle: Switch::Off, test_fraction: 0.0, ..Recipe::default() }
        .with_data("d", &arrays);
    for step in [1, 2, 3, 11] {
        for [x, y] in batches(&recipe, &arrays, step) {
            for b in 0..5 {
                let sequence = ((step as usize - 1) * 5 + b) % 7;
                assert_eq!(
                    (&x[b * 6..][..6], &y[b * 2..][..2]),
                    (&arrays.x[sequence * 6..][..6], &arrays.y[sequence * 2..][..2]),
                    "step {step}"
                );
            }
        }
    }
    let recipe = Recipe { shuffle: Switch::On, ..recipe };
    let mut seen = std::collections::HashSet::new();
    for step in 1..40 {
        let drawn = batches(&recipe, &arrays, step);
        assert!(drawn.iter().all(|batch| *batch == drawn[0]), "the devices differ at step {step}");
        for b in 0..5 {
            let sequence = (drawn[0][0][b * 6] / 6.0) as usize;
            assert_eq!(
                drawn[0][1][b * 2..][..2],
                arrays.y[sequence * 2..][..2],
                "x and y belong together"
            );
            seen.insert(sequence);
        }
        if step > 3 && seen.len() == 7 {
            break;
        }
    }
    assert_eq!(seen.len(), 7, "every sequence is drawn at last");
}

#[test]
fn the_split_keeps_every_sequence_once() {
    let arrays = Arrays {
        sequences: 10,
        time: 1,
        inputs: 1,
        outputs: 1,
        steps: 1,
        x: (0..10).map(|i| i as f32).collect(),
        y: vec![0.0; 10],
        weight: None,
    };
    let recipe =
        Recipe { test_fraction: 0.3, batch: 2, ..Recipe::default() }.with_data("d", &arrays);
    let (train, test) = recipe.split(&arrays);
    assert_eq!((train.sequences, test.sequences, recipe.test_sequences()), (7, 3, 3));
    let mut all = [train.x, test.x].concat();
    assert_ne!(all, arrays.x, "shuffled");
    all.sort_by(f32::total_cmp);
    assert_eq!(all, arrays.x);
    let (train, test) = Recipe { shuffle: Switch::Off, ..recipe.clone() }.split(&arrays);
    assert_eq!((train.x[6], test.x), (6.0, vec![7.0, 8.0, 9.0]));
    let error = Recipe { batch: 8, ..recipe }.check().unwrap_err().to_string();
    assert!(error.contains("at most 7 sequences"), "{error}");
}

/// The loss on the device is the weighted mean over the file's sequences that
/// [`gatelens::analysis::test_set`] computes from the weights alone.
#[test]
fn weights_of_time_steps_are_in_the_loss() {
    let mask = ("mask", npy("<f8", &[3, 2], &doubles([1.0, 0.0, 0.5, 2.0, 0.0, 1.0])));
    let arrays =
        read(&[("d.npz", &npz(&[xy()[0].clone(), xy()[1].clone(), mask], false))]).unwrap();
    let base = Recipe {
        hidden: 4,
        gates: 3,
        batch: 3,
        shuffle: Switch::Off,
        test_fraction: 0.0,
        mask_at: 0.0,
        ..Recipe::default()
    };
    let recipe = base.with_data("d", &arrays);
    let plan = recipe.plan();
    let program = plan.program();
    let parameters = program.params.initial(3);
    let network = gatelens::model::Network::from_parameters(&program.params, &parameters).unwrap();
    let mut cpu = Cpu::<f64>::new(program, 1, u64::MAX).unwrap();
    let engine: &mut dyn gatelens::backend::Backend = &mut cpu;
    engine.write(Graph::PARAMETERS, &parameters);
    plan.write_constants(engine, 0, Source { data: Some(&arrays), ..Source::default() });
    engine.set_clock(&plan.optimizer.clock(3, 0));
    engine.advance(1).unwrap();
    let loss = engine.poll().unwrap().unwrap().losses[0];
    let Some(tested) = gatelens::analysis::test_set::measure(
        &network,
        Sets { test: &arrays, train: &arrays, in_order: true },
    ) else {
        panic!("no test")
    };
    let size = tested.test.size;
    assert!(
        (f64::from(loss.loss) / size.loss - 1.0).abs() < 1e-5
            && (f64::from(loss.power) / size.power - 1.0).abs() < 1e-5,
        "{loss:?} {size:?}"
    );
    let plain = Arrays { weight: None, ..arrays.clone() };
    let Some(plain) = gatelens::analysis::test_set::measure(
        &network,
        Sets { test: &plain, train: &plain, in_order: true },
    ) else {
        panic!("no test")
    };
    assert!((plain.test.size.loss / size.loss - 1.0).abs() > 1e-2, "the weights matter");
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("file_task").join(name);
    drop(std::fs::remove_dir_all(&path));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn gatelens(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gatelens"))
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Ten AdamW steps from given weights on given batches equal JAX's, through the terminal.
#[test]
fn ten_steps_through_the_terminal_equal_jax() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let cases: Value =
        serde_json::from_slice(&std::fs::read(reference.join("cases.json")).unwrap()).unwrap();
    let mut compared = 0;
    for case in cases["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["kind"] == "adamw" && case["model"] == "gated")
    {
        let bytes = std::fs::read(reference.join(case["file"].as_str().unwrap())).unwrap();
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let out = folder(case["id"].as_str().unwrap());
        let (inputs, targets) = (file.tensor("inputs").unwrap(), file.tensor("targets").unwrap());
        let [steps, batch, time, width] = inputs.shape()[..] else {
            panic!("{:?}", inputs.shape())
        };
        let mut arrays = vec![("x", npy("<f8", &[steps * batch, time, width], inputs.data()))];
        if let [_, _, _, outputs] = targets.shape()[..] {
            arrays.push(("y", npy("<f8", &[steps * batch, time, outputs], targets.data())));
        } else {
            // Targets at the last time step only: a mask says so.
            let outputs = targets.shape()[2];
            let mut y = vec![0; steps * batch * time * outputs * 8];
            for (row, target) in targets.data().chunks_exact(outputs * 8).enumerate() {
                y[((row + 1) * time - 1) * outputs * 8..][..outputs * 8].copy_from_slice(target);
            }
            arrays.push(("y", npy("<f8", &[steps * batch, time, outputs], &y)));
            arrays.push((
                "mask",
                npy(
                    "|b1",
                    &[time],
                    &(0..time).map(|t| u8::from(t + 1 == time)).collect::<Vec<u8>>(),
                ),
            ));
        }
        let (data, init) = (out.join("data.npz"), out.join("start.safetensors"));
        std::fs::write(&data, npz(&arrays, false)).unwrap();
        let names: Vec<&str> = case["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let start = names.iter().map(|name| (*name, file.tensor(name).unwrap()));
        std::fs::write(&init, safetensors::serialize(start, None).unwrap()).unwrap();
        let setting = |name: &str| case["optimizer"][name].as_f64().unwrap().to_string();
        let (batch, run) = (batch.to_string(), out.join("run"));
        let arguments = [
            "train",
            "--init",
            init.to_str().unwrap(),
            "--task",
            "file",
            "--data",
            data.to_str().unwrap(),
            "--no-shuffle",
            "--test-fraction",
            "0",
            "--schedule",
            "constant",
            "--decay-schedule",
            "constant",
            "--beta2",
            "0:0.999",
            "--lr",
            &setting("lr"),
            "--weight-decay",
            &setting("weight_decay"),
            "--batch",
            &batch,
            "--steps",
            "10",
            "--backend",
            "cpu",
            "--out",
            run.to_str().unwrap(),
            "--json",
        ];
        let (success, _, errors) = gatelens(&arguments);
        assert!(success, "{errors}");
        let trained =
            checkpoint::read("run", &std::fs::read(run.join("weights.safetensors")).unwrap())
                .unwrap();
        let mut moved = 0.0;
        for name in names {
            let numbers = |tensor: &str| -> Vec<f64> {
                file.tensor(tensor)
                    .unwrap()
                    .data()
                    .chunks_exact(8)
                    .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                    .collect()
            };
            // Files hold ν in single precision.
            let found: Vec<f64> = trained.gated("run").unwrap().parameter(name).unwrap();
            let error = norm_error(&found, &numbers(&format!("step10.{name}")));
            assert!(error < 1e-5, "{}: {name} is off by {error:.1e}", case["id"]);
            moved += norm_error(&found, &numbers(name));
        }
        assert!(moved > 1e-3, "the weights moved, so the comparison could fail");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

/// A file of a teacher's answers is learned as the teacher is, and the test sequences show it.
#[test]
fn a_file_of_numbers_trains() {
    let out = folder("trains");
    let random = |name: &str, count: usize| -> Vec<f64> {
        gatelens::math::random::normals(3, name, count).into_iter().map(f64::from).collect()
    };
    let (n, t) = (300, 8);
    let x = random("x", n * t * 2);
    let teacher = gatelens::task::Teacher::draw(
        gatelens::task::attention::TeacherKind {
            dim: 2,
            ranks: [2; 3],
            spectrum: gatelens::task::attention::Spectrum::Orthogonal,
            gain: 1.0,
        },
        5,
    );
    let y: Vec<f64> = x
        .chunks_exact(t * 2)
        .flat_map(|sequence| {
            let (attention, values) = teacher.attention(sequence);
            (0..t * 2)
                .map(move |i| {
                    (0..t).map(|s| attention[i / 2 * t + s] * values[s * 2 + i % 2]).sum::<f64>()
                })
                .collect::<Vec<f64>>()
        })
        .collect();
    let data = out.join("data.npz");
    std::fs::write(
        &data,
        npz(
            &[
                ("x", npy("<f8", &[n, t, 2], &doubles(x))),
                ("y", npy("<f8", &[n, t, 2], &doubles(y))),
            ],
            true,
        ),
    )
    .unwrap();
    let arguments = [
        "train",
        "--data",
        data.to_str().unwrap(),
        "--preset",
        "quick",
        "--hidden",
        "16",
        "--gates",
        "16",
        "--batch",
        "32",
        "--steps",
        "2500",
        "--backend",
        "cpu",
        "--weight-decay",
        "0.01",
        "--decay-schedule",
        "constant",
        "--mask-at",
        "0",
        "--json",
    ];
    let (success, text, errors) = gatelens(&arguments);
    assert!(success, "{errors}");
    let result: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let test = &result["in_context"];
    assert_eq!(test["test"]["sequences"], 30, "{result}");
    assert!(test["nmse"].as_f64().unwrap() < 0.05, "{result}");

    // As many as the batch of the preset, some of them for the test.
    let few = out.join("few.npz");
    let zeros = || npy("<f8", &[64, 2, 1], &doubles([0.5; 128]));
    std::fs::write(&few, npz(&[("x", zeros()), ("y", zeros())], false)).unwrap();
    let train = |batch: &[&str]| {
        let few = ["train", "--data", few.to_str().unwrap(), "--steps", "2", "--backend", "cpu"];
        gatelens(&[&few[..], batch].concat())
    };
    let (success, _, errors) = train(&[]);
    assert!(success, "{errors}");
    let (success, _, errors) = train(&["--batch", "64"]);
    assert!(!success && errors.contains("at most 58 sequences"), "{errors}");

    let (success, _, errors) = gatelens(&["train", "--task", "file"]);
    assert!(!success && errors.contains("--data FILE"), "{errors}");
    let (success, _, errors) =
        gatelens(&["train", "--data", out.join("none.npz").to_str().unwrap()]);
    assert!(!success && errors.contains("could not be read"), "{errors}");
}
