//! What the view remembers between frames.

use super::{function, merging, neurons, reading, stages};
use crate::ui::panel::insides;

/// Between frames.
#[derive(Default)]
pub struct State {
    pub(super) link_dismissed: Option<String>,
    /// The output whose coefficients and kernels are shown.
    pub(super) output: usize,
    pub(super) stages: stages::State,
    pub(super) neurons: neurons::State,
    pub(super) function: function::State,
    pub(super) reading: reading::State,
    pub(super) merging: merging::State,
    pub(super) insides: insides::State,
}

/// From this width on the column on the right stands there.
pub(super) const ASIDE: f32 = 1120.0;
