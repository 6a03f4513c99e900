//! Finds a compiler for wasm32-unknown-unknown, in this order:
//!
//! 1. the current toolchain has the target;
//! 2. `rustup target add` brings it;
//! 3. a toolchain with the sources of std on this machine builds std itself (Debian's `rustc-web`,
//!    or rustup's `rust-src`).

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// What is said when no way is left.
const HELP: &str = "no compiler for wasm32-unknown-unknown was found. One of these brings it:
  rustup target add wasm32-unknown-unknown                 (Rust from rustup.rs)
  apt-get install rustc-web cargo-web rust-web-src         (Debian 12 or newer)";

/// A compiler, and what it needs so as to make wasm.
#[derive(Debug)]
pub struct Toolchain {
    pub cargo: PathBuf,
    pub rustc: PathBuf,
    /// Set where std has to be compiled too; it is then no part of the toolchain.
    pub rebuild_std: bool,
    /// Set where the toolchain brings no linker for wasm of its own.
    pub linker: Option<PathBuf>,
}

pub fn find(root: &Path) -> anyhow::Result<Toolchain> {
    let current = Toolchain {
        cargo: program("CARGO", "cargo"),
        rustc: program("RUSTC", "rustc"),
        rebuild_std: false,
        linker: None,
    };
    if has_target(&current.rustc) {
        return Ok(current);
    }
    // A toolchain on this machine comes before the network, unless rustup has no such toolchain to
    // offer in its stead.
    if add_target(root) && has_target(&current.rustc) {
        return Ok(current);
    }
    let debian = (PathBuf::from("/usr/bin/cargo"), PathBuf::from("/usr/bin/rustc"));
    for (cargo, rustc) in [(current.cargo, current.rustc.clone()), debian] {
        let Some(sysroot) = print(&rustc, "sysroot") else { continue };
        if !sysroot.join("lib/rustlib/src/rust/library/std/Cargo.toml").is_file() {
            continue;
        }
        let linker = match has_linker(&rustc) {
            true => None,
            false => Some(linker_elsewhere(&current.rustc).ok_or_else(|| {
                anyhow::anyhow!(
                    "{} has no linker for wasm: neither rust-lld nor wasm-ld was found (apt-get install lld)",
                    rustc.display()
                )
            })?),
        };
        eprintln!("wasm: {} compiles std for {TARGET} as well", rustc.display());
        return Ok(Toolchain { cargo, rustc, rebuild_std: true, linker });
    }
    anyhow::bail!(HELP)
}

/// The program that cargo named in the environment, or the one on PATH.
fn program(variable: &str, name: &str) -> PathBuf {
    env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from)
}

/// `rustc` without what a surrounding `cargo run` has set for another toolchain.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    if program.starts_with("/usr/bin") {
        command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    }
    command
}

/// A path that rustc prints about itself.
fn print(rustc: &Path, what: &str) -> Option<PathBuf> {
    let output = command(rustc).args(["--print", what]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| PathBuf::from(text.trim()))
}

fn has_target(rustc: &Path) -> bool {
    let Ok(output) = command(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .stderr(Stdio::null())
        .output()
    else {
        return false;
    };
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let Ok(files) = folder.read_dir() else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn add_target(root: &Path) -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["--quiet", "target", "add", TARGET]).current_dir(root).stderr(Stdio::null());
    match rustup.status() {
        Ok(status) if status.success() => {
            eprintln!("wasm: rustup added {TARGET}");
            true
        }
        Ok(_) => {
            eprintln!("wasm: `rustup target add {TARGET}` failed; looking for another toolchain");
            false
        }
        Err(_) => false,
    }
}

/// The folder of the tools that a toolchain brings for its own use.
fn tools(rustc: &Path) -> Option<PathBuf> {
    print(rustc, "target-libdir")?.parent().map(|folder| folder.join("bin"))
}

fn has_linker(rustc: &Path) -> bool {
    tools(rustc)
        .is_some_and(|folder| folder.join(format!("rust-lld{}", env::consts::EXE_SUFFIX)).is_file())
}

fn linker_elsewhere(other_rustc: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        tools(other_rustc).into_iter().chain(env::split_paths(&path)).collect();
    ["rust-lld", "wasm-ld"]
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}
