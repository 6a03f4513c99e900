//! Who is at work in a sweep's folder. A lock ends with its process, however that ends; the file
//! stays.

use super::disk::failed;
use super::shard::Shard;
use crate::{Error, Result};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Taken for moments only: one process at a time opens the folder or writes what all share.
pub(super) fn gate(dir: &Path) -> Result<File> {
    let path = dir.join(".lock");
    let file = open(&path)?;
    file.lock().map_err(unlockable(&path))?;
    Ok(file)
}

/// Takes the shard's lock, until the file is closed.
pub(super) fn take(dir: &Path, shard: Shard) -> Result<File> {
    let path = path(dir, shard);
    let mut file = open(&path)?;
    match file.try_lock() {
        Ok(()) => {
            let who = format!(
                "process {}{}\n",
                std::process::id(),
                host().map(|host| format!(" on {host}")).unwrap_or_default()
            );
            file.set_len(0)
                .and_then(|()| file.write_all(who.as_bytes()))
                .map_err(failed("writing", &path))?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let part =
                if shard == Shard::WHOLE { String::new() } else { format!(" on shard {shard}") };
            let problem = format!(
                "{} is at work there{part} already; wait for it or stop it, or choose another folder",
                holder(&path)
            );
            Err(Error::System { what: dir.display().to_string(), problem })
        }
        Err(TryLockError::Error(e)) => Err(unlockable(&path)(e)),
    }
}

/// The other shards that processes are at work on, each with who it is.
pub(super) fn at_work(dir: &Path, own: Shard) -> Result<Vec<(Shard, String)>> {
    let entries = fs::read_dir(dir)
        .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
        .map_err(failed("listing", dir))?;
    let mut shards: Vec<Shard> = entries
        .iter()
        .filter_map(|entry| shard(entry.file_name().to_str()?))
        .filter(|shard| *shard != own)
        .collect();
    shards.sort_by_key(|shard| (shard.count, shard.index));
    let mut found = vec![];
    for shard in shards {
        let path = path(dir, shard);
        match open(&path)?.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => found.push((shard, holder(&path))),
            Err(TryLockError::Error(e)) => return Err(unlockable(&path)(e)),
        }
    }
    Ok(found)
}

fn path(dir: &Path, shard: Shard) -> PathBuf {
    dir.join(format!("shard-{}-of-{}.lock", shard.index, shard.count))
}

fn shard(file: &str) -> Option<Shard> {
    file.strip_prefix("shard-")?.strip_suffix(".lock")?.replace("-of-", "/").parse().ok()
}

fn open(path: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(failed("opening", path))
}

/// Who wrote a lock file; where a locked file can't be read, another process.
fn holder(path: &Path) -> String {
    let mut text = String::new();
    let read = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    if read.is_ok() && text.starts_with("process ") {
        text.trim().into()
    } else {
        "another process".into()
    }
}

fn unlockable(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let what = format!("locking {}", path.display());
    move |e| Error::System {
        what: what.clone(),
        problem: format!(
            "{e}; choose a folder on a file system with locks, one for each process, and merge them afterwards"
        ),
    }
}

fn host() -> Option<String> {
    let file = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = file.or_else(|| {
        ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok())
    })?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
