//! Any layer looked at from outside: constructed layers, untrained ones, trained gated ones, beside
//! the analyses that read weights.

use gatelens::analysis::content::{self, Setting};
use gatelens::analysis::decoding;
use gatelens::analysis::importance::{self, Role};
use gatelens::analysis::polynomial::{self, Places};
use gatelens::analysis::probe::{Probe, probe};
use gatelens::analysis::scores;
use gatelens::analysis::subject::Subject;
use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::graph::{Graph, program::Program};
use gatelens::math::matrix::Matrix;
use gatelens::model::Layer;
use gatelens::model::run::ModelWeights;
use gatelens::model::{Architecture, Network};
use gatelens::model::{
    Sizes,
    gated_dense::DENSE,
    gated_diagonal::GATED,
    gru::GRU,
    lru::{LRU, LRU_IN_OUT, LRU_MLP},
    lstm::LSTM,
};
use gatelens::named::Named;
use gatelens::recipe::checkpoint::{self, Checkpoint};
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::task::{Regression, Teacher};
use gatelens::theory::layers::{Host, construct};
use gatelens::theory::{self, Variant};
use gatelens::train::{optimizer::Optimizer, schedule::Schedule};
use std::path::Path;

const ONE: Setting = Setting { lag: None, scale: 1.0, seed: 3 };
const TWO: Setting = Setting { lag: Some(1), scale: 1.0, seed: 3 };

fn trained(id: &str) -> Checkpoint {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reference/{id}.safetensors"));
    checkpoint::read(id, &std::fs::read(path).unwrap()).unwrap()
}

/// Well-conditioned: all singular values 1.
fn teacher(dim: usize, seed: u32) -> Teacher {
    Teacher::draw(
        TeacherKind { dim, ranks: [dim; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        seed,
    )
}

/// A gated network's parameters in double precision.
fn flat(network: &Network) -> Vec<f64> {
    network.table().iter().flat_map(|param| network.parameter(&param.name).unwrap()).collect()
}

fn weighed<'a>(network: &Network, parameters: &'a [f64]) -> ModelWeights<'a> {
    ModelWeights {
        architecture: network.architecture(),
        inputs: network.inputs(),
        outputs: network.outputs(),
        parameters,
    }
}

fn show(name: &str, probe: &Probe) {
    println!("{name}");
    probe.sentences().iter().for_each(|sentence| println!("  {sentence}"));
}

/// The other layers, about as large as their constructions for d = 3.
fn zoo() -> [(&'static str, Architecture); 6] {
    let lru = |layers, mixing: &'static Layer| {
        mixing.of(Sizes { hidden: 9, embed: 15, layers, width: 15, ..Sizes::NONE })
    };
    [
        ("LSTM", LSTM.of(Sizes { hidden: 30, embed: 6, ..Sizes::NONE })),
        ("GRU", GRU.of(Sizes { hidden: 30, embed: 6, ..Sizes::NONE })),
        ("LRU", lru(2, &LRU)),
        ("LRU In+Out", lru(1, &LRU_IN_OUT)),
        ("LRU MLP", lru(1, &LRU_MLP)),
        ("gated, full matrix", DENSE.of(Sizes { hidden: 14, gates: 12, ..Sizes::NONE })),
    ]
}

fn untrained(architecture: Architecture, d: usize) -> Vec<f64> {
    architecture.table(d, d).initial(4).into_iter().map(f64::from).collect()
}

#[test]
fn constructed_layers_are_found_to_be_attention() {
    let teacher = teacher(3, 5);
    let subject = Subject::Attention(&teacher);
    for &layer in Host::ALL {
        let built = construct(&teacher, layer, layer.epsilon()).unwrap();
        let found = probe(&built.weighed(), &subject, 1).unwrap();
        show(layer.title(), &found);
        assert!(
            found.decoded.as_ref().unwrap().key_value.unwrap() < 1e-9,
            "{layer:?}: {:?}",
            found.decoded
        );
        let is_whole = layer != Host::GruBefore;
        assert_eq!(found.is_subject(), is_whole, "{layer:?}");
        assert_eq!(
            found.headline() == "This computes linear attention.",
            is_whole,
            "{}",
            found.headline()
        );
        // The GRU's products of an earlier token and the query are all there, the current token's
        // own are not.
        let (one, two) = (found.one.products, found.two.products);
        assert!(
            (two.cosine.unwrap() - 1.0).abs() < 1e-9 && two.distance.unwrap() < 1e-4,
            "{layer:?}: {two:?}"
        );
        assert!(
            if is_whole {
                one.distance.unwrap() < 1e-4
            } else {
                (one.distance.unwrap() - 1.0).abs() < 1e-6
            },
            "{layer:?}: {one:?}"
        );
        let query = found.decoded.as_ref().unwrap().query_in_gates.unwrap();
        assert!(query < 1e-6, "{layer:?}: the query is in its gates: {query:e}");
        assert!(
            !is_whole
                || (found.one.shares[3] > 1.0 - 1e-6 && found.one.unexplained.unwrap() < 1e-6),
            "{layer:?}: {:?}",
            found.one
        );
    }
    for variant in [Variant::Naive, Variant::Side] {
        let network = theory::construct(&teacher, variant).unwrap().network;
        let parameters = flat(&network);
        let found = probe(&weighed(&network, &parameters), &subject, 1).unwrap();
        assert!(
            found.is_subject()
                && found.error.unwrap() < 1e-12
                && found.decoded.as_ref().unwrap().key_value.unwrap() < 1e-20,
            "{found:?}"
        );
        let query = if variant == Variant::Side {
            found.decoded.as_ref().unwrap().query_in_gates
        } else {
            found.decoded.as_ref().unwrap().query
        };
        assert!(
            query.unwrap() < 1e-20
                && (variant == Variant::Side)
                    == found.decoded.as_ref().unwrap().query_in_gates.is_some()
        );
    }
}

#[test]
fn untrained_layers_are_not() {
    let teacher = teacher(3, 5);
    for (name, architecture) in zoo() {
        let parameters = untrained(architecture, 3);
        let network = ModelWeights { architecture, inputs: 3, outputs: 3, parameters: &parameters };
        let found = probe(&network, &Subject::Attention(&teacher), 1).unwrap();
        show(name, &found);
        assert!(
            !found.is_subject() && found.headline().starts_with("This does not compute"),
            "{name}: {}",
            found.headline()
        );
        assert!(
            found.error.unwrap() > 0.5 && found.decoded.as_ref().unwrap().key_value.unwrap() > 0.05,
            "{name}: {found:?}"
        );
        assert!(found.two.products.cosine.unwrap().abs() < 0.5, "{name}: {:?}", found.two);
    }
}

#[test]
fn a_gated_networks_polynomial_is_that_of_its_weights() {
    let teacher = teacher(3, 8);
    for seed in [1, 2] {
        let table = GATED.of(Sizes { hidden: 8, gates: 6, ..Sizes::NONE }).table(3, 3);
        let network = Network::from_parameters(&table, &table.initial(seed)).unwrap();
        let parameters = flat(&network);
        for (setting, lags) in [
            (ONE, vec![0]),
            (TWO, vec![1, 0]),
            (Setting { lag: Some(3), scale: 0.3, ..TWO }, vec![3, 0]),
        ] {
            let fitted = content::fit(
                &weighed(&network, &parameters),
                &Subject::Attention(&teacher),
                setting,
            );
            let places = Places::new(3, &lags);
            let (exact, wanted) = (places.network(&network), places.teacher(&teacher));
            let mut squares = [0.0, 0.0];
            for (i, monomial) in fitted.monomials.iter().enumerate() {
                let known = places.monomials.iter().position(|m| m == monomial);
                for output in 0..3 {
                    let (a, b) = known.map_or((0.0, 0.0), |place| {
                        (exact.at(output, place), wanted.at(output, place))
                    });
                    squares[0] += (fitted.layer.at(output, i) - a).powi(2);
                    squares[1] += (fitted.subject.at(output, i) - b).powi(2);
                }
            }
            assert!(
                squares[0].sqrt() < 1e-8 * exact.norm() && squares[1].sqrt() < 1e-12,
                "{setting:?}: {squares:?}"
            );
            let distance = polynomial::distance(&exact, &wanted).unwrap();
            assert!(
                (fitted.content.distance.unwrap() / distance - 1.0).abs() < 1e-8
                    && fitted.content.unexplained.unwrap() < 1e-18,
                "{setting:?}"
            );
        }
    }
}

#[test]
fn a_trained_gated_network_is_read_as_by_its_scores() {
    let file = trained("trained_teacher_a");
    let (network, teacher) = (file.gated("reference").unwrap(), file.teacher.unwrap());
    let parameters = flat(&network);
    let subject = Subject::Attention(&teacher);
    let found = probe(&weighed(&network, &parameters), &subject, 1).unwrap();
    show("trained gated", &found);
    assert!(found.is_subject());
    let places = Places::new(4, &[0]);
    let distance =
        polynomial::distance(&places.network(&network), &places.teacher(&teacher)).unwrap();
    assert!(
        (found.one.distance.unwrap() / distance - 1.0).abs() < 1e-3,
        "{} {distance}",
        found.one.distance.unwrap()
    );
    // Score KV and Score Q, from neurons of one role on the rows that they are fitted on, are the
    // same numbers as on held-out rows from the same neurons.
    let x = subject.tokens(128, 9);
    let roles = importance::measure(&network, importance::THRESHOLD).roles;
    let states = network.states(&x, 32);
    let moments: Vec<_> = (0..128)
        .flat_map(|i| {
            theory::attention::unroll(
                &teacher,
                &x.select_rows(&(i * 32..(i + 1) * 32).collect::<Vec<_>>()),
            )
        })
        .collect();
    let scores = scores::score_on(&network, &roles, &teacher, &x, 32).attention;
    let select = |role: Role| {
        states.select_columns(&(0..roles.len()).filter(|&i| roles[i] == role).collect::<Vec<_>>())
    };
    let memory = Matrix::from_rows(
        &moments.iter().map(|moment| &moment.memory.data[..]).collect::<Vec<_>>(),
    );
    let query =
        Matrix::from_rows(&moments.iter().map(|moment| &moment.query[..]).collect::<Vec<_>>());
    for (role, targets, score, from_all) in [
        (Role::KeyValue, memory, scores.key_value, found.decoded.as_ref().unwrap().key_value),
        (Role::Query, query, scores.query, found.decoded.as_ref().unwrap().query),
    ] {
        let held_out = decoding::held_out(&select(role), &targets, 64 * 32).unwrap();
        let score = score.unwrap().value;
        println!(
            "{role:?}: score {score:.3e}, held out {held_out:.3e}, from all states {:.3e}",
            from_all.unwrap()
        );
        assert!((held_out / score - 1.0).abs() < 0.3, "{role:?}: {held_out:e} and {score:e}");
        assert!(from_all.unwrap() < 1.3 * score, "{role:?}: more states do not hide anything");
    }
}

#[test]
fn a_regression_network_takes_a_gradient_step() {
    let network = trained("trained_icl_a").gated("trained_icl_a").unwrap();
    let parameters = flat(&network);
    let task = Regression { inputs: 3, outputs: 3, pairs: 12, noise: 0.0, variance: 1.0 };
    let found = probe(&weighed(&network, &parameters), &Subject::Regression(task), 2).unwrap();
    show("regression", &found);
    assert!(
        found.error.unwrap() < 0.05 && found.decoded.as_ref().unwrap().key_value.unwrap() < 1e-2,
        "{found:?}"
    );
    assert!(
        found.two.products.cosine.unwrap() > 0.99
            && found.two.directions == [4, 3]
            && found.one.directions == [6]
    );
    let other = Regression { inputs: 2, ..task };
    let error = probe(&weighed(&network, &parameters), &Subject::Regression(other), 2)
        .unwrap_err()
        .to_string();
    assert!(error.contains("6 values per token") && error.contains("5 and 3"), "{error}");
}

/// Of noise a map with nearly as many numbers as rows explains most where it was fitted, and
/// nothing elsewhere.
#[test]
fn what_is_read_is_tried_where_it_was_not_fitted() {
    let noise = |name: &str, columns: usize| {
        Matrix::new(
            60,
            columns,
            gatelens::math::random::normals(3, name, 60 * columns)
                .into_iter()
                .map(f64::from)
                .collect(),
        )
    };
    let left = decoding::held_out(&noise("features", 25), &noise("targets", 2), 30).unwrap();
    assert!(left > 1.0, "{left}");
}

#[test]
fn wide_tokens_are_drawn_from_some_directions() {
    let teacher = teacher(10, 3);
    let network = theory::construct(&teacher, Variant::Naive).unwrap().network;
    let parameters = flat(&network);
    for setting in [ONE, TWO] {
        let found =
            content::fit(&weighed(&network, &parameters), &Subject::Attention(&teacher), setting)
                .content;
        assert_eq!(found.directions, if setting.lag.is_some() { vec![4, 4] } else { vec![8] });
        assert!(
            found.distance.unwrap() < 1e-9
                && found.unexplained.unwrap() < 1e-18
                && found.shares[3] > 1.0 - 1e-9,
            "{found:?}"
        );
    }
}

/// Trains on the teacher's task by the CPU engine.
fn train(architecture: Architecture, teacher: &Teacher, steps: u32, rate: f32) -> Vec<f64> {
    let mut graph = Graph::new(32, 16);
    let (x, y) = gatelens::task::attention::record(&mut graph, teacher.dim);
    let prediction = architecture.forward(&mut graph, x, teacher.dim, 16);
    graph.squared_error(prediction, y, false);
    let program = Program::training(graph);
    let (initial, constants) = (program.params.initial(2), program.find("teacher").unwrap());
    let mut cpu = Cpu::<f32>::new(program, 1, u64::MAX).unwrap();
    cpu.write(Graph::PARAMETERS, &initial);
    cpu.write(constants, &teacher.constants());
    let constant = || Schedule::constant(1.0);
    let optimizer = Optimizer {
        steps,
        learning_rate: rate,
        rate_schedule: constant(),
        warmup: 0,
        weight_decay: 0.0,
        decay_schedule: constant(),
        beta1: 0.9,
        beta2: Schedule::constant(0.99),
        epsilon: 1e-8,
        clip: 0.0,
    };
    cpu.set_clock(&optimizer.clock(7, 0));
    cpu.advance(steps).unwrap();
    cpu.read_exact(Graph::PARAMETERS).into_iter().map(f64::from).collect()
}

#[test]
fn training_brings_a_layer_nearer() {
    let teacher = teacher(2, 5);
    let subject = Subject::Attention(&teacher);
    for (name, architecture) in [
        ("LSTM", LSTM.of(Sizes { hidden: 24, embed: 8, ..Sizes::NONE })),
        ("GRU", GRU.of(Sizes { hidden: 24, embed: 8, ..Sizes::NONE })),
        ("LRU In+Out", LRU_IN_OUT.of(Sizes { hidden: 12, embed: 12, layers: 1, ..Sizes::NONE })),
    ] {
        let before = untrained(architecture, 2);
        let after = train(architecture, &teacher, 1500, 5e-3);
        let [before, after] = [&before, &after].map(|parameters| {
            probe(&ModelWeights { architecture, inputs: 2, outputs: 2, parameters }, &subject, 1)
                .unwrap()
        });
        show(name, &after);
        assert!(after.error.unwrap() < 0.7 * before.error.unwrap(), "{name}");
        assert!(
            after.two.products.cosine.unwrap() > before.two.products.cosine.unwrap() + 0.3,
            "{name}: {:?} {:?}",
            before.two.products,
            after.two.products
        );
        assert!(
            after.decoded.as_ref().unwrap().key_value.unwrap()
                < before.decoded.as_ref().unwrap().key_value.unwrap(),
            "{name}"
        );
        let text = serde_json::to_string(&after).unwrap();
        assert_eq!(
            serde_json::from_str::<Probe>(&text).unwrap().sentences(),
            after.sentences(),
            "{name}: as numbers and back"
        );
    }
}
