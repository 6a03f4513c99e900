// Each row's loss and its gradient; N = batch · time.
// An invocation owns one row (sequence, t).

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> prediction: array<f32>; // ŷ [batch, time, width_out]
@group(0) @binding(2) var<storage, read> y: array<f32>; // [batch, time, width_out], or a class number [batch, time]
@group(0) @binding(3) var<storage, read_write> rows: array<vec2<f32>>; // [batch, time]
@group(0) @binding(4) var<storage, read_write> gradient: array<f32>; // dŷ [batch, time, width_out]

// rows = Σ (ŷ − y)², Σ y²; dŷ = 2 (ŷ − y) / (N · width_out); half of error and dŷ with `half`.
@compute @workgroup_size(64)
fn squared_error(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.z * dims.batch * dims.time + flat(id);
    if flat(id) >= dims.batch * dims.time {
        return;
    }
    let start = row * dims.width_out;
    let end = start + dims.width_out;
    let factor = select(1.0, 0.5, dims.half == 1u);
    let scale = 2.0 * factor / ((f32(dims.batch) * f32(dims.time)) * f32(dims.width_out));
    var sums = vec2<f32>();
    for (var at = start; at < end; at++) {
        let both = vec2<f32>(prediction[at] - y[at], y[at]);
        sums += both * both;
        gradient[at] = scale * both.x;
    }
    rows[row] = sums * vec2<f32>(factor, 1.0);
}

// rows = −log softmax(ŷ)[y] and 1, both times width_out; dŷ = (softmax(ŷ) − onehot(y)) / N.
@compute @workgroup_size(64)
fn cross_entropy(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.z * dims.batch * dims.time + flat(id);
    if flat(id) >= dims.batch * dims.time {
        return;
    }
    let start = row * dims.width_out;
    let end = start + dims.width_out;
    var largest = prediction[start];
    for (var at = start; at < end; at++) {
        largest = max(largest, prediction[at]);
    }
    var sum = 0.0;
    for (var at = start; at < end; at++) {
        let e = exp(prediction[at] - largest);
        gradient[at] = e;
        sum += e;
    }
    let scale = 1.0 / (f32(dims.batch) * f32(dims.time));
    let class_at = start + min(u32(y[row]), dims.width_out - 1u);
    for (var at = start; at < end; at++) {
        gradient[at] = scale * (gradient[at] / sum);
    }
    gradient[class_at] -= scale;
    rows[row] = f32(dims.width_out) * vec2<f32>(log(sum) - (prediction[class_at] - largest), 1.0);
}
