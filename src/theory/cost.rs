//! What each construction takes (paper.md, section 2): neurons, gates and parameters against attention's 3d².

use super::Variant;

/// Ranks that the low-rank construction depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks {
    /// Of W_V.
    pub value: usize,
    /// Of W_Kᵀ W_Q.
    pub key_query: usize,
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
        Variant::LowRank => (ranks.value * ranks.key_query, ranks.key_query, ranks.value * ranks.key_query),
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

/// The fewest key-value and query neurons that are known to do for matrices of rank r ≤ d (paper.md, section 4.7):
/// r values times r keys and r queries, less what symmetry saves where values and keys overlap; d(d+1)/2 + d at full rank.
/// A side gate needs no queries, and its products are no sums of shared ones.
pub fn fewest(d: usize, rank: usize, side: bool) -> (usize, usize) {
    let r = rank.min(d);
    if side {
        return (r * r, 0);
    }
    let overlap = (2 * r).saturating_sub(d);
    (r * r - overlap * overlap.saturating_sub(1) / 2, r)
}

/// The fewest neurons that are known to do for one step of gradient descent in context (paper.md, section 5): the d_x d_y numbers
/// Σ y xᵀ, and, unless a side gate carries it, the query x of width d_x.
pub fn fewest_in_context(d_x: usize, d_y: usize, side: bool) -> usize {
    d_x * d_y + if side { 0 } else { d_x }
}

/// Hidden neurons n and gates m with which training finds attention of width d and rank r: about twice the fewest.
pub fn advice(d: usize, rank: usize) -> (usize, usize) {
    let r = rank.min(d);
    let (key_value, query) = fewest(d, r, false);
    let gates = if r == d { d * (d + 1) / 2 } else { r * r };
    (2 * (key_value + query), 2 * gates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_papers() {
        let full = Ranks { value: 4, key_query: 4 };
        let parameters = |variant| cost(variant, 4, full).parameters;
        assert_eq!([Variant::Naive, Variant::Symmetric, Variant::SymmetricShared].map(parameters), [924, 666, 474]);
        assert_eq!((attention(4), cost(Variant::Side, 4, full).parameters), (48, 16 + 3 * 16 * 5 + 64));
        let low = cost(Variant::LowRank, 12, Ranks { value: 6, key_query: 6 });
        assert_eq!((low.accumulators, low.queries, low.gates), (36, 6, 36));
        assert_eq!((fewest(4, 4, false), fewest(12, 6, false), fewest(1, 1, false), fewest(4, 2, true)), ((10, 4), (36, 6), (1, 1), (4, 0)));
        assert_eq!((fewest_in_context(3, 3, false), fewest_in_context(2, 3, false), fewest_in_context(2, 3, true)), (12, 8, 6));
        assert_eq!(advice(4, 4), (28, 20));
        assert_eq!(advice(12, 6).0, 84, "the paper's figure 3B");
    }
}
