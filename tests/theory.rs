//! The constructions against an independent implementation (`tests/reference/`) and against their
//! teacher: counts, outputs in f64, on the CPU engine and on the GPU; where one does not apply it
//! says so.

mod support;

use gatelens::analysis::dissection;
use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::graph::{Graph, program::Program};
use gatelens::math::matrix::Matrix;
use gatelens::model::Network;
use gatelens::named::Named;
use gatelens::recipe::checkpoint::{self, Checkpoint};
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::theory::ablation::Ablation;
use gatelens::theory::{Construction, Part, Variant, attention, construct, cost, ranks};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use std::path::Path;
use support::norm_error;

/// A case of the reference: what it is, its file as a checkpoint, its sequences.
struct Case {
    id: String,
    variant: Variant,
    index: Value,
    file: Checkpoint,
    teacher: Teacher,
    time: usize,
    x: Matrix,
    y: Matrix,
}

impl Case {
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
        let index: Value =
            serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap();
        let cases: Vec<Self> = index["cases"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|case| case["kind"] == "construction")
            .map(|case| Self::read(&folder, case))
            .collect();
        assert_eq!(cases.len(), 20, "five kinds, d = 2 to 5");
        cases
    }

    fn read(folder: &Path, index: &Value) -> Self {
        let id = index["id"].as_str().unwrap().to_owned();
        let bytes = std::fs::read(folder.join(index["file"].as_str().unwrap())).unwrap();
        let file = checkpoint::read(&id, &bytes).unwrap();
        let [x, y] = ["inputs", "teacher_outputs"].map(|name| sequences(&bytes, name));
        let variant = match index["construction"].as_str().unwrap() {
            "side_gating" => Variant::Side,
            other => Variant::from_key(&other.replace('_', "-")).unwrap(),
        };
        let time = index["sizes"]["T"].as_u64().unwrap() as usize;
        let teacher = file.teacher.clone().unwrap();
        Self { id, variant, index: index.clone(), file, teacher, time, x, y }
    }

    fn result(&self, name: &str) -> usize {
        self.index["results"][name].as_u64().unwrap() as usize
    }

    fn ours(&self) -> Construction {
        construct(&self.teacher, self.variant)
            .unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }
}

/// `[batch · time, width]` of a tensor `[batch, time, width]` in doubles.
fn sequences(bytes: &[u8], name: &str) -> Matrix {
    let tensors = SafeTensors::deserialize(bytes).unwrap();
    let view = tensors.tensor(name).unwrap();
    assert_eq!(view.dtype(), Dtype::F64);
    let data: Vec<f64> =
        view.data().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    let width = *view.shape().last().unwrap();
    Matrix::new(data.len() / width, width, data)
}

/// The largest difference of two matrices; infinite if anything is not finite.
fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows, a.columns), (b.rows, b.columns));
    let difference =
        |(a, b): (&f64, &f64)| if (a - b).is_finite() { (a - b).abs() } else { f64::INFINITY };
    a.data.iter().zip(&b.data).map(difference).fold(0.0, f64::max)
}

/// What an f32 engine answers.
fn run(
    network: &Network,
    x: &Matrix,
    time: usize,
    open: impl Fn(Program) -> Box<dyn Backend>,
) -> Vec<f64> {
    let mut graph = Graph::new(x.rows / time, time);
    let input = graph.input("x", network.inputs());
    network.architecture().forward(&mut graph, input, network.outputs(), time);
    let program = Program::forward(graph);
    let find = |name: &str| program.find(name).unwrap();
    let (x_buffer, y_buffer) = (find("x"), find("readout"));
    let mut backend = open(program);
    backend.write(Graph::PARAMETERS, &network.to_parameters());
    backend.write(x_buffer, &x.data.iter().map(|&v| v as f32).collect::<Vec<_>>());
    backend.advance(1).unwrap();
    backend.request(y_buffer);
    loop {
        if let Some(y) =
            backend.poll().unwrap().as_ref().and_then(|progress| progress.tensor(y_buffer))
        {
            return y.iter().copied().map(f64::from).collect();
        }
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
}

fn on_cpu(program: Program) -> Box<dyn Backend> {
    Box::new(Cpu::<f32>::new(program, 1, u64::MAX).unwrap())
}

fn teacher(dim: usize, rank: usize, spectrum: Spectrum, seed: u32) -> Teacher {
    Teacher::draw(TeacherKind { dim, ranks: [rank; 3], spectrum, gain: 1.0 }, seed)
}

#[test]
fn counts_are_those_of_the_reference() {
    for case in Case::all() {
        let (ours, d) = (case.ours(), case.teacher.dim);
        assert_eq!(
            (ours.network.hidden(), ours.network.gates()),
            (case.result("n"), case.result("m")),
            "{}",
            case.id
        );
        assert_eq!(ours.network.parameter_count(), case.result("parameter_count"), "{}", case.id);
        assert_eq!(cost::attention(d), case.result("teacher_parameter_count"), "{}", case.id);
        let cost = cost::cost(case.variant, d, ranks(&case.teacher));
        assert_eq!(
            (cost.hidden(), cost.gates, cost.parameters),
            (case.result("n"), case.result("m"), case.result("parameter_count")),
            "{}",
            case.id
        );
        assert_eq!(ours.counts(), (cost.accumulators, cost.queries), "{}", case.id);
        let numbers = [
            "input_gate.m",
            "input_gate.x",
            "output_gate.m",
            "output_gate.x",
            "side_gate",
            "readout",
        ];
        let nonzero = |network: &Network| {
            numbers
                .iter()
                .filter_map(|name| network.parameter(name))
                .flatten()
                .filter(|v| *v != 0.0)
                .count()
        };
        assert_eq!(
            nonzero(&ours.network),
            case.result("nonzero_parameters_without_nu"),
            "{}",
            case.id
        );
    }
}

#[test]
fn outputs_are_the_teachers() {
    for case in Case::all() {
        let error =
            largest_difference(&case.ours().network.outputs_of(&case.x, case.time), &case.y);
        assert!(error < 1e-10, "{}: ours is off by {error:e}", case.id);
        let error = largest_difference(
            &case.file.gated(&case.id).unwrap().outputs_of(&case.x, case.time),
            &case.y,
        );
        assert!(error < 1e-10, "{}: the file's network is off by {error:e}", case.id);
        let error =
            largest_difference(&attention::outputs(&case.teacher, &case.x, case.time), &case.y);
        assert!(error < 1e-10, "{}: our attention is off by {error:e}", case.id);
    }
}

#[test]
fn the_comparison_can_fail() {
    for case in Case::all() {
        let mut network = case.ours().network;
        let last = network.readout.data.len() - 1;
        network.readout.data[last] += 1e-6;
        assert!(
            largest_difference(&network.outputs_of(&case.x, case.time), &case.y) > 1e-10,
            "{}: a perturbed readout goes unseen",
            case.id
        );
        let forgetful =
            Ablation { accumulator_lambda: 1.0 - 1e-6, ..Ablation::default() }.apply(&case.ours());
        assert!(
            largest_difference(&forgetful.outputs_of(&case.x, case.time), &case.y) > 1e-10,
            "{}: forgetting goes unseen",
            case.id
        );
    }
    let nothing = Matrix::new(1, 1, vec![f64::NAN]);
    assert_eq!(largest_difference(&nothing, &nothing), f64::INFINITY);
}

#[test]
fn the_cpu_engine_computes_them_too() {
    for case in Case::all() {
        for network in [&case.ours().network, &case.file.gated(&case.id).unwrap()] {
            let error = norm_error(&run(network, &case.x, case.time, on_cpu), &case.y.data);
            assert!(error < 1e-4, "{}: off by {error:e}", case.id);
        }
        let mut perturbed = case.ours().network;
        perturbed.input_m.data[0] += 0.1;
        assert!(
            norm_error(&run(&perturbed, &case.x, case.time, on_cpu), &case.y.data) > 1e-4,
            "{}: a perturbed weight goes unseen",
            case.id
        );
    }
}

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

#[cfg(feature = "gpu")]
#[test]
fn the_gpu_computes_them_too() {
    let Some(context) = device::context() else { return };
    for case in Case::all() {
        let on_gpu = |program| {
            Box::new(gatelens::backend::gpu::Gpu::new(&context, program).unwrap())
                as Box<dyn Backend>
        };
        let error =
            norm_error(&run(&case.ours().network, &case.x, case.time, on_gpu), &case.y.data);
        assert!(error < 1e-4, "{}: off by {error:e}", case.id);
    }
}

#[test]
fn any_width_rank_and_spectrum_is_exact() {
    for (d, rank, spectrum) in [
        (1, 1, Spectrum::Gaussian),
        (2, 2, Spectrum::Orthogonal),
        (6, 6, Spectrum::Gaussian),
        (7, 3, Spectrum::Gaussian),
        (8, 8, Spectrum::Orthogonal),
        (5, 1, Spectrum::Orthogonal),
    ] {
        for &variant in Variant::ALL {
            let teacher = teacher(d, rank, spectrum, 11);
            let needs_inverse = matches!(variant, Variant::Symmetric | Variant::SymmetricShared);
            match construct(&teacher, variant) {
                Ok(construction) => {
                    let error = construction.max_error(&teacher, 3, [4, 32]);
                    assert!(error < 1e-10, "{variant:?} d = {d}, rank {rank}: {error:e}");
                    assert!(rank == d || !needs_inverse, "{variant:?} of rank {rank}");
                }
                Err(error) => assert!(rank < d && needs_inverse, "{variant:?} d = {d}: {error}"),
            }
        }
    }
}

#[test]
fn names_say_what_neurons_and_gates_hold() {
    let teacher = teacher(3, 3, Spectrum::Orthogonal, 7);
    let shared = construct(&teacher, Variant::SymmetricShared).unwrap();
    let names: Vec<&str> = shared.neurons.iter().map(|neuron| neuron.name.as_str()).collect();
    assert_eq!(names, ["S'₁₁", "S'₁₂", "S'₁₃", "S'₂₂", "S'₂₃", "S'₃₃", "q'₁", "q'₂", "q'₃"]);
    let gates: Vec<String> =
        shared.gates.iter().map(|gate| format!("{} | {}", gate.memory, gate.query)).collect();
    assert_eq!(gates[..3], ["S'₁₁ − S'₁₂ − S'₁₃ | q'₁", "S'₁₂ | q'₁ + q'₂", "S'₁₃ | q'₁ + q'₃"]);
    assert_eq!(shared.gates[0].neurons, [0, 1, 2, 6]);
    let naive = construct(&teacher, Variant::Naive).unwrap();
    assert_eq!(
        (naive.neurons[5].name.as_str(), naive.neurons[5].factors.clone()),
        ("S₂₃", ["v₂".into(), "k₃".into()])
    );
    // What an accumulator is named after is what it holds.
    let x = Matrix::new(
        6,
        3,
        gatelens::math::random::normals(5, "x", 18).into_iter().map(f64::from).collect(),
    );
    let (states, moments) = (naive.network.states(&x, 6), attention::unroll(&teacher, &x));
    for (i, neuron) in naive.neurons.iter().enumerate() {
        let expected = match neuron.part {
            Part::Accumulator { row, column } => moments[5].memory.at(row, column),
            Part::Query(j) => moments[5].query[j],
        };
        assert!((states.at(5, i) - expected).abs() < 1e-12, "{}", neuron.name);
    }
}

#[test]
fn what_does_not_apply_is_said() {
    let flat = teacher(4, 2, Spectrum::Gaussian, 1);
    for variant in [Variant::Symmetric, Variant::SymmetricShared] {
        let error = construct(&flat, variant).unwrap_err().to_string();
        assert!(
            error.contains(variant.key())
                && error.contains("smallest singular value is")
                && error.contains("W_V has rank 2 of 4")
                && error.contains("low-rank"),
            "{error}"
        );
    }
    let mut silent = teacher(3, 3, Spectrum::Orthogonal, 1);
    silent.value.fill(0.0);
    let error = construct(&silent, Variant::LowRank).unwrap_err().to_string();
    assert!(error.contains("W_V of rank 0") && error.contains("use naive"), "{error}");
    assert!(
        construct(&silent, Variant::Symmetric).unwrap_err().to_string().contains("use naive"),
        "no rank to build on"
    );
    assert_eq!(
        construct(&silent, Variant::Naive).unwrap().max_error(&silent, 1, [2, 8]),
        0.0,
        "naive needs nothing"
    );
    silent.key[0] = f64::NAN;
    assert!(construct(&silent, Variant::LowRank).unwrap_err().to_string().contains("finite"));
    assert!(
        Variant::parse("variant", "side-gate")
            .unwrap_err()
            .to_string()
            .contains("naive, symmetric, symmetric-shared, low-rank, side")
    );
}

#[test]
fn each_ablation_breaks_it() {
    let teacher = teacher(3, 3, Spectrum::Orthogonal, 7);
    let x = Matrix::new(
        12,
        3,
        gatelens::math::random::normals(2, "x", 36).into_iter().map(f64::from).collect(),
    );
    let y = attention::outputs(&teacher, &x, 12);
    for &variant in Variant::ALL {
        let construction = construct(&teacher, variant).unwrap();
        let error = |ablation: Ablation| {
            ablation.apply(&construction).outputs_of(&x, 12).relative_change(&y)
        };
        assert!(error(Ablation::default()) < 1e-12);
        assert!(
            error(Ablation { accumulator_lambda: 0.9, ..Ablation::default() }) > 0.05,
            "{variant:?}"
        );
        assert!(
            error(Ablation { accumulator_lambda: 0.5, ..Ablation::default() })
                > error(Ablation { accumulator_lambda: 0.9, ..Ablation::default() }),
            "{variant:?}"
        );
        for neuron in 0..construction.neurons.len() {
            assert!(
                error(Ablation { dropped: Some(neuron), ..Ablation::default() }) > 1e-3,
                "{variant:?} without {}",
                construction.neurons[neuron].name
            );
        }
        let has_queries = variant != Variant::Side;
        assert_eq!(
            error(Ablation { query_lambda: 0.5, ..Ablation::default() }) > 0.05,
            has_queries,
            "{variant:?}"
        );
        assert_eq!(
            error(Ablation { constant: false, ..Ablation::default() }) > 0.99,
            has_queries,
            "only queries need the constant: {variant:?}"
        );
    }
}

/// What [`cost::fewest`] counts is what the exact minimal realisation of the low-rank construction
/// keeps, at all ranks of the three matrices.
#[test]
fn the_fewest_neurons_are_those_of_the_minimal_realisation() {
    let (mut compared, mut saved) = (0, 0);
    for d in 1..=4 {
        for ranks in (0..d * d * d).map(|i| [i / (d * d) + 1, i / d % d + 1, i % d + 1]) {
            for spectrum in [Spectrum::Gaussian, Spectrum::Orthogonal] {
                let teacher = Teacher::draw(TeacherKind { dim: d, ranks, spectrum, gain: 1.0 }, 3);
                let wanted = cost::Ranks::from(ranks);
                // Truncated orthogonal matrices keep some directions of the axes, so now and then
                // they are not in general position.
                let is_general = ranks_of_parts(&teacher)
                    == (wanted.value, wanted.key_query, d.min(wanted.value + wanted.key_query));
                assert!(is_general || spectrum == Spectrum::Orthogonal, "d = {d}, {ranks:?}");
                let construction = construct(&teacher, Variant::LowRank).unwrap();
                let settings =
                    dissection::Settings { threshold: 0.0, ..dissection::Settings::default() };
                let minimal = dissection::dissect(&construction.network, Some(&teacher), &settings)
                    .stages
                    .pop()
                    .unwrap();
                assert!(minimal.change < 1e-8, "d = {d}, {ranks:?}: {}", minimal.change);
                let count =
                    |lambda: f64| minimal.network.lambda.iter().filter(|&&l| l == lambda).count();
                let (found, fewest) = ((count(1.0), count(0.0)), cost::fewest(d, ranks, false));
                if is_general {
                    assert_eq!(found, fewest, "d = {d}, {ranks:?}, {spectrum:?}");
                    compared += 1;
                    saved += usize::from(fewest.0 < wanted.value * wanted.key_query);
                    assert!(minimal.gates.len() <= wanted.value * wanted.key_query);
                } else {
                    assert!(
                        found.0 <= fewest.0 && found.1 <= fewest.1,
                        "d = {d}, {ranks:?}: {found:?}"
                    );
                }
            }
        }
    }
    assert!(compared > 150 && saved > 30, "{compared}, of which {saved} share products");
}

/// Of W_V, of W_Kᵀ W_Q, and of their rows' and columns' span together: by Gram–Schmidt on what they
/// read.
fn ranks_of_parts(teacher: &Teacher) -> (usize, usize, usize) {
    let matrix = |numbers: &[f64]| Matrix::new(teacher.dim, teacher.dim, numbers.to_vec());
    let value = matrix(&teacher.value);
    let keys = matrix(&teacher.key).transpose().times(&matrix(&teacher.query)).transpose(); // a row a query's entry, over what keys read
    let rank = |rows: &[Vec<f64>]| {
        let mut basis: Vec<Vec<f64>> = vec![];
        for row in rows {
            let mut rest = row.clone();
            for other in basis.iter().chain(&basis) {
                let share: f64 = rest.iter().zip(other).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(other).for_each(|(r, o)| *r -= share * o);
            }
            let size = rest.iter().map(|v| v * v).sum::<f64>().sqrt();
            if size > 1e-9 {
                basis.push(rest.into_iter().map(|v| v / size).collect());
            }
        }
        basis.len()
    };
    let rows = |a: &Matrix| -> Vec<Vec<f64>> { (0..a.rows).map(|i| a.row(i).to_vec()).collect() };
    (rank(&rows(&value)), rank(&rows(&keys)), rank(&[rows(&value), rows(&keys)].concat()))
}
