//! `analyze`: a network taken apart, as a report or as JSON.

use super::arguments::text;
use crate::analysis::dissection::{Settings, dissect};
use crate::analysis::probe::probe;
use crate::analysis::subject::Subject;
use crate::model::run::ModelWeights;
use crate::recipe::Recipe;
use crate::recipe::checkpoint::{self, Checkpoint};
use crate::task::Task;
use crate::{Error, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};

pub fn command(json: Arg) -> Command {
    let default = Settings::default();
    Command::new("analyze")
        .about("Take a trained network apart: pruning, scores, polynomial, merged gates, the smallest network that does the same")
        .arg(
            Arg::new("weights")
                .value_name("WEIGHTS")
                .required(true)
                .help("A safetensors file of a network; one that is not gated and diagonal needs its teacher with it"),
        )
        .arg(
            Arg::new("threshold")
                .long("threshold")
                .value_name("X")
                .allow_hyphen_values(true)
                .default_value(default.threshold.to_string())
                .help("Neurons and gates at or below this part of the most important are pruned, 0 to 1"),
        )
        .arg(
            Arg::new("lag")
                .long("lag")
                .value_name("N")
                .allow_hyphen_values(true)
                .default_value(default.lag.to_string())
                .help("Distance of the two tokens of the two-token polynomial, 1 to 1000"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .allow_hyphen_values(true)
                .default_value(default.seed.to_string())
                .help("Draws the batch that changes and scores are measured on"),
        )
        .arg(Arg::new("merge").long("merge").value_name("GATES").action(ArgAction::Append).help("Gates to merge as one group, such as 3,17,20"))
        .arg(Arg::new("out").long("out").value_name("FILE").help("Write the JSON there"))
        .arg(json)
}

/// The `analyze` command.
///
/// # Errors
/// Bad arguments, bad files.
pub fn run(arguments: &ArgMatches) -> Result<()> {
    let given = |name: &str| text(arguments, name).unwrap_or_default();
    let threshold = number(given("threshold"), "threshold", "a number from 0 to 1", |v: &f64| {
        (0.0..=1.0).contains(v)
    })?;
    let lag =
        number(given("lag"), "lag", "a whole number from 1 to 1000", |v| (1..=1000).contains(v))?;
    let seed = number(given("seed"), "seed", "a whole number from 0 to 4294967295", |_| true)?;
    if let Some(again) = arguments.get_many::<String>("merge").and_then(|mut lists| lists.nth(1)) {
        return Err(Error::setting("merge", again, "--merge once: one group of gates"));
    }
    let list = text(arguments, "merge")
        .map(|list| list.split(',').map(str::trim).collect::<Vec<_>>())
        .unwrap_or_default();
    let picked = list
        .into_iter()
        .map(|gate| {
            number(gate, "merge", "gates by their numbers from 0, separated by commas", |_| true)
        })
        .collect::<Result<_>>()?;
    let path = given("weights");
    let bytes =
        std::fs::read(path).map_err(|e| Error::file(path, format!("could not be read: {e}")))?;
    let checkpoint = checkpoint::read(path, &bytes)?;
    checkpoint.notes.iter().for_each(|note| eprintln!("{path}: {note}"));
    let (report, text_report) = if checkpoint.architecture.layer.reducible {
        let found = dissect(
            &checkpoint.gated(path)?,
            checkpoint.teacher.as_ref(),
            &Settings { threshold, lag, picked, seed },
        );
        (found.report(), found.text())
    } else {
        probed(path, &checkpoint, seed)?
    };
    if let Some(out) = text(arguments, "out") {
        std::fs::write(out, format!("{report:#}\n")).map_err(|e| Error::System {
            what: format!("writing {out}"),
            problem: e.to_string(),
        })?;
    }
    if arguments.get_flag("json") {
        println!("{report}");
    } else {
        println!("{text_report}");
    }
    Ok(())
}

/// What can be said of a layer of any kind: its outputs, what is read off its states, its
/// polynomial.
fn probed(path: &str, checkpoint: &Checkpoint, seed: u32) -> Result<(serde_json::Value, String)> {
    let Checkpoint { architecture, inputs, outputs, exact, teacher, recipe, .. } = checkpoint;
    let subject = match (teacher, recipe.as_ref().map(Recipe::task)) {
        (Some(teacher), _) => Subject::Attention(teacher),
        (None, Some(Task::Regression(task))) => Subject::Regression(task),
        _ => {
            return Err(Error::file(
                path,
                format!(
                    "holds a network of another kind ({}), which can only be probed against its teacher or its regression task; it has neither",
                    checkpoint.model()
                ),
            ));
        }
    };
    let network = ModelWeights {
        architecture: *architecture,
        inputs: *inputs,
        outputs: *outputs,
        parameters: exact,
    };
    let found = probe(&network, &subject, seed)?;
    let json = serde_json::json!({ "model": checkpoint.model(), "parameters": exact.len(), "is_subject": found.is_subject(), "probe": found });
    Ok((
        json,
        format!(
            "{}, {} parameters\n{}",
            checkpoint.model(),
            exact.len(),
            found.sentences().join("\n")
        ),
    ))
}

fn number<T: std::str::FromStr>(
    given: &str,
    key: &str,
    expected: &str,
    accepted: impl Fn(&T) -> bool,
) -> Result<T> {
    given.parse().ok().filter(accepted).ok_or_else(|| Error::setting(key, given, expected))
}
