//! A sweep as a table, one line a run: `results.csv` for spreadsheets, `results.json` for programs.

use super::definition::SweepFile;
use super::queue::{Queue, State};
use super::record::{Outcome, Record, mark};
use super::{Sweep, key};
use crate::analysis::importance::Census;
use crate::recipe::settings::Setting;
use crate::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a table says of a run, beside its name and its values.
struct Line {
    outcome: &'static str,
    /// Why it failed.
    problem: String,
    steps_done: u64,
    loss: Option<f64>,
    nmse: Option<f64>,
    neurons: Option<Census>,
    device: String,
}

/// The columns after the grid's settings.
const COLUMNS: [&str; 13] = [
    "parameters",
    "outcome",
    "problem",
    "steps_done",
    "loss",
    "nmse",
    "neurons_key_value",
    "neurons_query",
    "neurons_between",
    "neurons_unused",
    "gates_in_use",
    "device",
    "key",
];

/// The table with commas, as in RFC 4180; what is not known is empty.
pub fn results_csv(queue: &Queue) -> String {
    let keys = queue.sweep.axes.iter().flat_map(|axis| axis.keys.iter().cloned());
    let head: Vec<String> =
        std::iter::once("name".to_owned()).chain(keys).chain(COLUMNS.map(Into::into)).collect();
    let mut csv = row(&head);
    for (index, run) in queue.runs().iter().enumerate() {
        let Line { outcome, problem, steps_done, loss, nmse, neurons, device } = line(queue, index);
        let number =
            |value: Option<f64>| value.map(|value| format!("{value:e}")).unwrap_or_default();
        let count = |of: fn(&Census) -> usize| {
            neurons.as_ref().map(|neurons| of(neurons).to_string()).unwrap_or_default()
        };
        let mut cells = vec![run.name.clone()];
        cells.extend(settings(queue, index).into_iter().map(|(_, value)| value.to_owned()));
        cells.extend([
            run.recipe.parameters().to_string(),
            outcome.to_owned(),
            problem,
            steps_done.to_string(),
            number(loss),
            number(nmse),
        ]);
        cells.extend([
            count(|n| n.key_value),
            count(|n| n.query),
            count(|n| n.between),
            count(|n| n.unused),
            count(|n| n.gates),
        ]);
        cells.extend([device, run.key.clone()]);
        csv += &row(&cells);
    }
    csv
}

/// The same as JSON, with the definition and the whole records: `{ "title", "sweep", "runs": [...]
/// }`; what is not known is null.
pub fn results_json(queue: &Queue) -> String {
    let runs = queue.runs().iter().enumerate().map(|(index, run)| {
        let Line { outcome, problem, steps_done, loss, nmse, neurons, device } = line(queue, index);
        let settings: serde_json::Map<String, Value> = settings(queue, index).into_iter().map(|(key, value)| (key.to_owned(), typed(key, value))).collect();
        let known = |text: String| if text.is_empty() { Value::Null } else { text.into() };
        let (problem, device) = (known(problem), known(device));
        let members = json!({
            "name": run.name, "settings": settings, "parameters": run.recipe.parameters(), "outcome": outcome, "problem": problem, "steps_done": steps_done,
            "loss": loss, "nmse": nmse, "neurons": neurons, "device": device, "key": run.key,
        });
        // As text of its own: through a value, numbers would be written in double precision.
        let record = if let State::Over(record) = queue.state(index) { serde_json::to_string(record).ok() } else { None };
        let members = members.to_string();
        format!("{},\"record\":{}}}", members.strip_suffix('}').unwrap_or_default(), record.unwrap_or_else(|| "null".into()))
    });
    let runs: Vec<String> = runs.map(|run| format!("    {run}")).collect();
    let definition = queue.sweep.to_json().trim_end().replace('\n', "\n  ");
    format!(
        "{{\n  \"title\": {},\n  \"sweep\": {definition},\n  \"runs\": [\n{}\n  ]\n}}\n",
        Value::from(queue.sweep.title.as_str()),
        runs.join(",\n")
    )
}

/// Reads what [`results_json`] wrote; `None` if the text is something else, such as a definition
/// alone.
///
/// # Errors
/// A definition that does not hold, a record of another run.
pub fn read(name: &str, text: &str) -> Result<Option<Queue>> {
    let Ok(ResultsFile { sweep: Some(written), runs }) = serde_json::from_str::<ResultsFile>(text)
    else {
        return Ok(None);
    };
    let records: Vec<Record> = runs.into_iter().filter_map(|run| run.record).collect();
    let recipes = records.iter().map(|record| &record.recipe);
    let mut queue = Queue::like(Sweep::of(name, written)?, recipes)?;
    for record in records {
        if key(&record.recipe) != record.key {
            let problem = format!(
                "holds a run that does not read: its settings belong to {}, not to {}",
                key(&record.recipe),
                record.key
            );
            return Err(Error::file(name, problem));
        }
        queue.finish(record);
    }
    Ok(Some(queue))
}

/// What is read of the file again.
#[derive(Deserialize)]
struct ResultsFile {
    sweep: Option<SweepFile>,
    runs: Vec<RunEntry>,
}

#[derive(Deserialize)]
struct RunEntry {
    record: Option<Record>,
}

/// The run's value of each setting of the grid.
fn settings(queue: &Queue, index: usize) -> Vec<(&str, &str)> {
    let axes = queue.sweep.axes.iter().zip(&queue.runs()[index].values);
    axes.flat_map(|(axis, value)| axis.keys.iter().map(|key| (key.as_str(), value.as_str())))
        .collect()
}

fn line(queue: &Queue, index: usize) -> Line {
    let run = &queue.runs()[index];
    let nothing = Line {
        outcome: "waiting",
        problem: String::new(),
        steps_done: 0,
        loss: None,
        nmse: None,
        neurons: None,
        device: String::new(),
    };
    let record = match queue.state(index) {
        State::Waiting => return nothing,
        State::Training(step, _) => {
            return Line { outcome: "training", steps_done: step, ..nothing };
        }
        State::Over(record) => record,
    };
    let steps = u64::from(run.recipe.steps);
    let (outcome, problem, steps_done) = match &record.outcome {
        Outcome::Finished => ("finished", String::new(), steps),
        Outcome::Diverged(step) => ("diverged", String::new(), *step),
        Outcome::Failed(why) => ("failed", why.clone(), mark(steps, record.curve.0.len() as u64)),
    };
    Line {
        outcome,
        problem,
        steps_done,
        loss: record.loss(),
        nmse: record.nmse(),
        neurons: record.neurons,
        device: record.device.clone(),
    }
}

fn typed(key: &str, value: &str) -> Value {
    let number = Setting::find(key).is_some_and(|setting| setting.kind.is_number());
    value
        .parse::<serde_json::Number>()
        .ok()
        .filter(|_| number)
        .map_or_else(|| value.into(), Value::Number)
}

/// A line; cells with commas, quotes or line ends stand in quotes.
fn row(cells: &[String]) -> String {
    let quoted = |cell: &String| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}
