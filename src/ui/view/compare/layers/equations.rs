//! Each construction in a few lines, as `theory::layers` builds it; `_` lowers the next letter.

use crate::theory::layers::Host;

/// Equations, and what each is.
pub fn of(layer: Host) -> &'static [(&'static str, &'static str)] {
    match layer {
        Host::LruInOut => &LRU,
        Host::LruTwo => &LRU_TWO,
        Host::Lstm => &LSTM,
        Host::GruBefore => &GRU[..4],
        Host::GruCurved => &GRU,
    }
}

const LRU: [(&str, &str); 4] = [
    (
        "p_i_j = v_i σ(ε k_j),  p_i = v_i σ(0)",
        "the GLU before: values times keys, and their halves",
    ),
    (
        "S_i_j ← S_i_j + (4/ε)(p_i_j − p_i),  λ = 1",
        "the recurrence adds up, exactly; q goes around it by the skip",
    ),
    ("r_i_j = S_i_j σ(ε q_j),  r_i = Σ_j S_i_j σ(0)", "the GLU after: sums times the query"),
    ("ŷ_i = (4/ε)(Σ_j r_i_j − r_i)", "the readout takes the halves away"),
];

const LRU_TWO: [(&str, &str); 4] = [
    (
        "p_i_j = v_i σ(ε k_j),  p_i = v_i σ(0)",
        "the GLU of layer 1, whose recurrence only lets the token pass",
    ),
    LRU_AGAIN,
    ("r_i_j = S_i_j σ(ε q_j),  r_i = Σ_j S_i_j σ(0)", "the GLU of layer 2: sums times the query"),
    ("ŷ_i = (4/ε)(Σ_j r_i_j − r_i)", "the readout takes the halves away"),
];

const LRU_AGAIN: (&str, &str) = (
    "S_i_j ← S_i_j + (4/ε)(p_i_j − p_i),  λ = 1",
    "the recurrence of layer 2 adds up, exactly; q goes around it by the skip",
);

const LSTM: [(&str, &str); 5] = [
    ("A_i_j = σ(ε q_j) Σ σ(ε k_j) v_i", "cells with both gates; σ(f) = 1, so that they only add"),
    ("B_i_j = σ(ε q_j) Σ v_i / 2", "without the input gate's reading"),
    ("A'_i_j = Σ σ(ε k_j) v_i / 2,  B'_i = Σ v_i / 4", "without the output gate's, without both"),
    (
        "A − B − A' + B' = (ε²/16) q_j Σ k_j v_i (1 + O(ε²))",
        "what is left of the four: the product",
    ),
    ("ŷ_i = (16/ε²) Σ_j (A_i_j − B_i_j − A'_i_j + B'_i)", "the readout"),
];

const GRU: [(&str, &str); 5] = [
    (
        "A_i_j = Σ_s σ(ε k_j) v_i,  B_i = Σ_s v_i / 2",
        "1 − z = σ(ε k_j), r = 1, W_h_n = 1 on itself: keeps all, writes through its gate",
    ),
    (
        "R_i_j = σ(ε q_j) S_i_j,  R'_i_j = S_i_j / 2",
        "z = 0; W_h_n = (4/ε)(A − B) reads the state before this token, r multiplies",
    ),
    ("ŷ_i = (4/ε) Σ_j (R_i_j − R'_i_j)", "attention to the tokens before the current one"),
    ("own token: v_i (k · q)", "has three readings of one token; the gates reach two"),
    (
        "Σ s s' tanh(ε (v_i + s k_j + s' q_j)) = −8 ε³ v_i k_j q_j (1 + O(ε²))",
        "over s, s' = ±1: four more neurons per pair, with z = 0; the curvature of tanh makes the own token's term",
    ),
];
