//! The structure, checked: who may import whom, where the outside world may be used, how long a
//! file may be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// From left to right; a room imports only rooms to its left.
const ROOMS: &[&str] = &[
    "error", "math", "graph", "backend", "model", "task", "theory", "train", "analysis", "recipe",
    "sweep", "run", "platform", "ui", "app", "cli", "main",
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

/// The rooms that a source names after `crate::` or `gatelens::`.
fn imports(text: &str) -> Vec<&str> {
    let named = text.split("crate::").skip(1).chain(text.split("gatelens::").skip(1));
    let mut rooms = vec![];
    for rest in named {
        let list = rest.strip_prefix('{').map_or(rest, |list| list.split('}').next().unwrap());
        let grouped = rest.starts_with('{');
        let heads = if grouped { list.split(',').collect::<Vec<_>>() } else { vec![list] };
        rooms.extend(heads.iter().filter_map(|head| {
            head.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next()
        }));
    }
    rooms.retain(|room| ROOMS.contains(room));
    rooms
}

fn import_problems(file: &str, text: &str) -> Vec<String> {
    let room = room_of(file);
    if room == "lib" {
        return vec![];
    }
    let place = ROOMS.iter().position(|r| *r == room);
    let Some(place) = place else { return vec![format!("{file} is in no room of the map")] };
    let wrong =
        |name: &&str| ROOMS.iter().position(|r| r == name).is_some_and(|other| other > place);
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    imports(&code)
        .iter()
        .filter(|name| wrong(name))
        .map(|name| format!("{file} imports {name}, which is to its right"))
        .collect()
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
    let problems: Vec<String> =
        sources().iter().flat_map(|(file, text)| import_problems(file, text)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_outside_world_stays_in_its_rooms() {
    let problems: Vec<String> =
        sources().iter().flat_map(|(file, text)| outside_problems(file, text)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(import_problems("math/float.rs", "use crate::graph::Graph;").len(), 1);
    assert_eq!(
        import_problems("graph/mod.rs", "use crate::{Error, backend::Backend, math::random};")
            .len(),
        1
    );
    assert!(import_problems("ui/mod.rs", "use crate::graph::Graph;").is_empty());
    assert_eq!(import_problems("attic/mod.rs", "").len(), 1);
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
