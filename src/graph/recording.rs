//! A recording of one step's forward pass, and what it is made of.

use super::dims;
use super::dims::{Dims, as_u32};
use super::op::Kernel;
use super::params::{Init, ParamTable};

/// A buffer of the program, by its place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BufferId(pub usize);

/// Where a buffer lives and how large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// All parameters, flat, in the order of [`ParamTable`]. One each.
    Parameters,
    /// Gradients: `[splits, parameters]`; each split of the batch owns one row.
    Gradients,
    /// AdamW's running mean of gradients.
    FirstMoment,
    /// AdamW's running mean of squared gradients.
    SecondMoment,
    /// 1 where weight decay applies, else 0; one number a parameter.
    DecayMask,
    /// Step counter, seed and schedules: [`dims::Clock`].
    Clock,
    /// Squared error and squared target of each row, `[batch · time, 2]`.
    LossRows,
    /// Loss and target power of the latest steps, `[RING, 2]`.
    Ring,
    /// Numbers that stay what they are for the whole run (a teacher).
    Constant,
    /// One row of `width` values per sequence and time step: `[batch, time, width]`.
    Activation {
        /// Time steps: all of them, or the last ones.
        time: usize,
        /// Numbers a row.
        width: usize,
    },
}

/// A value in the graph: an activation `[batch, time, width]`, seen with or without an appended
/// constant 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var {
    pub(super) id: BufferId,
    pub(super) constant: bool,
}

impl Var {
    /// The same value with a constant 1 appended to each row: x̃ = [x; 1].
    #[must_use]
    pub fn with_constant(self) -> Self {
        Self { constant: true, ..self }
    }

    /// The buffer that holds it.
    pub fn id(self) -> BufferId {
        self.id
    }
}

/// One buffer of the program.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// For listings, tests and probes: `x`, `teacher`, `input_gate`, `nu`, `grad.nu` …
    pub name: String,
    /// Where it lives.
    pub storage: Storage,
    /// Numbers in it. 64 bits also where addresses have 32: a product of sizes that are allowed one
    /// by one may be too large for any memory, which a backend then says.
    pub len: u64,
}

impl Buffer {
    /// [`Buffer::len`] for indices into a buffer that a backend has accepted.
    pub fn count(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }
}

/// Numbers in an array of that shape, at most [`u64::MAX`].
pub fn numbers(shape: &[usize]) -> u64 {
    shape.iter().fold(1, |product, &size| product.saturating_mul(size as u64))
}

/// One recorded op: what to do forward, and what its reverse rule needs.
#[derive(Debug, Clone)]
pub struct Op {
    pub(crate) kernel: Kernel,
    pub(crate) dims: Dims,
    pub(crate) args: Vec<BufferId>,
    /// Buffers, among `args`, whose gradient the reverse rule produces, and the one it starts
    /// from.
    pub(crate) inputs: Vec<Var>,
    pub(crate) output: BufferId,
}

impl Op {
    /// All `N` arguments of its kernel.
    pub(super) fn args<const N: usize>(&self) -> [BufferId; N] {
        self.args[..].try_into().expect("a rule knows its kernel's arguments")
    }

    /// The `N` values that gradients flow to.
    pub(super) fn inputs<const N: usize>(&self) -> [BufferId; N] {
        let inputs: [Var; N] = self.inputs[..].try_into().expect("a rule knows its op's inputs");
        inputs.map(Var::id)
    }
}

/// A recording of one step's forward pass. Models call the methods in the order of their equation.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Sequences per step.
    pub batch: usize,
    /// Tokens a sequence.
    pub time: usize,
    /// Rows of the gradient buffer: blocks of sequences whose weight gradients are summed apart.
    pub splits: usize,
    /// The parameters, in the order of their declaration.
    pub params: ParamTable,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) ops: Vec<Op>,
    /// Buffers that hold data: nothing flows back into them.
    pub(crate) data: Vec<BufferId>,
    pub(crate) loss: Option<Op>,
}

/// Rows that one split should hold: few enough for a core's cache, enough for a matrix product.
const ROWS_PER_SPLIT: usize = 128;
/// At most this many splits, so that the gradient buffer stays small.
const MAX_SPLITS: usize = 16;

impl Graph {
    /// The place of the parameters in the buffer table.
    pub const PARAMETERS: BufferId = BufferId(0);
    /// The place of the gradients.
    pub const GRADIENTS: BufferId = BufferId(1);
    /// The place of AdamW's first moment.
    pub const FIRST_MOMENT: BufferId = BufferId(2);
    /// The place of AdamW's second moment.
    pub const SECOND_MOMENT: BufferId = BufferId(3);
    /// The place of the weight-decay mask.
    pub const DECAY_MASK: BufferId = BufferId(4);
    /// The place of the clock.
    pub const CLOCK: BufferId = BufferId(5);
    /// The place of the ring of losses.
    pub const RING: BufferId = BufferId(6);
    /// The place of each row's loss.
    pub const LOSS_ROWS: BufferId = BufferId(7);

    /// An empty recording for `batch` sequences of `time` tokens.
    pub fn new(batch: usize, time: usize) -> Self {
        assert!(batch > 0 && time > 0, "a batch without tokens");
        let splits = (batch.saturating_mul(time) / ROWS_PER_SPLIT).clamp(1, batch.min(MAX_SPLITS));
        let fixed = [
            ("parameters", Storage::Parameters, 0),
            ("gradients", Storage::Gradients, 0),
            ("first_moment", Storage::FirstMoment, 0),
            ("second_moment", Storage::SecondMoment, 0),
            ("decay_mask", Storage::DecayMask, 0),
            ("clock", Storage::Clock, dims::CLOCK_LEN as u64),
            ("ring", Storage::Ring, 2 * dims::RING as u64),
            ("loss_rows", Storage::LossRows, numbers(&[2, batch, time])),
        ];
        let buffers =
            fixed.map(|(name, storage, len)| Buffer { name: name.into(), storage, len }).to_vec();
        Self {
            batch,
            time,
            splits,
            params: ParamTable::default(),
            buffers,
            ops: vec![],
            data: vec![],
            loss: None,
        }
    }

    /// Numbers a row of `value`, without the appended 1.
    pub fn width(&self, value: Var) -> usize {
        self.shape(value).1
    }

    /// Time steps of `value`.
    pub fn time_of(&self, value: Var) -> usize {
        self.shape(value).0
    }

    pub(super) fn shape(&self, value: Var) -> (usize, usize) {
        match self.buffers[value.id.0].storage {
            Storage::Activation { time, width } => (time, width),
            other => unreachable!("a Var is an activation, not {other:?}"),
        }
    }

    /// An activation `[batch, time, width]` that the host writes (evaluation, tests).
    pub fn input(&mut self, name: &str, width: usize) -> Var {
        self.input_of(name, self.time, width)
    }

    /// The same for the last `time` steps only.
    pub fn input_of(&mut self, name: &str, time: usize, width: usize) -> Var {
        let value = self.activation(name, time, width);
        self.data.push(value.id);
        value
    }

    /// The dims that all calls share.
    pub(crate) fn dims(&self) -> Dims {
        Dims {
            batch: as_u32(self.batch),
            time: as_u32(self.time),
            splits: as_u32(self.splits),
            ..Dims::default()
        }
    }

    /// The same for an op that walks over the time steps of `value`.
    pub(super) fn dims_of(&self, value: Var) -> Dims {
        Dims { time: as_u32(self.time_of(value)), ..self.dims() }
    }

    /// The same for an op on the numbers of `value`.
    pub(super) fn rows_of(&self, value: Var) -> Dims {
        Dims { width_out: as_u32(self.width(value)), ..self.dims_of(value) }
    }

    /// The same for a matrix `[n, n]`.
    pub(super) fn square_dims(&self, value: Var, n: usize) -> Dims {
        Dims { width_in: as_u32(n), width_out: as_u32(n), ..self.dims_of(value) }
    }

    /// A constant of that shape, which the host writes.
    pub(super) fn constant(&mut self, name: &str, shape: &[usize]) -> BufferId {
        self.buffer(name, Storage::Constant, numbers(shape))
    }

    pub(super) fn buffer(&mut self, name: &str, storage: Storage, len: u64) -> BufferId {
        self.buffers.push(Buffer { name: name.into(), storage, len });
        BufferId(self.buffers.len() - 1)
    }

    pub(super) fn activation(&mut self, name: &str, time: usize, width: usize) -> Var {
        let len = numbers(&[self.batch, time, width]);
        let id = self.buffer(name, Storage::Activation { time, width }, len);
        Var { id, constant: false }
    }

    pub(super) fn matrix(&mut self, name: &str, x: Var, width: usize) -> u32 {
        let fan_in = self.width(x) + usize::from(x.constant);
        self.params.declare(name, &[width, fan_in], Init::Normal { fan_in }, true)
    }

    pub(super) fn matrix_dims(&self, x: Var, width: usize) -> Dims {
        Dims {
            width_in: as_u32(self.width(x)),
            width_out: as_u32(width),
            constant: u32::from(x.constant),
            ..self.dims_of(x)
        }
    }

    pub(super) fn elementwise<const N: usize>(
        &mut self,
        kernel: Kernel,
        dims: Dims,
        name: &str,
        inputs: [Var; N],
    ) -> Var {
        let (time, width) = self.shape(inputs[0]);
        let y = self.activation(name, time, width);
        let args: Vec<BufferId> = inputs.iter().map(|input| input.id).chain([y.id]).collect();
        self.record(kernel, dims, args, &inputs, y)
    }

    pub(super) fn record(
        &mut self,
        kernel: Kernel,
        dims: Dims,
        args: impl Into<Vec<BufferId>>,
        inputs: &[Var],
        output: Var,
    ) -> Var {
        let (args, inputs) = (args.into(), inputs.to_vec());
        self.ops.push(Op { kernel, dims, args, inputs, output: output.id });
        output
    }
}
