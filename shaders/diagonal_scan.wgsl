// h_t = λ ⊙ h_{t−1} + u_t, h_0 = 0, λ = exp(−exp(ν)); u, h [batch, time, n], ν [n] at dims.weight.
// Sequences are short: an invocation walks through time with one channel's state in a register.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read_write> h: array<f32>;
@group(0) @binding(2) var<storage, read> past_h: array<f32>; // h, on the way back
@group(0) @binding(3) var<storage, read> dh: array<f32>;
@group(0) @binding(4) var<storage, read_write> du: array<f32>;
@group(0) @binding(5) var<storage, read_write> gradients: array<f32>; // [splits, parameters]

// An invocation owns a channel of a sequence.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_out;
    let sequence = flat(id) / n;
    let channel = flat(id) % n;
    if sequence >= dims.batch {
        return;
    }
    let lambda = exp(-exp(parameters[id.z * dims.parameters + dims.weight + channel]));
    let first = (id.z * dims.batch + sequence) * dims.time * n;
    let end = first + dims.time * n;
    var state = 0.0;
    for (var at = first + channel; at < end; at += n) {
        state = fma(lambda, state, u[at]);
        h[at] = state;
    }
}

// du_t = dh_t + λ du_{t+1}; dν = −exp(ν) λ Σ_t du_{t+1} h_t. An invocation owns a channel of a split's sequences.
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_out;
    let split = flat(id) / n;
    let channel = flat(id) % n;
    if split >= dims.splits {
        return;
    }
    let rate = exp(parameters[id.z * dims.parameters + dims.weight + channel]);
    let lambda = exp(-rate);
    let first = id.z * dims.batch;
    let end = first + (split + 1u) * dims.batch / dims.splits;
    var sum = 0.0;
    for (var sequence = first + split * dims.batch / dims.splits; sequence < end; sequence++) {
        var later = 0.0; // du_{t+1}
        var at = (sequence + 1u) * dims.time * n + channel;
        for (var t = dims.time; t > 0u; t--) {
            at -= n;
            sum = fma(later, past_h[at], sum);
            later = fma(lambda, later, dh[at]);
            du[at] = later;
        }
    }
    gradients[(id.z * dims.splits + split) * dims.parameters + dims.weight + channel] = -rate * lambda * sum;
}
