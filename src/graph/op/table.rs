//! The one table: op ↔ kernels ↔ shader ↔ bindings ↔ CPU twin ↔ reverse rule. An op is a block of
//! rows here and three files of the same name: `shaders/x.wgsl`, its twin `backend/cpu/x.rs`, and
//! `graph/op/x.rs` with the method that records it beside the rule that reverses it.
//!
//! Argument i of a call is `@binding(i + 1)`, what is read before what is written; `@binding(0)` is
//! [`Dims`](crate::graph::dims::Dims). Matrices of weights are `[out, in]` row-major at `dims.weight` in the
//! parameters; activations are `[batch, time, width]`.

use crate::graph::kernel::{Access, Grid, Scope};

/// Hands the table to the macro `then`. A block names the files and the shared pieces of WGSL
/// behind its shader. A row is a kernel: its entry point and function of the twin, what it runs
/// over, what an invocation owns, how many arguments it reads and writes, and its reverse rule:
/// `None` for data, losses, the way back itself and what is reversed together with the next op.
macro_rules! kernels {
    ($then:ident) => {
        $then! {
            clock [RANDOM] {
                /// clock → the next step: its number, learning rate, weight decay, β₂, bias
                /// corrections.
                ClockAdvance: advance, Before, One, 0 -> 1, None;
            }
            sample [RANDOM] {
                /// clock, x: x ~ N(0, 1). Element e of x is component e mod 4 of the counter (seed,
                /// stream, step, e / 4).
                SampleNormal: normal, Sequences, Four, 1 -> 1, None;
            }
            attention_teacher [] {
                /// x, teacher [2, d, d], y: y_t = W_V Σ_{s≤t} x_s (x_s · W_Kᵀ W_Q x_t).
                AttentionTeacher: forward, Sequences, Row, 2 -> 1, None;
            }
            regression [RANDOM] {
                /// clock, settings `[2]`, tokens, y `[batch, 1, width_out − width_in]`: T = time − 1
                /// pairs (x, W x + noise), the query (x_q, 0), and W x_q.
                /// Streams: `stream` W, its successors x and the noise.
                RegressionTokens: forward, Sequences, Row, 2 -> 2, None;
            }
            recall [RANDOM] {
                /// clock, tokens [batch, V + 1, 2 V], y [batch, 1, 1]: V = width_in pairs of
                /// one-hot key and value, a query, and the class it asks for.
                /// Streams: `stream` places, its successors values and queries.
                RecallTokens: forward, Sequences, Row, 1 -> 2, None;
            }
            gather [RANDOM] {
                /// clock, data [width_in, time, width_out], x: the batch's sequences of the data,
                /// in order with `half`, else at random.
                GatherForward: forward, Sequences, Row, 2 -> 1, None;
            }
            linear [TILE] {
                /// parameters, x, y: y = x Wᵀ.
                LinearForward: forward, Sequences, OutputTile, 2 -> 1, Some(linear::reverse);
                /// parameters, dy, dx: dx = dy W.
                LinearBackwardInput: backward_input, Sequences, InputTile, 2 -> 1, None;
                /// x, dy, gradients: dW = dyᵀ x.
                LinearBackwardWeight: backward_weight, Sequences, WeightTile, 2 -> 1, None;
            }
            bilinear [TILE] {
                /// parameters, x, sides, g: sides = [x W_mᵀ, x W_xᵀ] (2 · width_out a row), g =
                /// their elementwise product.
                BilinearForward: forward, Sequences, PairOutputTile,
                    2 -> 2, Some(bilinear::reverse);
                /// parameters, sides = [m, s], dg, dx: dx = (dg ⊙ s) W_m + (dg ⊙ m) W_x.
                BilinearBackwardInput: backward_input, Sequences, InputTile, 3 -> 1, None;
                /// x, sides = [m, s], dg, gradients: dW_m = (dg ⊙ s)ᵀ x, then dW_x = (dg ⊙ m)ᵀ x.
                BilinearBackwardWeight: backward_weight, Sequences, PairWeightTile, 3 -> 1, None;
            }
            last [] {
                /// x [batch, time, width_out], y [batch, time − first, width_out]: y = x from time
                /// step `first` on.
                LastForward: forward, Sequences, Element, 1 -> 1, Some(last::reverse);
                /// dy [batch, time − first, width_out], dx [batch, time, width_out]: dx = dy from
                /// time step `first` on, 0 before (or += dy).
                LastBackward: backward, Sequences, Element, 1 -> 1, None;
            }
            hadamard [] {
                /// a, b, y: y = a ⊙ b.
                HadamardForward: forward, Sequences, Element, 2 -> 1, Some(hadamard::reverse);
                /// a, b, dy, da, db: da = dy ⊙ b, db = dy ⊙ a.
                HadamardBackward: backward, Sequences, Element, 3 -> 2, None;
            }
            diagonal_scan [] {
                /// parameters, u, h: h_t = λ ⊙ h_{t−1} + u_t, λ = exp(−exp(ν)).
                DiagonalScanForward: forward, Sequences, Channel,
                    2 -> 1, Some(diagonal_scan::reverse);
                /// parameters, h, dh, du, gradients: du_t = dh_t + λ du_{t+1}; dν = −exp(ν) λ Σ
                /// du_t h_{t−1}.
                DiagonalScanBackward: backward, Sequences, SplitChannel, 3 -> 2, None;
            }
            activation [FUNCTIONS] {
                /// x, y: y = f(x), f chosen by `kind`: [`Function`](super::activation::Function).
                ActivationForward: forward, Sequences, Element, 1 -> 1, Some(activation::reverse);
                /// x, dy, dx: dx = dy ⊙ f′(x).
                ActivationBackward: backward, Sequences, Element, 2 -> 1, None;
            }
            add [] {
                /// a, b, y: y = a + b.
                AddForward: forward, Sequences, Element, 2 -> 1, Some(add::reverse);
                /// dy, dx: dx = dy (or += with `accumulate`).
                AddBackward: backward, Sequences, Element, 1 -> 1, None;
            }
            channel [] {
                /// parameters, x, y: y = x + b, one number a channel.
                BiasForward: bias, Sequences, Element, 2 -> 1, Some(channel::reverse_bias);
                /// dy, gradients: db = Σ dy.
                BiasBackward: bias_backward, Sequences, SplitChannel, 1 -> 1, None;
                /// parameters, x, y: y = d ⊙ x, one number a channel.
                ScaleForward: scale, Sequences, Element, 2 -> 1, Some(channel::reverse_scale);
                /// parameters, x, dy, dx, gradients: dx = d ⊙ dy, dd = Σ dy ⊙ x.
                ScaleBackward: scale_backward, Sequences, SplitChannel, 3 -> 2, None;
            }
            dense_scan [TILE] {
                /// parameters, u, h: h_t = A h_{t−1} + u_t.
                DenseScanForward: forward, Sequences, Sequence, 2 -> 1, Some(dense_scan::reverse);
                /// parameters, dh, du: du_t = dh_t + Aᵀ du_{t+1}.
                DenseScanBackward: backward, Sequences, Sequence, 2 -> 1, None;
                /// h, du, gradients: dA = Σ du_t h_{t−1}ᵀ; with `constant`, the bias behind A: db =
                /// Σ du_t.
                DenseScanBackwardWeight: backward_weight, Sequences, WeightTile, 2 -> 1, None;
            }
            complex_scan [RANDOM] {
                /// parameters, u, h, both in halves [re, im]: h_t = λ ⊙ h_{t−1} + γ ⊙ u_t, λ =
                /// exp(−exp(ν) + i exp(θ)), γ = exp(γ_log).
                ComplexScanForward: forward, Sequences, Channel,
                    2 -> 1, Some(complex_scan::reverse);
                /// parameters, u, h, dh, du, gradients: s_t = dh_t + λ̄ s_{t+1}, du_t = γ ⊙ s_t;
                /// dν, dθ, dγ_log.
                ComplexScanBackward: backward, Sequences, SplitChannel, 4 -> 2, None;
            }
            complex_readout [TILE] {
                /// parameters, h in halves [re, im], y: y = Re(C h).
                ComplexReadoutForward: forward, Sequences, OutputTile,
                    2 -> 1, Some(complex_readout::reverse);
                /// parameters, dy, dh: dh = [dy C_re, −dy C_im].
                ComplexReadoutBackwardInput: backward_input, Sequences, PairInputTile, 2 -> 1, None;
                /// h, dy, gradients: dC_re = dyᵀ h_re, then dC_im = −dyᵀ h_im.
                ComplexReadoutBackwardWeight: backward_weight, Sequences, PairWeightTile,
                    2 -> 1, None;
            }
            lstm [FUNCTIONS] {
                /// parameters, u [.., 4 n], gates [.., 4 n] = (i, f, g, o) after their
                /// nonlinearities, c, h: PyTorch's LSTM, W_hh and its bias at `weight`.
                LstmForward: forward, Sequences, Sequence, 2 -> 3, Some(lstm::reverse);
                /// parameters, gates, c, dh, du: the way back through time; du is also the gradient
                /// of W_hh h + b.
                LstmBackward: backward, Sequences, Sequence, 4 -> 1, None;
            }
            gru [FUNCTIONS] {
                /// parameters, u [.., 3 n], gates [.., 4 n] = (r, z, n, W_hn h + b_hn), h:
                /// PyTorch's GRU, W_hh and b_hh at `weight`.
                GruForward: forward, Sequences, Sequence, 2 -> 2, Some(gru::reverse);
                /// parameters, gates, h, dh, du, dq: the way back through time; dq is the gradient
                /// of W_hh h + b_hh.
                GruBackward: backward, Sequences, Sequence, 4 -> 2, None;
            }
            selective_scan [] {
                /// parameters, u, Δ [.., width_out], B [.., width_in], h [.., width_out, width_in]:
                /// h_t = exp(Δ A) ⊙ h_{t−1} + Δ u Bᵀ, A = −exp(a_log).
                SelectiveScanForward: forward, Sequences, State,
                    4 -> 1, Some(selective_scan::reverse);
                /// parameters, dh, Δ, h, s, gradients: s_t = dh_t + exp(Δ_{t+1} A) ⊙ s_{t+1};
                /// da_log.
                SelectiveScanBackward: backward, Sequences, SplitState, 4 -> 2, None;
                /// parameters, u, Δ, B, h, s, du, dΔ.
                SelectiveScanBackwardInput: backward_input, Sequences, Element, 6 -> 2, None;
                /// s, u, Δ, dB: dB = Σ s Δ u over the channels.
                SelectiveScanBackwardB: backward_b, Sequences, InputElement, 3 -> 1, None;
            }
            contract [] {
                /// h [.., width_out, width_in], C [.., width_in], y [.., width_out]: y = h C.
                ContractForward: forward, Sequences, Element, 2 -> 1, Some(contract::reverse);
                /// dy, C, dh: dh = dy Cᵀ.
                ContractBackwardH: backward_h, Sequences, Cell, 2 -> 1, None;
                /// h, dy, dC: dC = hᵀ dy.
                ContractBackwardC: backward_c, Sequences, InputElement, 2 -> 1, None;
            }
            attention [] {
                /// q, k, p [batch, time, time]: what attention multiplies values with, a softmax of
                /// scores or the scores themselves, by `kind`.
                AttentionWeights: weights, Sequences, Row, 2 -> 1, None;
                /// p, v, y: y_t = Σ_{s≤t} p_ts v_s.
                AttentionForward: forward, Sequences, Element, 2 -> 1, Some(attention::reverse);
                /// p, v, dy, da [batch, time, time]: the gradient of the scores.
                AttentionBackwardWeights: backward_weights, Sequences, Row, 3 -> 1, None;
                /// q, k, p, da, dy, dq, dk, dv.
                AttentionBackward: backward, Sequences, Element, 5 -> 3, None;
            }
            loss [] {
                /// ŷ, y, rows [batch · time, 2], dŷ: each row's Σ (ŷ − y)² and Σ y²; dŷ = 2 (ŷ − y)
                /// / N, N = batch · time · width_out;
                /// half of error and dŷ with `half`.
                LossSquaredError: squared_error, Sequences, Row, 2 -> 2, None;
                /// ŷ, class y `[batch · time]`, rows `[batch · time, 2]`, dŷ: each row's −log
                /// `softmax(ŷ)[y]` and 1, both times width_out;
                /// dŷ = (softmax(ŷ) − onehot(y)) / (batch · time).
                LossCrossEntropy: cross_entropy, Sequences, Row, 2 -> 2, None;
            }
            reduce [] {
                /// rows [batch · time, 2], clock, ring: sums over N = batch · time · width_out into
                /// the ring; notes a loss that is not finite.
                ReduceLoss: loss, After, One, 1 -> 2, None;
                /// gradients, clock: their norm over all parameters, summed over splits, into the
                /// clock's `excess` over its `clip`.
                ReduceGradient: gradient, After, One, 1 -> 1, None;
            }
            adamw [] {
                /// clock, decay mask, gradients, parameters, first moment, second moment: one AdamW
                /// step on the sum over splits.
                AdamwUpdate: update, After, Parameter, 3 -> 3, None;
            }
        }
    };
}
pub(crate) use kernels;

macro_rules! declare {
    ($($file:ident [$($shared:ident)*] {$(
        $(#[$doc:meta])*
        $name:ident: $entry:ident, $scope:ident, $grid:ident, $reads:literal -> $writes:literal,
            $rule:expr;
    )*})*) => {
        /// What a device can be asked to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kernel { $($($(#[$doc])* $name,)*)* }

        impl Kernel {
            /// Every kernel.
            pub const ALL: &[Self] = &[$($(Self::$name,)*)*];

            /// The file in `shaders/` and in `backend/cpu/`, without extension.
            pub fn file(self) -> &'static str {
                match self { $($(Self::$name)|* => stringify!($file),)* }
            }

            /// The entry point in the shader and the function of the CPU twin.
            pub fn entry(self) -> &'static str {
                match self { $($(Self::$name => stringify!($entry),)*)* }
            }

            /// Arguments that it reads, and those that it writes, which follow.
            pub fn arguments(self) -> [usize; 2] {
                match self { $($(Self::$name => [$reads, $writes],)*)* }
            }

            /// What an invocation owns.
            pub fn grid(self) -> Grid {
                match self { $($(Self::$name => Grid::$grid,)*)* }
            }

            /// Whole batch or block of sequences.
            pub fn scope(self) -> Scope {
                match self { $($(Self::$name => Scope::$scope,)*)* }
            }
        }
    };
}
kernels!(declare);

impl Kernel {
    /// How each argument is used, in the order of the bindings.
    pub fn access(self) -> impl Iterator<Item = Access> {
        let [reads, writes] = self.arguments();
        std::iter::repeat_n(Access::Read, reads).chain(std::iter::repeat_n(Access::Write, writes))
    }
}
