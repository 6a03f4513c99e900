//! The window's two sweeps.

use crate::named::named;
use std::ops::{Index, IndexMut};

named! {
    /// One of the window's two sweeps.
    pub enum Which {
        /// That of the view Sweep: one recipe with many settings.
        Sweep = "sweep", "sweep", "One recipe with many settings.";
        /// That of the view Compare: several layers, side by side.
        Compare = "compare", "race", "Several layers, side by side.";
    }
}

/// Something for each of the two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Each<T> {
    sweep: T,
    compare: T,
}

impl<T> Each<T> {
    /// What `make` makes for each.
    pub fn new(mut make: impl FnMut(Which) -> T) -> Self {
        Self { sweep: make(Which::Sweep), compare: make(Which::Compare) }
    }

    /// What `make` makes of each.
    pub fn each_mut<'a, U>(&'a mut self, mut make: impl FnMut(&'a mut T) -> U) -> Each<U> {
        Each { sweep: make(&mut self.sweep), compare: make(&mut self.compare) }
    }
}

impl<T> Index<Which> for Each<T> {
    type Output = T;

    fn index(&self, which: Which) -> &T {
        match which {
            Which::Sweep => &self.sweep,
            Which::Compare => &self.compare,
        }
    }
}

impl<T> IndexMut<Which> for Each<T> {
    fn index_mut(&mut self, which: Which) -> &mut T {
        match which {
            Which::Sweep => &mut self.sweep,
            Which::Compare => &mut self.compare,
        }
    }
}
