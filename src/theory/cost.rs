//! What each construction takes (paper.md, section 2): neurons, gates and parameters against
//! attention's 3d².

use super::Variant;

/// Ranks that the low-rank construction depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks {
    /// Rank of W_V.
    pub value: usize,
    /// Of W_Kᵀ W_Q.
    pub key_query: usize,
}

impl From<usize> for Ranks {
    /// Of three matrices of one rank.
    fn from(rank: usize) -> Self {
        Self { value: rank, key_query: rank }
    }
}

impl From<[usize; 3]> for Ranks {
    /// Of a W_V, W_K and W_Q of those ranks in general position, as drawn ones are: of W_K and W_Q
    /// the smaller rank is their product's.
    fn from([value, key, query]: [usize; 3]) -> Self {
        Self { value, key_query: key.min(query) }
    }
}

impl Ranks {
    /// Those of matrices of width d, which no rank exceeds.
    #[must_use]
    pub fn within(self, d: usize) -> Self {
        Self { value: self.value.min(d), key_query: self.key_query.min(d) }
    }
}

/// Exact counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Neurons with λ = 1.
    pub accumulators: usize,
    /// Neurons with λ = 0.
    pub queries: usize,
    /// Products that the readout sums.
    pub gates: usize,
    /// Numbers in all parameters.
    pub parameters: usize,
}

impl Cost {
    /// n
    pub fn hidden(&self) -> usize {
        self.accumulators + self.queries
    }
}

/// Parameters of linear attention of width d: W_V, W_K and W_Q.
pub fn attention(d: usize) -> usize {
    3 * d * d
}

/// Counts of a construction of width d; only the low-rank one depends on the ranks.
pub fn cost(variant: Variant, d: usize, ranks: Ranks) -> Cost {
    let triangle = d * (d + 1) / 2;
    let (accumulators, queries, gates) = match variant {
        Variant::Naive => (d * d, d, d * d),
        Variant::Symmetric => (triangle, d, d * d),
        Variant::SymmetricShared => (triangle, d, triangle),
        Variant::LowRank => {
            (ranks.value * ranks.key_query, ranks.key_query, ranks.value * ranks.key_query)
        }
        Variant::Side => (d * d, 0, d * d),
    };
    let n = accumulators + queries;
    let parameters = match variant {
        // ν, W_m^in, W_x^in, W^side, D
        Variant::Side => n + 3 * n * (d + 1) + n * d,
        // ν, W_m^in, W_x^in, W_m^out, W_x^out, D
        _ => n + 2 * n * (d + 1) + 2 * n * gates + gates * d,
    };
    Cost { accumulators, queries, gates, parameters }
}

/// The fewest key-value and query neurons that are known to do for a W_V of rank r_V and a W_Kᵀ W_Q
/// of rank r_KQ in general position (paper.md, section 4.7): r_V values times r_KQ keys, and r_KQ
/// queries, less o(o − 1)/2 where o = r_V + r_KQ − d directions are read both as values and as
/// keys, since there v_a k_b = v_b k_a; d(d+1)/2 + d at full rank. `ranks`: one of all matrices,
/// those of W_V, W_K and W_Q, or [`Ranks`]. A side gate needs no queries, and its products are no
/// sums of shared ones.
pub fn fewest(d: usize, ranks: impl Into<Ranks>, side: bool) -> (usize, usize) {
    let Ranks { value, key_query } = ranks.into().within(d);
    if side {
        return (value * key_query, 0);
    }
    let overlap = (value + key_query).saturating_sub(d);
    (value * key_query - overlap * overlap.saturating_sub(1) / 2, key_query)
}

/// The fewest neurons that are known to do for one step of gradient descent in context (paper.md,
/// section 5): the d_x d_y numbers Σ y xᵀ, and, unless a side gate carries it, the query x of width
/// d_x.
pub fn fewest_in_context(d_x: usize, d_y: usize, side: bool) -> usize {
    d_x * d_y + if side { 0 } else { d_x }
}

/// Hidden neurons n and gates m with which training finds attention of width d and those ranks:
/// about twice the fewest.
pub fn advice(d: usize, ranks: impl Into<Ranks>) -> (usize, usize) {
    let ranks = ranks.into().within(d);
    let (key_value, query) = fewest(d, ranks, false);
    let gates =
        if ranks == Ranks::from(d) { d * (d + 1) / 2 } else { ranks.value * ranks.key_query };
    (2 * (key_value + query), 2 * gates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_papers() {
        let full = Ranks { value: 4, key_query: 4 };
        let parameters = |variant| cost(variant, 4, full).parameters;
        assert_eq!(
            [Variant::Naive, Variant::Symmetric, Variant::SymmetricShared].map(parameters),
            [924, 666, 474]
        );
        assert_eq!(
            (attention(4), cost(Variant::Side, 4, full).parameters),
            (48, 16 + 3 * 16 * 5 + 64)
        );
        let low = cost(Variant::LowRank, 12, Ranks { value: 6, key_query: 6 });
        assert_eq!((low.accumulators, low.queries, low.gates), (36, 6, 36));
        assert_eq!(
            (fewest(4, 4, false), fewest(12, 6, false), fewest(1, 1, false), fewest(4, 2, true)),
            ((10, 4), (36, 6), (1, 1), (4, 0))
        );
        assert_eq!(
            (
                fewest_in_context(3, 3, false),
                fewest_in_context(2, 3, false),
                fewest_in_context(2, 3, true)
            ),
            (12, 8, 6)
        );
        assert_eq!(advice(4, 4), (28, 20));
        assert_eq!(advice(12, 6).0, 84, "the paper's figure 3B");
        assert_eq!((advice(4, 3), advice(4, [4, 2, 4])), ((22, 18), (18, 16)));
        assert_eq!(
            (fewest(4, [4, 2, 3], false), fewest(4, [1, 4, 2], false), fewest(4, [3, 3, 4], true)),
            ((7, 2), (2, 2), (9, 0))
        );
        assert_eq!(
            (fewest(4, 9, false), fewest(2, [9, 1, 9], false)),
            (fewest(4, 4, false), (2, 1)),
            "no rank exceeds d"
        );
    }
}
