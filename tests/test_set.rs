//! What is measured on the user's test sequences, against a computation of its own: the recurrence
//! and every mean in plain loops.

use gatelens::analysis::test_set::{FEW, Sets, Size, TestReport, measure};
use gatelens::math::matrix::Matrix;
use gatelens::math::random;
use gatelens::model::Network;
use gatelens::model::network::Gating;
use gatelens::task::Arrays;

fn numbers(name: &str, count: usize) -> Vec<f32> {
    random::normals(5, name, count)
}

fn network(inputs: usize, outputs: usize, is_side: bool) -> Network {
    let (n, m) = (4, if is_side { 4 } else { 3 });
    let matrix = |name: &str, rows: usize, columns: usize| {
        Matrix::new(
            rows,
            columns,
            numbers(name, rows * columns).into_iter().map(|v| 0.5 * f64::from(v)).collect(),
        )
    };
    let gating = if is_side {
        Gating::Side(matrix("side", n, inputs + 1))
    } else {
        Gating::Output { m: matrix("om", m, n), x: matrix("ox", m, n) }
    };
    Network {
        input_m: matrix("im", n, inputs + 1),
        input_x: matrix("ix", n, inputs + 1),
        lambda: vec![1.0, 0.9, 0.3, 0.0],
        gating,
        readout: matrix("d", outputs, m),
    }
}

/// `count` sequences of 6 steps, the last `steps` of which count.
fn arrays(name: &str, count: usize, steps: usize, weighted: bool) -> Arrays {
    let (time, inputs, outputs) = (6, 2, 3);
    let weight = weighted.then(|| {
        (0..count * steps)
            .map(|i| {
                [0.0, 1.0, 2.5, 0.5][(i * 7 + i / steps) % 4]
                    * f32::from(u8::from(!(i + 2).is_multiple_of(steps)))
            })
            .collect()
    });
    Arrays {
        sequences: count,
        time,
        inputs,
        outputs,
        steps,
        x: numbers(name, count * time * inputs),
        y: numbers(&format!("{name} y"), count * steps * outputs),
        weight,
    }
}

/// ŷ of one sequence `[T, d]`, step by step.
fn answers(network: &Network, x: &[f32], inputs: usize) -> Vec<Vec<f64>> {
    let mut state = vec![0.0; network.lambda.len()];
    let along =
        |row: &[f64], values: &[f64]| row.iter().zip(values).map(|(a, b)| a * b).sum::<f64>();
    x.chunks_exact(inputs)
        .map(|token| {
            let token: Vec<f64> = token.iter().map(|v| f64::from(*v)).chain([1.0]).collect();
            for (i, h) in state.iter_mut().enumerate() {
                *h = network.lambda[i] * *h
                    + along(network.input_m.row(i), &token) * along(network.input_x.row(i), &token);
            }
            let gates: Vec<f64> = match &network.gating {
                Gating::Output { m, x } => {
                    (0..m.rows).map(|g| along(m.row(g), &state) * along(x.row(g), &state)).collect()
                }
                Gating::Side(side) => {
                    (0..side.rows).map(|g| along(side.row(g), &token) * state[g]).collect()
                }
            };
            (0..network.readout.rows).map(|k| along(network.readout.row(k), &gates)).collect()
        })
        .collect()
}

fn close(what: &str, found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
        "{what}: {found} instead of {expected}"
    );
}

fn tested(network: &Network, test: &Arrays, train: &Arrays, in_order: bool) -> TestReport {
    measure(network, Sets { test, train, in_order }).unwrap()
}

#[test]
fn every_mean_is_that_of_plain_loops() {
    for (is_side, steps, weighted) in
        [(false, 6, false), (false, 4, true), (true, 1, false), (true, 6, true)]
    {
        let network = network(2, 3, is_side);
        let (test, train) =
            (arrays("test", 11, steps, weighted), arrays("train", 30, steps, weighted));
        let found = tested(&network, &test, &train, false);
        let (mut all, mut outputs, mut at, mut each) =
            (Size::default(), vec![Size::default(); 3], vec![(Size::default(), 0.0); 6], vec![]);
        for s in 0..11 {
            let own = answers(&network, &test.x[s * 12..][..12], 2);
            let mut sum = 0.0;
            for t in 6 - steps..6 {
                let row = s * steps + t + steps - 6;
                let w = test.weight.as_ref().map_or(1.0, |weight| f64::from(weight[row]));
                at[t].1 += w;
                for k in 0..3 {
                    let y = f64::from(test.y[row * 3 + k]);
                    let (e, p) = (w * (own[t][k] - y) * (own[t][k] - y), w * y * y);
                    for size in [&mut all, &mut outputs[k], &mut at[t].0] {
                        (size.loss, size.power) = (size.loss + e, size.power + p);
                    }
                    sum += e;
                }
            }
            each.push(sum / (3 * steps) as f64);
            // The sequence that is shown, with the answers at all steps.
            let shown = &found.shown[s];
            assert_eq!(
                (&shown.x[..], &shown.y[..]),
                (&test.x[s * 12..][..12], &test.y[s * steps * 3..][..steps * 3])
            );
            for (t, answer) in own.iter().enumerate() {
                (0..3).for_each(|k| {
                    assert!(
                        (f64::from(shown.answers[t * 3 + k]) - answer[k]).abs()
                            < 1e-5 * (1.0 + answer[k].abs())
                    )
                });
                let weight = if t < 6 - steps {
                    0.0
                } else {
                    test.weight.as_ref().map_or(1.0, |weight| weight[s * steps + t + steps - 6])
                };
                assert_eq!(shown.weight_at(t, [6, steps]), weight);
            }
        }
        let count = (11 * steps * 3) as f64;
        close("loss", found.test.size.loss, all.loss / count);
        close("power", found.test.size.power, all.power / count);
        for (k, size) in found.outputs.iter().enumerate() {
            close("an output's loss", size.loss, outputs[k].loss / (11 * steps) as f64);
            close("its nMSE", size.nmse().unwrap(), outputs[k].loss / outputs[k].power);
        }
        for (t, size) in found.steps.iter().enumerate() {
            let (sum, weight) = at[t];
            match size {
                Some(size) => {
                    close("a step's loss", size.loss, sum.loss / (3.0 * weight));
                    close("a step's power", size.power, sum.power / (3.0 * weight));
                }
                None => assert!(weight == 0.0, "step {t} counts"),
            }
        }
        assert_eq!(
            found.steps.iter().filter(|size| size.is_some()).count(),
            if weighted { steps - 1 } else { steps },
            "a step that counts nowhere has no error"
        );
        let mean = each.iter().sum::<f64>() / 11.0;
        let variance = each.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / 10.0;
        close("standard error", found.test.standard_error.unwrap(), (variance / 11.0).sqrt());
        assert_eq!(
            (found.test.sequences, found.train.sequences, found.shown.len()),
            (11, 11, 11),
            "as many of those that are trained on"
        );
        assert_eq!(found.train, tested(&network, &train.first(11), &train, false).test);
    }
}

/// What the network answers is taken as the target, with `noise` added.
fn answered(network: &Network, mut arrays: Arrays, noise: f32) -> Arrays {
    let noisy = numbers("noise", arrays.y.len());
    let own = arrays.x.chunks_exact(12).flat_map(|x| answers(network, x, 2)).flatten();
    arrays.y = own.zip(noisy).map(|(y, v)| y as f32 + noise * v).collect();
    arrays
}

#[test]
fn over_fitting_is_said_only_where_it_is_measured() {
    let network = network(2, 3, false);
    let of = |name: &str, count: usize, noise: f32| {
        answered(&network, arrays(name, count, 6, false), noise)
    };
    let said = |test: &Arrays, train: &Arrays, in_order: bool| {
        tested(&network, test, train, in_order).sentences().join(" ")
    };
    let (fitted, missed) = (of("a", 40, 0.1), of("b", 40, 0.5));
    let same = said(&fitted, &of("c", 60, 0.1), false);
    assert!(
        same.starts_with("On 40 test sequences its loss is ")
            && same.contains("On 40 of its training sequences it is ")
            && same.contains("no sign of over-fitting"),
        "{same}"
    );
    let over = said(&missed, &fitted, false);
    assert!(
        over.contains("less than on the test's (") && over.ends_with("it over-fits by that much."),
        "{over}"
    );
    let part = (1.0
        - tested(&network, &missed, &fitted, false).train.size.loss
            / tested(&network, &missed, &fitted, false).test.size.loss)
        * 100.0;
    assert!(over.contains(&format!(" {part:.0} % less")), "{over} {part}");
    assert!(
        said(&missed, &fitted, true).ends_with("it over-fits, or the end of the file is harder.")
    );
    let easier = said(&fitted, &missed, false);
    assert!(easier.contains("the test's are easier for it"), "{easier}");
    let few = said(&missed.first(FEW - 1), &fitted, false);
    assert!(
        few.contains("On 7 test sequences")
            && few.ends_with("does not tell over-fitting from chance."),
        "{few}"
    );
    let exact = said(&fitted, &fitted, false);
    assert!(exact.contains("(0.0 standard errors)"), "{exact}");
    // Between the two: noise that is a little larger, so that chance may be why.
    let tell = |noise: f32| said(&of("d", 40, noise), &fitted, false);
    let unsure: Vec<String> = (0..40).map(|i| tell(0.1 + 0.001 * i as f32)).collect();
    let kinds = |text: &str| unsure.iter().filter(|said| said.contains(text)).count();
    assert!(
        kinds("no sign") > 0
            && kinds("that can be over-fitting, or chance") > 0
            && kinds("it over-fits by") > 0,
        "{unsure:#?}"
    );
    let mut broken = network.clone();
    broken.readout.data[0] = f64::NAN;
    assert_eq!(
        tested(&broken, &fitted, &missed, false).sentences(),
        ["On 40 test sequences its loss is not a number."]
    );
    assert!(
        measure(&network, Sets { test: &fitted.first(0), train: &fitted, in_order: false })
            .is_none()
    );
}

#[test]
fn long_sequences_are_shown_as_far_as_they_fit() {
    let (time, inputs, outputs) = (1024, 40, 3);
    let arrays = Arrays {
        sequences: 3,
        time,
        inputs,
        outputs,
        steps: 1,
        x: numbers("long", 3 * time * inputs),
        y: numbers("y", 9),
        weight: None,
    };
    let found = tested(&network(inputs, outputs, false), &arrays, &arrays, false);
    assert_eq!(
        (found.test.sequences, found.shown.len(), found.shown[0].answers.len()),
        (3, 1, time * outputs)
    );
    assert_eq!(
        (found.steps.len(), found.steps.iter().position(Option::is_some)),
        (time, Some(time - 1))
    );
}
