//! A part of a sweep's runs, for several processes or machines: the same definition gives the same
//! parts everywhere.

use super::Run;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::{fmt, str::FromStr};

/// Most parts.
const MOST_SHARDS: usize = 1000;
/// A part may be larger or smaller by this fraction of itself, if that keeps runs of one program
/// together.
const SLACK: u128 = 8;

/// One of `count` parts, as text `2/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1 to `count`.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

impl Shard {
    /// The only part.
    pub const WHOLE: Self = Self { index: 1, count: 1 };
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            Some((index.trim().parse().ok()?, count.trim().parse().ok()?))
        });
        match numbers {
            Some((index, count))
                if (1..=MOST_SHARDS).contains(&count) && (1..=count).contains(&index) =>
            {
                Ok(Self { index, count })
            }
            _ => Err(Error::setting(
                "shard",
                if text.is_empty() { "nothing" } else { text },
                format!("i/n like 2/4: part i, from 1 to n, of n parts, at most {MOST_SHARDS}"),
            )),
        }
    }
}

/// The number of each run's program: runs with the same one train together, as they differ only in
/// what is written to buffers.
pub(super) fn programs(runs: &[Run]) -> Vec<usize> {
    let mut known = HashMap::new();
    let mut number = |run: &Run| {
        let fresh = known.len();
        *known
            .entry(format!("{:?} {:?}", run.recipe.plan().shape(), run.recipe.backend))
            .or_insert(fresh)
    };
    runs.iter().map(&mut number).collect()
}

/// The part, from 1 on, of each run. Parts are of equal work, to within a run and [`SLACK`]; at
/// most `count` − 1 programs are in two of them or more.
pub(super) fn divide(runs: &[Run], programs: &[usize], count: usize) -> Vec<usize> {
    let work: Vec<u128> = runs.iter().map(work).collect();
    let mut groups = vec![(0, vec![]); programs.iter().max().map_or(0, |last| last + 1)];
    for (run, &program) in programs.iter().enumerate() {
        groups[program].0 += work[run];
        groups[program].1.push(run);
    }
    // Small and large in turn, so that a part is a mixture of both and the estimate of their work
    // need not be good.
    groups.sort_by_key(|(work, _)| *work);
    let (mut low, mut high, mut order) = (0, groups.len(), vec![]);
    while low < high {
        order.push(&groups[low]);
        low += 1;
        if low < high {
            high -= 1;
            order.push(&groups[high]);
        }
    }
    // The work before each place between two runs, and the places where a program ends.
    let (mut before, mut ends, mut line) = (vec![0], vec![0], vec![]);
    for (_, members) in order {
        for &run in members {
            before.push(before[line.len()] + work[run]);
            line.push(run);
        }
        ends.push(line.len());
    }
    let all: Vec<usize> = (0..=line.len()).collect();
    let total = before[line.len()];
    let cut = |part: usize| {
        let target = total * part as u128 / count as u128;
        let nearest = |places: &[usize]| {
            let after = places.partition_point(|&place| before[place] < target);
            let two = places[after.saturating_sub(1)..].iter().take(2);
            two.map(|&place| (before[place].abs_diff(target), place)).min().unwrap_or_default()
        };
        let (distance, place) = nearest(&ends);
        if distance * SLACK * count as u128 <= total { place } else { nearest(&all).1 }
    };
    let mut parts = vec![0; runs.len()];
    let mut from = 0;
    for part in 1..=count {
        let to = if part == count { line.len() } else { cut(part).max(from) };
        line[from..to].iter().for_each(|&run| parts[run] = part);
        from = to;
    }
    parts
}

/// About how much there is to compute: each parameter meets each token.
fn work(run: &Run) -> u128 {
    let plan = run.recipe.plan();
    u128::from(plan.optimizer.steps)
        * (plan.batch * plan.time) as u128
        * run.recipe.parameters() as u128
}
