//! Taking networks apart: trained ones against numbers from JAX and numpy (`tests/reference/`).

#[path = "support/networks.rs"]
mod networks;
mod support;

use gatelens::analysis::batch::Batch;
use gatelens::analysis::dissection::{Dissection, Settings, dissect};
use gatelens::analysis::stage::StageKind;
use gatelens::analysis::{importance, polynomial, scores};
use gatelens::math::matrix::Matrix;
use gatelens::model::Network;
use gatelens::model::network::Gating;
use gatelens::recipe::checkpoint;
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
        let cases: Value =
            serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap();
        let case = cases["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap();
        let bytes = std::fs::read(folder.join(case["file"].as_str().unwrap())).unwrap();
        let checkpoint = checkpoint::read(id, &bytes).unwrap();
        Self {
            bytes,
            results: case["results"].clone(),
            network: checkpoint.gated("reference").unwrap(),
            teacher: checkpoint.teacher,
        }
    }

    fn tensor(&self, name: &str) -> (Vec<usize>, Vec<f64>) {
        let file = SafeTensors::deserialize(&self.bytes).unwrap();
        let view = file.tensor(name).unwrap();
        let data = view.data();
        let numbers = match view.dtype() {
            Dtype::F64 => {
                data.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
            }
            Dtype::F32 => data
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
                .collect(),
            Dtype::I64 => data
                .chunks_exact(8)
                .map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64)
                .collect(),
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
    assert!(
        !close(changed.polynomial.unwrap().distance.unwrap(), expected, 0.01),
        "one weight by 1 % shows"
    );
}

fn check_census(trained: &Trained, found: &Dissection) {
    let stage = &found.stages[1];
    assert_eq!(stage.kind, StageKind::Pruned);
    let count = |name: &str| trained.results[name].as_u64().unwrap() as usize;
    let census = found.census;
    assert_eq!(
        (stage.neurons.len(), census.key_value, census.query, census.between, stage.gates.len()),
        (
            count("survivors"),
            count("lambda_above_0.9"),
            count("lambda_below_0.1"),
            count("lambda_between"),
            count("surviving_output_gates")
        )
    );
    assert!(norm_error(&found.importance.hidden, &trained.tensor("analysis.importance").1) < 1e-9);
    assert!(norm_error(&found.importance.lambda, &trained.tensor("analysis.lambda").1) < 1e-9);
    let (x, time) = trained.inputs();
    let batch = Batch::new(&trained.network, x, time);
    trained.check("relative_output_change_when_pruned", batch.change(&stage.network), 0.01);
    let polynomial = found.polynomial.as_ref().unwrap();
    let monomials: Vec<f64> =
        polynomial.monomials.iter().flatten().map(|&e| f64::from(e)).collect();
    assert_eq!(monomials, trained.tensor("analysis.monomials").1, "in the same order");
    assert!(
        norm_error(&polynomial.student.concat(), &trained.tensor("analysis.polynomial").1) < 1e-9
    );
}

#[test]
fn a_trained_network_gives_the_numbers_of_the_reference() {
    let trained = Trained::read("trained_teacher_a");
    let found = trained.dissect();
    check_census(&trained, &found);
    let polynomial = found.polynomial.as_ref().unwrap();
    assert!(
        norm_error(&polynomial.teacher.concat(), &trained.tensor("analysis.polynomial_teacher").1)
            < 1e-9
    );
    trained.check("polynomial_distance", polynomial.distance.unwrap(), 1e-6);
    let (x, time) = trained.inputs();
    let scores = scores::score_on(
        &trained.network,
        &found.importance.roles,
        trained.teacher.as_ref().unwrap(),
        &x,
        time,
    );
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
    let (hidden, gates) = smallest(&found);
    assert!(
        hidden <= 15 && gates <= 16 && found.stages[4].change < 0.02,
        "10 + 4 or 5 neurons, at most one gate an output and query: {hidden} {gates}"
    );
    assert!(found.verdict.is_attention && found.teacher_error.unwrap() < 1e-3);
    for lags in [[1, 0].as_slice(), &[2, 1, 0], &[5, 0]] {
        let distance =
            polynomial::distance_at(&trained.network, trained.teacher.as_ref().unwrap(), lags)
                .unwrap();
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
            let coefficient =
                student[polynomial.monomials.iter().position(|m| *m == wanted).unwrap()];
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
            let found =
                dissect(&network, Some(&teacher), &Settings { lag: 3, ..Settings::default() });
            let pruned = &found.stages[1];
            assert_eq!(
                (pruned.network.hidden(), pruned.network.gates()),
                (network.hidden(), network.gates()),
                "{name} {d}: nothing is pruned"
            );
            assert_eq!(smallest(&found), minimal, "{name} {d}: {:?}", found.stages[4].note);
            let scores = found.scores.as_ref().unwrap();
            for basis in [Some(&scores.attention), scores.symmetric.as_ref()].map(Option::unwrap) {
                for score in [&basis.key_value, &basis.query] {
                    assert!(score.as_ref().unwrap().value < 1e-10, "{name} {d}: {score:?}");
                }
            }
            let distances = [
                found.polynomial.as_ref().unwrap().distance,
                found.two_token_distance,
                found.three_token_distance,
            ]
            .map(Option::unwrap);
            assert!(
                distances.iter().all(|&distance| distance < 1e-10),
                "{name} {d}: {distances:?}"
            );
            assert!(
                found.stages.iter().all(|stage| stage.change < 1e-10),
                "{name} {d}: {:?}",
                found.stages.iter().map(|s| s.change).collect::<Vec<_>>()
            );
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
            assert!(
                plain.change(&network) < 1e-9,
                "d = {d}, seed {seed}: the disguise keeps the function: {}",
                plain.change(&network)
            );
            let found = dissect(
                &network,
                Some(&teacher),
                &Settings { threshold: 1e-6, ..Settings::default() },
            );
            assert_ne!((network.hidden(), network.gates()), (triangle + d, triangle), "before");
            assert_eq!(
                smallest(&found),
                (triangle + d, triangle),
                "d = {d}, seed {seed}: {} {}",
                found.stages[3].note,
                found.stages[4].note
            );
            assert!(
                found.stages[4].change < 1e-8,
                "d = {d}, seed {seed}: {}",
                found.stages[4].change
            );
            let mut perturbed = found.stages[4].network.clone();
            perturbed.readout.data[0] += 1e-5 * perturbed.readout.norm();
            assert!(Batch::draw(&network, 1).change(&perturbed) > 1e-8, "one weight off shows");
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
            println!(
                "    {:?} {} neurons, {} gates, change {:.1e}: {}",
                stage.kind,
                stage.network.hidden(),
                stage.network.gates(),
                stage.change,
                stage.note
            );
        }
        found.groups.iter().for_each(|group| {
            println!("    {:?} {:.1e} {}", group.gates, group.residual, group.reason)
        });
        println!(
            "    {:?} {:?} {:?}\n    {}",
            found.polynomial.map(|p| p.distance),
            found.two_token_distance,
            found.three_token_distance,
            found.notes.join("\n    ")
        );
    };
    for (d, n) in [(4, 100), (8, 256)] {
        let teacher = networks::teacher(d, 1);
        print(
            &format!("untrained, d = {d}, n = m = {n}"),
            &networks::random(1, d, d, n, n),
            Some(&teacher),
        );
        let extra = n - d * (d + 1) / 2 - d;
        print(
            &format!("disguised, d = {d}, n = {n}"),
            &networks::disguised(&teacher, 1, extra),
            Some(&teacher),
        );
    }
    let wide = networks::teacher(64, 1);
    let large = networks::random(1, 64, 64, 512, 512);
    print("untrained, d = 64, n = m = 512", &large, Some(&wide));
    let mut same = large.clone();
    if let Gating::Output { m, x } = &mut same.gating {
        *m = m.select_rows(&[0; 512]);
        *x = x.select_rows(&[0; 512]);
    }
    print("one kernel, d = 64, n = m = 512", &same, Some(&wide));
    for id in ["trained_teacher_a", "trained_icl_a"] {
        let trained = Trained::read(id);
        print(id, &trained.network, trained.teacher.as_ref());
    }
}

/// Every number in it is one: `NaN` and `inf` would be words of its debug text.
fn assert_finite(name: &str, found: &Dissection) {
    let text = format!("{found:?}");
    let bad =
        text.split(|c: char| !c.is_alphanumeric()).find(|word| *word == "NaN" || *word == "inf");
    assert!(bad.is_none(), "{name}: holds {bad:?}");
    assert_eq!(found.stages.len(), 5);
    assert!(
        found.stages.iter().all(|stage| stage.note.ends_with('.')),
        "{name}: {:?}",
        found.stages
    );
    assert!(
        found.verdict.headline.ends_with('.') && found.verdict.evidence.ends_with('.'),
        "{name}: {:?}",
        found.verdict
    );
    assert!(found.groups.iter().all(|group| {
        !group.reason.is_empty() && group.says_residual == group.reason.contains("leaves")
    }));
    let text = found.text();
    assert!(
        text.contains(&found.verdict.headline) && found.report().to_string().len() > 500,
        "{name}"
    );
}

#[test]
fn bad_networks_get_true_sentences() {
    let teacher = networks::teacher(3, 4);
    let shared = networks::symmetric_shared(&teacher);
    let naive = networks::naive(&teacher);
    let all: Vec<usize> = (0..naive.gates()).collect();
    let with = |change: &dyn Fn(&mut Network), network: &Network| {
        let mut changed = network.clone();
        change(&mut changed);
        changed
    };
    let random = networks::random(2, 3, 3, 20, 20);
    let default = Settings::default();
    let everything = Settings { threshold: 1.0, ..default.clone() };
    let fewer = shared.select(&[0, 1, 2, 3, 4, 6, 7, 8], &[0, 1, 2, 3, 4, 5]);
    let double = naive.select(&[0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 11], &all);
    let mut cancelling =
        naive.select(&(0..12).collect::<Vec<_>>(), &[all.clone(), all.clone()].concat());
    for k in 0..3 {
        (9..18)
            .for_each(|gate| cancelling.readout.set(k, gate, -cancelling.readout.at(k, gate - 9)));
    }
    let low = Teacher::draw(
        gatelens::task::attention::TeacherKind {
            dim: 4,
            ranks: [2; 3],
            spectrum: gatelens::task::attention::Spectrum::Gaussian,
            gain: 1.0,
        },
        3,
    );
    let zero_teacher = Teacher { value: vec![0.0; 9], ..teacher.clone() };
    // (name, network, teacher, settings, whether it is attention, what the evidence says)
    let cases = [
        (
            "exact",
            shared.clone(),
            Some(&teacher),
            &default,
            true,
            "6 accumulators with λ = 1, 3 query neurons with λ = 0 and 6 gates; the outputs differ",
        ),
        ("untrained", random.clone(), Some(&teacher), &default, false, "with λ in between"),
        (
            "all in between",
            with(&|n| n.lambda.iter_mut().for_each(|l| *l = 0.5), &shared),
            Some(&teacher),
            &default,
            false,
            "9 neurons with λ in between and 6 gates, and none that accumulates",
        ),
        (
            "too few",
            fewer,
            Some(&teacher),
            &default,
            false,
            "needs at least 6 accumulators and 3 query neurons",
        ),
        (
            "threshold 1",
            shared.clone(),
            Some(&teacher),
            &everything,
            true,
            "the outputs change by 100 %), so the raw network is counted: 6 accumulators with λ = 1",
        ),
        ("duplicates", double, None, &default, true, "6 accumulators"),
        (
            "low rank",
            networks::naive(&low),
            Some(&low),
            &default,
            true,
            "4 accumulators with λ = 1, 2 query neurons",
        ),
        (
            "cancelling",
            cancelling,
            Some(&teacher),
            &default,
            false,
            "differ from the teacher's by 100 %",
        ),
        (
            "zero",
            with(&|n| n.readout.data.fill(0.0), &shared),
            Some(&teacher),
            &default,
            false,
            "answers 0 to everything",
        ),
        (
            "zero inputs",
            with(&|n| n.input_m.data.fill(0.0), &random),
            Some(&teacher),
            &default,
            false,
            "answers 0 to everything",
        ),
        (
            "zero alone",
            with(&|n| n.readout.data.fill(0.0), &shared),
            None,
            &default,
            false,
            "answers 0 to everything",
        ),
        ("zero teacher", shared.clone(), Some(&zero_teacher), &default, false, "6 accumulators"),
        ("no teacher", shared.clone(), None, &default, true, "only the form can be judged"),
        (
            "other widths",
            networks::random(3, 3, 2, 9, 7),
            Some(&teacher),
            &default,
            false,
            "does not fit this network, so only the form can be judged",
        ),
        (
            "one number",
            networks::naive(&networks::teacher(1, 1)),
            None,
            &default,
            true,
            "1 accumulator with λ = 1, 1 query neuron with λ = 0 and 1 gate;",
        ),
        (
            "huge",
            with(&|n| n.readout.data.iter_mut().for_each(|v| *v = 1e40), &random),
            Some(&teacher),
            &default,
            false,
            "above 1e30",
        ),
        ("wide", networks::random(3, 20, 20, 9, 7), None, &default, false, "too large to expand"),
    ];
    for (name, network, teacher, settings, is_attention, said) in cases {
        let found = dissect(&network, teacher, settings);
        assert_finite(name, &found);
        assert_eq!(found.verdict.is_attention, is_attention, "{name}: {:?}", found.verdict);
        assert!(found.verdict.evidence.contains(said), "{name}: {:?}", found.verdict);
    }
}

#[test]
fn gates_that_cancel_and_gates_that_are_picked() {
    let teacher = networks::teacher(3, 4);
    let shared = networks::symmetric_shared(&teacher);
    // Gates 6 and 7 cancel; 8 is gate 2 again, with another readout.
    let mut network = shared.select(&(0..9).collect::<Vec<_>>(), &[0, 1, 2, 3, 4, 5, 0, 0, 2]);
    (0..3).for_each(|k| {
        let (flipped, other) = (-network.readout.at(k, 6), 0.5 + k as f64);
        network.readout.set(k, 7, flipped);
        network.readout.set(k, 8, other);
    });
    let found = dissect(&network, Some(&teacher), &Settings::default());
    assert_eq!(found.stages[3].gates.len(), 6);
    assert!(found.stages[3].change < 1e-12);
    let picked = |gates: &[usize]| {
        let found = dissect(
            &network,
            Some(&teacher),
            &Settings { picked: gates.to_vec(), ..Settings::default() },
        );
        assert_finite("picked", &found);
        found.groups.into_iter().find(|group| group.by_hand).unwrap()
    };
    let merges = picked(&[2, 8]);
    assert!(
        merges.merged && merges.residual < 1e-12 && merges.singular_values.len() == 2,
        "{merges:?}"
    );
    let cancels = picked(&[6, 7]);
    assert!(cancels.merged && cancels.reason.contains("cancel"), "{cancels:?}");
    let strangers = picked(&[1, 5]);
    assert!(
        !strangers.merged && strangers.residual > 0.3 && strangers.reason.contains("is allowed"),
        "{strangers:?}"
    );
    for alone in [&[3][..], &[99, 100]] {
        assert!(picked(alone).reason.contains("at least two"));
    }
}

#[test]
fn side_gating_folds_only_what_is_exact() {
    let teacher = networks::teacher(3, 9);
    let side = networks::side(&teacher);
    let split = |network: &Network, part: usize| -> Network {
        // The last neuron is a copy of `part`; what each carries is set below.
        network.select(&[(0..9).collect::<Vec<_>>(), vec![part]].concat(), &[])
    };
    let Gating::Side(rows) = &side.gating else { unreachable!() };
    let other = networks::numbers(1, "row", 1, 4).data;
    // The same product and readout, the side row in two parts; then the same product and side row,
    // the readout in two.
    let mut by_side = split(&side, 4);
    if let Gating::Side(new) = &mut by_side.gating {
        new.row_mut(9).copy_from_slice(&other);
        (0..4).for_each(|j| new.set(4, j, rows.at(4, j) - other[j]));
    }
    let mut by_readout = split(&side, 4);
    (0..3).for_each(|k| {
        by_readout.readout.set(k, 9, other[k]);
        by_readout.readout.set(k, 4, side.readout.at(k, 4) - other[k]);
    });
    // The same side row and readout, the product's first factor in two parts.
    let mut by_input = split(&side, 4);
    by_input.input_m.row_mut(9).copy_from_slice(&other);
    (0..4).for_each(|j| by_input.input_m.set(4, j, side.input_m.at(4, j) - other[j]));
    for (name, network) in [("side", by_side), ("readout", by_readout), ("input", by_input)] {
        let found =
            dissect(&network, Some(&teacher), &Settings { threshold: 1e-6, ..Settings::default() });
        assert!(found.verdict.is_attention, "{name}: the same function: {:?}", found.verdict);
        assert_eq!(smallest(&found), (9, 0), "{name}: {}", found.stages[4].note);
        assert!(found.stages[4].change < 1e-12, "{name}: {}", found.stages[4].change);
        assert_finite(name, &found);
    }
}

/// S₁₁ S₂₂ − S₁₂² of the memory without the current token is zero while one earlier token is in it:
/// only three tokens show it.
#[test]
fn two_tokens_are_blind_to_products_of_two_earlier_ones() {
    let teacher = networks::teacher(2, 3);
    let plain = networks::symmetric_shared(&teacher);
    let mut network = plain.select(&[0, 1, 2, 3, 4, 0, 1, 2], &[0, 1, 2, 0, 0]); // S₁₁ S₁₂ S₂₂ q₁ q₂, then the current token's part of S
    network.lambda[5..].fill(0.0);
    let Gating::Output { m, x } = &mut network.gating else { unreachable!() };
    for (gate, neuron) in (0..3).flat_map(|gate| (5..8).map(move |neuron| (gate, neuron))) {
        m.set(gate, neuron, 0.0);
        x.set(gate, neuron, 0.0);
    }
    let earlier = |entry: usize| {
        (0..8)
            .map(|i| f64::from(u8::from(i == entry)) - f64::from(u8::from(i == entry + 5)))
            .collect::<Vec<_>>()
    };
    for (gate, [a, b]) in [(3, [0, 2]), (4, [1, 1])] {
        m.row_mut(gate).copy_from_slice(&earlier(a));
        x.row_mut(gate).copy_from_slice(&earlier(b));
    }
    for (k, weight) in [0.3, -0.5].into_iter().enumerate() {
        network.readout.set(k, 3, weight);
        network.readout.set(k, 4, -weight);
    }
    for lag in [1, 4] {
        let found = dissect(&network, Some(&teacher), &Settings { lag, ..Settings::default() });
        let [one, two, three] = [
            found.polynomial.unwrap().distance,
            found.two_token_distance,
            found.three_token_distance,
        ]
        .map(Option::unwrap);
        assert!(one < 1e-12 && two < 1e-12 && three > 0.05, "{one} {two} {three}");
        assert!(!found.verdict.is_attention, "{:?}", found.verdict);
    }
}

/// Small networks of all shapes with zeros, copies and very large and small rows in them: no panic,
/// finite numbers, and no stage that changes the outputs by more than its bounds allow.
#[test]
fn no_network_is_too_odd() {
    for seed in 0..150u32 {
        let chance = |name: &str, count: u32| {
            (gatelens::math::random::uniforms(seed, name, 1)[0] * count as f32) as usize
        };
        let (d, outputs, n, m) = (
            1 + chance("d", 4),
            1 + chance("outputs", 4),
            1 + chance("n", 12),
            1 + chance("m", 12),
        );
        let mut network = networks::random(seed, d, outputs, n, m);
        let (neuron, gate) = (chance("neuron", n as u32), chance("gate", m as u32));
        match seed % 6 {
            0 => network.lambda.iter_mut().for_each(|l| *l = l.round()),
            1 => {
                network = network.select(
                    &[(0..n).collect(), vec![neuron; 3]].concat(),
                    &[(0..m).collect(), vec![gate; 2]].concat(),
                )
            }
            2 => network.input_m.row_mut(neuron).iter_mut().for_each(|v| *v *= 1e12),
            3 => network.readout.data.iter_mut().for_each(|v| *v *= 1e-150),
            4 => network.input_x.row_mut(neuron).fill(0.0),
            _ => network.gating = Gating::Side(networks::numbers(seed, "side", n, d + 1)),
        }
        if seed % 6 == 5 {
            network.readout = networks::numbers(seed, "readout", outputs, n);
        }
        let teacher = networks::teacher(d, seed);
        let settings = Settings {
            threshold: [0.0, 0.01, 0.5][chance("threshold", 3)],
            picked: vec![0, gate],
            ..Settings::default()
        };
        let found = dissect(&network, Some(&teacher), &settings);
        assert_finite(&format!("seed {seed}"), &found);
        let counts: Vec<(usize, usize)> =
            found.stages.iter().map(|s| (s.network.hidden(), s.network.gates())).collect();
        assert!(
            counts.windows(2).all(|w| w[1].0 <= w[0].0 && w[1].1 <= w[0].1),
            "seed {seed}: {counts:?}"
        );
        assert!(
            found.stages[4].change <= found.stages[1].change + 0.1,
            "seed {seed}: {:?}",
            found.stages.iter().map(|s| s.change).collect::<Vec<_>>()
        );
        for stage in &found.stages {
            let sizes = (
                stage.neurons.len(),
                stage.roles.len(),
                if found.importance.gates.is_empty() { 0 } else { stage.network.gates() },
            );
            assert_eq!(
                sizes,
                (stage.network.hidden(), stage.network.hidden(), stage.gates.len()),
                "seed {seed}"
            );
        }
    }
}
