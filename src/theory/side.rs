//! Side gating (paper, appendix A.2; close to Mamba's): h_rs = S_t[r, s] with λ = 1, and the gate
//! W^side copies q_s of the token to every neuron (r, s): g = (W^side x̃) ⊙ h, ŷ_r = Σ_s S_rs q_s.
//! No neuron has to carry the query.

use super::builder::{Builder, Letters, unit};
use super::construction::{Construction, Variant};
use super::teacher::matrix;
use crate::task::Teacher;

/// d² neurons, as many products; for any teacher.
pub fn build(teacher: &Teacher) -> Construction {
    let d = teacher.dim;
    let [value, key, query] =
        [&teacher.value, &teacher.key, &teacher.query].map(|numbers| matrix(numbers, d));
    let mut builder = Builder::new(Letters { value: "v", key: "k", query: "q", memory: "S" });
    let mut side = vec![];
    for r in 0..d {
        for s in 0..d {
            builder.accumulator((r, value.row(r)), (s, key.row(s)));
            side.push((s, query.row(s), unit(d, r)));
        }
    }
    let meaning = "v = W_V x, k = W_K x, q = W_Q x, as in attention; S = Σ v kᵀ is its key–value matrix. The side gate reads q from the token.";
    builder.side_gated(Variant::Side, meaning, side)
}
