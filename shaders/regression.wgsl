// In-context linear regression: T pairs (x_t, y_t = W x_t + noise), then the query (x_q, 0); the target is W x_q.
// W differs from sequence to sequence, W ~ N(0, scale²); x is uniform on (−√3, √3): mean 0, variance 1.
// An invocation owns one token (sequence, t).

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> clocks: array<Clock>;
@group(0) @binding(2) var<storage, read> settings: array<f32>; // scale of W, size of the noise
@group(0) @binding(3) var<storage, read_write> tokens: array<f32>; // [batch, time, width_out], time = T + 1
@group(0) @binding(4) var<storage, read_write> y: array<f32>; // [batch, 1, width_out − width_in]

const SQRT_3: f32 = 1.7320508;

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = flat(id);
    if row >= dims.batch * dims.time {
        return;
    }
    let seed = clocks[id.z].seed;
    let step = clocks[id.z].step;
    let sequence = row / dims.time;
    let is_query = row % dims.time == dims.time - 1u;
    let inputs = dims.width_in;
    let outputs = dims.width_out - inputs;
    let token = (id.z * dims.batch * dims.time + row) * dims.width_out;
    for (var i = 0u; i < inputs; i++) {
        let element = row * inputs + i;
        let four = uniform4(seed, dims.stream + 1u, step, element / 4u);
        tokens[token + i] = SQRT_3 * (2.0 * four[element % 4u] - 1.0);
    }
    for (var k = 0u; k < outputs; k++) {
        var sum = 0.0;
        for (var i = 0u; i < inputs; i++) {
            let weight = (sequence * outputs + k) * inputs + i;
            let four = normal4(seed, dims.stream, step, weight / 4u);
            sum = fma(settings[2u * id.z] * four[weight % 4u], tokens[token + i], sum);
        }
        if is_query {
            y[(id.z * dims.batch + sequence) * outputs + k] = sum;
            tokens[token + inputs + k] = 0.0;
        } else {
            let element = row * outputs + k;
            let four = normal4(seed, dims.stream + 2u, step, element / 4u);
            tokens[token + inputs + k] = fma(settings[2u * id.z + 1u], four[element % 4u], sum);
        }
    }
}
