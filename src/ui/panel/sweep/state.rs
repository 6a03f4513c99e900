//! What the view remembers between frames, and what is worked out from the queue.

use super::ask::Ask;
use super::order::Order;
use super::race::bundles::Curves;
use super::{contest, order, plot};
use crate::sweep::contest::{Contender, contenders};
use crate::sweep::measure::Measure;
use crate::sweep::minimum;
use crate::sweep::queue::{Queue, State as RunState};
use crate::sweep::record::Outcome;
use crate::ui::draft::Check;
use crate::ui::{SweepAction, SweepInput, Which};
use eframe::egui;
use egui::{Rect, Ui};

/// Between frames.
pub struct State {
    /// Which sweep it draws.
    pub(super) which: Which,
    pub(super) check: Option<Check>,
    pub(super) shown: Option<Derived>,
    pub(super) x_axis: Option<usize>,
    pub(super) order: Order,
    /// The run that is pinned.
    pub(super) selected: Option<usize>,
    /// Its place when it was last drawn, and its key.
    pub(super) pinned: Option<(usize, String)>,
    /// The run that the table should bring in sight.
    pub(super) reveal: Option<usize>,
    /// The run whose row should get the keyboard.
    pub(super) focus: Option<usize>,
    /// How far the table is scrolled.
    pub(super) table_top: f32,
    pub(super) ask: Option<Ask>,
}

/// What is worked out from the queue.
pub(super) struct Derived {
    pub(super) stamp: (u64, usize, Option<usize>),
    pub(super) order: Order,
    pub(super) picture: plot::Picture,
    /// Of a comparison.
    pub(super) contenders: Vec<Contender>,
    pub(super) curves: Curves,
    pub(super) rows: Vec<usize>,
    pub(super) counts: Counts,
}

/// How many runs are how far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) all: usize,
    pub(super) finished: usize,
    pub(super) diverged: usize,
    pub(super) failed: usize,
    /// Those in training.
    pub(super) training: Vec<usize>,
}

impl Counts {
    pub(super) fn of(queue: &Queue) -> Self {
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

    pub(super) fn over(&self) -> usize {
        self.finished + self.diverged + self.failed
    }
}

impl State {
    /// For that sweep.
    pub fn of(which: Which) -> Self {
        Self {
            which,
            check: None,
            shown: None,
            x_axis: None,
            order: Order::default(),
            selected: None,
            pinned: None,
            reveal: None,
            focus: None,
            table_top: 0.0,
            ask: None,
        }
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
    pub(super) fn select(&mut self, run: Option<usize>) {
        (self.selected, self.reveal) = (run, run);
    }

    /// Brings what is worked out up to date.
    pub(super) fn refresh(&mut self, input: &SweepInput<'_>) {
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
        let contenders =
            if self.which == Which::Compare { contenders(queue, measure) } else { vec![] };
        let picture = if self.which == Which::Compare {
            contest::picture(queue, &contenders, measure)
        } else {
            plot::picture(queue, self.x_axis, minimum)
        };
        let curves = Curves::of(queue, &contenders, &picture);
        self.shown = Some(Derived {
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

/// A card that changes the state, but not what is shown.
pub(super) fn card_of(
    ui: &mut Ui,
    rect: Rect,
    state: &mut State,
    draw: impl FnOnce(&mut Ui, Rect, &mut State, &Derived),
) {
    if let Some(shown) = state.shown.take() {
        draw(ui, rect, state, &shown);
        state.shown = Some(shown);
    }
    crate::ui::kit::card::rule(ui, rect.left_bottom(), rect.right_bottom());
}
