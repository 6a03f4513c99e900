// An 8 × 8 tile of a matrix product in the registers of one invocation, as four 4 × 4 matrices: no array is indexed, so it stays in registers whether a compiler unrolls loops or not. Appended to the matrix kernels, which
// declare `dims`, the arrays that are loaded from here, and the array `result` that tiles are stored to.

// Rows 0-3 and 4-7 (top, bottom) by columns 0-3 and 4-7 (left, right); each matrix's member i is its row i.
struct Tile {
    top_left: mat4x4<f32>,
    top_right: mat4x4<f32>,
    bottom_left: mat4x4<f32>,
    bottom_right: mat4x4<f32>,
}

// Eight indices or places.
struct Eight {
    low: vec4<u32>,
    high: vec4<u32>,
}

// start, start + stride, start + 2 stride …
fn eight(start: u32, stride: u32) -> Eight {
    let low = start + stride * vec4<u32>(0u, 1u, 2u, 3u);
    return Eight(low, low + 4u * stride);
}

// base + stride · min(index, count − 1): where to load from; indices past the edge load the last one again.
fn places(index: Eight, count: u32, base: u32, stride: u32) -> Eight {
    let last = vec4<u32>(count - 1u);
    return Eight(base + stride * min(index.low, last), base + stride * min(index.high, last));
}

const ONE = vec4<f32>(1.0);

fn w4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(parameters[i.x], parameters[i.y], parameters[i.z], parameters[i.w]); }
fn x4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(x[i.x], x[i.y], x[i.z], x[i.w]); }
fn past_x4(i: vec4<u32>) -> vec4<f32> { return vec4<f32>(past_x[i.x], past_x[i.y], past_x[i.z], past_x[i.w]); }

// sum + a bᵀ
fn outer(sum: mat4x4<f32>, a: vec4<f32>, b: vec4<f32>) -> mat4x4<f32> {
    return mat4x4<f32>(
        fma(vec4<f32>(a.x), b, sum[0]),
        fma(vec4<f32>(a.y), b, sum[1]),
        fma(vec4<f32>(a.z), b, sum[2]),
        fma(vec4<f32>(a.w), b, sum[3]),
    );
}

// sum + [top; bottom] [left; right]ᵀ
fn add_outer(sum: Tile, top: vec4<f32>, bottom: vec4<f32>, left: vec4<f32>, right: vec4<f32>) -> Tile {
    return Tile(
        outer(sum.top_left, top, left),
        outer(sum.top_right, top, right),
        outer(sum.bottom_left, bottom, left),
        outer(sum.bottom_right, bottom, right),
    );
}

// Writes the part of the tile that lies inside [height, width], row-major from `base`,
// or adds it with `accumulate`.
fn store(sum: Tile, row: Eight, height: u32, column: Eight, width: u32, base: u32) {
    store4(sum.top_left, row.low, height, column.low, width, base);
    store4(sum.top_right, row.low, height, column.high, width, base);
    store4(sum.bottom_left, row.high, height, column.low, width, base);
    store4(sum.bottom_right, row.high, height, column.high, width, base);
}

fn store4(sum: mat4x4<f32>, row: vec4<u32>, height: u32, column: vec4<u32>, width: u32, base: u32) {
    if row.x < height { store_row(sum[0], base + row.x * width, column, width); }
    if row.y < height { store_row(sum[1], base + row.y * width, column, width); }
    if row.z < height { store_row(sum[2], base + row.z * width, column, width); }
    if row.w < height { store_row(sum[3], base + row.w * width, column, width); }
}

fn store_row(value: vec4<f32>, base: u32, column: vec4<u32>, width: u32) {
    if column.x < width { store_one(value.x, base + column.x); }
    if column.y < width { store_one(value.y, base + column.y); }
    if column.z < width { store_one(value.z, base + column.z); }
    if column.w < width { store_one(value.w, base + column.w); }
}

fn store_one(value: f32, at: u32) {
    if dims.accumulate == 1u { result[at] += value; } else { result[at] = value; }
}
