//! The way back through a recording: each op's reverse rule, the last op first.

use super::Graph;
use super::call::Call;
use super::gradients::{Gradients, Rule};
use super::op::*;

macro_rules! rules {
    ($($file:ident [$($shared:ident)*] {$(
        $(#[$doc:meta])*
        $name:ident: $entry:ident, $scope:ident, $grid:ident, $reads:literal -> $writes:literal,
            $rule:expr;
    )*})*) => {
        /// The reverse rule of an op whose kernel this is.
        pub fn rule(kernel: Kernel) -> Option<Rule> {
            match kernel { $($(Kernel::$name => $rule,)*)* }
        }
    };
}
kernels!(rules);

/// The calls of the way back, the loss first; adds the gradient buffers to the graph's table.
pub(super) fn backward(graph: &mut Graph) -> Vec<Call> {
    let loss = graph.loss.clone().expect("a graph to differentiate has a loss");
    let ops = graph.ops.clone();
    let mut gradients = Gradients::new(graph);
    let (seed, _) = gradients.of(loss.inputs[0].id());
    gradients.call(loss.kernel, loss.dims, [loss.args[0], loss.args[1], loss.output, seed]);
    for op in ops.iter().rev() {
        if let (Some(arrived), Some(rule)) = (gradients.arrived(op.output), rule(op.kernel)) {
            rule(&mut gradients, op, arrived);
            gradients.finish();
        }
    }
    gradients.into_calls()
}
