//! What differs between a native machine and the browser: where the runner lives, files, the
//! address bar, the clipboard. The only place, besides `main.rs`, that asks for the target.
//! Everything here is called from the window's thread.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
mod web;

#[cfg(not(target_arch = "wasm32"))]
pub use native::*;
#[cfg(all(target_arch = "wasm32", feature = "app"))]
pub use web::*;

/// A file that the user chose or dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedFile {
    /// Its name, without folders.
    pub name: String,
    /// The file's content.
    pub bytes: Vec<u8>,
}
