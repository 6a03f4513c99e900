//! Symmetric, with gates that serve two outputs (ours; keys and queries as in
//! [`super::symmetric`]). With S' symmetric, y_r = Σ_{s≠r} S'_rs (q'_r + q'_s) + (S'_rr − Σ_{s≠r}
//! S'_rs) q'_r: the product S'_rs (q'_r + q'_s) is the same for outputs r and s, so one gate for
//! each pair r < s, and one for each r.

use super::builder::{Builder, unit};
use super::symmetric::{MEANING, Neurons, letters, neurons};
use super::{Construction, Variant};
use crate::Result;
use crate::task::Teacher;

/// d(d+1)/2 + d neurons, d(d+1)/2 gates.
///
/// # Errors
/// W_V can't be inverted.
pub fn build(teacher: &Teacher) -> Result<Construction> {
    let d = teacher.dim;
    let mut builder = Builder::new(letters());
    let Neurons { accumulator, queries } =
        neurons(&mut builder, teacher, Variant::SymmetricShared)?;
    for r in 0..d {
        let others = (0..d).filter(|&s| s != r).map(|s| (accumulator(r, s), -1.0));
        let rest: Vec<(usize, f64)> =
            [(accumulator(r, r), 1.0)].into_iter().chain(others).collect();
        builder.gate(&rest, &[(queries[r], 1.0)], unit(d, r));
        for s in r + 1..d {
            let both = unit(d, r).into_iter().zip(unit(d, s)).map(|(a, b)| a + b).collect();
            builder.gate(
                &[(accumulator(r, s), 1.0)],
                &[(queries[r], 1.0), (queries[s], 1.0)],
                both,
            );
        }
    }
    Ok(builder.output_gated(Variant::SymmetricShared, MEANING))
}
