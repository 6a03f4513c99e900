//! What a program is made of: kernels with their sizes and arguments.

use super::BufferId;
use super::dims::Dims;
use super::op::Kernel;

/// One kernel with its sizes and arguments.
#[derive(Debug, Clone)]
pub struct Call {
    /// What to do.
    pub kernel: Kernel,
    /// Sizes: the uniform.
    pub dims: Dims,
    /// Buffers, in the order of the bindings.
    pub args: Vec<BufferId>,
}

impl Call {
    /// A call; the number of arguments must be the kernel's.
    pub fn new(kernel: Kernel, dims: Dims, args: Vec<BufferId>) -> Self {
        let [reads, writes] = kernel.arguments();
        assert_eq!(args.len(), reads + writes, "{kernel:?} takes another number of arguments");
        Self { kernel, dims, args }
    }
}
