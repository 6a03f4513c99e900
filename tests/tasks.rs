//! What the tasks draw: the sequences are what their files say.

use gatelens::backend::{Backend as _, cpu::Cpu};
use gatelens::graph::{Graph, program::Program};
use gatelens::task::{Recall, Regression, Source, Task};
use gatelens::train::optimizer::Optimizer;
use gatelens::train::schedule::Schedule;

/// Tokens and targets of `batch` sequences at the data seed `seed` and the step `step`.
fn draw(task: Task, batch: usize, seed: u32, step: u32) -> (Vec<f64>, Vec<f64>) {
    let mut graph = Graph::new(batch, task.tokens(0));
    let (x, y) = task.record(&mut graph);
    let program = Program::forward(graph);
    let constants: Vec<_> = task
        .constants(seed, Source::default())
        .into_iter()
        .map(|(name, numbers)| (program.find(name).unwrap(), numbers))
        .collect();
    let mut cpu = Cpu::<f64>::new(program, 2, u64::MAX).unwrap();
    constants.into_iter().for_each(|(buffer, numbers)| cpu.write(buffer, &numbers));
    let constant = || Schedule::constant(1.0);
    let optimizer = Optimizer {
        steps: 100,
        learning_rate: 1.0,
        rate_schedule: constant(),
        warmup: 0,
        weight_decay: 0.0,
        decay_schedule: constant(),
        beta1: 0.9,
        beta2: constant(),
        epsilon: 1e-8,
        clip: 0.0,
    };
    cpu.set_clock(&optimizer.clock(seed, step));
    cpu.forward();
    (cpu.read_exact(x.id()), cpu.read_exact(y.id()))
}

#[test]
fn regression_shows_one_linear_map_a_sequence_and_asks_for_it() {
    let task = Regression { inputs: 3, outputs: 2, pairs: 6, noise: 0.0, variance: 2.0 };
    let (tokens, targets) = draw(Task::Regression(task), 4000, 7, 3);
    let (mut square, mut fourth, mut weights) = (0.0, 0.0, vec![]);
    for (tokens, target) in tokens.chunks_exact(7 * 5).zip(targets.chunks_exact(2)) {
        let rows: Vec<&[f64]> = tokens.chunks_exact(5).collect();
        assert_eq!(rows[6][3..], [0.0, 0.0], "the query has no answer");
        for row in &rows {
            assert!(row[..3].iter().all(|x| x.abs() < 1.7321));
            square += row[..3].iter().map(|x| x * x).sum::<f64>() / 21.0;
            fourth += row[..3].iter().map(|x| x.powi(4)).sum::<f64>() / 21.0;
        }
        // W from the first three pairs explains all others and the target.
        let x = gatelens::math::matrix::Matrix::from_rows(
            &rows[..3].iter().map(|row| &row[..3]).collect::<Vec<_>>(),
        );
        let y = gatelens::math::matrix::Matrix::from_rows(
            &rows[..3].iter().map(|row| &row[3..]).collect::<Vec<_>>(),
        );
        let Some(inverse) = gatelens::math::linear::inverse(&x) else { continue };
        if inverse.norm() > 20.0 {
            continue; // three examples that are nearly in a plane
        }
        let map = inverse.times(&y); // [d_x, d_y] = Wᵀ
        weights.extend(map.data.clone());
        let answer =
            |x: &[f64], k: usize| x.iter().zip(map.column(k)).map(|(x, w)| x * w).sum::<f64>();
        for k in 0..2 {
            assert!(rows[3..6].iter().all(|row| (answer(&row[..3], k) - row[3 + k]).abs() < 1e-9));
            assert!((answer(&rows[6][..3], k) - target[k]).abs() < 1e-9);
        }
    }
    let n = 4000.0;
    assert!(
        (square / n - 1.0).abs() < 0.02 && (fourth / n - 1.8).abs() < 0.05,
        "x: {} {}",
        square / n,
        fourth / n
    );
    let variance = weights.iter().map(|w| w * w).sum::<f64>() / weights.len() as f64;
    assert!(weights.len() > 10_000 && (variance - 2.0 / 3.0).abs() < 0.03, "W: {variance}");
    assert_ne!(
        draw(Task::Regression(task), 4, 7, 3),
        draw(Task::Regression(task), 4, 7, 4),
        "another step, other sequences"
    );
    assert_ne!(
        draw(Task::Regression(task), 4, 8, 3),
        draw(Task::Regression(task), 4, 7, 3),
        "another seed, other sequences"
    );
}

#[test]
fn noise_moves_the_examples_but_not_the_target() {
    let task = Regression { inputs: 2, outputs: 3, pairs: 5, noise: 0.0, variance: 1.0 };
    let ((clean, target), (noisy, same)) = (
        draw(Task::Regression(task), 2000, 1, 0),
        draw(Task::Regression(Regression { noise: 0.5, ..task }), 2000, 1, 0),
    );
    assert_eq!(target, same);
    let differences: Vec<f64> =
        clean.iter().zip(&noisy).map(|(a, b)| b - a).filter(|d| *d != 0.0).collect();
    let variance = differences.iter().map(|d| d * d).sum::<f64>() / (2000.0 * 5.0 * 3.0);
    assert!((variance - 0.25).abs() < 0.01, "{variance}");
}

#[test]
fn recall_pairs_every_key_with_one_value_and_asks_for_one() {
    let pairs = 8;
    let (tokens, targets) = draw(Task::Recall(Recall { pairs }), 3000, 5, 2);
    let (mut asked, mut answers, mut firsts) = (vec![0; pairs], vec![0; pairs], vec![0; pairs]);
    for (tokens, &target) in tokens.chunks_exact(9 * 16).zip(&targets) {
        let hot = |part: &[f64]| -> Option<usize> {
            assert!(part.iter().all(|v| *v == 0.0 || *v == 1.0) && part.iter().sum::<f64>() <= 1.0);
            part.iter().position(|v| *v == 1.0)
        };
        let rows: Vec<(Option<usize>, Option<usize>)> =
            tokens.chunks_exact(16).map(|row| (hot(&row[..8]), hot(&row[8..]))).collect();
        let (mut keys, mut values): (Vec<usize>, Vec<usize>) =
            rows[..8].iter().map(|(key, value)| (key.unwrap(), value.unwrap())).unzip();
        let (query, nothing) = rows[8];
        let query = query.unwrap();
        assert_eq!(nothing, None, "the query has no value");
        let place = keys.iter().position(|key| *key == query).unwrap();
        assert_eq!(target, values[place] as f64);
        asked[query] += 1;
        answers[values[place]] += 1;
        firsts[keys[0]] += 1;
        keys.sort_unstable();
        values.sort_unstable();
        assert_eq!((keys, values), ((0..8).collect(), (0..8).collect()), "each once");
    }
    for counts in [asked, answers, firsts] {
        assert!(
            counts.iter().all(|count| (280..470).contains(count)),
            "all are about as likely: {counts:?}"
        );
    }
}
