//! The network as a polynomial, exactly from its weights (paper.md, section 4.4).
//!
//! From the zero state, tokens x_s at chosen lags before the output's and zero vectors at all other
//! places since the first of them give h_i = Σ_s λ_i^{lag s} u_i(x_s), u_i(x) = (m_i · x̃)(x_i · x̃),
//! and ŷ_k = Σ_j D_kj (a_j · h)(b_j · h): degree 4 in the tokens' entries. A zero vector is not
//! nothing: its constant 1 still feeds u_i(0) into the state. The teacher's is Σ_s v_s (k_s · q_t),
//! degree 3.
//!
//! What zero distance proves. One token: equality at the first time step. Two, at lags l and 0:
//! equality of every sequence of two tokens that far apart, so all terms in which one or two tokens
//! meet at that lag. Products of two *different* earlier tokens first show with three tokens. Where
//! every λ is 0 or 1 no lag beyond 1 is new, and lags 2, 1, 0 prove equality of the whole sequence
//! map (with side gating, where the output holds no product of two states, lags 1, 0 do); for other
//! λ each lag is its own question.

use crate::math::matrix::{Matrix, norm};
use crate::model::Network;
use crate::model::network::Gating;
use crate::task::Teacher;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// ŷ(x) of one token from the zero state, collected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Polynomial {
    /// Exponents of x_1 … x_d of each monomial, the constant first.
    pub monomials: Vec<Vec<u8>>,
    /// Student's coefficients: an output a row, `[d_out][monomials]`.
    pub student: Vec<Vec<f64>>,
    /// Teacher's; empty where there is none.
    pub teacher: Vec<Vec<f64>>,
    /// Mean over outputs of ‖c − c*‖ / ‖c*‖; `None` without a teacher.
    pub distance: Option<f64>,
}

/// Largest d for one token (4 845 monomials).
pub const MOST_INPUTS_ONE: usize = 16;
/// Largest d for two and three tokens (20 475 monomials).
pub const MOST_INPUTS_MORE: usize = 8;
/// A teacher's output below this part of its largest counts as zero.
const SILENT: f64 = 1e-12;

/// The places of tokens, and the monomials in their entries; exponents are in the order of the
/// tokens, d for each.
pub struct Places {
    inputs: usize,
    /// Time steps before the output's, falling, the last 0.
    lags: Vec<usize>,
    /// What states are made of: 1, then for each token its entries and their products.
    terms: Vec<Vec<u8>>,
    /// All products of two terms: by degree, then as (2,0), (1,1), (0,2) are.
    pub monomials: Vec<Vec<u8>>,
    /// Which monomial the product of two terms is, `[terms · terms]`.
    products: Vec<usize>,
}

impl Places {
    /// Tokens of `inputs` numbers at these lags (falling, the last 0).
    pub fn new(inputs: usize, lags: &[usize]) -> Self {
        assert!(
            lags.last() == Some(&0) && lags.windows(2).all(|w| w[0] > w[1]),
            "lags fall to 0: {lags:?}"
        );
        let width = inputs * lags.len();
        let mut terms = vec![vec![0; width]];
        for token in 0..lags.len() {
            let term = |entries: &[usize]| {
                let mut term = vec![0u8; width];
                entries.iter().for_each(|entry| term[token * inputs + entry] += 1);
                term
            };
            terms.extend((0..inputs).map(|a| term(&[a])));
            terms.extend(
                (0..inputs).flat_map(|a| (a..inputs).map(move |b| [a, b])).map(|pair| term(&pair)),
            );
        }
        let product =
            |a: &[u8], b: &[u8]| -> Vec<u8> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
        let all: Vec<Vec<u8>> =
            terms.iter().flat_map(|a| terms.iter().map(move |b| product(a, b))).collect();
        let mut monomials = all.clone();
        let degree = |monomial: &[u8]| monomial.iter().map(|&e| u32::from(e)).sum::<u32>();
        monomials.sort_unstable_by(|a, b| degree(a).cmp(&degree(b)).then_with(|| b.cmp(a)));
        monomials.dedup();
        let places: HashMap<&[u8], usize> =
            monomials.iter().enumerate().map(|(i, monomial)| (monomial.as_slice(), i)).collect();
        let products = all.iter().map(|monomial| places[monomial.as_slice()]).collect();
        Self { inputs, lags: lags.to_vec(), terms, monomials, products }
    }

    /// Where a token's product of entries a and b is among the terms; `None` for b: the entry a
    /// alone.
    fn term(&self, token: usize, a: usize, b: Option<usize>) -> usize {
        let d = self.inputs;
        let first = 1 + token * (d + d * (d + 1) / 2);
        b.map_or(first + a, |b| {
            let (a, b) = (a.min(b), a.max(b));
            first + d + a * d - a * (a + 1) / 2 + b
        })
    }

    /// The states h `[n, terms]`.
    fn states(&self, network: &Network) -> Matrix {
        let d = self.inputs;
        let mut states = Matrix::zeros(network.hidden(), self.terms.len());
        for neuron in 0..network.hidden() {
            let (m, x, lambda) =
                (network.input_m.row(neuron), network.input_x.row(neuron), network.lambda[neuron]);
            let row = states.row_mut(neuron);
            for lag in 0..=self.lags[0] {
                let kept = lambda.powi(i32::try_from(lag).unwrap_or(i32::MAX));
                row[0] += kept * m[d] * x[d];
                let Some(token) = self.lags.iter().position(|&l| l == lag) else { continue };
                for a in 0..d {
                    row[self.term(token, a, None)] += kept * (m[a] * x[d] + m[d] * x[a]);
                    for b in 0..d {
                        row[self.term(token, a, Some(b))] += kept * m[a] * x[b];
                    }
                }
            }
        }
        states
    }

    /// The network's coefficients `[d_out, monomials]`.
    pub fn network(&self, network: &Network) -> Matrix {
        let states = self.states(network);
        let (left, right) = match &network.gating {
            Gating::Output { m, x } => (m.times(&states), x.times(&states)),
            Gating::Side(side) => (self.current(side), states),
        }; // [m, terms] each
        let left = left.transpose();
        let mut out = Matrix::zeros(network.outputs(), self.monomials.len());
        for output in 0..network.outputs() {
            let weights = network.readout.row(output);
            let weighed =
                Matrix::from_fn(left.rows, left.columns, |i, j| left.at(i, j) * weights[j]);
            let kernel = weighed.times(&right); // [terms, terms]
            let row = out.row_mut(output);
            kernel.data.iter().zip(&self.products).for_each(|(value, &place)| row[place] += value);
        }
        out
    }

    /// W x̃_t as terms: `[rows, terms]` for W `[rows, d+1]`.
    fn current(&self, weights: &Matrix) -> Matrix {
        let token = self.lags.len() - 1;
        let mut out = Matrix::zeros(weights.rows, self.terms.len());
        for row in 0..weights.rows {
            out.set(row, 0, weights.at(row, self.inputs));
            (0..self.inputs)
                .for_each(|a| out.set(row, self.term(token, a, None), weights.at(row, a)));
        }
        out
    }

    /// The teacher's coefficients `[d, monomials]`.
    pub fn teacher(&self, teacher: &Teacher) -> Matrix {
        let d = teacher.dim;
        let matrix = |data: &[f64]| Matrix::new(d, d, data.to_vec());
        let key_query = matrix(&teacher.key).transpose().times(&matrix(&teacher.query));
        let (current, terms) = (self.lags.len() - 1, self.terms.len());
        let mut out = Matrix::zeros(d, self.monomials.len());
        for (token, a, b, c) in (0..self.lags.len())
            .flat_map(|s| (0..d * d * d).map(move |i| (s, i / (d * d), i / d % d, i % d)))
        {
            let place =
                self.products[self.term(token, a, Some(b)) * terms + self.term(current, c, None)];
            for output in 0..d {
                out.row_mut(output)[place] += teacher.value[output * d + a] * key_query.at(b, c);
            }
        }
        out
    }

    /// What part of the coefficients' norm is not of the form that linear attention has: two
    /// factors of one token times one of the current. `None` if all are zero.
    pub fn outside_attention(&self, coefficients: &Matrix) -> Option<f64> {
        let (d, current) = (self.inputs, self.lags.len() - 1);
        let degrees = |monomial: &[u8]| -> Vec<u8> {
            monomial.chunks(d).map(|token| token.iter().sum()).collect()
        };
        let is_attention = |monomial: &[u8]| {
            let mut degrees = degrees(monomial);
            let reads = degrees[current] > 0;
            degrees[current] = degrees[current].saturating_sub(1);
            reads && degrees.iter().filter(|&&degree| degree > 0).eq([&2])
        };
        let outside: Vec<usize> =
            (0..self.monomials.len()).filter(|&i| !is_attention(&self.monomials[i])).collect();
        let (rest, all) = (coefficients.select_columns(&outside).norm(), coefficients.norm());
        (all > 0.0).then(|| rest / all)
    }
}

/// How a network remembers the products of linear attention: two factors of one token times one of
/// the current.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memory {
    /// Part of the norm of all coefficients in two tokens, one step apart, that such products with
    /// the earlier one have.
    pub share: f64,
    /// The largest difference of those coefficients at lags 2 and 4, and of the current token's
    /// own, from those at lag 1; relative.
    pub drift: f64,
}

impl Memory {
    /// Of `network`; `None` where d is above [`MOST_INPUTS_MORE`], or all coefficients are zero.
    pub fn of(network: &Network) -> Option<Self> {
        let d = network.inputs();
        if d > MOST_INPUTS_MORE {
            return None;
        }
        let expand = |lag: usize| {
            let places = Places::new(d, &[lag, 0]);
            let coefficients = places.network(network);
            (places.monomials, coefficients)
        };
        let (monomials, at_one) = expand(1);
        let degree = |part: &[u8]| part.iter().sum::<u8>();
        let of_degrees = |before: u8, now: u8| -> Vec<usize> {
            (0..monomials.len())
                .filter(|&i| {
                    (degree(&monomials[i][..d]), degree(&monomials[i][d..])) == (before, now)
                })
                .collect()
        };
        let (crossed, own) = (of_degrees(2, 1), of_degrees(0, 3));
        let one = at_one.select_columns(&crossed);
        let (size, all) = (one.norm(), at_one.norm());
        if all == 0.0 {
            return None;
        }
        let apart = |a: &Matrix, b: &Matrix| {
            norm(&a.data.iter().zip(&b.data).map(|(a, b)| a - b).collect::<Vec<_>>())
        };
        // Both tokens the same: what the current token's own products must be.
        let places: HashMap<&[u8], usize> =
            own.iter().enumerate().map(|(place, &i)| (&monomials[i][d..], place)).collect();
        let mut met = Matrix::zeros(one.rows, own.len());
        for (column, &i) in crossed.iter().enumerate() {
            let together: Vec<u8> = (0..d).map(|a| monomials[i][a] + monomials[i][d + a]).collect();
            (0..one.rows).for_each(|output| {
                met.row_mut(output)[places[together.as_slice()]] += one.at(output, column)
            });
        }
        let later = [2, 4].map(|lag| apart(&expand(lag).1.select_columns(&crossed), &one));
        let largest = later.into_iter().fold(apart(&at_one.select_columns(&own), &met), f64::max);
        Some(Self { share: size / all, drift: if size > 0.0 { largest / size } else { 1.0 } })
    }
}

/// Mean over outputs of ‖c − c*‖ / ‖c*‖; an output on which the teacher is silent is measured
/// against the teacher's mean norm instead. `None` if the teacher is zero altogether.
pub fn distance(student: &Matrix, teacher: &Matrix) -> Option<f64> {
    if student.rows != teacher.rows {
        return None;
    }
    let norms: Vec<f64> = teacher.iter_rows().map(norm).collect();
    let largest = norms.iter().copied().fold(0.0, f64::max);
    let mean = norms.iter().sum::<f64>() / norms.len() as f64;
    let size = |output: usize| if norms[output] > SILENT * largest { norms[output] } else { mean };
    let apart = |output: usize| {
        norm(
            &student
                .row(output)
                .iter()
                .zip(teacher.row(output))
                .map(|(a, b)| a - b)
                .collect::<Vec<_>>(),
        )
    };
    (largest > 0.0).then(|| {
        (0..norms.len()).map(|output| apart(output) / size(output)).sum::<f64>()
            / norms.len() as f64
    })
}

/// Outputs on which the teacher is silent.
pub fn silent_outputs(teacher: &Matrix) -> usize {
    let norms: Vec<f64> = teacher.iter_rows().map(norm).collect();
    let largest = norms.iter().copied().fold(0.0, f64::max);
    norms.iter().filter(|&&size| size <= SILENT * largest).count()
}

/// All that the polynomials say of a network.
pub struct Expansion {
    /// In one token; `None` where d is above [`MOST_INPUTS_ONE`].
    pub polynomial: Option<Polynomial>,
    /// Distance from the teacher's in two tokens.
    pub two: Option<f64>,
    /// In three, at lags 2, 1 and 0.
    pub three: Option<f64>,
    /// The largest distance, and how many tokens the longest comparison had.
    pub worst: Option<(f64, usize)>,
    /// The part outside the form of attention in as many tokens as could be expanded, and how many
    /// those are.
    pub outside: Option<(f64, usize)>,
    /// Why there is no polynomial.
    pub impossible: Option<String>,
    /// What was left out, and what distances do not prove.
    pub notes: Vec<String>,
}

impl Expansion {
    /// Of `network`, and beside `teacher` if there is one, with the second token at `lag`.
    pub fn of(network: &Network, teacher: Option<&Teacher>, lag: usize) -> Self {
        let (d, mut notes) = (network.inputs(), vec![]);
        let expand = |lags: &[usize]| {
            let places = Places::new(d, lags);
            let (student, teacher) =
                (places.network(network), teacher.map(|teacher| places.teacher(teacher)));
            let apart = teacher.as_ref().and_then(|teacher| distance(&student, teacher));
            let outside = places.outside_attention(&student).map(|share| (share, lags.len()));
            (places, student, teacher, apart, outside)
        };
        let Some((places, student, target, one, mut outside)) =
            (d <= MOST_INPUTS_ONE).then(|| expand(&[0]))
        else {
            let impossible = Some(format!(
                "Polynomials are computed for d up to {MOST_INPUTS_ONE}; here d = {d}."
            ));
            return Self {
                polynomial: None,
                two: None,
                three: None,
                worst: None,
                outside: None,
                impossible,
                notes,
            };
        };
        if let Some(silent) = target.as_ref().map(silent_outputs).filter(|&silent| silent > 0) {
            notes.push(format!("The teacher is silent on {silent} of its outputs: there the polynomial is measured against the teacher's mean norm."));
        }
        let (mut two, mut three) = (None, None);
        if d <= MOST_INPUTS_MORE {
            two = expand(&[lag, 0]).3;
            (three, outside) = {
                let found = expand(&[2, 1, 0]);
                (found.3, found.4)
            };
        } else {
            notes.push(format!(
                "Polynomials in two and three tokens are computed for d up to {MOST_INPUTS_MORE}; here d = {d}."
            ));
        }
        if three.is_some() && network.lambda.iter().any(|&lambda| lambda != 0.0 && lambda != 1.0) {
            notes.push("Polynomial distances are those of the raw network, at their lags. Where every λ is 0 or 1, zero distance in three tokens proves that the whole sequence map is the teacher's; for other λ each lag is a question of its own.".into());
        }
        let worst = [one, two, three]
            .into_iter()
            .flatten()
            .reduce(f64::max)
            .map(|worst| (worst, if three.is_some() { 3 } else { 1 }));
        let rows = |matrix: &Matrix| matrix.iter_rows().map(<[f64]>::to_vec).collect::<Vec<_>>();
        let polynomial = Polynomial {
            student: rows(&student),
            teacher: target.as_ref().map(rows).unwrap_or_default(),
            distance: one,
            monomials: places.monomials,
        };
        Self { polynomial: Some(polynomial), two, three, worst, outside, impossible: None, notes }
    }
}

/// Distance of the polynomials in tokens at these lags; `None` where d is above
/// [`MOST_INPUTS_MORE`] or the teacher is zero.
pub fn distance_at(network: &Network, teacher: &Teacher, lags: &[usize]) -> Option<f64> {
    if network.inputs() > MOST_INPUTS_MORE {
        return None;
    }
    let places = Places::new(network.inputs(), lags);
    distance(&places.network(network), &places.teacher(teacher))
}
