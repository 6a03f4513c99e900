//! The late mask: once, towards the end of training, neurons and gates that do next to nothing are
//! set to zero.
//!
//! What a neuron does: root mean square of its state times the norm of its outgoing weights; a gate
//! likewise with the readout. With all of its weights and moments zero, a neuron's gradients are
//! zero too, so it stays out without further masking.

use super::optimizer;
use super::plan::{self, Plan};
use crate::Result;
use crate::backend::{Backend as _, cpu::Cpu};
use crate::graph::{Graph, params::ParamTable};
use crate::model::Architecture;
use crate::task::{Arrays, Source};
use serde::{Deserialize, Serialize};

/// Who was set to zero.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedUnits {
    /// Hidden neurons.
    pub hidden: Vec<usize>,
    /// Output gates.
    pub gates: Vec<usize>,
}

/// Rows that the activity is measured on.
const ROWS: usize = 1024;

/// Finds the unused of `parameters`; `data` are the sequences of the file task. Only gated diagonal
/// networks have any: in the others a neuron acts on more than its own outgoing weights.
///
/// # Errors
/// No memory for the forward pass.
pub fn find(
    plan: &Plan,
    data: Option<&Arrays>,
    parameters: &[f32],
    threshold: f32,
) -> Result<MaskedUnits> {
    let Architecture { layer, sizes } = plan.architecture;
    if !layer.reducible {
        return Ok(MaskedUnits::default());
    }
    let is_side = sizes.side;
    let batch = (ROWS / plan.time).max(4);
    let program = plan.sampled_program(batch);
    let table = program.params.clone();
    let find = |name: &str| program.find(name);
    let (states, gated) = (find("h"), find("output_gate").or_else(|| find("gated")));
    let (Some(states), Some(gated)) = (states, gated) else { return Ok(MaskedUnits::default()) };
    let mut cpu = Cpu::<f32>::new(program, 1, u64::MAX)?;
    cpu.write(Graph::PARAMETERS, parameters);
    plan.write_constants(&mut cpu, 0, Source { data, ..Source::default() });
    cpu.set_clock(&optimizer::data_clock(plan::unseen(plan.seed), 0));
    cpu.forward();
    let readout = column_norms(&table, parameters, &["readout"]);
    let gates = product(&root_mean_square(&cpu.read_exact(gated), readout.len()), &readout);
    let hidden = if is_side {
        gates.clone()
    } else {
        let out = column_norms(&table, parameters, &["output_gate.m", "output_gate.x"]);
        product(&root_mean_square(&cpu.read_exact(states), sizes.hidden), &out)
    };
    let gates = if is_side { vec![] } else { below(&gates, threshold) };
    Ok(MaskedUnits { hidden: below(&hidden, threshold), gates })
}

/// Sets all weights of the masked to zero in `flat` (parameters or a moment); ν stays.
pub fn apply(table: &ParamTable, masked: &MaskedUnits, flat: &mut [f32]) {
    let mut zero = |name: &str, rows: bool, which: &[usize]| {
        let Some(param) = table.get(name) else { return };
        let [out, fan_in] = param.shape[..] else { return };
        for &i in which {
            let elements: Vec<usize> = if rows {
                (i * fan_in..(i + 1) * fan_in).collect()
            } else {
                (0..out).map(|o| o * fan_in + i).collect()
            };
            elements.into_iter().for_each(|e| flat[param.offset + e] = 0.0);
        }
    };
    for name in ["input_gate.m", "input_gate.x", "side_gate"] {
        zero(name, true, &masked.hidden);
    }
    for name in ["output_gate.m", "output_gate.x"] {
        zero(name, false, &masked.hidden);
        zero(name, true, &masked.gates);
    }
    let has_gates = table.get("output_gate.m").is_some();
    zero("readout", false, if has_gates { &masked.gates } else { &masked.hidden });
}

fn below(values: &[f32], threshold: f32) -> Vec<usize> {
    let largest = values.iter().copied().fold(0.0, f32::max);
    (0..values.len()).filter(|&i| values[i] < threshold * largest).collect()
}

fn product(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn root_mean_square(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0f32; width];
    for row in rows.chunks_exact(width) {
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
    }
    let count = (rows.len() / width).max(1) as f32;
    sums.into_iter().map(|sum| (sum / count).sqrt()).collect()
}

fn column_norms(table: &ParamTable, parameters: &[f32], names: &[&str]) -> Vec<f32> {
    let mut squares = vec![];
    for name in names {
        let Some(param) = table.get(name) else { continue };
        let width = param.shape[param.shape.len() - 1];
        squares.resize(width, 0.0f32);
        for row in parameters[param.range()].chunks_exact(width) {
            squares.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
        }
    }
    squares.into_iter().map(f32::sqrt).collect()
}
