//! What is in a layer, against formulas and hand-set weights.

use gatelens::analysis::insides::memory::Spectrum;
use gatelens::analysis::insides::trace::{MOST, Range, Trace};
use gatelens::analysis::insides::{self, Insides, Origin, Probing};
use gatelens::math::linear;
use gatelens::math::matrix::Matrix;
use gatelens::model::run::ModelWeights;
use gatelens::model::{Architecture, Model};
use gatelens::model::{
    Sizes, attention::SOFTMAX, every, gated_dense::DENSE, gated_diagonal::GATED, gru::GRU,
    lru::LRU, lstm::LSTM, mamba::MAMBA,
};
use gatelens::task::attention::{Spectrum as Singular, TeacherKind};
use gatelens::task::{Recall, Regression, Task, Teacher};
use gatelens::theory::layers::{self, Host};

fn drawn(architecture: Architecture, [inputs, outputs]: [usize; 2], seed: u32) -> Model {
    Model::new(architecture, [inputs, outputs], &architecture.table(inputs, outputs).initial(seed))
}

/// Numbers of a parameter, to be set.
fn part<'a>(model: &'a mut Model, name: &str) -> &'a mut [f64] {
    let range = model.table().get(name).unwrap_or_else(|| panic!("no {name}")).range();
    &mut model.parameters[range]
}

fn teacher_kind() -> TeacherKind {
    TeacherKind { dim: 3, ranks: [3; 3], spectrum: Singular::Orthogonal, gain: 1.0 }
}

fn origin(seed: u32) -> Origin {
    Origin { task: Task::Attention(teacher_kind()), time: 20, seed }
}

fn named<'a>(traces: &'a [Trace], name: &str) -> &'a Trace {
    traces.iter().find(|trace| trace.name == name).unwrap_or_else(|| {
        panic!("no {name} in {:?}", traces.iter().map(|trace| &trace.name).collect::<Vec<_>>())
    })
}

/// The sequence that insides are of: linear attention's own embedding passes it on.
fn tokens(inputs: usize, origin: Option<Origin>) -> Matrix {
    let architecture = GATED.of(Sizes { hidden: inputs, side: true, ..Sizes::NONE });
    let mut model = Model::new(
        architecture,
        [inputs, inputs],
        &vec![0.0; architecture.table(inputs, inputs).len()],
    );
    (0..inputs).for_each(|i| part(&mut model, "input_gate.m")[i * (inputs + 1) + i] = 1.0);
    (0..inputs).for_each(|i| part(&mut model, "input_gate.x")[i * (inputs + 1) + inputs] = 1.0); // times 1
    let seen = insides::look(&model, None, origin);
    let u = named(&seen.gates, "gated input u");
    Matrix::from_fn(u.time, inputs, |t, i| f64::from(u.at(t, i)))
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn close(a: f32, b: f64) -> bool {
    (f64::from(a) - b).abs() < 1e-5 * (1.0 + b.abs())
}

#[test]
fn gates_of_an_lstm_and_a_gru_are_their_formulas() {
    for gru in [false, true] {
        let (hidden, embed) = (2, 3);
        let architecture = if gru {
            GRU.of(Sizes { hidden, embed, ..Sizes::NONE })
        } else {
            LSTM.of(Sizes { hidden, embed, ..Sizes::NONE })
        };
        let mut model = drawn(architecture, [3, 3], 5);
        let names = if gru { ["r", "z"] } else { ["i", "f"] };
        if gru {
            part(&mut model, "bias_hh")
                .iter_mut()
                .enumerate()
                .for_each(|(i, b)| *b = 0.1 * i as f64);
        }
        let seen = insides::look(&model, None, Some(origin(4)));
        let x = tokens(3, Some(origin(4)));
        assert_eq!((seen.time, x.rows), (20, 20));
        let (embed_weights, ih, hh) = (
            part(&mut model, "embed").to_vec(),
            part(&mut model, "weight_ih").to_vec(),
            part(&mut model, "weight_hh").to_vec(),
        );
        let bias = part(&mut model, if gru { "bias_hh" } else { "bias" }).to_vec();
        let state = if gru { "state h" } else { "hidden state h" };
        let h = named(&seen.states, state);
        for (gate, name) in names.iter().enumerate() {
            let full = match *name {
                "r" => "reset gate r",
                "z" => "update gate z",
                "i" => "input gate i",
                _ => "forget gate f",
            };
            let trace = named(&seen.gates, full);
            assert_eq!((trace.range, trace.width, trace.time), (Range::Gate, hidden, 20));
            for t in 0..20 {
                for j in 0..hidden {
                    let row = gate * hidden + j;
                    let z: Vec<f64> = (0..embed)
                        .map(|c| (0..3).map(|i| embed_weights[c * 3 + i] * x.at(t, i)).sum())
                        .collect();
                    let from_token: f64 = (0..embed).map(|c| ih[row * embed + c] * z[c]).sum();
                    let from_state: f64 = if t == 0 {
                        0.0
                    } else {
                        (0..hidden).map(|k| hh[row * hidden + k] * f64::from(h.at(t - 1, k))).sum()
                    };
                    let wanted = sigmoid(from_token + from_state + bias[row]);
                    assert!(
                        close(trace.at(t, j), wanted),
                        "{full}, token {t}: {} for {wanted}",
                        trace.at(t, j)
                    );
                }
            }
            if gate == 1 {
                let Spectrum::Line(line) = &seen.memories[0].now else { panic!() };
                let column: Vec<f64> = (0..20).map(|t| f64::from(trace.at(t, 1))).collect();
                let mean = column.iter().sum::<f64>() / 20.0;
                assert!(
                    (line[1][1] - mean).abs() < 1e-6
                        && line[1][0] <= line[1][1]
                        && line[1][1] <= line[1][2]
                );
            }
        }
    }
}

#[test]
fn a_hand_set_lrus_numbers_stand_where_they_were_put() {
    let mixing = &LRU;
    let mut model = drawn(
        mixing.of(Sizes { hidden: 2, embed: 3, layers: 2, width: 5, ..Sizes::NONE }),
        [3, 3],
        1,
    );
    // λ = 0.5 e^{iπ/2} and, in the second layer, 0.25 e^{2i}.
    part(&mut model, "nu").fill((-(0.5f64.ln())).ln());
    part(&mut model, "theta").fill(std::f64::consts::FRAC_PI_2.ln());
    part(&mut model, "layer2.nu").fill((-(0.25f64.ln())).ln());
    part(&mut model, "layer2.theta").fill(2.0f64.ln());
    let seen = insides::look(&model, None, Some(origin(9)));
    assert_eq!(
        seen.memories.iter().map(|memory| memory.name.as_str()).collect::<Vec<_>>(),
        ["λ of each neuron, layer 1", "λ of each neuron, layer 2"]
    );
    let disk = |layer: usize| {
        let Spectrum::Disk(values) = &seen.memories[layer].now else { panic!() };
        values.clone()
    };
    assert!(disk(0).iter().all(|[re, im]| re.abs() < 1e-12 && (im - 0.5).abs() < 1e-12));
    assert!(disk(1).iter().all(|[re, im]| (re - 0.25 * 2.0f64.cos()).abs() < 1e-12
        && (im - 0.25 * 2.0f64.sin()).abs() < 1e-12));
    // The untrained ones are those of the seed.
    let before = drawn(model.architecture, [3, 3], 9);
    let other = insides::look(&before, None, None);
    assert_eq!(seen.memories[1].initial.as_ref(), Some(&other.memories[1].now));
    assert!(other.memories[0].initial.is_none() && other.seed.is_none(), "no seed is known");
    assert!(seen.states[0].values.iter().all(|v| *v >= 0.0), "sizes");
    let real = ModelWeights { ..model.weighed() }
        .buffers::<f64>(&tokens(3, Some(origin(9))), 20, &["h".into()])
        .remove(0);
    assert!(close(seen.states[0].at(7, 1), real.at(7, 1).hypot(real.at(7, 3))));
}

#[test]
fn memories_of_the_other_layers_are_their_formulas() {
    let mut gated = drawn(GATED.of(Sizes { hidden: 2, gates: 1, ..Sizes::NONE }), [3, 3], 1);
    part(&mut gated, "nu").copy_from_slice(&[-40.0, (-(0.3f64.ln())).ln()]);
    let Spectrum::Line(line) = &insides::look(&gated, None, None).memories[0].now else { panic!() };
    assert!(line[0] == [1.0; 3] && (line[1][1] - 0.3).abs() < 1e-12);

    let mut dense = drawn(DENSE.of(Sizes { hidden: 2, gates: 1, ..Sizes::NONE }), [3, 3], 1);
    part(&mut dense, "recurrent").copy_from_slice(&[0.0, -0.5, 0.5, 0.0]); // ± i / 2
    let now = insides::look(&dense, None, None).memories[0].now.clone();
    assert!(now.sizes().iter().all(|size| (size - 0.5).abs() < 1e-12), "{now:?}");
    let Spectrum::Disk(mut values) = now else { panic!() };
    values.sort_by(|a, b| a[1].total_cmp(&b[1]));
    assert!(
        (values[0][1] + 0.5).abs() < 1e-12
            && (values[1][1] - 0.5).abs() < 1e-12
            && values[0][0].abs() < 1e-12
    );

    let mamba = drawn(MAMBA.of(Sizes { embed: 2, state: 3, ..Sizes::NONE }), [3, 3], 1);
    let seen = insides::look(&mamba, None, None);
    let Spectrum::Line(line) = &seen.memories[0].now else { panic!() };
    let step = named(&seen.gates, "step size Δ");
    // A starts at −1, −2, −3 in each channel.
    for (i, range) in line.iter().enumerate() {
        let decay = |t: usize| (-f64::from(step.at(t, i / 3)) * (i % 3 + 1) as f64).exp();
        let (least, most) = (0..seen.time)
            .map(decay)
            .fold((1.0f64, 0.0f64), |(least, most), v| (least.min(v), most.max(v)));
        assert!(
            (range[0] - least).abs() < 1e-6
                && (range[2] - most).abs() < 1e-6
                && range[0] < range[2],
            "{i}: {range:?}, {least}, {most}"
        );
    }
    let attention = drawn(SOFTMAX.of(Sizes { embed: 3, ..Sizes::NONE }), [3, 3], 1);
    let seen = insides::look(&attention, None, None);
    assert!(seen.memories.is_empty() && seen.states.is_empty());
    let p = named(&seen.gates, "attention weights p");
    let sums: Vec<f32> = (0..p.time).map(|t| (0..p.width).map(|s| p.at(t, s)).sum()).collect();
    assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
}

#[test]
fn eigenvalues_are_found_even_of_shifts() {
    for n in [3, 4, 7] {
        let shift = Matrix::from_fn(n, n, |i, j| f64::from(u8::from((i + 1) % n == j)));
        let values = linear::eigenvalues(&shift).expect("the iteration ends");
        assert!(
            values.len() == n && values.iter().all(|[re, im]| (re.hypot(*im) - 1.0).abs() < 1e-9),
            "{values:?}"
        );
    }
    assert_eq!(linear::eigenvalues(&Matrix::from_fn(2, 2, |_, _| f64::NAN)), None);
    assert_eq!(linear::eigenvalues(&Matrix::zeros(0, 0)), Some(vec![]));
}

#[test]
fn constructed_layers_are_said_to_compute_attention_and_why_not_is_said_elsewhere() {
    let teacher = Teacher::draw(teacher_kind(), 2);
    for layer in [Host::LruInOut, Host::Lstm] {
        let model = layers::construct(&teacher, layer, layer.epsilon()).unwrap().model();
        let mut seen: Insides = insides::look(&model, Some(&teacher), None);
        assert_eq!(seen.probe, Probing::Pending);
        seen.probe = insides::probe(&model, Some(&teacher), None, None);
        assert_eq!(seen.headline(), "This computes linear attention.", "{layer:?}");
        let product = seen
            .gates
            .iter()
            .filter(|trace| trace.range == Range::Gate)
            .map(Trace::swing)
            .fold(0.0, f32::max);
        assert!(
            layer == Host::Lstm || (product > 0.0 && product < 5e-3),
            "its gates are nearly straight: {product}"
        );
    }
    let lstm = LSTM.of(Sizes { hidden: 2, embed: 2, ..Sizes::NONE });
    let why =
        |model: &Model, teacher: Option<&Teacher>, origin: Option<Origin>| match insides::look(
            model, teacher, origin,
        )
        .probe
        {
            Probing::Impossible(reason) => {
                assert_eq!(
                    insides::probe(model, teacher, origin, None),
                    Probing::Impossible(reason.clone())
                );
                reason
            }
            other => panic!("{other:?}"),
        };
    assert!(why(&drawn(lstm, [3, 3], 1), None, None).contains("known attention layer"));
    assert!(why(&drawn(lstm, [4, 3], 1), Some(&teacher), None).contains("reads 4 values"));
    let mut broken = drawn(lstm, [3, 3], 1);
    broken.parameters[5] = f64::NAN;
    assert!(why(&broken, Some(&teacher), None).contains("not numbers"));
    let mut huge = drawn(DENSE.of(Sizes { hidden: 2, gates: 2, ..Sizes::NONE }), [3, 3], 1);
    huge.parameters.iter_mut().for_each(|v| *v *= 1e30);
    let said = insides::probe(&huge, Some(&teacher), None, None);
    assert!(
        matches!(&said, Probing::Impossible(reason) if reason.contains("beyond all numbers")),
        "{said:?}"
    );
}

#[test]
fn the_sequence_is_the_tasks_and_wide_layers_are_cut() {
    let regression = Regression { inputs: 2, outputs: 1, pairs: 9, noise: 0.0, variance: 1.0 };
    let gru = drawn(GRU.of(Sizes { hidden: 4, embed: 3, ..Sizes::NONE }), [3, 1], 1);
    let seen = insides::look(
        &gru,
        None,
        Some(Origin { task: Task::Regression(regression), time: 0, seed: 3 }),
    );
    assert_eq!((seen.time, seen.probe.clone()), (10, Probing::Pending));
    assert!(seen.sequence.contains("9 examples"));
    let x = tokens(3, Some(Origin { task: Task::Regression(regression), time: 0, seed: 3 }));
    assert!(x.at(9, 2) == 0.0 && x.at(8, 2) != 0.0, "the question has no y");
    let recall = drawn(GRU.of(Sizes { hidden: 4, embed: 3, ..Sizes::NONE }), [6, 3], 1);
    let seen = insides::look(
        &recall,
        None,
        Some(Origin { task: Task::Recall(Recall { pairs: 3 }), time: 0, seed: 3 }),
    );
    assert!(seen.time == 4 && matches!(seen.probe, Probing::Impossible(_)));
    let wide = drawn(MAMBA.of(Sizes { embed: 64, state: 32, ..Sizes::NONE }), [3, 3], 1);
    let seen = insides::look(&wide, None, None);
    assert_eq!(
        (seen.states[0].width, seen.states[0].of, seen.memories[0].now.len()),
        (MOST, 2048, MOST)
    );
}

#[test]
fn every_layer_has_insides_of_finite_numbers() {
    let sizes = Sizes { hidden: 3, gates: 4, embed: 4, layers: 2, state: 2, width: 5, side: false };
    for architecture in every(sizes) {
        let seen = insides::look(&drawn(architecture, [3, 3], 2), None, Some(origin(2)));
        assert!(!seen.gates.is_empty(), "{architecture:?}");
        for trace in seen.gates.iter().chain(&seen.states) {
            assert!(
                trace.largest() > 0.0
                    && trace.values.len() == trace.width * trace.time
                    && trace.values.iter().all(|v| v.is_finite()),
                "{}",
                trace.name
            );
            assert!(
                trace.range != Range::Gate || trace.values.iter().all(|v| (0.0..=1.0).contains(v)),
                "{}",
                trace.name
            );
        }
        for memory in &seen.memories {
            assert_eq!(
                Some(&memory.now),
                memory.initial.as_ref(),
                "trained for no step: {}",
                memory.name
            );
        }
        let bytes = postcard::to_stdvec(&seen).unwrap();
        assert_eq!(
            postcard::from_bytes::<Insides>(&bytes).unwrap(),
            seen,
            "between page and worker"
        );
    }
}
