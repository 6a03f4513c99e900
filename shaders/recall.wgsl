// Associative recall: V tokens [onehot(key); onehot(value)] in random order, each key and each value once, then the
// query [onehot(key); 0]; the target is the number of the key's value. An invocation owns one token (sequence, t).

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> clocks: array<Clock>;
@group(0) @binding(2) var<storage, read_write> tokens: array<f32>; // [batch, time, width_out = 2 V], time = V + 1
@group(0) @binding(3) var<storage, read_write> y: array<f32>; // [batch, 1, 1]

// Of the replica's clock.
var<private> own_seed: u32;
var<private> own_step: u32;

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = flat(id);
    if row >= dims.batch * dims.time {
        return;
    }
    own_seed = clocks[id.z].seed;
    own_step = clocks[id.z].step;
    let pairs = dims.width_in;
    let sequence = row / dims.time;
    let t = row % dims.time;
    let is_query = t == pairs;
    var key = pcg4d(vec4<u32>(own_seed, dims.stream + 2u, own_step, sequence)).x % pairs;
    if !is_query {
        key = 0u;
        while key < pairs - 1u && rank(sequence, key, 0u) != t {
            key++;
        }
    }
    let value = rank(sequence, key, 1u);
    let token = (id.z * dims.batch * dims.time + row) * dims.width_out;
    for (var i = 0u; i < pairs; i++) {
        tokens[token + i] = select(0.0, 1.0, i == key);
        tokens[token + pairs + i] = select(0.0, 1.0, i == value && !is_query);
    }
    if is_query {
        y[id.z * dims.batch + sequence] = f32(value);
    }
}

// How many words of the sequence are below word `index`: a random permutation. Which 0: places, 1: values.
fn rank(sequence: u32, index: u32, which: u32) -> u32 {
    let own = word(sequence, index, which);
    var below = 0u;
    for (var i = 0u; i < dims.width_in; i++) {
        let other = word(sequence, i, which);
        below += select(0u, 1u, other < own || (other == own && i < index));
    }
    return below;
}

fn word(sequence: u32, index: u32, which: u32) -> u32 {
    let element = sequence * dims.width_in + index;
    return pcg4d(vec4<u32>(own_seed, dims.stream + which, own_step, element / 4u))[element % 4u];
}
