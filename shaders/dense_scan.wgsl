// h_t = A h_{t−1} + u_t, h_0 = 0; u, h [batch, time, n], A [n, n] at dims.weight.
// A workgroup owns a sequence and keeps its state in workgroup memory; an invocation owns every 64th channel.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>; // u, or dh on the way back
@group(0) @binding(1) var<storage, read> past_x: array<f32>; // h, for the gradient of A
@group(0) @binding(2) var<storage, read> dy: array<f32>; // du, for the gradient of A
@group(0) @binding(3) var<storage, read_write> result: array<f32>; // h, du or gradients [splits, parameters]

// Room for a state; backend/gpu refuses a larger n.
const MAX_STATE: u32 = 512u;
var<workgroup> state: array<f32, 512>;

// h_t = A h_{t−1} + u_t
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
            var sum = x[now + i];
            for (var k = 0u; k < n; k++) { sum = fma(parameters[weight + i * n + k], state[k], sum); }
            result[now + i] = sum;
        }
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) { state[i] = result[now + i]; }
    }
}

// du_t = dh_t + Aᵀ du_{t+1}
@compute @workgroup_size(64)
fn backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let n = min(dims.width_out, MAX_STATE);
    let sequence = group.z * dims.batch + group_number(group);
    let weight = group.z * dims.parameters + dims.weight;
    if group_number(group) >= dims.batch {
        return;
    }
    for (var i = lane; i < n; i += 64u) { state[i] = 0.0; }
    for (var t = dims.time; t > 0u; t--) {
        let now = (sequence * dims.time + t - 1u) * n;
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) {
            var sum = x[now + i];
            for (var k = 0u; k < n; k++) { sum = fma(parameters[weight + k * n + i], state[k], sum); }
            result[now + i] = sum;
        }
        workgroupBarrier();
        for (var i = lane; i < n; i += 64u) { state[i] = result[now + i]; }
    }
}

// dA = Σ du_t h_{t−1}ᵀ [out, n] over the sequences of each split, and with `constant` db = Σ du_t behind it: the column that
// would meet a constant 1. An invocation owns an 8 × 8 tile. The LSTM's and the GRU's recurrent matrices use it too.
@compute @workgroup_size(64)
fn backward_weight(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_in;
    let tiles = (n + dims.constant + 7u) / 8u;
    let down = (dims.width_out + 7u) / 8u;
    let split = flat(id) / (tiles * down);
    let output = eight(flat(id) / tiles % down * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles);
    if split >= dims.splits {
        return;
    }
    let dy_at = places(output, dims.width_out, 0u, 1u);
    let h_at = places(column, n, 0u, 1u);
    let one_low = column.low == vec4<u32>(n);
    let one_high = column.high == vec4<u32>(n);
    let first = id.z * dims.batch * dims.time;
    let end = first + (split + 1u) * dims.batch / dims.splits * dims.time;
    var sum: Tile;
    for (var row = first + split * dims.batch / dims.splits * dims.time; row < end; row++) {
        let kept = f32(min(row % dims.time, 1u)); // before the first step the state is 0
        let before = (max(row, 1u) - 1u) * n;
        let left = select(kept * past_x4(h_at.low + before), ONE, one_low);
        let right = select(kept * past_x4(h_at.high + before), ONE, one_high);
        sum = add_outer(sum, dy4(dy_at.low + row * dims.width_out), dy4(dy_at.high + row * dims.width_out), left, right);
    }
    let weight = (id.z * dims.splits + split) * dims.parameters + dims.weight;
    store(sum, output, dims.width_out, column, n, weight);
    if dims.constant == 1u {
        let bias = weight + dims.width_out * n;
        store_bias(sum.top_left, one_low, output.low, bias);
        store_bias(sum.top_right, one_high, output.low, bias);
        store_bias(sum.bottom_left, one_low, output.high, bias);
        store_bias(sum.bottom_right, one_high, output.high, bias);
    }
}

fn store_bias(sum: mat4x4<f32>, is_one: vec4<bool>, output: vec4<u32>, bias: u32) {
    if any(is_one) {
        store_row(select(vec4<f32>(), ONE, is_one) * sum, bias, output, dims.width_out);
    }
}

fn dy4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(dy[i.x], dy[i.y], dy[i.z], dy[i.w]); }
