//! `train`: a recipe from preset and flags, progress on stderr, a run folder and a report.

use super::arguments::text;
use crate::analysis::finding::{self, Finding};
use crate::analysis::importance::{Census, THRESHOLD};
use crate::analysis::test_set::Sets;
use crate::backend::cpu::clock;
use crate::graph::dims::Rates;
use crate::model::Network;
use crate::named::Named;
use crate::platform::{self, Link};
use crate::recipe::settings::SETTINGS;
use crate::recipe::{Gating, Recipe, Switch, TaskName};
use crate::recipe::{checkpoint, data, preset};
use crate::run::live::{End, Live};
use crate::run::runner::{Command, Start, Update};
use crate::task::{Arrays, Teacher};
use crate::train::session::Snapshot;
use crate::{Error, Result};
use clap::ArgMatches;
use clap::parser::ValueSource;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

struct Job {
    recipe: Recipe,
    from: Option<Snapshot>,
    teacher: Option<Teacher>,
    arrays: Option<Arrays>,
    threads: usize,
    out: Option<PathBuf>,
    json: bool,
}

/// The `train` command.
///
/// # Errors
/// Bad settings or files, no device, a loss that diverged, a folder that can't be written.
pub fn run(arguments: &ArgMatches) -> Result<()> {
    let name = text(arguments, "preset").unwrap_or(preset::DEFAULT);
    let preset = preset::find(name).ok_or_else(|| {
        Error::setting("preset", name, format!("one of {}", preset::names().join(", ")))
    })?;
    let (mut recipe, mut from, mut teacher, mut held) = (preset.recipe, None, None, None);
    let arrays = text(arguments, "data").map(arrays).transpose()?;
    if let Some(file) = text(arguments, "init") {
        let bytes = std::fs::read(file)
            .map_err(|e| Error::file(file, format!("could not be read: {e}")))?;
        let loaded = checkpoint::read(file, &bytes)?;
        loaded.notes.iter().for_each(|note| eprintln!("{file}: {note}"));
        recipe = match &arrays {
            Some(_) => Recipe {
                mask_at: 0.0,
                ..Recipe::default().with_sizes(loaded.architecture, loaded.inputs)
            },
            None => loaded.to_recipe(file)?,
        };
        held = Some((file, (loaded.architecture, [loaded.inputs, loaded.outputs])));
        (from, teacher) = (Some(loaded.snapshot), loaded.teacher);
    }
    let drawn = recipe.clone();
    let given = |key: &str| {
        text(arguments, key)
            .filter(|_| arguments.value_source(key) == Some(ValueSource::CommandLine))
    };
    for setting in SETTINGS {
        if let Some(value) = given(setting.key) {
            setting.set(&mut recipe, value)?;
        }
    }
    if arguments.get_flag("no-shuffle") {
        recipe.shuffle = Switch::Off;
    }
    if let Some((name, arrays)) = &arrays {
        recipe = recipe.with_data(name, arrays);
        if given("batch").is_none() {
            recipe = recipe.with_fitting_batch(); // what was asked for is refused, not changed
        }
    } else if recipe.task == TaskName::File {
        return Err(Error::setting(
            "data",
            "nothing",
            "a file with your arrays x and y: --data FILE (.npz, .npy or safetensors)",
        ));
    }
    recipe.check()?;
    teacher = teacher.filter(|_| recipe.same_teacher(&drawn));
    if let Some((file, (architecture, widths))) = held {
        let (inputs, outputs) = recipe.task().widths();
        let asked = (recipe.architecture(), [inputs, outputs]);
        if asked != (architecture, widths) {
            let (own, asked) = (
                checkpoint::described(architecture, widths),
                checkpoint::described(asked.0, asked.1),
            );
            return Err(Error::file(
                file,
                format!(
                    "holds weights of {own}, but the settings ask for {asked}; leave out the settings that differ, or give --init weights of such a network"
                ),
            ));
        }
    }
    for setting in SETTINGS
        .iter()
        .filter(|setting| given(setting.key).is_some() && !setting.counts_for(&recipe))
    {
        eprintln!("{} is ignored: {}", setting.key, setting.unseen_by(&recipe));
    }
    let threads = arguments.get_one::<usize>("threads").copied().unwrap_or(0);
    let out = text(arguments, "out").map(PathBuf::from);
    train(Job {
        recipe,
        from,
        teacher,
        arrays: arrays.map(|(_, arrays)| arrays),
        threads,
        out,
        json: arguments.get_flag("json"),
    })
}

/// The user's arrays and the file's name; beside `x.npy` also `y.npy` and `mask.npy` are read.
pub(super) fn arrays(path: &str) -> Result<(String, Arrays)> {
    let read = |path: &Path| std::fs::read(path);
    let mut files = vec![(
        path.to_owned(),
        read(Path::new(path)).map_err(|e| Error::file(path, format!("could not be read: {e}")))?,
    )];
    if path.ends_with(".npy") {
        let beside = |name: &str| Path::new(path).with_file_name(name);
        let others =
            ["y.npy", "mask.npy"].map(beside).into_iter().filter(|other| other != Path::new(path));
        files.extend(
            others.filter_map(|other| Some((other.display().to_string(), read(&other).ok()?))),
        );
    }
    let files: Vec<data::File<'_>> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    Ok((path.to_owned(), data::read(&files)?))
}

/// What a terminal without a display does: the recipe of `link`, or the default preset, into a
/// folder of its own.
///
/// # Errors
/// As [`run`].
pub fn default_run(link: Option<&str>) -> Result<()> {
    let hash =
        link.map(|link| link.split_once('#').map_or(link, |(_, hash)| hash)).unwrap_or_default();
    let (preset, recipe, problems) = Recipe::from_hash(hash);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let out = Some(PathBuf::from("runs").join(preset));
    train(Job { recipe, from: None, teacher: None, arrays: None, threads: 0, out, json: false })
}

fn train(job: Job) -> Result<()> {
    if let Some(out) = &job.out {
        prepare(out, &job.recipe)?;
    }
    let interrupted = stop_on_interrupt();
    let link = Link::spawn_alone()?;
    let Job { recipe, from, teacher, arrays, threads, .. } = &job;
    let start = Start {
        run: 0,
        recipe: recipe.clone(),
        from: from.clone(),
        teacher: teacher.clone(),
        data: arrays.clone().map(Box::new),
        running: true,
        threads: *threads,
        memory_limit: platform::memory_limit(),
    };
    link.send(Command::Start(Box::new(start)))?;
    let mut live = Live::new(0, recipe.clone());
    let followed = follow(&link, &mut live, &interrupted);
    if let Some(out) = &job.out {
        save(out, &job, &live, followed.is_ok())?; // what is done is kept, whatever happened
    }
    let steps_per_second = followed?;
    report(&job, &live, steps_per_second, interrupted.load(Ordering::SeqCst));
    match live.end {
        Some(End::Diverged(step)) => Err(Error::Diverged { step }),
        _ => Ok(()),
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub(super) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let handler = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    if let Err(problem) = handler {
        log::warn!("Ctrl-C will not save the run: {problem}");
    }
    interrupted
}

/// Shows progress until the training has ended and its last state is here; returns steps per second.
fn follow(link: &Link, live: &mut Live, interrupted: &AtomicBool) -> Result<f64> {
    let bar = ProgressBar::new(live.recipe.steps.into());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} steps  {msg}  {eta} left")
    {
        bar.set_style(style);
    }
    let (mut started, mut asked, mut ended): (Option<(Instant, u64)>, bool, Option<f64>) =
        (None, false, None);
    loop {
        if interrupted.load(Ordering::SeqCst) && !asked {
            asked = true;
            link.send(Command::Run(false))?;
        }
        let Some((run, update)) = link.receive(Duration::from_millis(50))? else { continue };
        let last_state = matches!(&update, Update::Snapshot { snapshot, .. } if ended.is_some() && snapshot.step == live.step);
        if let Update::Ready { device, step, .. } = &update {
            bar.suspend(|| {
                eprintln!("Training on {} {}", device.kind.key().to_uppercase(), device.name)
            });
            started = Some((Instant::now(), *step));
        }
        live.apply(run, update, Instant::now());
        for notice in live.notices.drain(..) {
            bar.suspend(|| eprintln!("{notice}"));
        }
        if let Some(failure) = live.failure.take() {
            bar.abandon();
            return Err(failure);
        }
        bar.set_position(live.step);
        if let Some((loss, nmse)) = live.history.smooth() {
            bar.set_message(format!("loss {loss:.2e}  nMSE {nmse:.2e}"));
        }
        let stopped = live.end.is_some() || (asked && !live.running);
        if stopped && ended.is_none() {
            let (since, first) = started.unwrap_or((Instant::now(), 0));
            ended = Some(
                (live.step - first.min(live.step)) as f64 / since.elapsed().as_secs_f64().max(1e-9),
            );
        }
        let known = live.snapshot.as_ref().is_some_and(|snapshot| snapshot.step == live.step);
        if let Some(rate) =
            ended.filter(|_| last_state || known || matches!(live.end, Some(End::Diverged(_))))
        {
            bar.finish_and_clear();
            return Ok(rate);
        }
    }
}

fn cannot_write(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let what = format!("writing {}", path.display());
    move |e| Error::System { what: what.clone(), problem: e.to_string() }
}

/// Makes the run folder and its recipe, so that a folder that can't be written is known before the
/// work.
fn prepare(out: &Path, recipe: &Recipe) -> Result<()> {
    std::fs::create_dir_all(out).map_err(cannot_write(out))?;
    let path = out.join("recipe.json");
    let json = serde_json::to_string_pretty(recipe)
        .map_err(|e| Error::System { what: "writing the recipe".into(), problem: e.to_string() })?;
    std::fs::write(&path, json + "\n").map_err(cannot_write(&path))
}

fn save(out: &Path, job: &Job, live: &Live, whole: bool) -> Result<()> {
    let plan = job.recipe.plan();
    let settings = plan.optimizer.clock(0, 0);
    let mut csv = String::from("step,loss,loss_min,loss_max,nmse,learning_rate,weight_decay\n");
    for bucket in live.history.buckets() {
        let last = bucket.first + bucket.count - 1;
        let Rates { learning_rate, weight_decay } = clock::rates(&settings, last as f64);
        csv += &format!(
            "{last},{:e},{:e},{:e},{:e},{learning_rate:e},{weight_decay:e}\n",
            bucket.loss,
            bucket.min,
            bucket.max,
            bucket.nmse()
        );
    }
    let path = out.join("metrics.csv");
    std::fs::write(&path, csv).map_err(cannot_write(&path))?;
    let state = if !whole || matches!(live.end, Some(End::Diverged(_))) {
        &live.good
    } else {
        &live.snapshot
    };
    if let Some(snapshot) = state {
        let teacher = job.teacher.clone().or_else(|| plan.teacher());
        let path = out.join("weights.safetensors");
        std::fs::write(&path, checkpoint::write(&job.recipe, snapshot, teacher.as_ref())?)
            .map_err(cannot_write(&path))?;
    }
    Ok(())
}

/// Sequences that the finished network is measured on in context.
const FOUND_SEQUENCES: usize = 262_144;

fn report(job: &Job, live: &Live, steps_per_second: f64, interrupted: bool) {
    let plan = job.recipe.plan();
    let network = live
        .weights
        .as_ref()
        .and_then(|weights| Network::from_parameters(&live.table, &weights.parameters));
    let finding = network.and_then(|network| match &job.arrays {
        Some(arrays) => {
            let (train, test) = job.recipe.split(arrays);
            finding::test(
                &network,
                Sets { test: &test, train: &train, in_order: plan.task.is_in_order() },
            )
        }
        None => finding::find(&network, plan.task, FOUND_SEQUENCES, plan.seed),
    });
    let (loss, nmse) = live.history.smooth().unwrap_or((f64::NAN, f64::NAN));
    let census = live
        .weights
        .as_ref()
        .map(|weights| weights.importance.census(THRESHOLD))
        .unwrap_or_default();
    let strict = live.weights.as_ref().map(|weights| {
        let importance = &weights.importance;
        let used = importance
            .lambda
            .iter()
            .zip(&importance.hidden)
            .filter(|(_, importance)| **importance > THRESHOLD);
        used.fold((0, 0), |(one, zero), (lambda, _)| {
            (one + usize::from(*lambda > 0.99), zero + usize::from(*lambda < 0.01))
        })
    });
    let (one, zero) = strict.unwrap_or_default();
    let (backend, adapter) =
        live.device.as_ref().map_or(("", ""), |device| (device.kind.key(), device.name.as_str()));
    if job.json {
        let gated = job.recipe.is_gated();
        let number = |value: f64| {
            if value.is_finite() { serde_json::json!(value) } else { serde_json::Value::Null }
        };
        let object = serde_json::json!({
            "step": live.step, "loss": number(loss), "nmse": number(nmse), "steps_per_s": number(steps_per_second), "backend": backend, "adapter": adapter,
            "interrupted": interrupted, "lambda_one": gated.then_some(one), "lambda_zero": gated.then_some(zero), "neurons": gated.then_some(census), "in_context": finding.as_ref().map(Finding::summary),
        });
        println!("{object}");
        return;
    }
    let Census { key_value, query, between, unused, gates } = census;
    let outcome = match live.end {
        Some(End::Diverged(_)) => "Diverged",
        _ if interrupted => "Interrupted",
        _ => "Done",
    };
    println!(
        "{outcome} after {} steps ({steps_per_second:.0} a second on {backend} {adapter})",
        live.step
    );
    println!("  loss {loss:.3e}, nMSE {nmse:.3e}");
    if job.recipe.is_gated() {
        println!(
            "  {} of {} hidden neurons in use: {key_value} remember (λ > 0.9), {query} pass the query on (λ < 0.1), {between} in between",
            key_value + query + between,
            key_value + query + between + unused
        );
        if job.recipe.gating == Gating::Output {
            println!("  {gates} of {} output gates in use", job.recipe.gates);
        }
    }
    if let Some(finding) = &finding {
        finding.sentences().iter().for_each(|sentence| println!("  {sentence}"));
    }
    if let Some(out) = &job.out {
        println!("  recipe.json, metrics.csv and weights.safetensors are in {}", out.display());
        if let (Some(End::Diverged(_)), Some(good)) = (&live.end, &live.good) {
            println!("  the weights are those of step {}, the last good state", good.step);
        }
    }
}
