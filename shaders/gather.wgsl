// A batch from sequences that are all on the device. An invocation owns one row (sequence of the batch, t).

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> clocks: array<Clock>;
@group(0) @binding(2) var<storage, read> data: array<f32>; // [width_in sequences, time, width_out]
@group(0) @binding(3) var<storage, read_write> x: array<f32>; // [batch, time, width_out]

// Sequence b of the batch is number (step − 1) · batch + b of the data, round and round (`half` = 1), or a random one.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = flat(id);
    if row >= dims.batch * dims.time {
        return;
    }
    let seed = clocks[id.z].seed;
    let step = clocks[id.z].step;
    let sequence = row / dims.time;
    var chosen = pcg4d(vec4<u32>(seed, dims.stream, step, sequence)).x % dims.width_in;
    if dims.half == 1u {
        // In two steps: the product of all steps and sequences may not fit 32 bits.
        let before = ((max(step, 1u) - 1u) % dims.width_in) * (dims.batch % dims.width_in);
        chosen = (before % dims.width_in + sequence) % dims.width_in;
    }
    let start = ((id.z * dims.width_in + chosen) * dims.time + row % dims.time) * dims.width_out;
    let at = (id.z * dims.batch * dims.time + row) * dims.width_out;
    for (var i = 0u; i < dims.width_out; i++) {
        x[at + i] = data[start + i];
    }
}
