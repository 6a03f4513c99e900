//! Every product has its neuron (paper, appendix A.1): h_rs = S_t[r, s] = Σ v_r k_s with λ = 1, h_j
//! = q_j with λ = 0; gate (r, s) multiplies S_rs by q_s, and D sums over s: ŷ_r = Σ_s S_rs q_s.

use super::builder::{Builder, Letters, unit};
use super::construction::{Construction, Variant};
use super::teacher::matrix;
use crate::task::Teacher;

/// d² + d neurons, d² gates; for any teacher.
pub fn build(teacher: &Teacher) -> Construction {
    let d = teacher.dim;
    let [value, key, query] =
        [&teacher.value, &teacher.key, &teacher.query].map(|numbers| matrix(numbers, d));
    let mut builder = Builder::new(Letters { value: "v", key: "k", query: "q", memory: "S" });
    for r in 0..d {
        for s in 0..d {
            builder.accumulator((r, value.row(r)), (s, key.row(s)));
        }
    }
    let queries: Vec<usize> = (0..d).map(|j| builder.query(j, query.row(j))).collect();
    for r in 0..d {
        for (s, &query) in queries.iter().enumerate() {
            builder.gate(&[(r * d + s, 1.0)], &[(query, 1.0)], unit(d, r));
        }
    }
    builder.output_gated(
        Variant::Naive,
        "v = W_V x, k = W_K x, q = W_Q x, as in attention; S = Σ v kᵀ is attention's own key–value matrix.",
    )
}
