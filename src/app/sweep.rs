//! The sweep that the window holds: its definition, its runs.

use super::App;
use super::files::Purpose;
use crate::experiment::recipe::Recipe;
use crate::experiment::sweep::queue::{Queue, State};
use crate::experiment::sweep::{Axis, Sweep};
use crate::platform::OpenedFile;
use crate::task::Task;
use crate::theory::cost;
use crate::ui::sweep::{Draft, SweepAction, SweepInput, Tools};
use crate::ui::{Message, Tab};
use crate::{Error, Result};
use std::fmt::Write as _;

/// A sweep, as far as there is one.
pub struct Sweeping {
    queue: Option<Queue>,
    /// Counts the changes of the queue.
    revision: u64,
    draft: Draft,
    running: bool,
    presets: Vec<Sweep>,
}

impl Sweeping {
    /// None yet; the definition starts from the recipe.
    pub fn new(recipe: &Recipe, preset: &str) -> Self {
        Self { queue: None, revision: 0, draft: Draft::of_recipe(recipe, preset), running: false, presets: vec![] }
    }

    /// What the view draws.
    pub fn input(&mut self) -> SweepInput<'_> {
        let Self { queue, revision, draft, running, presets } = self;
        let tools = Tools { parse, values_text: |axis| axis.values.join(", "), minimum, csv, json };
        SweepInput { queue: queue.as_ref(), revision: *revision, draft, running: *running, presets, tools }
    }

    fn replace(&mut self, queue: Option<Queue>) {
        self.queue = queue;
        self.revision += 1;
    }

    /// The runs of `sweep`, with the records of those that are over.
    fn extended(&self, sweep: Sweep) -> Result<Queue> {
        let mut queue = Queue::new(sweep)?;
        if let Some(old) = &self.queue {
            for run in 0..old.runs().len() {
                if let State::Over(record) = old.state(run) {
                    queue.finish(record.clone());
                }
            }
        }
        Ok(queue)
    }
}

impl App {
    /// Carries out what was asked of the sweep.
    pub(super) fn sweep(&mut self, action: SweepAction) {
        match action {
            SweepAction::Start(sweep) => self.begin(Queue::new(sweep)),
            SweepAction::Extend(sweep) => self.begin(self.sweeping.extended(sweep)),
            SweepAction::Pause => self.sweeping.running = false,
            SweepAction::Resume => self.sweeping.running = true,
            SweepAction::Clear => {
                self.sweeping.replace(None);
                self.sweeping.running = false;
            }
            SweepAction::Load => self.open(Purpose::Sweep),
            SweepAction::Save(sweep) => match serde_json::to_vec_pretty(&sweep) {
                Ok(bytes) => self.export("sweep.json", &bytes),
                Err(error) => self.messages.push(Message::warning(format!("The definition can't be written: {error}"))),
            },
            SweepAction::Open(run) => {
                let Some(recipe) = self.sweeping.queue.as_ref().and_then(|queue| queue.runs().get(run)).map(|run| run.recipe.clone()) else { return };
                self.keep();
                self.start(recipe, None, None, true);
                self.show_tab(Tab::Discover);
            }
        }
    }

    fn begin(&mut self, queue: Result<Queue>) {
        match queue {
            Ok(queue) => {
                self.sweeping.replace(Some(queue));
                self.sweeping.running = true;
            }
            Err(error) => self.messages.push(Message::warning(error.to_string())),
        }
    }

    /// A definition's file: it is shown, nothing is started. A bad one changes nothing.
    pub(super) fn load_sweep(&mut self, file: &OpenedFile) {
        match serde_json::from_slice::<Sweep>(&file.bytes).map_err(|error| Error::file(&file.name, error)) {
            Ok(sweep) => {
                let input = self.sweeping.input();
                *input.draft = Draft::of(&sweep, input.tools);
            }
            Err(error) => self.messages.push(Message::warning(format!("{error}. The definition was left as it is."))),
        }
    }
}

/// An axis: keys and values with commas between them.
fn parse(keys: &str, values: &str) -> Result<Axis> {
    let list = |text: &str| text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Into::into).collect::<Vec<String>>();
    let axis = Axis { keys: list(keys), values: list(values) };
    if axis.keys.is_empty() || axis.values.is_empty() {
        return Err(Error::setting("axis", "nothing", "settings, and values with commas between them"));
    }
    Ok(axis)
}

/// The fewest neurons that do for attention.
fn minimum(recipe: &Recipe) -> Option<usize> {
    let Task::Attention(kind) = recipe.task() else { return None };
    let (key_value, query) = cost::fewest(kind.dim, kind.rank, recipe.gating == crate::experiment::recipe::Gating::Side);
    Some(key_value + query)
}

fn csv(queue: &Queue) -> String {
    let mut text = String::from("run,loss,nmse\n");
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for (index, run) in queue.runs().iter().enumerate() {
        let (loss, nmse) = if let State::Over(record) = queue.state(index) { (record.loss(), record.nmse()) } else { (None, None) };
        let _ = writeln!(text, "{},{},{}", run.name, number(loss), number(nmse)); // to a string
    }
    text
}

fn json(queue: &Queue) -> String {
    let over = (0..queue.runs().len()).filter_map(|run| if let State::Over(record) = queue.state(run) { Some(record) } else { None });
    serde_json::json!({ "sweep": queue.sweep, "runs": over.collect::<Vec<_>>() }).to_string()
}
