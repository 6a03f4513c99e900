// y = a + b, all [batch, time, width_out]. An invocation owns one number.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;

// y = a + b
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    if flat(id) < count {
        y[i] = a[i] + b[i];
    }
}

// dx = dy (or += with `accumulate`)
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    if flat(id) >= count {
        return;
    }
    if dims.accumulate == 1u { dx[i] += dy[i]; } else { dx[i] = dy[i]; }
}
