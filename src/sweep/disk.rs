//! Files that are there whole or not at all, and what the system says where it fails.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file beside its place first, so that under its name there is the old one or the whole
/// new one, whatever happens.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|e| {
        fs::remove_file(&beside).ok();
        failed("writing", path)(e)
    })?;
    // The new name, too, should outlive a power cut; not every system lets a folder be opened for
    // that.
    path.parent()
        .and_then(|folder| File::open(folder).ok())
        .and_then(|folder| folder.sync_all().ok());
    Ok(())
}

pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(failed("removing", path)(e)),
        _ => Ok(()),
    }
}

/// What the system said of `path`.
pub fn failed(doing: &str, path: &Path) -> impl Fn(std::io::Error) -> Error {
    let what = format!("{doing} {}", path.display());
    move |e| Error::System { what: what.clone(), problem: e.to_string() }
}
