//! Linear attention as one LSTM layer whose gates work in their linear range (paper, appendix B,
//! Table 4).
//!
//! f = 40, so σ(f) = 1 and the cell only adds; g = ε_v v_i, so small that tanh is linear. Per
//! output i:
//!
//! cell   input gate  output gate   count   h
//! A_ij   ε k_j       ε q_j         d²      σ(ε q_j) Σ σ(ε k_j) v_i
//! B_ij   0           ε q_j         d²      σ(ε q_j) Σ v_i / 2
//! A'_ij  ε k_j       0             d²      Σ σ(ε k_j) v_i / 2
//! B'_i   0           0             d       Σ v_i / 4
//!
//! A − B − A' + B' = (σ(ε q_j) − 1/2) Σ (σ(ε k_j) − 1/2) v_i = (ε²/16) q_j Σ k_j v_i (1 + O(ε²)),
//! summed over j by the readout. Exact: the memory, the query's half. Of order ε²: both gates'
//! third-order terms. tanh leaves parts of ε_v² (Σ v)², below 1e−13: ε_v costs nothing.
//! Rounding: the product is what is left of four numbers 16/ε² times as large, so it loses 1/ε² of
//! the precision: ε = 2⁻¹³ is best in double precision (error about 3e−8 for d = 4), and 2⁻⁵ in
//! single (about 6e−4).

use super::weights::{OPEN, VALUE_SCALE, Weights};
use crate::task::Teacher;
use crate::theory::teacher::matrix;

/// Cells: 3 d² + d.
pub(super) fn build(weights: &mut Weights, teacher: &Teacher, epsilon: f64) {
    let d = teacher.dim;
    let n = weights.architecture.sizes.hidden;
    let [value, key, query] =
        [&teacher.value, &teacher.key, &teacher.query].map(|numbers| matrix(numbers, d));
    let undo = 16.0 / (epsilon * epsilon) / VALUE_SCALE;
    // Cell `cell` of output i: which key and which query open its gates, and how often it is read.
    let mut add =
        |cell: usize, i: usize, key_of: Option<usize>, query_of: Option<usize>, count: f64| {
            let row = |gate: usize| gate * n + cell; // gates in the order i, f, g, o
            weights.row("weight_ih", row(2), value.row(i), VALUE_SCALE);
            weights.set("bias", row(1), 0, OPEN);
            if let Some(j) = key_of {
                weights.row("weight_ih", row(0), key.row(j), epsilon);
            }
            if let Some(j) = query_of {
                weights.row("weight_ih", row(3), query.row(j), epsilon);
            }
            weights.set("readout", i, cell, count * undo);
        };
    for i in 0..d {
        for j in 0..d {
            let cell = i * d + j;
            add(cell, i, Some(j), Some(j), 1.0);
            add(d * d + cell, i, None, Some(j), -1.0);
            add(2 * d * d + cell, i, Some(j), None, -1.0);
        }
        add(3 * d * d + i, i, None, None, d as f64);
    }
}
