// Mamba's recurrence with N = width_in values per channel, E = width_out channels; A = −exp(a_log), a_log [E, N] at dims.weight:
//   h_t[e, n] = exp(Δ_t[e] A[e, n]) h_{t−1}[e, n] + Δ_t[e] B_t[n] u_t[e],  h_0 = 0
// u, Δ [batch, time, E], B [batch, time, N]; h, its gradient dh and that through all later steps, s [batch, time, E, N].

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read> delta: array<f32>;
@group(0) @binding(4) var<storage, read> b: array<f32>;
@group(0) @binding(5) var<storage, read_write> h: array<f32>;
@group(0) @binding(2) var<storage, read> dh: array<f32>;
@group(0) @binding(4) var<storage, read> scanned_h: array<f32>; // h, for the entry `backward`
@group(0) @binding(5) var<storage, read_write> new_s: array<f32>;
@group(0) @binding(6) var<storage, read_write> gradients: array<f32>; // [splits, parameters]
@group(0) @binding(5) var<storage, read> past_h: array<f32>; // h, for the entry `backward_input`
@group(0) @binding(6) var<storage, read> s: array<f32>;
@group(0) @binding(7) var<storage, read_write> du: array<f32>;
@group(0) @binding(8) var<storage, read_write> ddelta: array<f32>;
@group(0) @binding(1) var<storage, read> past_s: array<f32>; // s, for the entry `backward_b`
@group(0) @binding(4) var<storage, read_write> db: array<f32>;

// An invocation owns one number of a channel of a sequence.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let cells = dims.width_out * dims.width_in;
    let sequence = id.z * dims.batch + flat(id) / cells;
    let cell = flat(id) % cells;
    if flat(id) >= dims.batch * cells {
        return;
    }
    let a = -exp(parameters[id.z * dims.parameters + dims.weight + cell]);
    var state = 0.0;
    for (var row = sequence * dims.time; row < (sequence + 1u) * dims.time; row++) {
        let e = row * dims.width_out + cell / dims.width_in;
        let n = row * dims.width_in + cell % dims.width_in;
        state = fma(exp(delta[e] * a), state, delta[e] * b[n] * u[e]);
        h[row * cells + cell] = state;
    }
}

// s_t = dh_t + exp(Δ_{t+1} A) s_{t+1}; da_log = A Σ Δ_t exp(Δ_t A) s_t h_{t−1}. An invocation owns one number of a channel in a split.
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let cells = dims.width_out * dims.width_in;
    let split = flat(id) / cells;
    let cell = flat(id) % cells;
    if split >= dims.splits {
        return;
    }
    let a = -exp(parameters[id.z * dims.parameters + dims.weight + cell]);
    let first = id.z * dims.batch;
    let end = first + (split + 1u) * dims.batch / dims.splits;
    var sum = 0.0;
    for (var sequence = first + split * dims.batch / dims.splits; sequence < end; sequence++) {
        var later = 0.0; // exp(Δ_{t+1} A) s_{t+1}
        for (var t = dims.time; t > 0u; t--) {
            let row = sequence * dims.time + t - 1u;
            let step = delta[row * dims.width_out + cell / dims.width_in];
            let now = dh[row * cells + cell] + later;
            new_s[row * cells + cell] = now;
            later = exp(step * a) * now;
            if t > 1u {
                sum = fma(step * later, scanned_h[(row - 1u) * cells + cell], sum);
            }
        }
    }
    gradients[(id.z * dims.splits + split) * dims.parameters + dims.weight + cell] = a * sum;
}

// du_t[e] = Δ Σ_n s B; dΔ_t[e] = Σ_n s (A exp(Δ A) h_{t−1} + B u). An invocation owns a channel of a row.
@compute @workgroup_size(64)
fn backward_input(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let channel = id.z * count + flat(id);
    let row = channel / dims.width_out;
    if flat(id) >= count {
        return;
    }
    let cells = dims.width_out * dims.width_in;
    var added = 0.0; // Σ_n s B
    var kept = 0.0; // Σ_n s A exp(Δ A) h_{t−1}
    for (var n = 0u; n < dims.width_in; n++) {
        let cell = channel * dims.width_in + n;
        let a = -exp(parameters[id.z * dims.parameters + dims.weight + cell - row * cells]);
        added = fma(s[cell], b[row * dims.width_in + n], added);
        if row % dims.time > 0u {
            kept = fma(s[cell] * a * exp(delta[channel] * a), past_h[cell - cells], kept);
        }
    }
    du[channel] = delta[channel] * added;
    ddelta[channel] = fma(added, u[channel], kept);
}

// dB_t[n] = Σ_e s Δ u. An invocation owns one number of B.
@compute @workgroup_size(64)
fn backward_b(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_in;
    let i = id.z * count + flat(id);
    let row = i / dims.width_in;
    if flat(id) >= count {
        return;
    }
    var sum = 0.0;
    for (var channel = row * dims.width_out; channel < (row + 1u) * dims.width_out; channel++) {
        sum = fma(past_s[channel * dims.width_in + i % dims.width_in], delta[channel] * u[channel], sum);
    }
    db[i] = sum;
}
