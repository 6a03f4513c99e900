//! Fewer neurons with side gating (paper's appendix A.2): neuron i adds D_i (w_i · x̃_t) h_i, with
//! its side row w_i, so together those of one λ are Σ_i D_i ⊗ w_i ⊗ sym(m_i x_iᵀ), and what is
//! exact is what keeps that sum. Two neurons of one λ are one if two of their three factors
//! are proportional and the third adds up to such a factor: readouts and side rows always do, input
//! kernels if their sum has at most one positive and one negative eigenvalue. That u_j is a
//! combination of several u_i is not enough, unless each of these shares its side row or readout
//! with j. The same search as for output gates, with readouts D_i w_iᵀ that must stay of rank 1.

use super::agglomerate::{Item, Readouts, agglomerate};
use super::batch::Batch;
use super::equal_lambda::{TOLERANCES, groups_of_equal_lambda};
use super::kernel::Product;
use super::stage::Stage;
use crate::math::linear;
use crate::math::matrix::Matrix;
use crate::model::Network;
use crate::model::network::Gating;

/// Merges neurons of equal λ (`before` are the stage's outputs) where that is exact, or changes the
/// outputs by at most [`Batch::allowed`].
pub fn reduce(start: &Stage, before: &Matrix, batch: &Batch) -> Stage {
    let network = &start.network;
    let Gating::Side(side) = &network.gating else { return start.clone() };
    let readout = network.readout.transpose(); // [n, d_out]
    let item = |i: usize| {
        let pairs: Vec<f64> =
            readout.row(i).iter().flat_map(|d| side.row(i).iter().map(move |w| d * w)).collect();
        Item {
            product: Product::new(network.input_m.row(i), network.input_x.row(i), &pairs),
            parts: vec![i],
        }
    };
    for tolerance in TOLERANCES {
        let reduced: Vec<Item> = groups_of_equal_lambda(&network.lambda)
            .into_iter()
            .flat_map(|group| {
                agglomerate(
                    group.into_iter().map(item).collect(),
                    tolerance,
                    Readouts::RankOne { columns: side.columns },
                )
            })
            .collect();
        if reduced.len() == start.neurons.len() {
            break; // stricter ones merge nothing either
        }
        let stage = stage_of(start, reduced);
        if batch.change_from(before, &stage.network) <= batch.allowed() {
            return stage;
        }
    }
    start.clone()
}

fn stage_of(start: &Stage, mut items: Vec<Item>) -> Stage {
    items.sort_by_key(|item| item.parts[0]);
    let first: Vec<usize> = items.iter().map(|item| item.parts[0]).collect();
    let mut network: Network = start.network.select(&first, &[]);
    for (row, item) in items.iter().enumerate().filter(|(_, item)| item.parts.len() > 1) {
        let Gating::Side(side) = &mut network.gating else { continue };
        network.input_m.row_mut(row).copy_from_slice(&item.product.a);
        network.input_x.row_mut(row).copy_from_slice(&item.product.b);
        let columns = side.columns;
        let linear::Svd { u, values, v_t } = linear::svd(&Matrix::new(
            item.product.readout.len() / columns,
            columns,
            item.product.readout.clone(),
        ));
        side.row_mut(row).copy_from_slice(v_t.row(0));
        (0..u.rows)
            .for_each(|output| network.readout.set(output, row, u.at(output, 0) * values[0]));
    }
    let neurons = first.iter().map(|&i| start.neurons[i]).collect();
    let roles = first.iter().map(|&i| start.roles[i]).collect();
    Stage { network, neurons, roles, ..start.clone() }
}
