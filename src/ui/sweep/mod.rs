//! The Sweep view: one recipe over a grid of settings and seeds, and what becomes of its loss. It
//! draws a [`Queue`] and a [`Draft`] and asks by [`SweepAction`]s; nothing is trained here.
//!
//! Start with [`show`]. [`definition`] and [`draft`] are what is written on the left, [`run`] the
//! buttons, [`plot`] and [`picture`] the dots, [`race`] what a comparison has besides, [`card`] one
//! run, [`table`] and [`order`] all of them, [`guide`] what to look at.

mod ask;
mod card;
mod contest;
mod definition;
mod draft;
mod empty;
pub(super) mod frame;
mod guide;
pub(super) mod marks;
mod order;
mod picture;
mod plot;
mod race;
mod run;
pub(super) mod scale;
mod table;
mod variants;

pub use draft::{AxisText, Draft};

use super::theme::Palette;
use super::{Action, View, banner, format};
use crate::sweep::contest::{Contender, contenders};
use crate::sweep::measure::Measure;
use crate::sweep::queue::{Queue, State as RunState};
use crate::sweep::record::Outcome;
use crate::sweep::{Sweep, minimum};
use ask::Ask;
use draft::Check;
use eframe::egui;
use egui::{
    CentralPanel, Frame, Key, Margin, Modifiers, Panel, Rect, ScrollArea, Sense, Ui, pos2, vec2,
};
use order::Order;
use race::curves::Curves;

/// Which of the window's sweeps: a place in [`View::sweeps`].
pub type Which = usize;
/// That of the view Sweep.
pub const SWEEP: Which = 0;
/// That of the view Compare: several layers side by side.
pub const COMPARE: Which = 1;

/// A wish about a sweep.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepAction {
    /// Train its runs, in place of what is there.
    Start(Sweep),
    /// Stop after the steps in flight.
    Pause,
    /// Go on.
    Resume,
    /// The definition has changed: runs that both have are kept.
    Extend(Sweep),
    /// Forget all runs.
    Clear,
    /// Choose a file with a definition.
    Load,
    /// Show these runs, read from a file, in place of what is there.
    Show(Box<Queue>),
    /// Save that definition to a file.
    Save(Sweep),
    /// Train this run's recipe in Discover.
    Open(usize),
    /// Show this run's memory, gates and state.
    Inside(usize),
}

/// What the view draws.
pub struct SweepInput<'a> {
    /// The sweep that is trained, or was.
    pub queue: Option<&'a Queue>,
    /// Counts up with every change of `queue`; what is worked out from it is kept until then.
    pub revision: u64,
    /// The definition as the user left it; it takes effect with an action.
    pub draft: &'a mut Draft,
    /// Whether runs are being trained.
    pub running: bool,
    /// Sweeps to start from.
    pub presets: &'a [Sweep],
}

/// Between frames.
#[derive(Default)]
pub struct State {
    /// Which sweep it draws.
    which: Which,
    check: Option<Check>,
    shown: Option<Shown>,
    x_axis: Option<usize>,
    order: Order,
    /// The run that is pinned.
    selected: Option<usize>,
    /// Its place when it was last drawn, and its key.
    pinned: Option<(usize, String)>,
    /// The run that the table should bring in sight.
    reveal: Option<usize>,
    /// The run whose row should get the keyboard.
    focus: Option<usize>,
    /// How far the table is scrolled.
    table_top: f32,
    ask: Option<Ask>,
}

/// What is worked out from the queue.
struct Shown {
    stamp: (u64, usize, Option<usize>),
    order: Order,
    picture: plot::Picture,
    /// Of a comparison.
    contenders: Vec<Contender>,
    curves: Curves,
    rows: Vec<usize>,
    counts: Counts,
}

/// How many runs are how far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Counts {
    all: usize,
    finished: usize,
    diverged: usize,
    failed: usize,
    /// Those in training.
    training: Vec<usize>,
}

impl Counts {
    fn of(queue: &Queue) -> Self {
        let mut counts = Self { all: queue.runs().len(), ..Self::default() };
        for run in 0..counts.all {
            match queue.state(run) {
                RunState::Waiting => {}
                RunState::Training(..) => counts.training.push(run),
                RunState::Over(record) => match record.outcome {
                    Outcome::Finished => counts.finished += 1,
                    Outcome::Diverged(_) => counts.diverged += 1,
                    Outcome::Failed(_) => counts.failed += 1,
                },
            }
        }
        counts
    }

    fn over(&self) -> usize {
        self.finished + self.diverged + self.failed
    }
}

impl State {
    /// For that sweep.
    pub fn of(which: Which) -> Self {
        Self { which, ..Self::default() }
    }

    /// Asks before it does something.
    pub fn ask(&mut self, question: String, yes: &str, action: SweepAction) {
        self.ask = Some(Ask { question, yes: yes.into(), action });
    }

    /// Whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.ask.is_some()
    }

    /// Pins a run, or none.
    fn select(&mut self, run: Option<usize>) {
        (self.selected, self.reveal) = (run, run);
    }

    /// Brings what is worked out up to date.
    fn refresh(&mut self, input: &SweepInput<'_>) {
        if self.check.as_ref().is_none_or(|check| !check.is_of(input.draft)) {
            self.check = Some(input.draft.check());
        }
        let Some(queue) = input.queue else {
            (self.shown, self.selected) = (None, None);
            return;
        };
        // A run that was pinned stays so where the queue has become another one.
        let runs = queue.runs();
        self.selected = match (self.selected, &self.pinned) {
            (Some(run), Some((place, key)))
                if run == *place && runs.get(run).is_none_or(|run| run.key != *key) =>
            {
                runs.iter().position(|run| run.key == *key)
            }
            (selected, _) => selected.filter(|run| *run < runs.len()),
        };
        self.pinned = self.selected.map(|run| (run, runs[run].key.clone()));
        let stamp = (input.revision, queue.runs().len(), self.x_axis);
        if let Some(shown) = self.shown.as_mut().filter(|shown| shown.stamp == stamp) {
            if shown.order != self.order {
                (shown.order, shown.rows) = (self.order, order::sorted(queue, self.order));
            }
            return;
        }
        if matches!(self.order.column, order::Column::Axis(i) if i >= queue.sweep.axes.len()) {
            self.order = Order::default();
        }
        let measure = Measure::of(queue.runs());
        let contenders = if self.which == COMPARE { contenders(queue, measure) } else { vec![] };
        let picture = if self.which == COMPARE {
            contest::picture(queue, &contenders, measure)
        } else {
            plot::picture(queue, self.x_axis, minimum)
        };
        let curves = Curves::of(queue, &contenders, &picture);
        self.shown = Some(Shown {
            stamp,
            order: self.order,
            contenders,
            curves,
            picture,
            rows: order::sorted(queue, self.order),
            counts: Counts::of(queue),
        });
    }
}

/// From this width on the column on the right stands there.
const ASIDE: f32 = 1120.0;
/// Least height of the pictures in the middle.
const MIDDLE: f32 = 560.0;

/// Draws the view between the top bar and the status line.
pub fn show(
    ui: &mut Ui,
    state: &mut State,
    view: &mut View<'_>,
    narrow: bool,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    state.refresh(&view.sweeps[state.which]);
    keys(ui, state, view, actions);
    if narrow {
        one_column(ui, state, view, actions);
    } else {
        let wide = ui.max_rect().width() >= ASIDE;
        let bar = Frame::new().fill(palette.panel);
        let column = Panel::left("sweep definition").exact_size(272.0).resizable(false).frame(bar);
        column.show(ui, |ui| definition::column(ui, state, view, actions));
        if wide {
            let frame = bar.inner_margin(Margin::symmetric(14, 0));
            Panel::right("sweep guide").exact_size(236.0).resizable(false).frame(frame).show(
                ui,
                |ui| {
                    ScrollArea::vertical()
                        .auto_shrink(false)
                        .show(ui, |ui| guide::show(ui, state, view, actions));
                },
            );
        }
        CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
            banner::messages(ui, view);
            let height = ui.available_height();
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                match view.sweeps[state.which].queue {
                    None => empty::show(ui, height, state, view, actions),
                    Some(queue) => {
                        let (rect, _) = ui.allocate_exact_size(
                            vec2(ui.available_width(), height.max(MIDDLE)),
                            Sense::hover(),
                        );
                        if state.which == COMPARE {
                            return race::middle(ui, rect, state, queue, actions);
                        }
                        let split = rect.top() + (rect.height() * 0.58).round();
                        let [above, below] = [
                            Rect::from_min_max(rect.min, pos2(rect.right(), split)),
                            Rect::from_min_max(pos2(rect.left(), split), rect.max),
                        ];
                        card_of(ui, above, state, |ui, rect, state, shown| {
                            picture::show(ui, rect, state, shown, queue, actions)
                        });
                        card_of(ui, below, state, |ui, rect, state, shown| {
                            table::show(ui, rect, state, shown, queue, actions)
                        });
                    }
                }
                if !wide {
                    Frame::new().fill(palette.panel).inner_margin(Margin::same(14)).show(
                        ui,
                        |ui| {
                            ui.set_width(ui.available_width());
                            guide::show(ui, state, view, actions);
                        },
                    );
                }
            });
        });
    }
    ask::show(ui.ctx(), state.which, &mut state.ask, actions);
}

/// A card that changes the state, but not what is shown.
fn card_of(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    draw: impl FnOnce(&mut Ui, Rect, &mut State, &Shown),
) {
    if let Some(shown) = state.shown.take() {
        draw(ui, rect, state, &shown);
        state.shown = Some(shown);
    }
    super::card::rule(ui, rect.left_bottom(), rect.right_bottom());
}

/// For a phone: buttons stay in reach, the rest scrolls.
fn one_column(ui: &mut Ui, state: &mut State, view: &mut View<'_>, actions: &mut Vec<Action>) {
    let palette = Palette::of(ui);
    let panel = Frame::new().fill(palette.panel).inner_margin(Margin::symmetric(14, 8));
    Panel::top("sweep run").frame(panel).show(ui, |ui| run::show(ui, state, view, actions));
    CentralPanel::default().frame(Frame::new().fill(palette.background)).show(ui, |ui| {
        banner::messages(ui, view);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let queue = view.sweeps[state.which].queue;
            let part = |ui: &mut Ui, height: f32| {
                ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover()).0
            };
            match queue {
                Some(queue) => {
                    if state.which == COMPARE {
                        let rect = part(ui, 320.0);
                        card_of(ui, rect, state, |ui, rect, state, shown| {
                            race::curves::show(ui, rect, state, shown, queue, actions)
                        });
                        let height = state
                            .shown
                            .as_ref()
                            .map_or(0.0, |shown| race::rates::height(ui, shown));
                        let rect = part(ui, height);
                        card_of(ui, rect, state, |ui, rect, state, shown| {
                            race::rates::show(ui, rect, state, shown, queue)
                        });
                    }
                    let rect = part(ui, 380.0);
                    card_of(ui, rect, state, |ui, rect, state, shown| {
                        picture::show(ui, rect, state, shown, queue, actions)
                    });
                }
                None => empty::show(ui, 0.0, state, view, actions),
            }
            let fill = |ui: &mut Ui, draw: &mut dyn FnMut(&mut Ui)| {
                panel.show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    draw(ui);
                });
            };
            fill(ui, &mut |ui| guide::show(ui, state, view, actions));
            if let Some(queue) = queue {
                let rect = part(ui, 320.0);
                card_of(ui, rect, state, |ui, rect, state, shown| {
                    table::show(ui, rect, state, shown, queue, actions)
                });
            }
            fill(ui, &mut |ui| definition::show(ui, state, view, actions));
        });
    });
}

/// Space pauses and goes on, unless something else has the keyboard.
fn keys(ui: &Ui, state: &mut State, view: &View<'_>, actions: &mut Vec<Action>) {
    let free = !ui.ctx().text_edit_focused()
        && ui.memory(|memory| memory.focused().is_none())
        && state.ask.is_none();
    if free && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Space)) {
        run::main(state, view, actions);
    }
}

/// Draws the status line.
pub fn status(ui: &mut Ui, state: &mut State, view: &View<'_>) {
    state.refresh(&view.sweeps[state.which]);
    let palette = Palette::of(ui);
    let Some(Shown { counts, .. }) = &state.shown else {
        ui.horizontal_centered(|ui| {
            ui.label(
                egui::RichText::new(if state.which == COMPARE {
                    "no race yet"
                } else {
                    "no sweep yet"
                })
                .size(12.0)
                .color(palette.mute),
            )
        });
        return;
    };
    let part = |ui: &mut Ui, label: &str, value: String, color: egui::Color32| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            ui.label(egui::RichText::new(label).size(12.0).color(palette.mute));
            ui.label(egui::RichText::new(value).font(super::theme::strong(12.0)).color(color));
        });
    };
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        let (word, color) = run::condition(counts, view.sweeps[state.which].running, palette);
        part(ui, "", word.into(), color);
        part(
            ui,
            "over",
            format!(
                "{} of {}",
                format::thousands(counts.over() as u64),
                format::thousands(counts.all as u64)
            ),
            palette.ink,
        );
        for (name, count) in [("diverged", counts.diverged), ("failed", counts.failed)] {
            if count > 0 {
                part(ui, name, format::thousands(count as u64), palette.error);
            }
        }
        if !counts.training.is_empty() {
            part(ui, "in training", counts.training.len().to_string(), palette.ink);
        }
    });
}
