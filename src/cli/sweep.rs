//! `sweep`: a grid of runs into a folder, whole or a shard of it; stopped and started again it goes
//! on where it was.

use super::arguments::text;
use super::train::{arrays, stop_on_interrupt};
use crate::named::Named;
use crate::platform::{self, Link};
use crate::recipe::TaskName;
use crate::recipe::settings::Setting;
use crate::run::group::{self, GroupEvent};
use crate::run::runner::{Command, Update};
use crate::sweep::contest::contenders;
use crate::sweep::measure::Measure;
use crate::sweep::merge::merge;
use crate::sweep::partial::Partial;
use crate::sweep::queue::{Queue, State};
use crate::sweep::record::Outcome;
use crate::sweep::shard::Shard;
use crate::sweep::store::Store;
use crate::sweep::{LARGE, MOST, Run, Sweep, presets};
use crate::task::Arrays;
use crate::{Error, Result};
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The `sweep` command.
///
/// # Errors
/// A bad definition or bad data; a folder that can't be written or that another process works on;
/// runs that failed.
pub fn run(arguments: &ArgMatches) -> Result<()> {
    let json = arguments.get_flag("json");
    let out = PathBuf::from(text(arguments, "out").unwrap_or_default());
    if let Some(dirs) = arguments.get_many::<String>("merge") {
        let merged = merge(&dirs.map(PathBuf::from).collect::<Vec<_>>(), &out)?;
        merged.notes.iter().for_each(|note| eprintln!("{note}"));
        if !merged.missing.is_empty() {
            eprintln!(
                "No record of {}: {}",
                count(merged.missing.len(), "run"),
                merged.missing.join(", ")
            );
        }
        report(&merged.queue, &out, json, false);
        return Ok(());
    }
    let sweep = definition(text(arguments, "definition").unwrap_or_default())?;
    sweep.check_count(if arguments.get_flag("yes") { MOST } else { LARGE })?;
    let mut base = sweep.base()?;
    let data = text(arguments, "data").map(arrays).transpose()?;
    if let Some((name, arrays)) = &data {
        base = base.with_data(name, arrays);
    } else if base.task == TaskName::File {
        return Err(Error::setting(
            "data",
            "nothing",
            "a file with your arrays x and y: --data FILE (.npz, .npy or safetensors)",
        ));
    }
    sweep.ignored(&base)?.iter().for_each(|(key, why)| eprintln!("{key} is ignored: {why}"));
    if let Some(engine) = text(arguments, "backend").filter(|engine| *engine != "auto") {
        Setting::find("backend").map_or(Ok(()), |setting| setting.set(&mut base, engine))?;
    }
    let shard: Shard = text(arguments, "shard").map_or(Ok(Shard::WHOLE), str::parse)?;
    let mut queue = Queue::on(sweep, &base)?.of_shard(shard);
    let store = Store::open(&out, &queue.sweep, shard)?;
    let kept = store.records()?;
    kept.notes.iter().for_each(|note| eprintln!("{note}"));
    kept.records.into_iter().for_each(|record| queue.finish(record));
    let mut sweeper = Sweeper {
        bar: bar(&queue),
        interrupted: stop_on_interrupt(),
        link: Link::spawn_alone()?,
        together: arguments
            .get_one::<usize>("together")
            .copied()
            .filter(|&most| most > 0)
            .unwrap_or_else(group::most_together),
        threads: arguments.get_one::<usize>("threads").copied().unwrap_or(0),
        states_every_ms: arguments
            .get_one::<u32>("states-every")
            .map_or(group::STATES_EVERY_MS, |seconds| seconds.saturating_mul(1000)),
        data: data.map(|(_, arrays)| Box::new(arrays)),
        group: 0,
        told: None,
        store,
        queue,
    };
    let trained = sweeper.train();
    sweeper.store.write_results(&sweeper.queue)?; // what is done counts, whatever happened
    trained?;
    let interrupted = sweeper.interrupted.load(Ordering::SeqCst);
    report(&sweeper.queue, &out, json, interrupted);
    let failed = outcomes(&sweeper.queue, |outcome| matches!(outcome, Outcome::Failed(_)));
    if failed > 0 {
        let problem =
            format!("{} could not be trained; the same command tries again", count(failed, "run"));
        return Err(Error::System { what: "sweep".into(), problem });
    }
    Ok(())
}

/// A file, or one of the paper's figures by name.
fn definition(name: &str) -> Result<Sweep> {
    if let Some(sweep) = presets::find(name).filter(|_| !Path::new(name).exists()) {
        return Ok(sweep);
    }
    let missing = |e| {
        Error::file(
            name,
            format!(
                "could not be read: {e}; expected a sweep's JSON file, or one of {}",
                presets::names().join(", ")
            ),
        )
    };
    Sweep::read(name, &std::fs::read_to_string(name).map_err(missing)?)
}

struct Sweeper {
    queue: Queue,
    store: Store,
    link: Link,
    bar: ProgressBar,
    interrupted: Arc<AtomicBool>,
    /// Most runs of one program that train together.
    together: usize,
    threads: usize,
    states_every_ms: u32,
    data: Option<Box<Arrays>>,
    /// The number of the group that trains.
    group: u32,
    /// The device that was told.
    told: Option<String>,
}

impl Sweeper {
    /// Trains what is left of this process's part, or until it is interrupted.
    fn train(&mut self) -> Result<()> {
        while let Some((runs, members)) =
            group::next(&self.queue, self.together, |run| self.state(run))
        {
            self.group += 1;
            let start = group::Start {
                group: self.group,
                members,
                data: self.data.clone(),
                threads: self.threads,
                memory_limit: platform::memory_limit(),
                states_every_ms: self.states_every_ms,
            };
            self.link.send(Command::Group(Box::new(start)))?;
            self.follow(runs)?;
            if self.interrupted.load(Ordering::SeqCst) {
                break;
            }
        }
        self.bar.finish_and_clear();
        Ok(())
    }

    /// The state that is kept of a run, if it can be used.
    fn state(&self, run: &Run) -> Option<Partial> {
        self.store.partial(run).unwrap_or_else(|problem| {
            self.say(&format!("{} begins anew: {problem}", run.name));
            None
        })
    }

    /// Takes in what the group tells, until its runs are over, given back, or interrupted.
    fn follow(&mut self, mut runs: Vec<usize>) -> Result<()> {
        let mut left = runs.len();
        while left > 0 && !self.interrupted.load(Ordering::SeqCst) {
            let Some((_, update)) = self.link.receive(Duration::from_millis(50))? else { continue };
            match update {
                Update::Group(number, told) if number == self.group => match *told {
                    GroupEvent::Ready(device) => {
                        let name = format!("{} {}", device.kind.key().to_uppercase(), device.name);
                        if self.told.as_ref() != Some(&name) {
                            self.say(&format!("Training on {name}"));
                            self.told = Some(name);
                        }
                    }
                    GroupEvent::Fewer(fit) => {
                        runs.truncate(fit);
                        left = fit;
                    }
                    GroupEvent::Point(member, step, curve) => {
                        self.queue.progress(runs[member], step, curve)
                    }
                    GroupEvent::States(states) => {
                        for (member, partial) in states {
                            self.store.keep_partial(&self.queue.runs()[runs[member]], &partial)?;
                        }
                    }
                    GroupEvent::Over(member, record, _) => {
                        self.store.keep(&record)?;
                        let name = &self.queue.runs()[runs[member]].name;
                        match (&record.outcome, record.nmse()) {
                            (Outcome::Diverged(step), _) => self.say(&format!(
                                "{name}: the loss stopped being a number at step {step}"
                            )),
                            (_, Some(nmse)) => self.say(&format!(
                                "{name}: loss {:.3e}, nMSE {nmse:.3e}",
                                record.loss().unwrap_or(f64::NAN)
                            )),
                            _ => {}
                        }
                        self.queue.finish(*record);
                        left -= 1;
                    }
                    GroupEvent::Notice(notice) => self.say(&notice.to_string()),
                },
                Update::GroupFailed(number, error) if number == self.group => {
                    for &index in &runs {
                        if !matches!(self.queue.state(index), State::Over(_)) {
                            let run = self.queue.runs()[index].clone();
                            self.say(&format!("{}: {error}", run.name));
                            self.queue.finish(group::failed(run.recipe, &error));
                        }
                    }
                    left = 0;
                }
                _ => {}
            }
            self.bar.set_position(done(&self.queue));
        }
        Ok(())
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }
}

/// Steps of this process's part.
fn bar(queue: &Queue) -> ProgressBar {
    let steps = |index: usize| u64::from(queue.runs()[index].recipe.steps);
    let bar = ProgressBar::new(
        (0..queue.runs().len()).filter(|&index| queue.is_mine(index)).map(steps).sum(),
    );
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent}% of all steps  {eta} left")
    {
        bar.set_style(style);
    }
    bar.set_position(done(queue));
    bar.reset_eta();
    bar
}

/// Steps of this process's part that are done, or will not be.
fn done(queue: &Queue) -> u64 {
    let of = |index: usize| match queue.state(index) {
        State::Waiting => 0,
        State::Training(step, _) => step,
        State::Over(_) => queue.runs()[index].recipe.steps.into(),
    };
    (0..queue.runs().len()).filter(|&index| queue.is_mine(index)).map(of).sum()
}

/// Runs with such an outcome.
fn outcomes(queue: &Queue, wanted: impl Fn(&Outcome) -> bool) -> usize {
    let is = |index: &usize| matches!(queue.state(*index), State::Over(record) if wanted(&record.outcome));
    (0..queue.runs().len()).filter(is).count()
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn report(queue: &Queue, out: &Path, json: bool, interrupted: bool) {
    let (all, over) = (queue.runs().len(), queue.over());
    let finished = outcomes(queue, |outcome| *outcome == Outcome::Finished);
    let diverged = outcomes(queue, |outcome| matches!(outcome, Outcome::Diverged(_)));
    let failed = over - finished - diverged;
    if json {
        println!(
            "{}",
            serde_json::json!({ "runs": all, "finished": finished, "diverged": diverged, "failed": failed, "interrupted": interrupted, "out": out })
        );
        return;
    }
    println!("{finished} of {} finished, {diverged} diverged, {failed} failed", count(all, "run"));
    if !queue.sweep.variants.is_empty() {
        contest(queue);
    }
    println!("  results.csv and results.json are in {}", out.display());
    if over < all {
        println!(
            "  the same command goes on{}",
            if interrupted {
                " where it was"
            } else {
                " with what is left; other shards have their own"
            }
        );
    }
}

/// The contenders, the least first, each at the best of its learning rates.
fn contest(queue: &Queue) {
    let measure = Measure::of(queue.runs());
    let mut contenders = contenders(queue, measure);
    contenders.sort_by(|a, b| {
        a.value().unwrap_or(f64::INFINITY).total_cmp(&b.value().unwrap_or(f64::INFINITY))
    });
    println!("  {:<24} {:>10} {:>10} {:>10}", "layer", "parameters", "rate", measure.name());
    for contender in &contenders {
        let Some((rate, value)) = contender.best().and_then(|best| Some((best.rate, best.median?)))
        else {
            continue;
        };
        let rate = rate as f32;
        println!("  {:<24} {:>10} {rate:>10} {value:>10.2e}", contender.name, contender.parameters);
    }
}
