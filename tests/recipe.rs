//! Links, presets and checkpoints: what is good comes back the same, what is bad is named and loses
//! nothing.

use gatelens::recipe::{Engine, Gating, Recipe};
use gatelens::recipe::{checkpoint, preset};
use gatelens::task::Arrays;
use gatelens::train::session::Snapshot;
use safetensors::tensor::{Dtype, TensorView};

fn recipe() -> Recipe {
    Recipe {
        dim: 3,
        hidden: 5,
        gates: 4,
        seed: 9,
        learning_rate: 0.003,
        backend: Engine::Cpu,
        decay_schedule: "0:1,0.5:2".parse().unwrap(),
        ..Recipe::default()
    }
}

#[test]
fn a_link_reproduces_the_recipe() {
    for preset in preset::all() {
        let changed =
            Recipe { seed: 77, gating: Gating::Side, weight_decay: 0.25, ..preset.recipe };
        let hash = changed.to_hash(&preset.name);
        let (name, read, problems) = Recipe::from_hash(&format!("#{hash}"));
        assert_eq!(
            (name.as_str(), &read, problems.len()),
            (preset.name.as_str(), &changed, 0),
            "{hash}"
        );
    }
    assert_eq!(Recipe::default().to_hash(preset::DEFAULT), "v=1", "only what differs is named");
    assert_eq!(
        recipe().to_hash(preset::DEFAULT),
        "v=1&dim=3&hidden=5&gates=4&learning_rate=0.003&decay_schedule=0:1,0.5:2&seed=9&backend=cpu"
    );
    let (_, read, _) = Recipe::from_hash("#v=1&decay_schedule=0%3A1%2C0.5%3A2");
    assert_eq!(read.decay_schedule, recipe().decay_schedule, "browsers escape some characters");
}

#[test]
fn only_what_does_not_go_together_is_set_back() {
    let (_, read, problems) = Recipe::from_hash("#v=1&rank=9&warmup=100&beta2=0:0.98&seed=4");
    assert_eq!(
        (read.rank, read.warmup, read.beta2.to_string().as_str(), read.seed, problems.len()),
        (0, 100, "0:0.98", 4, 1),
        "{problems:?}"
    );
}

#[test]
fn each_matrix_of_the_teacher_may_have_its_own_rank() {
    let of = |hash: &str| Recipe::from_hash(hash);
    let (_, low, _) = of("#v=1&rank=2");
    assert_eq!(
        (low.ranks(), Recipe::default().ranks()),
        ([2; 3], [4; 3]),
        "an old link means all three"
    );
    let old = r#"{"task": "attention", "dim": 5, "rank": 3}"#;
    assert_eq!(
        serde_json::from_str::<Recipe>(old).unwrap().ranks(),
        [3; 3],
        "an old checkpoint too"
    );
    let (_, own, problems) = of("#v=1&rank=2&value_rank=4&query_rank=1");
    assert_eq!((own.ranks(), problems.len()), ([4, 2, 1], 0));
    assert_eq!(of(&format!("#{}", own.to_hash(preset::DEFAULT))).1, own);
    assert!(
        !own.same_teacher(&low) && low.same_teacher(&Recipe { key_rank: 2, ..low.clone() }),
        "what counts is the rank, not how it was said"
    );
    let teacher = own.plan().teacher().unwrap();
    let rank = |data: &[f64]| {
        gatelens::math::linear::svd(&gatelens::math::matrix::Matrix::new(4, 4, data.to_vec()))
            .rank(1e-9)
    };
    assert_eq!(
        [&teacher.value, &teacher.key, &teacher.query].map(|matrix| rank(matrix)),
        [4, 2, 1]
    );
    for (hash, key, ranks) in [
        ("value_rank=5", "value_rank", [1, 1, 1]),
        ("key_rank=64", "key_rank", [1, 1, 1]),
        ("query_rank=9&value_rank=2", "query_rank", [2, 1, 1]),
    ] {
        let (_, read, problems) = of(&format!("#v=1&rank=1&{hash}"));
        let text = problems.iter().map(ToString::to_string).collect::<String>();
        assert!(
            read.ranks() == ranks
                && problems.len() == 1
                && text.starts_with(&format!("{key}: "))
                && text.contains("at most d = 4, or 0 for the rank of all"),
            "{text}"
        );
    }
    assert_eq!(of("#v=1&value_rank=65").2.len(), 1, "beyond any width");
}

#[test]
fn a_state_beyond_the_last_step_is_refused() {
    let late = Snapshot { step: u64::from(recipe().steps) + 1, ..snapshot() };
    let bytes = checkpoint::write(&recipe(), &late, recipe().plan().teacher().as_ref()).unwrap();
    assert!(
        checkpoint::read("late", &bytes).unwrap_err().to_string().contains(&late.step.to_string())
    );
}

#[test]
fn json_keeps_every_setting() {
    let text = serde_json::to_string(&recipe()).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), recipe());
    assert_eq!(
        serde_json::from_str::<Recipe>(r#"{"hidden": 7}"#).unwrap(),
        Recipe { hidden: 7, ..Recipe::default() }
    );
}

#[test]
fn a_bad_link_says_what_is_wrong_and_keeps_the_rest() {
    let cases = [
        ("hiden=64", "hiden"),
        ("hidden=-3", "hidden"),
        ("hidden=1e9", "hidden"),
        ("hidden=99999999999999999999999", "hidden"),
        ("hidden=", "hidden"),
        ("hidden", "hidden"),
        ("hidden=many", "hidden"),
        ("learning_rate=NaN", "learning_rate"),
        ("learning_rate=-1", "learning_rate"),
        ("learning_rate=inf", "learning_rate"),
        ("weight_decay=1e300", "weight_decay"),
        ("teacher=strict", "teacher"),
        ("rate_schedule=quickly", "rate_schedule"),
        ("beta2=0:1.5", "beta2"),
        ("rank=60", "rank"),
        ("preset=unheard", "preset"),
        ("v=99", "v"),
        ("%zz=%", "%zz"),
        ("🦀=1", "🦀"),
    ];
    for (bad, key) in cases {
        let (_, read, problems) = Recipe::from_hash(&format!("#v=1&seed=5&{bad}&batch=16"));
        assert_eq!((read.seed, read.batch), (5, 16), "{bad}: the rest is kept");
        assert_eq!(problems.len(), 1, "{bad}: {problems:?}");
        let text = problems[0].to_string();
        assert!(text.starts_with(key) && text.contains("expected"), "{bad}: {text}");
        read.check().unwrap();
    }
}

fn snapshot() -> Snapshot {
    let parameters = recipe().plan().program().params.initial(1);
    let moment: Vec<f32> = parameters.iter().map(|v| v * 0.5).collect();
    Snapshot { step: 12, first_moment: moment.clone(), second_moment: moment, parameters }
}

fn file() -> Vec<u8> {
    checkpoint::write(&recipe(), &snapshot(), recipe().plan().teacher().as_ref()).unwrap()
}

/// A file with the tensors of `edit`ed weights, without metadata.
fn foreign(edit: impl FnOnce(&mut Vec<(String, Vec<usize>, Vec<f64>)>)) -> Vec<u8> {
    let table = recipe().plan().program().params;
    let parameters = snapshot().parameters;
    let mut tensors: Vec<(String, Vec<usize>, Vec<f64>)> = table
        .iter()
        .map(|p| {
            (
                p.name.clone(),
                p.shape.clone(),
                parameters[p.range()].iter().copied().map(f64::from).collect(),
            )
        })
        .collect();
    edit(&mut tensors);
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(name, shape, v)| (name, shape, v.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        (name.clone(), TensorView::new(Dtype::F64, shape.clone(), bytes).unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

#[test]
fn a_checkpoint_comes_back_whole() {
    let loaded = checkpoint::read("own", &file()).unwrap();
    assert_eq!(
        (loaded.recipe, loaded.snapshot, loaded.teacher),
        (Some(recipe()), snapshot(), recipe().plan().teacher())
    );
    assert!(loaded.notes.is_empty());
}

#[test]
fn weights_from_elsewhere_are_read() {
    let loaded = checkpoint::read("foreign", &foreign(|_| {})).unwrap();
    assert_eq!(
        (loaded.snapshot.parameters, loaded.recipe.is_none(), loaded.teacher.is_none()),
        (snapshot().parameters, true, true)
    );
    let with_lambda = foreign(|tensors| {
        let nu = tensors.iter_mut().find(|(name, ..)| name == "nu").unwrap();
        nu.0 = "lambda".into();
        nu.2.iter_mut().for_each(|v| *v = (-v.exp()).exp());
        tensors.push(("optimizer.notes".into(), vec![1], vec![0.0]));
    });
    let loaded = checkpoint::read("foreign", &with_lambda).unwrap();
    for (a, b) in loaded.snapshot.parameters.iter().zip(&snapshot().parameters) {
        assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{a} {b}");
    }
    assert_eq!(loaded.notes, ["ignored: optimizer.notes"]);
    assert_eq!(loaded.to_recipe_sizes(), (3, 5, 4));
}

trait Sizes {
    fn to_recipe_sizes(&self) -> (usize, usize, usize);
}

impl Sizes for checkpoint::Checkpoint {
    fn to_recipe_sizes(&self) -> (usize, usize, usize) {
        let recipe = self.to_recipe("foreign").unwrap();
        (recipe.dim, recipe.hidden, recipe.gates)
    }
}

#[test]
fn bad_files_are_named_and_explained() {
    let whole = file();
    let newer = |text: &str, by: &str| -> Vec<u8> {
        // Same length, so that the header's size stays true.
        let at = whole.windows(text.len()).position(|w| w == text.as_bytes()).unwrap();
        [&whole[..at], by.as_bytes(), &whole[at + text.len()..]].concat()
    };
    let huge_header = [&(2u64 << 30).to_le_bytes()[..], &[b' '; 92]].concat();
    let set = |name: &'static str, value: f64| {
        foreign(move |tensors| tensors.iter_mut().find(|(n, ..)| n == name).unwrap().2[1] = value)
    };
    let wide = || {
        foreign(|tensors| {
            *tensors = vec![
                ("input_gate.m".into(), vec![70_000, 2], vec![0.0; 140_000]),
                ("output_gate.m".into(), vec![70_000, 1], vec![0.0; 70_000]),
                ("readout".into(), vec![1, 70_000], vec![0.0; 70_000]),
            ];
        })
    };
    let lambda = |value: f64| {
        foreign(move |tensors| {
            let nu = tensors.iter_mut().find(|(n, ..)| n == "nu").unwrap();
            (nu.0, nu.2) = ("lambda".into(), vec![0.5, value, 0.5, 0.5, 0.5]);
        })
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "is empty"),
        ("cut short", whole[..whole.len() - 10].to_vec(), "cut short"),
        ("cut in the header", whole[..40].to_vec(), "cut short"),
        ("a picture", b"\x89PNG\r\n\x1a\n and so on, and on, and on".to_vec(), "safetensors"),
        ("2 GB claimed", huge_header, "safetensors"),
        ("newer", newer(r#""format":"1""#, r#""format":"7""#), "newer version"),
        (
            "recipe of another kind",
            newer(r#"\"hidden\":5"#, r#"\"hidden\":8"#),
            "does not fit its weights",
        ),
        (
            "recipe that does not read",
            newer(r#"\"hidden\":5"#, r#"\"hidden\":x"#),
            "recipe does not read",
        ),
        ("a batch of nothing", newer(r#"\"batch\":64"#, r#"\"batch\":00"#), "recipe does not read"),
        ("a batch beyond its range", newer(r#"\"batch\":64,"#, r#"\"batch\":0 ,"#), "batch: 0"),
        ("as wide as a house", wide(), "is too large"),
        (
            "a teacher of another width",
            foreign(|tensors| {
                tensors.extend(
                    ["value", "key", "query"]
                        .map(|name| (format!("teacher.{name}"), vec![2, 2], vec![1.0; 4])),
                )
            }),
            "expected d = 3",
        ),
        ("NaN", set("readout", f64::NAN), "readout holds NaN at element 1"),
        ("infinite in float32", set("nu", 1e300), "nu holds"),
        ("lambda above 1", lambda(1.5), "lambda[1] is 1.5"),
        ("lambda negative", lambda(-0.5), "lambda[1] is -0.5"),
        (
            "missing",
            foreign(|tensors| tensors.retain(|(name, ..)| name != "output_gate.x")),
            "no tensor output_gate.x",
        ),
        (
            "another network",
            foreign(|tensors| tensors.retain(|(name, ..)| name == "nu")),
            "no tensor input_gate.m",
        ),
        (
            "wrong shape",
            foreign(|tensors| {
                tensors.iter_mut().for_each(|(name, shape, _)| {
                    if name == "input_gate.x" {
                        shape.reverse()
                    }
                })
            }),
            "input_gate.x has shape [4, 5]; expected [5, 4]",
        ),
        (
            "wrong readout",
            foreign(|tensors| {
                tensors.iter_mut().for_each(|(name, shape, _)| {
                    if name == "readout" {
                        shape.reverse()
                    }
                })
            }),
            "readout has 3 columns; expected 4",
        ),
        (
            "a vector",
            foreign(|tensors| {
                tensors.iter_mut().for_each(|(name, shape, _)| {
                    if name == "input_gate.m" {
                        *shape = vec![20]
                    }
                })
            }),
            "expected a matrix",
        ),
    ];
    for (what, bytes, expected) in cases {
        let error = checkpoint::read("some.safetensors", &bytes).expect_err(what).to_string();
        assert!(
            error.starts_with("some.safetensors: ") && error.contains(expected),
            "{what}: {error}"
        );
    }
}

/// However few sequences a file has: a batch is taken of those that are not for the test.
#[test]
fn a_batch_fits_what_there_is_to_train_on() {
    let bases = preset::names().into_iter().map(|name| preset::find(name).unwrap().recipe);
    let bases: Vec<Recipe> = bases.map(|recipe| Recipe { mask_at: 0.0, ..recipe }).collect();
    for sequences in 1..=200 {
        let arrays =
            Arrays { sequences, time: 3, inputs: 2, outputs: 1, steps: 3, ..Arrays::default() };
        for (base, tenths) in
            bases.iter().flat_map(|base| (0..10).map(move |tenths| (base, tenths)))
        {
            let test_fraction = tenths as f32 / 10.0;
            let base = Recipe { test_fraction, ..base.clone() };
            let recipe = base.with_data("few.npz", &arrays).with_fitting_batch();
            recipe.check().unwrap_or_else(|e| panic!("{sequences} of which {test_fraction}: {e}"));
            let most = sequences - recipe.test_sequences();
            assert_eq!(recipe.batch, base.batch.min(most));
            assert!(Recipe { batch: most + 1, ..recipe.clone() }.check().is_err());
            assert!(recipe.check_arrays(Some(&arrays)).is_ok());
            let other = Arrays { sequences: sequences + 1, ..arrays.clone() };
            for given in [None, Some(&other)] {
                let problem = recipe.check_arrays(given).unwrap_err().to_string();
                assert!(problem.contains("few.npz") && problem.contains("--data"), "{problem}");
            }
        }
    }
    let recall = preset::find("recall").unwrap().recipe;
    assert_eq!(recall.clone().with_fitting_batch(), recall, "only of the file task");
}
