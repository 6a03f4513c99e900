//! Runs cargo for wasm32, in a target folder of its own: its flags and its compiler never disturb the native build.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;

use crate::toolchain::{self, TARGET, Toolchain};

/// Compiles the page's binary; returns the path of the raw wasm.
pub fn compile(root: &Path, toolchain: &Toolchain, release: bool) -> anyhow::Result<PathBuf> {
    let target_folder = root.join("target/web");
    let profile = if release { "web" } else { "dev" };
    let mut cargo = toolchain::command(&toolchain.cargo);
    cargo.current_dir(root).args(["build", "--package", "gatelens", "--bin", "gatelens", "--target", TARGET, "--profile", profile]);
    cargo.arg("--target-dir").arg(&target_folder).env("RUSTC", &toolchain.rustc);
    // RUSTFLAGS would take the place of the flags for this target.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Ctarget-feature=+simd128");
    if toolchain.rebuild_std {
        cargo.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
    }
    if let Some(linker) = &toolchain.linker {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    let start = Instant::now();
    let status = cargo.status().with_context(|| format!("cannot run {}", toolchain.cargo.display()))?;
    anyhow::ensure!(status.success(), "cargo stopped ({status})");
    eprintln!("wasm: compiled in {:.0} s", start.elapsed().as_secs_f64());
    let folder = if release { "web" } else { "debug" };
    let wasm = target_folder.join(TARGET).join(folder).join("gatelens.wasm");
    anyhow::ensure!(wasm.is_file(), "cargo left no {}", wasm.display());
    Ok(wasm)
}
