//! Reverse rules in f64 against central differences, for each op in a network of its own and for
//! whole models; and what the CPU kernels compute against textbook loops.

#[path = "support/ops.rs"]
mod ops;

use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::graph::op::Kernel;
use gatelens::graph::params::ParamTable;
use gatelens::graph::{BufferId, Graph, Var, program::Program, vjp};
use gatelens::math::{largest, random};
use gatelens::model::{Architecture, Sizes, every, gated_diagonal::GATED};
use ops::{INPUTS, Network, OPS, OUTPUTS, training};

fn numbers(name: &str, count: usize) -> Vec<f64> {
    random::normals(11, name, count).into_iter().map(f64::from).collect()
}

struct Run {
    cpu: Cpu<f64>,
    program: Program,
    outputs: BufferId,
    targets: Vec<f64>,
}

impl Run {
    fn new(program: Program, outputs: &str) -> Self {
        let find = |name: &str| program.find(name).unwrap();
        let (x, y, outputs) = (find("x"), find("y"), find(outputs));
        let rows = program.batch * program.time;
        let targets = numbers("y", program.buffers[y.0].count());
        let mut cpu = Cpu::new(program.clone(), 1, u64::MAX).unwrap();
        cpu.write_exact(x, &numbers("x", rows * INPUTS));
        cpu.write_exact(y, &targets);
        Self { cpu, program, outputs, targets }
    }

    /// The loss in f64, from the outputs.
    fn loss(&mut self, parameters: &[f64]) -> f64 {
        self.cpu.write_exact(Graph::PARAMETERS, parameters);
        self.cpu.forward();
        let y = self.cpu.read_exact(self.outputs);
        y.iter().zip(&self.targets).map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / y.len() as f64
    }

    fn gradient(&mut self, parameters: &[f64]) -> Vec<f64> {
        self.loss(parameters);
        let (all, n) = (self.cpu.read_exact(Graph::GRADIENTS), parameters.len());
        (0..n).map(|i| (0..self.program.splits).map(|s| all[s * n + i]).sum()).collect()
    }
}

/// All gradients, and what central differences say that they are.
struct Check {
    table: ParamTable,
    gradient: Vec<f64>,
    differences: Vec<f64>,
}

impl Check {
    fn new(program: Program, outputs: &str) -> Self {
        let table = program.params.clone();
        let parameters: Vec<f64> = table.initial(3).into_iter().map(f64::from).collect();
        let mut run = Run::new(program, outputs);
        let gradient = run.gradient(&parameters);
        let mut slope = |i: usize| {
            let mut at = |step: f64| {
                let mut moved = parameters.clone();
                moved[i] += step;
                run.loss(&moved)
            };
            let step = 1e-4;
            (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step)
        };
        let differences = (0..parameters.len()).map(&mut slope).collect();
        Self { table, gradient, differences }
    }

    /// Worst ‖difference‖ / ‖gradient‖ over the parameter tensors.
    fn error(&self) -> f64 {
        let norm =
            |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        let error = |range: std::ops::Range<usize>| {
            let apart = |i: usize| self.gradient[i] - self.differences[i];
            norm(&mut range.clone().map(apart)) / norm(&mut range.map(|i| self.differences[i]))
        };
        largest(self.table.iter().map(|param| error(param.range())))
    }

    fn passes(&self) -> bool {
        self.error() <= 1e-6
    }
}

/// Checks each network at several sizes; returns the kernels of its programs.
fn check(networks: &[(String, impl Fn(&mut Graph, Var) -> Var)], outputs: &str) -> Vec<Kernel> {
    let mut kernels = vec![];
    for (name, network) in networks {
        for (batch, time) in [(1, 2), (3, 7), (40, 9)] {
            let program = training(batch, time, network);
            kernels.extend(program.calls.iter().map(|call| call.kernel));
            let check = Check::new(program, outputs);
            assert!(check.passes(), "{name}, batch {batch}, time {time}: {:.1e}", check.error());
        }
    }
    kernels
}

#[test]
fn each_op() {
    let checked = check(&ops(), "out");
    let missing: Vec<&Kernel> = Kernel::ALL
        .iter()
        .filter(|kernel| vjp::rule(**kernel).is_some() && !checked.contains(kernel))
        .collect();
    assert!(missing.is_empty(), "no network in tests/support/ops.rs has {missing:?}");
}

/// Every layer, over all time steps, and smaller with two layers over the last ones.
fn models() -> Vec<(String, impl Fn(&mut Graph, Var) -> Var)> {
    let one = Sizes { hidden: 5, gates: 4, embed: 4, layers: 1, state: 3, width: 5, side: false };
    let two = Sizes { hidden: 3, gates: 2, embed: 3, layers: 2, state: 2, width: 4, side: false };
    let model = |architecture: Architecture, parts: usize| {
        let network = move |g: &mut Graph, x: Var| {
            architecture.forward(g, x, OUTPUTS, g.time.div_ceil(parts))
        };
        (format!("{architecture:?}, the last 1/{parts}"), network)
    };
    let all = every(one).into_iter().map(|architecture| model(architecture, 1));
    all.chain(every(two).into_iter().map(|architecture| model(architecture, 2))).collect()
}

fn ops() -> Vec<(String, Network)> {
    OPS.iter().map(|(name, network)| ((*name).to_owned(), *network)).collect()
}

#[test]
fn each_model() {
    check(&models(), "readout");
}

/// A wrong number in one gradient of any parameter is seen.
fn notices(networks: &[(String, impl Fn(&mut Graph, Var) -> Var)], outputs: &str) {
    for (name, network) in networks {
        let mut check = Check::new(training(1, 2, network), outputs);
        assert!(check.passes(), "{name}");
        for param in check.table.clone().iter() {
            for wrong in [f64::NAN, f64::INFINITY, 1.0, -1.0] {
                let slot = param.range().start;
                let right = std::mem::replace(&mut check.gradient[slot], wrong);
                assert!(!check.passes(), "{name}: {wrong} in {} is not seen", param.name);
                check.gradient[slot] = right;
            }
        }
    }
}

#[test]
fn the_check_can_fail() {
    notices(&ops(), "out");
    notices(&models(), "readout");
}

#[test]
fn the_model_is_its_equation() {
    let (batch, time, n) = (2, 5, 4);
    let program = training(batch, time, |g, x| {
        GATED.of(Sizes { hidden: 4, gates: 3, ..Sizes::NONE }).forward(g, x, OUTPUTS, g.time)
    });
    let parameters: Vec<f64> = program.params.initial(3).into_iter().map(f64::from).collect();
    let table = program.params.clone();
    let mut run = Run::new(program, "readout");
    run.loss(&parameters);
    let weight = |name: &str| table.slice(&parameters, name);
    let times = |matrix: &[f64], vector: &[f64]| -> Vec<f64> {
        matrix
            .chunks(vector.len())
            .map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
            .collect()
    };
    let gate = |name: &str, v: &[f64]| -> Vec<f64> {
        let (a, b) =
            (times(weight(&format!("{name}.m")), v), times(weight(&format!("{name}.x")), v));
        a.iter().zip(b).map(|(a, b)| a * b).collect()
    };
    let x = numbers("x", batch * time * INPUTS);
    let mut expected = vec![];
    for sequence in x.chunks(time * INPUTS) {
        let mut h = vec![0.0; n];
        for token in sequence.chunks(INPUTS) {
            let u = gate("input_gate", &[token, &[1.0]].concat());
            for i in 0..n {
                h[i] = (-weight("nu")[i].exp()).exp() * h[i] + u[i];
            }
            expected.extend(times(weight("readout"), &gate("output_gate", &h)));
        }
    }
    let outputs = run.cpu.read_exact(run.outputs);
    let worst = largest(outputs.iter().zip(&expected).map(|(a, b)| (a - b).abs()));
    assert!(worst < 1e-12, "{worst:.1e}");
    // And a step of the whole program leaves the same outputs.
    run.cpu.set_clock(&gatelens::recipe::Recipe::default().plan().optimizer.clock(1, 0));
    run.cpu.advance(1).unwrap();
    assert_eq!(run.cpu.read_exact(run.outputs), outputs);
}
