//! Copies of one program that are trained together: each is as if it were alone.

#![cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "what only the GPU's tests use"))]

use gatelens::backend::{Backend, Progress, cpu::Cpu};
use gatelens::graph::{Graph, program::Program};
use gatelens::model::Architecture;
use gatelens::model::{Sizes, every};
use gatelens::recipe::{DataShape, Recipe, TaskName};
use gatelens::task::{Arrays, Source};
use gatelens::train::pacer::Speed;
use gatelens::train::plan::Plan;
use gatelens::train::session::{Event, Member, Session};
use std::time::Instant;

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;
#[cfg(feature = "gpu")]
mod support;

/// The recipe with `n` neurons and gates, `batch` sequences, `seed`, and a learning rate of its own
/// for each seed.
fn recipe(n: usize, batch: usize, seed: u32) -> Recipe {
    Recipe {
        hidden: n,
        gates: n,
        batch,
        seed,
        learning_rate: 1e-2 / seed as f32,
        steps: 200,
        ..Recipe::default()
    }
}

/// Loads a recipe as replica `index`; returns its clock.
fn load(
    backend: &mut dyn Backend,
    index: usize,
    plan: &Plan,
    data: Option<&Arrays>,
) -> gatelens::graph::dims::Clock {
    let initial = backend.program().params.initial(plan.seed);
    backend.write_to(index, Graph::PARAMETERS, &initial);
    plan.write_constants(backend, index, Source { data, ..Source::default() });
    plan.optimizer.clock(plan.seed, 0)
}

fn together(
    recipes: &[Recipe],
    open: impl FnOnce(Program) -> Box<dyn Backend>,
) -> Box<dyn Backend> {
    let mut backend = open(recipes[0].plan().program().replicated(recipes.len()));
    let clocks: Vec<_> = recipes
        .iter()
        .enumerate()
        .map(|(i, recipe)| load(backend.as_mut(), i, &recipe.plan(), None))
        .collect();
    backend.set_clocks(&clocks);
    backend
}

fn cpu(threads: usize) -> impl Fn(Program) -> Box<dyn Backend> {
    move |program| Box::new(Cpu::<f32>::new(program, threads, u64::MAX).unwrap())
}

/// (loss, power) of each step, and the parameters, as bits.
fn bits(progress: &Progress) -> (Vec<[u32; 2]>, Vec<u32>) {
    let losses =
        progress.losses.iter().map(|step| [step.loss.to_bits(), step.power.to_bits()]).collect();
    (
        losses,
        progress
            .tensor(Graph::PARAMETERS)
            .expect("requested")
            .iter()
            .map(|v| v.to_bits())
            .collect(),
    )
}

#[test]
fn together_is_as_alone_on_the_cpu_to_the_bit() {
    let recipes: Vec<Recipe> = (1..=8).map(|seed| recipe(16, 16, seed)).collect();
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

/// From 16 384 parameters on the optimiser is spread over threads, piece by piece.
#[test]
fn a_large_one_is_the_same_on_two_threads() {
    let recipe = Recipe { hidden: 128, gates: 64, time: 4, mask_at: 0.0, ..recipe(0, 64, 1) };
    let found = [1, 2].map(|threads| {
        let mut backend = together(std::slice::from_ref(&recipe), cpu(threads));
        assert!(backend.device().name.starts_with(&threads.to_string()), "{:?}", backend.device());
        backend.advance(3).unwrap();
        backend.request(Graph::PARAMETERS);
        bits(&backend.poll().unwrap().unwrap())
    });
    assert!(found[0].1.len() > 16_384 && found[1] == found[0]);
}

/// Recipes of every task with every architecture in turn, at odd sizes.
fn odd() -> Vec<(Recipe, Architecture)> {
    let base = Recipe {
        dim: 3,
        hidden: 7,
        gates: 5,
        batch: 9,
        time: 11,
        steps: 100,
        mask_at: 0.0,
        ..Recipe::default()
    };
    let file = DataShape { name: "x.npz".into(), sequences: 21, steps: 4, is_weighted: true };
    let regression =
        Recipe { task: TaskName::Regression, outputs: 2, pairs: 6, noise: 0.1, ..base.clone() };
    let recall = Recipe { task: TaskName::Recall, pairs: 5, ..base.clone() };
    let file = Recipe { task: TaskName::File, outputs: 2, data: Some(file), ..base.clone() };
    let sizes = Sizes { hidden: 7, gates: 5, embed: 5, layers: 2, state: 3, width: 6, side: false };
    let tasks = [base, recall, regression, file];
    let task =
        |(i, architecture): (usize, Architecture)| (tasks[i % tasks.len()].clone(), architecture);
    every(sizes).into_iter().enumerate().map(task).collect()
}

fn arrays(recipe: &Recipe, seed: u32) -> Option<Arrays> {
    let (sequences, time, inputs, outputs, steps) =
        (recipe.data.as_ref()?.sequences, recipe.time, recipe.dim, recipe.outputs, 4);
    let normal = |name: &str, len: usize| gatelens::math::random::normals(seed, name, len);
    let weight = Some(normal("w", sequences * steps).iter().map(|v| v.abs()).collect());
    Some(Arrays {
        sequences,
        time,
        inputs,
        outputs,
        steps,
        x: normal("x", sequences * time * inputs),
        y: normal("y", sequences * steps * outputs),
        weight,
    })
}

/// Every kernel with three replicas, each with its own seed, data, noise and rates, against each
/// alone on the CPU engine.
#[test]
#[cfg(feature = "gpu")]
fn together_is_as_alone_on_the_gpu() {
    let Some(context) = device::context() else { return };
    for (recipe, architecture) in odd() {
        let own = |seed: u32| Recipe {
            seed,
            learning_rate: 1e-2 / seed as f32,
            noise: 0.1 * seed as f32,
            weight_variance: seed as f32,
            ..recipe.clone()
        };
        let three: Vec<Recipe> = (1..=3).map(own).collect();
        let data: Vec<Option<Arrays>> =
            three.iter().map(|recipe| arrays(recipe, recipe.seed)).collect();
        let split: Vec<Option<Arrays>> = three
            .iter()
            .zip(&data)
            .map(|(recipe, data)| Some(recipe.split(data.as_ref()?).0))
            .collect();
        let plans: Vec<Plan> =
            three.iter().map(|recipe| Plan { architecture, ..recipe.plan() }).collect();
        let run = |range: std::ops::Range<usize>, open: &dyn Fn(Program) -> Box<dyn Backend>| {
            let mut backend = open(plans[0].program().replicated(range.len()));
            let clocks: Vec<_> = range
                .clone()
                .map(|i| load(backend.as_mut(), i - range.start, &plans[i], split[i].as_ref()))
                .collect();
            backend.set_clocks(&clocks);
            backend.advance(3).unwrap();
            backend.request(Graph::PARAMETERS);
            backend
        };
        let mut gpu =
            gatelens::backend::gpu::Gpu::new(&context, plans[0].program().replicated(3)).unwrap();
        gpu.fill(f32::NAN);
        let gpu = std::cell::RefCell::new(Some(gpu));
        let mut backend = run(0..3, &|_| Box::new(gpu.take().unwrap()));
        let mut found: Vec<Progress> = vec![];
        while found
            .first()
            .is_none_or(|progress| progress.losses.len() < 3 || progress.tensors.is_empty())
        {
            for (i, next) in backend.poll_all().unwrap().into_iter().enumerate() {
                match found.get_mut(i) {
                    Some(known) => {
                        (known.losses.extend(next.losses), known.tensors.extend(next.tensors)).1
                    }
                    None => found.push(next),
                }
            }
        }
        assert_eq!(found.len(), 3);
        for (i, found) in found.iter().enumerate() {
            let alone = run(i..i + 1, &cpu(1)).poll().unwrap().unwrap();
            let numbers = |progress: &Progress| -> Vec<f64> {
                let losses = progress.losses.iter().flat_map(|step| [step.loss, step.power]);
                losses.chain(progress.tensors[0].1.iter().copied()).map(f64::from).collect()
            };
            let error = support::norm_error(&numbers(found), &numbers(&alone));
            assert!(error < 1e-4, "{architecture:?}, {:?}, replica {i}: {error:e}", recipe.task);
        }
    }
}

/// One that diverges stops, the others go on.
#[test]
fn one_that_diverges_does_not_stop_the_others() {
    let mut recipes: Vec<Recipe> =
        (1..=3).map(|seed| Recipe { mask_at: 0.0, ..recipe(8, 16, seed) }).collect();
    recipes[1].learning_rate = 10.0;
    let members: Vec<Member<'_>> = recipes
        .iter()
        .map(|recipe| Member { plan: recipe.plan(), start: None, source: Source::default() })
        .collect();
    let mut session = Session::together(&members, 5.0, |program| Ok(cpu(2)(program))).unwrap();
    let mut events = vec![];
    while !session.ended() {
        session.advance(Speed::Full, u64::MAX).unwrap();
        events.extend(session.poll_all().unwrap());
    }
    let told =
        |replica: usize| events.iter().filter(move |(i, _)| *i == replica).map(|(_, event)| event);
    assert!(told(1).any(|event| matches!(event, Event::Diverged(_))), "a rate of 10 diverges");
    assert!(!told(1).any(|event| matches!(event, Event::Finished)));
    for sound in [0, 2] {
        assert!(told(sound).any(|event| matches!(event, Event::Finished)), "{sound}");
        let losses: usize = told(sound)
            .map(|event| if let Event::Losses { losses, .. } = event { losses.len() } else { 0 })
            .sum();
        assert_eq!(losses, 200);
    }
}

/// `cargo test --release --test replicas -- --ignored --nocapture`: steps per second of eight runs,
/// together and one after the other.
#[test]
#[ignore = "a measurement"]
fn throughput() {
    for n in [16, 32, 64] {
        let recipes: Vec<Recipe> = (1..=8).map(|seed| recipe(n, 64, seed)).collect();
        let steps = 200;
        let mut best = [f64::INFINITY; 3];
        for _ in 0..3 {
            for (kind, best) in best.iter_mut().enumerate() {
                let groups: Vec<&[Recipe]> =
                    if kind == 2 { vec![&recipes] } else { recipes.chunks(1).collect() };
                let mut backends: Vec<_> = groups
                    .into_iter()
                    .map(|group| together(group, cpu(if kind == 0 { 1 } else { 0 })))
                    .collect();
                let started = Instant::now();
                backends.iter_mut().for_each(|backend| backend.advance(steps).unwrap());
                *best = best.min(started.elapsed().as_secs_f64());
            }
        }
        let rate = best.map(|seconds| 8.0 * f64::from(steps) / seconds);
        println!(
            "n = m = {n}: alone on one thread {:.0} steps/s, alone on all {:.0}, together {:.0}: {:.2}×",
            rate[0],
            rate[1],
            rate[2],
            rate[2] / rate[1]
        );
    }
}
