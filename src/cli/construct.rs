//! `construct`: a gated network that is linear attention, written to a file.

use super::text;
use crate::experiment::checkpoint::{self, MAX_NEURONS};
use crate::experiment::recipe::Recipe;
use crate::experiment::settings::SETTINGS;
use crate::task::Teacher;
use crate::theory::cost::{self, Cost};
use crate::theory::{self, Variant};
use crate::{Error, Result};
use clap::{Arg, ArgMatches, Command};

/// Options that are settings of a recipe: the option, and the setting's key.
const DRAWN: [(&str, &str); 7] = [
    ("dim", "dim"), ("rank", "rank"), ("value-rank", "value_rank"), ("key-rank", "key_rank"), ("query-rank", "query_rank"), ("seed", "seed"), ("teacher-kind", "teacher"),
];

/// The command and its options.
pub fn command() -> Command {
    let variants = Variant::ALL.map(|entry| entry.1).join(", ");
    let file = |name: &'static str| Arg::new(name).long(name).value_name("FILE");
    let mut command = Command::new("construct")
        .about("Build linear attention out of a gated RNN, exactly")
        .arg(Arg::new("variant").long("variant").value_name("VARIANT").required(true).help(format!("One of: {variants}")))
        .arg(file("teacher").help("The attention to build: a safetensors file with teacher.value, teacher.key and teacher.query"))
        .arg(file("out").required(true).help("Where the weights go, as safetensors in float64"));
    for (option, key) in DRAWN {
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
            let help = format!("{} of a drawn attention ({}; default {})", setting.label, setting.accepted(), (setting.get)(&Recipe::default()));
            command = command.arg(Arg::new(option).long(option).value_name("VALUE").conflicts_with("teacher").help(help));
        }
    }
    command
}

/// The `construct` command.
///
/// # Errors
/// Bad options or files; a variant that does not apply.
pub fn run(arguments: &ArgMatches) -> Result<()> {
    let variant = Variant::of_key(text(arguments, "variant").unwrap_or_default())?;
    let out = text(arguments, "out").unwrap_or_default();
    let teacher = match text(arguments, "teacher") {
        Some(name) => {
            let bytes = std::fs::read(name).map_err(|e| Error::file(name, format!("could not be read: {e}")))?;
            checkpoint::read_teacher(name, &bytes)?
        }
        None => drawn(arguments)?,
    };
    let d = teacher.dim;
    let Cost { gates, parameters, .. } = check_size(variant, &teacher)?;
    let construction = theory::construct(&teacher, variant)?;
    let (max_error, largest) = construction.max_error_and_output(&teacher, 1, [16, 32]);
    let relative_error = if largest > 0.0 { max_error / largest } else { max_error };
    let bytes = checkpoint::write_network(&construction.network, &teacher)?;
    std::fs::write(out, bytes).map_err(|e| Error::System { what: format!("writing {out}"), problem: e.to_string() })?;
    let (accumulators, queries) = construction.counts();
    let attention = cost::attention(d);
    if arguments.get_flag("json") {
        let object = serde_json::json!({
            "hidden": accumulators + queries, "gates": gates, "parameters": parameters, "attention_parameters": attention, "max_error": max_error, "relative_error": relative_error,
        });
        println!("{object}");
    } else {
        println!("{}: {accumulators} + {queries} neurons, {gates} gates, {parameters} parameters; attention of width {d} has {attention}.", variant.title());
        println!("Largest difference from attention on 16 random sequences of 32 tokens: {max_error:.1e}, which is {relative_error:.1e} of the largest output. The weights are in {out}.");
    }
    Ok(())
}

/// The attention that the options describe.
fn drawn(arguments: &ArgMatches) -> Result<Teacher> {
    let mut recipe = Recipe::default();
    for (option, key) in DRAWN {
        if let (Some(value), Some(setting)) = (text(arguments, option), SETTINGS.iter().find(|setting| setting.key == key)) {
            setting.set(&mut recipe, value)?;
        }
    }
    recipe.check()?;
    recipe.plan().teacher().ok_or_else(|| Error::setting("task", "another one", "attention"))
}

/// What it will take, if a file of that size can be read again.
fn check_size(variant: Variant, teacher: &Teacher) -> Result<Cost> {
    let cost = cost::cost(variant, teacher.dim, theory::ranks(teacher));
    if cost.hidden() > MAX_NEURONS || cost.gates > MAX_NEURONS {
        let found = format!("{} for {} takes {} neurons and {} gates", teacher.dim, variant.key(), cost.hidden(), cost.gates);
        return Err(Error::setting("dim", found, format!("a construction of at most {MAX_NEURONS} each")));
    }
    Ok(cost)
}
