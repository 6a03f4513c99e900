//! A program's calls as the device wants them: pipelines, bind groups and dispatch sizes, made
//! once.

use crate::graph::call::Call;
use crate::graph::dims::Dims;
use crate::graph::kernel::{Access, Grid};
use crate::graph::op::{Kernel, kernels};
use crate::graph::program::Program;
use std::borrow::Cow;
use std::collections::HashMap;

const DIMS: &str = include_str!("../../../shaders/shared/dims.wgsl");
const RANDOM: &str = include_str!("../../../shaders/shared/random.wgsl");
const TILE: &str = include_str!("../../../shaders/shared/tile.wgsl");
const FUNCTIONS: &str = include_str!("../../../shaders/shared/functions.wgsl");

macro_rules! sources {
    ($($file:ident [$($shared:ident)*] {$(
        $(#[$doc:meta])*
        $name:ident: $entry:ident, $scope:ident, $grid:ident, $reads:literal -> $writes:literal,
            $rule:expr;
    )*})*) => {
        /// The text of a kernel's shader with the shared pieces that it uses appended; WGSL does
        /// not mind the order.
        pub fn source(kernel: Kernel) -> String {
            let pieces: &[&str] = match kernel {
                $($(Kernel::$name)|* => &[
                    include_str!(concat!("../../../shaders/", stringify!($file), ".wgsl")),
                    DIMS,
                    $($shared),*
                ],)*
            };
            pieces.join("\n")
        }
    };
}
kernels!(sources);

/// Widest token that `attention_teacher.wgsl` has room for.
pub const MAX_TEACHER_DIM: u32 = 64;
/// Widest state that `dense_scan.wgsl`, `lstm.wgsl` and `gru.wgsl` have room for.
pub const MAX_STATE: u32 = 512;

/// Invocations of a workgroup, but for kernels of [`Grid::One`].
const GROUP: u64 = 64;
/// Workgroups in a full row of a dispatch; `ROW` in `dims.wgsl` is this many times [`GROUP`].
const ROW_GROUPS: u64 = 32_768;
/// Bytes from one call's [`Dims`] to the next: what every device accepts as an offset.
const DIMS_STRIDE: u64 = 256;

/// One call, ready to be encoded.
pub(super) struct Ready {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) bind_group: wgpu::BindGroup,
    /// Workgroups in x and y, and replicas.
    pub(super) groups: [u32; 3],
}

impl Ready {
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups(self.groups[0], self.groups[1], self.groups[2]);
    }
}

/// Workgroups in x and y for a call.
pub fn groups(kernel: Kernel, dims: &Dims) -> [u32; 2] {
    let needed = if kernel.grid() == Grid::One {
        1
    } else {
        invocations(kernel.grid(), dims).div_ceil(GROUP).max(1)
    };
    [needed.min(ROW_GROUPS) as u32, needed.div_ceil(ROW_GROUPS) as u32]
}

/// Invocations that have something to do.
fn invocations(grid: Grid, dims: &Dims) -> u64 {
    let wide = |v: u32| u64::from(v);
    let tiles = |count: u64, size: u64| count.div_ceil(size);
    let rows = wide(dims.batch) * wide(dims.time);
    let fan_in = wide(dims.width_in + dims.constant);
    match grid {
        Grid::One => 1,
        Grid::Row => rows,
        Grid::Four => (rows * wide(dims.width_out)).div_ceil(4),
        Grid::Element => rows * wide(dims.width_out),
        Grid::Channel => wide(dims.batch) * wide(dims.width_out),
        Grid::State => wide(dims.batch) * wide(dims.width_out) * wide(dims.width_in),
        Grid::SplitState => wide(dims.splits) * wide(dims.width_out) * wide(dims.width_in),
        Grid::Cell => rows * wide(dims.width_out) * wide(dims.width_in),
        Grid::InputElement => rows * wide(dims.width_in),
        Grid::Sequence => wide(dims.batch) * GROUP,
        Grid::OutputTile => tiles(rows, 8) * tiles(wide(dims.width_out), 8),
        Grid::PairOutputTile => tiles(rows, 8) * tiles(wide(dims.width_out), 4),
        Grid::InputTile => tiles(rows, 8) * tiles(wide(dims.width_in), 8),
        Grid::PairInputTile => tiles(rows, 8) * tiles(wide(dims.width_in), 4),
        Grid::WeightTile => wide(dims.splits) * tiles(wide(dims.width_out), 8) * tiles(fan_in, 8),
        Grid::PairWeightTile => {
            wide(dims.splits) * tiles(wide(dims.width_out), 4) * tiles(fan_in, 8)
        }
        Grid::SplitChannel => wide(dims.splits) * wide(dims.width_out),
        Grid::Parameter => wide(dims.parameters),
    }
}

/// The buffer of all calls' [`Dims`].
pub(super) fn dims_buffer(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    program: &Program,
) -> wgpu::Buffer {
    let size = DIMS_STRIDE * program.calls.len().max(1) as u64;
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("dims"),
        size,
        usage,
        mapped_at_creation: false,
    });
    for (i, call) in program.calls.iter().enumerate() {
        queue.write_buffer(&buffer, i as u64 * DIMS_STRIDE, bytemuck::bytes_of(&call.dims));
    }
    buffer
}

/// Compiles each kernel that the program uses once and binds each call's buffers.
pub(super) fn prepare(
    device: &wgpu::Device,
    program: &Program,
    dims: &wgpu::Buffer,
    buffers: &[wgpu::Buffer],
) -> Vec<Ready> {
    let mut modules: HashMap<&str, wgpu::ShaderModule> = HashMap::new();
    let mut pipelines: HashMap<Kernel, (wgpu::BindGroupLayout, wgpu::ComputePipeline)> =
        HashMap::new();
    let ready = |(i, call): (usize, &Call)| {
        let (layout, pipeline) = pipelines.entry(call.kernel).or_insert_with(|| {
            let file = call.kernel.file();
            let module = modules.entry(file).or_insert_with(|| {
                let source = wgpu::ShaderSource::Wgsl(Cow::Owned(source(call.kernel)));
                device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(file),
                    source,
                })
            });
            compile(device, call.kernel, module)
        });
        let dims = wgpu::BufferBinding {
            buffer: dims,
            offset: i as u64 * DIMS_STRIDE,
            size: wgpu::BufferSize::new(size_of::<Dims>() as u64),
        };
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(dims),
        }];
        entries.extend((1..).zip(&call.args).map(|(binding, id)| wgpu::BindGroupEntry {
            binding,
            resource: buffers[id.0].as_entire_binding(),
        }));
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(call.kernel.file()),
            layout,
            entries: &entries,
        });
        let [x, y] = groups(call.kernel, &call.dims);
        Ready {
            pipeline: pipeline.clone(),
            bind_group,
            groups: [x, y, crate::graph::dims::as_u32(program.replicas)],
        }
    };
    program.calls.iter().enumerate().map(ready).collect()
}

fn compile(
    device: &wgpu::Device,
    kernel: Kernel,
    module: &wgpu::ShaderModule,
) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let label = format!("{}.{}", kernel.file(), kernel.entry());
    let entry = |binding: u32, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform)];
    let storage = |(binding, access): (u32, Access)| {
        entry(binding, wgpu::BufferBindingType::Storage { read_only: access == Access::Read })
    };
    entries.extend((1..).zip(kernel.access()).map(storage));
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(&label),
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(&label),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(&label),
        layout: Some(&pipeline_layout),
        module,
        entry_point: Some(kernel.entry()),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    (layout, pipeline)
}
