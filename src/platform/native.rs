//! A native machine: the runner on a thread, files by dialog.

use crate::run::runner::{self, Command, Port, Update};
use crate::{Error, Result};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::Duration;

/// The window's end of a runner on a thread.
pub struct Link {
    commands: Sender<Command>,
    updates: Receiver<(u32, Update)>,
}

impl Link {
    /// Starts a runner that lets the window go first; `wake` is called after each update.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn spawn(wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start(wake, yield_to_the_window)
    }

    /// Starts a runner that has the machine to itself.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn spawn_alone() -> Result<Self> {
        Self::start(|| {}, || {})
    }

    fn start(
        wake: impl Fn() + Send + 'static,
        begin: impl FnOnce() + Send + 'static,
    ) -> Result<Self> {
        let (commands, receiver) = mpsc::channel();
        let (sender, updates) = mpsc::channel();
        let port = ThreadPort {
            commands: receiver,
            waiting: None,
            updates: sender,
            wake: Box::new(wake),
            closed: false,
        };
        let serve = move || {
            begin();
            pollster::block_on(runner::serve(port));
        };
        std::thread::Builder::new().name("training".into()).spawn(serve).map_err(|e| {
            Error::System { what: "starting the training thread".into(), problem: e.to_string() }
        })?;
        Ok(Self { commands, updates })
    }

    /// Sends a command.
    ///
    /// # Errors
    /// The runner is gone.
    pub fn send(&self, command: Command) -> Result<()> {
        self.commands.send(command).map_err(|_| gone())
    }

    /// The next update, if one has arrived.
    ///
    /// # Errors
    /// The runner is gone.
    pub fn try_receive(&self) -> Result<Option<(u32, Update)>> {
        match self.updates.try_recv() {
            Ok(update) => Ok(Some(update)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(gone()),
        }
    }

    /// The next update, waited for at most `patience`.
    ///
    /// # Errors
    /// The runner is gone.
    pub fn receive(&self, patience: Duration) -> Result<Option<(u32, Update)>> {
        match self.updates.recv_timeout(patience) {
            Ok(update) => Ok(Some(update)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
        }
    }
}

/// Lowers the priority of this thread and of those that it starts: a run on all cores must not slow
/// the drawing.
fn yield_to_the_window() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the call takes three numbers and touches no memory of ours; on Linux it concerns
        // the calling thread alone.
        #[expect(unsafe_code, reason = "one system call, see above")]
        let failed = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 10) } != 0;
        if failed {
            log::debug!("the training thread keeps the window's priority");
        }
    }
}

fn gone() -> Error {
    Error::System { what: "the training thread".into(), problem: "it has ended".into() }
}

/// The runner's end.
struct ThreadPort {
    commands: Receiver<Command>,
    /// Arrived during a wait.
    waiting: Option<Command>,
    updates: Sender<(u32, Update)>,
    wake: Box<dyn Fn() + Send>,
    closed: bool,
}

impl Port for ThreadPort {
    fn send(&self, run: u32, update: Update) {
        // A send that fails means that the window is gone; the next `receive` notices.
        if self.updates.send((run, update)).is_ok() {
            (self.wake)();
        }
    }

    fn receive(&mut self) -> Option<Command> {
        self.waiting.take().or_else(|| match self.commands.try_recv() {
            Ok(command) => Some(command),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.closed = true;
                None
            }
        })
    }

    async fn wait(&mut self, ms: u32) {
        if ms == 0 || self.waiting.is_some() {
            return;
        }
        match self.commands.recv_timeout(Duration::from_millis(ms.into())) {
            Ok(command) => self.waiting = Some(command),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.closed = true,
        }
    }

    fn closed(&self) -> bool {
        self.closed
    }
}

/// Bytes that the CPU engine may take: nine tenths of what is free, or 8 GiB where that can't be
/// told.
pub fn memory_limit() -> u64 {
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    available.map_or(8 << 30, |kib| kib * 1024 / 10 * 9)
}

/// Whether there is a screen to open a window on.
pub fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET")
}

/// Whether this is a page in a browser.
pub const BROWSER: bool = false;

/// A native window copies by egui; this only says that there is no browser to ask.
#[cfg(feature = "app")]
pub fn copy(_text: &str, done: impl FnOnce(bool) + 'static) {
    done(false);
}

/// Native windows have no address.
pub fn hash() -> Option<String> {
    None
}

/// Native windows have no address bar.
pub fn set_hash(_hash: &str) {}

/// What to append to a page's address, or to give to `gatelens` on the command line.
pub fn link(hash: &str) -> String {
    format!("#{hash}")
}

/// Lets the user choose a weights file; `done` gets it, on another thread.
#[cfg(feature = "app")]
pub fn open_file(done: impl FnOnce(super::OpenedFile) + Send + 'static) {
    std::thread::spawn(move || {
        let dialog = rfd::AsyncFileDialog::new()
            .add_filter("weights, or arrays x and y", &["safetensors", "npz", "npy"])
            .pick_file();
        if let Some(file) = pollster::block_on(dialog) {
            done(super::OpenedFile {
                name: file.file_name(),
                bytes: pollster::block_on(file.read()),
            });
        }
    });
}

/// Asks where `bytes` should go and writes them; `done` hears what became of it, on another thread.
#[cfg(feature = "app")]
pub fn save_file(name: &str, bytes: &[u8], done: impl FnOnce(Result<String>) + Send + 'static) {
    let (name, bytes) = (name.to_owned(), bytes.to_vec());
    let extension = name.rsplit('.').next().unwrap_or_default().to_owned();
    std::thread::spawn(move || {
        let dialog = rfd::AsyncFileDialog::new()
            .set_file_name(&name)
            .add_filter(&extension, &[&extension])
            .save_file();
        if let Some(file) = pollster::block_on(dialog) {
            let path = file.path().display().to_string();
            let saved = pollster::block_on(file.write(&bytes));
            done(saved.map(|()| format!("Saved to {path}.")).map_err(|e| Error::System {
                what: format!("writing {path}"),
                problem: e.to_string(),
            }));
        }
    });
}
