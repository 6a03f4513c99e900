//! Files in and out: weights to go on from or to take apart, checkpoints, pictures, the link.

use super::arrival::{Arrival, Purpose};
use super::{App, session};
use crate::platform::{self, OpenedFile};
use crate::recipe::Recipe;
use crate::recipe::{checkpoint, data};
use crate::run::inspection::Subject;
use crate::task::Arrays;
use crate::ui::{Message, ResumeOffer, Tab};
use crate::{Error, Result};

impl App {
    /// Lets the user choose a file.
    pub(super) fn open(&self, purpose: Purpose) {
        let (sender, ctx) = (self.arrivals.0.clone(), self.ctx.clone());
        platform::open_file(move |file| {
            if sender.send(Arrival::File(purpose, Ok(file))).is_ok() {
                ctx.request_repaint();
            }
        });
    }

    /// Takes in a file that has arrived.
    pub(super) fn take_in(&mut self, purpose: Purpose, file: &OpenedFile) {
        if !matches!(purpose, Purpose::Sweep(_)) && data::is_data(&file.name, &file.bytes) {
            return self.load_data(file);
        }
        match purpose {
            Purpose::Train => {
                self.load_file(file, false);
            }
            Purpose::Dissect => self.dissect_file(file),
            Purpose::Sweep(which) => self.load_sweep(which, file),
        }
    }

    /// The user's arrays: a training on them starts. Bad ones change nothing.
    fn load_data(&mut self, file: &OpenedFile) {
        let loaded = data::read(&[(&file.name, &file.bytes)]).and_then(|arrays| {
            let with_data = self.live.recipe.with_data(&file.name, &arrays);
            let recipe = Recipe { mask_at: 0.0, ..with_data.with_fitting_batch() };
            recipe.check().map(|()| (recipe, arrays))
        });
        match loaded {
            Ok((recipe, arrays)) => {
                let Arrays { sequences, time, inputs, outputs, .. } = arrays;
                let text = format!(
                    "Training on {}: {sequences} sequences of {time} steps, {inputs} numbers in and {outputs} out; {} are kept for the test, and batches are of {}.",
                    file.name,
                    recipe.test_sequences(),
                    recipe.batch
                );
                self.messages.push(Message::info(text));
                self.keep();
                self.data = Some((file.name.clone(), arrays));
                self.start(recipe, None, None, true);
                self.show_tab(Tab::DISCOVER);
            }
            Err(error) => self
                .messages
                .push(Message::warning(format!("{error}. The training was left as it is."))),
        }
    }

    /// Puts a weights file on the bench. A bad one changes nothing.
    fn dissect_file(&mut self, file: &OpenedFile) {
        match checkpoint::read(&file.name, &file.bytes) {
            Ok(loaded) => {
                self.messages.extend(
                    loaded.notes.iter().map(|note| Message::info(format!("{}: {note}", file.name))),
                );
                self.dissect(Subject::Specimen(Box::new(loaded.to_given(&file.name))));
            }
            Err(error) => {
                let what = if self.tab == Tab::DISSECT {
                    "What was on show stays"
                } else {
                    "The training was left as it is"
                };
                self.messages.push(Message::warning(format!("{error}. {what}.")));
            }
        }
    }

    /// The last visit's training, if it is on offer; the file that it needs while that is not open.
    pub(super) fn offer(&self) -> Option<ResumeOffer> {
        let session::StoredSession { offer, recipe, .. } = self.resume.as_ref()?;
        let is_missing = recipe.check_arrays(self.arrays()).is_err();
        let file = recipe.data.as_ref().filter(|_| is_missing).map(|data| data.name.clone());
        Some(ResumeOffer { file, ..offer.clone() })
    }

    /// The user's arrays, if some are open.
    pub(super) fn arrays(&self) -> Option<&Arrays> {
        self.data.as_ref().map(|(_, arrays)| arrays)
    }

    /// A weights file: training goes on from it. A bad one changes nothing, and neither does one of
    /// the file task before its arrays are open; returns whether it was a good one.
    pub(super) fn load_file(&mut self, file: &OpenedFile, running: bool) -> bool {
        let loaded = checkpoint::read(&file.name, &file.bytes).and_then(|loaded| {
            let recipe = loaded.to_recipe(&file.name)?;
            recipe.check_arrays(self.arrays()).map_err(|e| Error::file(&file.name, e))?;
            Ok((recipe, loaded))
        });
        let is_good = loaded.is_ok();
        match loaded {
            Ok((recipe, loaded)) => {
                self.messages.extend(
                    loaded.notes.iter().map(|note| Message::info(format!("{}: {note}", file.name))),
                );
                if loaded.recipe.is_none() {
                    let text = format!(
                        "{} says nothing of how it was trained: sizes are its own, the other settings the default ones.",
                        file.name
                    );
                    self.messages.push(Message::info(text));
                }
                let (name, step) = (&file.name, loaded.snapshot.step);
                let next = match step >= u64::from(recipe.steps) {
                    true => "all its steps are done.",
                    false if running => "training goes on.",
                    false => "press play to go on.",
                };
                self.messages.push(Message::info(format!("Loaded {name} at step {step}: {next}")));
                self.keep();
                self.start(recipe, Some(loaded.snapshot), loaded.teacher, running);
            }
            Err(error) => self
                .messages
                .push(Message::warning(format!("{error}. The training was left as it is."))),
        }
        is_good
    }

    pub(super) fn copy_link(&mut self) {
        let link = platform::link(&self.hash);
        if platform::BROWSER {
            let (sender, ctx) = (self.arrivals.0.clone(), self.ctx.clone());
            platform::copy(&link.clone(), move |allowed| {
                if sender.send(Arrival::Copied { allowed, link }).is_ok() {
                    ctx.request_repaint();
                }
            });
        } else {
            self.ctx.copy_text(link.clone());
            self.messages.push(Message::info(format!(
                "Copied {link}: append it to the page's address, or give it to gatelens in the terminal."
            )));
        }
    }

    pub(super) fn save(&mut self) {
        let Some(bytes) = self.checkpoint() else {
            return self.messages.push(Message::warning("There is nothing to save yet."));
        };
        match bytes {
            Ok((name, bytes)) => self.export(&name, &bytes),
            Err(error) => self.messages.push(Message::warning(error.to_string())),
        }
    }

    /// The newest state as a file: name and content.
    pub(super) fn checkpoint(&self) -> Option<Result<(String, Vec<u8>)>> {
        let snapshot = self.live.snapshot.as_ref()?;
        let name = format!("gatelens-{}-step-{}.safetensors", self.preset, snapshot.step);
        Some(
            checkpoint::write(&self.live.recipe, snapshot, self.live.teacher.as_ref())
                .map(|bytes| (name, bytes)),
        )
    }

    /// Saves a picture or a report.
    pub(super) fn export(&self, name: &str, bytes: &[u8]) {
        let (sender, ctx) = (self.arrivals.0.clone(), self.ctx.clone());
        platform::save_file(name, bytes, move |result| {
            if sender.send(Arrival::Note(result)).is_ok() {
                ctx.request_repaint();
            }
        });
    }
}
