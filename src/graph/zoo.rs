//! The ops of the layers that the gated RNN is compared with: nonlinearities, sums, numbers a
//! channel, other recurrences.

use super::dims::Dims;
use super::kernel::Kernel;
use super::params::Init;
use super::{Graph, Var, as_u32};
use serde::{Deserialize, Serialize};

/// An elementwise nonlinearity; the numbers are `kind` in `activation.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Function {
    /// σ(x) = 1 / (1 + e⁻ˣ)
    Sigmoid = 0,
    /// x σ(2a), a = √(2/π) (x + 0.044715 x³): GELU in its tanh form.
    Gelu = 1,
    /// x σ(x)
    Silu = 2,
    /// ln(1 + eˣ)
    Softplus = 3,
}

impl Function {
    /// The function of that `kind`.
    pub fn of(kind: u32) -> Self {
        match kind {
            0 => Self::Sigmoid,
            1 => Self::Gelu,
            2 => Self::Silu,
            3 => Self::Softplus,
            other => unreachable!("no nonlinearity {other}"),
        }
    }
}

/// What attention makes of its scores a_ts = q_t · k_s, s ≤ t; the numbers are `kind` in
/// `attention.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u32)]
pub enum Scores {
    /// Weights that add up to 1: the softmax of a / √E over s.
    Softmax = 0,
    /// The scores themselves: linear attention.
    Linear = 1,
}

/// Where λ of a complex scan starts: uniform by area in the sector of the unit disk with phases in
/// [0, π/10], Orvieto et al.'s choice for long memories. With phases up to 2π two stacked LRUs stay
/// on a plateau above 1e-2 in most runs of figure 4A: λ = 1 is then too far to turn to.
const RING: (f32, f32) = (0.0, 1.0);
const PHASE: f32 = std::f32::consts::PI / 10.0;

impl Graph {
    /// y = f(x), number by number.
    pub fn apply(&mut self, name: &str, f: Function, x: Var) -> Var {
        let dims = Dims { kind: f as u32, ..self.rows_of(x) };
        self.elementwise(Kernel::ActivationForward, dims, name, &[x])
    }

    /// y = a + b.
    pub fn add(&mut self, name: &str, a: Var, b: Var) -> Var {
        assert_eq!(self.shape(a), self.shape(b), "{name}: a sum needs equal shapes");
        self.elementwise(Kernel::AddForward, self.rows_of(a), name, &[a, b])
    }

    /// y = x + b, parameter b `name` [width of x].
    pub fn bias(&mut self, name: &str, x: Var, init: Init) -> Var {
        self.channelwise(Kernel::BiasForward, name, x, init)
    }

    /// y = d ⊙ x, parameter d `name` [width of x].
    pub fn scale(&mut self, name: &str, x: Var, init: Init) -> Var {
        self.channelwise(Kernel::ScaleForward, name, x, init)
    }

    /// h_t = A h_{t−1} + u_t, h_0 = 0, parameter A `name` [n, n]; A starts orthogonal.
    pub fn dense_scan(&mut self, name: &str, u: Var) -> Var {
        let (time, n) = self.shape(u);
        let weight = self.params.declare(name, &[n, n], Init::Orthogonal { size: n }, true);
        let h = self.activation("h", time, n);
        let dims = Dims { weight, width_in: as_u32(n), ..self.rows_of(u) };
        self.record(Kernel::DenseScanForward, dims, vec![Self::PARAMETERS, u.id, h.id], vec![u], h)
    }

    /// PyTorch's LSTM on z; parameters `weight_ih` [4n, width of z], `weight_hh` [4n, n], `bias`
    /// [4n] with `prefix` before their names, in the order i, f, g, o:
    /// c_t = σ(f) ⊙ c_{t−1} + σ(i) ⊙ tanh(g), h_t = σ(o) ⊙ tanh(c_t). `weight_hh` starts
    /// orthogonal, the bias of f at 1.
    pub fn lstm(&mut self, prefix: &str, z: Var, n: usize) -> Var {
        let u = self.linear(&format!("{prefix}weight_ih"), z, 4 * n);
        let weight = self.params.declare(
            &format!("{prefix}weight_hh"),
            &[4 * n, n],
            Init::Orthogonal { size: n },
            true,
        );
        self.params.declare(&format!("{prefix}bias"), &[4 * n], Init::ForgetBias, true); // follows `weight_hh`, as the kernels expect
        let time = self.time_of(z);
        let [gates, c, h] = [("gates", 4 * n), ("c", n), ("h", n)]
            .map(|(name, width)| self.activation(&format!("{prefix}{name}"), time, width));
        let dims = Dims {
            weight,
            width_in: as_u32(n),
            width_out: as_u32(n),
            constant: 1,
            ..self.dims_of(z)
        };
        self.record(
            Kernel::LstmForward,
            dims,
            vec![Self::PARAMETERS, u.id, gates.id, c.id, h.id],
            vec![u],
            h,
        )
    }

    /// PyTorch's GRU on z; parameters `weight_ih` [3n, width of z], `bias_ih` [3n], `weight_hh`
    /// [3n, n], `bias_hh` [3n] with `prefix` before their names, in the order r, z, n:
    /// n = tanh(W_in z_t + b_in + r ⊙ (W_hn h_{t−1} + b_hn)), h_t = (1 − z) ⊙ n + z ⊙ h_{t−1}.
    /// `weight_hh` starts orthogonal.
    pub fn gru(&mut self, prefix: &str, z: Var, n: usize) -> Var {
        let u = self.linear(&format!("{prefix}weight_ih"), z, 3 * n);
        let u = self.bias(&format!("{prefix}bias_ih"), u, Init::Constant(0.0));
        let weight = self.params.declare(
            &format!("{prefix}weight_hh"),
            &[3 * n, n],
            Init::Orthogonal { size: n },
            true,
        );
        self.params.declare(&format!("{prefix}bias_hh"), &[3 * n], Init::Constant(0.0), true); // follows `weight_hh`, as the kernels expect
        let time = self.time_of(z);
        let [gates, h] = [("gates", 4 * n), ("h", n)]
            .map(|(name, width)| self.activation(&format!("{prefix}{name}"), time, width));
        let dims = Dims {
            weight,
            width_in: as_u32(n),
            width_out: as_u32(n),
            constant: 1,
            ..self.dims_of(z)
        };
        self.record(
            Kernel::GruForward,
            dims,
            vec![Self::PARAMETERS, u.id, gates.id, h.id],
            vec![u],
            h,
        )
    }

    /// B x of a complex B, as halves [re, im] of a row: parameters `name_re` and `name_im` [n,
    /// width of x], N(0, 1/(2 width)) each.
    pub fn complex_linear(&mut self, name: &str, x: Var, n: usize) -> Var {
        let (time, width) = self.shape(x);
        let init = Init::Normal { fan_in: 2 * width };
        let weight = self.params.declare(&format!("{name}_re"), &[n, width], init, true);
        self.params.declare(&format!("{name}_im"), &[n, width], init, true); // follows `_re`: together one matrix [2n, width]
        let u = self.activation(name, time, 2 * n);
        let dims = Dims { weight, ..self.matrix_dims(x, 2 * n) };
        self.record(Kernel::LinearForward, dims, vec![Self::PARAMETERS, x.id, u.id], vec![x], u)
    }

    /// h_t = λ ⊙ h_{t−1} + γ ⊙ u_t, h_0 = 0, complex numbers as halves [re, im] of a row;
    /// parameters `nu`, `theta`, `gamma_log` [n] with `prefix` before their names: λ =
    /// exp(−exp(ν) + i exp(θ)), γ = exp(γ_log). λ starts uniform in the unit disk's sector of
    /// phases up to π/10, γ at √(1 − |λ|²).
    pub fn complex_scan(&mut self, prefix: &str, u: Var) -> Var {
        let (time, width) = self.shape(u);
        let n = width / 2;
        let (min, max) = RING;
        let inits = [
            ("nu", Init::Ring { min, max }),
            ("theta", Init::Phase { max: PHASE }),
            ("gamma_log", Init::RingNorm { min, max }),
        ];
        let [weight, ..] = inits
            .map(|(name, init)| self.params.declare(&format!("{prefix}{name}"), &[n], init, false));
        let h = self.activation(&format!("{prefix}h"), time, width);
        let dims = Dims { weight, width_out: as_u32(n), ..self.dims_of(u) };
        self.record(
            Kernel::ComplexScanForward,
            dims,
            vec![Self::PARAMETERS, u.id, h.id],
            vec![u],
            h,
        )
    }

    /// Re(C h) for h in halves [re, im]: parameters `name_re` and `name_im` [width, n], N(0, 1/n)
    /// each.
    pub fn complex_readout(&mut self, name: &str, h: Var, width: usize) -> Var {
        let (time, n) = (self.time_of(h), self.width(h) / 2);
        let init = Init::Normal { fan_in: n };
        let weight = self.params.declare(&format!("{name}_re"), &[width, n], init, true);
        self.params.declare(&format!("{name}_im"), &[width, n], init, true); // follows `_re`, as the kernels expect
        let y = self.activation(name, time, width);
        let dims =
            Dims { weight, width_in: as_u32(n), width_out: as_u32(width), ..self.dims_of(h) };
        self.record(
            Kernel::ComplexReadoutForward,
            dims,
            vec![Self::PARAMETERS, h.id, y.id],
            vec![h],
            y,
        )
    }

    /// Mamba's recurrence: h_t[e, n] = exp(Δ_t[e] A[e, n]) h_{t−1}[e, n] + Δ_t[e] B_t[n] u_t[e] for
    /// u, Δ `[.., E]` and B `[.., N]`: h `[.., E · N]`. Parameter `name` = a_log [E, N], A =
    /// −exp(a_log); A starts at −1, −2 … −N in each channel (S4D-real).
    pub fn selective_scan(&mut self, name: &str, [u, delta, b]: [Var; 3]) -> Var {
        let ((time, width), state) = (self.shape(u), self.width(b));
        assert_eq!(self.shape(u), self.shape(delta), "{name}: one Δ for each number of u");
        let weight =
            self.params.declare(name, &[width, state], Init::Ladder { steps: state }, false);
        let h = self.activation("h", time, width * state);
        let dims = Dims { weight, width_in: as_u32(state), ..self.rows_of(u) };
        self.record(
            Kernel::SelectiveScanForward,
            dims,
            vec![Self::PARAMETERS, u.id, delta.id, b.id, h.id],
            vec![u, delta, b],
            h,
        )
    }

    /// y_t[e] = Σ_n C_t[n] h_t[e, n] for h `[.., E · N]` and C `[.., N]`: y `[.., E]`.
    pub fn contract(&mut self, name: &str, h: Var, c: Var) -> Var {
        let ((time, state), width) = (self.shape(c), self.width(h) / self.width(c));
        let y = self.activation(name, time, width);
        let dims = Dims { width_in: as_u32(state), ..self.rows_of(y) };
        self.record(Kernel::ContractForward, dims, vec![h.id, c.id, y.id], vec![h, c], y)
    }

    /// Causal self-attention with one head, y_t = Σ_{s≤t} p_ts v_s, for q, k, v of equal width.
    pub fn attention(&mut self, name: &str, [q, k, v]: [Var; 3], scores: Scores) -> Var {
        let (time, width) = self.shape(q);
        assert!(
            self.shape(k) == (time, width) && self.shape(v) == (time, width),
            "{name}: queries, keys and values have equal shapes"
        );
        let dims = Dims { kind: scores as u32, ..self.rows_of(q) };
        let [weights, y] = [(format!("{name}.weights"), time), (name.to_owned(), width)]
            .map(|(name, width)| self.activation(&name, time, width));
        self.record(Kernel::AttentionWeights, dims, vec![q.id, k.id, weights.id], vec![], weights); // reversed together with what follows
        self.record(Kernel::AttentionForward, dims, vec![weights.id, v.id, y.id], vec![q, k, v], y)
    }

    /// The dims of an op on the numbers of `value`.
    fn rows_of(&self, value: Var) -> Dims {
        Dims { width_out: as_u32(self.width(value)), ..self.dims_of(value) }
    }

    fn elementwise(&mut self, kernel: Kernel, dims: Dims, name: &str, inputs: &[Var]) -> Var {
        let (time, width) = self.shape(inputs[0]);
        let y = self.activation(name, time, width);
        let args = inputs.iter().map(|input| input.id).chain([y.id]).collect();
        self.record(kernel, dims, args, inputs.to_vec(), y)
    }

    fn channelwise(&mut self, kernel: Kernel, name: &str, x: Var, init: Init) -> Var {
        let (time, width) = self.shape(x);
        let weight = self.params.declare(name, &[width], init, true);
        let y = self.activation(name, time, width);
        let dims = Dims { weight, ..self.rows_of(x) };
        self.record(kernel, dims, vec![Self::PARAMETERS, x.id, y.id], vec![x], y)
    }
}
