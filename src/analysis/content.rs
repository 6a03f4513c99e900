//! What kind of polynomial any layer is in one or two tokens, measured: tokens are drawn, the layer
//! is run from its zero state, and a polynomial of degree ≤ 4 is fitted to its answers by least
//! squares. Linear attention is of degree 3: in one token v (k · q), in two tokens also v_s (k_s ·
//! q_t), two factors of the earlier token times one of the current.
//!
//! The fit is exact where the layer is such a polynomial (a gated network: then it gives the
//! coefficients of [`super::polynomial`]), and the best one for tokens of this size elsewhere: what
//! it leaves unexplained is measured on tokens that it was not fitted on. With small tokens it is
//! the layer's Taylor polynomial. Wide tokens are drawn from random directions, so that the fit
//! stays small.

use super::least_squares::{Fit, unexplained};
use super::subject::Subject;
use crate::math::linear;
use crate::math::matrix::{Matrix, dot, norm};
use crate::math::random;
use crate::model::run::ModelWeights;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Most directions of a single token (495 monomials), and of each of two.
const MOST_DIRECTIONS: [usize; 2] = [8, 4];
/// Highest degree.
const DEGREE: usize = 4;
/// Rows to fit on for each monomial, and rows to try on for each.
const ROWS: [usize; 2] = [3, 1];
/// The fewest rows to fit on, and to try on: powers of normal numbers have heavy tails.
const FEWEST: [usize; 2] = [2048, 1024];

/// Where tokens are, and how large.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// `None`: one token. Else a second one so many steps before it, with zero vectors between
    /// them.
    pub lag: Option<usize>,
    /// Standard deviation of a token's numbers; 1 is the data's own.
    pub scale: f64,
    /// Draws tokens and directions.
    pub seed: u32,
}

/// The fitted polynomial in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Where the tokens were.
    pub setting: Setting,
    /// Directions in which tokens were drawn, of the earlier (or only) and of the current one;
    /// all, if as many as they have numbers.
    pub directions: Vec<usize>,
    /// Mean squares over the drawn tokens of the parts of degree 0 to 4, divided by their sum.
    /// Parts of different degree are not orthogonal, so these are no parts of the answers' own
    /// mean square.
    pub shares: [f64; DEGREE + 1],
    /// 1 − R² of the polynomial on tokens that it was not fitted on; `None` where the answers do
    /// not vary.
    pub unexplained: Option<f64>,
    /// The products of linear attention among the coefficients beside the subject's: in one token
    /// all of degree 3, in two tokens those with two factors of the earlier token and one of
    /// the current.
    pub products: Likeness,
    /// All coefficients beside the subject's: ‖c − c*‖ / ‖c*‖, mean over outputs, as in
    /// [`super::polynomial::distance`].
    pub distance: Option<f64>,
}

/// Two sets of coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    /// c · c* / (‖c‖ ‖c*‖), all outputs together; `None` where one is zero.
    pub cosine: Option<f64>,
    /// ‖c − c*‖ / ‖c*‖, likewise.
    pub distance: Option<f64>,
    /// ‖c‖ / ‖c*‖
    pub size: Option<f64>,
}

/// A polynomial's monomials and coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct MonomialFit {
    /// Exponents of the variables, the earlier token's first.
    pub monomials: Vec<Vec<u8>>,
    /// `[d_out, monomials]`
    pub layer: Matrix,
    /// The subject's, likewise.
    pub subject: Matrix,
    /// The numbers that summarise them.
    pub content: Content,
}

/// Fits the layer's answers. `setting.lag` is at least 1 where there is one.
pub fn fit(network: &ModelWeights<'_>, subject: &Subject<'_>, setting: Setting) -> MonomialFit {
    let bases = bases(subject, setting);
    let widths: Vec<usize> = bases.iter().map(|basis| basis.columns).collect();
    let variables: usize = widths.iter().sum();
    let monomials = monomials(variables);
    let [fitted, tried] = [0, 1].map(|part| FEWEST[part].max(ROWS[part] * monomials.len()));
    let numbers = random::normals(setting.seed, "content", (fitted + tried) * variables)
        .into_iter()
        .map(|v| setting.scale * f64::from(v));
    let drawn = Matrix::new(fitted + tried, variables, numbers.collect());
    let answers = answers(network, &bases, &drawn, setting.lag);
    let values = values(&monomials, &drawn);
    let rows = |matrix: &Matrix, range: std::ops::Range<usize>| {
        matrix.select_rows(&range.collect::<Vec<_>>())
    };
    let map = Fit::new(&rows(&values, 0..fitted), false).solve(&rows(&answers, 0..fitted));
    let unexplained = unexplained(
        &map.of(&rows(&values, fitted..fitted + tried)),
        &rows(&answers, fitted..fitted + tried),
    );
    let degrees: Vec<usize> =
        monomials.iter().map(|monomial| monomial.iter().map(|&e| usize::from(e)).sum()).collect();
    let of = |wanted: &dyn Fn(usize) -> bool| {
        (0..monomials.len()).filter(|&i| wanted(i)).collect::<Vec<_>>()
    };
    let squares: Vec<f64> = (0..=DEGREE)
        .map(|degree| of(&|i| degrees[i] == degree))
        .map(|of| values.select_columns(&of).times(&map.weights.select_rows(&of)).norm().powi(2))
        .collect();
    let all: f64 = squares.iter().sum();
    let layer = map.weights.transpose();
    let subject = coefficients(subject, &bases, &monomials);
    let current = variables - widths[widths.len() - 1];
    let is_product = |i: usize| {
        degrees[i] == 3 && (current == 0 || monomials[i][current..].iter().sum::<u8>() == 1)
    };
    let products = of(&is_product);
    let content = Content {
        setting,
        directions: widths,
        shares: std::array::from_fn(|degree| if all > 0.0 { squares[degree] / all } else { 0.0 }),
        unexplained,
        products: likeness(&layer.select_columns(&products), &subject.select_columns(&products)),
        distance: super::polynomial::distance(&layer, &subject),
    };
    MonomialFit { monomials, layer, subject, content }
}

/// Orthonormal directions `[d, w]` of each token: those of its own numbers where they are few.
fn bases(subject: &Subject<'_>, setting: Setting) -> Vec<Matrix> {
    let [d, _] = subject.sizes();
    let tokens: Vec<usize> =
        if setting.lag.is_some() { vec![d, subject.query_width()] } else { vec![d] };
    let most = MOST_DIRECTIONS[tokens.len() - 1];
    let basis = |(token, &width): (usize, &usize)| {
        let within = if width <= most {
            Matrix::identity(width)
        } else {
            let normals: Vec<f64> = random::normals(
                setting.seed,
                &format!("content.directions.{token}"),
                width * width,
            )
            .into_iter()
            .map(f64::from)
            .collect();
            Matrix::new(width, width, linear::orthogonal(&normals, width))
        };
        Matrix::from_fn(d, width.min(most), |i, j| if i < width { within.at(i, j) } else { 0.0 })
    };
    tokens.iter().enumerate().map(basis).collect()
}

/// All monomials of degree ≤ [`DEGREE`], each after the one that it is a variable times.
fn monomials(variables: usize) -> Vec<Vec<u8>> {
    let mut all = vec![vec![0; variables]];
    let mut start = 0;
    for _ in 0..DEGREE {
        let end = all.len();
        for i in start..end {
            // Only by variables from the last one on, so that each comes once.
            let last = all[i].iter().rposition(|&e| e > 0).unwrap_or(0);
            for variable in last..variables {
                let mut product = all[i].clone();
                product[variable] += 1;
                all.push(product);
            }
        }
        start = end;
    }
    all
}

/// Each monomial at each row of `drawn [rows, variables]`: `[rows, monomials]`.
fn values(monomials: &[Vec<u8>], drawn: &Matrix) -> Matrix {
    let power = |row: &[f64], monomial: &[u8]| -> f64 {
        monomial.iter().zip(row).filter(|(e, _)| **e > 0).map(|(&e, v)| v.powi(e.into())).product()
    };
    Matrix::from_fn(drawn.rows, monomials.len(), |row, i| power(drawn.row(row), &monomials[i]))
}

/// The layer's answers `[rows, d_out]` to the current token, each row from the zero state.
fn answers(
    network: &ModelWeights<'_>,
    bases: &[Matrix],
    drawn: &Matrix,
    lag: Option<usize>,
) -> Matrix {
    let (time, d) = (1 + lag.unwrap_or(0), network.inputs);
    let mut x = Matrix::zeros(drawn.rows * time, d);
    let mut first = 0;
    for (token, basis) in bases.iter().enumerate() {
        let place = if token + 1 == bases.len() { time - 1 } else { 0 };
        for row in 0..drawn.rows {
            let numbers = &drawn.row(row)[first..first + basis.columns];
            (0..d).for_each(|i| x.set(row * time + place, i, dot(basis.row(i), numbers)));
        }
        first += basis.columns;
    }
    let last: Vec<usize> = (1..=drawn.rows).map(|row| row * time - 1).collect();
    network.outputs_of::<f64>(&x, time).select_rows(&last)
}

/// The subject's coefficients `[d_out, monomials]`: Σ_s v_s (k_s · q_t) over the tokens.
fn coefficients(subject: &Subject<'_>, bases: &[Matrix], monomials: &[Vec<u8>]) -> Matrix {
    let (teacher, [d, outputs]) = (subject.teacher(), subject.sizes());
    let matrix = |numbers: &[f64]| Matrix::new(d, d, numbers.to_vec());
    let (value, key_query) =
        (matrix(&teacher.value), matrix(&teacher.key).transpose().times(&matrix(&teacher.query)));
    let places: HashMap<&[u8], usize> =
        monomials.iter().enumerate().map(|(i, monomial)| (monomial.as_slice(), i)).collect();
    let variables = monomials[0].len();
    let mut out = Matrix::zeros(outputs, monomials.len());
    let current = &bases[bases.len() - 1];
    let current_first = variables - current.columns;
    let mut first = 0;
    for basis in bases {
        let (values, relation) =
            (value.times(basis), basis.transpose().times(&key_query).times(current));
        let w = basis.columns;
        for (a, b, c) in (0..w * w * current.columns)
            .map(|i| (i / (w * current.columns), i / current.columns % w, i % current.columns))
        {
            let mut monomial = vec![0; variables];
            [first + a, first + b, current_first + c]
                .into_iter()
                .for_each(|variable| monomial[variable] += 1);
            let place = places[monomial.as_slice()];
            (0..outputs).for_each(|output| {
                out.row_mut(output)[place] += values.at(output, a) * relation.at(b, c)
            });
        }
        first += w;
    }
    out
}

fn likeness(layer: &Matrix, subject: &Matrix) -> Likeness {
    let (own, theirs) = (layer.norm(), subject.norm());
    let apart: Vec<f64> = layer.data.iter().zip(&subject.data).map(|(a, b)| a - b).collect();
    let part = |value: f64| (theirs > 0.0).then(|| value / theirs);
    Likeness {
        cosine: (own > 0.0 && theirs > 0.0)
            .then(|| dot(&layer.data, &subject.data) / (own * theirs)),
        distance: part(norm(&apart)),
        size: part(own),
    }
}
