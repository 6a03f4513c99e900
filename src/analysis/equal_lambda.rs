//! Neurons of one λ, and how nearly the same is taken for the same among them.

/// What may be left of a folded neuron's contribution, as a part of the largest contribution; tried
/// from the left.
pub const TOLERANCES: [f64; 8] = [0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4, 1e-6, 1e-9];

/// λ closer than this are equal: above rounding of exp(−exp(ν)).
const EQUAL: f64 = 1e-12;

/// Places of neurons with equal λ.
pub fn groups_of_equal_lambda(lambda: &[f64]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lambda.len()).collect();
    order.sort_by(|&i, &j| lambda[j].total_cmp(&lambda[i]).then(i.cmp(&j)));
    let mut groups: Vec<Vec<usize>> = vec![];
    for i in order {
        match groups.last_mut().filter(|group| (lambda[group[0]] - lambda[i]).abs() <= EQUAL) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}
