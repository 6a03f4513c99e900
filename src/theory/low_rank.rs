//! Only what is not sent to zero (paper, appendix A.4): W_V = U_V Σ_V V_Vᵀ and W_Kᵀ W_Q = U Σ Vᵀ.
//! Store S' = Σ v' k'ᵀ with v' = V_Vᵀ x and k' = Uᵀ x, pass on q' = Σ Vᵀ x, and let D be U_V Σ_V: y
//! = U_V Σ_V S' q'.

use super::builder::{Builder, Letters};
use super::construction::{Construction, Variant};
use super::teacher::{RANK_TOLERANCE, key_query, matrix};
use crate::math::linear;
use crate::task::Teacher;
use crate::{Error, Result};

/// r_V r_KQ + r_KQ neurons, r_V r_KQ gates.
///
/// # Errors
/// A teacher that only answers 0.
pub fn build(teacher: &Teacher) -> Result<Construction> {
    let d = teacher.dim;
    let (value, relation) =
        (linear::svd(&matrix(&teacher.value, d)), linear::svd(&key_query(teacher)));
    let (r_v, r_kq) = (value.rank(RANK_TOLERANCE), relation.rank(RANK_TOLERANCE));
    if r_v == 0 || r_kq == 0 {
        let found = format!(
            "low-rank for a W_V of rank {r_v} and a W_Kᵀ W_Q of rank {r_kq}: this attention answers 0 to everything"
        );
        return Err(Error::setting("variant", found, "ranks of at least 1; use naive"));
    }
    let keys = relation.u.transpose(); // Uᵀ, a row a key
    let mut builder = Builder::new(Letters { value: "v'", key: "k'", query: "q'", memory: "S'" });
    for r in 0..r_v {
        for s in 0..r_kq {
            builder.accumulator((r, value.v_t.row(r)), (s, keys.row(s)));
        }
    }
    let query = |s: usize| -> Vec<f64> {
        relation.v_t.row(s).iter().map(|v| v * relation.values[s]).collect()
    };
    let queries: Vec<usize> = (0..r_kq).map(|s| builder.query(s, &query(s))).collect();
    for r in 0..r_v {
        for (s, &query) in queries.iter().enumerate() {
            let column = value.u.column(r).map(|u| u * value.values[r]).collect();
            builder.gate(&[(r * r_kq + s, 1.0)], &[(query, 1.0)], column);
        }
    }
    let meaning = "v', k' and q' are readings along singular vectors: W_V = U_V Σ_V V_Vᵀ gives v' = V_Vᵀ x, W_Kᵀ W_Q = U Σ Vᵀ gives k' = Uᵀ x and q' = Σ Vᵀ x; the readout is U_V Σ_V.";
    Ok(builder.output_gated(Variant::LowRank, meaning))
}
