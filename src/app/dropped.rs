//! Files dropped on the window: egui reads them at once natively and asynchronously in a browser,
//! so this file, too, asks for the target.

use crate::platform::OpenedFile;
use crate::{Error, Result};
use eframe::egui::DroppedFileHandle;

/// Reads a dropped file; `done` gets it, or what is wrong with it.
pub fn read(file: DroppedFileHandle, done: impl FnOnce(Result<OpenedFile>) + 'static) {
    let name = file
        .path()
        .file_name()
        .map_or_else(|| "dropped file".into(), |name| name.to_string_lossy().into_owned());
    let opened = move |bytes: std::result::Result<Vec<u8>, String>| match bytes {
        Ok(bytes) => Ok(OpenedFile { name, bytes }),
        Err(problem) => Err(Error::file(&name, format!("could not be read: {problem}"))),
    };
    #[cfg(not(target_arch = "wasm32"))]
    done(opened(file.bytes()));
    #[cfg(target_arch = "wasm32")]
    wasm_bindgen_futures::spawn_local(async move { done(opened(file.bytes_async().await)) });
}
