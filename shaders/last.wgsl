// The last time steps of a sequence: what a loss over its end needs.
// An invocation owns one element of x [batch, time, width_out].

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> target_: array<f32>;

// y [batch, time − first, width_out] = x from time step `first` on.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let element = id.z * length() + flat(id);
    if flat(id) < length() && kept(element) {
        target_[place(element)] = source[element];
    }
}

// dx [batch, time, width_out] = dy from time step `first` on, 0 before; or += dy with `accumulate`.
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let element = id.z * length() + flat(id);
    if flat(id) >= length() {
        return;
    }
    let before = select(0.0, target_[element], dims.accumulate == 1u);
    var arrived = 0.0;
    if kept(element) {
        arrived = source[place(element)];
    }
    target_[element] = before + arrived;
}

fn length() -> u32 {
    return dims.batch * dims.time * dims.width_out;
}

// Whether an element of x is among the last time steps.
fn kept(element: u32) -> bool {
    return (element / dims.width_out) % dims.time >= dims.first;
}

// Where it stands among them.
fn place(element: u32) -> u32 {
    let sequence = element / (dims.width_out * dims.time);
    return element - (sequence + 1u) * dims.first * dims.width_out;
}
