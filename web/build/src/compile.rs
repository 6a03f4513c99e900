//! Runs cargo for wasm32, in a target folder of its own: its flags and its compiler never disturb
//! the native build.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;

use crate::toolchain::{self, TARGET, Toolchain};

/// Compiles the page's binary; returns the path of the raw wasm.
pub fn compile(root: &Path, toolchain: &Toolchain, release: bool) -> anyhow::Result<PathBuf> {
    let target_folder = root.join("target/web");
    let profile = if release { "web" } else { "dev" };
    let mut cargo = toolchain::command(&toolchain.cargo);
    cargo.current_dir(root).args([
        "build",
        "--package",
        "gatelens",
        "--bin",
        "gatelens",
        "--target",
        TARGET,
        "--profile",
        profile,
    ]);
    cargo.arg("--target-dir").arg(&target_folder).env("RUSTC", &toolchain.rustc);
    // These replace whatever RUSTFLAGS hold. A panic shall name its file, not the machine that
    // compiled it.
    let registry = cargo_home().join("registry/src").display().to_string();
    let flags = [
        "-Ctarget-feature=+simd128".to_owned(),
        format!("--remap-path-prefix={registry}=registry"),
    ];
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    if toolchain.rebuild_std {
        cargo.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
    }
    if let Some(linker) = &toolchain.linker {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    let start = Instant::now();
    let status =
        cargo.status().with_context(|| format!("cannot run {}", toolchain.cargo.display()))?;
    anyhow::ensure!(status.success(), "cargo stopped ({status})");
    eprintln!("wasm: compiled in {:.0} s", start.elapsed().as_secs_f64());
    let folder = if release { "web" } else { "debug" };
    let wasm = target_folder.join(TARGET).join(folder).join("gatelens.wasm");
    anyhow::ensure!(wasm.is_file(), "cargo left no {}", wasm.display());
    Ok(wasm)
}

/// Where cargo keeps the sources of dependencies.
fn cargo_home() -> PathBuf {
    let home = env::home_dir().unwrap_or_default();
    env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from)
}
