//! What `analyze` prints and `analysis.json` holds. The keys at the top are fixed; null where
//! something could not be said, see `notes`.

use super::dissection::Dissection;
use super::scores::{Basis, Fit, Score};
use super::stage::StageKind;
use super::{batch, equal_lambda, merge, minimal, scores, verdict};
use serde_json::{Value, json};

impl Dissection {
    /// As JSON: the summary's keys, then details.
    pub fn report(&self) -> Value {
        let has_gates = !self.importance.gates.is_empty();
        let is_known = |stage: usize| stage == 0 || !self.is_silenced;
        let gates =
            |stage: usize| (has_gates && is_known(stage)).then(|| self.stages[stage].gates.len());
        let hidden = |stage: usize| is_known(stage).then(|| self.stages[stage].neurons.len());
        let measured = |value: f64| (!self.is_silenced).then_some(value);
        let counted = |count: usize| (!self.is_silenced).then_some(count);
        let basis = self.scores.as_ref().map(|scores| match (scores.fits, &scores.symmetric) {
            (Fit::Symmetric, Some(symmetric)) => symmetric,
            _ => &scores.attention,
        });
        let value = |score: &Option<Score>| score.as_ref().map(|score| score.value);
        let both = |basis: &Basis| json!({ "score_kv": value(&basis.key_value), "score_q": value(&basis.query) });
        json!({
            "hidden": hidden(0),
            "gates": gates(0),
            "kept_hidden": hidden(1),
            "kept_gates": gates(1),
            "lambda_one": counted(self.census.key_value),
            "lambda_zero": counted(self.census.query),
            "lambda_between": counted(self.census.between),
            "output_change": measured(self.stages[1].change),
            "score_kv": basis.and_then(|basis| value(&basis.key_value)),
            "score_q": basis.and_then(|basis| value(&basis.query)),
            "score_basis": self.scores.as_ref().map(|scores| scores.fits),
            "polynomial_distance": self.polynomial.as_ref().and_then(|polynomial| polynomial.distance),
            "merged_gates": gates(3),
            "minimal_hidden": hidden(4),
            "minimal_gates": gates(4),
            "two_token_distance": self.two_token_distance,
            "three_token_distance": self.three_token_distance,
            "teacher_error": self.teacher_error,
            "outside_attention": self.outside_attention,
            "snapping_change": measured(self.snapping),
            "scores": self.scores.as_ref().map(|scores| json!({ "attention": both(&scores.attention), "symmetric": scores.symmetric.as_ref().map(both) })),
            "stages": self.stages.iter().take(if self.is_silenced { 1 } else { 5 }).map(|stage| json!({
                "stage": stage.kind,
                "hidden": stage.neurons.len(),
                "gates": has_gates.then_some(stage.gates.len()),
                "output_change": measured(stage.change),
                "note": stage.note,
            })).collect::<Vec<_>>(),
            "groups": self.groups,
            "verdict": self.verdict,
            "notes": self.notes,
            "settings": self.settings,
            "tolerances": {
                "score_fits": scores::FITS,
                "merge_residuals": merge::TOLERANCES,
                "fold_remainders": equal_lambda::TOLERANCES,
                "allowed_change": [batch::LEAST_ALLOWED, batch::MOST_ALLOWED],
                "snapping_change": minimal::MOST_SNAPPING,
                "same_outputs": verdict::SAME_OUTPUTS,
                "same_polynomial": verdict::SAME_POLYNOMIAL,
                "same_form": verdict::SAME_FORM,
            },
        })
    }

    /// For people: a few lines, then the notes.
    pub fn text(&self) -> String {
        let mut lines =
            vec![self.verdict.headline.clone(), self.verdict.evidence.clone(), String::new()];
        for stage in &self.stages {
            let name = match stage.kind {
                StageKind::Raw => "raw",
                StageKind::Pruned => "pruned",
                StageKind::Sorted => "sorted",
                StageKind::Merged => "merged",
                StageKind::Minimal => "minimal",
            };
            let gates = if self.importance.gates.is_empty() {
                "    –".into()
            } else {
                format!("{:>5}", stage.gates.len())
            };
            lines.push(format!(
                "{name:<8} {:>4} neurons {gates} gates   {}",
                stage.neurons.len(),
                stage.note
            ));
        }
        let number =
            |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.2e}"));
        let score = |score: &Option<Score>| number(score.as_ref().map(|score| score.value));
        lines.push(String::new());
        if let Some(scores) = &self.scores {
            lines.push(format!(
                "Score KV {}, Score Q {} (attention basis)",
                score(&scores.attention.key_value),
                score(&scores.attention.query)
            ));
            if let Some(symmetric) = &scores.symmetric {
                lines.push(format!(
                    "Score KV {}, Score Q {} (symmetric basis)",
                    score(&symmetric.key_value),
                    score(&symmetric.query)
                ));
            }
        }
        if self.teacher_error.is_some() {
            let one = self.polynomial.as_ref().and_then(|polynomial| polynomial.distance);
            lines.push(format!(
                "Polynomial distance {} (one token), {} (two, lag {}), {} (three)",
                number(one),
                number(self.two_token_distance),
                self.settings.lag,
                number(self.three_token_distance)
            ));
        }
        for group in &self.groups {
            let list: Vec<String> = group.gates.iter().map(ToString::to_string).collect();
            let what = if group.merged { "Gates merged" } else { "Gates not merged" };
            lines.push(format!("{what}: {}; {}.", list.join(", "), group.reason));
        }
        lines.extend(self.notes.iter().map(|note| format!("Note: {note}")));
        lines.join("\n")
    }
}
