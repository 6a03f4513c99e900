//! What dialogs and the browser bring, some frames after they were asked.

use crate::Result;
use crate::platform::OpenedFile;
use crate::ui::Which;

/// What a file was opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To go on training from it.
    Train,
    /// To take it apart.
    Dissect,
    /// As that sweep's definition.
    Sweep(Which),
}

/// What dialogs and the browser bring, some frames later.
pub enum Arrival {
    File(Purpose, Result<OpenedFile>),
    Note(Result<String>),
    Copied { allowed: bool, link: String },
}
