//! The structure, checked: who may import whom, where the outside world may be used, how long a
//! file may be.

#[path = "support/imports.rs"]
mod imports;

use gatelens::model::LAYERS;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use imports::{House, Import};

/// From left to right; a room imports only rooms to its left.
const ROOMS: &[&str] = &[
    "error", "named", "math", "graph", "backend", "model", "task", "theory", "train", "analysis",
    "recipe", "sweep", "run", "platform", "ui", "app", "cli", "main",
];

/// (what, the only places that may say it)
const OUTSIDE: &[(&str, &[&str])] = &[
    ("wgpu::", &["backend/gpu"]),
    ("egui::", &["ui", "app", "main"]),
    ("eframe::", &["ui", "app", "main"]),
    ("nalgebra::", &["math"]),
    ("target_arch", &["platform", "main", "lib", "app", "backend/gpu"]),
    ("web_sys::", &["platform", "main"]),
    ("clap::", &["cli"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found
}

/// (path below `src/`, text) of every source.
fn sources() -> Vec<(String, String)> {
    let src = root().join("src");
    let name = |path: &Path| path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
    files(&src, "rs").iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

fn room_of(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap()
}

/// Imports of a room to the right of one's own, and files in no room.
fn import_problems(sources: &[(String, String)]) -> Vec<String> {
    let place = |file: &str| ROOMS.iter().position(|room| *room == room_of(file));
    let lost = sources.iter().map(|(file, _)| file);
    let lost = lost.filter(|file| room_of(file) != "lib" && place(file).is_none());
    let lost = lost.map(|file| format!("{file} is in no room of the map"));
    let imports = House::of(sources).passed();
    let wrong = imports
        .iter()
        .filter(|import| room_of(&import.from) != "lib" && place(&import.to) > place(&import.from));
    let wrong = wrong.map(|Import { from, to, path }| {
        format!("{from} imports {path}, of {to}, which is to its right")
    });
    lost.chain(wrong).collect()
}

/// Floors of the room `ui`, from the ground up: what app and window say to each other, the kit, the
/// panels, the views; what draws all of it stands on top.
fn floor_of(file: &str) -> usize {
    let top = ["ui/mod.rs", "ui/topbar.rs", "ui/help.rs"];
    let floors = ["kit", "panel", "view"];
    let folder = file.split('/').nth(1).unwrap_or_default();
    let above = floors.iter().position(|floor| *floor == folder).map_or(0, |floor| floor + 1);
    if top.contains(&file) { floors.len() + 1 } else { above }
}

/// Imports within `ui` that run back up.
fn floor_problems(sources: &[(String, String)]) -> Vec<String> {
    let imports = House::of(sources).named_items();
    let within = |file: &str| room_of(file) == "ui";
    let up = imports.iter().filter(|import| {
        within(&import.from) && within(&import.to) && floor_of(&import.to) > floor_of(&import.from)
    });
    up.map(|Import { from, to, path }| format!("{from} imports {path}, of {to}, a floor above"))
        .collect()
}

/// Files of one room that need each other, each circle with what it imports.
fn circle_problems(sources: &[(String, String)]) -> Vec<String> {
    let circles = House::of(sources).circles(|import| room_of(&import.from) == room_of(&import.to));
    let step = |import: &Import| format!("{} -> {} ({})", import.from, import.to, import.path);
    circles.iter().map(|circle| circle.iter().map(step).collect::<Vec<_>>().join(", ")).collect()
}

fn outside_problems(file: &str, text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let allowed = |places: &[&str]| {
        places
            .iter()
            .any(|place| file.starts_with(&format!("{place}/")) || file == format!("{place}.rs"))
    };
    OUTSIDE
        .iter()
        .filter(|(what, places)| code.contains(what) && !allowed(places))
        .map(|(what, _)| format!("{file} uses {what}"))
        .collect()
}

#[test]
fn rooms_import_only_to_their_left() {
    let problems = import_problems(&sources());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn views_stand_on_panels_and_panels_on_the_kit() {
    let problems = floor_problems(&sources());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let problems = |file: &str, text: &str| {
        let kit = ("ui/kit/card.rs", "pub fn show() {}");
        let panel = ("ui/panel/loss.rs", "pub fn show() {}");
        let view = ("ui/view/list.rs", "pub const VIEWS: u8 = 0;");
        let house = [kit, panel, view, ("ui/scene.rs", "pub struct Scene;"), (file, text)];
        floor_problems(&texts(&house)).len()
    };
    let [below, beside, above] = [
        "use crate::ui::kit::card::show;",
        "use crate::ui::panel::loss::show;",
        "use crate::ui::view::list::VIEWS;",
    ];
    for (file, counts) in [
        ("ui/tab.rs", [1, 1, 1]),
        ("ui/kit/icon.rs", [0, 1, 1]),
        ("ui/panel/guide.rs", [0, 0, 1]),
        ("ui/view/sweep.rs", [0, 0, 0]),
        ("ui/help.rs", [0, 0, 0]),
    ] {
        assert_eq!([below, beside, above].map(|text| problems(file, text)), counts, "{file}");
    }
}

#[test]
fn files_of_a_room_import_in_no_circle() {
    let problems = circle_problems(&sources());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_outside_world_stays_in_its_rooms() {
    let problems: Vec<String> =
        sources().iter().flat_map(|(file, text)| outside_problems(file, text)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn texts(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn imports_to_the_right_are_found() {
    let problems = |file: &str, text: &str| {
        let graph = ("graph/mod.rs", "pub mod op; pub fn grow() {} pub struct Graph;");
        let above = ("ui/mod.rs", "pub use crate::graph::op::Op;");
        let mut files = vec![graph, ("graph/op.rs", "pub enum Op { Add }"), above];
        files.retain(|(other, _)| *other != file);
        files.push((file, text));
        import_problems(&texts(&files)).len()
    };
    for text in [
        "use crate::graph::Graph;",
        "use crate::{Error, graph::{self, op::{Op as Operation}}};",
        "pub use crate::graph::*;",
        "fn f() { crate::graph::grow(); }",
        "fn f() { println!(\"{}\", 1 + crate::graph::op::Op::Add as u8); }",
        "fn f(x: Vec<super::super::graph::Graph>) {}",
        "impl From<crate::graph::Graph> for f64 {}",
        "use super::super as house; fn f() { house::graph::grow(); }",
    ] {
        assert_ne!(problems("math/float.rs", text), 0, "{text}");
        assert_eq!(problems("app.rs", text), 0, "{text}");
    }
    // Op lies to the left, but is taken from the right.
    assert_ne!(problems("model/gru.rs", "use crate::ui::Op;"), 0);
    for text in ["// crate::graph::Graph", "#[cfg(test)] mod tests { use crate::graph::Graph; }"] {
        assert_eq!(problems("math/float.rs", text), 0, "{text}");
    }
    assert_eq!(problems("attic/mod.rs", ""), 1);
}

#[test]
fn circles_are_found() {
    let circles = |parent: &str, child: &str| {
        circle_problems(&texts(&[("sweep/mod.rs", parent), ("sweep/axis.rs", child)]))
    };
    let declares = "mod axis; pub use axis::{Axis, lay}; pub struct Queue;";
    let calls = "mod axis; pub struct Queue; fn f() { axis::lay(); }";
    let takes = "use super::Queue; pub struct Axis; pub fn lay() {}";
    assert_eq!(
        circles(calls, takes),
        ["sweep/axis.rs -> sweep/mod.rs (super::Queue), sweep/mod.rs -> sweep/axis.rs (axis::lay)"]
    );
    for parent in [
        "mod axis; use axis::*; pub struct Queue; fn f() { lay(); }",
        "mod axis; pub use axis::lay as put; pub struct Queue; fn f() { put(); }",
        "mod axis; pub struct Queue; fn f() { assert!(true, \"{}\", axis::lay()); }",
        "mod axis; pub struct Queue { axis: self::axis::Axis }",
    ] {
        for child in [takes, "use super::*; pub struct Axis(Queue); pub fn lay() {}"] {
            assert_eq!(circles(parent, child).len(), 1, "{parent} {child}");
        }
    }
    assert!(circles(declares, takes).is_empty(), "it only declares");
    assert!(circles(calls, "pub struct Axis; pub fn lay() {}").is_empty(), "it only calls");
    let tested = "pub fn lay() {} #[cfg(test)] mod tests { use super::super::Queue; }";
    assert!(circles(calls, tested).is_empty(), "only its tests look up");
    // Of three files, each through a re-export of the room.
    let files = [
        ("sweep/mod.rs", "mod a; mod b; mod c; pub use {a::A, b::B, c::C};"),
        ("sweep/a.rs", "use super::B; pub struct A(B);"),
        ("sweep/b.rs", "pub struct B(crate::sweep::C);"),
        ("sweep/c.rs", "use crate::sweep as all; pub struct C(Vec<all::A>);"),
    ];
    let problems = circle_problems(&texts(&files));
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].matches(" -> ").count(), 3, "{problems:?}");
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(outside_problems("train/plan.rs", "let x = wgpu::Limits::default();").len(), 1);
    assert!(outside_problems("train/plan.rs", "// as wgpu::Limits does").is_empty());
}

#[test]
fn the_map_names_every_room() {
    let map = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let entries = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    for room in entries
        .map(|name| name.trim_end_matches(".rs").to_owned())
        .filter(|room| room != "lib" && room != "main")
    {
        assert!(map.contains(&format!("[`{room}`]")), "lib.rs's map does not name {room}");
        assert!(
            architecture.contains(&format!("`src/{room}")),
            "ARCHITECTURE.md does not name {room}"
        );
        assert!(map.contains(&format!("pub mod {room};")), "lib.rs does not declare {room}");
    }
}

/// A macro declares the CPU twins, so `cargo fmt` does not find them.
#[test]
fn twins_are_formatted() {
    let twins = files(&root().join("src/backend/cpu"), "rs");
    let check = Command::new("rustfmt").args(["--check", "--edition", "2024"]).args(twins).output();
    let Ok(check) = check else { return eprintln!("skipped: no rustfmt here") };
    let told = [&check.stdout, &check.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        check.status.success(),
        "rustfmt --edition 2024 src/backend/cpu/*.rs\n{}",
        told.concat()
    );
}

#[test]
fn files_are_rooms_not_halls() {
    let root = root();
    let all = ["src", "tests", "web"]
        .iter()
        .flat_map(|folder| files(&root.join(folder), "rs"))
        .chain(files(&root.join("shaders"), "wgsl"));
    let limit = |path: &Path| if path.extension().is_some_and(|e| e == "wgsl") { 130 } else { 700 };
    let long = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count() > limit(path);
    let problems: Vec<PathBuf> = all.filter(long).collect();
    assert!(problems.is_empty(), "too long: {problems:?}");
}

/// A layer is its file and a line in the list: nobody else names it. Constructions, which are
/// mathematics of certain layers, may.
#[test]
fn only_its_own_file_names_a_layer() {
    let allowed = |file: &str| {
        file.starts_with("model/") || file.starts_with("theory/") || file.ends_with("tests.rs")
    };
    let modules: Vec<String> = sources()
        .iter()
        .filter(|(file, text)| file.starts_with("model/") && text.contains(": Layer = Layer {"))
        .map(|(file, _)| file["model/".len()..].trim_end_matches(".rs").to_owned())
        .collect();
    assert!(modules.len() > 5, "{modules:?}");
    let named = |text: &str| -> Vec<String> {
        // These two words are also a schedule's and a buffer's.
        let own = LAYERS
            .iter()
            .map(|layer| layer.word)
            .filter(|word| !["linear", "gated"].contains(word));
        let words = own.map(|word| format!("\"{word}\""));
        let paths = modules.iter().map(|module| format!("model::{module}"));
        words.chain(paths).filter(|name| text.contains(name.as_str())).collect()
    };
    let problems: Vec<String> = sources()
        .iter()
        .filter(|(file, _)| !allowed(file))
        .map(|(file, text)| (file, named(text.split("#[cfg(test)]").next().unwrap())))
        .filter(|(_, names)| !names.is_empty())
        .map(|(file, names)| format!("{file} names {}", names.join(", ")))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(named("use crate::model::gru::GRU; \"lstm\"").len(), 2, "the check can fail");
}
