//! The browser: the runner in a Web Worker, files by the browser's dialog, the address bar.

use super::OpenedFile;
use crate::run::runner::{self, Command, Port, Update};
use crate::{Error, Result};
use js_sys::{Function, Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort, Worker, WorkerOptions,
    WorkerType,
};

/// The page's end of a runner in a worker.
pub struct Link {
    worker: Worker,
    updates: Receiver<Result<(u32, Update)>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::Event)>,
}

impl Link {
    /// Starts a runner; `wake` is called after each update.
    ///
    /// # Errors
    /// The browser makes no worker.
    pub fn spawn(wake: impl Fn() + Clone + 'static) -> Result<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // The page knows the worker's full address, with the stamp that keeps old and new files
        // apart.
        let address = Reflect::get(&js_sys::global(), &"gatelensWorker".into())
            .ok()
            .and_then(|value| value.as_string());
        let worker =
            Worker::new_with_options(address.as_deref().unwrap_or("./worker.js"), &options)
                .map_err(|e| Error::System {
                    what: "starting the training worker".into(),
                    problem: text_of(&e),
                })?;
        let (sender, updates) = mpsc::channel();
        let (failed, alarm) = (sender.clone(), wake.clone());
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let update = match event.data().as_string() {
                Some(problem) => Err(Error::System { what: "the training worker".into(), problem }),
                None => decode(&event.data()),
            };
            if sender.send(update).is_ok() {
                wake();
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        // A worker that can't be loaded never says a word itself.
        let on_error = Closure::<dyn FnMut(web_sys::Event)>::new(move |_| {
            let problem = "it could not be loaded; check the connection and try again".into();
            if failed
                .send(Err(Error::System { what: "the training worker".into(), problem }))
                .is_ok()
            {
                alarm();
            }
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, updates, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a command.
    ///
    /// # Errors
    /// The browser refuses the message.
    pub fn send(&self, command: Command) -> Result<()> {
        let problem = |problem: String| Error::System {
            what: "talking to the training worker".into(),
            problem,
        };
        let bytes = postcard::to_stdvec(&command).map_err(|e| problem(e.to_string()))?;
        self.worker
            .post_message(&Uint8Array::from(bytes.as_slice()))
            .map_err(|e| problem(text_of(&e)))
    }

    /// The next update, if one has arrived.
    ///
    /// # Errors
    /// The worker has stopped, with its reason.
    pub fn try_receive(&self) -> Result<Option<(u32, Update)>> {
        self.updates.try_recv().map_or(Ok(None), |update| update.map(Some))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Whether this is a page in a browser.
pub const BROWSER: bool = true;

/// Whether this is a worker, not the page.
pub fn is_worker() -> bool {
    js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>().is_ok()
}

/// The worker's main: serves commands for as long as the worker lives.
pub fn serve_worker() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let (sender, commands) = mpsc::channel();
    let sleeper: Sleeper = Rc::default();
    let alarm = Rc::clone(&sleeper);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        match decode::<Command>(&event.data()) {
            Ok(command) => drop(sender.send(command)), /* the receiver lives as long as this
            * closure */
            Err(problem) => log::error!("{problem}"),
        }
        wake(&alarm);
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
    let Ok(channel) = MessageChannel::new() else {
        return log::error!("this browser has no message channels");
    };
    let alarm = Rc::clone(&sleeper);
    let on_turn = Closure::<dyn FnMut(MessageEvent)>::new(move |_| wake(&alarm));
    channel.port1().set_onmessage(Some(on_turn.as_ref().unchecked_ref()));
    on_turn.forget(); // likewise
    wasm_bindgen_futures::spawn_local(runner::serve(WorkerPort {
        scope,
        commands,
        waiting: None,
        sleeper,
        turn: channel.port2(),
    }));
}

/// What wakes a sleeping runner: the resolve function of the promise that it awaits.
type Sleeper = Rc<RefCell<Option<Function>>>;

fn wake(sleeper: &Sleeper) {
    if let Some(resolve) = sleeper.borrow_mut().take()
        && let Err(problem) = resolve.call0(&JsValue::NULL)
    {
        log::error!("{}", text_of(&problem));
    }
}

/// The runner's end.
struct WorkerPort {
    scope: DedicatedWorkerGlobalScope,
    commands: Receiver<Command>,
    waiting: Option<Command>,
    sleeper: Sleeper,
    /// What is posted here comes back in the next turn of the event loop.
    turn: MessagePort,
}

impl Port for WorkerPort {
    fn send(&self, run: u32, update: Update) {
        match postcard::to_stdvec(&(run, update)) {
            Ok(bytes) => {
                let bytes = Uint8Array::from(bytes.as_slice());
                let transfer = js_sys::Array::of1(&bytes.buffer());
                if let Err(problem) = self.scope.post_message_with_transfer(&bytes, &transfer) {
                    log::error!("{}", text_of(&problem));
                }
            }
            Err(problem) => log::error!("{problem}"),
        }
    }

    fn receive(&mut self) -> Option<Command> {
        self.waiting.take().or_else(|| self.commands.try_recv().ok())
    }

    /// Lets messages in: a timer, or, at once, a message to itself (timers of 0 ms are slowed to 4
    /// ms).
    async fn wait(&mut self, ms: u32) {
        let sleeper = Rc::clone(&self.sleeper);
        let (scope, turn) = (self.scope.clone(), self.turn.clone());
        let promise = Promise::new(&mut |resolve, _| {
            *sleeper.borrow_mut() = Some(resolve.clone());
            if ms > 0 {
                let ms = i32::try_from(ms).unwrap_or(i32::MAX);
                drop(scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms));
            } else {
                drop(turn.post_message(&JsValue::NULL));
            }
        });
        if let Err(problem) = JsFuture::from(promise).await {
            log::error!("{}", text_of(&problem));
        }
        self.waiting = self.commands.try_recv().ok();
    }

    fn closed(&self) -> bool {
        false
    }
}

fn decode<T: serde::de::DeserializeOwned>(data: &JsValue) -> Result<T> {
    let bytes = Uint8Array::new(data).to_vec();
    postcard::from_bytes(&bytes).map_err(|e| Error::System {
        what: "a message between page and worker".into(),
        problem: e.to_string(),
    })
}

fn text_of(value: &JsValue) -> String {
    value
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{value:?}"), |error| String::from(error.message()))
}

/// Bytes that the CPU engine may take: wasm addresses 4 GiB, and the browser needs room beside it.
pub fn memory_limit() -> u64 {
    2 << 30
}

/// The address's hash, if there is one.
pub fn hash() -> Option<String> {
    web_sys::window()?.location().hash().ok().filter(|hash| hash.len() > 1)
}

/// Shows `hash` in the address bar, without a new entry in the history.
pub fn set_hash(hash: &str) {
    let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else { return };
    drop(history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{hash}"))));
}

/// The page's address with this hash.
pub fn link(hash: &str) -> String {
    let page =
        web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    format!("{}#{hash}", page.split('#').next().unwrap_or_default())
}

/// Puts text on the clipboard; `done` hears whether the browser allowed it (over plain http it has
/// none).
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    let secure = web_sys::window().filter(web_sys::Window::is_secure_context);
    let Some(clipboard) = secure.map(|window| window.navigator().clipboard()) else {
        return done(false);
    };
    let promise = clipboard.write_text(text);
    wasm_bindgen_futures::spawn_local(async move { done(JsFuture::from(promise).await.is_ok()) });
}

/// Lets the user choose a weights file; `done` gets it.
pub fn open_file(done: impl FnOnce(OpenedFile) + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        if let Some(file) = rfd::AsyncFileDialog::new()
            .add_filter("weights, or arrays x and y", &["safetensors", "npz", "npy"])
            .pick_file()
            .await
        {
            done(OpenedFile { name: file.file_name(), bytes: file.read().await });
        }
    });
}

/// Offers `bytes` as a download; `done` hears what became of it, in words.
pub fn save_file(name: &str, bytes: &[u8], done: impl FnOnce(Result<String>) + 'static) {
    let saved = download(name, bytes)
        .map_err(|e| Error::System { what: format!("saving {name}"), problem: text_of(&e) });
    done(saved.map(|()| format!("{name} is in your downloads.")));
}

fn download(name: &str, bytes: &[u8]) -> std::result::Result<(), JsValue> {
    let parts = js_sys::Array::of1(&Uint8Array::from(bytes));
    let blob = web_sys::Blob::new_with_u8_array_sequence(&parts)?;
    let url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or("no document")?;
    let anchor: web_sys::HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    web_sys::Url::revoke_object_url(&url)
}
