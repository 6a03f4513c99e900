//! Gradient clipping: gradients whose norm over all weights is too large are scaled down to it,
//! others are left alone.

use gatelens::backend::Backend;
use gatelens::backend::cpu::Cpu;
use gatelens::graph::Graph;
use gatelens::model::lstm::LSTM;
use gatelens::recipe::Recipe;
use gatelens::recipe::preset;
use gatelens::task::Source;

/// The first moment after one step, over 1 − β₁: the gradient as the optimiser saw it, of a small
/// LSTM with that clip.
fn gradient(clip: f32) -> Vec<f64> {
    let quick = preset::find("quick").unwrap().recipe;
    let recipe = Recipe { model: &LSTM, hidden: 5, embed: 4, mask_at: 0.0, clip, ..quick };
    let plan = recipe.plan();
    let mut cpu = Cpu::<f64>::new(plan.program(), 1, u64::MAX).unwrap();
    let initial = cpu.program().params.initial(plan.seed);
    cpu.write(Graph::PARAMETERS, &initial);
    plan.write_constants(
        &mut cpu,
        0,
        Source { teacher: plan.teacher().as_ref(), ..Source::default() },
    );
    cpu.set_clock(&plan.optimizer.clock(plan.seed, 0));
    cpu.advance(1).unwrap();
    cpu.read_exact(Graph::FIRST_MOMENT).iter().map(|m| m / 0.1).collect()
}

fn norm(gradient: &[f64]) -> f64 {
    gradient.iter().map(|g| g * g).sum::<f64>().sqrt()
}

#[test]
fn a_large_gradient_is_scaled_down_to_the_clip_and_a_small_one_is_left_alone() {
    let whole = gradient(0.0);
    let size = norm(&whole);
    assert!(size > 0.1, "{size}");
    let clips = [size * 0.25, size * 0.9].map(|clip| clip as f32);
    for clip in clips {
        let clipped = gradient(clip);
        assert!(
            (norm(&clipped) / f64::from(clip) - 1.0).abs() < 1e-6,
            "{} of {clip}",
            norm(&clipped)
        );
        let factor = f64::from(clip) / size;
        assert!(
            whole
                .iter()
                .zip(&clipped)
                .all(|(whole, clipped)| (whole * factor - clipped).abs() < 1e-7 * size),
            "its direction stays"
        );
    }
    assert_eq!(gradient(1e4), whole, "to the last bit");
}

#[test]
fn runs_with_and_without_a_clip_are_programs_of_their_own() {
    let with = |clip: f32| Recipe { clip, ..Recipe::default() }.plan();
    assert_ne!(with(0.0).shape(), with(1.0).shape());
    assert_eq!(with(0.5).shape(), with(1.0).shape());
    assert_eq!(with(0.5).program().calls.len(), with(0.0).program().calls.len() + 1);
}
