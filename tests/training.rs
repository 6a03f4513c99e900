//! Training: it learns, repeats itself bit for bit, goes on from a checkpoint as if it had not
//! stopped, and stops when it diverges.

use gatelens::backend::cpu::Cpu;
use gatelens::recipe::{Engine, Gating, Recipe};
use gatelens::recipe::{checkpoint, preset};
use gatelens::task::Source;
use gatelens::train::pacer::Speed;
use gatelens::train::session::{Event, Member, Session, Snapshot};

fn small() -> Recipe {
    let quick = preset::find("quick").unwrap().recipe;
    Recipe {
        hidden: 12,
        gates: 10,
        time: 16,
        batch: 16,
        steps: 400,
        mask_at: 0.0,
        backend: Engine::Cpu,
        ..quick
    }
}

fn session(recipe: &Recipe, from: Option<&Snapshot>, threads: usize) -> Session {
    let member = Member { plan: recipe.plan(), start: from, source: Source::default() };
    Session::new(&member, 5.0, |program| Ok(Box::new(Cpu::<f32>::new(program, threads, u64::MAX)?)))
        .unwrap()
}

/// Trains until `until` (or the end); returns all losses and the last snapshot.
fn train(session: &mut Session, until: u64) -> (Vec<f32>, Snapshot, Vec<Event>) {
    let (mut losses, mut last, mut others) = (vec![], None, vec![]);
    for _ in 0..1_000_000 {
        let left = until.saturating_sub(session.step());
        session.advance(Speed::Full, left).unwrap();
        if left == 0 && !session.ended() {
            session.request_snapshot();
        }
        for event in session.poll().unwrap() {
            match event {
                Event::Losses { losses: new, .. } => {
                    losses.extend(new.iter().map(|step| step.loss))
                }
                Event::Snapshot(snapshot) => last = Some(snapshot),
                Event::Weights { .. } => {}
                other => others.push(other),
            }
        }
        let done = session.step() == until || session.ended();
        if done
            && session.idle()
            && last
                .as_ref()
                .is_some_and(|snapshot| snapshot.step == session.step() || session.ended())
        {
            break;
        }
    }
    (losses, last.unwrap(), others)
}

#[test]
fn both_gatings_learn_the_teacher() {
    for gating in [Gating::Output, Gating::Side] {
        let (losses, ..) =
            train(&mut session(&Recipe { gating, steps: 1500, ..small() }, None, 1), u64::MAX);
        let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
        assert_eq!(losses.len(), 1500);
        assert!(
            mean(&losses[1400..]) < 1e-2 * mean(&losses[..20]),
            "{gating:?}: {} → {}",
            mean(&losses[..20]),
            mean(&losses[1400..])
        );
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads| train(&mut session(&small(), None, threads), u64::MAX);
    let (one, state, _) = run(1);
    for threads in [1, 2, 3] {
        let (losses, again, _) = run(threads);
        assert!(losses == one && again == state, "{threads} threads");
    }
    let other = Recipe { seed: 2, ..small() };
    assert_ne!(
        train(&mut session(&other, None, 1), u64::MAX).1,
        state,
        "another seed is another run"
    );
}

#[test]
fn a_checkpoint_goes_on_as_if_nothing_had_happened() {
    let recipe = small();
    let (whole, end, _) = train(&mut session(&recipe, None, 1), u64::MAX);
    let (_, half, _) = train(&mut session(&recipe, None, 1), 150);
    assert_eq!(half.step, 150);
    let file = checkpoint::write(&recipe, &half, recipe.plan().teacher().as_ref()).unwrap();
    let loaded = checkpoint::read("half", &file).unwrap();
    assert_eq!((&loaded.snapshot, loaded.recipe.as_ref()), (&half, Some(&recipe)));
    let (rest, again, _) = train(&mut session(&recipe, Some(&loaded.snapshot), 1), u64::MAX);
    assert!(rest[..] == whole[150..] && again == end);
}

#[test]
fn the_mask_takes_out_only_what_does_nothing() {
    let recipe = Recipe {
        mask_at: 0.8,
        mask_threshold: 0.02,
        steps: 3000,
        decay_schedule: "0:1,0.2:3.5,0.8:5,0.8:0".parse().unwrap(),
        ..small()
    };
    let (losses, end, events) = train(&mut session(&recipe, None, 2), u64::MAX);
    let masked = events
        .iter()
        .find_map(|event| if let Event::Masked(masked) = event { Some(masked) } else { None })
        .expect("the mask falls");
    assert!(!masked.hidden.is_empty(), "spare neurons are found");
    let (before, after) = (losses[2390], losses[2410]);
    assert!(after < 10.0 * before, "the function stays: {before} → {after}");
    let table = recipe.plan().program().params;
    let m = table.slice(&end.parameters, "input_gate.m");
    for &i in &masked.hidden {
        assert!(m[i * 3..][..3].iter().all(|v| *v == 0.0), "neuron {i} stays at zero");
    }
}

#[test]
fn a_loss_that_diverges_stops_the_run_and_says_when() {
    let recipe =
        Recipe { learning_rate: 10.0, rate_schedule: "constant".parse().unwrap(), ..small() };
    let mut session = session(&recipe, None, 1);
    let (losses, _, events) = train(&mut session, u64::MAX);
    let at = events
        .iter()
        .find_map(|event| if let Event::Diverged(step) = event { Some(*step) } else { None });
    assert_eq!(
        at,
        Some(losses.len() as u64),
        "the first step whose loss is not finite is the last"
    );
    assert!(session.ended() && !losses[losses.len() - 1].is_finite());
}
