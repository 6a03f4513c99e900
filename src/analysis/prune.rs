//! Pruning (paper.md, section 4.1): neurons and gates below the threshold go, and what that changes
//! is measured, not assumed.

use super::batch::Batch;
use super::importance::Importance;
use super::stage::{Stage, StageKind};
use super::words::{counted, part};

/// Pruning that changes the outputs by no more than this is called lossless to the eye in the note;
/// relative RMS.
pub const HARMLESS: f64 = 0.01;

/// The `raw` network without the neurons and gates whose importance is at most `threshold` (a part
/// of the largest).
pub fn prune(raw: &Stage, importance: &Importance, threshold: f64, batch: &Batch) -> Stage {
    let kept = |values: &[f64]| -> Vec<usize> {
        (0..values.len()).filter(|&i| values[i] > threshold).collect()
    };
    let neurons = kept(&importance.hidden);
    let gates = kept(&importance.gates);
    let network = raw.network.select(&neurons, &gates);
    let is_same =
        (network.hidden(), network.gates()) == (raw.network.hidden(), raw.network.gates());
    let change = if is_same { 0.0 } else { batch.change(&network) };
    let mut stage = Stage {
        kind: StageKind::Pruned,
        gates: gates.iter().map(|&gate| vec![gate]).collect(),
        roles: neurons.iter().map(|&i| importance.roles[i]).collect(),
        neurons,
        network,
        change,
        note: String::new(),
    };
    stage.note = note(raw, &stage, threshold);
    stage
}

fn note(raw: &Stage, stage: &Stage, threshold: f64) -> String {
    let (neurons, gates) =
        (raw.neurons.len() - stage.neurons.len(), raw.gates.len() - stage.gates.len());
    if stage.neurons.is_empty() {
        return format!(
            "Nothing is above {threshold} of the most important: all {} are pruned, and what is left answers 0.",
            counted(raw.neurons.len(), "neuron")
        );
    }
    if neurons + gates == 0 {
        return format!(
            "Every neuron and gate is above {threshold} of the most important: nothing is pruned."
        );
    }
    let without = match (neurons, gates) {
        (n, 0) => counted(n, "neuron"),
        (0, m) => counted(m, "gate"),
        (n, m) => format!("{} and {}", counted(n, "neuron"), counted(m, "gate")),
    };
    let verdict = match stage.change {
        change if change <= HARMLESS => "",
        _ => ": this pruning changes the function",
    };
    format!(
        "{without} at or below {threshold} of the most important are gone; the outputs change by {}{verdict}.",
        part(stage.change)
    )
}
