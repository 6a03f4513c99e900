//! Merging output gates (paper.md, section 4.6; the paper's Fig. 2C): gates whose kernels add up to
//! one product are one gate in parts.
//!
//! Exact cases, found pair by pair and again among what they merge into: the same kernel under any
//! readouts (the readouts add up); the same readout over kernels whose sum has at most one positive
//! and one negative eigenvalue (then it is one product u vᵀ and its transpose); and for a whole set
//! with the same readout, p positive and q negative eigenvalues take max(p, q) gates. Gates whose
//! kernels cancel add nothing and go. Trained weights are near such cases, not in them: the loosest
//! of [`TOLERANCES`] is taken under which the outputs, measured on a fresh batch, change by at most
//! [`Batch::allowed`].

use super::agglomerate::{Item, MOST_SIZE, Readouts, agglomerate, by_output};
use super::batch::Batch;
use super::kernel::{Coordinates, Product, Sum};
use super::reorder;
use super::stage::{Stage, StageKind};
use super::words::{counted, part};
use crate::math::matrix::{Matrix, norm};
use crate::model::Network;
use crate::model::network::Gating;
use serde::{Deserialize, Serialize};

/// What one gate may leave of the kernels it stands for, tried from the left.
pub const TOLERANCES: [f64; 7] = [0.1, 0.03, 0.01, 0.003, 1e-3, 1e-5, 1e-9];
/// What one gate may leave of gates that were picked by hand.
pub const BY_HAND: f64 = 0.1;
/// Gates whose sum is below this part of their own norms cancel: above rounding.
const CANCELS: f64 = 1e-9;

/// Gates that were tried as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The raw network's indices.
    pub gates: Vec<usize>,
    /// Picked by hand.
    pub by_hand: bool,
    /// Singular values of the group's summed kernel, symmetrised and stacked over outputs,
    /// falling; one gate has two (or one).
    pub singular_values: Vec<f64>,
    /// What the best single gate leaves of the group's kernels, as a part of their norm.
    pub residual: f64,
    /// It was merged.
    pub merged: bool,
    /// Why, or why not.
    pub reason: String,
    /// The reason says the residual.
    pub says_residual: bool,
}

/// What merging found.
pub struct Merging {
    /// The network with fewer gates.
    pub stage: Stage,
    /// What was tried, in the raw network's indices.
    pub groups: Vec<Group>,
}

/// Merges the gates of a `sorted` stage, first those `picked` by hand (raw indices).
pub fn merge(sorted: &Stage, picked: &[usize], batch: &Batch) -> Merging {
    let unchanged = |note: &str, groups| Merging {
        stage: Stage { kind: StageKind::Merged, note: note.into(), ..sorted.clone() },
        groups,
    };
    if matches!(sorted.network.gating, Gating::Side(_)) {
        let groups = if picked.is_empty() {
            vec![]
        } else {
            vec![refused(picked, "side gating has no output gates to merge".into())]
        };
        return unchanged("Side gating has no output gates to merge.", groups);
    }
    if sorted.gates.is_empty() {
        let groups = if picked.is_empty() {
            vec![]
        } else {
            vec![refused(picked, "they are pruned".into())]
        };
        return unchanged("There are no gates to merge.", groups);
    }
    let bench = Bench::new(sorted, batch);
    let gates = bench.gates();
    let (start, by_hand) =
        if picked.is_empty() { (gates.clone(), None) } else { bench.by_hand(&gates, picked) };
    // What is merged by hand: not to be listed again.
    let handled: Vec<usize> =
        (0..gates.len()).filter(|i| !start.iter().any(|item| item.parts == [*i])).collect();
    let result = bench
        .loosest(start.len(), |tolerance| {
            Some(agglomerate(start.clone(), tolerance, Readouts::Free))
        })
        .unwrap_or(start);
    let mut groups: Vec<Group> = by_hand.into_iter().collect();
    groups.extend(bench.groups(&gates, &result, &handled));
    if gates.len() == 1 && result.len() == 1 {
        return unchanged("There is one gate, and no other to merge it with.", groups);
    }
    if result.len() == gates.len() {
        return unchanged(
            &format!(
                "No two of the {} are parts of one product: nothing merges.",
                counted(gates.len(), "gate")
            ),
            groups,
        );
    }
    let mut stage = bench.stage_of(&result);
    stage.note = match result.len() {
        0 if gates.iter().all(|item| item.product.norm() == 0.0) => {
            "The gates read nothing that is left, or have no weight: they add nothing.".into()
        }
        0 => "All gates cancel: what they add up to is zero.".into(),
        after => format!(
            "{} are {} in parts; merging them changes the outputs by {}.",
            counted(gates.len(), "gate"),
            counted(after, "gate"),
            part(bench.change(&result))
        ),
    };
    Merging { stage, groups }
}

/// The stage with each output's gates made anew from its kernel, if those are fewer in all (see
/// [`by_output`]).
pub fn remake_by_output(stage: &Stage, batch: &Batch) -> Option<Stage> {
    if stage.gates.is_empty() || stage.network.hidden() > MOST_SIZE {
        return None;
    }
    let bench = Bench::new(stage, batch);
    let gates = bench.gates();
    bench
        .loosest(gates.len(), |tolerance| by_output(&gates, tolerance))
        .map(|result| bench.stage_of(&result))
}

struct Bench<'a> {
    stage: &'a Stage,
    coordinates: Coordinates,
    /// h of the stage's network `[batch · time, n]`
    states: Matrix,
    /// ŷ of the stage's network
    before: Matrix,
    batch: &'a Batch,
}

impl<'a> Bench<'a> {
    fn new(stage: &'a Stage, batch: &'a Batch) -> Self {
        let states = stage.network.states(&batch.x, batch.time);
        let before = stage.network.readout_of(&batch.x, &states);
        Self { stage, coordinates: Coordinates::new(&states), states, before, batch }
    }

    /// The stage's gates as products.
    fn gates(&self) -> Vec<Item> {
        let Gating::Output { m, x } = &self.stage.network.gating else { return vec![] };
        let (a, b) = (self.coordinates.functions(m), self.coordinates.functions(x));
        let readout = self.stage.network.readout.transpose();
        (0..m.rows)
            .map(|i| Item {
                product: Product::new(a.row(i), b.row(i), readout.row(i)),
                parts: vec![i],
            })
            .collect()
    }

    /// What `search` finds at the loosest tolerance that changes the outputs little enough, if it
    /// finds fewer than `count`.
    fn loosest(
        &self,
        count: usize,
        search: impl Fn(f64) -> Option<Vec<Item>>,
    ) -> Option<Vec<Item>> {
        let fewer = TOLERANCES
            .into_iter()
            .map_while(|tolerance| search(tolerance).filter(|found| found.len() < count)); // stricter ones find more
        fewer.into_iter().find(|found| self.change(found) <= self.batch.allowed())
    }

    /// The gates picked by hand as one, if they can be.
    fn by_hand(&self, gates: &[Item], picked: &[usize]) -> (Vec<Item>, Option<Group>) {
        let places: Vec<usize> = (0..gates.len())
            .filter(|&i| self.stage.gates[i].iter().any(|gate| picked.contains(gate)))
            .collect();
        let known = |raw: &usize| places.iter().any(|&i| self.stage.gates[i].contains(raw));
        let missing: Vec<String> =
            picked.iter().filter(|raw| !known(raw)).map(ToString::to_string).collect();
        let left_out = if missing.is_empty() {
            String::new()
        } else {
            format!(" (pruned or unknown: {})", missing.join(", "))
        };
        if places.len() < 2 {
            return (
                gates.to_vec(),
                Some(refused(picked, format!("at least two gates in use are needed{left_out}"))),
            );
        }
        let sum = Sum::of(&places.iter().map(|&i| &gates[i].product).collect::<Vec<_>>());
        let parts_norm = norm_of_parts(gates, &places);
        let cancels = sum.norm <= CANCELS * parts_norm;
        let mut single = sum.single();
        if cancels {
            single.residual = 0.0;
        }
        let mut items: Vec<Item> =
            gates.iter().filter(|item| !places.contains(&item.parts[0])).cloned().collect();
        if !cancels {
            items.push(Item { product: single.product, parts: places.clone() });
        }
        let change = self.change(&items);
        let merged = single.residual <= BY_HAND && change <= self.batch.allowed();
        let reason = match merged {
            true if parts_norm == 0.0 => {
                format!(
                    "they read nothing that is left, or have no weight: they add nothing{left_out}"
                )
            }
            true if cancels => format!("their kernels cancel: they add nothing{left_out}"),
            true => format!(
                "one product leaves {} of them; the outputs change by {}{left_out}",
                part(single.residual),
                part(change)
            ),
            false if single.residual > BY_HAND => {
                format!(
                    "the best single product leaves {} of them; {} is allowed{left_out}",
                    part(single.residual),
                    part(BY_HAND)
                )
            }
            false => format!(
                "the outputs would change by {}; {} is allowed{left_out}",
                part(change),
                part(self.batch.allowed())
            ),
        };
        let raw = places.iter().flat_map(|&i| self.stage.gates[i].clone()).collect();
        let group = Group {
            gates: raw,
            by_hand: true,
            singular_values: sum.singular_values(),
            residual: single.residual,
            merged,
            reason,
            says_residual: if merged {
                parts_norm > 0.0 && !cancels
            } else {
                single.residual > BY_HAND
            },
        };
        (if merged { items } else { gates.to_vec() }, Some(group))
    }

    /// How much the outputs differ from the stage's; relative to the raw network's.
    fn change(&self, items: &[Item]) -> f64 {
        let network = self.network(items);
        let difference = Matrix::new(
            self.before.rows,
            self.before.columns,
            network
                .readout_of(&self.batch.x, &self.states)
                .data
                .iter()
                .zip(&self.before.data)
                .map(|(a, b)| a - b)
                .collect(),
        );
        let size = self.before.norm();
        if size > 0.0 { difference.norm() / size } else { 0.0 }
    }

    /// The stage's network with these gates; one that stands for itself alone keeps its weights.
    fn network(&self, items: &[Item]) -> Network {
        let Gating::Output { m, x } = &self.stage.network.gating else {
            unreachable!("only output gates are merged")
        };
        let made: Vec<&Item> = items.iter().filter(|item| item.parts.len() > 1).collect();
        let factor = |side: fn(&Product) -> &Vec<f64>| {
            self.coordinates.rows(&Matrix::from_rows(
                &made.iter().map(|item| side(&item.product)).collect::<Vec<_>>(),
            ))
        };
        let (a, b) =
            if made.is_empty() { Default::default() } else { (factor(|p| &p.a), factor(|p| &p.b)) };
        let (mut next, columns) = (0, m.columns);
        let (mut new_m, mut new_x, mut readout) = (vec![], vec![], vec![]);
        for item in items {
            if let [own] = item.parts[..] {
                new_m.extend_from_slice(m.row(own));
                new_x.extend_from_slice(x.row(own));
                readout.extend(self.stage.network.readout.column(own));
            } else {
                new_m.extend_from_slice(a.row(next));
                new_x.extend_from_slice(b.row(next));
                readout.extend(item.product.readout.iter().copied());
                next += 1;
            }
        }
        let outputs = self.stage.network.outputs();
        let gating = Gating::Output {
            m: Matrix::new(items.len(), columns, new_m),
            x: Matrix::new(items.len(), columns, new_x),
        };
        Network {
            gating,
            readout: Matrix::new(items.len(), outputs, readout).transpose(),
            ..self.stage.network.clone()
        }
    }

    /// The merged stage, its gates sorted as before.
    fn stage_of(&self, items: &[Item]) -> Stage {
        let raw = |item: &Item| -> Vec<usize> {
            item.parts.iter().flat_map(|&i| self.stage.gates[i].clone()).collect()
        };
        let mut stage = Stage {
            kind: StageKind::Merged,
            network: self.network(items),
            gates: items.iter().map(raw).collect(),
            ..self.stage.clone()
        };
        reorder::sort_gates(&mut stage, &reorder::sizes(&self.states));
        stage.change = self.batch.change(&stage.network);
        stage
    }

    /// What became of which gates, but for those `handled` as one.
    fn groups(&self, gates: &[Item], result: &[Item], handled: &[usize]) -> Vec<Group> {
        let mut sets: Vec<(Vec<usize>, usize)> = vec![]; // parts, and how many gates they became
        for item in result.iter().filter(|item| item.parts.len() > 1 && item.parts != handled) {
            match sets.iter_mut().find(|(parts, _)| *parts == item.parts) {
                Some((_, count)) => *count += 1,
                None => sets.push((item.parts.clone(), 1)),
            }
        }
        let gone: Vec<usize> = (0..gates.len())
            .filter(|i| !handled.contains(i) && !result.iter().any(|item| item.parts.contains(i)))
            .collect();
        if !gone.is_empty() {
            sets.push((gone, 0));
        }
        let group = |(parts, count): (Vec<usize>, usize)| {
            let sum = Sum::of(&parts.iter().map(|&i| &gates[i].product).collect::<Vec<_>>());
            let residual = if count == 0 {
                sum.norm / norm_of_parts(gates, &parts).max(f64::MIN_POSITIVE)
            } else {
                sum.single().residual
            };
            let reason = match count {
                0 if parts.iter().all(|&i| gates[i].product.norm() == 0.0) => {
                    "they read nothing that is left, or have no weight: they add nothing".into()
                }
                0 => "their kernels cancel, or are too small to matter: they add nothing".into(),
                1 => format!("one product leaves {} of them", part(residual)),
                k => format!("they have one readout, and {k} products make the same sum"),
            };
            let raw = parts.iter().flat_map(|&i| self.stage.gates[i].clone()).collect();
            Group {
                gates: raw,
                by_hand: false,
                singular_values: sum.singular_values(),
                residual,
                merged: true,
                reason,
                says_residual: count == 1,
            }
        };
        sets.into_iter().map(group).collect()
    }
}

/// √ of the sum of squares of the gates' own kernels.
fn norm_of_parts(gates: &[Item], which: &[usize]) -> f64 {
    norm(&which.iter().map(|&i| gates[i].product.norm()).collect::<Vec<_>>())
}

fn refused(picked: &[usize], reason: String) -> Group {
    Group {
        gates: picked.to_vec(),
        by_hand: true,
        singular_values: vec![],
        residual: 0.0,
        merged: false,
        reason,
        says_residual: false,
    }
}
