//! `evaluate`: sequences through a trained network.

use super::arguments::text;
use crate::backend::{Backend, cpu::Cpu};
use crate::graph::Graph;
use crate::graph::program::Program;
use crate::named::Named;
use crate::recipe::checkpoint;
use crate::{Error, Result};
use clap::ArgMatches;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

/// The `evaluate` command.
///
/// # Errors
/// Bad files, no device.
pub fn run(arguments: &ArgMatches) -> Result<()> {
    let path = |name: &str| text(arguments, name).unwrap_or_default();
    let (weights, input, out) = (path("weights"), path("input"), path("out"));
    let read = |name: &str| {
        std::fs::read(name).map_err(|e| Error::file(name, format!("could not be read: {e}")))
    };
    let network = checkpoint::read(weights, &read(weights)?)?;
    network.notes.iter().for_each(|note| eprintln!("{weights}: {note}"));
    let ([batch, time, width], x) = sequences(input, &read(input)?)?;
    if width != network.inputs {
        return Err(Error::file(
            input,
            format!(
                "x has {width} values per token; the network in {weights} reads {}",
                network.inputs
            ),
        ));
    }
    let program = network.forward_program(batch, time);
    let find = |name: &str| {
        program.find(name).ok_or_else(|| Error::file(weights, format!("the network has no {name}")))
    };
    let (x_buffer, y_buffer) = (find("x")?, find("readout")?);
    let mut backend = open(program, path("backend"))?;
    backend.write(Graph::PARAMETERS, &network.snapshot.parameters);
    backend.write(x_buffer, &x);
    backend.advance(1)?;
    backend.request(y_buffer);
    let y = loop {
        if let Some(y) = backend.poll()?.as_ref().and_then(|progress| progress.tensor(y_buffer)) {
            break y.to_vec();
        }
        std::thread::sleep(std::time::Duration::from_micros(200));
    };
    let problem = |e: &dyn std::fmt::Display| Error::System {
        what: format!("writing {out}"),
        problem: e.to_string(),
    };
    let view =
        TensorView::new(Dtype::F32, vec![batch, time, network.outputs], bytemuck::cast_slice(&y))
            .map_err(|e| problem(&e))?;
    let file = safetensors::serialize([("y", view)], None).map_err(|e| problem(&e))?;
    std::fs::write(out, file).map_err(|e| problem(&e))?;
    let device = backend.device();
    if arguments.get_flag("json") {
        let object = serde_json::json!({ "batch": batch, "time": time, "outputs": network.outputs, "backend": device.kind.key(), "adapter": device.name, "out": out });
        println!("{object}");
    } else {
        println!(
            "y [{batch}, {time}, {}] is in {out} (computed on {} {})",
            network.outputs,
            device.kind.key(),
            device.name
        );
    }
    Ok(())
}

fn open(program: Program, engine: &str) -> Result<Box<dyn Backend>> {
    let cpu = |program| -> Result<Box<dyn Backend>> {
        Ok(Box::new(Cpu::<f32>::new(program, 0, crate::platform::memory_limit())?))
    };
    #[cfg(feature = "gpu")]
    let gpu = |program, context: &crate::backend::gpu::Context| -> Result<Box<dyn Backend>> {
        Ok(Box::new(crate::backend::gpu::Gpu::new(context, program)?))
    };
    match engine {
        "cpu" => cpu(program),
        #[cfg(feature = "gpu")]
        "gpu" => gpu(program, &pollster::block_on(crate::backend::gpu::Context::open())?),
        #[cfg(feature = "gpu")]
        "auto" => match pollster::block_on(crate::backend::gpu::Context::open()) {
            Ok(context) if !context.device().software => {
                gpu(program.clone(), &context).or_else(|error| {
                    eprintln!("gatelens: {error}; using the CPU engine");
                    cpu(program)
                })
            }
            _ => cpu(program),
        },
        #[cfg(not(feature = "gpu"))]
        "auto" => cpu(program),
        other => Err(Error::setting("backend", other, "auto, gpu or cpu")),
    }
}

/// x and its shape `[batch, time, width]`.
fn sequences(name: &str, bytes: &[u8]) -> Result<([usize; 3], Vec<f32>)> {
    let wrong = |problem: String| Error::file(name, problem);
    let file = SafeTensors::deserialize(bytes)
        .map_err(|e| wrong(format!("is not a whole safetensors file ({e})")))?;
    let view = file
        .tensor("x")
        .map_err(|_| wrong("has no tensor x; expected x [batch, time, d]".into()))?;
    let [batch, time, width] = view.shape()[..] else {
        return Err(wrong(format!("x has shape {:?}; expected [batch, time, d]", view.shape())));
    };
    if batch * time * width == 0 {
        return Err(wrong(format!(
            "x has shape {:?}; expected at least one sequence, token and number",
            view.shape()
        )));
    }
    let x: Vec<f32> = match view.dtype() {
        Dtype::F32 => view
            .data()
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
        Dtype::F64 => view
            .data()
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]) as f32)
            .collect(),
        other => return Err(wrong(format!("x is {other:?}; expected F32 or F64"))),
    };
    match x.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(wrong(format!("x holds {} at element {i}; expected finite numbers", x[i]))),
        None => Ok(([batch, time, width], x)),
    }
}
