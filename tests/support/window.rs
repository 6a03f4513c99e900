//! A window around a training, without a screen.

use eframe::egui::{self, Vec2, vec2};
use egui_kittest::Harness;
use gatelens::analysis::test_set::{self, Sets};
use gatelens::analysis::{contribution, in_context};
use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::experiment::live::Live;
use gatelens::experiment::{preset, recipe::Recipe, runner::Update};
use gatelens::math::random;
use gatelens::task::{Arrays, Source};
use gatelens::model::Network;
use gatelens::train::pacer::Speed;
use gatelens::train::session::{Event, Member, Session};
use gatelens::experiment::inspection::Bench;
use gatelens::experiment::sweep::queue::Queue;
use gatelens::experiment::sweep::Sweep;
use gatelens::ui::sweep::{Draft, SweepInput};
use gatelens::ui::{Action, Message, ResumeOffer, State, Tab, View, theme};
use std::rc::Rc;
use web_time::Instant;

/// A training on the CPU, and what the window knows of it after `steps`.
pub fn trained(recipe: Recipe, steps: u64) -> Live {
    trained_on(recipe, None, steps)
}

/// The same on the user's `arrays`.
pub fn trained_on(recipe: Recipe, arrays: Option<&Arrays>, steps: u64) -> Live {
    let plan = recipe.plan();
    let sets = arrays.map(|arrays| recipe.split(arrays));
    let (task, teacher) = (plan.task, plan.teacher());
    let open = |program| Ok(Box::new(Cpu::<f32>::new(program, 2, u64::MAX)?) as Box<dyn Backend>);
    let source = Source { teacher: teacher.as_ref(), data: sets.as_ref().map(|(train, _)| train) };
    let mut session = Session::new(&Member { plan, start: None, source }, 12.0, open).unwrap();
    let mut live = Live::new(1, recipe.clone());
    let (device, bytes) = (session.backend().device().clone(), session.backend().program().bytes());
    live.apply(1, Update::Ready { device, bytes, step: 0 }, Instant::now());
    live.apply(1, Update::Running(true), Instant::now());
    let mut last = None;
    while session.step() < steps.min(u64::from(recipe.steps)) && !session.ended() || last.is_none() {
        session.advance(Speed::Full, steps - session.step()).unwrap();
        for event in session.poll().unwrap() {
            if let Event::Weights { parameters, .. } = &event {
                last = Some(parameters.clone());
            }
            if let Event::Snapshot(snapshot) = &event {
                live.apply(1, Update::Snapshot { snapshot: snapshot.clone(), good: true }, Instant::now());
            }
            live.apply(1, Update::Event(event), Instant::now());
        }
    }
    live.apply(1, Update::Running(!session.ended()), Instant::now());
    let last = last.unwrap();
    if let Some(teacher) = teacher {
        let x = random::normals(recipe.seed, "probe", recipe.time.min(32) * recipe.dim);
        let probe = contribution::probe(&live.table, &last, &teacher, &x, live.step);
        live.apply(1, Update::Probe(probe), Instant::now());
    } else if let Some((train, test)) = &sets {
        let network = Network::from_parameters(&live.table, &last).unwrap();
        if let Some(finding) = test_set::measure(&network, Sets { test, train, in_order: task.is_in_order() }) {
            live.apply(1, Update::Found(live.step, Box::new(finding)), Instant::now());
        }
    } else if let Some(finding) = in_context::find(&Network::from_parameters(&live.table, &last).unwrap(), task, 512, recipe.seed) {
        live.apply(1, Update::Found(live.step, Box::new(finding)), Instant::now());
    }
    live
}

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
    pub web: bool,
    pub messages: Vec<Message>,
    pub actions: Vec<Action>,
    pub tab: Tab,
    pub bench: Bench,
    pub undo: Option<String>,
    pub sweep: Sweeping,
}

/// What the Sweep view shows.
pub struct Sweeping {
    pub queue: Option<Queue>,
    pub revision: u64,
    pub draft: Draft,
    pub running: bool,
    pub presets: Vec<Sweep>,
}

impl Window {
    pub fn new(live: &Rc<Live>) -> Self {
        let live = live.clone();
        let draft = live.recipe.clone();
        let sweep = Sweeping { queue: None, revision: 0, draft: Draft::of_recipe(&draft, "quick"), running: false, presets: vec![] };
        Self { state: State::default(), live, draft, preset: "quick", speed: Speed::Full, link: None, resume: None, web: false, messages: vec![], actions: vec![], tab: Tab::default(), bench: Bench::default(), undo: None, sweep }
    }

    pub fn show(&mut self, ui: &mut egui::Ui) {
        let view = View {
            tab: self.tab,
            bench: &self.bench,
            undo: self.undo.as_deref(),
            sweep: SweepInput {
                queue: self.sweep.queue.as_ref(),
                revision: self.sweep.revision,
                draft: &mut self.sweep.draft,
                running: self.sweep.running,
                presets: &self.sweep.presets,
            },
            live: &self.live,
            draft: &mut self.draft,
            preset: self.preset,
            speed: self.speed,
            link: self.link.as_deref(),
            resume: self.resume.as_ref(),
            web: self.web,
            messages: &mut self.messages,
        };
        self.actions.extend(self.state.show(ui, view));
    }
}

/// The window, drawn once.
pub fn harness(window: Window, size: Vec2, dark: bool) -> Harness<'static, Window> {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    let builder = Harness::builder().with_size(size).with_theme(theme).with_context_setup(theme::install).with_max_steps(20);
    let mut harness = builder.build_ui_state(|ui, window: &mut Window| window.show(ui), window);
    harness.run_ok();
    harness
}

/// A picture in `target/screenshots/`.
pub fn picture(name: &str, window: Window, size: Vec2, dark: bool) {
    drawn(name, window, size, dark, |_| ());
}

/// A picture after `act`.
pub fn drawn(name: &str, window: Window, size: Vec2, dark: bool, act: impl FnOnce(&mut Harness<'_, Window>)) {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    let builder = Harness::builder().with_size(size).with_theme(theme).with_context_setup(theme::install).with_max_steps(20).wgpu();
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
