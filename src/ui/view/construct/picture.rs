//! The aligned picture of the construction, its blocks outlined and named.

use super::built::Running;
use super::numbers::gate_name;
use super::state::State;
use crate::analysis::importance::Role;
use crate::model::network::Gating;
use crate::ui::kit::card;
use crate::ui::panel::network;
use crate::ui::panel::network::{Block, Labels, Subject};
use eframe::egui;
use egui::{Rect, ScrollArea, Sense, Ui, vec2};

/// The picture is never drawn narrower.
const NARROW: f32 = 600.0;

pub fn show(ui: &mut Ui, rect: Rect, state: &mut State) {
    let Some(running) = state.built.as_ref().and_then(|built| built.network.as_ref().ok()) else {
        return;
    };
    // A construction is small: making its labels each frame costs less than remembering them.
    let labels = labels(running, state.neuron);
    let network = || Some(running.network.clone());
    let subject = Subject {
        key: (state.version, 0),
        network: &network,
        importance: &running.importance,
        task: None,
        labels: Some(&labels),
    };
    if rect.width() >= NARROW {
        return network::draw(ui, rect, &mut state.network, &subject);
    }
    // The blocks' names need room: on a phone the picture is wider than the screen.
    let mut child = card::inside(ui, "picture", rect);
    ScrollArea::horizontal().auto_shrink(false).show(&mut child, |ui| {
        let (wide, _) = ui.allocate_exact_size(vec2(NARROW, rect.height() - 12.0), Sense::hover());
        network::draw(ui, wide, &mut state.network, &subject);
    });
}

/// What the matrices' parts are.
fn labels(running: &Running, chosen: usize) -> Labels {
    let construction = &running.construction;
    let (accumulators, queries) = construction.counts();
    let (d, outputs) = (running.network.inputs(), running.network.outputs());
    let (n, m) = (accumulators + queries, running.network.gates());
    let block = |matrix: usize,
                 rows: std::ops::Range<usize>,
                 columns: std::ops::Range<usize>,
                 name: &'static str,
                 role: Option<Role>| Block {
        matrix,
        name_at: rows.clone(),
        rows,
        columns,
        name,
        role,
    };
    let (memory, query) = (Some(Role::KeyValue), Some(Role::Query));
    let mut blocks = vec![
        block(0, 0..accumulators, 0..d, "values", memory),
        block(1, 0..accumulators, 0..d, "keys", memory),
    ];
    if queries > 0 {
        blocks.push(block(0, accumulators..n, 0..d, "queries", query));
        blocks.push(block(1, accumulators..n, d..d + 1, "1", query));
    }
    match running.network.gating {
        Gating::Output { .. } => {
            // Their names stand where the other factor has nothing.
            blocks.push(Block {
                name_at: accumulators..n,
                ..block(2, 0..accumulators, 0..m, "accumulator selectors", memory)
            });
            blocks.push(Block {
                name_at: 0..accumulators,
                ..block(3, accumulators..n, 0..m, "query selectors", query)
            });
            blocks.push(block(4, 0..outputs, 0..m, "sum", None));
        }
        Gating::Side(_) => {
            blocks.push(block(2, 0..n, 0..d, "queries", query));
            blocks.push(block(3, 0..n, 0..outputs, "sum", None));
        }
    }
    let groups =
        [(accumulators, "accumulators", Role::KeyValue), (queries, "queries", Role::Query)];
    Labels {
        groups: groups.into_iter().filter(|group| group.0 > 0).collect(),
        neurons: construction.neurons.iter().map(|neuron| neuron.name.clone()).collect(),
        gates: construction.gates.iter().map(gate_name).collect(),
        blocks,
        marked: Some(chosen),
    }
}
