// y = Re(C h) = h_re C_reᵀ − h_im C_imᵀ; h [rows, 2 n] holds complex numbers in halves [re, im], n = width_in.
// C_im [out, n] follows C_re [out, n] in the parameters. An invocation owns a tile; its columns are `tiles` apart.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>; // h
@group(0) @binding(1) var<storage, read> past_x: array<f32>; // h, on the way back
@group(0) @binding(2) var<storage, read> dy: array<f32>; // [rows, out]
@group(0) @binding(3) var<storage, read_write> result: array<f32>; // y [rows, out], dh [rows, 2 n] or gradients [splits, parameters]

// y = h_re C_reᵀ − h_im C_imᵀ
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_in;
    let rows = dims.batch * dims.time;
    let tiles = (dims.width_out + 7u) / 8u;
    let row = eight(flat(id) / tiles * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles);
    if row.low.x >= rows {
        return;
    }
    let first = id.z * rows;
    let weight = id.z * dims.parameters + dims.weight;
    let h_at = places(row, rows, first * 2u * n, 2u * n);
    let re_at = places(column, dims.width_out, weight, n);
    let im_at = places(column, dims.width_out, weight + n * dims.width_out, n);
    var sum: Tile;
    for (var k = 0u; k < n; k++) {
        sum = add_outer(sum, x4(h_at.low + k), x4(h_at.high + k), w4(re_at.low + k), w4(re_at.high + k));
        sum = add_outer(sum, -x4(h_at.low + n + k), -x4(h_at.high + n + k), w4(im_at.low + k), w4(im_at.high + k));
    }
    store(sum, row, rows, column, dims.width_out, first * dims.width_out);
}

// dh = [dy C_re, −dy C_im]: a tile's left half is of the real parts, the right half of the same four imaginary ones.
@compute @workgroup_size(64)
fn backward_input(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_in;
    let rows = dims.batch * dims.time;
    let tiles = (n + 3u) / 4u;
    let row = eight(flat(id) / tiles * 8u, 1u);
    let column = eight(flat(id) % tiles, tiles).low;
    if row.low.x >= rows {
        return;
    }
    let first = id.z * rows;
    let dy_at = places(row, rows, first * dims.width_out, dims.width_out);
    let re_at = id.z * dims.parameters + dims.weight + min(column, vec4<u32>(n - 1u));
    let im_at = re_at + n * dims.width_out;
    var sum: Tile;
    for (var k = 0u; k < dims.width_out; k++) {
        sum = add_outer(sum, dy4(dy_at.low + k), dy4(dy_at.high + k), w4(re_at + k * n), -w4(im_at + k * n));
    }
    store_halves(sum.top_left, sum.top_right, row.low, rows, first, column);
    store_halves(sum.bottom_left, sum.bottom_right, row.high, rows, first, column);
}

// dC_re = dyᵀ h_re (a tile's top half) and dC_im = −dyᵀ h_im over the sequences of each split
@compute @workgroup_size(64)
fn backward_weight(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_in;
    let tiles = (n + 7u) / 8u;
    let down = (dims.width_out + 3u) / 4u;
    let split = flat(id) / (tiles * down);
    let output = eight(flat(id) / tiles % down * 4u, 1u).low;
    let column = eight(flat(id) % tiles, tiles);
    if split >= dims.splits {
        return;
    }
    let dy_at = min(output, vec4<u32>(dims.width_out - 1u));
    let re_at = places(column, n, 0u, 1u);
    let first = id.z * dims.batch * dims.time;
    let end = first + (split + 1u) * dims.batch / dims.splits * dims.time;
    var sum: Tile;
    for (var row = first + split * dims.batch / dims.splits * dims.time; row < end; row++) {
        let gradient = dy4(dy_at + row * dims.width_out);
        let re = Eight(re_at.low + row * 2u * n, re_at.high + row * 2u * n);
        sum.top_left = outer(sum.top_left, gradient, past_x4(re.low));
        sum.top_right = outer(sum.top_right, gradient, past_x4(re.high));
        sum.bottom_left = outer(sum.bottom_left, -gradient, past_x4(re.low + n));
        sum.bottom_right = outer(sum.bottom_right, -gradient, past_x4(re.high + n));
    }
    let weight = (id.z * dims.splits + split) * dims.parameters + dims.weight;
    store4(sum.top_left, output, dims.width_out, column.low, n, weight);
    store4(sum.top_right, output, dims.width_out, column.high, n, weight);
    store4(sum.bottom_left, output, dims.width_out, column.low, n, weight + n * dims.width_out);
    store4(sum.bottom_right, output, dims.width_out, column.high, n, weight + n * dims.width_out);
}

fn dy4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(dy[i.x], dy[i.y], dy[i.z], dy[i.w]); }

fn store_halves(re: mat4x4<f32>, im: mat4x4<f32>, row: vec4<u32>, rows: u32, first: u32, column: vec4<u32>) {
    if row.x < rows { store_both(re[0], im[0], first + row.x, column); }
    if row.y < rows { store_both(re[1], im[1], first + row.y, column); }
    if row.z < rows { store_both(re[2], im[2], first + row.z, column); }
    if row.w < rows { store_both(re[3], im[3], first + row.w, column); }
}

fn store_both(re: vec4<f32>, im: vec4<f32>, row: u32, column: vec4<u32>) {
    store_row(re, 2u * row * dims.width_in, column, dims.width_in);
    store_row(im, (2u * row + 1u) * dims.width_in, column, dims.width_in);
}
