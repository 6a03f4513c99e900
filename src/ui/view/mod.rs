//! The views: what fills the window between the top bar and the status line. Each is a file or a
//! folder that ends with its [`View`], and a line in [`VIEWS`]; nothing else names it.

pub mod compare;
pub mod construct;
mod context;
mod descriptor;
mod discover;
mod dissect;
mod list;
pub mod sweep;
mod training;

pub use descriptor::View;
pub use list::VIEWS;
