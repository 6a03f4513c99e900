//! The one table: kernel ↔ shader entry ↔ bindings ↔ CPU twin (`backend/cpu/<file>.rs`, same
//! names).
//!
//! Argument i of a call is `@binding(i + 1)`; `@binding(0)` is [`super::dims::Dims`]. Matrices of
//! weights are `[out, in]` row-major at `dims.weight` in the parameters; activations are `[batch,
//! time, width]`.

/// How a kernel uses an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    Write,
}

/// What one invocation of a kernel owns; the dispatch size follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// A single workgroup.
    One,
    /// One row: batch · time.
    Row,
    /// Four neighbouring numbers of a `[batch, time, width_out]` array.
    Four,
    /// One number of a `[batch, time, width_out]` array.
    Element,
    /// A channel of a sequence: batch · width_out.
    Channel,
    /// One of the numbers that a channel of a sequence keeps: batch · width_out · width_in.
    State,
    /// The same of a split: splits · width_out · width_in.
    SplitState,
    /// One number of `[batch, time, width_out, width_in]`.
    Cell,
    /// One number of a `[batch, time, width_in]` array.
    InputElement,
    /// A whole sequence, by a workgroup of its own.
    Sequence,
    /// An 8 × 8 tile of `[batch · time, width_out]`.
    OutputTile,
    /// An 8 × 4 tile of both sides of a gate, each `[batch · time, width_out]`.
    PairOutputTile,
    /// An 8 × 8 tile of `[batch · time, width_in]`.
    InputTile,
    /// An 8 × 4 tile of both halves of `[batch · time, 2 · width_in]`.
    PairInputTile,
    /// An 8 × 8 tile of a weight `[width_out, width_in + constant]`, for one split.
    WeightTile,
    /// A 4 × 8 tile of both weights of a gate, each `[width_out, width_in + constant]`, for one
    /// split.
    PairWeightTile,
    /// A channel of a split: splits · width_out.
    SplitChannel,
    /// One parameter.
    Parameter,
}

/// What runs over the whole batch and what stays inside a block of sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Before the sequences: once a step.
    Before,
    /// Touches only its own sequences and its own row of the gradients.
    Sequences,
    /// After all sequences: once a step.
    After,
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident: $file:literal, $entry:literal, $scope:ident, $grid:ident, [$($access:ident),*];)*) => {
        /// What a device can be asked to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kernel { $($(#[$doc])* $name),* }

        impl Kernel {
            /// Every kernel.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The file in `shaders/` and in `backend/cpu/`, without extension.
            pub fn file(self) -> &'static str {
                match self { $(Self::$name => $file),* }
            }

            /// The entry point in the shader and the function of the CPU twin.
            pub fn entry(self) -> &'static str {
                match self { $(Self::$name => $entry),* }
            }

            /// How each argument is used, in the order of the bindings.
            pub fn access(self) -> &'static [Access] {
                match self { $(Self::$name => &[$(Access::$access),*]),* }
            }

            /// What an invocation owns.
            pub fn grid(self) -> Grid {
                match self { $(Self::$name => Grid::$grid),* }
            }

            /// Whole batch or block of sequences.
            pub fn scope(self) -> Scope {
                match self { $(Self::$name => Scope::$scope),* }
            }
        }
    };
}

kernels! {
    /// clock → the next step: its number, learning rate, weight decay, β₂, bias corrections.
    ClockAdvance: "clock", "advance", Before, One, [Write];
    /// clock, x: x ~ N(0, 1). Element e of x is component e mod 4 of the counter (seed, stream, step, e / 4).
    SampleNormal: "sample", "normal", Sequences, Four, [Read, Write];
    /// x, teacher [2, d, d], y: y_t = W_V Σ_{s≤t} x_s (x_s · W_Kᵀ W_Q x_t).
    AttentionTeacher: "attention_teacher", "forward", Sequences, Row, [Read, Read, Write];
    /// clock, settings [2], tokens, y [batch, 1, width_out − width_in]: T = time − 1 pairs (x, W x + noise), the query (x_q, 0), and W x_q.
    /// Streams: `stream` W, its successors x and the noise.
    RegressionTokens: "regression", "forward", Sequences, Row, [Read, Read, Write, Write];
    /// clock, tokens [batch, V + 1, 2 V], y [batch, 1, 1]: V = width_in pairs of one-hot key and value, a query, and the class it asks for.
    /// Streams: `stream` places, its successors values and queries.
    RecallTokens: "recall", "forward", Sequences, Row, [Read, Write, Write];
    /// clock, data [width_in, time, width_out], x: the batch's sequences of the data, in order with `half`, else at random.
    GatherForward: "gather", "forward", Sequences, Row, [Read, Read, Write];
    /// parameters, x, y: y = x Wᵀ.
    LinearForward: "linear", "forward", Sequences, OutputTile, [Read, Read, Write];
    /// parameters, dy, dx: dx = dy W.
    LinearBackwardInput: "linear", "backward_input", Sequences, InputTile, [Read, Read, Write];
    /// x, dy, gradients: dW = dyᵀ x.
    LinearBackwardWeight: "linear", "backward_weight", Sequences, WeightTile, [Read, Read, Write];
    /// parameters, x, sides, g: sides = [x W_mᵀ, x W_xᵀ] (2 · width_out a row), g = their elementwise product.
    BilinearForward: "bilinear", "forward", Sequences, PairOutputTile, [Read, Read, Write, Write];
    /// parameters, sides = [m, s], dg, dx: dx = (dg ⊙ s) W_m + (dg ⊙ m) W_x.
    BilinearBackwardInput: "bilinear", "backward_input", Sequences, InputTile, [Read, Read, Read, Write];
    /// x, sides = [m, s], dg, gradients: dW_m = (dg ⊙ s)ᵀ x, then dW_x = (dg ⊙ m)ᵀ x.
    BilinearBackwardWeight: "bilinear", "backward_weight", Sequences, PairWeightTile, [Read, Read, Read, Write];
    /// x [batch, time, width_out], y [batch, time − first, width_out]: y = x from time step `first` on.
    LastForward: "last", "forward", Sequences, Element, [Read, Write];
    /// dy [batch, time − first, width_out], dx [batch, time, width_out]: dx = dy from time step `first` on, 0 before (or += dy).
    LastBackward: "last", "backward", Sequences, Element, [Read, Write];
    /// a, b, y: y = a ⊙ b.
    HadamardForward: "hadamard", "forward", Sequences, Element, [Read, Read, Write];
    /// a, b, dy, da, db: da = dy ⊙ b, db = dy ⊙ a.
    HadamardBackward: "hadamard", "backward", Sequences, Element, [Read, Read, Read, Write, Write];
    /// parameters, u, h: h_t = λ ⊙ h_{t−1} + u_t, λ = exp(−exp(ν)).
    DiagonalScanForward: "diagonal_scan", "forward", Sequences, Channel, [Read, Read, Write];
    /// parameters, h, dh, du, gradients: du_t = dh_t + λ du_{t+1}; dν = −exp(ν) λ Σ du_t h_{t−1}.
    DiagonalScanBackward: "diagonal_scan", "backward", Sequences, SplitChannel, [Read, Read, Read, Write, Write];
    /// x, y: y = f(x), f chosen by `kind`: [`super::zoo::Function`].
    ActivationForward: "activation", "forward", Sequences, Element, [Read, Write];
    /// x, dy, dx: dx = dy ⊙ f′(x).
    ActivationBackward: "activation", "backward", Sequences, Element, [Read, Read, Write];
    /// a, b, y: y = a + b.
    AddForward: "add", "forward", Sequences, Element, [Read, Read, Write];
    /// dy, dx: dx = dy (or += with `accumulate`).
    AddBackward: "add", "backward", Sequences, Element, [Read, Write];
    /// parameters, x, y: y = x + b, one number a channel.
    BiasForward: "channel", "bias", Sequences, Element, [Read, Read, Write];
    /// dy, gradients: db = Σ dy.
    BiasBackward: "channel", "bias_backward", Sequences, SplitChannel, [Read, Write];
    /// parameters, x, y: y = d ⊙ x, one number a channel.
    ScaleForward: "channel", "scale", Sequences, Element, [Read, Read, Write];
    /// parameters, x, dy, dx, gradients: dx = d ⊙ dy, dd = Σ dy ⊙ x.
    ScaleBackward: "channel", "scale_backward", Sequences, SplitChannel, [Read, Read, Read, Write, Write];
    /// parameters, u, h: h_t = A h_{t−1} + u_t.
    DenseScanForward: "dense_scan", "forward", Sequences, Sequence, [Read, Read, Write];
    /// parameters, dh, du: du_t = dh_t + Aᵀ du_{t+1}.
    DenseScanBackward: "dense_scan", "backward", Sequences, Sequence, [Read, Read, Write];
    /// h, du, gradients: dA = Σ du_t h_{t−1}ᵀ; with `constant`, the bias behind A: db = Σ du_t.
    DenseScanBackwardWeight: "dense_scan", "backward_weight", Sequences, WeightTile, [Read, Read, Write];
    /// parameters, u, h, both in halves [re, im]: h_t = λ ⊙ h_{t−1} + γ ⊙ u_t, λ = exp(−exp(ν) + i exp(θ)), γ = exp(γ_log).
    ComplexScanForward: "complex_scan", "forward", Sequences, Channel, [Read, Read, Write];
    /// parameters, u, h, dh, du, gradients: s_t = dh_t + λ̄ s_{t+1}, du_t = γ ⊙ s_t; dν, dθ, dγ_log.
    ComplexScanBackward: "complex_scan", "backward", Sequences, SplitChannel, [Read, Read, Read, Read, Write, Write];
    /// parameters, h in halves [re, im], y: y = Re(C h).
    ComplexReadoutForward: "complex_readout", "forward", Sequences, OutputTile, [Read, Read, Write];
    /// parameters, dy, dh: dh = [dy C_re, −dy C_im].
    ComplexReadoutBackwardInput: "complex_readout", "backward_input", Sequences, PairInputTile, [Read, Read, Write];
    /// h, dy, gradients: dC_re = dyᵀ h_re, then dC_im = −dyᵀ h_im.
    ComplexReadoutBackwardWeight: "complex_readout", "backward_weight", Sequences, PairWeightTile, [Read, Read, Write];
    /// parameters, u [.., 4 n], gates [.., 4 n] = (i, f, g, o) after their nonlinearities, c, h: PyTorch's LSTM, W_hh and its bias at `weight`.
    LstmForward: "lstm", "forward", Sequences, Sequence, [Read, Read, Write, Write, Write];
    /// parameters, gates, c, dh, du: the way back through time; du is also the gradient of W_hh h + b.
    LstmBackward: "lstm", "backward", Sequences, Sequence, [Read, Read, Read, Read, Write];
    /// parameters, u [.., 3 n], gates [.., 4 n] = (r, z, n, W_hn h + b_hn), h: PyTorch's GRU, W_hh and b_hh at `weight`.
    GruForward: "gru", "forward", Sequences, Sequence, [Read, Read, Write, Write];
    /// parameters, gates, h, dh, du, dq: the way back through time; dq is the gradient of W_hh h + b_hh.
    GruBackward: "gru", "backward", Sequences, Sequence, [Read, Read, Read, Read, Write, Write];
    /// parameters, u, Δ [.., width_out], B [.., width_in], h [.., width_out, width_in]: h_t = exp(Δ A) ⊙ h_{t−1} + Δ u Bᵀ, A = −exp(a_log).
    SelectiveScanForward: "selective_scan", "forward", Sequences, State, [Read, Read, Read, Read, Write];
    /// parameters, dh, Δ, h, s, gradients: s_t = dh_t + exp(Δ_{t+1} A) ⊙ s_{t+1}; da_log.
    SelectiveScanBackward: "selective_scan", "backward", Sequences, SplitState, [Read, Read, Read, Read, Write, Write];
    /// parameters, u, Δ, B, h, s, du, dΔ.
    SelectiveScanBackwardInput: "selective_scan", "backward_input", Sequences, Element, [Read, Read, Read, Read, Read, Read, Write, Write];
    /// s, u, Δ, dB: dB = Σ s Δ u over the channels.
    SelectiveScanBackwardB: "selective_scan", "backward_b", Sequences, InputElement, [Read, Read, Read, Write];
    /// h [.., width_out, width_in], C [.., width_in], y [.., width_out]: y = h C.
    ContractForward: "contract", "forward", Sequences, Element, [Read, Read, Write];
    /// dy, C, dh: dh = dy Cᵀ.
    ContractBackwardH: "contract", "backward_h", Sequences, Cell, [Read, Read, Write];
    /// h, dy, dC: dC = hᵀ dy.
    ContractBackwardC: "contract", "backward_c", Sequences, InputElement, [Read, Read, Write];
    /// q, k, p [batch, time, time]: what attention multiplies values with, a softmax of scores or the scores themselves, by `kind`.
    AttentionWeights: "attention", "weights", Sequences, Row, [Read, Read, Write];
    /// p, v, y: y_t = Σ_{s≤t} p_ts v_s.
    AttentionForward: "attention", "forward", Sequences, Element, [Read, Read, Write];
    /// p, v, dy, da [batch, time, time]: the gradient of the scores.
    AttentionBackwardWeights: "attention", "backward_weights", Sequences, Row, [Read, Read, Read, Write];
    /// q, k, p, da, dy, dq, dk, dv.
    AttentionBackward: "attention", "backward", Sequences, Element, [Read, Read, Read, Read, Read, Write, Write, Write];
    /// ŷ, y, rows [batch · time, 2], dŷ: each row's Σ (ŷ − y)² and Σ y²; dŷ = 2 (ŷ − y) / N, N = batch · time · width_out;
    /// half of error and dŷ with `half`.
    LossSquaredError: "loss", "squared_error", Sequences, Row, [Read, Read, Write, Write];
    /// ŷ, class y [batch · time], rows [batch · time, 2], dŷ: each row's −log softmax(ŷ)[y] and 1, both times width_out;
    /// dŷ = (softmax(ŷ) − onehot(y)) / (batch · time).
    LossCrossEntropy: "loss", "cross_entropy", Sequences, Row, [Read, Read, Write, Write];
    /// rows [batch · time, 2], clock, ring: sums over N = batch · time · width_out into the ring; notes a loss that is not finite.
    ReduceLoss: "reduce", "loss", After, One, [Read, Write, Write];
    /// gradients, clock: their norm over all parameters, summed over splits, into the clock's `excess` over its `clip`.
    ReduceGradient: "reduce", "gradient", After, One, [Read, Write];
    /// clock, decay mask, gradients, parameters, first moment, second moment: one AdamW step on the sum over splits.
    AdamwUpdate: "adamw", "update", After, Parameter, [Read, Read, Read, Write, Write, Write];
}
