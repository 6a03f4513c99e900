// Causal self-attention with one head: y_t = Σ_{s≤t} p_ts v_s, scores a_ts = q_t · k_s.
// p = softmax over s of a / √E (`kind` 0), or p = a (`kind` 1: linear attention); p [batch, time, time], 0 for s > t.
// q, k, v, y [batch, time, E], E = width_out.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> k: array<f32>;
@group(0) @binding(3) var<storage, read_write> new_p: array<f32>;
@group(0) @binding(1) var<storage, read> read_p: array<f32>; // p, for the entry `forward`
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read> weights_dy: array<f32>; // dy, for the entry `backward_weights`
@group(0) @binding(4) var<storage, read_write> new_da: array<f32>;
@group(0) @binding(3) var<storage, read> p: array<f32>;
@group(0) @binding(4) var<storage, read> da: array<f32>;
@group(0) @binding(5) var<storage, read> dy: array<f32>;
@group(0) @binding(6) var<storage, read_write> dq: array<f32>;
@group(0) @binding(7) var<storage, read_write> dk: array<f32>;
@group(0) @binding(8) var<storage, read_write> dv: array<f32>;

const SOFTMAX: u32 = 0u;

// p. An invocation owns a row (sequence, t).
@compute @workgroup_size(64)
fn weights(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.z * dims.batch * dims.time + flat(id);
    if flat(id) >= dims.batch * dims.time {
        return;
    }
    let width = dims.width_out;
    let first = row - row % dims.time; // of the sequence
    let to = row * dims.time;
    let scale = select(1.0, inverseSqrt(f32(width)), dims.kind == SOFTMAX);
    var largest = -3.0e38;
    for (var s = 0u; s < dims.time; s++) {
        var score = 0.0;
        if first + s <= row {
            for (var e = 0u; e < width; e++) { score = fma(q[row * width + e], k[(first + s) * width + e], score); }
            score *= scale;
            largest = max(largest, score);
        }
        new_p[to + s] = score;
    }
    if dims.kind != SOFTMAX {
        return;
    }
    var sum = 0.0;
    for (var s = 0u; s <= row - first; s++) {
        let weight = exp(max(new_p[to + s] - largest, -80.0));
        new_p[to + s] = weight;
        sum += weight;
    }
    for (var s = 0u; s <= row - first; s++) { new_p[to + s] /= sum; }
}

// y_t = Σ_{s≤t} p_ts v_s. An invocation owns one number.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    let row = i / dims.width_out;
    if flat(id) >= count {
        return;
    }
    let first = row - row % dims.time;
    var sum = 0.0;
    for (var s = first; s <= row; s++) {
        sum = fma(read_p[row * dims.time + s - first], v[s * dims.width_out + i % dims.width_out], sum);
    }
    y[i] = sum;
}

// The gradient da of the scores: dp_ts = dy_t · v_s, with the softmax da = p ⊙ (dp − Σ p dp) / √E. An invocation owns a row.
@compute @workgroup_size(64)
fn backward_weights(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.z * dims.batch * dims.time + flat(id);
    if flat(id) >= dims.batch * dims.time {
        return;
    }
    let width = dims.width_out;
    let first = row - row % dims.time;
    let to = row * dims.time;
    var sum = 0.0;
    for (var s = 0u; s < dims.time; s++) {
        var dp = 0.0;
        if first + s <= row {
            for (var e = 0u; e < width; e++) { dp = fma(weights_dy[row * width + e], v[(first + s) * width + e], dp); }
            sum = fma(read_p[to + s], dp, sum);
        }
        new_da[to + s] = dp;
    }
    if dims.kind == SOFTMAX {
        for (var s = 0u; s <= row - first; s++) { new_da[to + s] = read_p[to + s] * (new_da[to + s] - sum) * inverseSqrt(f32(width)); }
    }
}

// dq_t = Σ_{s≤t} da_ts k_s; dk_t = Σ_{s≥t} da_st q_s; dv_t = Σ_{s≥t} p_st dy_s. An invocation owns one number of each.
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    let row = i / dims.width_out;
    if flat(id) >= count {
        return;
    }
    let e = i % dims.width_out;
    let t = row % dims.time;
    let first = row - t;
    var sums = vec3<f32>();
    for (var s = first; s <= row; s++) { sums.x = fma(da[row * dims.time + s - first], k[s * dims.width_out + e], sums.x); }
    for (var s = row; s < first + dims.time; s++) {
        sums.y = fma(da[s * dims.time + t], q[s * dims.width_out + e], sums.y);
        sums.z = fma(p[s * dims.time + t], dy[s * dims.width_out + e], sums.z);
    }
    dq[i] = sums.x;
    dk[i] = sums.y;
    dv[i] = sums.z;
}
