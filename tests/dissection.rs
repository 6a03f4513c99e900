//! Taking networks apart: trained ones against numbers from JAX and numpy (`tests/reference/`).

#[path = "support/networks.rs"]
mod networks;
mod support;

use gatelens::analysis::batch::Batch;
use gatelens::analysis::dissection::{Dissection, Settings, StageKind, dissect};
use gatelens::analysis::{importance, polynomial, scores};
use gatelens::experiment::checkpoint;
use gatelens::math::matrix::Matrix;
use gatelens::model::Network;
use gatelens::task::Teacher;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use std::path::Path;
use support::norm_error;

/// A trained network of the reference.
struct Trained {
    bytes: Vec<u8>,
    results: Value,
    network: Network,
    teacher: Option<Teacher>,
}

impl Trained {
    fn read(id: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
        let cases: Value = serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap();
        let case = cases["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap();
        let bytes = std::fs::read(folder.join(case["file"].as_str().unwrap())).unwrap();
        let checkpoint = checkpoint::read(id, &bytes).unwrap();
        Self { bytes, results: case["results"].clone(), network: checkpoint.network, teacher: checkpoint.teacher }
    }

    fn tensor(&self, name: &str) -> (Vec<usize>, Vec<f64>) {
        let file = SafeTensors::deserialize(&self.bytes).unwrap();
        let view = file.tensor(name).unwrap();
        let data = view.data();
        let numbers = match view.dtype() {
            Dtype::F64 => data.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
            Dtype::F32 => data.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect(),
            Dtype::I64 => data.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64).collect(),
            other => panic!("{name} is {other:?}"),
        };
        (view.shape().to_vec(), numbers)
    }

    /// The file's sequences, and how many tokens each has.
    fn inputs(&self) -> (Matrix, usize) {
        let (shape, numbers) = self.tensor("inputs");
        (Matrix::new(shape[0] * shape[1], shape[2], numbers), shape[1])
    }

    fn dissect(&self) -> Dissection {
        dissect(&self.network, self.teacher.as_ref(), &Settings::default())
    }

    /// Whether `found` is the reference's number within `tolerance`, relative.
    fn check(&self, name: &str, found: f64, tolerance: f64) {
        let expected = self.results[name].as_f64().unwrap_or_else(|| panic!("no {name}"));
        assert!(close(found, expected, tolerance), "{name}: {found} instead of {expected}");
    }
}

fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs()
}

#[test]
fn the_comparator_can_fail() {
    assert!(close(1.009, 1.0, 0.01) && !close(1.011, 1.0, 0.01) && !close(f64::NAN, 1.0, 0.01));
    assert!(norm_error(&[1.0, 2.0], &[1.0, 2.001]) > 1e-6);
    let trained = Trained::read("trained_teacher_a");
    let mut perturbed = trained.network.clone();
    perturbed.readout.data[3] *= 1.01;
    let changed = dissect(&perturbed, trained.teacher.as_ref(), &Settings::default());
    let expected = trained.results["polynomial_distance"].as_f64().unwrap();
    assert!(!close(changed.polynomial.unwrap().distance.unwrap(), expected, 0.01), "one weight by 1 % shows");
}

fn check_census(trained: &Trained, found: &Dissection) {
    let stage = &found.stages[1];
    assert_eq!(stage.kind, StageKind::Pruned);
    let count = |name: &str| trained.results[name].as_u64().unwrap() as usize;
    let census = found.census;
    assert_eq!(
        (stage.neurons.len(), census.key_value, census.query, census.between, stage.gates.len()),
        (count("survivors"), count("lambda_above_0.9"), count("lambda_below_0.1"), count("lambda_between"), count("surviving_output_gates"))
    );
    assert!(norm_error(&found.importance.hidden, &trained.tensor("analysis.importance").1) < 1e-9);
    assert!(norm_error(&found.importance.lambda, &trained.tensor("analysis.lambda").1) < 1e-9);
    let (x, time) = trained.inputs();
    let batch = Batch::new(&trained.network, x, time);
    trained.check("relative_output_change_when_pruned", batch.change(&stage.network), 0.01);
    let polynomial = found.polynomial.as_ref().unwrap();
    let monomials: Vec<f64> = polynomial.monomials.iter().flatten().map(|&e| f64::from(e)).collect();
    assert_eq!(monomials, trained.tensor("analysis.monomials").1, "in the same order");
    assert!(norm_error(&polynomial.student.concat(), &trained.tensor("analysis.polynomial").1) < 1e-9);
}

#[test]
fn a_trained_network_gives_the_numbers_of_the_reference() {
    let trained = Trained::read("trained_teacher_a");
    let found = trained.dissect();
    check_census(&trained, &found);
    let polynomial = found.polynomial.as_ref().unwrap();
    assert!(norm_error(&polynomial.teacher.concat(), &trained.tensor("analysis.polynomial_teacher").1) < 1e-9);
    trained.check("polynomial_distance", polynomial.distance.unwrap(), 1e-6);
    let (x, time) = trained.inputs();
    let scores = scores::score_on(&trained.network, &found.importance.roles, trained.teacher.as_ref().unwrap(), &x, time);
    let symmetric = scores.symmetric.as_ref().unwrap();
    for (name, score) in [
        ("score_kv", &scores.attention.key_value),
        ("score_q", &scores.attention.query),
        ("score_kv_symmetric", &symmetric.key_value),
        ("score_q_symmetric", &symmetric.query),
    ] {
        let score = score.as_ref().unwrap();
        trained.check(name, score.value, 1e-5);
        assert!(score.points.len() <= 400 && score.points.len() > 100);
    }
    let importances = importance::measure(&trained.network, importance::THRESHOLD);
    let surviving = importances.hidden.iter().copied().filter(|&v| v > 0.01).fold(1.0, f64::min);
    trained.check("smallest_surviving_importance", surviving, 1e-6);
    for lags in [[1, 0].as_slice(), &[2, 1, 0], &[5, 0]] {
        let distance = polynomial::distance_at(&trained.network, trained.teacher.as_ref().unwrap(), lags).unwrap();
        assert!(distance > 1e-4 && distance < 2e-3, "{lags:?}: {distance}");
    }
}

#[test]
fn an_in_context_learner_gives_the_numbers_of_the_reference() {
    let trained = Trained::read("trained_icl_a");
    let found = trained.dissect();
    check_census(&trained, &found);
    let polynomial = found.polynomial.as_ref().unwrap();
    for (output, student) in polynomial.student.iter().enumerate() {
        let mut rest: f64 = student.iter().map(|c| c * c).sum();
        for input in 0..3 {
            let exponent = |i: usize| u8::from(i == 3 + output) + 2 * u8::from(i == input);
            let wanted: Vec<u8> = (0..6).map(exponent).collect();
            let coefficient = student[polynomial.monomials.iter().position(|m| *m == wanted).unwrap()];
            let expected = trained.results["coefficients_xi2_y"][output][input].as_f64().unwrap();
            assert!(close(coefficient, expected, 1e-6), "{coefficient} {expected}");
            rest -= coefficient * coefficient;
        }
        assert!(close(rest.sqrt(), trained.results["rest_norm"][output].as_f64().unwrap(), 1e-6));
    }
}

/// (hidden, gates) of the last stage.
fn smallest(found: &Dissection) -> (usize, usize) {
    let network = &found.stages[4].network;
    (network.hidden(), if found.importance.gates.is_empty() { 0 } else { network.gates() })
}

#[test]
fn constructions_are_found_to_be_what_they_are() {
    for d in 1..=5 {
        let teacher = networks::teacher(d, 7 + d as u32);
        let triangle = d * (d + 1) / 2;
        let kinds = [
            ("naive", networks::naive(&teacher), (triangle + d, d * d)),
            ("symmetric", networks::symmetric(&teacher), (triangle + d, d * d)),
            ("shared", networks::symmetric_shared(&teacher), (triangle + d, triangle)),
            ("side", networks::side(&teacher), (d * d, 0)),
        ];
        for (name, network, minimal) in kinds {
            let found = dissect(&network, Some(&teacher), &Settings { lag: 3, ..Settings::default() });
            let pruned = &found.stages[1];
            assert_eq!((pruned.network.hidden(), pruned.network.gates()), (network.hidden(), network.gates()), "{name} {d}: nothing is pruned");
            assert_eq!(smallest(&found), minimal, "{name} {d}: {:?}", found.stages[4].note);
            let scores = found.scores.as_ref().unwrap();
            for basis in [Some(&scores.attention), scores.symmetric.as_ref()].map(Option::unwrap) {
                for score in [&basis.key_value, &basis.query] {
                    assert!(score.as_ref().unwrap().value < 1e-10, "{name} {d}: {score:?}");
                }
            }
            let distances = [found.polynomial.as_ref().unwrap().distance, found.two_token_distance, found.three_token_distance].map(Option::unwrap);
            assert!(distances.iter().all(|&distance| distance < 1e-10), "{name} {d}: {distances:?}");
            assert!(found.stages.iter().all(|stage| stage.change < 1e-10), "{name} {d}: {:?}", found.stages.iter().map(|s| s.change).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_disguised_network_is_reduced_to_its_core() {
    for d in 2..=5 {
        for seed in 0..20 {
            let teacher = networks::teacher(d, seed);
            let triangle = d * (d + 1) / 2;
            let network = networks::disguised(&teacher, seed, 3);
            let plain = Batch::draw(&networks::symmetric_shared(&teacher), 1);
            assert!(plain.change(&network) < 1e-9, "d = {d}, seed {seed}: the disguise keeps the function: {}", plain.change(&network));
            let found = dissect(&network, Some(&teacher), &Settings { threshold: 1e-6, ..Settings::default() });
            assert_ne!((network.hidden(), network.gates()), (triangle + d, triangle), "before");
            assert_eq!(smallest(&found), (triangle + d, triangle), "d = {d}, seed {seed}: {} {}", found.stages[3].note, found.stages[4].note);
            assert!(found.stages[4].change < 1e-8, "d = {d}, seed {seed}: {}", found.stages[4].change);
        }
    }
}

/// `cargo test --test dissection -- --ignored --nocapture`
#[test]
#[ignore = "prints times, checks nothing"]
fn times() {
    let print = |name: &str, network: &Network, teacher: Option<&Teacher>| {
        let start = std::time::Instant::now();
        let found = dissect(network, teacher, &Settings::default());
        println!("{name}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        for stage in &found.stages {
            println!("    {:?} {} neurons, {} gates, change {:.1e}: {}", stage.kind, stage.network.hidden(), stage.network.gates(), stage.change, stage.note);
        }
        found.groups.iter().for_each(|group| println!("    {:?} {:.1e} {}", group.gates, group.residual, group.reason));
        println!("    {:?} {:?} {:?}\n    {}", found.polynomial.map(|p| p.distance), found.two_token_distance, found.three_token_distance, found.notes.join("\n    "));
    };
    for (d, n) in [(4, 100), (8, 256)] {
        let teacher = networks::teacher(d, 1);
        print(&format!("untrained, d = {d}, n = m = {n}"), &networks::random(1, d, d, n, n), Some(&teacher));
        let extra = n - d * (d + 1) / 2 - d;
        print(&format!("disguised, d = {d}, n = {n}"), &networks::disguised(&teacher, 1, extra), Some(&teacher));
    }
    for id in ["trained_teacher_a", "trained_icl_a"] {
        let trained = Trained::read(id);
        print(id, &trained.network, trained.teacher.as_ref());
    }
}
