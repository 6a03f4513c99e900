//! `construct`: a gated network, or another layer, that is linear attention, written to a file.

use super::arguments::text;
use crate::model::Size;
use crate::named::Named;
use crate::recipe::Recipe;
use crate::recipe::checkpoint;
use crate::recipe::settings::SETTINGS;
use crate::task::Teacher;
use crate::theory::cost::{self, Cost};
use crate::theory::layers::{self, Host};
use crate::theory::{self, Variant};
use crate::{Error, Result};
use clap::{Arg, ArgMatches, Command};

const MAX_NEURONS: usize = Size::Hidden.most();
const MAX_EMBED: usize = Size::Embed.most();

/// Options that are settings of a recipe: the option, and the setting's key.
const DRAWN: [(&str, &str); 7] = [
    ("dim", "dim"),
    ("rank", "rank"),
    ("value-rank", "value_rank"),
    ("key-rank", "key_rank"),
    ("query-rank", "query_rank"),
    ("seed", "seed"),
    ("teacher-kind", "teacher"),
];

/// The command and its options.
pub fn command() -> Command {
    let variants = Variant::WORDS.join(", ");
    let layers = Host::WORDS.join(", ");
    let file = |name: &'static str| Arg::new(name).long(name).value_name("FILE");
    let mut command = Command::new("construct")
        .about("Build linear attention out of a gated RNN, exactly, or out of an LRU, LSTM or GRU, nearly")
        .arg(
            Arg::new("variant")
                .long("variant")
                .value_name("VARIANT")
                .required_unless_present("layer")
                .conflicts_with("layer")
                .help(format!("Of a gated RNN, one of: {variants}")),
        )
        .arg(Arg::new("layer").long("layer").value_name("LAYER").help(format!("Another layer, one of: {layers}")))
        .arg(
            Arg::new("epsilon")
                .long("epsilon")
                .value_name("E")
                .allow_hyphen_values(true)
                .conflicts_with("variant")
                .help("Size of the weights into that layer's nonlinearities, above 0 and at most 1 (default: about the best in double precision)"),
        )
        .arg(file("teacher").help("The attention to build: a safetensors file with teacher.value, teacher.key and teacher.query"))
        .arg(file("out").required(true).help("Where the weights go, as safetensors in float64"));
    for (option, key) in DRAWN {
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
            let help = format!(
                "{} of a drawn attention ({}; default {})",
                setting.label,
                setting.accepted(),
                (setting.get)(&Recipe::default())
            );
            command = command.arg(
                Arg::new(option)
                    .long(option)
                    .value_name("VALUE")
                    .conflicts_with("teacher")
                    .help(help),
            );
        }
    }
    command
}

/// Random sequences that the result is compared with attention on, and tokens in each.
const COMPARED: [usize; 2] = [16, 32];
const SEED: u32 = 1;

/// The `construct` command.
///
/// # Errors
/// Bad options or files; a variant that does not apply.
pub fn run(arguments: &ArgMatches) -> Result<()> {
    match text(arguments, "layer") {
        Some(layer) => layer_of(Host::parse("layer", layer)?, arguments),
        None => gated(
            Variant::parse("variant", text(arguments, "variant").unwrap_or_default())?,
            arguments,
        ),
    }
}

/// A gated RNN.
fn gated(variant: Variant, arguments: &ArgMatches) -> Result<()> {
    let teacher = teacher(arguments)?;
    let d = teacher.dim;
    let Cost { gates, parameters, .. } = check_size(variant, &teacher)?;
    let construction = theory::construct(&teacher, variant)?;
    let (max_error, largest) = construction.max_error_and_output(&teacher, SEED, COMPARED);
    let relative_error = if largest > 0.0 { max_error / largest } else { max_error };
    let out = write(arguments, checkpoint::write_network(&construction.network, &teacher)?)?;
    let (accumulators, queries) = construction.counts();
    let attention = cost::attention(d);
    if arguments.get_flag("json") {
        let object = serde_json::json!({
            "hidden": accumulators + queries, "gates": gates, "parameters": parameters, "attention_parameters": attention, "max_error": max_error, "relative_error": relative_error,
        });
        println!("{object}");
    } else {
        println!(
            "{}: {accumulators} + {queries} neurons, {gates} gates, {parameters} parameters; attention of width {d} has {attention}.",
            variant.title()
        );
        println!(
            "Largest difference from attention on 16 random sequences of 32 tokens: {max_error:.1e}, which is {relative_error:.1e} of the largest output. The weights are in {out}."
        );
    }
    Ok(())
}

/// Another layer.
fn layer_of(layer: Host, arguments: &ArgMatches) -> Result<()> {
    let epsilon = match text(arguments, "epsilon") {
        Some(given) => given
            .parse()
            .map_err(|_| Error::setting("epsilon", given, "a number above 0 and at most 1"))?,
        None => layer.epsilon(),
    };
    let teacher = teacher(arguments)?;
    check_layer(layer, teacher.dim)?;
    let built = layers::construct(&teacher, layer, epsilon)?;
    let [max_error, largest] = built.max_error(&teacher, SEED, COMPARED);
    let [double, single] = [
        built.error::<f64>(&teacher, SEED, COMPARED),
        built.error::<f32>(&teacher, SEED, COMPARED),
    ];
    let out = write(arguments, checkpoint::write_weighed(&built.weighed(), &teacher)?)?;
    let ((parameters, nonzero), hidden) =
        (built.parameter_count(), built.architecture.sizes.hidden);
    if arguments.get_flag("json") {
        let object = serde_json::json!({
            "layer": layer.key(), "epsilon": epsilon, "hidden": hidden, "parameters": parameters, "nonzero_parameters": nonzero, "attention_parameters": cost::attention(teacher.dim),
            "max_error": max_error, "largest_output": largest, "error_f64": double, "error_f32": single,
        });
        println!("{object}");
    } else {
        let target = if layer == Host::GruBefore {
            "attention to the tokens before the current one"
        } else {
            "attention"
        };
        println!(
            "{} with ε = {epsilon:.3e}: {hidden} neurons per layer, {parameters} parameters, {nonzero} of them not 0.",
            layer.title()
        );
        println!(
            "Error against {target} on 16 random sequences of 32 tokens, as a part of its size: {double:.1e} in double precision, {single:.1e} in single; at most {max_error:.1e}, where outputs reach {largest:.1}. The weights are in {out}."
        );
    }
    Ok(())
}

/// Writes the file that was asked for; returns its name.
fn write(arguments: &ArgMatches, bytes: Vec<u8>) -> Result<&str> {
    let out = text(arguments, "out").unwrap_or_default();
    std::fs::write(out, bytes)
        .map_err(|e| Error::System { what: format!("writing {out}"), problem: e.to_string() })?;
    Ok(out)
}

/// The attention to build.
fn teacher(arguments: &ArgMatches) -> Result<Teacher> {
    match text(arguments, "teacher") {
        Some(name) => {
            let bytes = std::fs::read(name)
                .map_err(|e| Error::file(name, format!("could not be read: {e}")))?;
            checkpoint::read_teacher(name, &bytes)
        }
        None => drawn(arguments),
    }
}

/// The attention that the options describe.
fn drawn(arguments: &ArgMatches) -> Result<Teacher> {
    let mut recipe = Recipe::default();
    for (option, key) in DRAWN {
        if let (Some(value), Some(setting)) =
            (text(arguments, option), SETTINGS.iter().find(|setting| setting.key == key))
        {
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
        let found = format!(
            "{} for {} takes {} neurons and {} gates",
            teacher.dim,
            variant.key(),
            cost.hidden(),
            cost.gates
        );
        return Err(Error::setting(
            "dim",
            found,
            format!("a construction of at most {MAX_NEURONS} each"),
        ));
    }
    Ok(cost)
}

/// The same for another layer.
fn check_layer(layer: Host, d: usize) -> Result<()> {
    let architecture = layer.architecture(d);
    let embed = architecture.table(d, d).get("embed").map_or(0, |param| param.shape[0]);
    if architecture.sizes.hidden > MAX_NEURONS || embed > MAX_EMBED {
        let found = format!(
            "{d} for {} takes {} neurons and an embedding of {embed}",
            layer.key(),
            architecture.sizes.hidden
        );
        return Err(Error::setting(
            "dim",
            found,
            format!(
                "a construction of at most {MAX_NEURONS} neurons and an embedding of at most {MAX_EMBED}"
            ),
        ));
    }
    Ok(())
}
