//! Where the way back starts.

use super::Kernel;
use crate::graph::dims::Dims;
use crate::graph::{Graph, Op, Var, numbers};

impl Graph {
    /// Mean of (ŷ − y)² over batch, time steps and outputs, or half of it; starts the way back.
    pub fn squared_error(&mut self, prediction: Var, target: Var, half: bool) {
        assert_eq!(
            self.shape(prediction),
            self.shape(target),
            "prediction and target have equal shapes"
        );
        self.record_loss(Kernel::LossSquaredError, prediction, target, half);
    }

    /// Mean over batch and time steps of −log `softmax(ŷ)[y]`, with y a class number `[batch, time,
    /// 1]`.
    pub fn cross_entropy(&mut self, prediction: Var, target: Var) {
        assert_eq!(self.shape(target), (self.time_of(prediction), 1), "a class number a token");
        self.record_loss(Kernel::LossCrossEntropy, prediction, target, false);
    }

    fn record_loss(&mut self, kernel: Kernel, prediction: Var, target: Var, half: bool) {
        self.buffers[Self::LOSS_ROWS.0].len = numbers(&[2, self.batch, self.time_of(prediction)]);
        let dims = Dims { half: u32::from(half), ..self.rows_of(prediction) };
        let args = vec![prediction.id, target.id];
        let output = Self::LOSS_ROWS;
        self.loss = Some(Op { kernel, dims, args, inputs: vec![prediction], output });
    }
}
