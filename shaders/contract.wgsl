// y_t[e] = Σ_n C_t[n] h_t[e, n], N = width_in, E = width_out; C [batch, time, N], y [batch, time, E], h [batch, time, E, N].

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> h: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(3) var<storage, read_write> dh: array<f32>;
@group(0) @binding(2) var<storage, read> past_dy: array<f32>; // dy, for the entry `backward_c`
@group(0) @binding(3) var<storage, read_write> dc: array<f32>;

// An invocation owns one number of y.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    let row = i / dims.width_out;
    if flat(id) >= count {
        return;
    }
    var sum = 0.0;
    for (var n = 0u; n < dims.width_in; n++) {
        sum = fma(c[row * dims.width_in + n], h[i * dims.width_in + n], sum);
    }
    y[i] = sum;
}

// dh[e, n] = dy[e] C[n]. An invocation owns one number of h.
@compute @workgroup_size(64)
fn backward_h(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out * dims.width_in;
    let i = id.z * count + flat(id);
    let channel = i / dims.width_in;
    let row = channel / dims.width_out;
    if flat(id) < count {
        dh[i] = dy[channel] * c[row * dims.width_in + i % dims.width_in];
    }
}

// dC[n] = Σ_e dy[e] h[e, n]. An invocation owns one number of C.
@compute @workgroup_size(64)
fn backward_c(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_in;
    let i = id.z * count + flat(id);
    let row = i / dims.width_in;
    if flat(id) >= count {
        return;
    }
    var sum = 0.0;
    for (var channel = row * dims.width_out; channel < (row + 1u) * dims.width_out; channel++) {
        sum = fma(past_dy[channel], h[channel * dims.width_in + i % dims.width_in], sum);
    }
    dc[i] = sum;
}
