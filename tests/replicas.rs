//! Copies of one program that are trained together: each is as if it were alone.

use gatelens::backend::{Backend, Progress, cpu::Cpu};
use gatelens::experiment::recipe::Recipe;
use gatelens::graph::{Graph, program::Program};
use gatelens::task::Source;
use std::time::Instant;

/// The recipe with `n` neurons and gates, `seed`, and a learning rate of its own for each seed.
fn recipe(n: usize, seed: u32) -> Recipe {
    Recipe { hidden: n, gates: n, seed, learning_rate: 1e-2 / seed as f32, steps: 200, ..Recipe::default() }
}

/// Loads a recipe as replica `index`; returns its clock.
fn load(backend: &mut dyn Backend, index: usize, recipe: &Recipe) -> gatelens::graph::dims::Clock {
    let plan = recipe.plan();
    let initial = backend.program().params.initial(plan.seed);
    backend.write_to(index, Graph::PARAMETERS, &initial);
    plan.write_constants(backend, index, Source::default());
    plan.optimizer.clock(plan.seed, 0)
}

fn together(recipes: &[Recipe], open: impl FnOnce(Program) -> Box<dyn Backend>) -> Box<dyn Backend> {
    let mut backend = open(recipes[0].plan().program().replicated(recipes.len()));
    let clocks: Vec<_> = recipes.iter().enumerate().map(|(i, recipe)| load(backend.as_mut(), i, recipe)).collect();
    backend.set_clocks(&clocks);
    backend
}

fn cpu(threads: usize) -> impl Fn(Program) -> Box<dyn Backend> {
    move |program| Box::new(Cpu::<f32>::new(program, threads, u64::MAX).unwrap())
}

/// (loss, power) of each step, and the parameters, as bits.
fn bits(progress: &Progress) -> (Vec<[u32; 2]>, Vec<u32>) {
    let losses = progress.losses.iter().map(|step| [step.loss.to_bits(), step.power.to_bits()]).collect();
    (losses, progress.tensor(Graph::PARAMETERS).expect("requested").iter().map(|v| v.to_bits()).collect())
}

#[test]
fn together_is_as_alone_on_the_cpu_to_the_bit() {
    let recipes: Vec<Recipe> = (1..=8).map(|seed| recipe(16, seed)).collect();
    let alone: Vec<_> = recipes
        .iter()
        .map(|recipe| {
            let mut backend = together(std::slice::from_ref(recipe), cpu(1));
            backend.advance(50).unwrap();
            backend.request(Graph::PARAMETERS);
            bits(&backend.poll().unwrap().unwrap())
        })
        .collect();
    for threads in 1..=3 {
        let mut backend = together(&recipes, cpu(threads));
        backend.advance(20).unwrap();
        backend.advance(30).unwrap();
        backend.request(Graph::PARAMETERS);
        let found: Vec<_> = backend.poll_all().unwrap().iter().map(bits).collect();
        assert!(found == alone, "{threads} threads");
    }
    assert!(alone[0].0 != alone[1].0, "seeds differ");
}

/// `cargo test --release --test replicas -- --ignored --nocapture`: steps a second of eight runs, together and one after the other.
#[test]
#[ignore = "a measurement"]
fn throughput() {
    for n in [16, 32, 64] {
        let recipes: Vec<Recipe> = (1..=8).map(|seed| recipe(n, seed)).collect();
        let steps = 400;
        let mut best = [f64::INFINITY; 3];
        for _ in 0..5 {
            for (kind, best) in best.iter_mut().enumerate() {
                let groups: Vec<&[Recipe]> = if kind == 2 { vec![&recipes] } else { recipes.chunks(1).collect() };
                let mut backends: Vec<_> = groups.into_iter().map(|group| together(group, cpu(if kind == 0 { 1 } else { 0 }))).collect();
                let begun = Instant::now();
                backends.iter_mut().for_each(|backend| backend.advance(steps).unwrap());
                *best = best.min(begun.elapsed().as_secs_f64());
            }
        }
        let rate = best.map(|seconds| 8.0 * f64::from(steps) / seconds);
        println!("n = m = {n}: alone on one thread {:.0} steps/s, alone on all {:.0}, together {:.0}: {:.2}×", rate[0], rate[1], rate[2], rate[2] / rate[1]);
    }
}
