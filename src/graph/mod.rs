//! Record → differentiate → compile: a model calls [`Graph`]'s methods once, [`vjp`] appends the
//! reverse rules, and [`program::Program`] is the flat list of kernel calls that a backend replays
//! every step. Time loops live inside the ops, never in the graph. Imports only `math`.
//!
//! Start with [`Graph`] (what a model file may say; [`zoo`] has the ops of the other layers), then
//! [`kernel`] (what a device must do).

pub mod dims;
pub mod kernel;
pub mod params;
pub mod program;
pub mod vjp;
pub mod zoo;

use dims::Dims;
use kernel::Kernel;
use params::{Init, ParamTable};

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
    /// One row of `width` numbers a sequence and time step: `[batch, time, width]`.
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
    id: BufferId,
    constant: bool,
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
    /// Numbers in it.
    pub len: usize,
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

/// A recording of one step's forward pass. Models call the methods in the order of their equation.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Sequences a step.
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
        let splits = (batch * time / ROWS_PER_SPLIT).clamp(1, batch.min(MAX_SPLITS));
        let fixed = [
            ("parameters", Storage::Parameters, 0),
            ("gradients", Storage::Gradients, 0),
            ("first_moment", Storage::FirstMoment, 0),
            ("second_moment", Storage::SecondMoment, 0),
            ("decay_mask", Storage::DecayMask, 0),
            ("clock", Storage::Clock, dims::CLOCK_LEN),
            ("ring", Storage::Ring, 2 * dims::RING),
            ("loss_rows", Storage::LossRows, 2 * batch * time),
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

    fn shape(&self, value: Var) -> (usize, usize) {
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

    /// x ~ N(0, 1), fresh every step: `[batch, time, width]`.
    pub fn sample_normal(&mut self, name: &str, width: usize) -> Var {
        let x = self.input(name, width);
        let dims = Dims {
            width_out: as_u32(width),
            stream: crate::math::random::stream_of(name),
            ..self.dims()
        };
        self.record(Kernel::SampleNormal, dims, vec![Self::CLOCK, x.id], vec![], x)
    }

    /// Linear self-attention y_t = W_V Σ_{s≤t} x_s (x_s · W_Kᵀ W_Q x_t) of a fixed teacher;
    /// the host writes its two matrices `[2, d, d]`: W_V, then W_Kᵀ W_Q.
    pub fn attention_teacher(&mut self, x: Var) -> Var {
        let d = self.width(x);
        let teacher = self.buffer("teacher", Storage::Constant, 2 * d * d);
        let y = self.input("y", d);
        let dims = Dims { width_in: as_u32(d), width_out: as_u32(d), ..self.dims() };
        self.record(Kernel::AttentionTeacher, dims, vec![x.id, teacher, y.id], vec![], y)
    }

    /// In-context regression: `time − 1` pairs and a query, tokens `[batch, time, inputs +
    /// outputs]` and targets `[batch, 1, outputs]`; the host writes `regression`: the scale of
    /// W's entries and the size of the noise.
    pub fn regression_tokens(&mut self, inputs: usize, outputs: usize) -> (Var, Var) {
        let settings = self.buffer("regression", Storage::Constant, 2);
        let (x, y) = (self.input("x", inputs + outputs), self.input_of("y", 1, outputs));
        let stream = crate::math::random::stream_of("regression");
        let dims = Dims {
            width_in: as_u32(inputs),
            width_out: as_u32(inputs + outputs),
            stream,
            ..self.dims()
        };
        (
            self.record(
                Kernel::RegressionTokens,
                dims,
                vec![Self::CLOCK, settings, x.id, y.id],
                vec![],
                x,
            ),
            y,
        )
    }

    /// Associative recall of `time − 1` pairs: tokens `[batch, time, 2 (time − 1)]` and the class
    /// that the query asks for `[batch, 1, 1]`.
    pub fn recall_tokens(&mut self) -> (Var, Var) {
        let pairs = self.time - 1;
        let (x, y) = (self.input("x", 2 * pairs), self.input_of("y", 1, 1));
        let stream = crate::math::random::stream_of("recall");
        let dims =
            Dims { width_in: as_u32(pairs), width_out: as_u32(2 * pairs), stream, ..self.dims() };
        (self.record(Kernel::RecallTokens, dims, vec![Self::CLOCK, x.id, y.id], vec![], x), y)
    }

    /// A batch `[batch, time, width]` of `sequences` that the host writes, all of them, to the
    /// constant `data.<name>`: in order, round and round, or drawn at random with replacement.
    /// Equal choices for every `name`.
    pub fn gather(
        &mut self,
        name: &str,
        [sequences, time, width]: [usize; 3],
        in_order: bool,
    ) -> Var {
        let data =
            self.buffer(&format!("data.{name}"), Storage::Constant, sequences * time * width);
        let x = self.input_of(name, time, width);
        let stream = crate::math::random::stream_of("file");
        let dims = Dims {
            width_in: as_u32(sequences),
            width_out: as_u32(width),
            stream,
            half: u32::from(in_order),
            ..self.dims_of(x)
        };
        self.record(Kernel::GatherForward, dims, vec![Self::CLOCK, data, x.id], vec![], x)
    }

    /// y = x Wᵀ, W `name` [width, width of x (+1)].
    pub fn linear(&mut self, name: &str, x: Var, width: usize) -> Var {
        let weight = self.matrix(name, x, width);
        let y = self.activation(name, self.time_of(x), width);
        let dims = Dims { weight, ..self.matrix_dims(x, width) };
        self.record(Kernel::LinearForward, dims, vec![Self::PARAMETERS, x.id, y.id], vec![x], y)
    }

    /// The paper's gate: (x W_mᵀ) ⊙ (x W_xᵀ), parameters `name.m` and `name.x` [width, width of x
    /// (+1)].
    pub fn bilinear(&mut self, name: &str, x: Var, width: usize) -> Var {
        let weight = self.matrix(&format!("{name}.m"), x, width);
        self.matrix(&format!("{name}.x"), x, width); // follows `.m`, as the kernels expect
        let time = self.time_of(x);
        let sides = self.activation(&format!("{name}.sides"), time, 2 * width);
        let g = self.activation(name, time, width);
        let dims = Dims { weight, ..self.matrix_dims(x, width) };
        let args = vec![Self::PARAMETERS, x.id, sides.id, g.id];
        self.record(Kernel::BilinearForward, dims, args, vec![x], g)
    }

    /// y = a ⊙ b.
    pub fn hadamard(&mut self, name: &str, a: Var, b: Var) -> Var {
        let (time, width) = self.shape(a);
        assert_eq!(
            (time, width),
            self.shape(b),
            "{name}: an elementwise product needs equal shapes"
        );
        let y = self.activation(name, time, width);
        let dims = Dims { width_out: as_u32(width), ..self.dims_of(a) };
        self.record(Kernel::HadamardForward, dims, vec![a.id, b.id, y.id], vec![a, b], y)
    }

    /// h_t = λ ⊙ h_{t−1} + u_t, h_0 = 0, λ = exp(−exp(ν)), parameter `name` = ν [width of u];
    /// λ starts uniform in (0.01, 0.99).
    pub fn diagonal_scan(&mut self, name: &str, u: Var) -> Var {
        let width = self.width(u);
        let weight =
            self.params.declare(name, &[width], Init::Decay { min: 0.01, max: 0.99 }, false);
        let h = self.activation("h", self.time_of(u), width);
        let dims = Dims { weight, width_out: as_u32(width), ..self.dims_of(u) };
        self.record(
            Kernel::DiagonalScanForward,
            dims,
            vec![Self::PARAMETERS, u.id, h.id],
            vec![u],
            h,
        )
    }

    /// The last `steps` time steps of x: what a loss over the end of a sequence needs, and nothing
    /// before it.
    pub fn last(&mut self, x: Var, steps: usize) -> Var {
        let (time, width) = self.shape(x);
        assert!((1..=time).contains(&steps), "the last {steps} of {time} time steps");
        if steps == time {
            return x;
        }
        let name = format!("{}.last", self.buffers[x.id.0].name);
        let y = self.activation(&name, steps, width);
        if self.data.contains(&x.id) {
            self.data.push(y.id);
        }
        let dims =
            Dims { width_out: as_u32(width), first: as_u32(time - steps), ..self.dims_of(x) };
        self.record(Kernel::LastForward, dims, vec![x.id, y.id], vec![x], y)
    }

    /// Mean of (ŷ − y)² over batch, time steps and outputs, or half of it; starts the way back.
    pub fn squared_error(&mut self, prediction: Var, target: Var, half: bool) {
        assert_eq!(
            self.shape(prediction),
            self.shape(target),
            "prediction and target have equal shapes"
        );
        self.record_loss(Kernel::LossSquaredError, prediction, target, half);
    }

    /// Mean over batch and time steps of −log softmax(ŷ)[y], with y a class number `[batch, time,
    /// 1]`.
    pub fn cross_entropy(&mut self, prediction: Var, target: Var) {
        assert_eq!(self.shape(target), (self.time_of(prediction), 1), "a class number a token");
        self.record_loss(Kernel::LossCrossEntropy, prediction, target, false);
    }

    fn record_loss(&mut self, kernel: Kernel, prediction: Var, target: Var, half: bool) {
        let (time, width) = self.shape(prediction);
        self.buffers[Self::LOSS_ROWS.0].len = 2 * self.batch * time;
        let dims =
            Dims { width_out: as_u32(width), half: u32::from(half), ..self.dims_of(prediction) };
        let args = vec![prediction.id, target.id];
        self.loss =
            Some(Op { kernel, dims, args, inputs: vec![prediction], output: Self::LOSS_ROWS });
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
    fn dims_of(&self, value: Var) -> Dims {
        Dims { time: as_u32(self.time_of(value)), ..self.dims() }
    }

    pub(crate) fn buffer(&mut self, name: &str, storage: Storage, len: usize) -> BufferId {
        self.buffers.push(Buffer { name: name.into(), storage, len });
        BufferId(self.buffers.len() - 1)
    }

    pub(crate) fn activation(&mut self, name: &str, time: usize, width: usize) -> Var {
        let id = self.buffer(name, Storage::Activation { time, width }, self.batch * time * width);
        Var { id, constant: false }
    }

    fn matrix(&mut self, name: &str, x: Var, width: usize) -> u32 {
        let fan_in = self.width(x) + usize::from(x.constant);
        self.params.declare(name, &[width, fan_in], Init::Normal { fan_in }, true)
    }

    fn matrix_dims(&self, x: Var, width: usize) -> Dims {
        Dims {
            width_in: as_u32(self.width(x)),
            width_out: as_u32(width),
            constant: u32::from(x.constant),
            ..self.dims_of(x)
        }
    }

    fn record(
        &mut self,
        kernel: Kernel,
        dims: Dims,
        args: Vec<BufferId>,
        inputs: Vec<Var>,
        output: Var,
    ) -> Var {
        self.ops.push(Op { kernel, dims, args, inputs, output: output.id });
        output
    }
}

pub(crate) fn as_u32(value: usize) -> u32 {
    u32::try_from(value).expect("sizes fit 32 bits")
}
