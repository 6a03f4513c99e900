//! What the app has to tell the user.

use crate::run::notice::Notice;

/// A sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// What it says.
    pub text: String,
    /// What it can say more of.
    pub help: Option<Help>,
}

/// What can be opened beside a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Help {
    /// How to get the GPU in a browser.
    Gpu,
}

/// How bad a [`Message`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something was skipped or is slower than it could be.
    Warning,
    /// Something failed.
    Error,
}

impl Message {
    /// Good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self { severity: Severity::Info, text: text.into(), help: None }
    }

    /// Something was skipped or is slower than it could be.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, text: text.into(), help: None }
    }

    /// Something failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self { severity: Severity::Error, text: text.into(), help: None }
    }
}

impl From<Notice> for Message {
    fn from(notice: Notice) -> Self {
        let help = matches!(notice, Notice::OnCpu(_)).then_some(Help::Gpu);
        Self { help, ..Self::warning(notice.to_string()) }
    }
}

/// The training of the last visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeOffer {
    /// Steps done.
    pub step: u64,
    /// Its preset's title, or what else names it.
    pub title: String,
    /// The file that has to be opened first, where it was trained on the user's own.
    pub file: Option<String>,
}

/// What the last visit kept and does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Where it is kept.
    pub key: &'static str,
    /// What it should be, for people.
    pub name: &'static str,
    /// Why it does not read.
    pub problem: String,
    /// As it was kept.
    pub text: String,
}
