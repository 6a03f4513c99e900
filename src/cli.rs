//! The terminal: `train`, `sweep`, `analyze`, `construct`, `evaluate`, `devices`. Progress goes to
//! stderr, results to stdout; exit codes: 0 done, 1 failed, 2 bad usage or bad file.

mod analyze;
mod arguments;
mod construct;
mod evaluate;
mod sweep;
mod train;

use crate::Error;
use crate::backend::Device;
use crate::named::Named;
use crate::recipe::settings::{Kind, SETTINGS};
use crate::recipe::{Recipe, preset};
use crate::sweep::{LARGE, presets};
use arguments::text;
use clap::{Arg, ArgAction, Command};
use std::process::ExitCode;

/// What the command line asks for.
pub enum Request {
    /// The window.
    Window {
        /// With the recipe of this link.
        link: Option<String>,
    },
    /// Done; leave with this code.
    Exit(ExitCode),
}

/// Reads and, unless the window is wanted, runs the command line.
pub fn run() -> Request {
    let matches = command().get_matches();
    let result = match matches.subcommand() {
        Some(("train", arguments)) => train::run(arguments),
        Some(("sweep", arguments)) => sweep::run(arguments),
        Some(("construct", arguments)) => construct::run(arguments),
        Some(("analyze", arguments)) => analyze::run(arguments),
        Some(("evaluate", arguments)) => evaluate::run(arguments),
        Some(("devices", arguments)) => devices(arguments.get_flag("json")),
        _ if crate::platform::has_display() && cfg!(feature = "app") => {
            return Request::Window { link: text(&matches, "link").map(Into::into) };
        }
        _ => {
            eprintln!(
                "No display: training here in the terminal instead. `gatelens --help` lists what else can be done."
            );
            train::default_run(text(&matches, "link"))
        }
    };
    Request::Exit(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gatelens: {error}");
            ExitCode::from(if matches!(error, Error::Setting { .. } | Error::File { .. }) {
                2
            } else {
                1
            })
        }
    })
}

/// `--json`
fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print one JSON object as the last line of stdout")
}

/// `--backend`
fn backend() -> Arg {
    Arg::new("backend")
        .long("backend")
        .value_name("ENGINE")
        .default_value("auto")
        .help("auto, gpu or cpu")
}

fn command() -> Command {
    Command::new("gatelens")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Watch gated recurrent networks train themselves into linear attention. Without a command: opens the window.")
        .arg(Arg::new("link").value_name("LINK").help("Opens the window with the recipe of a shared link, or of the part after its #"))
        .subcommand(train_command())
        .subcommand(construct::command().arg(json()))
        .subcommand(analyze::command(json()))
        .subcommand(evaluate_command())
        .subcommand(sweep_command())
        .subcommand(Command::new("devices").about("List the GPUs and the CPU engine").arg(json()))
}

fn train_command() -> Command {
    let mut train = Command::new("train")
        .args_override_self(true)
        .about("Train a network and report what became of it")
        .arg(
            Arg::new("preset")
                .long("preset")
                .value_name("NAME")
                .default_value(preset::DEFAULT)
                .help(format!("Start from one of: {}", preset::names().join(", "))),
        )
        .arg(Arg::new("init").long("init").value_name("FILE").help("Go on from these weights (safetensors)"))
        .arg(
            Arg::new("data")
                .long("data")
                .value_name("FILE")
                .help("Your own arrays, for the task file: x [N, T, d], y [N, T, d_out] and perhaps mask [T] or [N, T], in .npz, .npy or safetensors"),
        )
        .arg(Arg::new("no-shuffle").long("no-shuffle").action(ArgAction::SetTrue).help("Batch after batch as in the file: the same as --shuffle off"))
        .arg(Arg::new("out").long("out").value_name("DIR").help("Write recipe.json, metrics.csv and weights.safetensors there"))
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("K")
                .value_parser(clap::value_parser!(usize))
                .default_value("0")
                .help("CPU threads, 0 for all; any number gives the same weights"),
        )
        .arg(json());
    for setting in SETTINGS {
        let default = (setting.get)(&Recipe::default());
        let value_name = match setting.kind {
            Kind::Integer { .. } => "N",
            Kind::Number { .. } => "X",
            Kind::Choice(_) => "WORD",
            Kind::Schedule(_) => "SCHEDULE",
        };
        let help = format!(
            "{}: {} ({}; default {default})",
            setting.label,
            setting.help,
            setting.accepted()
        );
        let flag = setting.key.replace('_', "-");
        train = train.arg(
            Arg::new(setting.key)
                .long(flag)
                .visible_aliases(setting.alias)
                .value_name(value_name)
                .allow_hyphen_values(true)
                .help(help),
        );
    }
    train
}

fn evaluate_command() -> Command {
    Command::new("evaluate")
        .about("Run sequences through a trained network")
        .arg(
            Arg::new("weights")
                .value_name("WEIGHTS")
                .required(true)
                .help("A safetensors file of a network of any kind"),
        )
        .arg(
            Arg::new("input")
                .long("input")
                .value_name("FILE")
                .required(true)
                .help("A safetensors file with x [B, T, d], float32 or float64"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .required(true)
                .help("Where y [B, T, d_out] goes"),
        )
        .arg(backend())
        .arg(json())
}

fn sweep_command() -> Command {
    Command::new("sweep")
        .about("Train a grid of runs into a folder; killed and started again it goes on where it was")
        .arg(
            Arg::new("definition")
                .value_name("FILE")
                .required_unless_present("merge")
                .help(format!("A sweep's JSON file, or one of: {}", presets::names().join(", "))),
        )
        .arg(Arg::new("out").long("out").value_name("DIR").required(true).help("The folder for records, states and results; shards may share it"))
        .arg(Arg::new("shard").long("shard").value_name("I/N").help("Only part i of n: for the jobs of an array on a cluster"))
        .arg(
            Arg::new("merge")
                .long("merge")
                .value_name("DIR")
                .num_args(1..)
                .conflicts_with_all(["definition", "shard", "data"])
                .help("Join the records of these folders into DIR and write its results"),
        )
        .arg(Arg::new("data").long("data").value_name("FILE").help("Your own arrays, for the task file, as with train"))
        .arg(
            Arg::new("together")
                .long("together")
                .value_name("R")
                .value_parser(clap::value_parser!(usize))
                .default_value("0")
                .help("Most runs of one shape that train together; 0 leaves it to the machine. Any number gives the same results"),
        )
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("K")
                .value_parser(clap::value_parser!(usize))
                .default_value("0")
                .help("CPU threads, 0 for all"),
        )
        .arg(
            Arg::new("states-every")
                .long("states-every")
                .value_name("SECONDS")
                .value_parser(clap::value_parser!(u32))
                .default_value("5")
                .help("How often the states of runs in training are saved, for the case that this is killed"),
        )
        .arg(Arg::new("yes").long("yes").action(ArgAction::SetTrue).help(format!("Really train more than {LARGE} runs")))
        .arg(backend())
        .arg(json())
}

fn devices(json: bool) -> crate::Result<()> {
    #[cfg(feature = "gpu")]
    let mut list = crate::backend::gpu::enumerate();
    #[cfg(not(feature = "gpu"))]
    let mut list: Vec<Device> = vec![];
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    list.push(Device {
        kind: crate::backend::DeviceKind::Cpu,
        name: format!("{threads} threads"),
        interface: String::new(),
        software: false,
    });
    if json {
        println!("{}", serde_json::json!({ "devices": list }));
        return Ok(());
    }
    for Device { kind, name, interface, software } in list {
        let interface =
            if interface.is_empty() { String::new() } else { format!(" ({interface})") };
        println!(
            "{:<4} {name}{interface}{}",
            kind.key(),
            if software { ", simulated by the processor: slower than the CPU engine" } else { "" }
        );
    }
    Ok(())
}
