//! A window around a training, without a screen.

use eframe::egui::{self, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::recipe::{Recipe, preset};
use gatelens::run::inspection::{Bench, Look};
use gatelens::run::live::Live;
use gatelens::sweep::Sweep;
use gatelens::sweep::queue::Queue;
use gatelens::train::pacer::Speed;
use gatelens::ui::{
    Action, Draft, Each, InsideInput, Message, ResumeOffer, Scene, State, SweepInput, Tab, Unread,
    VIEWS, Which, theme,
};
use std::rc::Rc;

/// The smallest preset.
pub fn quick() -> Recipe {
    preset::find("quick").unwrap().recipe
}

/// A window around one training.
pub struct Window {
    pub state: State,
    pub live: Rc<Live>,
    pub draft: Recipe,
    pub preset: &'static str,
    pub speed: Speed,
    pub link: Option<String>,
    pub resume: Option<ResumeOffer>,
    pub unread: Vec<Unread>,
    pub web: bool,
    pub messages: Vec<Message>,
    pub actions: Vec<Action>,
    pub tab: Tab,
    pub bench: Bench,
    pub inside: Bench,
    /// Which run that is, and its steps.
    pub inside_run: (Option<usize>, Option<u64>),
    pub undo: Option<String>,
    pub sweeps: Each<Sweeping>,
}

/// What the Sweep view shows.
pub struct Sweeping {
    pub queue: Option<Queue>,
    pub revision: u64,
    pub draft: Draft,
    pub running: bool,
    pub presets: Vec<Sweep>,
}

impl Sweeping {
    fn input(&mut self) -> SweepInput<'_> {
        SweepInput {
            queue: self.queue.as_ref(),
            revision: self.revision,
            draft: &mut self.draft,
            running: self.running,
            presets: &self.presets,
        }
    }
}

impl Window {
    pub fn new(live: &Rc<Live>) -> Self {
        let live = live.clone();
        let draft = live.recipe.clone();
        let sweeps = Each::new(|which| Sweeping {
            queue: None,
            revision: 0,
            draft: match which {
                Which::Sweep => Draft::of_recipe(&draft, "quick"),
                Which::Compare => Draft::to_compare(&draft, "quick"),
            },
            running: false,
            presets: vec![],
        });
        Self {
            state: State::default(),
            live,
            draft,
            preset: "quick",
            speed: Speed::Full,
            link: None,
            resume: None,
            unread: vec![],
            web: false,
            messages: vec![],
            actions: vec![],
            tab: VIEWS[0].tab,
            bench: Bench::default(),
            inside: Bench::numbered(1, Look::Insides),
            inside_run: (None, None),
            undo: None,
            sweeps,
        }
    }

    pub fn show(&mut self, ui: &mut egui::Ui) {
        let scene = Scene {
            tab: self.tab,
            bench: &self.bench,
            inside: InsideInput {
                bench: &self.inside,
                run: self.inside_run.0,
                step: self.inside_run.1,
            },
            undo: self.undo.as_deref(),
            sweeps: self.sweeps.each_mut(Sweeping::input),
            live: &self.live,
            draft: &mut self.draft,
            preset: self.preset,
            speed: self.speed,
            link: self.link.as_deref(),
            resume: self.resume.as_ref(),
            unread: &self.unread,
            web: self.web,
            messages: &mut self.messages,
        };
        self.actions.extend(self.state.show(ui, scene));
    }
}

/// The window, drawn once.
pub fn harness(window: Window, size: Vec2, dark: bool) -> Harness<'static, Window> {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    let builder = Harness::builder()
        .with_size(size)
        .with_theme(theme)
        .with_context_setup(theme::install)
        .with_max_steps(20);
    let mut harness = builder.build_ui_state(|ui, window: &mut Window| window.show(ui), window);
    harness.run_ok();
    harness
}

/// Whether some label says `text`.
#[allow(dead_code, reason = "not all tests read it")]
pub fn says(harness: &Harness<'_, Window>, text: &str) -> bool {
    harness.query_all_by_label_contains(text).next().is_some()
}

/// A picture in `target/screenshots/`, after `act`.
pub fn drawn(
    name: &str,
    window: Window,
    size: Vec2,
    dark: bool,
    act: impl FnOnce(&mut Harness<'_, Window>),
) {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    let builder = Harness::builder()
        .with_size(size)
        .with_theme(theme)
        .with_context_setup(theme::install)
        .with_max_steps(20)
        .wgpu();
    let mut harness = builder.build_ui_state(|ui, window: &mut Window| window.show(ui), window);
    harness.run_ok();
    act(&mut harness);
    (0..30).for_each(|_| harness.step()); // a tooltip takes its time
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    match harness.render() {
        Ok(image) => image.save(folder.join(format!("{name}.png"))).unwrap(),
        Err(error) => println!("no picture of {name}: {error}"),
    }
}

/// A small laptop.
pub const DESKTOP: Vec2 = vec2(1280.0, 800.0);
/// A phone, upright.
pub const PHONE: Vec2 = vec2(390.0, 844.0);
