//! The table's columns, and its rows in the order of one of them. Pure.

use super::card;
use crate::sweep::queue::{Queue, State};
use crate::sweep::record::Outcome;
use crate::ui::kit::format;
use std::cmp::Ordering;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// The queue's own order.
    #[default]
    Name,
    /// The value on an axis.
    Axis(usize),
    /// How far it is.
    State,
    /// Steps done.
    Steps,
    /// Loss.
    Loss,
    /// nMSE.
    Nmse,
    /// Neurons in use.
    Neurons,
    /// What it ran on.
    Device,
}

/// By which column, and which way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// The column.
    pub column: Column,
    /// The largest first.
    pub falling: bool,
}

/// A cell as it is sorted: what is not known comes last.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// Not known.
    Nothing,
}

/// What stands in a cell.
pub fn cell(queue: &Queue, run: usize, column: Column) -> Cell {
    let number = |value: Option<f64>| value.map_or(Cell::Nothing, Cell::Number);
    match column {
        Column::Name => Cell::Number(run as f64),
        Column::Axis(i) => {
            let value = &queue.runs()[run].values[i];
            value.parse().map_or_else(|_| Cell::Word(value.clone()), Cell::Number)
        }
        Column::State => Cell::Word(word(queue, run).into()),
        Column::Steps => Cell::Number(steps(queue, run) as f64),
        Column::Loss => number(card::numbers(queue, run).0),
        Column::Nmse => number(card::numbers(queue, run).1),
        Column::Neurons => number(neurons(queue, run).map(|count| count as f64)),
        Column::Device => {
            device(queue, run).map_or(Cell::Nothing, |device| Cell::Word(device.into()))
        }
    }
}

/// The same as it is shown.
pub fn text(queue: &Queue, run: usize, column: Column) -> String {
    match (column, cell(queue, run, column)) {
        (Column::Name, _) => queue.runs()[run].name.clone(),
        (Column::Axis(i), _) => queue.runs()[run].values[i].clone(),
        (_, Cell::Nothing) => "–".into(),
        (_, Cell::Word(word)) => word,
        (Column::Loss | Column::Nmse, Cell::Number(value)) => format::scientific(value),
        (_, Cell::Number(value)) => format::thousands(value as u64),
    }
}

/// How far a run is, in a word.
pub fn word(queue: &Queue, run: usize) -> &'static str {
    match queue.state(run) {
        State::Waiting => "waiting",
        State::Training(..) => "training",
        State::Over(record) => match record.outcome {
            Outcome::Finished => "finished",
            Outcome::Diverged(_) => "diverged",
            Outcome::Failed(_) => "failed",
        },
    }
}

/// Steps done; of a failed run they are not known, and its curve says how many at least.
fn steps(queue: &Queue, run: usize) -> u64 {
    let all = u64::from(queue.runs()[run].recipe.steps);
    match queue.state(run) {
        State::Waiting => 0,
        State::Training(step, _) => step,
        State::Over(record) => match record.outcome {
            Outcome::Finished => all,
            Outcome::Diverged(step) => step,
            Outcome::Failed(_) => crate::sweep::record::mark(all, record.curve.0.len() as u64),
        },
    }
}

fn neurons(queue: &Queue, run: usize) -> Option<usize> {
    let State::Over(record) = queue.state(run) else { return None };
    record.neurons.as_ref().map(|census| census.key_value + census.query + census.between)
}

fn device(queue: &Queue, run: usize) -> Option<&str> {
    let State::Over(record) = queue.state(run) else { return None };
    Some(record.device.as_str()).filter(|device| !device.is_empty())
}

/// All runs in that order; those that are equal stay in the queue's.
pub fn sorted(queue: &Queue, order: Order) -> Vec<usize> {
    let mut rows: Vec<(usize, Cell)> =
        (0..queue.runs().len()).map(|run| (run, cell(queue, run, order.column))).collect();
    rows.sort_by(|a, b| compare(&a.1, &b.1, order.falling));
    rows.into_iter().map(|(run, _)| run).collect()
}

fn compare(a: &Cell, b: &Cell, falling: bool) -> Ordering {
    let turned = |order: Ordering| if falling { order.reverse() } else { order };
    match (a, b) {
        (Cell::Nothing, Cell::Nothing) => Ordering::Equal,
        (Cell::Nothing, _) => Ordering::Greater,
        (_, Cell::Nothing) => Ordering::Less,
        (Cell::Number(a), Cell::Number(b)) => turned(a.total_cmp(b)),
        (Cell::Word(a), Cell::Word(b)) => turned(a.cmp(b)),
        (Cell::Number(_), Cell::Word(_)) => turned(Ordering::Less),
        (Cell::Word(_), Cell::Number(_)) => turned(Ordering::Greater),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_comes_last_both_ways() {
        let (one, two, none) = (Cell::Number(1.0), Cell::Number(2.0), Cell::Nothing);
        assert_eq!(
            (compare(&one, &two, false), compare(&one, &two, true)),
            (Ordering::Less, Ordering::Greater)
        );
        assert_eq!(
            (compare(&one, &none, false), compare(&one, &none, true)),
            (Ordering::Less, Ordering::Less)
        );
    }
}
