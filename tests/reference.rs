//! Forward pass, loss, every gradient and ten AdamW steps against JAX's float64 numbers
//! (`tests/reference/`).

mod support;

use gatelens::backend::{Backend, cpu::Cpu};
use gatelens::graph::{BufferId, Graph, program::Program};
use gatelens::model::Architecture;
use gatelens::model::{
    Layer, Sizes,
    gated_dense::DENSE,
    gated_diagonal::GATED,
    gru::GRU,
    lru::{LRU, LRU_IN_OUT, LRU_MLP},
    lstm::LSTM,
};
use gatelens::train::{optimizer::Optimizer, schedule::Schedule};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::norm_error;

/// An engine as these tests use it, in doubles.
trait Engine {
    fn write(&mut self, buffer: BufferId, data: &[f64]);
    fn read(&mut self, buffer: BufferId) -> Vec<f64>;
    fn step(&mut self);
    fn loss(&mut self) -> f64;
    fn backend(&mut self) -> &mut dyn Backend;
}

impl Engine for Cpu<f64> {
    fn write(&mut self, buffer: BufferId, data: &[f64]) {
        self.write_exact(buffer, data);
    }
    fn read(&mut self, buffer: BufferId) -> Vec<f64> {
        self.read_exact(buffer)
    }
    fn step(&mut self) {
        self.advance(1).unwrap();
    }
    fn loss(&mut self) -> f64 {
        self.read_exact(Graph::RING)[0]
    }
    fn backend(&mut self) -> &mut dyn Backend {
        self
    }
}

/// Any f32 backend.
struct Single(Box<dyn Backend>, f64);

impl Engine for Single {
    fn write(&mut self, buffer: BufferId, data: &[f64]) {
        let narrow: Vec<f32> = data.iter().map(|&v| v as f32).collect();
        self.0.write(buffer, &narrow);
    }
    fn read(&mut self, buffer: BufferId) -> Vec<f64> {
        self.0.request(buffer);
        loop {
            if let Some(progress) = self.0.poll().unwrap() {
                self.1 = progress.losses.last().map_or(self.1, |step| step.loss.into());
                if let Some(tensor) = progress.tensor(buffer) {
                    return tensor.iter().copied().map(f64::from).collect();
                }
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
    }
    fn step(&mut self) {
        self.0.advance(1).unwrap();
    }
    fn loss(&mut self) -> f64 {
        self.1
    }
    fn backend(&mut self) -> &mut dyn Backend {
        self.0.as_mut()
    }
}

struct Case {
    id: String,
    index: Value,
    file: Vec<u8>,
}

impl Case {
    fn of_kind(kind: &str) -> Vec<Self> {
        let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
        let index: Value =
            serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap();
        let cases = index["cases"].as_array().unwrap().iter().filter(|case| case["kind"] == kind);
        let load = |case: &Value| Self {
            id: case["id"].as_str().unwrap().into(),
            index: case.clone(),
            file: std::fs::read(folder.join(case["file"].as_str().unwrap())).unwrap(),
        };
        cases.map(load).collect()
    }

    fn tensor(&self, name: &str) -> Vec<f64> {
        let tensors = SafeTensors::deserialize(&self.file).unwrap();
        let view = tensors.tensor(name).unwrap_or_else(|_| panic!("{}: no tensor {name}", self.id));
        match view.dtype() {
            Dtype::F64 => view
                .data()
                .chunks_exact(8)
                .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
                .collect(),
            Dtype::F32 => view
                .data()
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
                .collect(),
            Dtype::I64 => view
                .data()
                .chunks_exact(8)
                .map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64)
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    fn size(&self, name: &str) -> usize {
        self.index["sizes"][name].as_u64().unwrap_or(0) as usize
    }

    fn program(&self) -> Program {
        let [batch, time, outputs] = ["batch", "length", "d_out"].map(|name| self.size(name));
        let mut graph = Graph::new(batch, time);
        let x = graph.input("x", self.size("d_in"));
        let architecture = match self.index["model"].as_str().unwrap() {
            "gated" => {
                GATED.of(Sizes { hidden: self.size("n"), gates: self.size("m"), ..Sizes::NONE })
            }
            "gated_side" => GATED.of(Sizes { hidden: self.size("n"), side: true, ..Sizes::NONE }),
            "gated_dense" => {
                DENSE.of(Sizes { hidden: self.size("n"), gates: self.size("m"), ..Sizes::NONE })
            }
            "lstm" => {
                LSTM.of(Sizes { hidden: self.size("n"), embed: self.size("e"), ..Sizes::NONE })
            }
            "gru" => GRU.of(Sizes { hidden: self.size("n"), embed: self.size("e"), ..Sizes::NONE }),
            "lru" => self.lru(&LRU),
            "lru_in_out" => self.lru(&LRU_IN_OUT),
            "lru_mlp" => self.lru(&LRU_MLP),
            other => panic!("no model {other}"),
        };
        let loss = self.index["loss"].as_str().unwrap();
        let steps = if loss == "mse" { time } else { 1 };
        let prediction = architecture.forward(&mut graph, x, outputs, steps);
        if loss == "recall" {
            let y = graph.input_of("y", steps, 1);
            graph.cross_entropy(prediction, y);
        } else {
            let y = graph.input_of("y", steps, outputs);
            graph.squared_error(prediction, y, loss == "icl");
        }
        Program::training(graph)
    }

    fn lru(&self, mixing: &'static Layer) -> Architecture {
        mixing.of(Sizes {
            hidden: self.size("n"),
            embed: self.size("e"),
            layers: 1,
            width: self.size("k"),
            ..Sizes::NONE
        })
    }

    /// The file's outputs of all positions, cut to those that the loss looks at.
    fn outputs(&self) -> Vec<f64> {
        let yhat = self.tensor("yhat");
        let sequence = yhat.len() / self.size("batch");
        let kept = if self.index["loss"] == "mse" { sequence } else { self.size("d_out") };
        yhat.chunks_exact(sequence)
            .flat_map(|outputs| &outputs[sequence - kept..])
            .copied()
            .collect()
    }

    fn parameters(&self, program: &Program, prefix: &str) -> Vec<f64> {
        program
            .params
            .iter()
            .flat_map(|param| self.tensor(&format!("{prefix}{}", param.name)))
            .collect()
    }
}

fn gradients(make: impl Fn(Program) -> Box<dyn Engine>, tolerance: f64) -> usize {
    let cases = Case::of_kind("gradient");
    for case in &cases {
        let program = case.program();
        let (params, splits) = (program.params.clone(), program.splits);
        let find = |name: &str| program.find(name).unwrap();
        let (x, y, prediction) = (find("x"), find("y"), find("readout"));
        let mut engine = make(program.clone());
        engine.write(Graph::PARAMETERS, &case.parameters(&program, ""));
        engine.write(x, &case.tensor("inputs"));
        engine.write(y, &case.tensor("targets"));
        engine.backend().set_clock(&optimizer(0.0, 0.0).clock(0, 0));
        engine.step();
        let error = norm_error(&engine.read(prediction), &case.outputs());
        assert!(error <= tolerance, "{}: outputs are off by {error:.2e}", case.id);
        let loss = engine.loss();
        assert!(
            (loss / case.tensor("loss")[0] - 1.0).abs() <= tolerance.max(1e-6),
            "{}: loss {loss}",
            case.id
        ); // the ring holds f32
        let flat = engine.read(Graph::GRADIENTS);
        for param in params.iter() {
            let sum: Vec<f64> = param
                .range()
                .map(|i| (0..splits).map(|s| flat[s * params.len() + i]).sum())
                .collect();
            let error = norm_error(&sum, &case.tensor(&format!("grad.{}", param.name)));
            assert!(
                error <= tolerance,
                "{}: the gradient of {} is off by {error:.2e}",
                case.id,
                param.name
            );
        }
    }
    cases.len()
}

fn optimizer(learning_rate: f32, weight_decay: f32) -> Optimizer {
    let constant = || Schedule::constant(1.0);
    Optimizer {
        steps: 1000,
        learning_rate,
        rate_schedule: constant(),
        warmup: 0,
        weight_decay,
        decay_schedule: constant(),
        beta1: 0.9,
        beta2: Schedule::constant(0.999),
        epsilon: 1e-8,
        clip: 0.0,
    }
}

fn adamw(make: impl Fn(Program) -> Box<dyn Engine>, tolerance: f64) -> usize {
    let cases = Case::of_kind("adamw");
    for case in &cases {
        let program = case.program();
        let find = |name: &str| program.find(name).unwrap();
        let (x, y) = (find("x"), find("y"));
        let setting = |name: &str| case.index["optimizer"][name].as_f64().unwrap() as f32;
        let mut engine = make(program.clone());
        engine.write(Graph::PARAMETERS, &case.parameters(&program, ""));
        engine.backend().set_clock(&optimizer(setting("lr"), setting("weight_decay")).clock(0, 0));
        let (inputs, targets) = (case.tensor("inputs"), case.tensor("targets"));
        for step in 1..=10 {
            let batch =
                |all: &[f64]| all[all.len() / 10 * (step - 1)..all.len() / 10 * step].to_vec();
            engine.write(x, &batch(&inputs));
            engine.write(y, &batch(&targets));
            engine.step();
            if step == 1 || step == 10 {
                let error = norm_error(
                    &engine.read(Graph::PARAMETERS),
                    &case.parameters(&program, &format!("step{step}.")),
                );
                assert!(
                    error <= tolerance,
                    "{} step {step}: parameters are off by {error:.2e}",
                    case.id
                );
            } else {
                engine.read(Graph::PARAMETERS); // the step is over before its batch is overwritten
            }
        }
    }
    cases.len()
}

fn cpu<F: gatelens::math::float::Float>(program: Program) -> Cpu<F> {
    Cpu::new(program, 2, u64::MAX).unwrap()
}

#[test]
fn the_comparator_can_fail() {
    let exact = [3.0, -4.0, 12.0];
    assert_eq!(norm_error(&exact, &exact), 0.0);
    assert!(
        (norm_error(&[3.0, -4.0, 12.0013], &exact) - 1e-4).abs() < 1e-9,
        "a perturbed copy, by its norm"
    );
    assert_eq!(norm_error(&exact[..2], &exact), f64::INFINITY, "another length");
    assert_eq!(norm_error(&[3.0, f64::NAN, 12.0], &exact), f64::INFINITY, "no number");
    assert!(norm_error(&[1e-9], &[0.0]) > 0.0, "something where nothing should be");
}

#[test]
fn gradients_in_double_precision() {
    assert!(gradients(|program| Box::new(cpu::<f64>(program)), 1e-9) >= 34);
}

#[test]
fn gradients_in_single_precision() {
    gradients(|program| Box::new(Single(Box::new(cpu::<f32>(program)), f64::NAN)), 1e-5);
}

#[test]
fn ten_steps_in_double_precision() {
    assert!(adamw(|program| Box::new(cpu::<f64>(program)), 1e-8) >= 5);
}

#[test]
fn ten_steps_in_single_precision() {
    adamw(|program| Box::new(Single(Box::new(cpu::<f32>(program)), f64::NAN)), 1e-5);
}

#[cfg(feature = "gpu")]
#[path = "support/device.rs"]
mod device;

/// Runs `check` on the GPU, if there is one.
#[cfg(feature = "gpu")]
fn on_gpu(check: impl FnOnce(&dyn Fn(Program) -> Box<dyn Engine>) -> usize) {
    if let Some(context) = device::context() {
        check(&|program| {
            Box::new(Single(
                Box::new(gatelens::backend::gpu::Gpu::new(&context, program).unwrap()),
                f64::NAN,
            ))
        });
    }
}

#[cfg(feature = "gpu")]
#[test]
fn gradients_on_the_gpu() {
    on_gpu(|make| gradients(make, 1e-5));
}

#[cfg(feature = "gpu")]
#[test]
fn ten_steps_on_the_gpu() {
    on_gpu(|make| adamw(make, 1e-5));
}
