//! Products whose sum is fewer products, found pair by pair and set by set: see [`super::merge`]
//! for what is exact.

use super::kernel::{Pairs, Product, Single, Sum};
use crate::math::linear;
use crate::math::matrix::{Matrix, norm};

/// Above this many products with one readout, pairs are not tried, only the whole set.
const MANY: usize = 40;
/// Kernels at an angle of no more than this are proportional: above f64 rounding of the angle.
const PROPORTIONAL: f64 = 1e-7;
/// Above this many candidate pairs, each product tries only its nearest ones.
const MOST_PAIRS: usize = 4096;
const NEAREST: usize = 2;
/// Larger sets with one readout are not tried as a whole: their decompositions take seconds.
const LARGEST_SET: usize = 128;
/// Most directions for [`by_output`].
pub const MOST_SIZE: usize = 64;

/// A product on its way: what it is, and which of the products at the start it stands for.
#[derive(Debug, Clone)]
pub struct Item {
    /// The product.
    pub product: Product,
    /// Places at the start.
    pub parts: Vec<usize>,
}

/// What readouts may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readouts {
    /// Any vector: output gates.
    Free,
    /// A column of D times a side row, flattened `[d_out, columns]`: a matrix of rank 1.
    RankOne {
        /// Length of the side row.
        columns: usize,
    },
}

/// Merges pairs, then sets with one readout, until nothing more merges.
pub fn agglomerate(mut items: Vec<Item>, tolerance: f64, readouts: Readouts) -> Vec<Item> {
    let mut pairs = pairs_of(&items);
    let nothing = tolerance * 0.1 / (items.len().max(1) as f64).sqrt() * pairs.total();
    let before = items.len();
    items.retain(|item| item.product.norm() > nothing);
    if items.len() > MANY && readouts == Readouts::Free {
        let all = pairs_of(&items);
        add_proportional(&mut items, &all, nothing);
    }
    if items.len() < before {
        pairs = pairs_of(&items);
    }
    while merge_pairs(&mut items, &pairs, tolerance, nothing, readouts)
        || merge_set(&mut items, &pairs, tolerance, readouts)
    {
        pairs = pairs_of(&items);
    }
    items
}

/// Each output's kernel by itself: p positive and q negative eigenvalues take max(p, q) products.
/// `None` if that is not fewer in all, or if the products read more than [`MOST_SIZE`] directions.
pub fn by_output(items: &[Item], tolerance: f64) -> Option<Vec<Item>> {
    let outputs = items.first().map_or(0, |item| item.product.readout.len());
    let mut found = vec![];
    for output in 0..outputs {
        let reads: Vec<usize> =
            (0..items.len()).filter(|&i| items[i].product.readout[output] != 0.0).collect();
        if reads.is_empty() {
            continue;
        }
        let alone = |i: &usize| Product {
            readout: (0..outputs)
                .map(|k| if k == output { items[*i].product.readout[k] } else { 0.0 })
                .collect(),
            ..items[*i].product.clone()
        };
        let products: Vec<Product> = reads.iter().map(alone).collect();
        let sum = Sum::of(&products.iter().collect::<Vec<_>>());
        if sum.size() > MOST_SIZE {
            return None;
        }
        let parts = parts(items, &reads);
        found.extend(
            sum.fewest(tolerance)
                .unwrap_or_default()
                .into_iter()
                .map(|product| Item { product, parts: parts.clone() }),
        );
        if found.len() >= items.len() {
            return None;
        }
    }
    Some(found)
}

impl Readouts {
    /// Makes a readout what it must be; returns what that leaves out, as a part of it.
    fn project(self, readout: &mut [f64]) -> f64 {
        let Self::RankOne { columns } = self else { return 0.0 };
        let linear::Svd { u, values, v_t } =
            linear::svd(&Matrix::new(readout.len() / columns, columns, readout.to_vec()));
        for (i, value) in readout.iter_mut().enumerate() {
            *value = values[0] * u.at(i / columns, 0) * v_t.at(0, i % columns);
        }
        let all = norm(&values);
        if all > 0.0 { norm(&values[1..]) / all } else { 0.0 }
    }
}

fn pairs_of(items: &[Item]) -> Pairs {
    Pairs::of(&items.iter().map(|item| &item.product).collect::<Vec<_>>())
}

fn sum(items: &[Item], which: &[usize]) -> Sum {
    Sum::of(&which.iter().map(|&i| &items[i].product).collect::<Vec<_>>())
}

/// What they stand for together, each part once.
fn parts(items: &[Item], which: &[usize]) -> Vec<usize> {
    let mut parts: Vec<usize> = which.iter().flat_map(|&i| items[i].parts.clone()).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Of these pairs (i < j) the `most` nearest of each i: by the angle of kernels or readouts, then
/// by place.
fn nearest_of(candidates: Vec<(usize, usize)>, pairs: &Pairs, most: usize) -> Vec<(usize, usize)> {
    let mut of_each: Vec<Vec<(f64, usize)>> = vec![];
    for (i, j) in candidates {
        of_each.resize(of_each.len().max(i + 1), vec![]);
        of_each[i].push((pairs.kernel_angle(i, j).max(PROPORTIONAL), j));
    }
    let kept = of_each.into_iter().enumerate().flat_map(|(i, mut list)| {
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        list.into_iter().take(most).map(move |(_, j)| (i, j))
    });
    kept.collect()
}

/// Adds up the readouts of products with proportional kernels, which is exact, without trying
/// pairs.
fn add_proportional(items: &mut Vec<Item>, pairs: &Pairs, nothing: f64) {
    let mut sets: Vec<(usize, Item)> = vec![];
    for (j, item) in items.iter().enumerate() {
        let Some((first, sum)) =
            sets.iter_mut().find(|(i, _)| pairs.kernel_angle(*i, j) <= PROPORTIONAL)
        else {
            sets.push((j, item.clone()));
            continue;
        };
        let first = &items[*first].product;
        let times = first.inner(&item.product) / first.inner(first).max(f64::MIN_POSITIVE);
        sum.product
            .readout
            .iter_mut()
            .zip(&item.product.readout)
            .for_each(|(sum, value)| *sum += times * value);
        sum.parts.extend(&item.parts);
    }
    *items = sets
        .into_iter()
        .map(|(_, item)| item)
        .filter(|item| item.parts.len() == 1 || item.product.norm() > nothing)
        .collect();
    items.iter_mut().for_each(|item| item.parts.sort_unstable());
}

/// Merges pairs of which one product leaves little enough, the best first, each gate once. Whether
/// any merged.
fn merge_pairs(
    items: &mut Vec<Item>,
    pairs: &Pairs,
    tolerance: f64,
    nothing: f64,
    readouts: Readouts,
) -> bool {
    let same_readout = |i: usize, j: usize| pairs.readout_angle(i, j) <= tolerance;
    let nearest = if readouts == Readouts::Free { NEAREST } else { 1 }; // readouts of rank 1 take a decomposition each
    let crowded: Vec<bool> = (0..items.len())
        .map(|i| (0..items.len()).filter(|&j| same_readout(i, j)).count() > MANY)
        .collect();
    let is_candidate = |i: usize, j: usize| {
        pairs.kernel_angle(i, j) <= tolerance || !(crowded[i] || crowded[j]) && same_readout(i, j)
    };
    let mut candidates: Vec<(usize, usize)> = (0..items.len())
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .filter(|&(i, j)| is_candidate(i, j))
        .collect();
    if candidates.len() > MOST_PAIRS {
        candidates = nearest_of(candidates, pairs, nearest);
    }
    let mut found: Vec<([usize; 2], f64, Product)> = vec![];
    for (i, j) in candidates {
        let sum = sum(items, &[i, j]);
        let Single { mut product, residual } = sum.single();
        let residual = residual.hypot(readouts.project(&mut product.readout));
        let residual = if sum.norm <= nothing { 0.0 } else { residual };
        if residual <= tolerance {
            found.push(([i, j], residual, product.oriented_as(&items[i].product)));
        }
    }
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut gone = vec![false; items.len()];
    for (pair, _, product) in found {
        if pair.iter().any(|&i| gone[i]) {
            continue;
        }
        pair.iter().for_each(|&i| gone[i] = true);
        if product.norm() > nothing {
            items.push(Item { product, parts: parts(items, &pair) });
        }
    }
    let mut places = gone.iter();
    items.retain(|_| !places.next().copied().unwrap_or(false));
    gone.contains(&true)
}

/// Replaces a set of gates with one readout by fewer, if fewer make the same sum. Whether one was.
fn merge_set(items: &mut Vec<Item>, pairs: &Pairs, tolerance: f64, readouts: Readouts) -> bool {
    let mut tried = vec![false; items.len()];
    for first in 0..items.len() {
        if tried[first] {
            continue; // a part of a set that stays
        }
        let set: Vec<usize> =
            (first..items.len()).filter(|&i| pairs.readout_angle(first, i) <= tolerance).collect();
        if !(3..=LARGEST_SET).contains(&set.len()) {
            continue;
        }
        set.iter().for_each(|&i| tried[i] = true);
        let Some(fewer) =
            sum(items, &set).fewest(tolerance).filter(|fewer| fewer.len() < set.len())
        else {
            continue;
        };
        let parts = parts(items, &set);
        set.iter().rev().for_each(|&i| drop(items.remove(i)));
        items.extend(fewer.into_iter().map(|mut product| {
            readouts.project(&mut product.readout); // they were all alike and of this kind, to the tolerance
            Item { product, parts: parts.clone() }
        }));
        return true;
    }
    false
}
