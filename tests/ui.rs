//! The window's content, driven by its labels and keys; and pictures of it in `target/screenshots/` (with an adapter, lavapipe will do).
#![cfg(feature = "app")]

use eframe::egui::{self, Key, Modifiers, Vec2, vec2};
use egui_kittest::{Harness, kittest::Queryable};
use gatelens::analysis::contribution;
use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::experiment::live::Live;
use gatelens::experiment::{preset, recipe::Recipe, runner::Update};
use gatelens::math::random;
use gatelens::train::pacer::Speed;
use gatelens::train::session::{Event, Session};
use gatelens::ui::{Action, Message, ResumeOffer, State, View, theme};
use web_time::Instant;

/// A training on the CPU, and what the window knows of it after `steps`.
fn trained(recipe: Recipe, steps: u64) -> Live {
    let plan = recipe.plan();
    let teacher = plan.teacher();
    let open = |program| Ok(Box::new(Cpu::<f32>::new(program, 2, u64::MAX)?) as Box<dyn Backend>);
    let mut session = Session::new(plan, None, Some(&teacher), 12.0, open).unwrap();
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
    let x = random::normals(recipe.seed, "probe", recipe.time.min(32) * recipe.dim);
    let probe = contribution::probe(&live.table, &last.unwrap(), &teacher, &x, live.step);
    live.apply(1, Update::Probe(probe), Instant::now());
    live
}

/// The smallest preset.
fn quick() -> Recipe {
    preset::find("quick").unwrap().recipe
}

/// A window around one training.
struct Window {
    state: State,
    live: Live,
    draft: Recipe,
    speed: Speed,
    link: Option<String>,
    resume: Option<ResumeOffer>,
    web: bool,
    messages: Vec<Message>,
    actions: Vec<Action>,
}

impl Window {
    fn new(live: Live) -> Self {
        let draft = live.recipe.clone();
        Self { state: State::default(), live, draft, speed: Speed::Full, link: None, resume: None, web: false, messages: vec![], actions: vec![] }
    }

    fn show(&mut self, ui: &mut egui::Ui) {
        let view = View {
            live: &self.live,
            draft: &mut self.draft,
            preset: "quick",
            speed: self.speed,
            link: self.link.as_deref(),
            resume: self.resume.as_ref(),
            web: self.web,
            messages: &mut self.messages,
        };
        self.actions.extend(self.state.show(ui, view));
    }
}

fn harness(window: Window, size: Vec2, dark: bool) -> Harness<'static, Window> {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    let builder = Harness::builder().with_size(size).with_theme(theme).with_context_setup(theme::install).with_max_steps(20);
    let mut harness = builder.build_ui_state(|ui, window: &mut Window| window.show(ui), window);
    harness.run_ok();
    harness
}

fn picture(name: &str, window: Window, size: Vec2, dark: bool) {
    let theme = if dark { egui::Theme::Dark } else { egui::Theme::Light };
    let builder = Harness::builder().with_size(size).with_theme(theme).with_context_setup(theme::install).with_max_steps(20).wgpu();
    let mut harness = builder.build_ui_state(|ui, window: &mut Window| window.show(ui), window);
    harness.run_ok();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    match harness.render() {
        Ok(image) => image.save(folder.join(format!("{name}.png"))).unwrap(),
        Err(error) => println!("no picture of {name}: {error}"),
    }
}

const DESKTOP: Vec2 = vec2(1280.0, 800.0);
const PHONE: Vec2 = vec2(390.0, 844.0);

#[test]
#[ignore = "draws pictures to be looked at"]
fn pictures() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| name.contains(&only);
    let presets = |name: &str| preset::find(name).unwrap().recipe;
    for (name, recipe, steps) in [
        ("late", presets("discover"), 15_000),
        ("early", presets("discover"), 60),
        ("middle", presets("discover"), 3_000),
        ("side", presets("side"), 6_000),
        ("paper", presets("paper"), 2_500),
        ("rank", presets("low-rank"), 6_000),
    ] {
        if !["desktop-light", "desktop-dark", "phone-light", "phone-dark"].iter().any(|kind| wanted(&format!("{name}-{kind}"))) {
            continue;
        }
        for dark in [false, true] {
            let theme = if dark { "dark" } else { "light" };
            for (kind, size) in [("desktop", DESKTOP), ("phone", PHONE)] {
                let name = format!("{name}-{kind}-{theme}");
                if wanted(&name) {
                    picture(&name, Window::new(trained(recipe.clone(), steps)), size, dark);
                }
            }
        }
    }
    let _ = (Key::Space, Modifiers::NONE);
}
