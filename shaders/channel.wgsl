// One number a channel, at dims.weight: y = x + b or y = d ⊙ x; x, y [batch, time, width_out].

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read> bias_dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> bias_gradients: array<f32>; // [splits, parameters]
@group(0) @binding(3) var<storage, read> dy: array<f32>;
@group(0) @binding(4) var<storage, read_write> dx: array<f32>;
@group(0) @binding(5) var<storage, read_write> gradients: array<f32>; // [splits, parameters]

// y = x + b. An invocation owns one number.
@compute @workgroup_size(64)
fn bias(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    if flat(id) < count {
        y[i] = x[i] + parameters[id.z * dims.parameters + dims.weight + i % dims.width_out];
    }
}

// db = Σ dy. An invocation owns a channel of a split's sequences.
@compute @workgroup_size(64)
fn bias_backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_out;
    let split = flat(id) / n;
    let channel = flat(id) % n;
    if split >= dims.splits {
        return;
    }
    let first = id.z * dims.batch * dims.time * n;
    let end = first + (split + 1u) * dims.batch / dims.splits * dims.time * n;
    var sum = 0.0;
    for (var at = first + split * dims.batch / dims.splits * dims.time * n + channel; at < end; at += n) {
        sum += bias_dy[at];
    }
    bias_gradients[(id.z * dims.splits + split) * dims.parameters + dims.weight + channel] = sum;
}

// y = d ⊙ x. An invocation owns one number.
@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    if flat(id) < count {
        y[i] = x[i] * parameters[id.z * dims.parameters + dims.weight + i % dims.width_out];
    }
}

// dx = d ⊙ dy; dd = Σ dy ⊙ x. An invocation owns a channel of a split's sequences.
@compute @workgroup_size(64)
fn scale_backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_out;
    let split = flat(id) / n;
    let channel = flat(id) % n;
    if split >= dims.splits {
        return;
    }
    let d = parameters[id.z * dims.parameters + dims.weight + channel];
    let first = id.z * dims.batch * dims.time * n;
    let end = first + (split + 1u) * dims.batch / dims.splits * dims.time * n;
    var sum = 0.0;
    for (var at = first + split * dims.batch / dims.splits * dims.time * n + channel; at < end; at += n) {
        dx[at] = d * dy[at];
        sum = fma(dy[at], x[at], sum);
    }
    gradients[(id.z * dims.splits + split) * dims.parameters + dims.weight + channel] = sum;
}
