//! A split of the batch on the CPU: its sequences' activations and its row of the gradients.

use super::{
    Shared, activation, add, attention, attention_teacher, bilinear, channel, complex_readout,
    complex_scan, contract, dense_scan, diagonal_scan, gather, gru, hadamard, last, linear, loss,
    lstm, recall, regression, sample, selective_scan,
};
use crate::graph::dims::Dims;
use crate::graph::kernel::Kernel;
use crate::graph::program::{Call, Program};
use crate::graph::{Buffer, BufferId, Graph, Storage};
use crate::math::float::Float;

/// Which sequences a lane owns.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// The first of its sequences.
    pub first: usize,
    /// How many it has.
    pub sequences: usize,
}

impl Block {
    /// Rows that it owns of a call's input or output.
    pub fn rows(self, dims: &Dims) -> usize {
        self.sequences * dims.time as usize
    }
}

/// One split's memory.
pub struct Lane<F> {
    /// Its sequences.
    pub block: Block,
    /// Activations (and the loss of each row) of its sequences, by buffer; others are empty.
    pub buffers: Vec<Vec<F>>,
    /// Its row of the gradients.
    pub gradients: Vec<F>,
    /// The gradient of a gate's two sides, kept from one of its reverse calls to the next.
    sides: Vec<F>,
    sides_of: Option<BufferId>,
}

impl<F: Float> Lane<F> {
    /// The memory of split `split`.
    pub fn new(program: &Program, split: usize) -> Self {
        let first = split * program.batch / program.splits;
        let sequences = (split + 1) * program.batch / program.splits - first;
        let block = Block { first, sequences };
        let numbers = |buffer: &Buffer| match buffer.storage {
            Storage::Activation { .. } | Storage::LossRows => {
                buffer.len / program.batch * sequences
            }
            _ => 0,
        };
        let buffers = program.buffers.iter().map(|buffer| vec![F::ZERO; numbers(buffer)]).collect();
        let gradients = vec![F::ZERO; program.buffers[Graph::GRADIENTS.0].len / program.splits];
        Self { block, buffers, gradients, sides: vec![], sides_of: None }
    }

    /// Takes its own sequences out of a whole batch's activation.
    pub fn write(&mut self, id: BufferId, batch: &[F]) {
        let own = &mut self.buffers[id.0];
        let first = self.block.first * (own.len() / self.block.sequences);
        let end = batch.len().min(first + own.len());
        if first < end {
            own[..end - first].copy_from_slice(&batch[first..end]);
        }
    }

    /// Runs a call of scope `Sequences` on its own sequences.
    pub fn run(&mut self, call: &Call, shared: &Shared<F>) {
        let (block, dims, args, w) =
            (self.block, &call.dims, &call.args[..], &shared.parameters[..]);
        match (call.kernel, args) {
            (Kernel::SampleNormal, &[_, x]) => {
                self.with([x], |_, [x]| sample::normal(block, dims, shared.seed, shared.step, x))
            }
            (Kernel::AttentionTeacher, &[x, teacher, y]) => {
                let teacher = &shared.constants[teacher.0];
                self.with([y], |l, [y]| attention_teacher::forward(dims, l.get(x), teacher, y));
            }
            (Kernel::RegressionTokens, &[_, settings, x, y]) => {
                let settings = &shared.constants[settings.0];
                self.with([x, y], |_, [x, y]| {
                    regression::forward(block, dims, [shared.seed, shared.step], settings, x, y)
                });
            }
            (Kernel::GatherForward, &[_, data, x]) => {
                let data = &shared.constants[data.0];
                self.with([x], |_, [x]| {
                    gather::forward(block, dims, [shared.seed, shared.step], data, x)
                });
            }
            (Kernel::RecallTokens, &[_, x, y]) => {
                self.with([x, y], |_, [x, y]| {
                    recall::forward(block, dims, [shared.seed, shared.step], x, y)
                });
            }
            (Kernel::LinearForward, &[_, x, y]) => {
                self.with([y], |l, [y]| linear::forward(block, dims, w, l.get(x), y))
            }
            (Kernel::LinearBackwardInput, &[_, dy, dx]) => {
                self.with([dx], |l, [dx]| linear::backward_input(block, dims, w, l.get(dy), dx))
            }
            (Kernel::LinearBackwardWeight, &[x, dy, _]) => self.with_gradients(|l, dw| {
                linear::backward_weight(block, dims, l.get(x), l.get(dy), dw)
            }),
            (Kernel::BilinearForward, &[_, x, sides, g]) => {
                self.with([sides, g], |l, [sides, g]| {
                    bilinear::forward(block, dims, w, l.get(x), sides, g)
                });
            }
            (Kernel::BilinearBackwardInput, &[_, sides, dg, dx]) => {
                self.sides_gradient(dims, sides, dg);
                self.with([dx], |l, [dx]| bilinear::backward_input(block, dims, w, &l.sides, dx));
            }
            (Kernel::BilinearBackwardWeight, &[x, sides, dg, _]) => {
                self.sides_gradient(dims, sides, dg);
                self.with_gradients(|l, dw| {
                    bilinear::backward_weight(block, dims, l.get(x), &l.sides, dw)
                });
                self.sides_of = None;
            }
            (Kernel::LastForward, &[x, y]) => {
                self.with([y], |l, [y]| last::forward(dims, l.get(x), y))
            }
            (Kernel::LastBackward, &[dy, dx]) => {
                self.with([dx], |l, [dx]| last::backward(dims, l.get(dy), dx))
            }
            (Kernel::HadamardForward, &[a, b, y]) => {
                self.with([y], |l, [y]| hadamard::forward(l.get(a), l.get(b), y))
            }
            (Kernel::HadamardBackward, &[a, b, dy, da, db]) => {
                self.with([da, db], |l, [da, db]| {
                    hadamard::backward(l.get(a), l.get(b), l.get(dy), da, db)
                });
            }
            (Kernel::DiagonalScanForward, &[_, u, h]) => {
                self.with([h], |l, [h]| diagonal_scan::forward(dims, w, l.get(u), h))
            }
            (Kernel::DiagonalScanBackward, &[_, h, dh, du, _]) => {
                self.with([du], |l, [du]| {
                    l.with_gradients(|l, dw| {
                        diagonal_scan::backward(dims, w, l.get(h), l.get(dh), du, dw)
                    })
                });
            }
            (Kernel::ActivationForward, &[x, y]) => {
                self.with([y], |l, [y]| activation::forward(dims, l.get(x), y))
            }
            (Kernel::ActivationBackward, &[x, dy, dx]) => {
                self.with([dx], |l, [dx]| activation::backward(dims, l.get(x), l.get(dy), dx))
            }
            (Kernel::AddForward, &[a, b, y]) => {
                self.with([y], |l, [y]| add::forward(l.get(a), l.get(b), y))
            }
            (Kernel::AddBackward, &[dy, dx]) => {
                self.with([dx], |l, [dx]| add::backward(dims, l.get(dy), dx))
            }
            (Kernel::BiasForward, &[_, x, y]) => {
                self.with([y], |l, [y]| channel::bias(dims, w, l.get(x), y))
            }
            (Kernel::BiasBackward, &[dy, _]) => {
                self.with_gradients(|l, dw| channel::bias_backward(dims, l.get(dy), dw))
            }
            (Kernel::ScaleForward, &[_, x, y]) => {
                self.with([y], |l, [y]| channel::scale(dims, w, l.get(x), y))
            }
            (Kernel::ScaleBackward, &[_, x, dy, dx, _]) => {
                self.with([dx], |l, [dx]| {
                    l.with_gradients(|l, dw| {
                        channel::scale_backward(dims, w, l.get(x), l.get(dy), dx, dw)
                    })
                });
            }
            (Kernel::DenseScanForward, &[_, u, h]) => {
                self.with([h], |l, [h]| dense_scan::forward(dims, w, l.get(u), h))
            }
            (Kernel::DenseScanBackward, &[_, dh, du]) => {
                self.with([du], |l, [du]| dense_scan::backward(dims, w, l.get(dh), du))
            }
            (Kernel::DenseScanBackwardWeight, &[h, du, _]) => self.with_gradients(|l, dw| {
                dense_scan::backward_weight(block, dims, l.get(h), l.get(du), dw)
            }),
            (Kernel::ComplexScanForward, &[_, u, h]) => {
                self.with([h], |l, [h]| complex_scan::forward(dims, w, l.get(u), h))
            }
            (Kernel::ComplexScanBackward, &[_, u, h, dh, du, _]) => {
                self.with([du], |l, [du]| {
                    l.with_gradients(|l, dw| {
                        complex_scan::backward(dims, w, l.get(u), l.get(h), l.get(dh), du, dw)
                    })
                });
            }
            (Kernel::ComplexReadoutForward, &[_, h, y]) => {
                self.with([y], |l, [y]| complex_readout::forward(block, dims, w, l.get(h), y))
            }
            (Kernel::ComplexReadoutBackwardInput, &[_, dy, dh]) => {
                self.with([dh], |l, [dh]| {
                    complex_readout::backward_input(block, dims, w, l.get(dy), dh)
                });
            }
            (Kernel::ComplexReadoutBackwardWeight, &[h, dy, _]) => {
                self.with_gradients(|l, dw| {
                    complex_readout::backward_weight(block, dims, l.get(h), l.get(dy), dw)
                });
            }
            (Kernel::LstmForward, &[_, u, gates, c, h]) => {
                self.with([gates, c, h], |l, [gates, c, h]| {
                    lstm::forward(dims, w, l.get(u), gates, c, h)
                });
            }
            (Kernel::LstmBackward, &[_, gates, c, dh, du]) => {
                self.with([du], |l, [du]| {
                    lstm::backward(dims, w, l.get(gates), l.get(c), l.get(dh), du)
                });
            }
            (Kernel::GruForward, &[_, u, gates, h]) => {
                self.with([gates, h], |l, [gates, h]| gru::forward(dims, w, l.get(u), gates, h))
            }
            (Kernel::GruBackward, &[_, gates, h, dh, du, dq]) => {
                self.with([du, dq], |l, [du, dq]| {
                    gru::backward(dims, w, l.get(gates), l.get(h), l.get(dh), du, dq)
                });
            }
            (Kernel::SelectiveScanForward, &[_, u, delta, b, h]) => {
                self.with([h], |l, [h]| {
                    selective_scan::forward(dims, w, [u, delta, b].map(|id| l.get(id)), h)
                });
            }
            (Kernel::SelectiveScanBackward, &[_, dh, delta, h, s, _]) => {
                self.with([s], |l, [s]| {
                    l.with_gradients(|l, dw| {
                        selective_scan::backward(dims, w, [dh, delta, h].map(|id| l.get(id)), s, dw)
                    })
                });
            }
            (Kernel::SelectiveScanBackwardInput, &[_, u, delta, b, h, s, du, ddelta]) => {
                self.with([du, ddelta], |l, out| {
                    selective_scan::backward_input(
                        dims,
                        w,
                        [u, delta, b, h, s].map(|id| l.get(id)),
                        out,
                    );
                })
            }
            (Kernel::SelectiveScanBackwardB, &[s, u, delta, db]) => {
                self.with([db], |l, [db]| {
                    selective_scan::backward_b(dims, l.get(s), l.get(u), l.get(delta), db)
                });
            }
            (Kernel::ContractForward, &[h, c, y]) => {
                self.with([y], |l, [y]| contract::forward(dims, l.get(h), l.get(c), y))
            }
            (Kernel::ContractBackwardH, &[dy, c, dh]) => {
                self.with([dh], |l, [dh]| contract::backward_h(dims, l.get(dy), l.get(c), dh))
            }
            (Kernel::ContractBackwardC, &[h, dy, dc]) => {
                self.with([dc], |l, [dc]| contract::backward_c(dims, l.get(h), l.get(dy), dc))
            }
            (Kernel::AttentionWeights, &[q, k, p]) => {
                self.with([p], |l, [p]| attention::weights(dims, l.get(q), l.get(k), p))
            }
            (Kernel::AttentionForward, &[p, v, y]) => {
                self.with([y], |l, [y]| attention::forward(dims, l.get(p), l.get(v), y))
            }
            (Kernel::AttentionBackwardWeights, &[p, v, dy, da]) => {
                self.with([da], |l, [da]| {
                    attention::backward_weights(dims, l.get(p), l.get(v), l.get(dy), da)
                });
            }
            (Kernel::AttentionBackward, &[q, k, p, da, dy, dq, dk, dv]) => {
                self.with([dq, dk, dv], |l, out| {
                    attention::backward(dims, [q, k, p, da, dy].map(|id| l.get(id)), out)
                });
            }
            (Kernel::LossSquaredError, &[prediction, y, rows, gradient]) => {
                self.with([rows, gradient], |l, [rows, gradient]| {
                    loss::squared_error(dims, l.get(prediction), l.get(y), rows, gradient);
                })
            }
            (Kernel::LossCrossEntropy, &[prediction, y, rows, gradient]) => {
                self.with([rows, gradient], |l, [rows, gradient]| {
                    loss::cross_entropy(dims, l.get(prediction), l.get(y), rows, gradient);
                })
            }
            (kernel, _) => unreachable!("{kernel:?} does not work on sequences"),
        }
    }

    fn get(&self, id: BufferId) -> &[F] {
        &self.buffers[id.0]
    }

    /// Lends out the buffers that a kernel writes, while it reads the others.
    fn with<const N: usize>(
        &mut self,
        ids: [BufferId; N],
        work: impl FnOnce(&mut Self, [&mut [F]; N]),
    ) {
        let mut taken = ids.map(|id| std::mem::take(&mut self.buffers[id.0]));
        work(self, taken.each_mut().map(Vec::as_mut_slice));
        for (id, buffer) in ids.into_iter().zip(taken) {
            self.buffers[id.0] = buffer;
        }
    }

    fn with_gradients(&mut self, work: impl FnOnce(&Self, &mut [F])) {
        let mut gradients = std::mem::take(&mut self.gradients);
        work(self, &mut gradients);
        self.gradients = gradients;
    }

    fn sides_gradient(&mut self, dims: &Dims, sides: BufferId, dg: BufferId) {
        if self.sides_of != Some(sides) {
            let mut gradient = std::mem::take(&mut self.sides);
            bilinear::sides_gradient(dims, self.get(sides), self.get(dg), &mut gradient);
            self.sides = gradient;
            self.sides_of = Some(sides);
        }
    }
}
