//! A sweep's folder: `sweep.json`, a record a run in `runs/`, the states of runs in training in
//! `partial/`, `results.csv` and `results.json`. Several processes can share it, each with a shard
//! of its own and that shard's lock. A file is there whole or not at all.

use super::disk::{failed, remove, write};
use super::lock;
use super::partial::Partial;
use super::queue::Queue;
use super::record::Record;
use super::shard::Shard;
use super::{Run, Sweep, key, results};
use crate::{Error, Result};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const DEFINITION: &str = "sweep.json";
const RUNS: &str = "runs";
const PARTIAL: &str = "partial";

/// An open folder; other processes stay away from its shard until it is dropped.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    shard: Shard,
    _lock: File,
}

/// What is in `runs/`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// Whole ones, by key.
    pub records: Vec<Record>,
    /// What could not be used, in words: those runs count as not there.
    pub notes: Vec<String>,
}

impl Store {
    /// Opens the folder, or makes it, for one shard of `sweep`. A definition that is there already
    /// is replaced: it may have grown.
    ///
    /// # Errors
    /// The folder can't be made or written; another process is at work on that shard, with other
    /// shards, or with another definition.
    pub fn open(dir: &Path, sweep: &Sweep, shard: Shard) -> Result<Self> {
        fs::create_dir_all(dir).map_err(failed("making the folder", dir))?;
        let _gate = lock::gate(dir)?;
        for folder in [dir.join(RUNS), dir.join(PARTIAL)] {
            fs::create_dir_all(&folder).map_err(failed("making the folder", &folder))?;
            let probe = folder.join("writable"); // better known now than after the first run
            write(&probe, b"a full disk takes no text\n")?;
            remove(&probe)?;
        }
        let lock = lock::take(dir, shard)?;
        let others = lock::at_work(dir, shard)?;
        let busy = |problem: String| Error::System { what: dir.display().to_string(), problem };
        if let Some((other, who)) = others.iter().find(|(other, _)| other.count != shard.count) {
            let count = other.count;
            let choose = if count == 1 {
                "wait for it, or choose another folder".into()
            } else {
                format!("take a shard i/{count}, wait for it, or choose another folder")
            };
            return Err(busy(format!(
                "{who} is at work there on shard {other}, which overlaps with {shard}; {choose}"
            )));
        }
        let path = dir.join(DEFINITION);
        if definition(&path).ok().as_ref() != Some(sweep) {
            if let Some((other, who)) = others.first() {
                return Err(busy(format!(
                    "{who} is at work there on shard {other} of another {DEFINITION}; wait for it, or choose another folder"
                )));
            }
            write(&path, sweep.to_json().as_bytes())?;
        }
        Ok(Self { dir: dir.into(), shard, _lock: lock })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The shard that it was opened for.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// All records, of whichever shard and definition.
    ///
    /// # Errors
    /// The folder can't be listed.
    pub fn records(&self) -> Result<Records> {
        let (found, notes) = records(&self.dir)?;
        Ok(Records { records: found.into_iter().map(|(_, record)| record).collect(), notes })
    }

    /// Writes the record of a run that is over, and forgets its state in training.
    ///
    /// # Errors
    /// A number that JSON can't hold; the disk's, with the path.
    pub fn keep(&self, record: &Record) -> Result<()> {
        let path = self.record_path(&record.key);
        if record.curve.0.iter().any(|point| !point.loss.is_finite() || !point.power.is_finite()) {
            return Err(Error::System {
                what: format!("writing {}", path.display()),
                problem: "its curve has points that are no numbers".into(),
            });
        }
        let json = serde_json::to_string(record).map_err(|e| Error::System {
            what: format!("writing {}", path.display()),
            problem: e.to_string(),
        })?;
        write(&path, (json + "\n").as_bytes())?;
        remove(&self.partial_path(&record.key))
    }

    /// Puts a record's file here as it is.
    pub(super) fn copy(&self, key: &str, file: &Path) -> Result<()> {
        let bytes = fs::read(file).map_err(failed("reading", file))?;
        write(&self.record_path(key), &bytes)?;
        remove(&self.partial_path(key))
    }

    /// Writes the state of a run in training, in place of an earlier one.
    ///
    /// # Errors
    /// The disk's, with the path.
    pub fn keep_partial(&self, run: &Run, partial: &Partial) -> Result<()> {
        write(&self.partial_path(&run.key), &partial.to_bytes(run)?)
    }

    /// The state in training of a run, if one was kept.
    ///
    /// # Errors
    /// It is there but can't be used: the run has to begin anew.
    pub fn partial(&self, run: &Run) -> Result<Option<Partial>> {
        let path = self.partial_path(&run.key);
        match fs::read(&path) {
            Ok(bytes) => Partial::from_bytes(&path.display().to_string(), &bytes, run).map(Some),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(failed("reading", &path)(e)),
        }
    }

    /// Writes `results.csv` and `results.json`: what `queue` knows, and what other shards have kept
    /// by now.
    ///
    /// # Errors
    /// The disk's, with the path.
    pub fn write_results(&self, queue: &Queue) -> Result<()> {
        let mut queue = queue.clone();
        self.records()?.records.into_iter().for_each(|record| queue.finish(record));
        let _gate = lock::gate(&self.dir)?;
        write(&self.dir.join("results.csv"), results::results_csv(&queue).as_bytes())?;
        write(&self.dir.join("results.json"), results::results_json(&queue).as_bytes())
    }

    fn record_path(&self, key: &str) -> PathBuf {
        self.dir.join(RUNS).join(format!("{key}.json"))
    }

    fn partial_path(&self, key: &str) -> PathBuf {
        self.dir.join(PARTIAL).join(format!("{key}.safetensors"))
    }
}

/// The definition in `dir`.
pub(super) fn definition_in(dir: &Path) -> Result<Sweep> {
    definition(&dir.join(DEFINITION))
}

fn definition(path: &Path) -> Result<Sweep> {
    let name = path.display().to_string();
    let missing = |e| {
        Error::file(
            &name,
            format!(
                "could not be read: {e}; expected the definition of a sweep, in a folder that `gatelens sweep` made"
            ),
        )
    };
    Sweep::read(&name, &fs::read_to_string(path).map_err(missing)?)
}

/// A record and its file.
type RecordFile = (PathBuf, Record);

/// The records in `dir`, by key; and what could not be used.
pub(super) fn records(dir: &Path) -> Result<(Vec<RecordFile>, Vec<String>)> {
    let folder = dir.join(RUNS);
    let entries = fs::read_dir(&folder).and_then(|entries| {
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()
    });
    let mut files: Vec<PathBuf> = entries.map_err(failed("listing", &folder))?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let (mut found, mut notes) = (vec![], vec![]);
    for file in files {
        match record(&file) {
            Ok(record) => found.push((file, record)),
            Err(problem) => {
                notes.push(format!("{} counts as not there: {problem}", file.display()))
            }
        }
    }
    Ok((found, notes))
}

fn record(file: &Path) -> std::result::Result<Record, String> {
    let text = fs::read_to_string(file).map_err(|e| format!("it could not be read ({e})"))?;
    let record: Record =
        serde_json::from_str(&text).map_err(|e| format!("it is not a whole record ({e})"))?;
    let own = key(&record.recipe);
    if record.key != own || file.file_stem().is_none_or(|stem| *stem != *own) {
        return Err(format!("its settings belong to {own}"));
    }
    Ok(record)
}
