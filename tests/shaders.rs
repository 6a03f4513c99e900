//! Every shader parses, validates, keeps WebGPU's default limits, and agrees with the Rust side:
//! entry points, bindings and their access, layouts of shared structs.

#![cfg(feature = "gpu")]

use gatelens::backend::gpu::pipeline;
use gatelens::graph::dims::{Clock, Curve, Dims, RING, RUNNING};
use gatelens::graph::kernel::{Access, Grid};
use gatelens::graph::op::Kernel;
use gatelens::graph::op::{activation::Function, attention::Scores};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::path::Path;
use wgpu::naga;

/// A shader with its shared parts, parsed and validated as for a device with no optional feature.
fn parse(kernel: Kernel) -> (naga::Module, naga::valid::ModuleInfo) {
    let (file, text) = (kernel.file(), pipeline::source(kernel));
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|e| panic!("{file}.wgsl: {}", e.emit_to_string(&text)));
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    );
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{file}.wgsl: {e:?}"));
    (module, info)
}

/// The kernels of each file.
fn files() -> BTreeMap<&'static str, Vec<Kernel>> {
    let mut files = BTreeMap::<_, Vec<Kernel>>::new();
    Kernel::ALL.iter().for_each(|&kernel| files.entry(kernel.file()).or_default().push(kernel));
    files
}

fn directory(path: &str) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .expect("a directory of the crate");
    entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

#[test]
fn every_shader_has_kernels() {
    let shaders: BTreeSet<String> = directory("shaders").iter().map(|path| stem(path)).collect();
    assert_eq!(shaders, files().into_keys().map(str::to_owned).collect::<BTreeSet<String>>());
}

#[test]
fn entry_points_and_bindings_are_the_tables() {
    for (file, kernels) in files() {
        let (module, info) = parse(kernels[0]);
        let named: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.entry()).collect();
        let found: BTreeSet<&str> =
            module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(found, named, "entry points of {file}.wgsl");
        for (i, entry) in module.entry_points.iter().enumerate() {
            let kernel =
                kernels.iter().find(|kernel| kernel.entry() == entry.name).expect("named above");
            let mut bound = BTreeMap::new();
            for (handle, global) in module.global_variables.iter() {
                let Some(place) = &global.binding else { continue };
                if info.get_entry_point(i)[handle].is_empty() {
                    continue;
                }
                assert_eq!(place.group, 0, "{kernel:?}");
                if let naga::AddressSpace::Storage { access } = global.space {
                    let access = if access.contains(naga::StorageAccess::STORE) {
                        Access::Write
                    } else {
                        Access::Read
                    };
                    assert!(
                        bound.insert(place.binding, access).is_none(),
                        "{kernel:?} binds {} twice",
                        place.binding
                    );
                } else {
                    assert_eq!(
                        (place.binding, global.name.as_deref()),
                        (0, Some("dims")),
                        "{kernel:?}"
                    );
                }
            }
            let expected: BTreeMap<u32, Access> = (1..).zip(kernel.access()).collect();
            assert_eq!(bound, expected, "bindings of {kernel:?}");
        }
    }
}

#[test]
fn default_limits_hold() {
    for &kernel in Kernel::ALL {
        let (module, _) = parse(kernel);
        let entry = module
            .entry_points
            .iter()
            .find(|entry| entry.name == kernel.entry())
            .expect("checked above");
        let expected = match kernel {
            Kernel::ClockAdvance => 1,
            Kernel::ReduceLoss | Kernel::ReduceGradient => 256,
            _ => 64,
        };
        assert_eq!(entry.workgroup_size, [expected, 1, 1], "{kernel:?}");
        assert_eq!(
            kernel.grid() == Grid::One,
            expected != 64,
            "{kernel:?}: its grid counts invocations in groups of 64"
        );
        assert!(kernel.access().count() <= 8, "{kernel:?} binds more than 8 storage buffers");
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("types have layouts");
        let shared = module
            .global_variables
            .iter()
            .filter(|(_, global)| global.space == naga::AddressSpace::WorkGroup);
        let bytes: u32 = shared.map(|(_, global)| layouter[global.ty].size).sum();
        assert!(bytes <= 16 * 1024, "{kernel:?} takes {bytes} bytes of workgroup memory");
    }
    for path in directory("shaders").iter().chain(&directory("shaders/shared")) {
        let text = std::fs::read_to_string(path).expect("a shader");
        assert!(text.lines().count() <= 130, "{} has more than 130 lines", path.display());
        let code: String = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .collect::<Vec<_>>()
            .join("\n");
        for word in
            ["enable ", "requires ", "override ", "subgroup", "f16", "atomic", "var<immediate"]
        {
            assert!(!code.contains(word), "{} uses \"{word}\"", path.display());
        }
    }
}

/// Members of the WGSL struct `name`, with their offsets, and its size.
fn wgsl_layout(module: &naga::Module, name: &str) -> (Vec<(String, usize)>, usize) {
    let (_, found) = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no struct {name}"));
    let naga::TypeInner::Struct { members, span } = &found.inner else {
        panic!("{name} is no struct")
    };
    (
        members
            .iter()
            .map(|m| (m.name.clone().expect("members have names"), m.offset as usize))
            .collect(),
        *span as usize,
    )
}

macro_rules! rust_layout {
    ($ty:ty: $($member:ident),* $(,)?) => {
        (vec![$((stringify!($member).to_owned(), offset_of!($ty, $member))),*], size_of::<$ty>())
    };
}

#[test]
fn shared_structs_and_constants_agree() {
    let (module, _) = parse(Kernel::ClockAdvance);
    let dims = rust_layout!(Dims: batch, time, width_in, width_out, constant, splits, weight, parameters, stream, accumulate, first, half, kind);
    assert_eq!(wgsl_layout(&module, "Dims"), dims);
    assert_eq!(wgsl_layout(&module, "Curve"), rust_layout!(Curve: count, cosine, at, value));
    let clock = rust_layout!(Clock: step, halted_at, seed, warmup, peak_rate, base_decay, one_minus_beta1, epsilon, rate, decay,
        one_minus_beta2, correction1, correction2, clip, excess, rate_curve, decay_curve, beta2_curve);
    assert_eq!(wgsl_layout(&module, "Clock"), clock);
    let constant = |module: &naga::Module, name: &str| {
        let (_, constant) = module
            .constants
            .iter()
            .find(|(_, c)| c.name.as_deref() == Some(name))
            .unwrap_or_else(|| panic!("no constant {name}"));
        match module.global_expressions[constant.init] {
            naga::Expression::Literal(naga::Literal::U32(value)) => value,
            ref other => panic!("{name} is {other:?}"),
        }
    };
    assert_eq!(constant(&module, "RING") as usize, RING);
    assert_eq!(constant(&module, "RUNNING"), RUNNING);
    assert_eq!(constant(&parse(Kernel::AttentionTeacher).0, "MAX_DIM"), pipeline::MAX_TEACHER_DIM);
    for &kernel in Kernel::ALL.iter().filter(|kernel| kernel.grid() == Grid::Sequence) {
        assert_eq!(constant(&parse(kernel).0, "MAX_STATE"), pipeline::MAX_STATE, "{kernel:?}");
    }
    for (name, function) in [
        ("SIGMOID", Function::Sigmoid),
        ("GELU", Function::Gelu),
        ("SILU", Function::Silu),
        ("SOFTPLUS", Function::Softplus),
    ] {
        assert_eq!(
            (constant(&parse(Kernel::ActivationForward).0, name), Function::of(function as u32)),
            (function as u32, function)
        );
    }
    assert_eq!(constant(&parse(Kernel::AttentionForward).0, "SOFTMAX"), Scores::Softmax as u32);
    let many = Dims { batch: 1 << 14, time: 1 << 10, width_out: 16, ..Dims::default() };
    assert_eq!(pipeline::groups(Kernel::HadamardForward, &many)[0] * 64, constant(&module, "ROW"));
}

#[test]
fn dispatches_stay_inside_the_limits_and_cover_everything() {
    let dims = Dims { batch: 1 << 14, time: 1 << 10, width_out: 16, ..Dims::default() }; // 2²⁸ numbers
    let [x, y] = pipeline::groups(Kernel::HadamardForward, &dims);
    assert!(x <= 65_535 && y <= 65_535 && u64::from(x) * u64::from(y) * 64 >= 1 << 28, "{x} × {y}");
    let small = Dims { batch: 1, time: 1, width_out: 1, ..Dims::default() };
    assert_eq!(pipeline::groups(Kernel::HadamardForward, &small), [1, 1]);
}
