//! Where everything is drawn.

use super::axis::Axis;
use eframe::egui;
use egui::Rect;

/// Where a matrix is drawn.
pub(super) struct Placed {
    /// Index in [`Picture::matrices`](super::picture::Picture::matrices).
    pub(super) matrix: usize,
    /// Around it.
    pub(super) rect: Rect,
    pub(super) rows: Axis,
    pub(super) columns: Axis,
}

/// Where everything is drawn.
pub(super) struct Layout {
    pub(super) matrices: Vec<Placed>,
    pub(super) neurons: Axis,
    /// λ of each neuron.
    pub(super) lambda: Rect,
    /// Importance of each neuron.
    pub(super) bars: Rect,
}
