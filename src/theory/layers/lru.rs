//! Linear attention with GLUs around an LRU's recurrence: as LRU In+Out one layer, and as plain LRU
//! (a GLU after each) two, of which the first does no more than the GLU before the other's
//! recurrence.
//!
//! GLU:        p_ij = v_i σ(ε k_j),  p_i = v_i σ(0),  q_j = 2 q_j σ(0)
//! recurrence: S_ij ← S_ij + (4/ε)(p_ij − p_i),  λ = 1, γ = 1; q_j goes around it by the skip d
//! GLU:        r_ij = S_ij σ(ε q_j),  r_i = (Σ_j S_ij) σ(0)
//! readout:    ŷ_i = (4/ε)(Σ_j r_ij − r_i)
//!
//! Exact: the accumulation (λ = 1 to the last bit; an imaginary part of 4e−18 of the state is not
//! read), the query's way, both halves. Of order ε²: each product, by its gate's third-order term,
//! ab(1 − ε²b²/12).

use super::weights::Weights;
use crate::task::Teacher;
use crate::theory::teacher::matrix;

/// ν and θ of λ = 1.
const NU_ONE: f64 = -40.0;

/// Channels of a layer: d² products, d halves of them, d queries.
#[derive(Clone, Copy)]
struct Channels {
    d: usize,
}

impl Channels {
    fn product(self, i: usize, j: usize) -> usize {
        i * self.d + j
    }

    fn half(self, i: usize) -> usize {
        self.d * self.d + i
    }

    fn query(self, j: usize) -> usize {
        self.d * self.d + self.d + j
    }
}

/// One layer between two GLUs: d² complex neurons, width d² + 2d.
pub(super) fn in_out(weights: &mut Weights, teacher: &Teacher, epsilon: f64) {
    let names = Names { first_glu: "glu_in", prefix: "", second_glu: "glu_out" };
    core(weights, teacher, epsilon, &names);
}

/// Two layers with a GLU after each: the first lets its input pass by the skip and remembers
/// nothing.
pub(super) fn two_layers(weights: &mut Weights, teacher: &Teacher, epsilon: f64) {
    weights.fill("nu", NU_ONE);
    weights.fill("theta", NU_ONE);
    (0..teacher.dim).for_each(|c| weights.set("d", c, 0, 1.0));
    let names = Names { first_glu: "glu_out", prefix: "layer2.", second_glu: "layer2.glu_out" };
    core(weights, teacher, epsilon, &names);
}

/// Where the parts of the construction are.
struct Names {
    first_glu: &'static str,
    /// Of the layer that accumulates.
    prefix: &'static str,
    second_glu: &'static str,
}

/// GLU, recurrence, GLU, readout; the first GLU reads x from its first d channels.
fn core(weights: &mut Weights, teacher: &Teacher, epsilon: f64, names: &Names) {
    let d = teacher.dim;
    let at = Channels { d };
    let [value, key, query] =
        [&teacher.value, &teacher.key, &teacher.query].map(|numbers| matrix(numbers, d));
    let name = |part: &str| format!("{}{part}", names.prefix);
    let undo = 4.0 / epsilon;
    weights.fill(&name("nu"), NU_ONE);
    weights.fill(&name("theta"), NU_ONE);
    let (value_in, gate_in) =
        (format!("{}.value", names.first_glu), format!("{}.gate", names.first_glu));
    let (value_out, gate_out) =
        (format!("{}.value", names.second_glu), format!("{}.gate", names.second_glu));
    for i in 0..d {
        weights.row(&value_in, at.half(i), value.row(i), 1.0);
        weights.row(&value_in, at.query(i), query.row(i), 2.0);
        weights.set(&name("d"), at.query(i), 0, 1.0);
        weights.set("readout", i, at.half(i), -undo);
        for j in 0..d {
            let (product, neuron) = (at.product(i, j), i * d + j);
            weights.row(&value_in, product, value.row(i), 1.0);
            weights.row(&gate_in, product, key.row(j), epsilon);
            weights.set(&name("b_re"), neuron, product, undo);
            weights.set(&name("b_re"), neuron, at.half(i), -undo);
            weights.set(&name("c_re"), product, neuron, 1.0);
            weights.set(&value_out, product, product, 1.0);
            weights.set(&gate_out, product, at.query(j), epsilon);
            weights.set(&value_out, at.half(i), product, 1.0);
            weights.set("readout", i, product, undo);
        }
    }
}
