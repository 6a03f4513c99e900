//! Small trainings that between them run every kernel.

use crate::support::Sizes;
use gatelens::graph::Graph;
use gatelens::graph::program::Program;
use gatelens::model::{Architecture, Mixing};
use gatelens::task::File;

/// In-context regression: `dim` inputs, `outputs` outputs.
pub fn regressing(sizes: Sizes, outputs: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time + 1);
    let (x, y) = graph.regression_tokens(sizes.dim, outputs);
    let prediction = Architecture::GatedSide { hidden: 3 }.forward(&mut graph, x, outputs, 1);
    graph.squared_error(prediction, y, true);
    Program::training(graph)
}

/// Associative recall of `time` pairs.
pub fn recalling(sizes: Sizes, hidden: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time + 1);
    let (x, y) = graph.recall_tokens();
    let prediction = Architecture::GatedDiagonal { hidden, gates: 3 }.forward(&mut graph, x, sizes.time, 1);
    graph.cross_entropy(prediction, y);
    Program::training(graph)
}

/// A value that is used twice, so its second gradient adds to the first; layers with and without a constant.
pub fn branching(sizes: Sizes, hidden: usize, gates: usize) -> Program {
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let (x, y) = gatelens::task::attention::record(&mut graph, sizes.dim);
    let a = graph.linear("a", x.with_constant(), hidden);
    let b = graph.linear("b", a.with_constant(), gates);
    let c = graph.bilinear("c", a, gates);
    let product = graph.hadamard("product", b, c);
    let twice = graph.add("twice", product, product);
    let prediction = graph.linear("readout", twice.with_constant(), sizes.dim);
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
    let file = File { inputs: sizes.dim, outputs: 3, sequences: 2 * sizes.batch + 1, steps, is_weighted: true, in_order: hidden.is_multiple_of(2) };
    let mut graph = Graph::new(sizes.batch, sizes.time);
    let (x, y) = file.record(&mut graph);
    let prediction = Architecture::GatedSide { hidden: 3 }.forward(&mut graph, x, 3, steps);
    file.record_loss(&mut graph, prediction, y);
    Program::training(graph)
}

/// One of each of the other layers.
pub fn zoo(hidden: usize, embed: usize) -> Vec<Architecture> {
    let lru = |layers, mixing| Architecture::Lru { hidden, embed, layers, mixing };
    vec![
        Architecture::GatedDense { hidden, gates: embed },
        Architecture::Lstm { hidden, embed },
        Architecture::Gru { hidden, embed },
        lru(2, Mixing::GluOut),
        lru(1, Mixing::GluInOut),
        lru(1, Mixing::Mlp { width: hidden }),
    ]
}
