//! A small network around each op: what gradients are checked with, and what a kernel is run by on
//! the GPU that no other program of the tests runs.

use gatelens::graph::op::{activation::Function, attention::Scores};
use gatelens::graph::params::Init;
use gatelens::graph::program::Program;
use gatelens::graph::{Graph, Var};

/// Values per token.
pub const INPUTS: usize = 3;
/// Numbers an output.
pub const OUTPUTS: usize = 2;

/// Outputs `[batch, steps, OUTPUTS]` in the buffer `out`, from x `[batch, time, INPUTS]`.
pub type Network = fn(&mut Graph, Var) -> Var;

/// A training of `network` on inputs and targets that the host writes.
pub fn training(
    batch: usize,
    time: usize,
    network: impl FnOnce(&mut Graph, Var) -> Var,
) -> Program {
    let mut graph = Graph::new(batch, time);
    let x = graph.input("x", INPUTS);
    let prediction = network(&mut graph, x);
    let y = graph.input_of("y", graph.time_of(prediction), OUTPUTS);
    graph.squared_error(prediction, y, false);
    Program::training(graph)
}

/// What it is of, and the network.
pub const OPS: &[(&str, Network)] = &[
    ("linear", |g, x| g.linear("out", x, OUTPUTS)),
    ("linear with constant, through linear", |g, x| {
        let h = g.linear("first", x.with_constant(), 5);
        g.linear("out", h, OUTPUTS)
    }),
    ("bilinear", |g, x| {
        let h = g.bilinear("first", x.with_constant(), 5);
        g.bilinear("out", h, OUTPUTS)
    }),
    ("hadamard", |g, x| {
        let (a, b) = (g.linear("a", x, 4), g.linear("b", x.with_constant(), 4));
        let product = g.hadamard("product", a, b);
        g.linear("out", product, OUTPUTS)
    }),
    ("diagonal scan", |g, x| {
        let u = g.linear("in", x, 4);
        let h = g.diagonal_scan("nu", u);
        g.linear("out", h, OUTPUTS)
    }),
    ("one value used twice", |g, x| {
        let h = g.linear("in", x, 4);
        let (a, b) = (g.linear("a", h, 3), g.bilinear("b", h, 3));
        let product = g.hadamard("product", a, b);
        g.linear("out", product, OUTPUTS)
    }),
    ("the end of a value, and all of it", |g, x| {
        let h = g.linear("in", x, 4);
        let (end, sum) = (g.last(h, 1), g.diagonal_scan("nu", h));
        let sum = g.last(sum, 1);
        let product = g.hadamard("product", end, sum);
        g.linear("out", product, OUTPUTS)
    }),
    ("bias, scale, add", |g, x| {
        let h = g.linear("in", x, 4);
        let (a, b) = (
            g.bias("b", h, Init::Normal { fan_in: 1 }),
            g.scale("d", h, Init::Normal { fan_in: 1 }),
        );
        let sum = g.add("sum", a, b);
        g.linear("out", sum, OUTPUTS)
    }),
    ("one value twice in a sum and in a product", |g, x| {
        let h = g.linear("in", x, 4);
        let (sum, square) = (g.add("sum", h, h), g.hadamard("square", h, h));
        let both = g.add("both", sum, square);
        g.linear("out", both, OUTPUTS)
    }),
    ("every nonlinearity of one value", |g, x| {
        let h = g.linear("in", x, 4);
        let [a, b, c, d] = [Function::Sigmoid, Function::Gelu, Function::Silu, Function::Softplus]
            .map(|f| g.apply("f", f, h));
        let (left, right) = (g.hadamard("left", a, b), g.hadamard("right", c, d));
        let sum = g.add("sum", left, right);
        g.linear("out", sum, OUTPUTS)
    }),
    ("selective scan, one value in three roles", |g, x| {
        let (h, c) = (g.linear("in", x, 4), g.linear("c", x, 4));
        let step = g.apply("step", Function::Softplus, h);
        let states = g.selective_scan("a_log", [h, step, h]);
        let y = g.contract("read", states, c);
        g.linear("out", y, OUTPUTS)
    }),
    ("attention of one value to itself", |g, x| {
        let h = g.linear("in", x, 4);
        let (a, b) = (
            g.attention("softmax", [h, h, h], Scores::Softmax),
            g.attention("linear", [h, h, h], Scores::Linear),
        );
        let sum = g.add("sum", a, b);
        g.linear("out", sum, OUTPUTS)
    }),
    ("every recurrence of one value", |g, x| {
        let h = g.linear("in", x, 4);
        let (a, b, c) =
            (g.diagonal_scan("diagonal", h), g.dense_scan("dense", h), g.complex_scan("", h));
        let sum = g.add("sum", a, b);
        let product = g.hadamard("product", sum, c);
        g.linear("out", product, OUTPUTS)
    }),
    ("lstm and gru", |g, x| {
        let h = g.linear("in", x, 4);
        let (a, b) = (g.lstm("lstm.", h, 3), g.gru("gru.", h, 3));
        let product = g.hadamard("product", a, b);
        g.linear("out", product, OUTPUTS)
    }),
    ("complex scan", |g, x| {
        let u = g.complex_linear("b", x, 3);
        let h = g.complex_scan("", u);
        g.complex_readout("out", h, OUTPUTS)
    }),
];
