//! One folder from several, in which shards of one sweep were run.

use super::Sweep;
use super::queue::{Queue, State};
use super::record::Record;
use super::shard::Shard;
use super::store::{self, Store};
use crate::recipe::{Engine, Recipe};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a merge found.
#[derive(Debug, Clone)]
pub struct Merge {
    /// The sweep, with all records.
    pub queue: Queue,
    /// The names of the runs that no folder has a record of.
    pub missing: Vec<String>,
    /// Files that could not be used, in words.
    pub notes: Vec<String>,
}

/// Copies the records of all `dirs`, and of `out` if it is a sweep's folder already, into `out`,
/// and writes its results.
///
/// # Errors
/// No folder; one without a definition, or with another; two records of one run that differ in more
/// than the device; the disk's.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<Merge> {
    let first = dirs
        .first()
        .ok_or_else(|| Error::setting("merge", "no folder", "the folders of all shards"))?;
    let sweep = store::definition_in(first)?;
    let mut all: Vec<&Path> = dirs.iter().map(PathBuf::as_path).collect();
    if out.join("sweep.json").exists() && !all.contains(&out) {
        all.push(out);
    }
    for dir in &all[1..] {
        if let Some(part) = difference(&sweep, &store::definition_in(dir)?) {
            let problem = format!(
                "is of another sweep than {}: the {part} differ; expected shards of one definition",
                first.display()
            );
            return Err(Error::file(&dir.display().to_string(), problem));
        }
    }
    let mut kept: BTreeMap<String, (PathBuf, Record)> = BTreeMap::new();
    let mut notes = vec![];
    for dir in all {
        let (records, more) = store::records(dir)?;
        notes.extend(more);
        for (file, record) in records {
            match kept.get(&record.key) {
                Some((other, _)) if *other == file => {}
                Some((other, known)) if !same(known, &record) => {
                    let problem = format!(
                        "says something else of the same run than {}; delete the one that is not to count",
                        other.display()
                    );
                    return Err(Error::file(&file.display().to_string(), problem));
                }
                Some(_) => {}
                None => {
                    kept.insert(record.key.clone(), (file, record));
                }
            }
        }
    }
    let mut queue = Queue::like(sweep.clone(), kept.values().map(|(_, record)| &record.recipe))?;
    let store = Store::open(out, &sweep, Shard::WHOLE)?;
    for (key, (file, record)) in kept {
        store.copy(&key, &file)?;
        queue.finish(record);
    }
    store.write_results(&queue)?;
    let missing = queue
        .runs()
        .iter()
        .enumerate()
        .filter(|(index, _)| !matches!(queue.state(*index), State::Over(_)));
    let missing = missing.map(|(_, run)| run.name.clone()).collect();
    Ok(Merge { queue, missing, notes })
}

/// What two definitions differ in, beside the words for people.
fn difference(a: &Sweep, b: &Sweep) -> Option<&'static str> {
    match () {
        () if a.preset != b.preset => Some("presets"),
        () if a.settings != b.settings => Some("settings"),
        () if a.axes != b.axes => Some("grids"),
        () => None,
    }
}

/// Whether two records say the same, on whichever device.
fn same(a: &Record, b: &Record) -> bool {
    let bare = |record: &Record| Record {
        device: String::new(),
        recipe: Recipe { backend: Engine::Auto, ..record.recipe.clone() },
        ..record.clone()
    };
    bare(a) == bare(b)
}
