//! An axis that several matrices share: neurons from top to bottom, gates from left to right, in
//! groups.

use std::ops::Range;

/// Places of the entries along an axis, in pixels from its start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// In order; they cover all entries.
    pub groups: Vec<Group>,
    /// Where the last one ends.
    pub length: f32,
}

/// Entries of one kind that stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Which entries.
    pub range: Range<usize>,
    /// Where the first one starts.
    pub start: f32,
    /// Size of each.
    pub cell: f32,
}

/// Space between two groups.
pub const GAP: f32 = 5.0;
/// A cell is never larger.
const LARGEST: f32 = 24.0;
/// Part of the length that unused entries get at most, while there are others.
const UNUSED: f32 = 0.22;

impl Axis {
    /// `counts` groups in `length` pixels; the last group is of unused entries, which are drawn
    /// smaller where room is scarce.
    pub fn new(counts: &[usize], length: f32) -> Self {
        let (all, unused) = (counts.iter().sum::<usize>(), counts.last().copied().unwrap_or(0));
        let shown = counts.iter().filter(|&&count| count > 0).count();
        let room = (length - GAP * shown.saturating_sub(1) as f32).max(1.0);
        let equal = room / all.max(1) as f32;
        let small = if unused == all {
            equal
        } else {
            equal.min(room * UNUSED / unused.max(1) as f32).min(LARGEST)
        };
        let large = if unused == all {
            equal
        } else {
            (room - small * unused as f32) / (all - unused) as f32
        };
        // Few in use leave room that the others can have.
        let left = (room - large.min(LARGEST) * (all - unused) as f32) / unused.max(1) as f32;
        let small = if large > LARGEST { left.min(LARGEST) } else { small };
        let mut axis = Self::default();
        let mut first = 0;
        for (i, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            if !axis.groups.is_empty() {
                axis.length += GAP;
            }
            let cell = crisp(if i + 1 == counts.len() { small } else { large }.min(LARGEST));
            axis.groups.push(Group { range: first..first + count, start: axis.length, cell });
            axis.length += cell * count as f32;
            first += count;
        }
        axis
    }

    /// Start and size of entry `index`.
    pub fn place(&self, index: usize) -> Option<(f32, f32)> {
        let group = self.groups.iter().find(|group| group.range.contains(&index))?;
        Some((group.start + (index - group.range.start) as f32 * group.cell, group.cell))
    }

    /// The entry at `at` pixels.
    pub fn index(&self, at: f32) -> Option<usize> {
        let group = self.groups.iter().rev().find(|group| at >= group.start)?;
        let inside = ((at - group.start) / group.cell) as usize;
        (inside < group.range.len()).then_some(group.range.start + inside)
    }
}

/// Whole pixels, where the room lost by it does not matter.
fn crisp(cell: f32) -> f32 {
    if cell >= 9.0 { cell.floor() } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_entries_have_a_place_within_the_length() {
        for counts in [
            [10, 4, 0, 18],
            [0, 0, 0, 1],
            [1, 0, 0, 0],
            [300, 100, 12, 100],
            [0, 0, 0, 512],
            [0, 0, 32, 0],
        ] {
            let axis = Axis::new(&counts, 270.0);
            assert!(axis.length <= 270.5, "{counts:?}: {}", axis.length);
            for index in 0..counts.iter().sum() {
                let (start, size) = axis.place(index).unwrap();
                assert_eq!(axis.index(start + size / 2.0), Some(index));
            }
            assert_eq!(axis.index(-1.0), None);
        }
        let axis = Axis::new(&[10, 4, 0, 86], 270.0);
        assert!(
            axis.groups[0].cell > 10.0 && axis.groups[2].cell < 1.0,
            "those in use get the room: {axis:?}"
        );
    }
}
