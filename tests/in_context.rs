//! What networks do in context: one trained by JAX against its numbers, and networks built by hand
//! with known answers.

use gatelens::analysis::in_context::{Sequences, coefficients, episode, losses};
use gatelens::analysis::recall::{Algorithm, recalled};
use gatelens::math::matrix::Matrix;
use gatelens::model::Network;
use gatelens::model::network::Gating;
use gatelens::recipe::checkpoint;
use gatelens::task::{Recall, Regression, Task};
use gatelens::theory::gradient_step::{best_step_size, expected_loss};
use safetensors::SafeTensors;
use serde_json::Value;
use std::path::Path;

const PAPER: Regression =
    Regression { inputs: 3, outputs: 3, pairs: 12, noise: 0.0, variance: 1.0 };

fn close(what: &str, found: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap();
    assert!((found / expected - 1.0).abs() <= tolerance, "{what}: {found} instead of {expected}");
}

#[test]
fn the_comparator_can_fail() {
    let spoiled =
        std::panic::catch_unwind(|| close("a number that is off", 1.02, &Value::from(1.0), 0.01));
    assert!(spoiled.is_err());
}

#[test]
fn a_network_trained_by_jax_has_its_numbers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let cases: Value =
        serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap();
    let results = &cases["cases"]
        .as_array()
        .unwrap()
        .iter()
        .find(|case| case["id"] == "trained_icl_a")
        .unwrap()["results"];
    let bytes = std::fs::read(folder.join("trained_icl_a.safetensors")).unwrap();
    let network =
        checkpoint::read("trained_icl_a", &bytes).unwrap().gated("trained_icl_a").unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let numbers = |name: &str| -> Vec<f64> {
        file.tensor(name)
            .unwrap()
            .data()
            .chunks_exact(4)
            .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
            .collect()
    };
    let (tokens, targets) = (numbers("inputs"), numbers("targets"));
    let count = targets.len() / 3;
    let stored = Sequences {
        time: 13,
        tokens: Matrix::new(count * 13, 6, tokens),
        targets: Matrix::new(count, 3, targets),
    };
    let own = losses(&network, PAPER, [&stored]);
    close("loss", own.network, &results["loss"], 1e-4);
    close(
        "gradient step's loss",
        own.gradient_step,
        &results["gradient_descent_loss_same_batch"],
        1e-4,
    );

    let found = coefficients(&network, PAPER).unwrap();
    close("η*", found.best_step_size, &results["eta_star"], 1e-9);
    for k in 0..3 {
        for i in 0..3 {
            close("x_i² y_k", found.wanted[k][i], &results["coefficients_xi2_y"][k][i], 1e-5);
        }
        close("rest", found.rest[k], &results["rest_norm"][k], 1e-4);
        close("rest, as a part", found.rest_part[k], &results["rest_norm_over_eta_norm"][k], 1e-4);
    }
    assert!(found.largest_others.windows(2).all(|pair| pair[0].2.abs() >= pair[1].2.abs()));

    // Our own sequences: within four standard errors of what JAX measured on its own.
    let (mut difference, mut variance, parts) = (0.0, 0.0, 8);
    for part in 0..parts {
        let own =
            losses(&network, PAPER, [Sequences::draw(Task::Regression(PAPER), 4096, 3, part)]);
        difference += (own.network - own.gradient_step) / f64::from(parts);
        variance += own.standard_error.powi(2) / f64::from(parts * parts);
    }
    let (expected, error) = (
        results["excess_over_gradient_descent"].as_f64().unwrap(),
        results["excess_error"].as_f64().unwrap(),
    );
    let allowed = 4.0 * (variance + error * error).sqrt();
    assert!(
        (difference - expected).abs() < allowed,
        "excess {difference:e} instead of {expected:e} ± {allowed:e}"
    );
}

/// One step of gradient descent as a gated network: neuron (k, i) sums y_k x_i, query neuron i
/// passes x_i on, gate (k, i) multiplies them.
fn gradient_descent(task: Regression, step_size: f64) -> Network {
    let Regression { inputs, outputs, .. } = task;
    let (products, n, width) = (inputs * outputs, inputs * outputs + inputs, inputs + outputs);
    let input_m = Matrix::from_fn(n, width + 1, |row, column| {
        let wanted = if row < products { inputs + row / inputs } else { row - products };
        f64::from(u8::from(column == wanted))
    });
    let input_x = Matrix::from_fn(n, width + 1, |row, column| {
        f64::from(u8::from(column == if row < products { row % inputs } else { width }))
    });
    Network {
        input_m,
        input_x,
        lambda: (0..n).map(|row| f64::from(u8::from(row < products))).collect(),
        gating: Gating::Output {
            m: Matrix::from_fn(products, n, |gate, neuron| f64::from(u8::from(gate == neuron))),
            x: Matrix::from_fn(products, n, |gate, neuron| {
                f64::from(u8::from(neuron == products + gate % inputs))
            }),
        },
        readout: Matrix::from_fn(outputs, products, |k, gate| {
            if gate / inputs == k { step_size } else { 0.0 }
        }),
    }
}

#[test]
fn a_gradient_step_built_by_hand_is_one() {
    let task = Regression { inputs: 2, outputs: 3, pairs: 5, noise: 0.3, variance: 1.5 };
    let best = best_step_size(task);
    let network = gradient_descent(task, best);
    let sequences = Sequences::draw(Task::Regression(task), 20_000, 4, 0);
    let own = losses(&network, task, [&sequences]);
    assert!(
        (own.network - own.gradient_step).abs() < 1e-12 && own.standard_error < 1e-12,
        "{own:?}"
    );
    assert!((own.network / expected_loss(task, best) - 1.0).abs() < 0.03, "{own:?}");
    let found = coefficients(&network, task).unwrap();
    assert!(
        found.wanted.iter().flatten().all(|c| (c - best).abs() < 1e-12)
            && found.rest.iter().all(|norm| *norm < 1e-12)
    );
    let episode = episode(&network, task, &sequences);
    for (a, b) in
        episode.implied_weights.iter().flatten().zip(episode.gradient_step_weights.iter().flatten())
    {
        assert!((a - b).abs() < 1e-12);
    }
    assert!(
        episode
            .answer
            .iter()
            .zip(&episode.gradient_step_answer)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    );
    assert_eq!((episode.tokens.len(), &episode.tokens[5][2..]), (6, &[0.0, 0.0, 0.0][..]));

    // Another step size is another network: its loss is higher and its coefficients are seen to be
    // off.
    let off = gradient_descent(task, 1.5 * best);
    let worse = losses(&off, task, [&sequences]);
    assert!(worse.network > worse.gradient_step + 4.0 * worse.standard_error);
    assert!(
        coefficients(&off, task)
            .unwrap()
            .wanted
            .iter()
            .flatten()
            .all(|c| (c - best).abs() > 0.4 * best)
    );
    assert_eq!(coefficients(&off, PAPER), None, "a network for other widths");
}

/// Attention: neuron (a, b) remembers that key a came with value b; a query neuron a key.
fn attends(pairs: usize) -> Network {
    let task = Regression { inputs: pairs, outputs: pairs, pairs, noise: 0.0, variance: 1.0 };
    gradient_descent(task, 1.0)
}

/// Comparison: neuron v holds the number of the key that came with value v; the answer is −(held −
/// asked)².
fn compares(pairs: usize) -> Network {
    let n = pairs + 1;
    let key = |column: usize| if column < pairs { column as f64 + 1.0 } else { 0.0 };
    Network {
        input_m: Matrix::from_fn(n, 2 * pairs + 1, |_, column| key(column)),
        input_x: Matrix::from_fn(n, 2 * pairs + 1, |row, column| {
            f64::from(u8::from(column == pairs + row))
        }), // the last reads the constant
        lambda: (0..n).map(|row| f64::from(u8::from(row < pairs))).collect(),
        gating: {
            let side = Matrix::from_fn(pairs, n, |gate, neuron| {
                if neuron == gate {
                    1.0
                } else if neuron == pairs {
                    -1.0
                } else {
                    0.0
                }
            });
            Gating::Output { m: side.clone(), x: side }
        },
        readout: Matrix::from_fn(pairs, pairs, |k, gate| if k == gate { -1.0 } else { 0.0 }),
    }
}

#[test]
fn attention_and_comparison_are_told_apart() {
    let sequences = Sequences::draw(Task::Recall(Recall { pairs: 6 }), 500, 1, 0);
    let attention = recalled(&attends(6), &sequences);
    assert_eq!(
        (attention.accuracy, attention.attention_accuracy, attention.algorithm),
        (1.0, 1.0, Algorithm::Attention)
    );
    assert!(attention.sizes[0] < 1e-12 && attention.sizes[1] > 0.3, "{attention:?}");
    let comparison = recalled(&compares(6), &sequences);
    assert_eq!((comparison.accuracy, comparison.algorithm), (1.0, Algorithm::Comparison));
    assert!(comparison.attention_accuracy < 0.5 && comparison.sizes[0] > 1.0, "{comparison:?}");
    for network in [attends(6), compares(6)] {
        let episode = gatelens::analysis::recall::episode(&network, &sequences);
        let [_, value] = episode.pairs.iter().find(|[key, _]| *key == episode.query).unwrap();
        let best = (0..6).max_by(|&a, &b| episode.logits[a].total_cmp(&episode.logits[b])).unwrap();
        assert_eq!((episode.target, best), (*value, *value));
        let answering = episode.answering.unwrap();
        assert!(
            episode.shares[*value][answering]
                >= episode.shares.iter().map(|row| row[answering]).fold(f64::MIN, f64::max)
        );
    }
    let mut untrained = compares(6);
    untrained.readout = Matrix::zeros(6, 6);
    let nothing = recalled(&untrained, &sequences);
    assert_eq!((nothing.accuracy, nothing.algorithm), (0.0, Algorithm::None), "a tie is no answer");
    assert!((nothing.loss - 6f64.ln()).abs() < 1e-12);
}
