//! What was asked of a sweep, done.

use super::Sweeping;
use crate::app::App;
use crate::app::arrival::Purpose;
use crate::named::Named;
use crate::platform::OpenedFile;
use crate::recipe::{Recipe, TaskName};
use crate::run::runner::Command;
use crate::sweep::queue::Queue;
use crate::sweep::{Sweep, results};
use crate::ui::{Draft, SweepAction, Which};
use crate::ui::{Message, Tab};
use crate::{Error, Result};

impl App {
    /// Carries out what was asked of a sweep.
    pub(in crate::app) fn sweep(&mut self, which: Which, action: SweepAction) {
        match action {
            SweepAction::Start(sweep) => self.begin(which, sweep, false),
            SweepAction::Extend(sweep) => self.begin(which, sweep, true),
            SweepAction::Pause => self.run_sweep(which, false),
            SweepAction::Resume => self.run_sweep(which, true),
            SweepAction::Clear => {
                self.sweeps[which].running = false;
                self.sweeps[which].forget();
                self.replace_sweep(which, None);
            }
            SweepAction::Load => self.open(Purpose::Sweep(which)),
            SweepAction::Show(queue) => {
                self.sweeps[which].running = false;
                self.sweeps[which].draft = Draft::of(&queue.sweep);
                self.sweeps[which].forget();
                self.replace_sweep(which, Some(*queue));
            }
            SweepAction::Save(sweep) => self.export("sweep.json", sweep.to_json().as_bytes()),
            SweepAction::Inside(run) => self.look_inside(Some(run)),
            SweepAction::Open(run) => {
                let Some(recipe) = self.sweeps[which]
                    .queue
                    .as_ref()
                    .and_then(|queue| queue.runs().get(run))
                    .map(|run| run.recipe.clone())
                else {
                    return;
                };
                if let Err(error) = self.bring_arrays(which, &recipe) {
                    return self.messages.push(Message::warning(error.to_string()));
                }
                self.keep();
                self.start(recipe, None, None, true);
                self.show_tab(Tab::DISCOVER);
            }
        }
    }

    /// Other runs, or none, in place of those that were there.
    fn replace_sweep(&mut self, which: Which, queue: Option<Queue>) {
        let end = self.sweeps[which].replace(queue);
        self.send(end);
    }

    /// Trains the runs of `sweep`; records that are there already are kept with `extends`.
    fn begin(&mut self, which: Which, sweep: Sweep, extends: bool) {
        match self.queue_of(sweep) {
            Ok(mut queue) => {
                match self.sweeps[which].queue.as_ref().filter(|_| extends) {
                    Some(old) => queue.take_over(old),
                    None => self.sweeps[which].forget(),
                }
                let on_file = queue.runs().iter().any(|run| run.recipe.task == TaskName::File);
                self.sweeps[which].data = self.arrays().filter(|_| on_file).cloned();
                self.replace_sweep(which, Some(queue));
                self.run_sweep(which, true);
            }
            Err(error) => self.messages.push(Message::warning(error.to_string())),
        }
    }

    /// The sweep's runs; those of the file task are about the arrays that are open.
    fn queue_of(&self, sweep: Sweep) -> Result<Queue> {
        let base = sweep.base()?;
        let base = match &self.data {
            Some((name, arrays)) if base.task == TaskName::File => base.with_data(name, arrays),
            _ => base,
        };
        Queue::on(sweep, &base)
    }

    fn run_sweep(&mut self, which: Which, running: bool) {
        if let Some(Err(error)) = running.then(|| self.give_arrays(which)) {
            return self.messages.push(Message::warning(error.to_string()));
        }
        if !self.revive() {
            return;
        }
        // A race is watched: it gets the processor, and the window draws when it has something to
        // show.
        if which == Which::Compare && running && self.live.running {
            self.send(Command::Run(false));
            self.messages.push(Message::info(
                "The training in Discover rests while the race is on; press play there to go on.",
            ));
        }
        self.sweeps[which].running = running;
        self.sweeps[which].revision += 1;
        self.send(Command::RunGroups(self.sweeps[which].groups(), running));
        self.train_sweeps();
    }

    /// Gives a sweep of the file task, such as that of the last visit, the arrays that are open.
    fn give_arrays(&mut self, which: Which) -> Result<()> {
        let Sweeping { queue, data, .. } = &self.sweeps[which];
        let on_file = queue
            .iter()
            .flat_map(Queue::runs)
            .map(|run| &run.recipe)
            .find(|recipe| recipe.task == TaskName::File);
        if let Some(recipe) = on_file.filter(|recipe| recipe.check_arrays(data.as_ref()).is_err()) {
            recipe.check_arrays(self.arrays())?;
            self.sweeps[which].data = self.arrays().cloned();
        }
        Ok(())
    }

    /// Opens the arrays of a sweep's run again, where others or none are open.
    fn bring_arrays(&mut self, which: Which, recipe: &Recipe) -> Result<()> {
        recipe.check_arrays(self.arrays()).or_else(|error| {
            let own = self.sweeps[which].data.clone();
            recipe.check_arrays(own.as_ref()).map_err(|_| error)?;
            self.data = recipe.data.as_ref().map(|data| data.name.clone()).zip(own);
            Ok(())
        })
    }

    /// Starts the next runs where there is room for more in training.
    pub(in crate::app) fn train_sweeps(&mut self) {
        for &which in Which::ALL {
            while let Some(mut start) = self.sweeps[which].next_group() {
                let data = self.sweeps[which].data.as_ref();
                start.data = data
                    .filter(|_| start.members[0].0.task == TaskName::File)
                    .cloned()
                    .map(Box::new);
                self.send(Command::Group(Box::new(start)));
            }
        }
    }

    /// Starts the sweep that is written in `text`, for the page's script: where it compares
    /// variants, in Compare.
    pub(in crate::app) fn sweep_text(&mut self, text: &str) {
        match Sweep::read("the page's script", text) {
            Ok(sweep) => {
                let which = if sweep.variants.is_empty() { Which::Sweep } else { Which::Compare };
                self.sweeps[which].draft = Draft::of(&sweep);
                self.sweep(which, SweepAction::Start(sweep));
            }
            Err(error) => self.messages.push(Message::warning(error.to_string())),
        }
    }

    /// A definition's file, or results with their definition: they are shown, nothing is started. A
    /// bad one changes nothing.
    pub(in crate::app) fn load_sweep(&mut self, which: Which, file: &OpenedFile) {
        let text = std::str::from_utf8(&file.bytes)
            .map_err(|_| Error::file(&file.name, "is not text; expected a sweep's JSON file"));
        let read = text.and_then(|text| match results::read(&file.name, text)? {
            Some(queue) => Ok((queue.sweep.clone(), Some(queue))),
            None => Ok((Sweep::read(&file.name, text)?, None)),
        });
        match read {
            Ok((sweep, _)) if which == Which::Compare && sweep.variants.is_empty() => {
                let text = format!(
                    "{} compares no variants; it belongs in the view Sweep. The definition was left as it is.",
                    file.name
                );
                self.messages.push(Message::warning(text));
            }
            Ok((sweep, None)) => self.sweeps[which].draft = Draft::of(&sweep),
            Ok((_, Some(queue))) => {
                let (lost, show) =
                    (self.sweeps[which].started(), SweepAction::Show(Box::new(queue)));
                if lost == 0 {
                    return self.sweep(which, show);
                }
                let question = format!(
                    "{} holds results. They take the place of what is on show; {} forgotten.",
                    file.name,
                    if lost == 1 { "its run is".into() } else { format!("its {lost} runs are") }
                );
                self.panels.ask(which, question, "Show them", show);
            }
            Err(error) => self
                .messages
                .push(Message::warning(format!("{error}. The definition was left as it is."))),
        }
    }
}
