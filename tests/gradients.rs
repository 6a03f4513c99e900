//! Reverse rules in f64 against central differences, for each op in a model of its own and for both
//! whole models; and what the CPU kernels compute against textbook loops.

use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::graph::{
    BufferId, Graph, Var,
    op::{activation::Function, attention::Scores},
    params::Init,
    program::Program,
};
use gatelens::math::random;
use gatelens::model::{Architecture, Mixing};

const INPUTS: usize = 3;
const OUTPUTS: usize = 2;

/// A training of `model` on inputs and targets that the host writes.
fn training(batch: usize, time: usize, model: impl FnOnce(&mut Graph, Var) -> Var) -> Program {
    let mut graph = Graph::new(batch, time);
    let x = graph.input("x", INPUTS);
    let prediction = model(&mut graph, x);
    let y = graph.input_of("y", graph.time_of(prediction), OUTPUTS);
    graph.squared_error(prediction, y, false);
    Program::training(graph)
}

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

/// Worst ‖difference‖ / ‖gradient‖ over the parameter tensors.
fn worst_error(program: Program, outputs: &str, spoil: f64) -> f64 {
    let table = program.params.clone();
    let parameters: Vec<f64> = table.initial(3).into_iter().map(f64::from).collect();
    let mut run = Run::new(program, outputs);
    let mut gradient = run.gradient(&parameters);
    gradient[0] += spoil;
    let mut differences = vec![0.0; parameters.len()];
    for (i, slot) in differences.iter_mut().enumerate() {
        let mut at = |step: f64| {
            let mut moved = parameters.clone();
            moved[i] += step;
            run.loss(&moved)
        };
        let step = 1e-4;
        *slot = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
    }
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let error = |range: std::ops::Range<usize>| {
        let difference = norm(&mut range.clone().map(|i| gradient[i] - differences[i]));
        difference / norm(&mut range.map(|i| differences[i]))
    };
    table.iter().map(|param| error(param.range())).fold(0.0, f64::max)
}

#[test]
fn each_op_and_each_model() {
    type Model = fn(&mut Graph, Var) -> Var;
    let cases: &[(&str, &str, Model)] = &[
        ("linear", "out", |g, x| g.linear("out", x, OUTPUTS)),
        ("linear with constant, through linear", "out", |g, x| {
            let h = g.linear("first", x.with_constant(), 5);
            g.linear("out", h, OUTPUTS)
        }),
        ("bilinear", "out", |g, x| {
            let h = g.bilinear("first", x.with_constant(), 5);
            g.bilinear("out", h, OUTPUTS)
        }),
        ("hadamard", "out", |g, x| {
            let (a, b) = (g.linear("a", x, 4), g.linear("b", x.with_constant(), 4));
            let product = g.hadamard("product", a, b);
            g.linear("out", product, OUTPUTS)
        }),
        ("diagonal scan", "out", |g, x| {
            let u = g.linear("in", x, 4);
            let h = g.diagonal_scan("nu", u);
            g.linear("out", h, OUTPUTS)
        }),
        ("one value used twice", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let (a, b) = (g.linear("a", h, 3), g.bilinear("b", h, 3));
            let product = g.hadamard("product", a, b);
            g.linear("out", product, OUTPUTS)
        }),
        ("gated diagonal", "readout", |g, x| {
            Architecture::GatedDiagonal { hidden: 5, gates: 4 }.forward(g, x, OUTPUTS, g.time)
        }),
        ("gated side", "readout", |g, x| {
            Architecture::GatedSide { hidden: 5 }.forward(g, x, OUTPUTS, g.time)
        }),
        ("gated diagonal, last step", "readout", |g, x| {
            Architecture::GatedDiagonal { hidden: 5, gates: 4 }.forward(g, x, OUTPUTS, 1)
        }),
        ("gated side, last steps", "readout", |g, x| {
            Architecture::GatedSide { hidden: 5 }.forward(g, x, OUTPUTS, g.time.div_ceil(2))
        }),
        ("the end of a value, and all of it", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let (end, sum) = (g.last(h, 1), g.diagonal_scan("nu", h));
            let sum = g.last(sum, 1);
            let product = g.hadamard("product", end, sum);
            g.linear("out", product, OUTPUTS)
        }),
    ];
    for (name, outputs, model) in cases {
        for (batch, time) in [(1, 1), (3, 7), (40, 9)] {
            if time == 1
                && (name.contains("scan")
                    || name.starts_with("gated")
                    || name.starts_with("the end"))
            {
                continue; // λ has no effect on a single token
            }
            let error = worst_error(training(batch, time, model), outputs, 0.0);
            assert!(error <= 1e-6, "{name}, batch {batch}, time {time}: {error:.1e}");
        }
    }
}

#[test]
fn each_op_and_each_layer_of_the_zoo() {
    type Model = fn(&mut Graph, Var) -> Var;
    let cases: &[(&str, &str, Model)] = &[
        ("bias, scale, add", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let (a, b) = (
                g.bias("b", h, Init::Normal { fan_in: 1 }),
                g.scale("d", h, Init::Normal { fan_in: 1 }),
            );
            let sum = g.add("sum", a, b);
            g.linear("out", sum, OUTPUTS)
        }),
        ("one value twice in a sum and in a product", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let (sum, square) = (g.add("sum", h, h), g.hadamard("square", h, h));
            let both = g.add("both", sum, square);
            g.linear("out", both, OUTPUTS)
        }),
        ("every nonlinearity of one value", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let [a, b, c, d] =
                [Function::Sigmoid, Function::Gelu, Function::Silu, Function::Softplus]
                    .map(|f| g.apply("f", f, h));
            let (left, right) = (g.hadamard("left", a, b), g.hadamard("right", c, d));
            let sum = g.add("sum", left, right);
            g.linear("out", sum, OUTPUTS)
        }),
        ("selective scan, one value in three roles", "out", |g, x| {
            let (h, c) = (g.linear("in", x, 4), g.linear("c", x, 4));
            let step = g.apply("step", Function::Softplus, h);
            let states = g.selective_scan("a_log", [h, step, h]);
            let y = g.contract("read", states, c);
            g.linear("out", y, OUTPUTS)
        }),
        ("attention of one value to itself", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let (a, b) = (
                g.attention("softmax", [h, h, h], Scores::Softmax),
                g.attention("linear", [h, h, h], Scores::Linear),
            );
            let sum = g.add("sum", a, b);
            g.linear("out", sum, OUTPUTS)
        }),
        ("every recurrence of one value", "out", |g, x| {
            let h = g.linear("in", x, 4);
            let (a, b, c) =
                (g.diagonal_scan("diagonal", h), g.dense_scan("dense", h), g.complex_scan("", h));
            let sum = g.add("sum", a, b);
            let product = g.hadamard("product", sum, c);
            g.linear("out", product, OUTPUTS)
        }),
        ("complex scan", "out", |g, x| {
            let u = g.complex_linear("b", x, 3);
            let h = g.complex_scan("", u);
            g.complex_readout("out", h, OUTPUTS)
        }),
        ("gated dense", "readout", |g, x| {
            Architecture::GatedDense { hidden: 5, gates: 4 }.forward(g, x, OUTPUTS, g.time)
        }),
        ("lstm", "readout", |g, x| {
            Architecture::Lstm { hidden: 5, embed: 4 }.forward(g, x, OUTPUTS, g.time)
        }),
        ("lstm, last step", "readout", |g, x| {
            Architecture::Lstm { hidden: 3, embed: 4 }.forward(g, x, OUTPUTS, 1)
        }),
        ("gru", "readout", |g, x| {
            Architecture::Gru { hidden: 5, embed: 4 }.forward(g, x, OUTPUTS, g.time)
        }),
        ("mamba", "readout", |g, x| {
            Architecture::Mamba { embed: 4, state: 3 }.forward(g, x, OUTPUTS, g.time)
        }),
        ("mamba, last steps", "readout", |g, x| {
            Architecture::Mamba { embed: 3, state: 2 }.forward(g, x, OUTPUTS, g.time.div_ceil(2))
        }),
        ("attention", "readout", |g, x| {
            Architecture::Attention { embed: 4, scores: Scores::Softmax }
                .forward(g, x, OUTPUTS, g.time)
        }),
        ("linear attention, last step", "readout", |g, x| {
            Architecture::Attention { embed: 4, scores: Scores::Linear }.forward(g, x, OUTPUTS, 1)
        }),
        ("lru", "readout", |g, x| {
            Architecture::Lru { hidden: 5, embed: 4, layers: 1, mixing: Mixing::GluOut }
                .forward(g, x, OUTPUTS, g.time)
        }),
        ("lru, two layers, last steps", "readout", |g, x| {
            Architecture::Lru { hidden: 3, embed: 4, layers: 2, mixing: Mixing::GluOut }.forward(
                g,
                x,
                OUTPUTS,
                g.time.div_ceil(2),
            )
        }),
        ("lru in and out", "readout", |g, x| {
            Architecture::Lru { hidden: 3, embed: 4, layers: 1, mixing: Mixing::GluInOut }
                .forward(g, x, OUTPUTS, g.time)
        }),
        ("lru mlp", "readout", |g, x| {
            Architecture::Lru { hidden: 3, embed: 4, layers: 1, mixing: Mixing::Mlp { width: 5 } }
                .forward(g, x, OUTPUTS, g.time)
        }),
    ];
    for (name, outputs, model) in cases {
        for (batch, time) in [(1, 2), (3, 7), (40, 9)] {
            let error = worst_error(training(batch, time, model), outputs, 0.0);
            assert!(error <= 1e-6, "{name}, batch {batch}, time {time}: {error:.1e}");
        }
    }
}

#[test]
fn the_check_can_fail() {
    assert!(worst_error(training(3, 7, |g, x| g.linear("out", x, OUTPUTS)), "out", 1e-4) > 1e-6);
}

#[test]
fn the_model_is_its_equation() {
    let (batch, time, n, m) = (2, 5, 4, 3);
    let program = training(batch, time, |g, x| {
        Architecture::GatedDiagonal { hidden: n, gates: m }.forward(g, x, OUTPUTS, g.time)
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
    let worst = outputs.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst:.1e}");
    // And a step of the whole program leaves the same outputs.
    run.cpu.set_clock(&gatelens::recipe::Recipe::default().plan().optimizer.clock(1, 0));
    run.cpu.advance(1).unwrap();
    assert_eq!(run.cpu.read_exact(run.outputs), outputs);
}
