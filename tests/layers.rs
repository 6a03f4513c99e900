//! Linear attention in LRU, LSTM and GRU layers: against the teacher on both CPU engines, error
//! against ε, the GRU's missing product.

use gatelens::math::{self, matrix::Matrix, random};
use gatelens::model::run::ModelWeights;
use gatelens::named::Named;
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::theory::layers::curve::{Asymptote, Curve, epsilon_curve, point};
use gatelens::theory::layers::expansion::{GRU, LSTM, Update};
use gatelens::theory::layers::primitives::{Ability, Shown, TABLE};
use gatelens::theory::layers::{Host, construct};
use gatelens::theory::{self, attention};

fn teacher(dim: usize, spectrum: Spectrum, seed: u32) -> Teacher {
    Teacher::draw(TeacherKind { dim, ranks: [dim; 3], spectrum, gain: 1.0 }, seed)
}

fn tokens(seed: u32, d: usize, rows: usize) -> Matrix {
    Matrix::new(
        rows,
        d,
        random::normals(seed, "layers", rows * d).into_iter().map(f64::from).collect(),
    )
}

/// The largest |ŷ − y|, and the largest |y|.
fn largest(ours: &Matrix, theirs: &Matrix) -> [f64; 2] {
    [
        math::largest(ours.data.iter().zip(&theirs.data).map(|(a, b)| (a - b).abs())),
        math::largest(theirs.data.iter().map(|y| y.abs())),
    ]
}

#[test]
fn each_layer_is_attention_in_double_precision() {
    for d in [1, 2, 4, 6] {
        for spectrum in [Spectrum::Orthogonal, Spectrum::Gaussian] {
            let teacher = teacher(d, spectrum, 7 + d as u32);
            let (time, x) = (32, tokens(3, d, 8 * 32));
            for &layer in Host::ALL {
                let built = construct(&teacher, layer, layer.epsilon()).unwrap();
                let ours = built.weighed().outputs_of::<f64>(&x, time);
                let [error, size] = largest(&ours, &layer.target(&teacher, &x, time));
                println!(
                    "{} d = {d}, {spectrum:?}: {error:.1e} of {size:.1}, {:?} parameters",
                    layer.key(),
                    built.parameter_count()
                );
                let limit = match layer {
                    Host::LruTwo | Host::LruInOut | Host::GruBefore => 1e-9,
                    Host::Lstm | Host::GruCurved => 1e-6,
                };
                assert!(error < limit * size, "{} d = {d}, {spectrum:?}: {error:e}", layer.key());
                // Only without its own token's term is a GRU far from the teacher.
                let all = attention::outputs(&teacher, &x, time);
                assert_eq!(
                    largest(&ours, &all)[0] > 1e-3,
                    layer == Host::GruBefore,
                    "{}",
                    layer.key()
                );
            }
        }
    }
}

/// A curve's error at 2^−exponent: in double precision, in single.
fn at(curve: &Curve, exponent: usize) -> [f64; 2] {
    [curve.points[exponent].double, curve.points[exponent].single]
}

#[test]
fn curvature_falls_with_epsilon_squared_and_rounding_rises() {
    let teacher = teacher(4, Spectrum::Orthogonal, 7);
    for &layer in Host::ALL {
        let curve = epsilon_curve(&teacher, layer, 1, [8, 32]).unwrap();
        let [double, single] = curve.best();
        println!("{}: best {double:?} {single:?}", layer.key());
        curve.points.iter().for_each(|p| {
            println!("  2^{:<4} {:.2e} {:.2e}", p.epsilon.log2(), p.double, p.single)
        });
        let ratio = at(&curve, 5)[0] / at(&curve, 7)[0];
        assert!(
            (ratio / 16.0 - 1.0).abs() < 0.05,
            "{}: a quarter of ε leaves 1/{ratio:.1} of the error",
            layer.key()
        );
        // Rounding: from far below the best ε on, a quarter of it costs 4 times where one product
        // loses its half, 16 times where two do.
        let growth = (at(&curve, 24)[0] / at(&curve, 20)[0]).log2() / 4.0;
        let expected = if matches!(layer, Host::Lstm | Host::GruCurved) { 2.0 } else { 1.0 };
        assert!(
            (growth - expected).abs() < 0.3,
            "{}: rounding grows as ε^−{growth:.2}",
            layer.key()
        );
        assert!(
            single.epsilon > 16.0 * double.epsilon,
            "{}: single precision needs larger weights",
            layer.key()
        );
        assert!(
            (0.2..5.0).contains(&(layer.epsilon() / double.epsilon)),
            "{}: {} is not near the best {}",
            layer.key(),
            layer.epsilon(),
            double.epsilon
        );
        let (limit, single_limit) = if expected == 1.0 { (1e-9, 1e-3) } else { (1e-7, 1e-2) };
        assert!(
            double.double < limit && single.single < single_limit,
            "{}: {double:?}, {single:?}",
            layer.key()
        );
    }
}

#[test]
fn the_comparison_can_fail() {
    let teacher = teacher(3, Spectrum::Orthogonal, 5);
    let x = tokens(4, 3, 4 * 16);
    for &layer in Host::ALL {
        let built = construct(&teacher, layer, layer.epsilon()).unwrap();
        let error = |parameters: &[f64]| {
            let weighed = ModelWeights { parameters, ..built.weighed() };
            weighed.outputs_of::<f64>(&x, 16).relative_change(&layer.target(&teacher, &x, 16))
        };
        let exact = error(&built.parameters);
        // Weights that are read: each by itself changes the function (those that say how wide open
        // a gate is, by much less).
        let read = (0..built.parameters.len())
            .filter(|&i| built.parameters[i] != 0.0 && built.parameters[i].abs() != 40.0);
        for i in read.step_by(7) {
            let mut parameters = built.parameters.clone();
            parameters[i] *= 1.01;
            assert!(error(&parameters) > 100.0 * exact, "{}: weight {i} is not read", layer.key());
        }
    }
}

#[test]
fn a_gru_has_all_but_its_own_tokens_product() {
    let differs = |update: &Update, biases: &[f64]| {
        for term in update.terms(biases) {
            assert!(
                (term.coefficient - term.measured).abs() < 1e-6,
                "{} {biases:?}: {term:?}",
                update.layer
            );
        }
    };
    for z in [-2.0, 0.0, 1.5] {
        for r in [-1.0, 0.0, 40.0] {
            differs(&GRU, &[z, r]);
        }
        differs(&LSTM, &[z]);
    }
    let find = |update: &Update, biases: &[f64], factors: &[&str]| {
        update.terms(biases).into_iter().find(|term| term.factors == factors).unwrap()
    };
    for biases in [[0.0, 0.0], [-3.0, 2.0]] {
        assert_eq!(find(&GRU, &biases, &["a_z", "a_r", "a_n"]).coefficient, 0.0);
        // With w = h / r, what z takes from the state comes back: ∂h'/∂h is 1, and no reading of
        // the token disturbs it.
        let r = 1.0 / (1.0 + f64::exp(-biases[1]));
        let sum = |a: &[&str], b: &[&str]| {
            find(&GRU, &biases, a).coefficient + find(&GRU, &biases, b).coefficient / r
        };
        assert!(
            (sum(&["h"], &["w"]) - 1.0).abs() < 1e-12
                && sum(&["a_z", "h"], &["a_z", "w"]).abs() < 1e-12
        );
    }
    assert_eq!(find(&LSTM, &[0.0], &["a_i", "a_g", "a_o"]).coefficient, 1.0 / 16.0);
    // The layers themselves: one token from the zero state has the teacher's cube in the LSTM, none
    // in the GRU until curvature makes it.
    let teacher = teacher(3, Spectrum::Orthogonal, 9);
    let x = tokens(8, 3, 64);
    let one = attention::outputs(&teacher, &x, 1);
    let part = |layer: Host| {
        construct(&teacher, layer, layer.epsilon())
            .unwrap()
            .weighed()
            .outputs_of::<f64>(&x, 1)
            .norm()
            / one.norm()
    };
    assert!((part(Host::Lstm) - 1.0).abs() < 1e-5 && (part(Host::GruCurved) - 1.0).abs() < 1e-5);
    assert!(part(Host::GruBefore) < 1e-9, "{}", part(Host::GruBefore));
}

#[test]
fn the_table_says_what_the_constructions_do() {
    let teacher = teacher(3, Spectrum::Gaussian, 2);
    let x = tokens(6, 3, 4 * 16);
    for row in TABLE {
        println!("{}", row.line());
        match row.shown {
            Shown::Gated(variant) => {
                let error =
                    theory::construct(&teacher, variant).unwrap().max_error(&teacher, 1, [2, 16]);
                assert!(
                    error < 1e-10 && row.layers == Some(1) && row.query == Ability::Exactly,
                    "{}",
                    row.layer
                );
            }
            Shown::Built(layer) => {
                let built = construct(&teacher, layer, layer.epsilon()).unwrap();
                let error = built
                    .weighed()
                    .outputs_of::<f64>(&x, 16)
                    .relative_change(&attention::outputs(&teacher, &x, 16));
                assert_eq!(error < 1e-6, row.layers.is_some(), "{}: {error:e}", row.layer);
                assert_eq!(row.query == Ability::Partly, row.layers.is_none(), "{}", row.layer);
                assert_eq!(row.layers == Some(2), layer == Host::LruTwo);
            }
            Shown::Said => assert!(row.sentence.len() > 40),
        }
        assert!(row.sentence.ends_with('.') && !row.product.word().is_empty());
    }
}

#[test]
fn what_does_not_apply_is_said() {
    let mut teacher = teacher(2, Spectrum::Orthogonal, 1);
    for epsilon in [0.0, -1.0, 2.0, f64::NAN] {
        assert!(
            construct(&teacher, Host::Lstm, epsilon).unwrap_err().to_string().contains("epsilon")
        );
    }
    assert!(
        Host::parse("layer", "lru")
            .unwrap_err()
            .to_string()
            .contains("lru-two, lru-in-out, lstm, gru-before, gru-curved")
    );
    assert!(Host::ALL.iter().all(|layer| !layer.title().is_empty() && layer.help().ends_with('.')));
    teacher.query[1] = f64::INFINITY;
    assert!(construct(&teacher, Host::LruTwo, 0.1).unwrap_err().to_string().contains("finite"));
}

#[test]
fn asymptotes_are_what_the_curve_comes_to() {
    let teacher = teacher(3, Spectrum::Orthogonal, 7);
    for &layer in Host::ALL {
        let curve = epsilon_curve(&teacher, layer, 1, [4, 16]).unwrap();
        let [curvature, rounding] = curve.asymptotes().unwrap();
        assert_eq!(
            (curvature.power, rounding.power),
            (2, if matches!(layer, Host::Lstm | Host::GruCurved) { -2 } else { -1 })
        );
        let off = |asymptote: Asymptote, exponent: usize| {
            (asymptote.at(curve.points[exponent].epsilon) / curve.points[exponent].double)
                .ln()
                .abs()
        };
        println!(
            "{}: {:.3} {:.3} {:.3}",
            layer.key(),
            off(curvature, 5),
            off(rounding, 22),
            off(rounding, 25)
        );
        assert!(
            off(curvature, 5) < 0.1 && off(rounding, 22) < 1.5 && off(rounding, 25) < 1.5,
            "{}",
            layer.key()
        );
        assert!(off(rounding, 2) > 3.0 && off(curvature, 24) > 3.0, "each is one side's");
        let started = Curve { layer, points: curve.points[..6].to_vec() };
        assert_eq!(started.asymptotes(), None, "one side is missing");
        let point = point(&teacher, layer, 9, 1, [4, 16]).unwrap();
        assert_eq!(point, curve.points[9]);
    }
}
