// Fresh inputs from the counter-based generator.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> clocks: array<Clock>;
@group(0) @binding(2) var<storage, read_write> x: array<f32>; // [batch, time, width_out]

// x ~ N(0, 1): element e is component e mod 4 of the counter (seed, stream, step, e / 4).
// An invocation draws one counter: four neighbouring elements.
@compute @workgroup_size(64)
fn normal(@builtin(global_invocation_id) id: vec3<u32>) {
    let counter = flat(id);
    let count = dims.batch * dims.time * dims.width_out;
    let element = 4u * counter;
    if counter >= (count + 3u) / 4u {
        return;
    }
    let four = normal4(clocks[id.z].seed, dims.stream, clocks[id.z].step, counter);
    let at = id.z * count + element;
    x[at] = four.x;
    if element + 1u < count {
        x[at + 1u] = four.y;
    }
    if element + 2u < count {
        x[at + 2u] = four.z;
    }
    if element + 3u < count {
        x[at + 3u] = four.w;
    }
}
