//! What a user, a file or a device can cause. Broken invariants are assertions instead.

/// The one error of the library. Each message says what was wrong, where, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum Error {
    /// A setting outside its range, or of the wrong type.
    #[error("{key}: {found} — expected {expected}")]
    Setting {
        /// The setting's key, as in the URL.
        key: String,
        /// What was given.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// A file that can't be read as what it should be.
    #[error("{name}: {problem}")]
    File {
        /// The file's name.
        name: String,
        /// What is wrong with it, and what was expected.
        problem: String,
    },
    /// More memory than the device gives.
    #[error(
        "this run needs {needed_mib} MiB in {what}, but {device} allows {allowed_mib} MiB; lower batch, T or the sizes of the network"
    )]
    TooLarge {
        /// What would not fit: the largest buffer, or all of them.
        what: String,
        /// MiB needed.
        needed_mib: u64,
        /// The device that would have to hold it.
        device: String,
        /// MiB allowed.
        allowed_mib: u64,
    },
    /// No device of the kind that was asked for.
    #[error("no usable GPU: {0}")]
    NoGpu(String),
    /// The device went away while it worked.
    #[error("the GPU was lost: {0}")]
    DeviceLost(String),
    /// A shader or a call that the device refused.
    #[error("the GPU refused the work: {0}")]
    Device(String),
    /// A loss that is no longer a number.
    #[error(
        "the loss stopped being a number at step {step}; lower the learning rate or go back to the last good snapshot"
    )]
    Diverged {
        /// The first step whose loss was not finite.
        step: u64,
    },
    /// Writing to disk, or starting a thread, failed.
    #[error("{what}: {problem}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        problem: String,
    },
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Says that `key` was given `found` where `expected` is accepted.
    pub fn setting(key: &str, found: impl ToString, expected: impl ToString) -> Self {
        Self::Setting { key: key.into(), found: found.to_string(), expected: expected.to_string() }
    }

    /// Says what is wrong with the file `name`.
    pub fn file(name: &str, problem: impl ToString) -> Self {
        Self::File { name: name.into(), problem: problem.to_string() }
    }
}
