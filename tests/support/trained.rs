//! A training, and what a window would know of it.

use gatelens::analysis::test_set::Sets;
use gatelens::analysis::{contribution, finding};
use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::math::random;
use gatelens::model::Network;
use gatelens::recipe::Recipe;
use gatelens::run::live::Live;
use gatelens::run::runner::Update;
use gatelens::task::{Arrays, Source};
use gatelens::train::pacer::Speed;
use gatelens::train::session::{Event, Member, Session};
use web_time::Instant;

/// What to train, and on which of the user's arrays.
pub struct Training<'a>(Recipe, Option<&'a Arrays>);

impl From<Recipe> for Training<'_> {
    fn from(recipe: Recipe) -> Self {
        Self(recipe, None)
    }
}

impl<'a> From<(Recipe, &'a Arrays)> for Training<'a> {
    fn from((recipe, arrays): (Recipe, &'a Arrays)) -> Self {
        Self(recipe, Some(arrays))
    }
}

/// A training on the CPU, and what the window knows of it after `steps`.
pub fn trained<'a>(training: impl Into<Training<'a>>, steps: u64) -> Live {
    let Training(recipe, arrays) = training.into();
    let plan = recipe.plan();
    let sets = arrays.map(|arrays| recipe.split(arrays));
    let (task, teacher) = (plan.task, plan.teacher());
    let open = |program| Ok(Box::new(Cpu::<f32>::new(program, 2, u64::MAX)?) as Box<dyn Backend>);
    let source = Source { teacher: teacher.as_ref(), data: sets.as_ref().map(|(train, _)| train) };
    let mut session = Session::new(&Member { plan, start: None, source }, 12.0, open).unwrap();
    let mut live = Live::new(1, recipe.clone());
    let (device, bytes) = (session.backend().device().clone(), session.backend().program().bytes());
    live.apply(1, Update::Ready { device, bytes, step: 0 }, Instant::now());
    live.apply(1, Update::Running(true), Instant::now());
    let mut last = None;
    while session.step() < steps.min(u64::from(recipe.steps)) && !session.ended() || last.is_none()
    {
        session.advance(Speed::Full, steps - session.step()).unwrap();
        for event in session.poll().unwrap() {
            if let Event::Weights { parameters, .. } = &event {
                last = Some(parameters.clone());
            }
            if let Event::Snapshot(snapshot) = &event {
                live.apply(
                    1,
                    Update::Snapshot { snapshot: snapshot.clone(), good: true },
                    Instant::now(),
                );
            }
            live.apply(1, Update::Event(event), Instant::now());
        }
    }
    live.apply(1, Update::Running(!session.ended()), Instant::now());
    let last = last.unwrap();
    if let Some(teacher) = teacher {
        let x = random::normals(recipe.seed, "probe", recipe.time.min(32) * recipe.dim);
        let probe = contribution::probe(&live.table, &last, &teacher, &x, live.step);
        live.apply(1, Update::Probe(probe), Instant::now());
    } else if let Some((train, test)) = &sets {
        let network = Network::from_parameters(&live.table, &last).unwrap();
        if let Some(finding) =
            finding::test(&network, Sets { test, train, in_order: task.is_in_order() })
        {
            live.apply(1, Update::Found(live.step, Box::new(finding)), Instant::now());
        }
    } else if let Some(finding) = finding::find(
        &Network::from_parameters(&live.table, &last).unwrap(),
        task,
        512,
        recipe.seed,
    ) {
        live.apply(1, Update::Found(live.step, Box::new(finding)), Instant::now());
    }
    live
}
