//! Any architecture run once on the CPU engine, in single or double precision, and what its buffers
//! then hold.

use super::Architecture;
use crate::backend::cpu::Cpu;
use crate::graph::{Graph, Storage, program::Program};
use crate::math::float::Float;
use crate::math::matrix::Matrix;

/// An architecture with its parameters.
#[derive(Debug, Clone, Copy)]
pub struct ModelWeights<'a> {
    /// Kind and sizes.
    pub architecture: Architecture,
    /// d, values per token.
    pub inputs: usize,
    /// d_out, values per output.
    pub outputs: usize,
    /// All parameters, flat, in the order of [`Architecture::table`].
    pub parameters: &'a [f64],
}

/// The buffer that holds ŷ.
pub const OUTPUT: &str = "readout";

impl ModelWeights<'_> {
    /// ŷ `[batch · time, d_out]` for x `[batch · time, d]`: sequences of `time` tokens, one after
    /// another.
    pub fn outputs_of<F: Float>(&self, x: &Matrix, time: usize) -> Matrix {
        self.buffers::<F>(x, time, &[OUTPUT.to_owned()]).remove(0)
    }

    /// The buffers of these names, `[batch · time, width]` each. A name that the architecture does
    /// not have is a broken invariant.
    pub fn buffers<F: Float>(&self, x: &Matrix, time: usize, names: &[String]) -> Vec<Matrix> {
        assert_eq!(
            (x.columns, x.rows % time),
            (self.inputs, 0),
            "sequences of {time} tokens of {} numbers",
            self.inputs
        );
        let mut graph = Graph::new(x.rows / time, time);
        let input = graph.input("x", self.inputs);
        self.architecture.forward(&mut graph, input, self.outputs, time);
        let program = Program::forward(graph);
        assert_eq!(
            program.params.len(),
            self.parameters.len(),
            "numbers in the parameters of {:?}",
            self.architecture
        );
        let found: Vec<_> = names
            .iter()
            .map(|name| {
                program
                    .find(name)
                    .unwrap_or_else(|| panic!("{:?} has no buffer {name}", self.architecture))
            })
            .collect();
        let width = |place: usize| match program.buffers[place].storage {
            Storage::Activation { width, .. } => width,
            other => panic!("{} is no activation but {other:?}", program.buffers[place].name),
        };
        let widths: Vec<usize> = found.iter().map(|id| width(id.0)).collect();
        let mut cpu = Cpu::<F>::new(program, 1, u64::MAX)
            .expect("one thread starts, and memory was not limited");
        let rounded = |numbers: &[f64]| numbers.iter().map(|&v| F::of(v)).collect::<Vec<F>>();
        cpu.write_exact(Graph::PARAMETERS, &rounded(self.parameters));
        cpu.write_exact(input.id(), &rounded(&x.data));
        cpu.forward();
        let read = |(id, width)| {
            Matrix::new(x.rows, width, cpu.read_exact(id).into_iter().map(Float::wide).collect())
        };
        found.into_iter().zip(widths).map(read).collect()
    }
}

impl Architecture {
    /// The buffers that carry something from one time step to the next; of complex ones halves [re,
    /// im] of a row. None of attention: it looks at all tokens again.
    pub fn state_buffers(self) -> Vec<String> {
        (self.layer.states)(&self.sizes).into_iter().map(|state| state.buffer).collect()
    }

    /// The buffers that multiply others and are made from the token rather than from the readout's
    /// own state: what a query may be read from where no state carries it. Empty where all gates
    /// read the state.
    pub fn gate_buffers(self) -> Vec<String> {
        (self.layer.token_gates)(&self.sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Sizes, every};
    use super::*;

    #[test]
    fn every_architecture_has_its_buffers_and_a_gated_one_its_own_equation() {
        let x = Matrix::from_fn(6, 2, |i, j| (i as f64 - 2.0) / (j as f64 + 2.0));
        let sizes =
            Sizes { hidden: 3, gates: 4, embed: 4, layers: 2, state: 2, width: 5, side: false };
        for architecture in every(sizes) {
            let table = architecture.table(2, 2);
            let parameters: Vec<f64> = table.initial(3).into_iter().map(f64::from).collect();
            let weighed =
                ModelWeights { architecture, inputs: 2, outputs: 2, parameters: &parameters };
            let names: Vec<String> = architecture
                .state_buffers()
                .into_iter()
                .chain(architecture.gate_buffers())
                .collect();
            let buffers = weighed.buffers::<f64>(&x, 3, &names);
            assert!(
                buffers.iter().all(|buffer| buffer.rows == 6 && buffer.norm() > 0.0),
                "{architecture:?}: {names:?}"
            );
            let (double, single) =
                (weighed.outputs_of::<f64>(&x, 3), weighed.outputs_of::<f32>(&x, 3));
            let apart = single.relative_change(&double);
            assert!(apart > 0.0 && apart < 1e-4, "{architecture:?}: {apart}");
            if let Some(network) = super::super::Network::from_parameters(&table, &parameters) {
                assert!(
                    double.relative_change(&network.outputs_of(&x, 3)) < 1e-12,
                    "{architecture:?}"
                );
                assert!(
                    buffers[0].relative_change(&network.states(&x, 3)) < 1e-12,
                    "{architecture:?}"
                );
            }
        }
    }
}
