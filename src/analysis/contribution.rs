//! Who contributes to whom: the exact split of the student's ŷ_t over source tokens s ≤ t, beside
//! the teacher's v_s (k_s · q_t).
//!
//! The student's share of token s is what ŷ_t loses when the network starts reading at s + 1
//! instead of s: c_{t,s} = ŷ_t(x_s … x_t) − ŷ_t(x_{s+1} … x_t). The shares add up to ŷ_t, and for a
//! network that is linear attention they are exactly v_s (k_s · q_t), because its output is
//! additive in the tokens that it remembers.

use crate::graph::params::ParamTable;
use crate::math::gemm::{View, product};
use crate::task::Teacher;
use serde::{Deserialize, Serialize};

/// Both layers on one sequence.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Probe {
    /// Steps done when it was made.
    pub step: u64,
    /// Tokens.
    pub time: usize,
    /// Numbers an output.
    pub width: usize,
    /// The sequence x `[time, inputs]`.
    pub inputs: Vec<f32>,
    /// Teacher's y `[time, width]`.
    pub teacher: Vec<f32>,
    /// Student's ŷ `[time, width]`.
    pub student: Vec<f32>,
    /// Teacher's shares v_s (k_s · q_t) `[t, s, width]`, 0 where s > t.
    pub teacher_shares: Vec<f32>,
    /// Student's shares c_{t,s} `[t, s, width]`.
    pub student_shares: Vec<f32>,
}

impl Probe {
    /// Output `k`'s share matrix `[t, s]` of the teacher or the student.
    pub fn map(&self, shares: &[f32], k: usize) -> Vec<f32> {
        shares.iter().skip(k).step_by(self.width.max(1)).copied().collect()
    }
}

/// Runs teacher and student on the sequence `x [time, inputs]`.
pub fn probe(
    table: &ParamTable,
    parameters: &[f32],
    teacher: &Teacher,
    x: &[f32],
    step: u64,
) -> Probe {
    let (inputs, width) = (teacher.dim, teacher.dim);
    let time = x.len() / inputs;
    let wide: Vec<f64> = x.iter().copied().map(f64::from).collect();
    let (attention, values) = teacher.attention(&wide);
    let mut teacher_shares = vec![0.0; time * time * width];
    for (cell, share) in attention
        .iter()
        .zip(teacher_shares.chunks_exact_mut(width))
        .enumerate()
        .map(|(i, (a, c))| ((i % time, *a), c))
    {
        let (s, weight) = cell;
        share.iter_mut().zip(&values[s * width..]).for_each(|(c, v)| *c = narrow(weight * v));
    }
    let student_shares = student_shares(table, parameters, x, time, width);
    let total = |shares: &[f32]| -> Vec<f32> {
        let row = |t: usize| {
            (0..width).map(move |k| (0..=t).map(|s| shares[(t * time + s) * width + k]).sum())
        };
        (0..time).flat_map(row).collect()
    };
    Probe {
        step,
        time,
        width,
        inputs: x.to_vec(),
        teacher: total(&teacher_shares),
        student: total(&student_shares),
        teacher_shares,
        student_shares,
    }
}

/// c_{t,s} `[t, s, width]` from the outputs of all suffixes: row (t, s) is the network's ŷ_t having
/// read x_s … x_t.
fn student_shares(
    table: &ParamTable,
    parameters: &[f32],
    x: &[f32],
    time: usize,
    width: usize,
) -> Vec<f32> {
    let weight = |name: &str| table.slice(parameters, name);
    let lambda: Vec<f32> = weight("nu").iter().map(|nu| (-nu.exp()).exp()).collect();
    let n = lambda.len();
    let u: Vec<f32> = multiply(&constant_appended(x, time), weight("input_gate.m"), n)
        .into_iter()
        .zip(multiply(&constant_appended(x, time), weight("input_gate.x"), n))
        .map(|(m, x)| m * x)
        .collect(); // [T, n]
    let pairs: Vec<(usize, usize)> = (0..time).flat_map(|t| (0..=t).map(move |s| (t, s))).collect();
    let mut states = vec![0.0f32; pairs.len() * n]; // h_t having started at s
    for (row, &(t, s)) in pairs.iter().enumerate() {
        let (past, now) = states.split_at_mut(row * n);
        now[..n].copy_from_slice(&u[t * n..(t + 1) * n]);
        if s < t {
            let previous = &past[(t * (t - 1) / 2 + s) * n..]; // row (t − 1, s)
            now[..n].iter_mut().zip(previous).zip(&lambda).for_each(|((h, p), l)| *h += l * p);
        }
    }
    let gated: Vec<f32> = if weight("side_gate").is_empty() {
        let m = weight("output_gate.m").len() / n;
        let (a, b) = (
            multiply(&states, weight("output_gate.m"), m),
            multiply(&states, weight("output_gate.x"), m),
        );
        a.into_iter().zip(b).map(|(a, b)| a * b).collect()
    } else {
        let side = multiply(&constant_appended(x, time), weight("side_gate"), n); // [T, n]
        let gate = pairs.iter().flat_map(|&(t, _)| &side[t * n..(t + 1) * n]);
        states.iter().zip(gate).map(|(h, g)| h * g).collect()
    };
    let suffix = multiply(&gated, weight("readout"), width); // [pairs, width]
    let mut shares = vec![0.0; time * time * width];
    for (row, &(t, s)) in pairs.iter().enumerate() {
        for k in 0..width {
            let later = if s < t { suffix[(row + 1) * width + k] } else { 0.0 };
            shares[(t * time + s) * width + k] = suffix[row * width + k] - later;
        }
    }
    shares
}

/// x Wᵀ for `out` rows of weights.
fn multiply(x: &[f32], weight: &[f32], out: usize) -> Vec<f32> {
    let width = weight.len() / out;
    let rows = x.len() / width;
    let mut y = vec![0.0; rows * out];
    product(
        [rows, width, out],
        View::rows(x, width),
        View::rows(weight, width).t(),
        &mut y,
        out,
        false,
    );
    y
}

fn constant_appended(x: &[f32], time: usize) -> Vec<f32> {
    x.chunks_exact(x.len() / time).flat_map(|row| row.iter().copied().chain([1.0])).collect()
}

fn narrow(value: f64) -> f32 {
    value as f32
}
