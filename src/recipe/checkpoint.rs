//! Weights as safetensors: a training's state with its recipe, or a network that was made
//! elsewhere.
//!
//! Names are those of the reference: `input_gate.m`, `nu` (or `lambda`), `output_gate.x`,
//! `side_gate`, `readout`, `teacher.value` …; moments are `adamw.first.<name>` and
//! `adamw.second.<name>`. Recipe, step and format ride in the metadata.

mod file;
mod kind;

use file::{File, MAX_WIDTH, TEACHER, narrow};
pub use kind::described;

use super::Recipe;
use super::specimen::Specimen;
use crate::analysis::insides::Origin;
use crate::graph::params::Param;
use crate::graph::{Graph, program::Program};
use crate::model::run::ModelWeights;
use crate::model::{Architecture, Model, Network};
use crate::task::Teacher;
use crate::train::session::Snapshot;
use crate::{Error, Result};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::collections::HashMap;

/// The format that this version writes, and the newest that it reads.
const FORMAT: u32 = 1;

/// A network from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The network.
    pub architecture: Architecture,
    /// Values per token.
    pub inputs: usize,
    /// Numbers an output.
    pub outputs: usize,
    /// All parameters as the file has them, in its precision.
    pub exact: Vec<f64>,
    /// Weights, step and, if the file has them, moments (else empty).
    pub snapshot: Snapshot,
    /// The teacher, if the file has one.
    pub teacher: Option<Teacher>,
    /// The recipe, if the file has one.
    pub recipe: Option<Recipe>,
    /// What was ignored, in words.
    pub notes: Vec<String>,
}

impl Checkpoint {
    /// The recipe to train it further: the file's own, or the default one with the file's sizes.
    ///
    /// # Errors
    /// A network that no recipe describes.
    pub fn to_recipe(&self, name: &str) -> Result<Recipe> {
        if let Some(recipe) = &self.recipe {
            return Ok(recipe.clone()); // checked when it was read
        }
        if Recipe::default().with_architecture(self.architecture).architecture()
            != self.architecture
        {
            return Err(Error::file(
                name,
                "has MLPs that are not as wide as its embedding, which no recipe describes; it can be evaluated, but not trained further",
            ));
        }
        if self.inputs != self.outputs {
            let problem = format!(
                "reads {} values per token and gives {}; attention needs as many out as in",
                self.inputs, self.outputs
            );
            return Err(Error::file(name, problem));
        }
        let recipe = Recipe::default().with_sizes(self.architecture, self.inputs);
        recipe.check().map_err(|e| Error::file(name, e))?;
        Ok(recipe)
    }

    /// The network as analyses see it.
    ///
    /// # Errors
    /// It is another than a gated diagonal one.
    pub fn gated(&self, name: &str) -> Result<Network> {
        let table = self.architecture.table(self.inputs, self.outputs);
        let other = || {
            Error::file(
                name,
                format!(
                    "holds a network of another kind ({}); only a gated diagonal one can be taken apart",
                    self.model()
                ),
            )
        };
        Network::from_parameters(&table, &self.exact).ok_or_else(other)
    }

    /// The network of any kind, for the bench.
    pub fn to_given(&self, name: &str) -> Specimen {
        let network = Model::new(self.architecture, [self.inputs, self.outputs], &self.exact);
        let origin = self.recipe.as_ref().map(|recipe| Origin::from(&recipe.plan()));
        Specimen { name: name.into(), network, teacher: self.teacher.clone(), origin, step: None }
    }

    /// The layer's name, for people.
    pub fn model(&self) -> &'static str {
        self.architecture.layer.title
    }

    /// The network alone on `batch` sequences of `time` tokens: input `x`, output `readout`.
    pub fn forward_program(&self, batch: usize, time: usize) -> Program {
        let mut graph = Graph::new(batch, time);
        let x = graph.input("x", self.inputs);
        self.architecture.forward(&mut graph, x, self.outputs, time);
        Program::forward(graph)
    }
}

/// The file of a training: `recipe` at `snapshot`, with the teacher that it imitates, if there is
/// one.
///
/// # Errors
/// The safetensors library's.
pub fn write(recipe: &Recipe, snapshot: &Snapshot, teacher: Option<&Teacher>) -> Result<Vec<u8>> {
    write_with(recipe, snapshot, teacher, vec![])
}

/// The same with more tensors, which [`read`] ignores and [`more`] reads.
///
/// # Errors
/// As [`write()`].
pub fn write_with(
    recipe: &Recipe,
    snapshot: &Snapshot,
    teacher: Option<&Teacher>,
    more: Vec<(&str, Vec<f32>)>,
) -> Result<Vec<u8>> {
    let table = recipe.plan().program().params;
    let mut tensors: Vec<Tensor> = vec![];
    for param in table.iter() {
        let parts = [
            ("", &snapshot.parameters),
            ("adamw.first.", &snapshot.first_moment),
            ("adamw.second.", &snapshot.second_moment),
        ];
        for (prefix, flat) in parts.into_iter().filter(|(_, flat)| !flat.is_empty()) {
            let bytes = bytemuck::cast_slice(&flat[param.range()]).to_vec();
            tensors.push((
                format!("{prefix}{}", param.name),
                Dtype::F32,
                param.shape.clone(),
                bytes,
            ));
        }
    }
    for (name, (matrix, teacher)) in TEACHER
        .into_iter()
        .zip(teacher.into_iter().flat_map(|t| [(&t.value, t), (&t.key, t), (&t.query, t)]))
    {
        tensors.push((
            name.into(),
            Dtype::F64,
            vec![teacher.dim; 2],
            bytemuck::cast_slice(matrix).to_vec(),
        ));
    }
    tensors.extend(more.into_iter().map(|(name, numbers)| {
        (name.into(), Dtype::F32, vec![numbers.len()], bytemuck::cast_slice(&numbers).to_vec())
    }));
    let json = serde_json::to_string(recipe)
        .map_err(|e| Error::file("checkpoint", format!("could not be written: {e}")))?;
    let metadata = HashMap::from([
        ("format".to_owned(), FORMAT.to_string()),
        ("producer".to_owned(), "gatelens".to_owned()),
        ("recipe".to_owned(), json),
        ("step".to_owned(), snapshot.step.to_string()),
    ]);
    serialized(tensors, Some(metadata))
}

/// A vector that [`write_with`] was given, bit for bit.
pub fn more(bytes: &[u8], name: &str) -> Option<Vec<f32>> {
    let file = SafeTensors::deserialize(bytes).ok()?;
    let view = file
        .tensor(name)
        .ok()
        .filter(|view| view.dtype() == Dtype::F32 && view.shape().len() == 1)?;
    Some(
        view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
    )
}

/// The file of a network that was not trained, with its teacher: all in double precision, no
/// recipe.
///
/// # Errors
/// Numbers that [`read`] would refuse; the safetensors library's.
pub fn write_network(network: &Network, teacher: &Teacher) -> Result<Vec<u8>> {
    doubles(
        network.table().iter().filter_map(|param| Some((param, network.parameter(&param.name)?))),
        teacher,
    )
}

/// The same of a layer of any kind.
///
/// # Errors
/// As [`write_network`].
pub fn write_weighed(network: &ModelWeights<'_>, teacher: &Teacher) -> Result<Vec<u8>> {
    let table = network.architecture.table(network.inputs, network.outputs);
    doubles(table.iter().map(|param| (param, network.parameters[param.range()].to_vec())), teacher)
}

/// A file of parameters and teacher in double precision.
fn doubles<'a>(
    parameters: impl Iterator<Item = (&'a Param, Vec<f64>)>,
    teacher: &Teacher,
) -> Result<Vec<u8>> {
    let of_network =
        parameters.map(|(param, values)| (param.name.clone(), param.shape.clone(), values));
    let of_teacher = TEACHER
        .into_iter()
        .zip([&teacher.value, &teacher.key, &teacher.query])
        .map(|(name, matrix)| (name.to_owned(), vec![teacher.dim; 2], matrix.clone()));
    let mut tensors: Vec<Tensor> = vec![];
    for (name, shape, values) in of_network.chain(of_teacher) {
        if let Some(value) = values.iter().find(|v| !narrow(**v).is_finite()) {
            return Err(Error::setting(
                "teacher",
                format!("one for which {name} would hold {value:e}"),
                "one whose construction fits float32, up to 3.4e38",
            ));
        }
        tensors.push((name, Dtype::F64, shape, bytemuck::cast_slice(&values).to_vec()));
    }
    serialized(tensors, None)
}

/// Name, type, shape and bytes.
type Tensor = (String, Dtype, Vec<usize>, Vec<u8>);

fn serialized(tensors: Vec<Tensor>, metadata: Option<HashMap<String, String>>) -> Result<Vec<u8>> {
    let problem =
        |e: &dyn std::fmt::Display| Error::file("checkpoint", format!("could not be written: {e}"));
    let views: Vec<(String, TensorView<'_>)> = tensors
        .iter()
        .map(|(name, dtype, shape, bytes)| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.clone(), view))
        })
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| problem(&e))?;
    safetensors::serialize(views, metadata).map_err(|e| problem(&e))
}

/// The attention layer in the file `name`: the tensors teacher.value, .key and .query `[d, d]`,
/// whatever else it holds.
///
/// # Errors
/// Says what is wrong, with which tensor, and what was expected.
pub fn read_teacher(name: &str, bytes: &[u8]) -> Result<Teacher> {
    let tensors = SafeTensors::deserialize(bytes)
        .map_err(|e| Error::file(name, format!("is not a whole safetensors file ({e})")))?;
    let file = File { name, tensors };
    let Ok(view) = file.tensors.tensor(TEACHER[0]) else {
        return Err(file.wrong(format!(
            "has no tensor {}; an attention layer is {} [d, d]",
            TEACHER[0],
            TEACHER.join(", ")
        )));
    };
    match view.shape() {
        [rows, columns] if rows == columns && (1..=MAX_WIDTH).contains(rows) => {}
        other => {
            return Err(file.wrong(format!(
                "{} has shape {other:?}; expected [d, d] with d from 1 to {MAX_WIDTH}",
                TEACHER[0]
            )));
        }
    }
    let dim = view.shape()[0];
    file.teacher(dim)?.ok_or_else(|| file.wrong("has no teacher"))
}

/// Reads the file `name`.
///
/// # Errors
/// Says what is wrong, with which tensor, and what was expected.
pub fn read(name: &str, bytes: &[u8]) -> Result<Checkpoint> {
    let wrong = |problem: String| Error::file(name, problem);
    if bytes.is_empty() {
        return Err(wrong("is empty; expected a safetensors file".into()));
    }
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| {
        wrong(format!(
            "is not a whole safetensors file ({e}); a file that was cut short or is of another kind reads like this"
        ))
    })?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| wrong(e.to_string()))?;
    let metadata = header.metadata().clone().unwrap_or_default();
    if let Some(format) = metadata
        .get("format")
        .filter(|_| metadata.contains_key("recipe"))
        .and_then(|text| text.parse::<u32>().ok())
        && format > FORMAT
    {
        return Err(wrong(format!(
            "was written by a newer version (format {format}; this one reads up to {FORMAT}); update gatelens"
        )));
    }
    let file = File { name, tensors };
    let mut notes = vec![];
    let written = metadata.get("recipe").map(|text| serde_json::from_str::<Recipe>(text));
    let (architecture, inputs, outputs) =
        file.sizes(written.as_ref().and_then(|recipe| Some(recipe.as_ref().ok()?.model)))?;
    let recipe = match written {
        Some(Ok(recipe)) => {
            fits(&recipe, architecture, [inputs, outputs]).map_err(wrong)?;
            Some(recipe)
        }
        Some(Err(problem)) => return Err(wrong(format!("its recipe does not read: {problem}"))),
        None => None,
    };
    let table = architecture.table(inputs, outputs);
    let [parameters, first_moment, second_moment] =
        ["", "adamw.first.", "adamw.second."].map(|prefix| file.flat(&table, prefix));
    let has_lambda = table.get("nu").is_some() && table.get("theta").is_none();
    let known = |tensor: &str| {
        TEACHER.contains(&tensor)
            || (tensor == "lambda" && has_lambda)
            || table.get(bare(tensor)).is_some()
    };
    let mut ignored: Vec<&str> =
        file.tensors.names().into_iter().filter(|tensor| !known(tensor)).collect();
    ignored.sort_unstable();
    if let Some(part) = ignored.iter().find(|tensor| kind::is_part(bare(tensor))) {
        let names: Vec<&str> = table
            .iter()
            .map(|param| param.name.as_str())
            .filter(|name| !name.starts_with("layer"))
            .collect();
        let own = described(architecture, [inputs, outputs]);
        return Err(wrong(format!(
            "holds {part} beside the parts of {own}; expected those of one network alone, here {}",
            names.join(", ")
        )));
    }
    if !ignored.is_empty() {
        notes.push(format!("ignored: {}", ignored.join(", ")));
    }
    if has_lambda && file.tensors.tensor("nu").is_ok() && file.tensors.tensor("lambda").is_ok() {
        notes.push("ignored: lambda, because nu says it too".into());
    }
    let moment = |flat: Result<Vec<f64>>| {
        if recipe.is_some() { flat.map(|flat| narrowed(&flat)) } else { Ok(vec![]) }
    };
    let step = metadata
        .get("step")
        .filter(|_| recipe.is_some())
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    if let Some(recipe) = recipe.as_ref().filter(|recipe| step > u64::from(recipe.steps)) {
        return Err(wrong(format!("is at step {step} of a recipe of {} steps", recipe.steps)));
    }
    let has_moments = file.tensors.tensor("adamw.first.readout").is_ok();
    let (first_moment, second_moment) = if has_moments {
        (moment(first_moment)?, moment(second_moment)?)
    } else {
        (vec![], vec![])
    };
    let parameters = parameters?;
    let snapshot =
        Snapshot { step, parameters: narrowed(&parameters), first_moment, second_moment };
    Ok(Checkpoint {
        architecture,
        inputs,
        outputs,
        exact: parameters,
        snapshot,
        teacher: file.teacher(inputs)?,
        recipe,
        notes,
    })
}

/// Whether a recipe is that of these weights; else what is wrong.
fn fits(
    recipe: &Recipe,
    architecture: Architecture,
    own: [usize; 2],
) -> std::result::Result<(), String> {
    recipe.check().map_err(|e| format!("its recipe is not one: {e}"))?;
    let (wide_in, wide_out) = recipe.task().widths();
    let theirs = [wide_in, wide_out];
    if recipe.architecture() == architecture && theirs == own {
        return Ok(());
    }
    let (theirs, own) = (described(recipe.architecture(), theirs), described(architecture, own));
    Err(format!(
        "its recipe does not fit its weights: it is for {theirs}, and they are of {own}; expected both of one network"
    ))
}

/// A parameter's name without that of a moment.
fn bare(tensor: &str) -> &str {
    tensor.strip_prefix("adamw.first.").or(tensor.strip_prefix("adamw.second.")).unwrap_or(tensor)
}

fn narrowed(values: &[f64]) -> Vec<f32> {
    values.iter().copied().map(narrow).collect()
}
