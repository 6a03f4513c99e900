//! How much there is to download.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Prints the size of the wasm and of its JavaScript, and of a release build what a server would
/// send.
pub fn print(dist: &Path, release: bool) -> anyhow::Result<()> {
    let mut total = [0.0; 2];
    for name in ["gatelens_bg.wasm", "gatelens.js"] {
        let path = dist.join(name);
        let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
        let Some((tool, packed)) = release.then(|| packed(&path)).flatten() else {
            println!("{name:18} {megabytes:6.2} MB");
            continue;
        };
        println!("{name:18} {megabytes:6.2} MB  {:6.3} MB by {tool}", packed / 1e6);
        total[0] += megabytes;
        total[1] += packed / 1e6;
    }
    if total[0] > 0.0 {
        println!("{:18} {:6.2} MB  {:6.3} MB to download", "together", total[0], total[1]);
    }
    println!("the page is in {}", dist.display());
    Ok(())
}

/// The compressed size in bytes, by the best tool there is.
fn packed(path: &Path) -> Option<(&'static str, f64)> {
    [("brotli", ["-q", "11"].as_slice()), ("gzip", &["-9"])].into_iter().find_map(
        |(tool, level)| {
            let output = Command::new(tool).args(level).arg("-c").arg(path).output().ok()?;
            output.status.success().then_some((tool, output.stdout.len() as f64))
        },
    )
}
