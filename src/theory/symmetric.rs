//! Keys equal to values (paper, appendix A.3). The layer depends on W_K and W_Q only through W_Kᵀ
//! W_Q, so take k' = v = W_V x and q' = W_V⁻ᵀ W_Kᵀ W_Q x: then S' = Σ v vᵀ is symmetric, S' q' = S
//! q, and the neurons of its upper triangle are enough. Gate (r, s) multiplies S'_rs by q'_s; D
//! sums over s.

use super::builder::{Builder, Letters, unit};
use super::construction::{Construction, Variant};
use super::teacher::{key_query, matrix};
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::named::Named;
use crate::task::Teacher;
use crate::{Error, Result};

/// What the names stand for, here and with shared gates.
pub const MEANING: &str = "v = W_V x serves as value and as key; q' = W_V⁻ᵀ W_Kᵀ W_Q x makes up for it. S' = Σ v vᵀ is symmetric, and S' q' = S q.";

/// The smallest singular value of W_V, as a part of its largest, that still leaves ten exact
/// digits.
const SMALLEST: f64 = 1e-6;

/// d(d+1)/2 + d neurons, d² gates.
///
/// # Errors
/// W_V can't be inverted.
pub fn build(teacher: &Teacher) -> Result<Construction> {
    let d = teacher.dim;
    let mut builder = Builder::new(letters());
    let Neurons { accumulator, queries } = neurons(&mut builder, teacher, Variant::Symmetric)?;
    for r in 0..d {
        for (s, &query) in queries.iter().enumerate() {
            builder.gate(&[(accumulator(r, s), 1.0)], &[(query, 1.0)], unit(d, r));
        }
    }
    Ok(builder.output_gated(Variant::Symmetric, MEANING))
}

/// The letters of both symmetric variants.
pub fn letters() -> Letters {
    Letters { value: "v", key: "v", query: "q'", memory: "S'" }
}

/// Where the neurons of a symmetric construction are.
pub struct Neurons<A> {
    /// The neuron of entry (r, s), which is that of (s, r).
    pub accumulator: A,
    /// Each query's neuron.
    pub queries: Vec<usize>,
}

/// Adds the upper triangle and the queries.
pub fn neurons(
    builder: &mut Builder,
    teacher: &Teacher,
    variant: Variant,
) -> Result<Neurons<impl Fn(usize, usize) -> usize + use<>>> {
    let d = teacher.dim;
    let value = matrix(&teacher.value, d);
    let query = inverse(&value, variant)?.transpose().times(&key_query(teacher)); // W_V⁻ᵀ W_Kᵀ W_Q
    for r in 0..d {
        for s in r..d {
            builder.accumulator((r, value.row(r)), (s, value.row(s)));
        }
    }
    let queries = (0..d).map(|j| builder.query(j, query.row(j))).collect();
    // Row r of the triangle starts after the longer rows above it.
    let accumulator =
        move |r: usize, s: usize| r.min(s) * (2 * d + 1 - r.min(s)) / 2 + r.abs_diff(s);
    Ok(Neurons { accumulator, queries })
}

fn inverse(value: &Matrix, variant: Variant) -> Result<Matrix> {
    let singular = linear::svd(value);
    let largest = singular.values.first().copied().unwrap_or(0.0);
    let part =
        singular.values.last().map_or(0.0, |last| if largest > 0.0 { last / largest } else { 0.0 });
    linear::inverse(value).filter(|_| part >= SMALLEST).ok_or_else(|| {
        let rank = singular.rank(SMALLEST);
        let d = value.rows;
        let instead = if rank == 0 {
            "naive".into()
        } else {
            format!("naive, or low-rank (W_V has rank {rank} of {d})")
        };
        let size = if part == 0.0 { "0".into() } else { format!("{part:.1e} of its largest") };
        let found =
            format!("{} divides by W_V, whose smallest singular value is {size}", variant.key());
        Error::setting(
            "variant",
            found,
            format!("at least {SMALLEST:.0e} of its largest; use {instead}"),
        )
    })
}
