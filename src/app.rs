//! The window: owns the training's link and what is known of it; `logic` takes in, `ui` draws and
//! applies what was asked for.

mod actions;
mod arrival;
mod dropped;
mod files;
mod history;
mod inside;
mod session;
mod sweep;
#[cfg(test)]
mod tests;

use crate::named::Named;
use crate::platform::{self, Link};
use crate::recipe::Recipe;
use crate::run::inspection::Bench;
use crate::run::live::Live;
use crate::run::runner::{Command, Update};
use crate::task::{Arrays, Teacher};
use crate::train::pacer::Speed;
use crate::ui::{self, Action, Each, Message, Page, Scene, Tab, Unread, VIEWS, View, Which};
use crate::{Error, Result};
use arrival::{Arrival, Purpose};
use eframe::egui;
use history::History;
use std::sync::mpsc::{self, Receiver, Sender};
use web_time::Instant;

/// The app, natively and on the page.
pub struct App {
    ctx: egui::Context,
    link: Link,
    live: Live,
    /// The settings as they are in the controls.
    draft: Recipe,
    preset: String,
    speed: Speed,
    /// The teacher of a loaded file, instead of the recipe's own.
    teacher: Option<Teacher>,
    /// The user's arrays, of the file task, and their file's name.
    data: Option<(String, Arrays)>,
    messages: Vec<Message>,
    /// The link as text, when the clipboard was refused.
    link_text: Option<String>,
    resume: Option<session::StoredSession>,
    /// What the last visit kept and does not read: it stays as it is until the user has decided.
    unread: Vec<Unread>,
    /// The hash of this run.
    hash: String,
    /// The page's address as it was last seen or written; another one is the user's.
    seen_hash: Option<String>,
    /// The address is behind by a changed rate since then.
    hash_due: Option<Instant>,
    /// The runner has stopped for good; the next training needs a new one.
    dead: bool,
    tab: Tab,
    /// The network that is taken apart.
    bench: Bench,
    /// The network that the page Inside looks into.
    inside: inside::Inside,
    /// Trainings that others have replaced.
    history: History,
    arrivals: (Sender<Arrival>, Receiver<Arrival>),
    /// Those of the views Sweep and Compare.
    sweeps: Each<sweep::Sweeping>,
    panels: ui::State,
    frames: Frames,
}

/// How regularly frames come.
#[derive(Default)]
struct Frames {
    count: u64,
    last: Option<Instant>,
    recent_ms: std::collections::VecDeque<f64>,
    /// What the last frame cost this thread, without the renderer's own work.
    work_ms: f64,
}

/// What is kept from visit to visit: its key in the storage, and its name for people.
const STORED_SESSION: (&str, &str) = ("session", "training");

impl App {
    /// Starts training what `link` (a URL hash, or a whole address) asks for, or the default
    /// preset.
    ///
    /// # Errors
    /// No thread or worker for the training.
    pub fn new(cc: &eframe::CreationContext<'_>, link: Option<&str>) -> Result<Self> {
        ui::theme::install(&cc.egui_ctx);
        let hash = link
            .map(|link| link.split_once('#').map_or(link, |(_, hash)| hash))
            .unwrap_or_default();
        let (preset, recipe, problems) = Recipe::from_hash(hash);
        let mut unread = vec![];
        let resume = stored(cc.storage, STORED_SESSION, session::stored, &mut unread);
        let sweeps = Each::new(|which| {
            let kept =
                stored(cc.storage, (which.key(), which.title()), sweep::kept::read, &mut unread);
            sweep::Sweeping::new(which, &recipe, &preset, kept)
        });
        let mut app = Self {
            ctx: cc.egui_ctx.clone(),
            link: spawn(&cc.egui_ctx)?,
            live: Live::new(0, recipe.clone()),
            draft: recipe.clone(),
            preset,
            speed: Speed::Full,
            teacher: None,
            data: None,
            messages: problems
                .iter()
                .map(|problem| Message::warning(format!("In the link: {problem}")))
                .collect(),
            link_text: None,
            resume: resume.filter(|stored| hash.is_empty() || stored.recipe == recipe),
            unread,
            hash: String::new(),
            seen_hash: platform::hash(),
            hash_due: None,
            dead: false,
            tab: tab_of(hash),
            bench: Bench::default(),
            inside: inside::Inside::default(),
            history: History::default(),
            arrivals: mpsc::channel(),
            sweeps,
            panels: ui::State::default(),
            frames: Frames::default(),
        };
        app.panels.show_page(page_of(hash));
        app.start(recipe, None, None, true);
        Ok(app)
    }

    /// For the page's script and tests.
    pub fn status(&self) -> serde_json::Value {
        let device = self.live.device.as_ref();
        let (loss, nmse) = self.live.history.smooth().unzip();
        let finite = |value: Option<f64>| value.filter(|v| v.is_finite());
        let failure = self.live.failure.as_ref().map(ToString::to_string);
        let message = failure.or_else(|| self.messages.last().map(|message| message.text.clone()));
        serde_json::json!({
            "step": self.live.step, "steps": self.live.recipe.steps, "loss": finite(loss), "nmse": finite(nmse),
            "steps_per_s": self.live.steps_per_second(), "running": self.live.running, "view": self.tab.0, "dissected": self.bench.inspected.as_ref().and_then(|inspected| inspected.dissection()).map(|dissection| &dissection.verdict),
            "insides": self.bench.inspected.as_ref().and_then(|inspected| inspected.insides()).map(super::analysis::insides::Insides::headline),
            "found": self.live.finding.as_ref().map(|(_, finding)| finding.headline()),
            "backend": device.map(|device| device.kind.key()), "adapter": device.map(|device| device.name.clone()),
            "sweep": self.sweeps[Which::Sweep].progress(), "compare": self.sweeps[Which::Compare].progress(),
            "software": device.is_some_and(|device| device.software), "message": message,
            "messages": self.messages.iter().map(|message| message.text.clone()).collect::<Vec<_>>(),
            "ended": self.live.end.as_ref().map(|end| format!("{end:?}")),
            "asks": self.panels.asks(), "frames": self.frames.count, "frame_ms_max": self.frames.recent_ms.iter().copied().fold(0.0, f64::max),
            "frame_ms_median": self.frames.median_ms(), "frame_work_ms": self.frames.work_ms,
        })
    }

    /// A command of the page's script: an object with `play`, `pause`, `reset`, `load`, `sweep` or
    /// `lose_device`.
    pub fn command(&mut self, json: &str) {
        let Ok(serde_json::Value::Object(command)) = serde_json::from_str(json) else {
            return self.messages.push(Message::warning(format!(
                "The page's script sent {json}; expected an object like {{\"play\": true}}."
            )));
        };
        for (key, value) in command {
            match (key.as_str(), value.as_str()) {
                ("play", _) => self.send(Command::Run(true)),
                ("pause", _) => self.send(Command::Run(false)),
                ("reset", _) => self.apply(Action::Restart),
                ("lose_device", _) => self.send(Command::LoseDevice),
                ("load", Some(hash)) => self.load_hash(hash),
                ("sweep", Some(text)) => self.sweep_text(text),
                _ => self.messages.push(Message::warning(format!(
                    "The page's script asked for {key}; known are play, pause, reset, load and sweep."
                ))),
            }
        }
        self.ctx.request_repaint();
    }

    fn send(&mut self, command: Command) {
        if let Err(error) = self.link.send(command) {
            self.lost_link(error);
        }
    }

    fn lost_link(&mut self, error: Error) {
        if self.dead {
            return; // said before
        }
        self.dead = true;
        if Which::ALL.iter().any(|&which| self.sweeps[which].trains()) {
            self.messages.push(Message::warning(format!(
                "{error} Runs in training stopped; press play to train them again from their last states."
            )));
        }
        Which::ALL.iter().for_each(|&which| self.sweeps[which].lost());
        if self.live.failure.is_none() {
            (self.live.failure, self.live.running) = (Some(error), false);
        }
    }

    fn load_hash(&mut self, hash: &str) {
        let (preset, recipe, problems) = Recipe::from_hash(hash);
        self.messages.extend(
            problems.iter().map(|problem| Message::warning(format!("In the link: {problem}"))),
        );
        self.panels.show_page(page_of(hash));
        self.show_tab(tab_of(hash));
        // Another view of the same run leaves the run alone.
        if recipe.to_hash(&preset) != self.live.recipe.to_hash(&self.preset) {
            self.keep();
            self.preset = preset;
            self.start(recipe, None, None, true);
        }
    }

    /// Takes in everything that has arrived.
    fn receive(&mut self) {
        let now = Instant::now();
        loop {
            match self.link.try_receive() {
                Ok(Some((_, Update::Inspected(inspected)))) => {
                    self.inside.bench().answer((*inspected).clone());
                    self.bench.answer(*inspected);
                }
                Ok(Some((_, Update::Group(number, told)))) => self.messages.extend(
                    self.sweeps[sweep::of_group(number)].told(number, *told).map(Message::from),
                ),
                Ok(Some((_, Update::GroupFailed(number, error)))) => {
                    self.sweeps[sweep::of_group(number)].failed(number, &error)
                }
                Ok(Some((run, update))) => self.live.apply(run, update, now),
                Ok(None) => break,
                Err(error) => {
                    self.lost_link(error);
                    break;
                }
            }
        }
        self.train_sweeps();
        self.renew_inside();
        self.messages.extend(self.live.notices.drain(..).map(Message::from));
        while let Ok(arrival) = self.arrivals.1.try_recv() {
            match arrival {
                Arrival::File(purpose, Ok(file)) => self.take_in(purpose, &file),
                Arrival::Note(Ok(text)) => self.messages.push(Message::info(text)),
                Arrival::File(_, Err(error)) | Arrival::Note(Err(error)) => {
                    self.messages.push(Message::warning(error.to_string()))
                }
                Arrival::Copied { allowed: true, .. } => {
                    self.messages.push(Message::info("The link to this run is on the clipboard."))
                }
                Arrival::Copied { allowed: false, link } => self.link_text = Some(link),
            }
        }
        if self.hash_due.is_some_and(|due| due <= now) {
            self.show_hash();
        }
        let address = platform::hash();
        if address != self.seen_hash {
            self.seen_hash.clone_from(&address);
            if let Some(hash) = address {
                self.load_hash(&hash);
            }
        }
    }

    fn dropped(&self, ctx: &egui::Context) {
        for file in ctx.input(|input| input.raw.dropped_files.clone()) {
            let (sender, ctx) = (self.arrivals.0.clone(), self.ctx.clone());
            let purpose = match self.tab {
                Tab::DISSECT => Purpose::Dissect,
                Tab::SWEEP if is_json(&*file) => Purpose::Sweep(Which::Sweep),
                Tab::COMPARE if is_json(&*file) => Purpose::Sweep(Which::Compare),
                _ => Purpose::Train,
            };
            dropped::read(file, move |file| {
                if sender.send(Arrival::File(purpose, file)).is_ok() {
                    ctx.request_repaint();
                }
            });
        }
    }
}

impl eframe::App for App {
    /// How the page's script reaches the app.
    #[cfg(target_arch = "wasm32")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }

    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.receive();
        self.dropped(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.frames.tick(frame.info().cpu_usage);
        let run = self.inside_run();
        let offer = self.offer();
        let scene = Scene {
            tab: self.tab,
            bench: &self.bench,
            inside: self.inside.input(run),
            undo: self.history.undo.last().map(|replaced| replaced.name.as_str()),
            sweeps: self.sweeps.each_mut(sweep::Sweeping::input),
            live: &self.live,
            draft: &mut self.draft,
            preset: &self.preset,
            speed: self.speed,
            link: self.link_text.as_deref(),
            resume: offer.as_ref(),
            unread: &self.unread,
            messages: &mut self.messages,
            web: platform::BROWSER,
        };
        for action in self.panels.show(ui, scene) {
            self.apply(action);
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        let is_unread = |key| self.unread.iter().any(|unread| unread.key == key);
        // A session of a few steps does not replace one that is still on offer.
        if self.resume.is_none()
            && !is_unread(STORED_SESSION.0)
            && let Some(Ok((_, bytes))) = self.checkpoint()
            && let Some(text) = session::to_store(&bytes)
        {
            storage.set_string(STORED_SESSION.0, text);
        }
        for &which in Which::ALL {
            let key = which.key();
            if is_unread(key) {
                continue;
            }
            match self.sweeps[which].changed() {
                Some(Ok(text)) => storage.set_string(key, text),
                Some(Err(text)) => self.messages.push(Message::warning(text)),
                None => {}
            }
        }
    }

    fn auto_save_interval(&self) -> std::time::Duration {
        std::time::Duration::from_secs(5)
    }
}

impl Frames {
    fn tick(&mut self, work_secs: Option<f32>) {
        self.work_ms = work_secs.map_or(0.0, |secs| f64::from(secs) * 1e3);
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.recent_ms.push_back(now.duration_since(last).as_secs_f64() * 1e3);
            if self.recent_ms.len() > 120 {
                self.recent_ms.pop_front();
            }
        }
        self.count += 1;
        if self.count.is_multiple_of(120) {
            let (median, worst) = (
                self.median_ms().unwrap_or_default(),
                self.recent_ms.iter().copied().fold(0.0, f64::max),
            );
            log::debug!(
                "frames every {median:.1} ms, at worst {worst:.1}; the last took {:.1} ms of this thread",
                self.work_ms
            );
        }
    }

    fn median_ms(&self) -> Option<f64> {
        let mut sorted: Vec<f64> = self.recent_ms.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }
}

/// What the last visit kept under that key, if anything; what does not read is put by.
fn stored<T>(
    storage: Option<&dyn eframe::Storage>,
    (key, name): (&'static str, &'static str),
    read: impl FnOnce(&str) -> std::result::Result<Option<T>, String>,
    unread: &mut Vec<Unread>,
) -> Option<T> {
    let text = storage.and_then(|storage| storage.get_string(key)).unwrap_or_default();
    read(&text).unwrap_or_else(|problem| {
        unread.push(Unread { key, name, problem, text });
        None
    })
}

/// Whether a dropped file may hold a sweep's definition.
fn is_json(file: &dyn egui::DroppedFile) -> bool {
    file.path().extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// The view that a URL hash names.
fn tab_of(hash: &str) -> Tab {
    hash.trim_start_matches('#')
        .split('&')
        .find_map(|pair| View::from_word(pair.strip_prefix("view=")?))
        .map_or(VIEWS[0].tab, |view| view.tab)
}

/// The page of Compare that a URL hash names.
fn page_of(hash: &str) -> Page {
    hash.trim_start_matches('#')
        .split('&')
        .find_map(|pair| Page::from_key(pair.strip_prefix("page=")?))
        .unwrap_or_default()
}

fn spawn(ctx: &egui::Context) -> Result<Link> {
    let ctx = ctx.clone();
    Link::spawn(move || ctx.request_repaint())
}
