//! Pure functions of weights. Imports `train` and what is left of it.
//!
//! Start with [`dissection`]: a network taken apart, one analysis a file, in the order of
//! paper.md's section 4: [`importance`] and [`prune`], [`scores`], [`polynomial`], [`reorder`],
//! [`merge`] (gates as [`kernel`]s, searched by [`agglomerate`]), [`minimal`] (neurons
//! as [`functions`]; [`minimal_side`] with side gating), then [`verdict`] and [`report`]. [`batch`]
//! is what changes are measured on.
//!
//! Any layer, looked at from outside: [`probe`] (what is read off its states: [`decoding`]; what
//! polynomial it is: [`content`]), and from inside: [`insides`].

pub mod agglomerate;
pub mod batch;
pub mod content;
pub mod contribution;
pub mod decoding;
pub mod dissection;
pub mod equal_lambda;
pub mod finding;
pub mod functions;
pub mod importance;
pub mod in_context;
pub mod insides;
pub mod kernel;
pub mod least_squares;
pub mod merge;
pub mod minimal;
pub mod minimal_side;
pub mod polynomial;
pub mod probe;
pub mod prune;
pub mod recall;
pub mod reorder;
pub mod report;
pub mod scores;
pub mod stage;
pub mod subject;
pub mod test_set;
pub mod verdict;
pub mod words;
