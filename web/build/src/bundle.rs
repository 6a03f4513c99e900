//! From raw wasm to the page: wasm-bindgen writes the JavaScript side, wasm-opt shrinks, the files
//! of `web/` and `assets/` join them.
//!
//! Every file of the page asks for its companions with `?v=STAMP`, a hash of all of them, so a
//! browser never pairs an old script with a new wasm. Placeholders in the sources: `{{stamp}}` and
//! `{{wasm_bytes}}`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context as _;
use wasm_bindgen_cli_support::Bindgen;

/// The sources of the page, and where they go in `dist/`.
const PAGE: [(&str, &str); 4] = [
    ("index.html", "index.html"),
    ("web/style.css", "style.css"),
    ("web/page.js", "page.js"),
    ("web/worker.js", "worker.js"),
];

/// What rustc's wasm uses, which wasm-opt has to be told.
const WASM_FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Fills `dist/` afresh and returns its path.
pub fn bundle(root: &Path, raw_wasm: &Path, release: bool) -> anyhow::Result<PathBuf> {
    let dist = root.join("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist).with_context(|| format!("cannot empty {}", dist.display()))?;
    }
    bind(root, raw_wasm, &dist, release)?;
    let wasm_path = dist.join("gatelens_bg.wasm");
    if release {
        optimise(root, &wasm_path)?;
    }
    let wasm = read(&wasm_path)?;
    let script = read(&dist.join("gatelens.js"))?;
    let page: Vec<(PathBuf, String)> = PAGE
        .iter()
        .map(|(from, to)| Ok((dist.join(to), text(&root.join(from))?)))
        .collect::<anyhow::Result<_>>()?;
    let stamp = stamp(
        [wasm.as_slice(), &script].into_iter().chain(page.iter().map(|(_, text)| text.as_bytes())),
    );
    for (path, text) in page {
        let text =
            text.replace("{{stamp}}", &stamp).replace("{{wasm_bytes}}", &wasm.len().to_string());
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    copy_folder(&root.join("assets"), &dist.join("assets"))?;
    Ok(dist)
}

fn bind(root: &Path, raw_wasm: &Path, dist: &Path, release: bool) -> anyhow::Result<()> {
    check_versions(&text(&root.join("Cargo.lock"))?)?;
    Bindgen::new()
        .input_path(raw_wasm)
        .out_name("gatelens")
        .web(true)?
        .typescript(false)
        .remove_name_section(release)
        .remove_producers_section(release)
        .generate(dist)
        .context("wasm-bindgen")
}

/// wasm-bindgen's two halves must be of one version; the lockfile holds both.
fn check_versions(lockfile: &str) -> anyhow::Result<()> {
    let version_of = |name: &str| {
        let rest = lockfile.split_once(&format!("name = \"{name}\"\nversion = \""))?.1;
        rest.split_once('"').map(|(version, _)| version.to_owned())
    };
    let (page, builder) = (version_of("wasm-bindgen"), version_of("wasm-bindgen-cli-support"));
    anyhow::ensure!(
        page.is_some() && page == builder,
        "Cargo.lock holds wasm-bindgen {} and wasm-bindgen-cli-support {}: they must be one version.\n\
         Run `cargo update --package wasm-bindgen --package wasm-bindgen-cli-support`.",
        page.as_deref().unwrap_or("nowhere"),
        builder.as_deref().unwrap_or("nowhere"),
    );
    Ok(())
}

/// Runs wasm-opt in place, if there is one. LLVM has done most of its work already: -O1 makes the
/// engine some 5 % faster and the wasm 4 % smaller, and -O3 adds nothing to that but a minute. The
/// last result is kept.
fn optimise(root: &Path, wasm_path: &Path) -> anyhow::Result<()> {
    let Some(tool) = find_wasm_opt(root) else {
        eprintln!("wasm-opt: not found, the page is larger than it need be (npm install binaryen)");
        return Ok(());
    };
    let input = stamp([read(wasm_path)?.as_slice()].into_iter());
    let folder = root.join("target/web/optimised");
    let kept = folder.join(format!("{input}.wasm"));
    if !kept.is_file() {
        let start = Instant::now();
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let part = folder.join("part.wasm");
        let status = Command::new(&tool)
            .arg("-O1")
            .args(WASM_FEATURES)
            .arg(wasm_path)
            .arg("-o")
            .arg(&part)
            .status();
        if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
            eprintln!(
                "wasm-opt: {} failed, going on without it (it may be too old: npm install binaryen)",
                tool.display()
            );
            return Ok(());
        }
        fs::rename(&part, &kept)?;
        eprintln!("wasm-opt: done in {:.0} s", start.elapsed().as_secs_f64());
    }
    fs::copy(&kept, wasm_path)?;
    Ok(())
}

fn find_wasm_opt(root: &Path) -> Option<PathBuf> {
    let name = if cfg!(windows) { "wasm-opt.cmd" } else { "wasm-opt" };
    let npm =
        ["node_modules/.bin", "tests/browser/node_modules/.bin"].map(|folder| root.join(folder));
    let path = env::var_os("PATH").unwrap_or_default();
    npm.into_iter()
        .chain(env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// FNV-1a of all parts, as 16 hex digits: the same bytes give the same stamp everywhere.
fn stamp<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let hash = parts.flatten().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn text(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lockfile_holds_one_wasm_bindgen() {
        check_versions(&text(&crate::root().join("Cargo.lock")).unwrap()).unwrap();
    }

    #[test]
    fn versions_that_drift_are_refused() {
        let lockfile = "name = \"wasm-bindgen\"\nversion = \"0.2.1\"\n\nname = \"wasm-bindgen-cli-support\"\nversion = \"0.2.2\"\n";
        let message = check_versions(lockfile).unwrap_err().to_string();
        assert!(message.contains("0.2.1") && message.contains("0.2.2"), "{message}");
    }

    #[test]
    fn a_stamp_follows_each_byte() {
        let of = |bytes: &[u8]| stamp([bytes].into_iter());
        assert_eq!(of(b""), "cbf29ce484222325");
        assert_ne!(of(b"one"), of(b"onf"));
    }
}
