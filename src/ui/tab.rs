//! Which view.

/// A view's word: in the address, in the status of the page, in what leads to the view. The view
/// that belongs to it is in [`VIEWS`](super::VIEWS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tab(pub &'static str);

/// Views that something else leads to: a link, a file, an answer.
impl Tab {
    /// A training, live.
    pub const DISCOVER: Self = Self("discover");
    /// Attention built by hand.
    pub const CONSTRUCT: Self = Self("construct");
    /// What a trained network turned out to be.
    pub const DISSECT: Self = Self("dissect");
    /// Learning from the examples in a sequence.
    pub const CONTEXT: Self = Self("context");
    /// One recipe over a grid of settings and seeds.
    pub const SWEEP: Self = Self("sweep");
    /// Several layers, side by side.
    pub const COMPARE: Self = Self("compare");
}
