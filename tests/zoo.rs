//! The layers that the gated RNN is compared with: what the reference numbers do not say. Mamba's
//! and attention's equations by textbook loops, where parameters start, and that saturated gates
//! stay numbers.

mod support;

use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::graph::params::ParamTable;
use gatelens::graph::{Graph, program::Program};
use gatelens::math::random;
use gatelens::model::Architecture;
use gatelens::model::Layer;
use gatelens::model::{
    LAYERS, Sizes,
    attention::{LINEAR, SOFTMAX},
    gated_dense::DENSE,
    gated_diagonal::GATED,
    gru::GRU,
    lru::{LRU, LRU_IN_OUT, LRU_MLP},
    lstm::LSTM,
    mamba::MAMBA,
};
use gatelens::recipe::Recipe;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::task::{Source, Teacher};
use gatelens::train::plan::Plan;
use std::f64::consts::PI;
use support::norm_error;

const BATCH: usize = 3;
const TIME: usize = 7;
const INPUTS: usize = 4;

/// ŷ of all steps on the CPU engine in doubles.
fn outputs(architecture: Architecture, parameters: &[f64], x: &[f64]) -> Vec<f64> {
    let mut graph = Graph::new(BATCH, TIME);
    let input = graph.input("x", INPUTS);
    let y = architecture.forward(&mut graph, input, INPUTS, TIME);
    let mut cpu = Cpu::<f64>::new(Program::forward(graph), 1, u64::MAX).unwrap();
    cpu.write_exact(Graph::PARAMETERS, parameters);
    cpu.write_exact(input.id(), x);
    cpu.forward();
    cpu.read_exact(y.id())
}

fn numbers(name: &str, count: usize) -> Vec<f64> {
    random::normals(5, name, count).into_iter().map(f64::from).collect()
}

/// A table, parameters that differ from their start everywhere, and tokens.
fn drawn(architecture: Architecture) -> (ParamTable, Vec<f64>, Vec<f64>) {
    let table = architecture.table(INPUTS, INPUTS);
    let noise = numbers("noise", table.len());
    let parameters = table
        .initial(5)
        .into_iter()
        .zip(noise)
        .map(|(v, noise)| f64::from(v) + 0.3 * noise)
        .collect();
    (table, parameters, numbers("x", BATCH * TIME * INPUTS))
}

fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix
        .chunks(vector.len())
        .map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn mamba_is_its_equation() {
    let (e, n) = (5, 3);
    let architecture = MAMBA.of(Sizes { embed: e, state: n, ..Sizes::NONE });
    let (table, parameters, x) = drawn(architecture);
    let w = |name: &str| table.slice(&parameters, name);
    let mut expected = vec![];
    for sequence in x.chunks(TIME * INPUTS) {
        let mut h = vec![vec![0.0; n]; e];
        for token in sequence.chunks(INPUTS) {
            let z = times(w("embed"), token);
            let (b, c) = (times(w("b"), &z), times(w("c"), &z));
            let side = times(w("side_gate"), &[z.as_slice(), &[1.0]].concat());
            let gated: Vec<f64> = (0..e)
                .map(|i| {
                    let step = (times(w("delta"), &z)[i] + w("delta_bias")[i]).exp().ln_1p();
                    for k in 0..n {
                        h[i][k] = (-step * w("a_log")[i * n + k].exp()).exp() * h[i][k]
                            + step * b[k] * z[i];
                    }
                    (dot(&c, &h[i]) + w("d")[i] * z[i]) * side[i] / (1.0 + (-side[i]).exp())
                })
                .collect();
            expected.extend(times(w("readout"), &gated));
        }
    }
    let error = norm_error(&outputs(architecture, &parameters, &x), &expected);
    assert!(error < 1e-13, "{error:.1e}");
}

#[test]
fn attention_is_its_equation() {
    for scores in [&SOFTMAX, &LINEAR] {
        let e = 5;
        let architecture = scores.of(Sizes { embed: e, ..Sizes::NONE });
        let (table, parameters, x) = drawn(architecture);
        let w = |name: &str| table.slice(&parameters, name);
        let mut expected = vec![];
        for sequence in x.chunks(TIME * INPUTS) {
            let seen: Vec<[Vec<f64>; 3]> = sequence
                .chunks(INPUTS)
                .map(|token| {
                    ["query", "key", "value"].map(|name| times(w(name), &times(w("embed"), token)))
                })
                .collect();
            for (t, [query, ..]) in seen.iter().enumerate() {
                let raw: Vec<f64> = seen[..=t].iter().map(|[_, key, _]| dot(query, key)).collect();
                let soft: Vec<f64> = raw.iter().map(|a| (a / (e as f64).sqrt()).exp()).collect();
                let weights = if scores == &LINEAR {
                    raw
                } else {
                    soft.iter().map(|p| p / soft.iter().sum::<f64>()).collect()
                };
                let y: Vec<f64> = (0..e)
                    .map(|i| weights.iter().zip(&seen).map(|(p, [.., value])| p * value[i]).sum())
                    .collect();
                expected.extend(times(w("readout"), &y));
            }
        }
        let error = norm_error(&outputs(architecture, &parameters, &x), &expected);
        assert!(error < 1e-13, "{scores:?}: {error:.1e}");
    }
}

#[test]
fn linear_attention_with_the_teachers_weights_is_the_teacher() {
    let teacher = Teacher::draw(
        TeacherKind { dim: INPUTS, ranks: [INPUTS; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        3,
    );
    let architecture = LINEAR.of(Sizes { embed: INPUTS, ..Sizes::NONE });
    let identity: Vec<f64> =
        (0..INPUTS * INPUTS).map(|i| f64::from(u8::from(i % (INPUTS + 1) == 0))).collect();
    let weight = |name: &str| match name {
        "query" => teacher.query.clone(),
        "key" => teacher.key.clone(),
        "value" => teacher.value.clone(),
        _ => identity.clone(),
    };
    let parameters: Vec<f64> =
        architecture.table(INPUTS, INPUTS).iter().flat_map(|param| weight(&param.name)).collect();
    let x = numbers("x", BATCH * TIME * INPUTS);
    let found = outputs(architecture, &parameters, &x);
    for (sequence, found) in x.chunks(TIME * INPUTS).zip(found.chunks(TIME * INPUTS)) {
        let (attention, values) = teacher.attention(sequence);
        let y = |t: usize, k: usize| {
            (0..=t).map(|s| attention[t * TIME + s] * values[s * INPUTS + k]).sum()
        };
        let expected: Vec<f64> = (0..TIME * INPUTS).map(|i| y(i / INPUTS, i % INPUTS)).collect();
        assert!(norm_error(found, &expected) < 1e-13);
    }
}

#[test]
fn parameters_start_where_the_literature_has_them() {
    let start = |architecture: Architecture, name: &str| {
        let table = architecture.table(INPUTS, INPUTS);
        let param = table.get(name).unwrap().clone();
        (
            table.initial(7)[param.range()].iter().copied().map(f64::from).collect::<Vec<f64>>(),
            param.decayed,
        )
    };
    let n = 6;
    let recurrent = [
        start(DENSE.of(Sizes { hidden: n, gates: 2, ..Sizes::NONE }), "recurrent"),
        start(LSTM.of(Sizes { hidden: n, embed: 3, ..Sizes::NONE }), "weight_hh"),
        start(GRU.of(Sizes { hidden: n, embed: 3, ..Sizes::NONE }), "weight_hh"),
    ];
    for (blocks, (matrix, decayed)) in [1, 4, 3].into_iter().zip(recurrent) {
        assert!(decayed && matrix.len() == blocks * n * n);
        for block in matrix.chunks(n * n) {
            for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
                let product = dot(&block[i * n..(i + 1) * n], &block[j * n..(j + 1) * n]);
                assert!(
                    (product - f64::from(u8::from(i == j))).abs() < 1e-6,
                    "rows {i} and {j}: {product}"
                );
            }
        }
    }
    let (bias, _) = start(LSTM.of(Sizes { hidden: n, embed: 3, ..Sizes::NONE }), "bias");
    assert!(
        (0..4 * n).all(|i| bias[i] == f64::from(u8::from((n..2 * n).contains(&i)))),
        "1 at the forget gate"
    );
    let lru = LRU.of(Sizes { hidden: 400, embed: 3, layers: 2, ..Sizes::NONE });
    for prefix in ["", "layer2."] {
        let [nu, theta, gamma] =
            ["nu", "theta", "gamma_log"].map(|name| start(lru, &format!("{prefix}{name}")));
        assert!(!(nu.1 || theta.1 || gamma.1), "not decayed");
        let radii: Vec<f64> = nu.0.iter().map(|nu| (-nu.exp()).exp()).collect();
        assert!(
            radii
                .iter()
                .zip(&gamma.0)
                .all(|(r, gamma)| ((1.0 - r * r).sqrt() / gamma.exp() - 1.0).abs() < 1e-3),
            "γ = √(1 − |λ|²)"
        );
        let inside = radii.iter().filter(|r| **r < 0.5f64.sqrt()).count();
        assert!((160..240).contains(&inside), "half of the disk's area has {inside} of 400");
        let low = theta.0.iter().filter(|theta| theta.exp() < 0.05 * PI).count();
        assert!(
            theta.0.iter().all(|theta| theta.exp() < 0.1001 * PI) && (160..240).contains(&low),
            "phases up to π/10, {low} of 400 in the lower half"
        );
    }
    assert_ne!(start(lru, "nu").0, start(lru, "layer2.nu").0);
    let mamba = MAMBA.of(Sizes { embed: 50, state: 4, ..Sizes::NONE });
    let (a_log, decayed) = start(mamba, "a_log");
    assert!(
        !decayed
            && a_log.chunks(4).all(|row| row.iter().zip([1.0, 2.0, 3.0, 4.0]).all(|(a, k)| (a
                .exp()
                - k)
                .abs()
                < 1e-6))
    );
    let steps: Vec<f64> =
        start(mamba, "delta_bias").0.iter().map(|bias| bias.exp().ln_1p()).collect();
    assert!(
        steps.iter().all(|step| (0.000_999..0.1001).contains(step))
            && (10..40).contains(&steps.iter().filter(|step| **step < 0.01).count())
    );
}

/// One training step on inputs of ±`size`: outputs, gradients, and whether the loss was a number.
fn saturated(
    architecture: Architecture,
    size: f32,
    make: &dyn Fn(Program) -> Box<dyn Backend>,
) -> ([Vec<f64>; 2], bool) {
    let mut graph = Graph::new(BATCH, TIME);
    let x = graph.input("x", INPUTS);
    let prediction = architecture.forward(&mut graph, x, INPUTS, TIME);
    let y = graph.input("y", INPUTS);
    graph.squared_error(prediction, y, false);
    let program = Program::training(graph);
    let parameters = program.params.initial(7);
    let mut backend = make(program);
    backend.write(Graph::PARAMETERS, &parameters);
    let signs =
        random::normals(5, "x", BATCH * TIME * INPUTS).into_iter().map(|v| size.copysign(v));
    backend.write(x.id(), &signs.collect::<Vec<f32>>());
    backend.set_clock(&gatelens::train::optimizer::data_clock(1, 0));
    backend.advance(1).unwrap();
    backend.request(prediction.id());
    backend.request(Graph::GRADIENTS);
    let (mut found, mut is_number) = ([vec![], vec![]], true);
    while found.iter().any(Vec::is_empty) {
        if let Some(progress) = backend.poll().unwrap() {
            is_number &= progress.halted_at.is_none();
            for (found, id) in found.iter_mut().zip([prediction.id(), Graph::GRADIENTS]) {
                found
                    .extend(progress.tensor(id).unwrap_or_default().iter().copied().map(f64::from));
            }
        }
        std::thread::yield_now();
    }
    (found, is_number)
}

fn stays_finite(make: &dyn Fn(Program) -> Box<dyn Backend>) {
    let double =
        |program| -> Box<dyn Backend> { Box::new(Cpu::<f64>::new(program, 1, u64::MAX).unwrap()) };
    let lru = |layers, mixing: &'static Layer| {
        mixing.of(Sizes { hidden: 5, embed: 4, layers, width: 6, ..Sizes::NONE })
    };
    let attention = |scores: &'static Layer| scores.of(Sizes { embed: 4, ..Sizes::NONE });
    let mamba = MAMBA.of(Sizes { embed: 4, state: 3, ..Sizes::NONE });
    let gated = [
        GATED.of(Sizes { hidden: 5, gates: 4, ..Sizes::NONE }),
        GATED.of(Sizes { hidden: 5, side: true, ..Sizes::NONE }),
        DENSE.of(Sizes { hidden: 5, gates: 4, ..Sizes::NONE }),
    ];
    let others = [
        LSTM.of(Sizes { hidden: 5, embed: 4, ..Sizes::NONE }),
        GRU.of(Sizes { hidden: 5, embed: 4, ..Sizes::NONE }),
        attention(&SOFTMAX),
        attention(&LINEAR),
    ];
    let stacks = [1, 3]
        .into_iter()
        .flat_map(|layers| [&LRU, &LRU_IN_OUT, &LRU_MLP].map(|mixing| lru(layers, mixing)));
    let large =
        gated.into_iter().chain(others).chain(stacks).map(|architecture| (architecture, 1e4));
    for (architecture, size) in large.chain([(mamba, 1e3)]) {
        let ([outputs, gradients], is_number) = saturated(architecture, size, make);
        assert!(is_number, "{architecture:?}");
        assert!(
            outputs.iter().chain(&gradients).all(|v| v.is_finite()),
            "{architecture:?}: {outputs:?} {gradients:?}"
        );
        assert!(gradients.iter().any(|v| *v != 0.0), "{architecture:?} has no gradient at all");
        let ([expected, slopes], _) = saturated(architecture, size, &double);
        let [error, off] = [norm_error(&outputs, &expected), norm_error(&gradients, &slopes)];
        assert!(
            error < 1e-4 && off < 1e-4,
            "{architecture:?}: outputs are off by {error:.1e}, gradients by {off:.1e}"
        );
    }
    // ŷ is of degree 5 in x, the squared error of degree 10: at 1e4 that is beyond float32, and the
    // engine says so. ŷ itself is not.
    let ([outputs, _], is_number) = saturated(mamba, 1e4, make);
    let ([expected, _], _) = saturated(mamba, 1e4, &double);
    assert!(norm_error(&outputs, &expected) < 1e-4 && !is_number, "{outputs:?}");
}

#[test]
fn saturated_inputs_stay_finite_on_the_cpu() {
    stays_finite(&|program| Box::new(Cpu::<f32>::new(program, 1, u64::MAX).unwrap()));
}

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

#[cfg(feature = "gpu")]
#[test]
fn saturated_inputs_stay_finite_on_the_gpu() {
    if let Some(context) = device::context() {
        stays_finite(&|program| {
            Box::new(gatelens::backend::gpu::Gpu::new(&context, program).unwrap())
        });
    }
}

/// Mean losses of the first and the last steps of a short training on the attention teacher.
fn learned(architecture: Architecture) -> [f32; 2] {
    let recipe = Recipe {
        dim: 2,
        time: 8,
        batch: 32,
        steps: 800,
        learning_rate: 1e-2,
        mask_at: 0.0,
        ..Recipe::default()
    };
    let plan = Plan { architecture, ..recipe.plan() };
    let program = plan.program();
    let parameters = program.params.initial(plan.seed);
    let mut cpu = Cpu::<f32>::new(program, 1, u64::MAX).unwrap();
    cpu.write(Graph::PARAMETERS, &parameters);
    plan.write_constants(&mut cpu, 0, Source::default());
    cpu.set_clock(&plan.optimizer.clock(plan.seed, 0));
    cpu.advance(recipe.steps).unwrap();
    let losses: Vec<f32> =
        cpu.poll().unwrap().unwrap().losses.iter().map(|step| step.loss / step.power).collect();
    assert_eq!(losses.len(), 800, "{architecture:?}");
    [&losses[..20], &losses[750..]].map(|part| part.iter().sum::<f32>() / part.len() as f32)
}

#[test]
fn every_layer_learns_the_teacher() {
    let lru = |layers, mixing: &'static Layer| {
        mixing.of(Sizes { hidden: 8, embed: 12, layers, width: 12, ..Sizes::NONE })
    };
    let attention = |scores: &'static Layer| scores.of(Sizes { embed: 8, ..Sizes::NONE });
    // nMSE of 1 is what answering 0 gets.
    let cases = [
        (DENSE.of(Sizes { hidden: 10, gates: 8, ..Sizes::NONE }), 0.3),
        (LSTM.of(Sizes { hidden: 16, embed: 8, ..Sizes::NONE }), 0.5),
        (GRU.of(Sizes { hidden: 16, embed: 8, ..Sizes::NONE }), 0.5),
        (lru(2, &LRU), 0.3),
        (lru(1, &LRU_IN_OUT), 0.3),
        (lru(1, &LRU_MLP), 0.5),
        (MAMBA.of(Sizes { embed: 8, state: 4, ..Sizes::NONE }), 0.3),
        (attention(&SOFTMAX), 0.75),
        (attention(&LINEAR), 1e-6),
    ];
    for layer in LAYERS.iter().filter(|layer| !layer.reducible) {
        let is_tried = cases.iter().any(|(architecture, _)| architecture.layer == *layer);
        assert!(is_tried, "what should {} learn?", layer.title);
    }
    for (architecture, bound) in cases {
        let [first, last] = learned(architecture);
        assert!(last < bound, "{architecture:?}: {first} → {last}");
    }
}
