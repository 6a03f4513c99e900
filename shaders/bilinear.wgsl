// The paper's gate: g = m ⊙ s with both sides m = x̃ W_mᵀ and s = x̃ W_xᵀ; W_x follows W_m in the parameters.
// W [out, in (+1)], the extra column meets the constant 1 appended to x̃ = [x; 1]. A tile holds four columns (or
// rows) of W_m's product in its left (or top) half and the same four of W_x's in the other; columns are `tiles` apart.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>; // [rows, in]
@group(0) @binding(3) var<storage, read_write> new_sides: array<f32>; // [rows, 2 out]: m, then s
@group(0) @binding(1) var<storage, read> past_x: array<f32>; // x, on the way back
@group(0) @binding(2) var<storage, read> sides: array<f32>; // [rows, 2 out]: m, then s
@group(0) @binding(3) var<storage, read> dg: array<f32>; // [rows, out]
@group(0) @binding(4) var<storage, read_write> result: array<f32>; // g [rows, out], dx [rows, in] or gradients [splits, parameters]

// sides = [m, s], g = m ⊙ s
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = dims.batch * dims.time;
    let fan_in = dims.width_in + dims.constant;
    let tiles = (dims.width_out + 3u) / 4u;
    let row = eight(flat(id) / tiles * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles).low;
    if row.low.x >= rows {
        return;
    }
    let first = id.z * rows;
    let x_at = places(row, rows, first * dims.width_in, dims.width_in);
    let m_at = id.z * dims.parameters + dims.weight + fan_in * min(column, vec4<u32>(dims.width_out - 1u));
    let s_at = m_at + fan_in * dims.width_out;
    var sum: Tile;
    for (var k = 0u; k < dims.width_in; k++) {
        sum = add_outer(sum, x4(x_at.low + k), x4(x_at.high + k), w4(m_at + k), w4(s_at + k));
    }
    if dims.constant == 1u {
        sum = add_outer(sum, ONE, ONE, w4(m_at + dims.width_in), w4(s_at + dims.width_in));
    }
    store_gates(sum.top_left, sum.top_right, row.low, rows, first, column);
    store_gates(sum.bottom_left, sum.bottom_right, row.high, rows, first, column);
}

// dx = (dg ⊙ s) W_m + (dg ⊙ m) W_x (or += with `accumulate`)
@compute @workgroup_size(64)
fn backward_input(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = dims.batch * dims.time;
    let fan_in = dims.width_in + dims.constant;
    let tiles = (dims.width_in + 7u) / 8u;
    let row = eight(flat(id) / tiles * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles);
    if row.low.x >= rows {
        return;
    }
    let first = id.z * rows;
    let dg_at = places(row, rows, first * dims.width_out, dims.width_out);
    let m_at = places(column, dims.width_in, id.z * dims.parameters + dims.weight, 1u);
    let to_s = fan_in * dims.width_out;
    var sum: Tile;
    for (var k = 0u; k < dims.width_out; k++) {
        let low = dg4(dg_at.low + k);
        let high = dg4(dg_at.high + k);
        let m = Eight(2u * dg_at.low + k, 2u * dg_at.high + k);
        let s = Eight(m.low + dims.width_out, m.high + dims.width_out);
        let w = Eight(m_at.low + k * fan_in, m_at.high + k * fan_in);
        sum = add_outer(sum, low * sides4(s.low), high * sides4(s.high), w4(w.low), w4(w.high));
        sum = add_outer(sum, low * sides4(m.low), high * sides4(m.high), w4(w.low + to_s), w4(w.high + to_s));
    }
    store(sum, row, rows, column, dims.width_in, first * dims.width_in);
}

// dW_m = (dg ⊙ s)ᵀ x̃ and dW_x = (dg ⊙ m)ᵀ x̃ over the sequences of each split
@compute @workgroup_size(64)
fn backward_weight(@builtin(global_invocation_id) id: vec3<u32>) {
    let fan_in = dims.width_in + dims.constant;
    let tiles = (fan_in + 7u) / 8u;
    let down = (dims.width_out + 3u) / 4u;
    let split = flat(id) / (tiles * down);
    let output = eight(flat(id) / tiles % down * 4u, 1u).low;
    let column = eight(flat(id) % tiles, tiles);
    if split >= dims.splits {
        return;
    }
    let dg_at = min(output, vec4<u32>(dims.width_out - 1u));
    let x_at = places(column, dims.width_in, 0u, 1u);
    let one_low = column.low == vec4<u32>(dims.width_in);
    let one_high = column.high == vec4<u32>(dims.width_in);
    let first = id.z * dims.batch * dims.time;
    let end = first + (split + 1u) * dims.batch / dims.splits * dims.time;
    var sum: Tile;
    for (var row = first + split * dims.batch / dims.splits * dims.time; row < end; row++) {
        let gradient = dg4(dg_at + row * dims.width_out);
        let m = sides4(dg_at + 2u * row * dims.width_out);
        let s = sides4(dg_at + (2u * row + 1u) * dims.width_out);
        let left = select(past_x4(x_at.low + row * dims.width_in), ONE, one_low);
        let right = select(past_x4(x_at.high + row * dims.width_in), ONE, one_high);
        sum = add_outer(sum, gradient * s, gradient * m, left, right);
    }
    let weight = (id.z * dims.splits + split) * dims.parameters + dims.weight;
    store4(sum.top_left, output, dims.width_out, column.low, fan_in, weight);
    store4(sum.top_right, output, dims.width_out, column.high, fan_in, weight);
    store4(sum.bottom_left, output, dims.width_out, column.low, fan_in, weight + fan_in * dims.width_out);
    store4(sum.bottom_right, output, dims.width_out, column.high, fan_in, weight + fan_in * dims.width_out);
}

fn sides4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(sides[i.x], sides[i.y], sides[i.z], sides[i.w]); }
fn dg4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(dg[i.x], dg[i.y], dg[i.z], dg[i.w]); }

fn store_gates(m: mat4x4<f32>, s: mat4x4<f32>, row: vec4<u32>, rows: u32, first: u32, column: vec4<u32>) {
    if row.x < rows { store_gate(m[0], s[0], first + row.x, column); }
    if row.y < rows { store_gate(m[1], s[1], first + row.y, column); }
    if row.z < rows { store_gate(m[2], s[2], first + row.z, column); }
    if row.w < rows { store_gate(m[3], s[3], first + row.w, column); }
}

fn store_gate(m: vec4<f32>, s: vec4<f32>, row: u32, column: vec4<u32>) {
    store_row(m * s, row * dims.width_out, column, dims.width_out);
    store_side(m, 2u * row * dims.width_out, column);
    store_side(s, (2u * row + 1u) * dims.width_out, column);
}

fn store_side(value: vec4<f32>, base: u32, column: vec4<u32>) {
    if column.x < dims.width_out { new_sides[base + column.x] = value.x; }
    if column.y < dims.width_out { new_sides[base + column.y] = value.y; }
    if column.z < dims.width_out { new_sides[base + column.z] = value.z; }
    if column.w < dims.width_out { new_sides[base + column.w] = value.w; }
}
