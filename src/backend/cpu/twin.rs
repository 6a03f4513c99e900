//! Which function a kernel is on the CPU: the table of kernels once more. All functions have one of
//! two signatures, so a row without its twin, or with other arguments, does not compile.

use super::clock::State;
use super::memory::{Lane, Memory};
use super::*;
use crate::graph::call::Call;
use crate::graph::dims::Dims;
use crate::graph::op::{Kernel, kernels};
use crate::math::float::Float;

/// How a kernel is run.
pub(super) enum Twin<F> {
    /// Split by split. The function of the twin has sizes, sequences, arguments that it reads and
    /// those that it writes.
    Split(fn(&mut Lane<F>, &[Vec<F>], &Call)),
    /// Once; `true` to spread the work over threads.
    Whole(fn(&Dims, &mut State<F>, &mut Memory<F>, bool)),
}

macro_rules! twin {
    (Sequences $reads:literal $writes:literal $twin:path) => {
        Twin::Split(|lane, shared, call| lane.run::<$reads, $writes>(shared, call, $twin))
    };
    ($scope:ident $reads:literal $writes:literal $twin:path) => {
        Twin::Whole($twin)
    };
}

macro_rules! twins {
    ($($file:ident [$($shared:ident)*] {$(
        $(#[$doc:meta])*
        $name:ident: $entry:ident, $scope:ident, $grid:ident, $reads:literal -> $writes:literal,
            $rule:expr;
    )*})*) => {
        /// The twin of a kernel.
        pub(super) fn of<F: Float>(kernel: Kernel) -> Twin<F> {
            match kernel {
                $($(Kernel::$name => twin!($scope $reads $writes $file::$entry),)*)*
            }
        }
    };
}
kernels!(twins);
