//! The parts of a chart: its frame, its scales, its marks.

pub mod frame;
pub mod marks;
pub mod scale;
