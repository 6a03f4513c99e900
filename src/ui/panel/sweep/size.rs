//! How large a sweep is, in words.

use crate::sweep::Sweep;
use crate::ui::kit::format;

/// "51 runs: 17 settings × 3 seeds".
pub fn of(sweep: &Sweep) -> String {
    let [settings, seeds] = sizes(sweep);
    let runs = sweep.count();
    let some = |count: u64, one: &str| {
        format!("{} {one}{}", format::thousands(count), if count == 1 { "" } else { "s" })
    };
    if settings == 1 || seeds == 1 {
        some(runs, "run")
    } else {
        format!("{}: {} × {}", some(runs, "run"), some(settings, "setting"), some(seeds, "seed"))
    }
}

/// How many settings a sweep has, and how many seeds of each.
fn sizes(sweep: &Sweep) -> [u64; 2] {
    let of = |seeds: bool| {
        sweep
            .axes
            .iter()
            .filter(|axis| axis.is_seed() == seeds)
            .fold(1u64, |count, axis| count.saturating_mul(axis.values.len() as u64))
    };
    [of(false), of(true)]
}
