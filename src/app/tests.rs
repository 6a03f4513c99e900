//! What the window keeps from visit to visit, and the user's own files, without a screen.

use super::sweep::kept;
use super::*;
use crate::platform::OpenedFile;
use crate::recipe::{TaskName, checkpoint, preset};
use crate::sweep::queue::Queue;
use crate::sweep::record::{Curve, Outcome, Record};
use crate::sweep::{Sweep, results};
use crate::train::session::Snapshot;
use crate::ui::SweepAction;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::BTreeMap;
use std::path::Path;

/// eframe's storage.
#[derive(Default, Clone, PartialEq, Debug)]
struct Store(BTreeMap<String, String>);

impl eframe::Storage for Store {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.into(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

impl Store {
    fn holding(key: &str, text: &str) -> Self {
        Self([(key.to_owned(), text.to_owned())].into())
    }

    /// A visit with what the last one kept.
    fn visit(&self) -> App {
        let mut cc = eframe::CreationContext::_new_kittest(egui::Context::default());
        cc.storage = Some(self);
        App::new(&cc, None).unwrap()
    }

    /// The end of the visit.
    fn leave(&mut self, app: &mut App) {
        eframe::App::save(app, self);
    }
}

impl App {
    /// Takes in what arrives, until something is so.
    fn until(&mut self, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            std::thread::yield_now();
            self.receive();
            assert!(self.live.failure.is_none(), "{:?}", self.live.failure);
        }
    }

    fn last_message(&self) -> &str {
        self.messages.last().map_or("", |message| &message.text)
    }
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept").join(name)).unwrap()
}

fn text_of(name: &str) -> String {
    String::from_utf8(fixture(name)).unwrap()
}

/// A file of the user's own: x `[sequences, 4, 2]`, y `[sequences, 4, 1]`.
fn file(name: &str, sequences: usize) -> OpenedFile {
    let bytes = |width: usize| bytemuck::cast_slice(&vec![0.5_f32; sequences * 4 * width]).to_vec();
    let (x, y): (Vec<u8>, Vec<u8>) = (bytes(2), bytes(1));
    let tensors = [("x", 2, &x), ("y", 1, &y)].map(|(name, width, bytes)| {
        (name, TensorView::new(Dtype::F32, vec![sequences, 4, width], bytes).unwrap())
    });
    OpenedFile { name: name.into(), bytes: safetensors::serialize(tensors, None).unwrap() }
}

fn arrays(file: &OpenedFile) -> Arrays {
    crate::recipe::data::read(&[(&file.name, &file.bytes)]).unwrap()
}

/// A small recipe of the file task.
fn on(file: &OpenedFile) -> Recipe {
    let quick = preset::find("quick").unwrap().recipe;
    Recipe { mask_at: 0.0, hidden: 4, gates: 4, batch: 4, ..quick }
        .with_data(&file.name, &arrays(file))
}

#[test]
fn what_version_0_1_kept_is_there_again() {
    let mut store = Store::holding("session", &text_of("session.txt"));
    store.0.insert("compare".into(), text_of("compare.txt"));
    let before = store.clone();
    let mut app = store.visit();
    assert!(app.unread.is_empty() && app.sweeps[Which::Sweep].input().queue.is_none());
    let file = checkpoint::read("lstm", &fixture("lstm.safetensors")).unwrap();
    let stored = app.resume.as_ref().unwrap();
    assert_eq!((stored.offer.step, Some(&stored.recipe)), (3, file.recipe.as_ref()));
    let results = results::read("results", &text_of("sweep/results.json")).unwrap().unwrap();
    let queue = app.sweeps[Which::Compare].input().queue.unwrap().clone();
    assert!(queue.over() == 4 && queue == results, "the same runs and records");
    store.leave(&mut app);
    assert_eq!(store.0["compare"], before.0["compare"], "and written as they were");
    assert_eq!(store.0["session"], before.0["session"], "as long as it is on offer");
    app.apply(Action::Resume(true));
    assert!(app.resume.is_none() && app.live.step == 3);
    assert_eq!(app.live.snapshot, Some(file.snapshot));
}

#[test]
fn what_does_not_read_stays_until_it_is_forgotten() {
    let [session, race] = ["session.txt", "compare.txt"].map(text_of);
    let half = |text: &str| text[..text.len() / 2].to_owned();
    let of_later_version = race.replace("\"lstm\"", "\"xlstm\"");
    let without_arrays = race.replacen("[\"mask_at\",\"0\"]", "[\"task\",\"file\"]", 1);
    let format = |version: &str| -> String {
        format!("\"format\":\"{version}\"").bytes().map(|byte| format!("{byte:02x}")).collect()
    };
    let newer = session.replace(&format("1"), &format("2"));
    for (key, text) in [
        ("session", half(&session)),
        ("session", format!("{session}é")),
        ("session", "7b7d".into()),
        ("session", newer),
        ("compare", half(&race)),
        ("compare", of_later_version),
        ("compare", without_arrays),
        ("sweep", "{}".into()),
        ("sweep", "a sweep".into()),
    ] {
        assert!(text != session && text != race);
        let mut store = Store::holding(key, &text);
        let mut app = store.visit();
        let [unread] = &app.unread[..] else { panic!("{key}: {:?}", app.unread) };
        assert!(unread.key == key && unread.text == text && !unread.problem.is_empty());
        app.until(|app| app.live.snapshot.is_some());
        let definition = Sweep::read("test", r#"{ "grid": { "seed": [1, 2] } }"#).unwrap();
        for which in [Which::Sweep, Which::Compare] {
            let queue = Box::new(Queue::new(definition.clone()).unwrap());
            app.apply(Action::Sweep(which, SweepAction::Show(queue)));
        }
        for _ in 0..2 {
            store.leave(&mut app);
            assert_eq!(store.0[key], text, "{key} is left as it was");
        }
        assert_eq!(store.0.len(), 3, "the others are kept as ever");
        app.apply(Action::Forget(key));
        store.leave(&mut app);
        assert!(store.0[key] != text && store.visit().unread.is_empty(), "{key}");
    }
    assert!(Store::holding("sweep", "").visit().unread.is_empty(), "nothing was kept");
}

#[test]
fn a_session_on_the_users_own_file_waits_for_that_file() {
    let (lessons, others) = (file("lessons.safetensors", 20), file("others.safetensors", 30));
    let recipe = on(&lessons);
    let parameters = recipe.plan().program().params.initial(1);
    let zeros = vec![0.0; parameters.len()];
    let snapshot =
        Snapshot { step: 5, parameters, first_moment: zeros.clone(), second_moment: zeros };
    let bytes = checkpoint::write(&recipe, &snapshot, None).unwrap();
    let mut store = Store::holding("session", &session::to_store(&bytes).unwrap());
    let before = store.clone();
    let mut app = store.visit();
    let resume = |app: &mut App| {
        let file = app.offer().unwrap().file.clone();
        app.apply(Action::Resume(true));
        file
    };
    for other in [None, Some(&others)] {
        other.into_iter().for_each(|other| app.take_in(Purpose::Train, other));
        let run = app.live.run;
        assert_eq!(resume(&mut app).as_deref(), Some("lessons.safetensors"));
        let said = app.last_message();
        assert!(
            said.contains("the arrays of lessons.safetensors: 20 sequences of 4 steps"),
            "{said}"
        );
        assert!(app.resume.is_some() && app.live.run == run, "what trained is left alone");
        store.leave(&mut app);
        assert_eq!(store.0["session"], before.0["session"]);
    }
    let checkpoint = OpenedFile { name: "saved".into(), bytes };
    app.take_in(Purpose::Train, &checkpoint);
    assert!(app.last_message().contains("saved: data: 30 sequences"), "{}", app.last_message());
    app.take_in(Purpose::Train, &lessons);
    assert_eq!(resume(&mut app), None);
    assert!(app.resume.is_none() && app.live.recipe == recipe && app.live.step == 5);
    app.until(|app| app.live.step > 5);
    app.take_in(Purpose::Train, &checkpoint);
    assert!(app.last_message().contains("Loaded saved at step 5"), "{}", app.last_message());
}

#[test]
fn a_sweep_on_the_users_own_file_is_there_again_and_goes_on_with_that_file() {
    let (lessons, others) = (file("lessons.safetensors", 20), file("others.safetensors", 30));
    let text = r#"{ "preset": "quick", "settings": { "task": "file", "mask_at": 0, "hidden": 4, "gates": 4, "steps": 4 }, "grid": { "seed": [1, 2] } }"#;
    let sweep = Sweep::read("test", text).unwrap();
    let base = sweep.base().unwrap().with_data(&lessons.name, &arrays(&lessons));
    let mut queue = Queue::on(sweep, &base).unwrap();
    let key = |app: &App| app.sweeps[Which::Sweep].key(0).unwrap();
    for over in 0..2 {
        if over == 1 {
            let run = queue.runs()[0].clone();
            let curve = Curve(vec![crate::backend::StepLoss { loss: 0.5, power: 1.0 }; 4]);
            let (neurons, device) = (None, String::new());
            queue.finish(Record {
                key: run.key,
                recipe: run.recipe,
                outcome: Outcome::Finished,
                curve,
                neurons,
                device,
            });
            let saved = results::read("results", &results::results_json(&queue)).unwrap();
            assert_eq!(saved.as_ref(), Some(&queue), "the table that was saved reads, too");
        }
        let mut store = Store::holding("sweep", &kept::write(&queue).unwrap());
        let before = store.clone();
        let mut app = store.visit();
        assert!(app.unread.is_empty() && app.sweeps[Which::Sweep].input().queue == Some(&queue));
        store.leave(&mut app);
        assert_eq!(store.0["sweep"], before.0["sweep"]);
        for other in [None, Some(&others)] {
            other.into_iter().for_each(|other| app.take_in(Purpose::Train, other));
            app.apply(Action::Sweep(Which::Sweep, SweepAction::Resume));
            assert!(app.last_message().contains("lessons.safetensors"), "{}", app.last_message());
            assert!(
                !app.sweeps[Which::Sweep].input().running
                    && app.sweeps[Which::Sweep].progress().unwrap()["over"] == over
            );
        }
        app.take_in(Purpose::Train, &lessons);
        app.apply(Action::Sweep(Which::Sweep, SweepAction::Resume));
        app.until(|app| app.sweeps[Which::Sweep].progress().is_some_and(|now| now["over"] == 2));
        let queue = app.sweeps[Which::Sweep].input().queue.unwrap().clone();
        assert!((0..2).all(|run| queue.record(&queue.runs()[run].key).unwrap().is_tried()));
        app.take_in(Purpose::Train, &others);
        app.apply(Action::Sweep(Which::Sweep, SweepAction::Open(0)));
        let own = app.live.recipe.data.as_ref().map(|data| data.name.as_str());
        assert_eq!((own, key(&app)), (Some("lessons.safetensors"), queue.runs()[0].key.clone()));
        app.until(|app| app.live.step > 0);
    }
}

#[test]
fn few_sequences_of_the_users_own_are_trained_on() {
    let mut app = Store::default().visit();
    let small = on(&file("small.safetensors", 1));
    for sequences in [1, 2, 3, 5, 10, 40, 63, 64, 65, 70, 71, 72, 200] {
        for test_fraction in [0.0, 0.1, 0.5, 0.9] {
            let attention = Recipe { task: TaskName::Attention, data: None, ..small.clone() };
            app.live.recipe = Recipe { test_fraction, batch: 64, ..attention };
            app.take_in(Purpose::Train, &file("own.safetensors", sequences));
            let (recipe, said) = (&app.live.recipe, app.last_message());
            assert!(said.starts_with("Training on own.safetensors"), "{sequences}: {said}");
            assert_eq!(
                (recipe.task, recipe.batch),
                (TaskName::File, recipe.train_sequences().min(64))
            );
        }
    }
    app.until(|app| app.live.step > 0);
    // A link knows of no arrays: it is about those that are open.
    app.load_hash("v=1&preset=quick&task=file&batch=1024");
    let told = app.live.recipe.data.as_ref().map(|data| (data.name.as_str(), data.sequences));
    assert_eq!((told, app.live.recipe.batch), (Some(("own.safetensors", 200)), 180));
    app.until(|app| app.live.step > 0);
}
