//! In-context regression by one step of gradient descent from zero (paper, section 5): ŷ = η Σ_t
//! y_t (x_t · x_q).
//!
//! With x uniform on (−√3, √3)^{d_x}, W's entries N(0, v / d_x) and noise of variance σ² on the
//! examples, the expected loss is L(η) = ½ v (1 − 2 η T + η² T (T + d_x + κ − 2)) + ½ η² σ² T d_x,
//! where κ = E x_i⁴ = 9/5. It is least at η* = 1 / (T + d_x − 1/5 + σ² d_x / v), where it is ½ v (1
//! − T η*).

use crate::task::Regression;

/// E x⁴ of a number that is uniform on (−√3, √3).
const FOURTH_MOMENT: f64 = 9.0 / 5.0;

/// η*, the step size with the least expected loss.
pub fn best_step_size(task: Regression) -> f64 {
    let (t, d) = (task.pairs as f64, task.inputs as f64);
    let (noise, variance) = (f64::from(task.noise), f64::from(task.variance));
    1.0 / (t + d + FOURTH_MOMENT - 2.0 + noise * noise * d / variance)
}

/// L(η), the expected loss of a step of size `step_size` on `task`: half the mean squared error of
/// an output.
pub fn expected_loss(task: Regression, step_size: f64) -> f64 {
    let (t, d) = (task.pairs as f64, task.inputs as f64);
    let (noise, variance) = (f64::from(task.noise), f64::from(task.variance));
    let fit = 1.0 - 2.0 * step_size * t + step_size * step_size * t * (t + d + FOURTH_MOMENT - 2.0);
    0.5 * (variance * fit + step_size * step_size * noise * noise * t * d)
}

/// The weights W = η Σ_t y_t x_tᵀ `[d_y, d_x]` after one step on the pairs of `tokens` `[T + 1, d_x
/// + d_y]`.
pub fn weights(task: Regression, tokens: &[f64], step_size: f64) -> Vec<f64> {
    let Regression { inputs, outputs, pairs, .. } = task;
    let mut weights = vec![0.0; outputs * inputs];
    for token in tokens.chunks_exact(inputs + outputs).take(pairs) {
        let (x, y) = token.split_at(inputs);
        for (row, y) in weights.chunks_exact_mut(inputs).zip(y) {
            row.iter_mut().zip(x).for_each(|(w, x)| *w += step_size * y * x);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend as _, cpu::Cpu};
    use crate::graph::{Graph, program::Program};

    const PAPER: Regression =
        Regression { inputs: 3, outputs: 3, pairs: 12, noise: 0.0, variance: 1.0 };

    #[test]
    fn the_papers_sizes() {
        let best = best_step_size(PAPER);
        assert!(
            (best - 0.067_567_567).abs() < 1e-8
                && (expected_loss(PAPER, best) - 0.094_594_594).abs() < 1e-8
        );
        let double = Regression { variance: 2.0, ..PAPER };
        assert!((expected_loss(double, best) - 2.0 * 0.094_594_594).abs() < 1e-7);
    }

    /// The formula against the mean over many sampled sequences, at η* and beside it.
    #[test]
    fn the_expected_loss_is_the_mean_over_samples() {
        for task in
            [PAPER, Regression { inputs: 2, outputs: 1, pairs: 5, noise: 0.7, variance: 2.0 }]
        {
            let batch = 20_000;
            let mut graph = Graph::new(batch, task.pairs + 1);
            let (x, y) = task.record(&mut graph);
            let program = Program::forward(graph);
            let settings = program.find("regression").unwrap();
            let mut cpu = Cpu::<f64>::new(program, 1, u64::MAX).unwrap();
            cpu.write(settings, &task.constants());
            cpu.forward();
            let (tokens, targets) = (cpu.read_exact(x.id()), cpu.read_exact(y.id()));
            let width = task.inputs + task.outputs;
            let best = best_step_size(task);
            for step_size in [0.7 * best, best, 1.3 * best] {
                let mut sum = 0.0;
                for (tokens, target) in tokens
                    .chunks_exact(width * (task.pairs + 1))
                    .zip(targets.chunks_exact(task.outputs))
                {
                    let query = &tokens[width * task.pairs..][..task.inputs];
                    for (row, target) in
                        weights(task, tokens, step_size).chunks_exact(task.inputs).zip(target)
                    {
                        sum += (row.iter().zip(query).map(|(w, x)| w * x).sum::<f64>() - target)
                            .powi(2);
                    }
                }
                let mean = 0.5 * sum / (batch * task.outputs) as f64;
                let expected = expected_loss(task, step_size);
                assert!(
                    (mean / expected - 1.0).abs() < 0.03,
                    "{task:?}: {mean} instead of {expected}"
                );
            }
            assert!(
                expected_loss(task, best)
                    < expected_loss(task, 1.02 * best).min(expected_loss(task, 0.98 * best))
            );
        }
    }
}
