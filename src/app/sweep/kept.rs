//! What is kept of a sweep from visit to visit, as text: its definition and its records.

use crate::recipe::{Recipe, TaskName};
use crate::sweep::Sweep;
use crate::sweep::queue::{Queue, State};
use crate::sweep::record::{Outcome, Record};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct KeptSweep {
    sweep: Sweep,
    records: Vec<Record>,
    /// A run of the file task: it knows the sizes of the arrays, which are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<Recipe>,
}

/// A sweep that takes more as text is kept without its curves: a browser's storage holds about 5
/// MB.
pub const BYTES: usize = 1_500_000;

/// The sweep as text, or `None` if there is no room for it. What could not be trained is tried
/// again at the next visit. Of many runs only the end of each curve is kept, by which finished ones
/// are compared.
pub fn write(queue: &Queue) -> Option<String> {
    let record = |run| if let State::Over(record) = queue.state(run) { Some(record) } else { None };
    let over = (0..queue.runs().len()).filter_map(record);
    let on_file = queue.runs().iter().find(|run| run.recipe.task == TaskName::File);
    let mut kept = KeptSweep {
        sweep: queue.sweep.clone(),
        records: over.filter(|record| record.is_tried()).cloned().collect(),
        run: on_file.map(|run| run.recipe.clone()),
    };
    let whole = serde_json::to_string(&kept).ok()?;
    if whole.len() <= BYTES {
        return Some(whole);
    }
    for Record { curve, outcome, .. } in &mut kept.records {
        let end = usize::from(*outcome == Outcome::Finished);
        curve.0 = curve.0.split_off(curve.0.len().saturating_sub(end));
    }
    serde_json::to_string(&kept).ok().filter(|text| text.len() <= BYTES)
}

/// The sweep of such a text, which is empty if there was none.
///
/// # Errors
/// Why it does not read.
pub fn read(text: &str) -> Result<Option<Queue>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let KeptSweep { sweep, records, run } =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let recipes = records.iter().map(|record| &record.recipe).chain(&run);
    let mut queue = Queue::like(sweep, recipes).map_err(|error| error.to_string())?;
    records.into_iter().for_each(|record| queue.finish(record));
    Ok(Some(queue))
}

#[cfg(test)]
mod tests {
    use super::super::Sweeping;
    use super::*;
    use crate::backend::StepLoss;
    use crate::sweep::Run;
    use crate::sweep::record::Curve;
    use crate::ui::Which;

    fn sweep(layers: &[&str], seeds: u32) -> Sweep {
        let variants: Vec<String> =
            layers.iter().map(|layer| format!(r#""{layer}": {{ "model": "{layer}" }}"#)).collect();
        let text = format!(
            r#"{{ "preset": "quick", "variants": {{ {} }}, "grid": {{ "seed": ["1..{seeds}"] }} }}"#,
            variants.join(", ")
        );
        Sweep::read("test", &text).unwrap()
    }

    fn finished(queue: &mut Queue, run: usize) {
        let Run { key, recipe, .. } = queue.runs()[run].clone();
        let curve = Curve(vec![StepLoss { loss: 0.25, power: 1.0 }; 64]);
        queue.finish(Record {
            key,
            recipe,
            outcome: Outcome::Finished,
            curve,
            neurons: None,
            device: String::new(),
        });
    }

    fn holding(queue: Queue) -> Sweeping {
        Sweeping {
            queue: Some(queue),
            revision: 1,
            ..Sweeping::new(Which::Compare, &Recipe::default(), "quick", None)
        }
    }

    #[test]
    fn a_layer_that_is_taken_out_and_put_back_is_still_over() {
        let mut whole = Queue::new(sweep(&["lstm", "gru"], 2)).unwrap();
        (0..4).for_each(|run| finished(&mut whole, run));
        let extended = |old: &Queue, layers: &[&str]| {
            let mut queue = Queue::new(sweep(layers, 2)).unwrap();
            queue.take_over(old);
            queue
        };
        let without = extended(&whole, &["lstm"]);
        assert_eq!(without.over(), 2);
        assert_eq!(extended(&without, &["lstm", "gru"]).over(), 4);
    }

    #[test]
    fn weights_of_an_earlier_training_are_not_those_of_a_run_that_waits() {
        let mut queue = Queue::new(sweep(&["lstm"], 2)).unwrap();
        finished(&mut queue, 0);
        let mut sweeping = holding(queue);
        for run in 0..2 {
            let key = sweeping.key(run).unwrap();
            sweeping.keep_weights(&key, vec![1.0]);
        }
        assert!(
            sweeping.weights(0).is_some_and(|(step, _, weights)| step > 0 && weights == [1.0])
                && sweeping.weights(1).is_none()
        );
    }

    #[test]
    fn a_sweep_is_kept_with_its_curves_then_with_their_ends_then_not_at_all() {
        let kept = |layers: &[&str], seeds: u32| {
            let mut queue = Queue::new(sweep(layers, seeds)).unwrap();
            (0..queue.runs().len()).for_each(|run| finished(&mut queue, run));
            (holding(queue.clone()), queue)
        };
        let again = |text: &str| read(text).unwrap().unwrap();
        let (mut small, queue) = kept(&["lstm"], 3);
        let text = small.changed().unwrap().unwrap();
        assert!(
            again(&text).curve(0) == queue.curve(0) && small.changed().is_none(),
            "only what has changed"
        );
        let (mut many, _) = kept(&["lstm"], 700);
        let text = many.changed().unwrap().unwrap();
        assert!(text.len() <= BYTES);
        let queue = again(&text);
        let (first, curve) = queue.curve(0).unwrap();
        assert_eq!(
            (queue.over(), first, curve.0.len()),
            (700, 63, 1),
            "the end of each curve, at its end"
        );
        let (mut more, _) = kept(&["lstm", "gru"], 2000);
        let told = more.changed().unwrap().unwrap_err();
        assert!(
            told.contains("4000 runs are too many") && told.contains("save them as JSON"),
            "{told}"
        );
        more.revision += 1;
        assert!(more.changed().is_none(), "said once, and what was kept before stays");
        more.queue = None;
        more.revision += 1;
        assert_eq!(more.changed(), Some(Ok(String::new())));
    }
}
