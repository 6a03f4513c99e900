//! Minimal realisation (paper.md, section 4.7; ours). Neurons of one λ hold the same linear map of
//! their input functions u_i, so where u_j = Σ_i c_i u_i the states obey h_j = Σ_i c_i h_i at all
//! times: neuron j goes, and its column of W^out, times c_i, is added to neuron i's.
//!
//! λ is snapped first, above 0.9 to 1 and below 0.1 to 0, if that changes the outputs by at most
//! [`MOST_SNAPPING`]; if not, only neurons of equal λ are compared. Trained neurons depend on each
//! other only nearly: rows are taken by how much of the output hangs on what they do not share with
//! those taken before, to the loosest of [`TOLERANCES`] that changes the outputs by at most
//! [`Batch::allowed`].

use super::batch::Batch;
use super::equal_lambda::{TOLERANCES, groups_of_equal_lambda};
use super::functions::input_functions;
use super::stage::{Stage, StageKind};
use super::words::{counted, part};
use super::{merge, minimal_side, reorder};
use crate::math::linear;
use crate::math::matrix::{Matrix, norm};
use crate::model::Network;
use crate::model::network::Gating;

/// Most that snapping λ may change the outputs; relative RMS.
pub const MOST_SNAPPING: f64 = 0.05;
/// λ above this becomes 1.
const ONE: f64 = 0.9;
/// λ below this becomes 0.
const ZERO: f64 = 0.1;
/// Up to this many neurons are also tried one by one.
const FEW: usize = 64;
/// How many of them in each round, the least needed first.
const TRIES: usize = 2;
/// Dependence in the least squares of a fold: above rounding.
const DEPENDENT: f64 = 1e-11;

/// What the reduction found.
pub struct Minimal {
    /// The smallest network found.
    pub stage: Stage,
    /// What snapping λ alone changes; relative RMS.
    pub snapping: f64,
}

/// λ with those near 1 and 0 put there.
pub fn snapped(network: &Network) -> Network {
    let snap = |&lambda: &f64| {
        if lambda > ONE {
            1.0
        } else if lambda < ZERO {
            0.0
        } else {
            lambda
        }
    };
    Network { lambda: network.lambda.iter().map(snap).collect(), ..network.clone() }
}

/// The smallest network that computes what `merged` does.
pub fn minimise(merged: &Stage, batch: &Batch) -> Minimal {
    let snapped = snapped(&merged.network);
    let merged_outputs = merged.network.outputs_of(&batch.x, batch.time);
    let snapped_outputs = snapped.outputs_of(&batch.x, batch.time);
    let snapping = batch.apart(&merged_outputs, &snapped_outputs);
    let is_snapped = snapping <= MOST_SNAPPING;
    let (network, outputs) = if is_snapped {
        (snapped, snapped_outputs)
    } else {
        (merged.network.clone(), merged_outputs)
    };
    let start = Stage { kind: StageKind::Minimal, network, ..merged.clone() };
    let mut stage = match &start.network.gating {
        Gating::Output { .. } => fold(&start, &outputs, batch),
        Gating::Side(_) => minimal_side::reduce(&start, &outputs, batch),
    };
    if stage.neurons.len() < start.neurons.len() {
        let again = merge::merge(&stage, &[], batch).stage;
        if again.gates.len() < stage.gates.len() {
            stage = Stage { kind: StageKind::Minimal, ..again };
        }
    }
    if let Some(remade) = merge::remake_by_output(&stage, batch) {
        stage = Stage { kind: StageKind::Minimal, ..remade };
    }
    let is_same = (stage.network.hidden(), stage.network.gates())
        == (start.network.hidden(), start.network.gates());
    stage.change = if is_same { batch.distance(&outputs) } else { batch.change(&stage.network) };
    stage.note = note(merged, &stage, snapping, is_snapped);
    Minimal { stage, snapping }
}

fn note(merged: &Stage, stage: &Stage, snapping: f64, is_snapped: bool) -> String {
    let lambda = match is_snapped {
        true if merged.network.lambda == snapped(&merged.network).lambda => {
            "Every λ in use is 1, 0 or in between already".into()
        }
        true => format!("λ set to 1 and 0, which alone changes the outputs by {}", part(snapping)),
        false => format!(
            "λ stays as it is: setting it to 1 and 0 would change the outputs by {}",
            part(snapping)
        ),
    };
    let folded = match (merged.neurons.len(), stage.neurons.len()) {
        (0, _) => "there is no neuron left".into(),
        (before, after) if before == after => {
            format!("none of the {} can be made from others", counted(after, "neuron"))
        }
        (before, after) => {
            format!(
                "{} {} only {after}",
                counted(before, "neuron"),
                if before == 1 { "needs" } else { "need" }
            )
        }
    };
    let gates = match (merged.gates.len(), stage.gates.len()) {
        (before, after) if before != after => {
            format!(", and {} only {after}", counted(before, "gate"))
        }
        _ => String::new(),
    };
    let side = match &stage.network.gating {
        Gating::Side(_) => {
            " With side gating a neuron has a side row of its own, so one that is a combination of others stays unless side row or readout fits as well."
        }
        Gating::Output { .. } => "",
    };
    format!("{lambda}; {folded}{gates}. In all the outputs change by {}.{side}", part(stage.change))
}

/// Folds neurons into others of the same λ (output gating).
fn fold(start: &Stage, before: &Matrix, batch: &Batch) -> Stage {
    let functions = input_functions(&start.network);
    let weights = sensitivities(&start.network, batch);
    let reach = reaches(&start.network.lambda, batch.time);
    let weighed = Matrix::from_fn(functions.rows, functions.columns, |i, j| {
        functions.at(i, j) * weights[i] * reach[i]
    });
    let largest = weighed.iter_rows().map(norm).fold(0.0, f64::max);
    let groups = groups_of_equal_lambda(&start.network.lambda);
    let attempt = |kept: &[Vec<usize>]| -> Option<Stage> {
        let stage = folded(start, &functions, &groups, kept, batch);
        (batch.change_from(before, &stage.network) <= batch.allowed()).then_some(stage)
    };
    let count = |kept: &[Vec<usize>]| kept.iter().map(Vec::len).sum::<usize>();
    let mut best = (start.clone(), groups.clone());
    for tolerance in TOLERANCES {
        let kept: Vec<Vec<usize>> =
            groups.iter().map(|group| independent(&weighed, group, tolerance * largest)).collect();
        if count(&kept) == start.neurons.len() {
            break; // stricter ones keep them all too
        }
        if let Some(stage) = attempt(&kept) {
            best = (stage, kept);
            break;
        }
    }
    // One by one, where another tolerance would take too many at once.
    while count(&best.1) <= FEW {
        let fewer =
            least_needed(&weighed, &best.1).into_iter().take(TRIES).map(|(group, place)| {
                let mut kept = best.1.clone();
                kept[group].remove(place);
                kept
            });
        let Some(next) =
            fewer.into_iter().find_map(|kept| attempt(&kept).map(|stage| (stage, kept)))
        else {
            break;
        };
        best = next;
    }
    best.0
}

/// (group, place in it) of the kept neurons, by how much of each the others of its group don't
/// have, the least first.
fn least_needed(weighed: &Matrix, kept: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut found: Vec<(f64, usize, usize)> = vec![];
    for (group, neurons) in kept.iter().enumerate() {
        for place in 0..neurons.len() {
            let others: Vec<usize> =
                neurons.iter().enumerate().filter(|(i, _)| *i != place).map(|(_, &i)| i).collect();
            let basis = linear::span(&weighed.select_rows(&others), DEPENDENT, usize::MAX).basis;
            let own = weighed.select_rows(&[neurons[place]]);
            let shared = own.times_transposed(&basis).norm();
            found.push(((own.norm().powi(2) - shared.powi(2)).max(0.0), group, place));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, group, place)| (group, place)).collect()
}

/// Those of the group that span it to `left_over`, in their order.
fn independent(weighed: &Matrix, group: &[usize], left_over: f64) -> Vec<usize> {
    let rows = weighed.select_rows(group);
    let longest = rows.iter_rows().map(norm).fold(0.0, f64::max);
    if longest <= left_over {
        return vec![];
    }
    let mut kept: Vec<usize> = linear::span(&rows, left_over / longest, usize::MAX)
        .kept
        .into_iter()
        .map(|i| group[i])
        .collect();
    kept.sort_unstable();
    kept
}

/// The stage of the `kept` neurons of each group, the others folded into them.
fn folded(
    start: &Stage,
    functions: &Matrix,
    groups: &[Vec<usize>],
    kept: &[Vec<usize>],
    batch: &Batch,
) -> Stage {
    let mut neurons: Vec<usize> = kept.concat();
    neurons.sort_unstable();
    let mut onto = Matrix::zeros(start.neurons.len(), neurons.len()); // h ≈ onto · h of the kept
    for (group, kept) in groups.iter().zip(kept) {
        let (all, spanning) = (functions.select_rows(group), functions.select_rows(kept));
        let parts = linear::least_squares(&spanning.transpose(), &all.transpose(), DEPENDENT); // [kept, group]
        let place = |i: &usize| neurons.binary_search(i);
        for (column, &neuron) in group.iter().enumerate() {
            if let (true, Ok(own)) = (kept.contains(&neuron), place(&neuron)) {
                onto.set(neuron, own, 1.0);
                continue;
            }
            for (row, i) in kept.iter().enumerate() {
                if let Ok(column_of_kept) = place(i) {
                    onto.set(neuron, column_of_kept, parts.at(row, column));
                }
            }
        }
    }
    let mut stage = start.clone();
    let gates: Vec<usize> = (0..start.network.gates()).collect();
    stage.network = start.network.select(&neurons, &gates);
    if let (Gating::Output { m, x }, Gating::Output { m: old_m, x: old_x }) =
        (&mut stage.network.gating, &start.network.gating)
    {
        (*m, *x) = (old_m.times(&onto), old_x.times(&onto));
    }
    stage.neurons = neurons.iter().map(|&i| start.neurons[i]).collect();
    stage.roles = neurons.iter().map(|&i| start.roles[i]).collect();
    let states = stage.network.states(&batch.x, batch.time);
    reorder::sort_gates(&mut stage, &reorder::sizes(&states));
    stage
}

/// How far the outputs move, as a root mean square, when state i moves by 1 `[n]`: each gate's
/// other factor is taken at its RMS.
fn sensitivities(network: &Network, batch: &Batch) -> Vec<f64> {
    let Gating::Output { m, x } = &network.gating else { return vec![1.0; network.hidden()] };
    let states = network.states(&batch.x, batch.time);
    let read = |weights: &Matrix| reorder::sizes(&states.times_transposed(weights));
    let readout: Vec<f64> = network.readout.transpose().iter_rows().map(norm).collect();
    let (size_m, size_x) = (read(m), read(x));
    let square = |i: usize| {
        let gate = |j: usize| {
            readout[j].powi(2)
                * ((m.at(j, i) * size_x[j]).powi(2) + (x.at(j, i) * size_m[j]).powi(2))
        };
        (0..m.rows).map(gate).sum::<f64>()
    };
    (0..network.hidden()).map(|i| square(i).sqrt()).collect()
}

/// RMS over time of a state whose inputs are independent of size 1: √(mean over t of Σ_{k<t}
/// λ^{2k}) `[n]`.
fn reaches(lambda: &[f64], time: usize) -> Vec<f64> {
    let reach = |lambda: &f64| {
        let (mut sum, mut all) = (0.0, 0.0);
        for _ in 0..time {
            sum = sum * lambda * lambda + 1.0;
            all += sum;
        }
        (all / time.max(1) as f64).sqrt()
    };
    lambda.iter().map(reach).collect()
}
