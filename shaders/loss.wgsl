// The squared error of each row and its gradient. An invocation owns one row (sequence, t).

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> prediction: array<f32>; // ŷ [batch, time, width_out]
@group(0) @binding(2) var<storage, read> y: array<f32>; // [batch, time, width_out]
@group(0) @binding(3) var<storage, read_write> rows: array<vec2<f32>>; // [batch, time]: Σ (ŷ − y)², Σ y²
@group(0) @binding(4) var<storage, read_write> gradient: array<f32>; // [batch, time, width_out]

// gradient = 2 (ŷ − y) / (batch · time · width_out)
@compute @workgroup_size(64)
fn squared_error(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = flat(id);
    if row >= dims.batch * dims.time {
        return;
    }
    let scale = 2.0 / (f32(dims.batch) * f32(dims.time) * f32(dims.width_out));
    var sums = vec2<f32>();
    for (var at = row * dims.width_out; at < (row + 1u) * dims.width_out; at++) {
        let both = vec2<f32>(prediction[at] - y[at], y[at]);
        sums += both * both;
        gradient[at] = scale * both.x;
    }
    rows[row] = sums;
}
