//! What a row of the table of kernels ([`super::op`]) says beside names.

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
