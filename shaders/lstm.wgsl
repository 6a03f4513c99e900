// PyTorch's LSTM, gates in the order i, f, g, o: a = u_t + W_hh h_{t−1} + b,
//   c_t = σ(a_f) ⊙ c_{t−1} + σ(a_i) ⊙ tanh(a_g),  h_t = σ(a_o) ⊙ tanh(c_t),  h_0 = c_0 = 0
// c, h [batch, time, n], u [batch, time, 4 n]; W_hh [4 n, n] at dims.weight, b [4 n] behind it.
// A workgroup owns a sequence and keeps its state in workgroup memory; an invocation owns every 64th channel.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read_write> new_gates: array<f32>; // [batch, time, 4 n], after their nonlinearities
@group(0) @binding(4) var<storage, read_write> c: array<f32>;
@group(0) @binding(5) var<storage, read_write> h: array<f32>;
@group(0) @binding(2) var<storage, read> gates: array<f32>;
@group(0) @binding(3) var<storage, read> past_c: array<f32>; // c, on the way back
@group(0) @binding(4) var<storage, read> dh: array<f32>;
@group(0) @binding(5) var<storage, read_write> du: array<f32>;

// Room for a state; backend/gpu refuses a larger n.
const MAX_STATE: u32 = 512u;
var<workgroup> state: array<f32, 512>; // h_{t−1}; dc_t on the way back
var<workgroup> da: array<vec4<f32>, 512>; // the gradient of a_{t+1}, a channel's four numbers together

@compute @workgroup_size(64)
fn forward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let n = min(dims.width_out, MAX_STATE);
    let sequence = group.z * dims.batch + group_number(group);
    let weight = group.z * dims.parameters + dims.weight;
    if group_number(group) >= dims.batch {
        return;
    }
    for (var i = lane; i < n; i += 64u) { state[i] = 0.0; }
    for (var t = 0u; t < dims.time; t++) {
        let now = (sequence * dims.time + t) * n;
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) {
            let place = 4u * now + i + n * vec4<u32>(0u, 1u, 2u, 3u);
            let row = weight + n * (i + n * vec4<u32>(0u, 1u, 2u, 3u));
            var a = vec4<f32>(u[place.x], u[place.y], u[place.z], u[place.w]) + w4(place - 4u * now + weight + 4u * n * n);
            for (var k = 0u; k < n; k++) { a = fma(w4(row + k), vec4<f32>(state[k]), a); }
            let gate = vec4<f32>(sigmoid(a.x), sigmoid(a.y), tangent(a.z), sigmoid(a.w));
            var cell = gate.x * gate.z;
            if t > 0u { cell = fma(gate.y, c[now - n + i], cell); }
            new_gates[place.x] = gate.x;
            new_gates[place.y] = gate.y;
            new_gates[place.z] = gate.z;
            new_gates[place.w] = gate.w;
            c[now + i] = cell;
            h[now + i] = gate.w * tangent(cell);
        }
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) { state[i] = h[now + i]; }
    }
}

// Back through time: dh_t ← dh_t + W_hhᵀ da_{t+1}, dc_t ← f dc_{t+1} + dh_t o (1 − tanh² c_t); du = da, the gradient of a.
@compute @workgroup_size(64)
fn backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let n = min(dims.width_out, MAX_STATE);
    let sequence = group.z * dims.batch + group_number(group);
    let weight = group.z * dims.parameters + dims.weight;
    if group_number(group) >= dims.batch {
        return;
    }
    for (var i = lane; i < n; i += 64u) {
        state[i] = 0.0;
        da[i] = vec4<f32>();
    }
    for (var t = dims.time; t > 0u; t--) {
        let now = (sequence * dims.time + t - 1u) * n;
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) {
            let place = 4u * now + i + n * vec4<u32>(0u, 1u, 2u, 3u);
            let column = weight + i + n * n * vec4<u32>(0u, 1u, 2u, 3u);
            var arrived = dh[now + i];
            for (var k = 0u; k < n; k++) { arrived += dot(w4(column + k * n), da[k]); }
            let gate = vec4<f32>(gates[place.x], gates[place.y], gates[place.z], gates[place.w]);
            var before = 0.0;
            if t > 1u { before = past_c[now - n + i]; }
            let cell = tangent(past_c[now + i]);
            let dc = fma(arrived * gate.w, 1.0 - cell * cell, state[i]);
            du[place.x] = dc * gate.z * gate.x * (1.0 - gate.x);
            du[place.y] = dc * before * gate.y * (1.0 - gate.y);
            du[place.z] = dc * gate.x * (1.0 - gate.z * gate.z);
            du[place.w] = arrived * cell * gate.w * (1.0 - gate.w);
            state[i] = dc * gate.y;
        }
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) {
            let place = 4u * now + i + n * vec4<u32>(0u, 1u, 2u, 3u);
            da[i] = vec4<f32>(du[place.x], du[place.y], du[place.z], du[place.w]);
        }
    }
}

fn w4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(parameters[i.x], parameters[i.y], parameters[i.z], parameters[i.w]); }
