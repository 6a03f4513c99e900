// y = x̃ Wᵀ; W [out, in (+1)], the extra column meets the constant 1 appended to x̃ = [x; 1].
// An invocation owns an 8 × 8 tile; the columns of a tile are `tiles` apart, so neighbours touch neighbouring numbers.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>; // [rows, in]
@group(0) @binding(1) var<storage, read> past_x: array<f32>; // x, on the way back
@group(0) @binding(2) var<storage, read> dy: array<f32>; // [rows, out]
@group(0) @binding(3) var<storage, read_write> result: array<f32>; // y [rows, out], dx [rows, in] or gradients [splits, parameters]

// y = x̃ Wᵀ
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = dims.batch * dims.time;
    let fan_in = dims.width_in + dims.constant;
    let tiles = (dims.width_out + 7u) / 8u;
    let row = eight(flat(id) / tiles * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles);
    if row.low.x >= rows {
        return;
    }
    let first = id.z * rows;
    let x_at = places(row, rows, first * dims.width_in, dims.width_in);
    let w_at = places(column, dims.width_out, id.z * dims.parameters + dims.weight, fan_in);
    var sum: Tile;
    for (var k = 0u; k < dims.width_in; k++) {
        sum = add_outer(sum, x4(x_at.low + k), x4(x_at.high + k), w4(w_at.low + k), w4(w_at.high + k));
    }
    if dims.constant == 1u {
        sum = add_outer(sum, ONE, ONE, w4(w_at.low + dims.width_in), w4(w_at.high + dims.width_in));
    }
    store(sum, row, rows, column, dims.width_out, first * dims.width_out);
}

// dx = dy W (or += with `accumulate`)
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
    let dy_at = places(row, rows, first * dims.width_out, dims.width_out);
    let w_at = places(column, dims.width_in, id.z * dims.parameters + dims.weight, 1u);
    var sum: Tile;
    for (var k = 0u; k < dims.width_out; k++) {
        sum = add_outer(sum, dy4(dy_at.low + k), dy4(dy_at.high + k), w4(w_at.low + k * fan_in), w4(w_at.high + k * fan_in));
    }
    store(sum, row, rows, column, dims.width_in, first * dims.width_in);
}

// dW = dyᵀ x̃ over the sequences of each split: gradients[split, weight + o · fan_in + i]
@compute @workgroup_size(64)
fn backward_weight(@builtin(global_invocation_id) id: vec3<u32>) {
    let fan_in = dims.width_in + dims.constant;
    let tiles = (fan_in + 7u) / 8u;
    let down = (dims.width_out + 7u) / 8u;
    let split = flat(id) / (tiles * down);
    let output = eight(flat(id) / tiles % down * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles);
    if split >= dims.splits {
        return;
    }
    let dy_at = places(output, dims.width_out, 0u, 1u);
    let x_at = places(column, dims.width_in, 0u, 1u);
    let one_low = column.low == vec4<u32>(dims.width_in);
    let one_high = column.high == vec4<u32>(dims.width_in);
    let first = id.z * dims.batch * dims.time;
    let end = first + (split + 1u) * dims.batch / dims.splits * dims.time;
    var sum: Tile;
    for (var row = first + split * dims.batch / dims.splits * dims.time; row < end; row++) {
        let left = select(past_x4(x_at.low + row * dims.width_in), ONE, one_low);
        let right = select(past_x4(x_at.high + row * dims.width_in), ONE, one_high);
        sum = add_outer(sum, dy4(dy_at.low + row * dims.width_out), dy4(dy_at.high + row * dims.width_out), left, right);
    }
    store(sum, output, dims.width_out, column, fan_in, (id.z * dims.splits + split) * dims.parameters + dims.weight);
}

fn dy4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(dy[i.x], dy[i.y], dy[i.z], dy[i.w]); }
