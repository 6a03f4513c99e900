//! Taking networks apart: trained ones against numbers from JAX and numpy (`tests/reference/`).

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
