//! Sweeps whose runs are made up: what is drawn of them is known.

use gatelens::analysis::importance::Census;
use gatelens::backend::StepLoss;
use gatelens::recipe::{Gating, TaskName};
use gatelens::sweep::queue::Queue;
use gatelens::sweep::record::{Curve, Outcome, POINTS, Record};
use gatelens::sweep::{Axis, Run, Sweep};

/// An axis of these.
pub fn axis(keys: &str, values: &str) -> Axis {
    Axis::parse(keys, values).unwrap()
}

/// A sweep of these.
pub fn sweep(title: &str, preset: &str, settings: &[(&str, &str)], axes: &[(&str, &str)]) -> Sweep {
    let text = |(key, value): &(&str, &str)| ((*key).into(), (*value).into());
    let axes = axes.iter().map(|(keys, values)| axis(keys, values)).collect();
    Sweep {
        title: title.into(),
        about: String::new(),
        preset: preset.into(),
        settings: settings.iter().map(text).collect(),
        variants: vec![],
        axes,
    }
}

/// Attention of width 4 over n = m.
pub fn fig3a() -> Sweep {
    let sweep = sweep(
        "Figure 3A: loss against n = m, d = 4",
        "discover",
        &[],
        &[("hidden,gates", "8, 12, 14..40/2, 48, 64"), ("seed", "1..5")],
    );
    Sweep { about: "The loss falls at about twice the neurons that theory needs.".into(), ..sweep }
}

/// Attention of width 12 and rank 6.
pub fn fig3b() -> Sweep {
    let settings = [("dim", "12"), ("rank", "6"), ("batch", "32")];
    let sweep = sweep(
        "Figure 3B: a low-rank teacher, d = 12, r = 6",
        "low-rank",
        &settings,
        &[("hidden,gates", "20..140/10"), ("seed", "1..3")],
    );
    Sweep { about: "With rank 6 in place of 12 fewer neurons do.".into(), ..sweep }
}

/// Regression over n, with two kinds of gating.
pub fn fig3c() -> Sweep {
    let sweep = sweep(
        "Figure 3C: regression against one gradient step",
        "regression",
        &[],
        &[("hidden", "6..36/3"), ("gating", "output, side"), ("seed", "1..3")],
    );
    Sweep { about: "How many neurons does a step of gradient descent take?".into(), ..sweep }
}

/// The final loss that [`done`] gives a run; its targets have a mean square of 0.5.
pub fn loss_of(run: &Run) -> f64 {
    let recipe = &run.recipe;
    let wobble = 1.0 + 0.35 * f64::from(recipe.seed % 7) * (recipe.hidden as f64).sin();
    match recipe.task {
        TaskName::Regression => {
            let enough = if recipe.gating == Gating::Side { 4.5 } else { 9.0 };
            0.0946
                * (1.0
                    + 0.01 * (1.0 + wobble)
                    + (1.0 + 0.3 * wobble) * (-(recipe.hidden as f64) / enough).exp())
        }
        _ => {
            let rank = if recipe.rank == 0 { recipe.dim } else { recipe.rank };
            let enough = (rank * (rank + 3)) as f64;
            let fall = 1.0 / (1.0 + (-(recipe.hidden as f64 - enough) * 20.0 / enough / 2.0).exp());
            0.5 * 10f64.powf(-1.0 - 0.02 * recipe.hidden as f64 - 4.2 * fall)
                * wobble.abs().max(0.2)
        }
    }
}

/// A record of a run that ended at [`loss_of`].
pub fn record(run: &Run) -> Record {
    let (loss, power) = (loss_of(run), 0.5);
    let point =
        |i: u64| (loss + (power - loss) * (-(i as f64 + 1.0) * 12.0 / POINTS as f64).exp()) as f32;
    let curve = (0..POINTS).map(|i| StepLoss {
        loss: if i + 1 == POINTS { loss as f32 } else { point(i) },
        power: power as f32,
    });
    let used = run.recipe.hidden.min(17);
    let neurons = Census {
        key_value: used - used / 4,
        query: used / 4,
        between: 0,
        unused: run.recipe.hidden - used,
        gates: used,
    };
    Record {
        key: run.key.clone(),
        recipe: run.recipe.clone(),
        outcome: Outcome::Finished,
        curve: Curve(curve.collect()),
        neurons: Some(neurons),
        device: "CPU, 2 threads".into(),
    }
}

/// All runs over.
pub fn done(sweep: Sweep) -> Queue {
    let mut queue = Queue::new(sweep).unwrap();
    let records: Vec<Record> = queue.runs().iter().map(record).collect();
    records.into_iter().for_each(|record| queue.finish(record));
    queue
}

/// Half of the runs over, one of them diverged; two in training.
pub fn half_done(sweep: Sweep) -> Queue {
    let mut queue = Queue::new(sweep).unwrap();
    let half = queue.runs().len() / 2;
    let mut records: Vec<Record> = queue.runs()[..half].iter().map(record).collect();
    if let Some(record) = records.get_mut(4) {
        record.outcome = Outcome::Diverged(700);
        record.curve.0.truncate(9);
    }
    for (k, index) in [half, half + 1].into_iter().enumerate() {
        let mut curve = record(&queue.runs()[index]).curve;
        curve.0.truncate(12 + 9 * k);
        let step = gatelens::sweep::record::mark(
            u64::from(queue.runs()[index].recipe.steps),
            curve.0.len() as u64,
        );
        queue.progress(index, step, curve);
    }
    records.into_iter().for_each(|record| queue.finish(record));
    queue
}
