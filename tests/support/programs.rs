//! Small trainings that between them run every kernel.

use crate::support::Sizes;
use gatelens::graph::Graph;
use gatelens::graph::op::{activation::Function, attention::Scores};
use gatelens::graph::params::Init;
use gatelens::graph::program::Program;
use gatelens::model::Sizes as LayerSizes;
use gatelens::model::gated_diagonal::GATED;
use gatelens::task::File;

/// In-context regression: `dim` inputs, `outputs` outputs.
pub fn regressing(sizes: Sizes, outputs: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time + 1);
    let (x, y) = graph.regression_tokens(sizes.dim, outputs);
    let prediction = GATED
        .of(LayerSizes { hidden: 3, side: true, ..LayerSizes::NONE })
        .forward(&mut graph, x, outputs, 1);
    graph.squared_error(prediction, y, true);
    Program::training(graph)
}

/// Associative recall of `time` pairs.
pub fn recalling(sizes: Sizes, hidden: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time + 1);
    let (x, y) = graph.recall_tokens();
    let prediction = GATED
        .of(LayerSizes { hidden, gates: 3, ..LayerSizes::NONE })
        .forward(&mut graph, x, sizes.time, 1);
    graph.cross_entropy(prediction, y);
    Program::training(graph)
}

/// A value that is used twice, so its second gradient adds to the first; layers with and without a
/// constant.
pub fn branching(sizes: Sizes, hidden: usize, gates: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let (x, y) = gatelens::task::attention::record(&mut graph, sizes.dim);
    let a = graph.linear("a", x.with_constant(), hidden);
    let b = graph.linear("b", a.with_constant(), gates);
    let c = graph.bilinear("c", a, gates);
    let product = graph.hadamard("product", b, c);
    let prediction = graph.linear("readout", product.with_constant(), sizes.dim);
    graph.squared_error(prediction, y, true);
    let program = Program::training(graph);
    assert!(program.calls.iter().any(|call| call.dims.accumulate == 1), "no call accumulates");
    program
}

/// A loss over classes at the end of a sequence; class numbers are the random inputs rounded down.
pub fn classifying(sizes: Sizes, classes: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let steps = sizes.time.div_ceil(3);
    let (x, y) = (graph.input("x", sizes.dim), graph.input_of("y", steps, 1));
    let hidden = graph.linear("hidden", x, classes + 1);
    let (sum, end) = (graph.linear("sum", hidden, 2), graph.last(hidden, steps)); // hidden's second gradient adds to the first
    let both = graph.bilinear("end", end, classes);
    let sum = graph.last(sum, steps);
    let sum = graph.linear("spread", sum, classes);
    let prediction = graph.hadamard("prediction", both, sum);
    graph.cross_entropy(prediction, y);
    Program::training(graph)
}

/// The user's own arrays, in order and with weights.
pub fn gathering(sizes: Sizes, hidden: usize) -> Program {
    let steps = sizes.time.div_ceil(2);
    let file = File {
        inputs: sizes.dim,
        outputs: 3,
        sequences: 2 * sizes.batch + 1,
        steps,
        is_weighted: true,
        in_order: hidden.is_multiple_of(2),
    };
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let (x, y) = file.record(&mut graph);
    let prediction = GATED
        .of(LayerSizes { hidden: 3, side: true, ..LayerSizes::NONE })
        .forward(&mut graph, x, 3, steps);
    file.record_loss(&mut graph, prediction, y);
    Program::training(graph)
}

/// Every op of the other layers once.
pub fn zoo(sizes: Sizes, hidden: usize, embed: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let g = &mut graph;
    let (x, y) = gatelens::task::attention::record(g, sizes.dim);
    let z = g.linear("embed", x, embed);
    let u = g.linear("u", z, hidden);
    let (dense, lstm, gru) =
        (g.dense_scan("recurrent", u), g.lstm("lstm.", z, hidden), g.gru("gru.", z, hidden));
    let complex = g.complex_linear("b", z, hidden);
    let complex = g.complex_scan("", complex);
    let complex = g.complex_readout("c", complex, hidden);
    let (step, gate) =
        (g.scale("d", u, Init::Constant(0.5)), g.apply("sigmoid", Function::Sigmoid, u));
    let (step, state) =
        (g.apply("softplus", Function::Softplus, step), g.linear("state", z, embed));
    let selective = g.selective_scan("a_log", [u, step, state]);
    let selective = g.contract("read", selective, state);
    let softmax = g.attention("softmax", [lstm, gru, selective], Scores::Softmax);
    let linear = g.attention("linear", [lstm, gru, selective], Scores::Linear);
    let (softmax, linear) =
        (g.apply("gelu", Function::Gelu, softmax), g.apply("silu", Function::Silu, linear));
    let small = g.gru("small.", z, 3); // its bias stands in the first half of a tile
    let small = g.linear("spread", small, hidden);
    let sum = [lstm, small, complex, softmax, linear]
        .into_iter()
        .enumerate()
        .fold(dense, |sum, (i, value)| g.add(&format!("sum{i}"), sum, value));
    let gated = g.hadamard("gated", sum, gate);
    let prediction = g.linear("readout", gated, sizes.dim);
    g.squared_error(prediction, y, false);
    Program::training(graph)
}
