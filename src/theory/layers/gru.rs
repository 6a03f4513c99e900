//! How far a GRU layer gets with linear attention, and what its gates lack.
//!
//! h_t = (1 − z) n + z h_{t−1}, n = tanh(a_n + r ⊙ W_hn h_{t−1}), ŷ_t = D h_t. With r = 1 (bias 40)
//! and W_hn = 1 on itself, a neuron in the linear range of tanh is h_t = (1 − z)(a_n + h_{t−1}) + z
//! h_{t−1} = h_{t−1} + (1 − z) a_n: though the update gate trades writing for keeping, such a
//! neuron keeps all and writes through its gate, as an LSTM's cell does. So per output i (a_n = ε_v
//! v_i, tiny, as in [`super::lstm`]):
//!
//! neuron    gates                 count   h_t
//! A_ij      1 − z = σ(ε k_j)      d²      Σ_{s≤t} σ(ε k_j) v_i
//! B_i       z = 1/2               d       Σ_{s≤t} v_i / 2
//! R_ij      z = 0, r = σ(ε q_j)   d²      σ(ε q_j) S_{t−1,ij}, with W_hn = (4/ε)(A_ij − B_i)
//! R'_ij     z = 0, r = 1/2        d²      S_{t−1,ij} / 2, with the same W_hn: equal rounding,
//! which cancels
//!
//! ŷ_i = (4/ε) Σ_j (R_ij − R'_ij) = Σ_j S_{t−1,ij} q_j (1 + O(ε²)): attention to the tokens
//! *before* the current one. A reset gate can multiply only what was in the state, so the current
//! token's own v_i (k · q), a product of three readings of one token, is what the gates lack: from
//! the zero state they reach (1 − z) a_n, degree 2 ([`super::expansion`]). An LSTM's output gate
//! comes after its cell and reaches degree 3.
//!
//! That is all that the linear range says. Outside it the curvature of tanh gives cubes, and cubes
//! give products: Σ_{s,s'} s s' tanh(η(v_i + s k_j + s' q_j)) = −8 η³ v_i k_j q_j (1 + O(η²)), s,
//! s' = ±1, with z = 0: 4 d² more neurons (C_ij) and a loss of 1/η² of the precision complete the
//! layer. So "no GRU layer is linear attention" holds for gates and tanh in their linear range
//! only.

use super::weights::{OPEN, VALUE_SCALE, Weights};
use crate::task::Teacher;
use crate::theory::teacher::matrix;

/// 3d² + d neurons, and with `curved` 4d² more for the current token's own term (η = ε).
pub(super) fn build(weights: &mut Weights, teacher: &Teacher, epsilon: f64, curved: bool) {
    let d = teacher.dim;
    let [value, key, query] =
        [&teacher.value, &teacher.key, &teacher.query].map(|numbers| matrix(numbers, d));
    let memory = d * d + d; // A_ij, then B_i
    let readers = memory + 2 * d * d; // and R_ij, then R'_ij
    let n = weights.architecture.sizes.hidden; // curved, 4 d² more
    let row = |gate: usize, neuron: usize| gate * n + neuron; // gates in the order r, z, n
    let undo = 4.0 / epsilon;
    for i in 0..d {
        let half = d * d + i;
        for j in 0..d {
            let (sum, reader, reader_half) =
                (i * d + j, memory + i * d + j, memory + d * d + i * d + j);
            weights.row("weight_ih", row(1, sum), key.row(j), -epsilon); // 1 − z = σ(−a_z)
            weights.row("weight_ih", row(0, reader), query.row(j), epsilon);
            for (neuron, sign) in [(reader, 1.0), (reader_half, -1.0)] {
                weights.set("weight_hh", row(2, neuron), sum, undo);
                weights.set("weight_hh", row(2, neuron), half, -undo);
                weights.set("readout", i, neuron, sign * undo / VALUE_SCALE);
            }
        }
        for sum in (0..d).map(|j| i * d + j).chain([half]) {
            weights.row("weight_ih", row(2, sum), value.row(i), VALUE_SCALE);
            weights.set("weight_hh", row(2, sum), sum, 1.0);
            weights.set("bias_ih", row(0, sum), 0, OPEN);
        }
    }
    (memory..n).for_each(|neuron| weights.set("bias_ih", row(1, neuron), 0, -OPEN));
    if curved {
        let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        for (place, [s, t]) in signs.into_iter().enumerate() {
            for (i, j) in (0..d * d).map(|pair| (pair / d, pair % d)) {
                let neuron = readers + place * d * d + i * d + j;
                let sum: Vec<f64> = (0..d)
                    .map(|c| value.at(i, c) + s * key.at(j, c) + t * query.at(j, c))
                    .collect();
                weights.row("weight_ih", row(2, neuron), &sum, epsilon);
                weights.set("readout", i, neuron, -s * t / (8.0 * epsilon.powi(3)));
            }
        }
    }
}
