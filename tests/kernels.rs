//! GPU = CPU: each kernel at odd shapes over poisoned outputs, whole trainings, and what the engine
//! promises: nothing uploaded a step, one mapping at a time, runs that repeat bit for bit, errors
//! that are values. Without an adapter these tests say that they skip; with REQUIRE_GPU=1 they
//! fail.

#![cfg(feature = "gpu")]

#[path = "support/device.rs"]
mod device;
#[path = "support/ops.rs"]
mod ops;
#[path = "support/programs.rs"]
mod programs;
#[path = "support/gpu.rs"]
mod support;

use device::context;
use gatelens::Error;
use gatelens::backend::cpu::Cpu;
use gatelens::backend::cpu::clock::State;
use gatelens::backend::gpu::{Context, Gpu};
use gatelens::backend::{Backend, Progress};
use gatelens::graph::call::Call;
use gatelens::graph::dims::{CLOCK_LEN, Clock, Curve, Dims, KNOTS, RING, RUNNING, Rates};
use gatelens::graph::kernel::Access;
use gatelens::graph::op::Kernel;
use gatelens::graph::program::Program;
use gatelens::graph::{BufferId, Graph, Storage};
use gatelens::math::random;
use gatelens::model::Sizes as LayerSizes;
use gatelens::model::{gated_diagonal::GATED, lstm::LSTM};
use programs::{branching, classifying, gathering, recalling, regressing, zoo};
use support::{POISON, Sizes, assert_close, clock, cpu, relative_error, training};

#[test]
fn the_comparator_can_fail() {
    let expected = random::normals(1, "comparator", 1000);
    assert_eq!(relative_error(&expected, &expected), Ok(0.0));
    let mut perturbed = expected.clone();
    perturbed[500] += 1e-2;
    assert!(relative_error(&perturbed, &expected).is_ok_and(|error| error > 1e-4));
    perturbed[500] = f32::NAN;
    assert!(relative_error(&perturbed, &expected).is_err());
    assert!(relative_error(&expected, &perturbed).is_err());
    assert!(relative_error(&expected[1..], &expected).is_err());
    assert!(
        relative_error(&[1.0], &[0.0]).is_ok_and(|error| error > 1.0),
        "something instead of nothing"
    );
    assert!(relative_error(&[POISON; 1000], &expected).is_ok_and(|error| error > 1.0));
}

/// Gives a run its parameters, teacher and clock.
fn start(backend: &mut dyn Backend, clock: &Clock) {
    let parameters = backend.program().params.initial(clock.seed);
    backend.write(Graph::PARAMETERS, &parameters);
    for name in ["teacher", "regression", "data.x", "data.y", "data.weight"] {
        if let Some(constant) = backend.program().find(name) {
            let entries =
                random::normals(clock.seed, name, backend.program().buffers[constant.0].count());
            backend.write(constant, &entries);
        }
    }
    backend.set_clock(clock);
}

fn engine(context: &Context, program: &Program) -> Gpu {
    Gpu::new(context, program.clone()).expect("the program fits")
}

fn finish(gpu: &mut Gpu) -> Progress {
    gpu.wait().expect("the device works").into_iter().next().expect("something was done")
}

fn read(gpu: &mut Gpu, buffer: BufferId) -> Vec<f32> {
    gpu.request(buffer);
    finish(gpu).tensor(buffer).expect("it was requested").to_vec()
}

/// Where `call` writes in `buffer`: a kernel of weights writes its part of each split's gradients,
/// others everything.
fn written(program: &Program, call: &Call, buffer: BufferId) -> Vec<std::ops::Range<usize>> {
    let len = program.buffers[buffer.0].count();
    if buffer != Graph::GRADIENTS {
        return std::iter::once(0..len).collect();
    }
    let Dims { width_in, width_out, constant, weight, parameters, .. } = call.dims;
    let numbers = match call.kernel {
        Kernel::LinearBackwardWeight => width_out * (width_in + constant),
        Kernel::BilinearBackwardWeight => 2 * width_out * (width_in + constant),
        Kernel::DiagonalScanBackward | Kernel::BiasBackward | Kernel::ScaleBackward => width_out,
        Kernel::ComplexScanBackward => 3 * width_out,
        Kernel::SelectiveScanBackward => width_out * width_in,
        Kernel::DenseScanBackwardWeight => width_out * (width_in + constant),
        Kernel::ComplexReadoutBackwardWeight => 2 * width_out * width_in,
        other => unreachable!("{other:?} writes no gradients"),
    };
    (0..program.splits)
        .map(|s| s * parameters as usize + weight as usize)
        .map(|first| first..first + numbers as usize)
        .collect()
}

/// Runs the program's calls one by one on both engines. Before each, the GPU's inputs become the
/// CPU's and its outputs poison; after it, outputs are equal and nothing outside of them was
/// touched.
fn compare_calls(context: &Context, program: &Program, seed: u32) {
    let (mut gpu, mut cpu) = (engine(context, program), cpu(program));
    let classes = program
        .calls
        .iter()
        .find(|call| call.kernel == Kernel::LossCrossEntropy)
        .map_or(0, |call| call.dims.width_out);
    let settings = clock(seed, 1e-2);
    start(&mut gpu, &settings);
    start(&mut cpu, &settings);
    for (id, buffer) in program.buffers.iter().enumerate() {
        if matches!(
            buffer.storage,
            Storage::Activation { .. } | Storage::SecondMoment | Storage::FirstMoment
        ) {
            let mut random = random::normals(seed, &buffer.name, buffer.count())
                .into_iter()
                .map(f32::abs)
                .collect::<Vec<f32>>();
            if classes > 0 && buffer.name == "y" {
                random.iter_mut().for_each(|v| *v = v.floor().min(classes as f32 - 1.0));
            }
            cpu.write(BufferId(id), &random);
            gpu.write(BufferId(id), &random);
        }
    }
    for (index, call) in program.calls.iter().enumerate() {
        let owned =
            |id: BufferId| !matches!(program.buffers[id.0].storage, Storage::Clock | Storage::Ring);
        let in_place = call.kernel == Kernel::AdamwUpdate || call.dims.accumulate == 1;
        for (&id, access) in
            call.args.iter().zip(call.kernel.access()).filter(|(id, _)| owned(**id))
        {
            if access == Access::Read || in_place {
                gpu.write(id, &cpu.read_exact(id));
            } else {
                gpu.write(id, &vec![POISON; program.buffers[id.0].count()]);
            }
        }
        cpu.run_call(call);
        gpu.run_call(index).expect("the device works");
        for (&id, _) in call
            .args
            .iter()
            .zip(call.kernel.access())
            .filter(|(_, access)| *access == Access::Write)
        {
            let what = format!(
                "{:?} of batch {}, time {}: {}",
                call.kernel, program.batch, program.time, program.buffers[id.0].name
            );
            compare_output(&what, program, call, id, (&mut gpu, &cpu));
        }
    }
}

fn compare_output(
    what: &str,
    program: &Program,
    call: &Call,
    id: BufferId,
    (gpu, cpu): (&mut Gpu, &Cpu<f32>),
) {
    let tolerance = if call.kernel.file().ends_with("_scan") { 1e-4 } else { 1e-5 };
    let actual = read(gpu, id);
    match program.buffers[id.0].storage {
        Storage::Clock => {
            assert_eq!([1, RUNNING], [actual[0].to_bits(), actual[1].to_bits()], "{what}")
        }
        Storage::Ring => assert_close(what, &actual[..2], &cpu.read_exact(id), tolerance),
        _ => {
            let (expected, parts) = (cpu.read_exact(id), written(program, call, id));
            for part in &parts {
                assert_close(what, &actual[part.clone()], &expected[part.clone()], tolerance);
            }
            let outside = (0..actual.len()).filter(|i| !parts.iter().any(|part| part.contains(i)));
            assert!(
                outside.into_iter().all(|i| actual[i] == POISON),
                "{what}: written outside of its part"
            );
        }
    }
}

/// batch, time, dim, n, m: edges of tiles and splits on both sides, and one of everything.
const SHAPES: [[usize; 5]; 6] = [
    [1, 1, 1, 1, 1],
    [3, 5, 2, 7, 5],
    [5, 3, 3, 9, 17],
    [67, 7, 4, 19, 3],
    [9, 31, 4, 33, 37],
    [8, 8, 5, 16, 16],
];

#[test]
fn every_kernel_equals_its_twin() {
    let Some(context) = context() else { return };
    let mut seen = std::collections::HashSet::new();
    for (seed, [batch, time, dim, hidden, gates]) in (1..).zip(SHAPES) {
        let sizes = Sizes { batch, time, dim };
        for model in [
            GATED.of(LayerSizes { hidden, gates, ..LayerSizes::NONE }),
            GATED.of(LayerSizes { hidden, side: true, ..LayerSizes::NONE }),
        ] {
            let program = training(model, sizes);
            seen.extend(program.calls.iter().map(|call| call.kernel));
            compare_calls(&context, &program, seed);
        }
        for program in [
            branching(sizes, hidden, gates),
            zoo(sizes, hidden, gates),
            classifying(sizes, hidden),
            regressing(sizes, gates).clipped(),
            recalling(sizes, hidden),
            gathering(sizes, hidden),
        ] {
            seen.extend(program.calls.iter().map(|call| call.kernel));
            compare_calls(&context, &program, seed);
        }
    }
    for (_, network) in ops::OPS {
        let program = ops::training(1, 2, *network);
        if program.calls.iter().filter(|call| seen.insert(call.kernel)).count() > 0 {
            for (seed, [batch, time, ..]) in (1..).zip(SHAPES) {
                compare_calls(&context, &ops::training(batch, time, *network), seed);
            }
        }
    }
    let missing: Vec<&Kernel> =
        Kernel::ALL.iter().filter(|kernel| !seen.contains(kernel)).collect();
    assert!(missing.is_empty(), "no program of the tests runs {missing:?}");
}

#[test]
fn the_clock_follows_every_kind_of_schedule() {
    let Some(context) = context() else { return };
    let knots = |count: u32, cosine, at: [f32; 4], value: [f32; 4]| {
        let mut curve = Curve { count, cosine, at: [0.0; KNOTS], value: [0.0; KNOTS] };
        curve.at[..4].copy_from_slice(&at);
        curve.value[..4].copy_from_slice(&value);
        curve
    };
    let settings = Clock {
        warmup: 7,
        rate_curve: knots(4, 1, [3.0, 10.0, 10.0, 20.0], [1.0, 0.25, 0.5, 0.0]),
        decay_curve: knots(2, 0, [0.0, 17.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]),
        beta2_curve: knots(3, 0, [0.0, 5.0, 9.0, 0.0], [0.5, 0.1, 0.001, 0.0]),
        ..clock(3, 1e-2)
    };
    let mut program = training(
        GATED.of(LayerSizes { hidden: 2, side: true, ..LayerSizes::NONE }),
        Sizes { batch: 1, time: 2, dim: 2 },
    );
    program.calls.retain(|call| call.kernel == Kernel::ClockAdvance);
    let mut gpu = engine(&context, &program);
    gpu.set_clock(&settings);
    let mut twin = State::<f32>::new(&settings);
    for step in 1..=25 {
        gpu.advance(1).expect("the device works");
        twin.advance();
        let bits = read(&mut gpu, Graph::CLOCK);
        assert_eq!(bits.len(), CLOCK_LEN);
        let found: Clock = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&bits));
        assert_eq!((found.step, found.halted_at), (step, RUNNING));
        let found =
            [found.rate, found.decay, found.one_minus_beta2, found.correction1, found.correction2];
        let expected =
            [twin.rate, twin.decay, twin.one_minus_beta2, twin.correction1, twin.correction2];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(
                (found - expected).abs() <= 1e-6 * expected.abs() + 1e-9,
                "step {step}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn a_dispatch_of_more_than_a_row_of_groups_misses_nothing() {
    let Some(context) = context() else { return };
    let mut graph = Graph::new(1100, 1024);
    let (a, b) = (graph.input("a", 2), graph.input("b", 2));
    let y = graph.hadamard("y", a, b).id();
    let program = Program::forward(graph);
    let len = program.buffers[y.0].count();
    assert!(len > 32_768 * 64, "too small to wrap");
    let mut gpu = engine(&context, &program);
    gpu.write(a.id(), &(0..len).map(|i| i as f32).collect::<Vec<f32>>());
    gpu.write(b.id(), &vec![2.0; len]);
    gpu.write(y, &vec![POISON; len]);
    gpu.advance(1).expect("the device works");
    let y = read(&mut gpu, y);
    assert!(y.iter().enumerate().all(|(i, &v)| v == 2.0 * i as f32), "a product is missing");
}

#[test]
fn trainings_follow_the_cpu() {
    let Some(context) = context() else { return };
    let sizes = Sizes { batch: 8, time: 8, dim: 4 };
    for model in [
        GATED.of(LayerSizes { hidden: 16, gates: 16, ..LayerSizes::NONE }),
        GATED.of(LayerSizes { hidden: 16, side: true, ..LayerSizes::NONE }),
    ] {
        let program = training(model, sizes);
        let (mut gpu, mut cpu) = (engine(&context, &program), cpu(&program));
        for backend in [&mut gpu as &mut dyn Backend, &mut cpu] {
            start(backend, &clock(5, 3e-3));
            backend.advance(30).expect("it works");
            backend.set_rates(Rates { learning_rate: 1e-3, weight_decay: 0.1 });
            backend.request(Graph::PARAMETERS);
        }
        let mut found = finish(&mut gpu);
        for backend in [&mut gpu as &mut dyn Backend, &mut cpu] {
            backend.advance(20).expect("it works");
            backend.request(Graph::PARAMETERS);
        }
        let expected = cpu.poll().expect("it works").expect("50 steps were done");
        let last = finish(&mut gpu);
        found.losses.extend(&last.losses);
        assert_eq!((last.step, found.losses.len(), last.halted_at), (50, 50, None));
        for (step, (found, expected)) in found.losses.iter().zip(&expected.losses).enumerate() {
            assert!(
                (found.loss / expected.loss - 1.0).abs() < 1e-3,
                "{model:?}, step {step}: {found:?} instead of {expected:?}"
            );
            assert!(
                (found.power / expected.power - 1.0).abs() < 1e-5,
                "{model:?}, step {step}: {found:?} instead of {expected:?}"
            );
        }
        let parameters =
            |progress: &Progress| progress.tensor(Graph::PARAMETERS).expect("requested").to_vec();
        assert_close("parameters", &parameters(&last), &parameters(&expected), 1e-3);
    }
}

#[test]
fn a_run_repeats_bit_for_bit() {
    let Some(context) = context() else { return };
    let program = training(
        GATED.of(LayerSizes { hidden: 9, gates: 17, ..LayerSizes::NONE }),
        Sizes { batch: 40, time: 8, dim: 3 },
    );
    assert!(program.splits > 1, "one split has no order of sums");
    let run = |fill: f32| {
        let mut gpu = engine(&context, &program);
        gpu.fill(fill);
        start(&mut gpu, &clock(11, 1e-2));
        gpu.advance(25).expect("the device works");
        gpu.request(Graph::PARAMETERS);
        let progress = finish(&mut gpu);
        (
            progress.losses.clone(),
            progress
                .tensor(Graph::PARAMETERS)
                .expect("requested")
                .iter()
                .map(|v| v.to_bits())
                .collect::<Vec<u32>>(),
        )
    };
    let first = run(0.0);
    assert_eq!(first.0.len(), 25);
    assert!(first == run(POISON), "a second run differs");
}

#[test]
fn evaluation_reads_what_the_host_writes() {
    let Some(context) = context() else { return };
    let mut graph = Graph::new(5, 6);
    let x = graph.input("x", 3);
    let y = GATED
        .of(LayerSizes { hidden: 7, gates: 4, ..LayerSizes::NONE })
        .forward(&mut graph, x, 3, 6)
        .id();
    let program = Program::forward(graph);
    let (mut gpu, mut cpu) = (engine(&context, &program), cpu(&program));
    for seed in [1, 2] {
        let outputs: Vec<Vec<f32>> = [&mut gpu as &mut dyn Backend, &mut cpu]
            .into_iter()
            .map(|backend| {
                backend.write(Graph::PARAMETERS, &program.params.initial(seed));
                backend.write(x.id(), &random::normals(seed, "x", 90));
                backend.advance(1).expect("it works");
                backend.request(y);
                loop {
                    if let Some(progress) = backend.poll().expect("it works") {
                        assert!(progress.losses.is_empty() && progress.halted_at.is_none());
                        break progress.tensor(y).expect("requested").to_vec();
                    }
                    std::thread::yield_now();
                }
            })
            .collect();
        assert_close("ŷ", &outputs[0], &outputs[1], 1e-5);
    }
}

#[test]
fn steps_upload_nothing_and_one_mapping_is_in_flight() {
    let Some(context) = context() else { return };
    let program = training(
        GATED.of(LayerSizes { hidden: 4, gates: 4, ..LayerSizes::NONE }),
        Sizes { batch: 2, time: 3, dim: 2 },
    );
    let mut gpu = engine(&context, &program);
    start(&mut gpu, &clock(2, 1e-3));
    let before = gpu.counters();
    let (mut losses, mut polls) = (0, 0);
    while losses < 500 {
        if !gpu.busy() {
            gpu.advance(10).expect("the device works");
        }
        gpu.request(Graph::PARAMETERS);
        losses += gpu.poll().expect("the device works").map_or(0, |progress| progress.losses.len());
        polls += 1;
        assert!(polls < 1_000_000, "nothing arrives");
    }
    let after = gpu.counters();
    assert_eq!(after.uploads, before.uploads, "a step uploads nothing");
    assert_eq!(
        after.dispatches - before.dispatches,
        (after.steps - before.steps) * program.calls.len() as u64
    );
    assert!(program.calls.len() <= 16, "{} dispatches a step", program.calls.len());
    assert_eq!(after.most_maps_in_flight, 1);
    assert!(after.maps > 1);
}

#[test]
fn losses_are_never_overwritten_unread() {
    let Some(context) = context() else { return };
    let program = training(
        GATED.of(LayerSizes { hidden: 1, side: true, ..LayerSizes::NONE }),
        Sizes { batch: 1, time: 1, dim: 1 },
    );
    let (mut gpu, mut cpu) = (engine(&context, &program), cpu(&program));
    start(&mut gpu, &clock(2, 1e-3));
    start(&mut cpu, &clock(2, 1e-3));
    gpu.advance(1000).expect("the device works");
    assert_eq!(finish(&mut gpu).losses.len(), 1000);
    let many = 2 * RING as u32 + 100;
    gpu.advance(many).expect("the device works");
    assert!(gpu.busy(), "the ring has no room for all of them");
    gpu.advance(1).expect("busy, so nothing happens");
    let progress = finish(&mut gpu);
    assert_eq!((progress.step, progress.losses.len()), (u64::from(1000 + many), many as usize));
    cpu.advance(1000 + many).expect("it works");
    let expected = cpu.poll().expect("it works").expect("steps were done").losses;
    let powers = |losses: &[gatelens::backend::StepLoss]| {
        losses.iter().map(|loss| loss.power).collect::<Vec<f32>>()
    };
    assert_close("powers in order", &powers(&progress.losses), &powers(&expected[1000..]), 1e-5);
    assert!(!gpu.busy());
}

#[test]
fn a_new_clock_starts_a_new_run_at_once() {
    let Some(context) = context() else { return };
    let program = training(
        GATED.of(LayerSizes { hidden: 3, side: true, ..LayerSizes::NONE }),
        Sizes { batch: 2, time: 2, dim: 2 },
    );
    let mut gpu = engine(&context, &program);
    start(&mut gpu, &clock(2, 1e-3));
    gpu.request(Graph::PARAMETERS);
    gpu.advance(3).expect("the device works"); // its readback is under way when the clock changes
    start(&mut gpu, &Clock { step: 100, ..clock(9, 1e-3) });
    gpu.advance(2).expect("the device works");
    let progress = finish(&mut gpu);
    assert_eq!(
        (progress.step, progress.losses.len()),
        (102, 2),
        "the old run's losses are dropped"
    );
    assert!(progress.tensor(Graph::PARAMETERS).is_some(), "its request is repeated");
}

#[test]
fn a_loss_that_is_no_number_halts_the_run() {
    let Some(context) = context() else { return };
    let program = training(
        GATED.of(LayerSizes { hidden: 4, gates: 4, ..LayerSizes::NONE }),
        Sizes { batch: 2, time: 3, dim: 2 },
    );
    let (mut gpu, mut cpu) = (engine(&context, &program), cpu(&program));
    let settings = Clock { warmup: 0, ..clock(2, 1e20) };
    for backend in [&mut gpu as &mut dyn Backend, &mut cpu] {
        start(backend, &settings);
        backend.advance(10).expect("it works");
        backend.request(Graph::PARAMETERS);
    }
    let (found, expected) =
        (finish(&mut gpu), cpu.poll().expect("it works").expect("steps were done"));
    assert!(expected.halted_at.is_some());
    assert_eq!(
        (found.step, found.halted_at, found.losses.len()),
        (expected.step, expected.halted_at, expected.losses.len())
    );
    let parameters = found.tensor(Graph::PARAMETERS).expect("requested").to_vec();
    gpu.advance(10).expect("it works");
    assert_eq!(read(&mut gpu, Graph::PARAMETERS), parameters, "a halted run changes nothing");
    start(&mut gpu, &clock(2, 1e-3));
    gpu.advance(2).expect("it works");
    assert_eq!((finish(&mut gpu).halted_at, gpu.busy()), (None, false), "a new clock runs again");
}

#[test]
fn a_lost_device_is_an_error() {
    let Some(context) = context() else { return };
    let program = training(
        GATED.of(LayerSizes { hidden: 3, side: true, ..LayerSizes::NONE }),
        Sizes { batch: 2, time: 2, dim: 2 },
    );
    let mut gpu = engine(&context, &program);
    start(&mut gpu, &clock(2, 1e-3));
    gpu.advance(5).expect("the device works");
    context.destroy();
    let lost = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::DeviceLost(_))), "{result:?}")
    };
    lost(gpu.wait().map(|_| ()));
    lost(gpu.poll().map(|_| ()));
    lost(gpu.advance(1));
    gpu.set_rates(Rates { learning_rate: 1.0, weight_decay: 1.0 });
    gpu.set_clock(&clock(2, 1e-3));
    gpu.request(Graph::PARAMETERS);
    lost(gpu.poll().map(|_| ()));
    lost(Gpu::new(&context, program.clone()).map(|_| ()));
}

#[test]
fn too_large_a_run_is_refused_before_anything_is_allocated() {
    let Some(context) = context() else { return };
    let model = GATED.of(LayerSizes { hidden: 1 << 10, side: true, ..LayerSizes::NONE });
    let refused =
        Gpu::new(&context, training(model, Sizes { batch: 1 << 14, time: 1 << 14, dim: 4 }))
            .map(|_| ());
    assert!(
        matches!(refused, Err(Error::TooLarge { needed_mib, allowed_mib, .. }) if needed_mib > allowed_mib),
        "{refused:?}"
    );
    let wide = Gpu::new(
        &context,
        training(
            GATED.of(LayerSizes { hidden: 2, side: true, ..LayerSizes::NONE }),
            Sizes { batch: 1, time: 2, dim: 65 },
        ),
    )
    .map(|_| ());
    assert!(matches!(wide, Err(Error::Setting { .. })), "{wide:?}");
    let deep = Gpu::new(
        &context,
        training(
            LSTM.of(LayerSizes { hidden: 513, embed: 2, ..LayerSizes::NONE }),
            Sizes { batch: 1, time: 2, dim: 2 },
        ),
    )
    .map(|_| ());
    assert!(matches!(deep, Err(Error::Setting { .. })), "{deep:?}");
}

#[test]
fn an_error_that_nobody_caught_is_reported() {
    let Some(_) = context() else { return };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    let adapter = adapters.into_iter().next().expect("one was found above");
    let (device, queue) =
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))
            .expect("a device");
    let program = training(
        GATED.of(LayerSizes { hidden: 2, side: true, ..LayerSizes::NONE }),
        Sizes { batch: 1, time: 2, dim: 2 },
    );
    let shared = || {
        Context::shared(&adapter, device.clone(), queue.clone()).expect("it has compute shaders")
    };
    let mut gpu = engine(&shared(), &program);
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::STORAGE;
    let _ = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 3,
        usage,
        mapped_at_creation: true,
    });
    assert!(matches!(gpu.poll(), Err(Error::Device(_))));
    assert!(matches!(gpu.advance(1), Err(Error::Device(_))));
    let mut again = engine(&shared(), &program);
    start(&mut again, &clock(2, 1e-3));
    again.advance(1).expect("a new context starts anew");
    assert_eq!(finish(&mut again).step, 1);
}
