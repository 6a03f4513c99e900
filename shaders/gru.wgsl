// PyTorch's GRU, gates in the order r, z, n: q = W_hh h_{t−1} + b_hh,
//   r = σ(u_r + q_r),  z = σ(u_z + q_z),  n = tanh(u_n + r ⊙ q_n),  h_t = (1 − z) ⊙ n + z ⊙ h_{t−1},  h_0 = 0
// h [batch, time, n], u, q [batch, time, 3 n]; W_hh [3 n, n] at dims.weight, b_hh [3 n] behind it.
// A workgroup owns a sequence and keeps its state in workgroup memory; an invocation owns every 64th channel.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read_write> new_gates: array<f32>; // [batch, time, 4 n]: r, z, n, q_n
@group(0) @binding(4) var<storage, read_write> h: array<f32>;
@group(0) @binding(2) var<storage, read> gates: array<f32>;
@group(0) @binding(3) var<storage, read> past_h: array<f32>; // h, on the way back
@group(0) @binding(4) var<storage, read> dh: array<f32>;
@group(0) @binding(5) var<storage, read_write> du: array<f32>;
@group(0) @binding(6) var<storage, read_write> dq: array<f32>;

// Room for a state; backend/gpu refuses a larger n.
const MAX_STATE: u32 = 512u;
var<workgroup> state: array<f32, 512>; // h_{t−1}; z ⊙ dh_t on the way back
var<workgroup> later: array<vec3<f32>, 512>; // dq_{t+1}, a channel's three numbers together

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
            let place = i + n * vec3<u32>(0u, 1u, 2u);
            let row = weight + n * place;
            let at = place + 3u * now;
            var q = w3(place + weight + 3u * n * n);
            for (var k = 0u; k < n; k++) { q = fma(w3(row + k), vec3<f32>(state[k]), q); }
            let r = sigmoid(u[at.x] + q.x);
            let z = sigmoid(u[at.y] + q.y);
            let fresh = tangent(fma(r, q.z, u[at.z]));
            let out = 4u * now + i;
            new_gates[out] = r;
            new_gates[out + n] = z;
            new_gates[out + 2u * n] = fresh;
            new_gates[out + 3u * n] = q.z;
            h[now + i] = fma(z, state[i], (1.0 - z) * fresh);
        }
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) { state[i] = h[now + i]; }
    }
}

// Back through time: dh_t ← dh_t + z_{t+1} ⊙ dh_{t+1} + W_hhᵀ dq_{t+1}.
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
        later[i] = vec3<f32>();
    }
    for (var t = dims.time; t > 0u; t--) {
        let now = (sequence * dims.time + t - 1u) * n;
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) {
            let column = weight + i + n * n * vec3<u32>(0u, 1u, 2u);
            var arrived = dh[now + i] + state[i];
            for (var k = 0u; k < n; k++) { arrived += dot(w3(column + k * n), later[k]); }
            let at = 4u * now + i;
            let r = gates[at];
            let z = gates[at + n];
            let fresh = gates[at + 2u * n];
            var before = 0.0;
            if t > 1u { before = past_h[now - n + i]; }
            let dn = arrived * (1.0 - z) * (1.0 - fresh * fresh);
            let dr = dn * gates[at + 3u * n] * r * (1.0 - r);
            let dz = arrived * (before - fresh) * z * (1.0 - z);
            let to = i + 3u * now + n * vec3<u32>(0u, 1u, 2u);
            du[to.x] = dr;
            du[to.y] = dz;
            du[to.z] = dn;
            dq[to.x] = dr;
            dq[to.y] = dz;
            dq[to.z] = dn * r;
            state[i] = arrived * z;
        }
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) {
            let to = i + 3u * now + n * vec3<u32>(0u, 1u, 2u);
            later[i] = vec3<f32>(dq[to.x], dq[to.y], dq[to.z]);
        }
    }
}

fn w3(i: vec3<u32>) -> vec3<f32> { return vec3<f32>(parameters[i.x], parameters[i.y], parameters[i.z]); }
